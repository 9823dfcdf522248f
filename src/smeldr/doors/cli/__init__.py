"""Two command lines: `smeldr-cli`, a client of a running server, and `smeldr`, which makes and serves a register.

The client imports no model, no store and no protocol library, so that a command starts at once: what the tools take is
read from a manifest (manifest.py), what the commands are called from one table (verbs.py). It knows no rule; what it
sends is judged by the server.
"""
