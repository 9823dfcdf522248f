"""A register with something in every table, and in its texts whatever a database might change on the way."""

from __future__ import annotations

from typing import Final

from tests.callers import Caller, principal
from tests.operations.calls import furnish, related

AWKWARD: Final = (
    "請求書は一つの台帳から",
    "line feed\nreturn and line feed\r\nreturn\rand the end  ",
    "'single', \"double\", `back`, \\n, %s, %(name)s, :name, $1, ?",
    "e\u0301 is not é; \u202eleft\u202c; \u2028; \U0001f9ed; \x7f; ﷽",
    "NULL",
    "台帳" * 100_000,
)


def fill(owner: Caller) -> None:
    """Make items of every type, relations that ended, and tokens and grants that no longer count."""
    furnish(owner)
    owner.call("confirm_premise", decision="D2", premise="D3", reason="It holds\r\nall the same")
    for text in AWKWARD:
        line = "".join(each for each in text if each.isprintable())[:200]
        owner.call("propose_decision", title=line, body=text, source=line)
    owner.call("archive_decision", decision="D4", reason="No\r\n'more'")
    owner.call("ratify_decision", decision="D5", request_key="Ä key of its own")
    owner.call("supersede_decision", decision="D5", by="D6", request_key="a key")
    ended = owner.call("assert_relation", **related("D7", "D8", "contradicts"), request_key="Z")["relation"]
    owner.call("withdraw_relation", id=ended["id"], rev=ended["rev"], reason="They do not")
    owner.call("run_sweep")
    former = principal(owner, "元の書記", "agent", {"ARE1": ["author"], "ROOT": ["read"]})
    grant = former.call("whoami")["grants"][0]["id"]
    owner.call("revoke_grant", id=grant, reason="Gone")
    owner.call("create_token", principal=former.id, expires_in_days=1)
    owner.call("deactivate_principal", principal=former.id, reason="Gone")
    revoked = owner.call("create_token", principal=owner.id)["id"]
    owner.call("revoke_token", id=revoked)
