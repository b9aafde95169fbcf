"""Holds stored nodes against what the store writes of them: what is derived is worked out again, and nothing is added.

Guarantees: a property or a label that the store does not write is found, and so is one that it derives otherwise: the
order keys of eviction, the keys of look-up, the memory that a record is filed under, the words of entities, the
frontiers of heads and the tiles of the Merkle tree. Not worked out again are vectors, access statistics, the ranks that
words give memories and the draw behind a random order (:mod:`marskg.audit.limits`); protection and the chain are
:func:`marskg.api.checks.validate`'s.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from marskg.audit.dataintegrity import multibase_url
from marskg.audit.merkle import CompactRange
from marskg.clock import ManualClock, SystemSource
from marskg.errors import StoreDamaged
from marskg.ontology.protection import Sort, classes
from marskg.ontology.vocabulary import Kind
from marskg.records import Finding
from marskg.store.commit.merkle_log import TILE
from marskg.store.commit.shared_state import SharedState
from marskg.store.rows import codec
from marskg.store.rows.monotonic_clock import SteadyClock
from marskg.store.rows.name_cache import word_rows
from marskg.store.rows.order_keys import KEY_NAMES, key_range
from marskg.store.rows.paging import pages
from marskg.store.unit.unit_of_work import Unit, working_copy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from marskg.store.commit.consistent_read import ConsistentRead
    from marskg.store.engine.protocol import Row
    from marskg.store.rows.state import Services, TenantState
    from marskg.store.unit.reader import GraphReader

_PAGE: Final = 500
_UNREADABLE: tuple[type[Exception], ...] = (StoreDamaged, *codec.UNMADE)


def derived_findings(copy: ConsistentRead, services: Services) -> Iterator[Finding]:
    """Yield what of a tenant's nodes is not as the store writes it."""
    reader = copy.reader
    # A check moves neither the clock nor what is drawn next.
    still = SteadyClock(ManualClock(copy.state.last_time), SharedState(alone_in_files=False))
    unit = Unit(reader.run, copy.state, replace(services, clock=still, source=SystemSource()))
    words: dict[str, str] = {}
    low, high = key_range(reader.tenant)
    heads = (_whole(row["head"]) for row in reader.run("heads", {"low": low, "high": high}))
    records = chain(copy.record_rows("t"), copy.record_rows("a"))
    sorts: tuple[tuple[Iterable[Row], Sort, Callable[[Row], Mapping[str, Any]]], ...] = (
        (copy.memory_rows(), Sort.MEMORY, partial(_memory, unit)),
        (copy.entity_rows(), Sort.ENTITY, partial(_entity, words, reader.word_ref)),
        (copy.preference_rows, Sort.PREFERENCE, _preference),
        (records, Sort.RECORD, _record),
        (heads, Sort.HEAD, _head),
    )
    for rows, sort, write in sorts:
        known = classes(sort).keys()
        for node in rows:
            where = str(node.get("id") or node["ref"])
            for name in sorted(node.keys() - known):
                yield Finding("stray-property", where, f"the store writes no {name[:80]!r} on such a node")
            yield from _compared(where, {name: node[name] for name in node.keys() & known}, write)
    for label in ("Memory", "Entity", "Preference", "AuditRecord", "TreeHead"):
        yield from _stray_labels(partial(reader.run_labelled, "labels_page", label), label, reader.tenant)
    yield from _tiles(reader, copy.state)
    yield from _words(reader, words)


def _rows(read: Callable[[dict[str, Any]], Sequence[Row]], tenant: str) -> Iterator[Row]:
    return (row for page in pages(read, tenant, _PAGE) for row in page)


def _whole(node: Row) -> Row:
    return {name: value for name, value in node.items() if value is not None}


def _compared(where: str, node: Row, write: Callable[[Row], Mapping[str, Any]]) -> Iterator[Finding]:
    """Yield how a node differs from what the store would write of what it says."""
    try:
        expected = write(node)
    except _UNREADABLE:
        yield Finding("derived-property", where, "the node has a property of another type than the store writes")
        return
    for name in sorted(name for name in node.keys() | expected.keys() if node.get(name) != expected.get(name)):
        code = "order-key" if name in KEY_NAMES else "derived-property"
        yield Finding(code, where, f"{name} is not what the node's own fields make it")


def _stray_labels(read: Callable[[dict[str, Any]], Sequence[Row]], label: str, tenant: str) -> Iterator[Finding]:
    """Yield the nodes of ``label`` that have not the labels of their kind."""
    _, high = key_range(tenant)
    for row in _rows(read, tenant):
        if not _labelled(row, label):
            # A server gives labels and properties of two moments where another process removes the node between them:
            # what is a stray is one when it is read again, too.
            again = read({"low": row["ref"], "high": high, "limit": 1})
            if again and again[0]["ref"] == row["ref"] and not _labelled(again[0], label):
                yield Finding("stray-label", str(row["id"] or row["ref"]), "the node has not the labels of its kind")


def _labelled(node: Row, label: str) -> bool:
    return set(node["labels"]) == {label, _kind_label(node)} - {""}


def _kind_label(node: Row) -> str:
    return Kind(node["kind"]).label if node.get("kind") in list(Kind) else ""


def _memory(unit: Unit, node: Row) -> Mapping[str, Any]:
    copy = working_copy(node)
    grace = unit.state.settings.task_grace
    if unit.state.reordering:  # while it lasts, keys may still be those of the weights before
        return {
            **copy.properties(grace),
            **{name: node[name] for name in ("dueKey",) if name in node},
        }
    unit.settle_keys(copy)
    return copy.properties(grace)


def _entity(words: dict[str, str], stored: Callable[[str], str], node: Row) -> Mapping[str, Any]:
    codec.refuse_id(str(node["ref"]), node)
    entity = codec.decode_entity(node)
    words |= dict.fromkeys(map(stored, word_rows(entity)), entity.id)
    return {**codec.encode_entity(entity), "salt": node.get("salt")}


def _preference(node: Row) -> Mapping[str, Any]:
    return {**codec.encode_preference(codec.decode_preference(node)), "salt": node.get("salt")}


def _record(node: Row) -> Mapping[str, Any]:
    record = codec.decode_record(node)
    written = codec.encode_record(record, str(node["ref"]).split("|")[1])
    if node["core"] and not written["core"]:
        # Written by an earlier version, which shortened nothing.
        del written["commitments"]
        written |= {"core": record.core, "details": list(record.details)}
    if node.get("memories") == []:  # as sealing left a record about no memory
        written["memories"] = []
    return written


def _head(node: Row) -> Mapping[str, Any]:
    head = codec.decode_head(node)
    tree = CompactRange.from_hex(head.size, node.get("frontier") or ())
    frontier = node["frontier"] if multibase_url(tree.root()) == head.root else None
    return {**codec.encode_head(head), "frontier": frontier}


def _tiles(reader: GraphReader, state: TenantState) -> Iterator[Finding]:
    letters = {state.log: "t", state.access_log: "a"}
    for node in _rows(partial(reader.run, "tiles_page"), reader.tenant):
        try:
            first = int(node["index"]) * TILE + 1
            letter = letters.get(node["log"])
            leaves = [] if letter is None else reader.leaves(letter, first, first + len(node["hashes"]) - 1)
            same = [leaf.hex() for leaf in leaves] == node["hashes"]
        except _UNREADABLE:
            same = False
        if not same:
            yield Finding("bad-tile", node["ref"], "the block of leaf hashes is not that of the records")


def _words(reader: GraphReader, words: Mapping[str, str]) -> Iterator[Finding]:
    """Yield the entities of which a word is missing: ``words`` has their ids by the references of their words."""
    missing = words.keys() - {
        row["ref"] for row in _rows(partial(reader.run_labelled, "refs_page", "EntityWord"), reader.tenant)
    }
    # Somebody may have renamed them since they were read.
    bearers = (entity for entity, _, _ in reader.entities_by_id({words[ref] for ref in missing}))
    now = {reader.word_ref(ref) for entity in bearers for ref in word_rows(entity)}
    for ref in sorted(missing & now):
        yield Finding(
            "entity-word", words[ref], "a word of the entity's names is missing, so that nobody finds it by it"
        )
