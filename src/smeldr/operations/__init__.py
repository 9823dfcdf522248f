"""Everything the register can do, one typed function each, by subject.

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
