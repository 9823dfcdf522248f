"""What can be asked of the register: a typed function for each thing, in a file for each subject.

Importing this package registers them all: `registry.OPERATIONS` is what every door is derived from.
"""

from smeldr.operations import (  # noqa: F401 - importing them is what registers them
    access,
    amendments,
    decisions,
    places,
    reach,
    relations,
    signals,
    sweep,
)
