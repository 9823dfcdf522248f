"""What the register keeps, and in which order and transaction. One implementation for every database.

`contract.py` says what each method promises; `schema.py` has the tables; an engine file per database holds the closed
list of differences. No rule is here.
"""
