"""The rules, pure: no database, no server, no clock. Where each sentence lives:

- A premise leaves force, and what rests on it directly is flagged: `premise_flag`, docs/rules/premise-flag.md
- Two Decisions that contradict each other carry a condition each: `contradiction`, docs/rules/contradiction.md
- How much rests on an item, up to 1,000, "at least": `rest_count`, docs/rules/rest-count.md
- What a sweep stored of that, never higher than live: `stored_count`, docs/rules/stored-count.md
- What is reached, ring by ring, and where it was cut: `reachability`, docs/rules/reachability.md
- Which move a state allows and to whom: `moves`, docs/rules/moves.md
- Which relation may be recorded and ended, with which right: `relating`, docs/rules/relating.md
- Who holds which right over which place: `access`, docs/rules/access.md
"""
