"""Public registers of decisions, read from the tables that list them and written in the import format.

Standard library only: nothing here needs the product, and the product needs nothing here.
"""
