"""The only place where the parts are joined: settings make a store, a store a register, and doors are given it.

A door is imported when it is opened: the web and MCP libraries take a second, which making or loading a register has
no use for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from smeldr.formats.jsonl import read_file
from smeldr.model.errors import conflict
from smeldr.operations import owners
from smeldr.operations.call import Policy
from smeldr.operations.checkup.doctor import visit
from smeldr.operations.importing import Report, load
from smeldr.operations.observing import Observer, Unobserved
from smeldr.operations.register import Register
from smeldr.settings import Settings
from smeldr.store import keeping
from smeldr.store.copying import Progress
from smeldr.store.engines import shown
from smeldr.store.store import Store

if TYPE_CHECKING:
    from starlette.applications import Starlette


def open_register(settings: Settings, observer: Observer | None = None) -> Register:
    """The register in the database of the settings. Raises StoreUnusable, in one line, when there is none to open."""
    store = _store(settings)
    store.check()
    return _register(store, settings, observer)


def initialise(settings: Settings, owner: str) -> dict[str, str]:
    """Make the register and its owner: `{"database", "shown", "principal", "token"}`, the second without a password.

    Refused where there is a register already.
    """
    with closing(_store(settings)) as store:
        store.migrate()
        with _register(store, settings).locally("init") as call:
            if call.unit.is_register():
                raise conflict(f"there is a register in {shown(settings.database)} already")
            call.unit.found_register(call.now)
            principal, token = owners.make_owner(call, owner)
    return _owned(settings, principal, token)


def migrate(settings: Settings) -> None:
    """Bring the database of the settings to the newest revision."""
    with closing(_store(settings)) as store:
        store.migrate()


def recover_owner(settings: Settings, principal: str | None, owner: str) -> dict[str, str]:
    """Give all rights over ROOT and a new token to a person: `{"database", "shown", "principal", "token"}`."""
    with _open(settings) as register, register.locally("recover-owner") as call:
        who, token = owners.recover_owner(call, principal, owner)
    return _owned(settings, who, token)


def import_file(settings: Settings, path: Path, progress: Callable[[int], object] | None = None) -> Report:
    """Load a file of decisions, all or nothing; `progress` is told how many bytes each line had, at every reading."""
    with _open(settings) as register, register.locally("import") as call:
        return load(call, lambda: read_file(path, progress))


def examine(settings: Settings, repair: Collection[str]) -> dict[str, Any]:
    """Mend these codes, look whether everything fits together, and give the report, with the database it is about."""
    with _open(settings) as register:
        report = visit(register, repair)
    return {"database": shown(settings.database), **report.reply()}


def copy(source: str, target: str, progress: Progress) -> Mapping[str, Any]:
    """Copy the register of one database into another: `{"from", "to", "tables"}`."""
    made = keeping.copy(source, target, progress)
    return {"from": shown(source), "to": shown(target), "tables": _tables(made)}


def back_up(settings: Settings, file: Path, force: bool, progress: Progress) -> Mapping[str, Any]:
    """Copy the register into a file of its own: `{"database", "file", "tables"}`."""
    made = keeping.back_up(settings.database, file, force=force, progress=progress)
    return {"database": shown(settings.database), "file": str(file), "tables": _tables(made)}


def restore(settings: Settings, file: Path, replace: bool, discard: bool, progress: Progress) -> Mapping[str, Any]:
    """Put a register back from a file: `{"file", "database", "tables", "former"?}`."""
    made = keeping.restore(file, settings.database, replace=replace, discard=discard, progress=progress)
    former = {"former": str(made.former)} if made.former else {}
    return {"file": str(file), "database": shown(settings.database), "tables": _tables(made), **former}


def serve(settings: Settings, host: str, port: int, workers: int) -> None:
    """Serve the register over HTTP until told to stop."""
    from smeldr.doors.workers import counting_together

    with counting_together() if workers > 1 else nullcontext():
        from smeldr.doors.metrics import Metrics
        from smeldr.serving import serve as serve_http

        metrics = Metrics()
        register = open_register(settings, metrics)
        serve_http(register, settings, host, port, workers, factory="smeldr.wiring:app", metrics=metrics)


def app() -> Starlette:
    """The web application of a worker process, over the register of the server that started it."""
    from smeldr.doors.app import build_app
    from smeldr.doors.metrics import Metrics
    from smeldr.serving import handed_over

    settings, host = handed_over()
    metrics = Metrics()
    return build_app(open_register(settings, metrics), settings, host, metrics)


def serve_stdio(settings: Settings, token: str) -> None:
    """Serve the register over MCP on standard input and output, as the principal of the token."""
    from smeldr.doors.mcp_stdio import serve_stdio as serve_mcp

    serve_mcp(open_register(settings), token, settings.log_level, settings.log_format)


def _owned(settings: Settings, principal: str, token: str) -> dict[str, str]:
    database = settings.database
    return {"database": database, "shown": shown(database), "principal": principal, "token": token}


def _tables(made: keeping.Copy) -> list[dict[str, Any]]:
    return [asdict(table) for table in made.tables]


@contextmanager
def _open(settings: Settings) -> Iterator[Register]:
    """The register for one piece of work, let go of afterwards."""
    register = open_register(settings)
    with closing(register.store):
        yield register


def _store(settings: Settings) -> Store:
    return Store(settings.database, connections=settings.database_connections)


def _register(store: Store, settings: Settings, observer: Observer | None = None) -> Register:
    return Register(store, Policy(allow_agent_ratify=settings.allow_agent_ratify), observer=observer or Unobserved())
