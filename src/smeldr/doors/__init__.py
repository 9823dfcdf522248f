"""Four faces of the same operations: HTTP, MCP, the command line and the pages.

A door reads what came in, calls the register and says what came back. It holds no rule, no SQL and no list of fields:
what a tool takes and answers is read off `smeldr.operations.registry.OPERATIONS`.
"""
