"""Making the register that is measured, once: the graph written in bulk, and kept in a folder of the checkout.

It is written with the store's own writers, history and conditions included, so that the tables are as the product
would have left them; only the tools, which write one thing a call, are left out. A kept register goes by what it was
made from: the shape, the tables and the code that generates and writes. Whoever changes a register takes a copy.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

from sqlalchemy.schema import CreateIndex, CreateTable

from benchmarks import shape as shapes
from benchmarks.shape import READERS, Graph, ReaderName, Shape
from smeldr.model.items import ROOT, ItemKey, ItemType, address_of, type_of
from smeldr.model.records import Item, Relation, Text
from smeldr.operations import conditions, entries
from smeldr.operations.call import Call
from smeldr.operations.register import Register
from smeldr.rules.access import Path as Around
from smeldr.settings import Settings
from smeldr.store.schema import METADATA
from smeldr.wiring import initialise, open_register

CACHE: Final = Path(__file__).parent / "cache"
BATCH: Final = 10_000
BODY: Final = "What was weighed, what was chosen, and what follows from it for those who work here. " * 5

Tokens = dict[ReaderName, str]
Thing = TypeVar("Thing")


def kept(graph: Graph) -> tuple[Path, Tokens]:
    """The file of the register with this graph, made now if it was not made before, and a token for every reader."""
    folder = CACHE / f"{graph.shape.decisions}-{_name(graph.shape)}"
    if not folder.exists():
        CACHE.mkdir(exist_ok=True)
        for outdated in CACHE.glob(f"{graph.shape.decisions}-*"):
            shutil.rmtree(outdated, ignore_errors=True)
        with TemporaryDirectory(dir=CACHE) as scratch:
            made = Path(scratch) / "made"
            made.mkdir()
            (made / "tokens.json").write_text(json.dumps(_build(graph, made / "register.db")))
            with suppress(OSError):  # somebody else made it meanwhile
                made.rename(folder)
    tokens: Tokens = json.loads((folder / "tokens.json").read_text())
    return folder / "register.db", tokens


@contextmanager
def copied(file: Path) -> Iterator[Path]:
    """A copy of the register that may be changed; it is gone afterwards."""
    with TemporaryDirectory(dir=CACHE) as scratch:
        yield Path(shutil.copyfile(file, Path(scratch) / file.name))


def url(file: Path) -> str:
    """The setting that opens a file."""
    return f"sqlite:///{file}"


def _name(shape: Shape) -> str:
    tables = "".join(
        f"{CreateTable(table)}{''.join(sorted(str(CreateIndex(index)) for index in table.indexes))}"
        for table in METADATA.sorted_tables
    )
    code = Path(shapes.__file__).read_text() + Path(__file__).read_text()
    return hashlib.sha256(f"{shape}{tables}{code}".encode()).hexdigest()[:16]


def _build(graph: Graph, file: Path) -> Tokens:
    made = initialise(Settings(database=url(file)), "Owner")
    register = open_register(Settings(database=url(file)))
    with register.locally("benchmark") as call:
        _add_places(call, graph, "Domain")
        _add_places(call, graph, "Area")
        _add_documents(call, graph, "Decision")
        _add_documents(call, graph, "Amendment")
        _add_relations(call, graph)
        conditions.reconcile_all(call)
        call.flush()
    tokens: Tokens = {"owner": made["token"]}
    for reader in READERS:
        if reader != "owner":
            tokens[reader] = _add_reader(partial(_called, register, made["token"]), graph, reader)
    register.store.close()
    return tokens


def _called(register: Register, token: str, tool: str, **arguments: Any) -> dict[str, Any]:
    return register.call(tool, arguments, token)


def _add_places(call: Call, graph: Graph, item_type: ItemType) -> None:
    keys = [key for key in graph.parents if type_of(key) == item_type]
    items = _items(call, keys, {key: _path(graph, key)[1:] for key in keys}, dict.fromkeys(keys, "live"))
    call.unit.items.add(items)
    for item in items:
        call.unit.items.add_place(item.key, item.address)
        call.record(entries.made(item, name=item.address))
    call.flush()


def _add_documents(call: Call, graph: Graph, item_type: ItemType) -> None:
    amended = {source: target for kind, source, target in graph.edges if kind == "amends"}
    by = call.principal.id
    for keys in _batches(key for key in graph.place if type_of(key) == item_type):
        items = _items(call, keys, {key: _path(graph, graph.place[key]) for key in keys}, graph.state)
        texts = [
            Text(f"{each.address} as it was decided", BODY, None, by, None if each.state == "proposed" else by, amends)
            for each in items
            for amends in (amended.get(each.key),)
        ]
        call.unit.items.add(items)
        call.unit.items.add_texts(zip(keys, texts, strict=True))
        for item, text in zip(items, texts, strict=True):
            call.record(entries.made(item, text))
        call.flush()


def _items(
    call: Call, keys: Sequence[ItemKey], paths: Mapping[ItemKey, Around], states: Mapping[ItemKey, str]
) -> list[Item]:
    given = call.unit.items.next_keys(type_of(keys[0]), len(keys))
    if given != keys:
        raise RuntimeError("the graph and the register give out different addresses")
    return [Item(key, call.unit.new_id(), paths[key], states[key], 1, 0, call.now, call.now) for key in keys]


def _add_relations(call: Call, graph: Graph) -> None:
    for edges in _batches(graph.edges):
        relations = [
            Relation(call.unit.new_id(), kind, source, target, 1, call.principal.id, call.now)
            for kind, source, target in edges
        ]
        call.unit.relations.add((each, graph.place[each.source], graph.place[each.target]) for each in relations)
        for each in relations:
            call.record(entries.related(each))
        call.flush()


def _add_reader(call: Callable[..., dict[str, Any]], graph: Graph, reader: ReaderName) -> str:
    principal = call("create_principal", name=reader, **{"class": "agent"})["id"]
    for place in graph.granted(reader):
        call("grant_right", principal=principal, right="read", place=address_of(place))
    return str(call("create_token", principal=principal)["token"])


def _path(graph: Graph, place: ItemKey) -> Around:
    path = [place]
    while path[-1] != ROOT:
        path.append(graph.parents[path[-1]])
    return tuple(path)


def _batches(things: Iterable[Thing]) -> Iterator[list[Thing]]:
    remaining = iter(things)
    while some := list(islice(remaining, BATCH)):
        yield some
