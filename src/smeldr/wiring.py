"""The only place where the parts are joined: settings make a store, a store makes a register, doors serve it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import smeldr.operations  # noqa: F401 - registers the operations
from smeldr.doors.serve import serve as serve_http
from smeldr.formats.jsonl import read_file
from smeldr.model.errors import conflict
from smeldr.operations.call import Policy
from smeldr.operations.importing import Report, load
from smeldr.operations.owners import make_owner, recover_owner as give_back
from smeldr.operations.register import Register
from smeldr.settings import Settings
from smeldr.store.store import Store


def policy_of(settings: Settings) -> Policy:
    """What the settings say about rights."""
    return Policy(allow_agent_ratify=settings.allow_agent_ratify)


def open_register(settings: Settings) -> Register:
    """The register in the database of the settings. Raises StoreUnusable, in one line, when there is none to open."""
    store = Store(settings.database)
    store.check()
    return Register(store, policy_of(settings))


def initialise(settings: Settings, owner: str) -> dict[str, str]:
    """Make the register and its owner: `{"database", "principal", "token"}`. Refused where there is one already."""
    store = Store(settings.database)
    store.migrate()
    register = Register(store, policy_of(settings))
    with register.locally("init") as call:
        if store.is_initialised():
            raise conflict(f"there is a register in {settings.database} already")
        call.unit.found_register(call.now)
        principal, token = make_owner(call, owner)
    store.close()
    return {"database": settings.database, "principal": principal, "token": token}


def migrate(settings: Settings) -> None:
    """Bring the database of the settings to the newest revision."""
    Store(settings.database).migrate()


def recover_owner(settings: Settings, principal: str | None, name: str) -> dict[str, str]:
    """Give all rights over ROOT and a new token to a person: `{"database", "principal", "token"}`."""
    with open_register(settings).locally("recover-owner") as call:
        who, token = give_back(call, principal, name)
    return {"database": settings.database, "principal": who, "token": token}


def import_file(settings: Settings, path: Path, progress: Callable[[int], object] | None = None) -> Report:
    """Load a file of decisions, all or nothing; `progress` is told how many bytes were read, three times over."""
    with open_register(settings).locally("import") as call:
        return load(call, lambda: read_file(path, progress))


def serve(settings: Settings, host: str, port: int, workers: int) -> None:
    """Serve the register until told to stop."""
    serve_http(open_register(settings), settings, host, port, workers)
