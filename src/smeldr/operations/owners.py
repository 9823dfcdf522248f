"""Acts on the machine itself, by whoever may write the database: the first owner, and giving one back.

No tool does this; `smeldr init` and `smeldr recover-owner` do. They are entered in the history as the operator's.
"""

from __future__ import annotations

from smeldr.model.errors import not_found
from smeldr.model.items import ROOT
from smeldr.model.rights import RIGHTS
from smeldr.operations.access import add_grant, add_principal, add_token
from smeldr.operations.call import ROOT_PATH, Call, NamedPlace


def make_owner(call: Call, name: str) -> tuple[str, str]:
    """Make a person with all four rights over ROOT; returns their id and their token, shown this once."""
    principal = add_principal(call, name, "person")["id"]
    return principal, _give_everything(call, principal)


def recover_owner(call: Call, principal: str | None, name: str) -> tuple[str, str]:
    """Give an active person all four rights over ROOT and a new token; a new person when none is named.

    Raises:
        Refusal: `not_found` when there is no active person with this id.
    """
    if principal is None:
        return make_owner(call, name)
    found = call.unit.access.principal(principal)
    if found is None or not found.active or found.principal_class != "person":
        raise not_found(f"active person {principal}")
    return principal, _give_everything(call, principal)


def _give_everything(call: Call, principal: str) -> str:
    for right in RIGHTS:
        if not call.unit.access.same_grant(principal, right, ROOT, None):
            add_grant(call, principal, right, NamedPlace(ROOT, ROOT_PATH, None))
    return add_token(call, principal)["token"]
