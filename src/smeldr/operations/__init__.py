"""Everything the register can do, one typed function each, by subject.

Importing this package registers them all: `registry.OPERATIONS` is what every door is derived from.
"""
