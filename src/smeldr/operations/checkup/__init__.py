"""The doctor: what is not as it should be in a register, and mending what can be mended without guessing.

The codes are model/findings.py. What is found by one question to the store is asked.py, what takes a rule or more than
one question judged.py; repairs.py mends, and doctor.py has it done. Source: docs/doctor.md.
"""
