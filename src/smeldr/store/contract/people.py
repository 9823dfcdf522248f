"""Who calls, and what was granted to whom."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from smeldr.model.instants import Instant
from smeldr.model.items import ItemKey
from smeldr.model.records import Grant, Principal, Token
from smeldr.model.rights import PrincipalClass, Right
from smeldr.store.contract.graph import Readable


class AccessRows(Protocol):
    """Principals, tokens and grants. What a grant gives is rules/access.py."""

    def bearer(self, token_hash: str, now: Instant) -> tuple[Principal, Token] | None:
        """Who carries the token, if it counts now: not revoked, not expired at this instant, its principal active."""

    def rights(self, principal: str, now: Instant) -> list[tuple[Right, ItemKey]]:
        """The (right, place) of every grant of the principal that counts now: not revoked, not expired."""

    def grants_of(self, principal: str, now: Instant) -> list[Grant]:
        """Every grant of the principal that counts now, by (granted_at, id)."""

    def principal(self, principal_id: str) -> Principal | None:
        """The principal with this id."""

    def list_principals(self, *, limit: int, offset: int) -> tuple[list[Principal], int]:
        """One page by (created_at, id), and how many in all."""

    def add_principal(self, new: Principal) -> None:
        """Write a new principal."""

    def deactivate(self, principal_id: str) -> None:
        """Make every token of the principal fail from now on."""

    def token(self, token_id: str) -> Token | None:
        """The token with this id."""

    def list_tokens(self, principal_id: str, *, limit: int, offset: int) -> tuple[list[Token], int]:
        """One page of a principal's tokens by (created_at, id), and how many in all."""

    def add_token(self, new: Token, token_hash: str) -> None:
        """Write a new token; only its hash is kept."""

    def revoke_token(self, token_id: str, at: Instant) -> None:
        """Make the token fail from now on."""

    def grant(self, grant_id: str) -> Grant | None:
        """The grant with this id."""

    def list_grants(
        self, now: Instant, places: Readable, *, principal: str | None = None, limit: int, offset: int
    ) -> tuple[list[Grant], int]:
        """One page of the grants over these places that count now, by (granted_at, id), and how many in all."""

    def same_grant(self, principal: str, right: Right, place: ItemKey, expires_at: Instant | None) -> Grant | None:
        """The oldest grant of exactly this that has not been revoked."""

    def add_grant(self, new: Grant) -> None:
        """Write a new grant."""

    def revoke_grant(self, grant_id: str, at: Instant) -> None:
        """Let the grant count no longer."""

    def administrator_remains(self, root: ItemKey, classes: Collection[PrincipalClass]) -> bool:
        """Whether an active principal of these classes holds a lasting `administer` over ROOT and a lasting token."""
