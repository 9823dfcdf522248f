"""What a store promises to whoever uses it: what each method gives and in which order, and what it does not promise.

Operations know this package and nothing else of the store. `Store` opens transactions; a `Unit` is one of them, and its
parts read and write one kind of thing each. What holds for all of them:

- A read sees one snapshot, and in a write also what that write has done so far.
- Where no order is named there is none.
- Keys that name nothing are left out of answers. Writing to what is not there is a fault, not a refusal.
- `busy` means that nothing was written. A fault inside a write undoes all of it.
- A method judges no right, no state and no rev, and writes no history of its own accord.
"""

from __future__ import annotations

from smeldr.store.contract.conditions import Conditions, Counts
from smeldr.store.contract.graph import Items, Readable, Relations, Walks
from smeldr.store.contract.integrity import ASKED, REMOVABLE, Integrity
from smeldr.store.contract.opening import Interrupted, Store, StoreUnusable, Unit
from smeldr.store.contract.people import AccessRows
from smeldr.store.contract.told import History, RequestKeys

__all__ = [
    "ASKED",
    "REMOVABLE",
    "AccessRows",
    "Conditions",
    "Counts",
    "History",
    "Integrity",
    "Interrupted",
    "Items",
    "Readable",
    "Relations",
    "RequestKeys",
    "Store",
    "StoreUnusable",
    "Unit",
    "Walks",
]
