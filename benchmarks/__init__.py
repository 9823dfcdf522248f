"""What a person or an agent waits for, measured through the operations beside what they would use instead.

`python -m benchmarks` runs it all (`make bench`). Every figure is a ratio of two things done in turn in one run on the
same data, and no figure counts before its answers were held against a walk that shares no code with the product.

The log keeps quiet, in every process of a measurement: its lines would stand among the figures.
"""

from smeldr.doors.logs import log_to_stderr

log_to_stderr("warning")
