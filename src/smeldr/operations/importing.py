"""Loading a file of decisions: all of it or nothing, and a second time adds nothing.

What a line may say is formats/jsonl.py and model/imported.py. Here refs become items, in one transaction: places
first, then Decisions, then Amendments and relations, reading the file once for each. States are taken as they are; no
move is made, and the conditions that are due are opened. Source: docs/import-format.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from smeldr.model.errors import Refusal, validation_failed
from smeldr.model.imported import (
    Imported,
    ImportedAmendment,
    ImportedDecision,
    ImportedPlace,
    ImportedRelation,
    content,
)
from smeldr.model.items import ROOT, ItemKey, ItemType, type_of
from smeldr.model.kinds import KindName
from smeldr.model.records import Item, Relation, Text
from smeldr.model.states import OPEN_STATES, in_force
from smeldr.operations import conditions, entries, writing
from smeldr.operations.batches import batches
from smeldr.operations.call import ROOT_PATH, Call
from smeldr.rules.access import Path
from smeldr.rules.relating import in_order

BATCH: Final = 1_000
"""Records written at once."""


@dataclass(slots=True)
class Report:
    """What an import added, and how much of the file was there already."""

    places: int = 0
    decisions: int = 0
    amendments: int = 0
    relations: int = 0
    present: int = 0
    opened: int = 0


@dataclass(slots=True)
class _Known:
    """What the refs of the file stand for, and where that lies."""

    keys: dict[str, ItemKey] = field(default_factory=dict)
    paths: dict[ItemKey, Path] = field(default_factory=dict)
    said: dict[str, int] = field(default_factory=dict)

    def first_time(self, record: ImportedPlace | ImportedDecision | ImportedAmendment) -> bool:
        """Whether the ref is new in the file. Raises Refusal when it was given before with other content."""
        fingerprint = hash(content(record))
        before = self.said.setdefault(record.ref, fingerprint)
        if before != fingerprint:
            raise _refused(record.line, f"the ref {record.ref!r} is given twice with different content")
        return record.ref not in self.keys


def load(call: Call, read: Callable[[], Iterable[Imported]]) -> Report:
    """Load the records that `read` gives, each time from the start.

    Raises:
        Refusal: `validation_failed` with the line, whatever is wrong; nothing was loaded then.
    """
    report, known = Report(), _Known()
    _load_places(call, [each for each in read() if isinstance(each, ImportedPlace)], known, report)
    for decisions in batches((each for each in read() if isinstance(each, ImportedDecision)), BATCH):
        _load_documents(call, "Decision", decisions, known, report)
    rest = (each for each in read() if isinstance(each, ImportedAmendment | ImportedRelation))
    for batch in batches(rest, BATCH):
        _load_documents(
            call, "Amendment", [each for each in batch if isinstance(each, ImportedAmendment)], known, report
        )
        _load_relations(call, [each for each in batch if isinstance(each, ImportedRelation)], known, report)
    if report.places or report.decisions or report.amendments or report.relations:
        report.opened, _ = conditions.reconcile_all(call)
        call.flush()
    return report


def _load_places(call: Call, places: Sequence[ImportedPlace], known: _Known, report: Report) -> None:
    there: dict[tuple[ItemKey, str, str], list[Item]] = {}
    for each in call.unit.items.places():
        if each.item.state == "live":
            there.setdefault((each.item.place, each.item.type, each.name), []).append(each.item)
    for record in sorted(places, key=lambda each: each.type != "Domain"):
        if not known.first_time(record):
            continue
        path = ROOT_PATH if record.domain is None else _domain(known, record.domain, record.line)
        found = there.setdefault((path[0], record.type, record.name), [])
        if len(found) > 1:
            which = " and ".join(each.address for each in found)
            raise _refused(record.line, f"which {record.type} {record.name!r} is meant: {which} have that name")
        if found:
            item = found[0]
            report.present += 1
        else:
            item = writing.add_place(call, record.type, path, record.name)
            found.append(item)
            report.places += 1
        known.keys[record.ref] = item.key
        known.paths[item.key] = item.judged_over


def _load_documents(
    call: Call,
    item_type: ItemType,
    records: Sequence[ImportedDecision] | Sequence[ImportedAmendment],
    known: _Known,
    report: Report,
) -> None:
    fresh = {each.ref: each for each in records if known.first_time(each)}
    present = _present(call, fresh, known)
    for ref in present:
        if type_of(known.keys[ref]) != item_type:
            raise _refused(fresh[ref].line, f"the ref {ref!r} is a {type_of(known.keys[ref])} in the register")
    report.present += len(present)
    new = [each for ref, each in fresh.items() if ref not in present]
    if not new:
        return
    amended = _decisions(call, {each.amends: each.line for each in new if isinstance(each, ImportedAmendment)}, known)
    keys = call.unit.items.next_keys(item_type, len(new))
    items: list[Item] = []
    texts: list[tuple[ItemKey, Text]] = []
    amends: list[tuple[Relation, ItemKey, ItemKey]] = []
    for key, record in zip(keys, new, strict=True):
        decision = amended[record.amends] if isinstance(record, ImportedAmendment) else None
        path = _where(record, decision, known)
        item = writing.new_item(call, item_type, path, record.state, key=key, created_at=record.created_at)
        by = call.principal.id if record.state in ("ratified", "superseded", "retired") else None
        text = Text(record.title, record.body, record.ref, call.principal.id, by, decision.key if decision else None)
        items.append(item)
        texts.append((key, text))
        known.keys[record.ref] = key
        call.record(entries.made(item, text, reason=record.reason))
        if decision:
            relation = writing.new_relation(call, "amends", key, decision.key)
            amends.append((relation, item.place, decision.place))
            call.record(entries.related(relation))
    call.unit.items.add(items)
    call.unit.items.add_texts(texts)
    call.unit.relations.add(amends)
    call.flush()
    if item_type == "Decision":
        report.decisions += len(new)
    else:
        report.amendments += len(new)


def _load_relations(call: Call, records: Sequence[ImportedRelation], known: _Known, report: Report) -> None:
    lines = {ref: each.line for each in reversed(records) for ref in (each.source, each.target)}
    ends = _decisions(call, lines, known)
    wanted: dict[tuple[KindName, ItemKey, ItemKey], ImportedRelation] = {}
    for record in records:
        source, target = ends[record.source], ends[record.target]
        if source.key == target.key:
            raise _refused(record.line, f"{record.source!r} cannot be related to itself")
        wanted.setdefault((record.kind, *in_order(record.kind, source.key, target.key)), record)
    on_record = call.unit.relations.existing(wanted.keys())
    places = {item.key: item.place for item in ends.values()}
    new: list[tuple[Relation, ItemKey, ItemKey]] = []
    for (kind, one, other), record in wanted.items():
        if (kind, one, other) not in on_record:
            replaced = ends[record.target].state
            if kind == "supersedes" and (in_force(replaced) or replaced in OPEN_STATES):
                raise _refused(record.line, f"{record.target!r} is {replaced}: it has not been replaced")
            relation = writing.new_relation(call, kind, one, other)
            new.append((relation, places[one], places[other]))
            call.record(entries.related(relation))
    call.unit.relations.add(new)
    call.flush()
    report.relations += len(new)
    report.present += len(records) - len(new)


def _present(call: Call, records: dict[str, ImportedDecision | ImportedAmendment], known: _Known) -> set[str]:
    found = call.unit.items.with_source(records.keys())
    for ref, keys in found.items():
        if len(keys) > 1:
            raise _refused(records[ref].line, f"{len(keys)} items of the register come from {ref!r}")
        known.keys[ref] = keys[0]
    return set(found)


def _decisions(call: Call, lines: dict[str, int], known: _Known) -> dict[str, Item]:
    """The Decisions that these refs name, in the file or in the register; `lines` says where each is named."""
    unknown = [ref for ref in lines if ref not in known.keys]
    for ref, keys in call.unit.items.with_source(unknown).items():
        if len(keys) == 1:
            known.keys[ref] = keys[0]
    for ref, line in lines.items():
        if ref not in known.keys or known.keys[ref] == ROOT or type_of(known.keys[ref]) != "Decision":
            raise _refused(line, f"there is no Decision {ref!r} in the file or in the register")
    items = call.unit.items.get({known.keys[ref] for ref in lines})
    return {ref: items[known.keys[ref]] for ref in lines}


def _where(record: ImportedDecision | ImportedAmendment, decision: Item | None, known: _Known) -> Path:
    if decision is not None:
        return decision.path
    place = record.place if isinstance(record, ImportedDecision) else None
    return ROOT_PATH if place is None else _place(known, place, record.line)


def _place(known: _Known, ref: str, line: int) -> Path:
    key = known.keys.get(ref)
    if key is None or key not in known.paths:
        raise _refused(line, f"there is no place {ref!r} in the file")
    return known.paths[key]


def _domain(known: _Known, ref: str, line: int) -> Path:
    path = _place(known, ref, line)
    if type_of(path[0]) != "Domain":
        raise _refused(line, f"{ref!r} is an Area: an Area lies in a Domain")
    return path


def _refused(line: int, why: str) -> Refusal:
    return validation_failed("file", f"line {line}: {why}")
