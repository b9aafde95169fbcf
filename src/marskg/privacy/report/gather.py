"""What is held about one person, for that person: the access of GDPR Art. 15, gathered from graph and logs.

Guarantees: everything that is filed under the subject in any tier is in the report, tombstones by the keyed handle, and
so is what only mentions an entity of their name; each with where it comes from, who was shown it, what the log says was
done with it and why. Somebody else's lines are not given away (Art. 15 (4)): what is about others as well comes without
text, key, payload, source and tags, but for the lines of a summary that rest on memories about the subject alone; names
of others are counted and not told. Handing it out is a disclosure, and recorded as one in the log of accesses; the
memories' statistics do not change.

What has left the store whole is in the log by id only, without whom it was about, so it cannot be listed here: the
report says so. Source: issue D, point 10; GDPR Art. 13 to 15, 22; semantics sections 1, 5, 6, 8.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from marskg.clock import uuid7
from marskg.ontology.fields import MEMORY_FIELDS, Protection
from marskg.ontology.vocabulary import EdgeType, Operation, Tier
from marskg.privacy.disclosures.audit_fields import about, values
from marskg.privacy.disclosures.disclosure_log import sighting
from marskg.privacy.disclosures.name_similarity import subject_meant
from marskg.store.graph.suppression import Digests
from marskg.store.rows import codec
from marskg.store.rows.paging import pages
from marskg.store.rows.summary_lines import decode
from marskg.text import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from marskg.clock import Source
    from marskg.records import AuditRecord, Edge, Memory, Preference
    from marskg.store.rows.state import TenantState
    from marskg.store.unit.reader import GraphReader

_PAGE: Final = 2_000
_IDS: Final = 200
#: A memory without all that is encrypted where a tenant's contents are: what it says, and of whom.
_BARE: Final[Mapping[str, Any]] = MappingProxyType(
    {
        field.name: () if field.many else None
        for field in MEMORY_FIELDS
        if field.secrecy is None or field.secrecy.protection is not Protection.CLEAR
    }
)
#: By which rules of a policy, and by whom else, a memory may have left; those of a policy are decided without a person.
_DECIDED: Final = frozenset(
    {Operation.EVICT, Operation.ARCHIVE, Operation.CONSOLIDATE, Operation.EXPIRE, Operation.SUPERSEDE}
)


@dataclass(frozen=True, slots=True)
class Shown:
    """One recipient of one memory: ``by`` whom, for which ``purpose``, through which ``call``, how often and when.

    ``first`` and ``last`` are epoch milliseconds.
    """

    by: str
    purpose: str | None
    call: str
    times: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Done:
    """One thing that was done with a memory, as its signed record says; ``at`` is epoch milliseconds.

    ``automated`` says that a rule decided it, and no person.
    """

    record: str
    at: int
    operation: Operation
    by: str | None
    rule: str | None
    reason: str | None
    automated: bool


@dataclass(frozen=True, slots=True)
class Held:
    """One memory about the subject.

    ``memory`` is as the store has it, without what is withheld: then ``withheld`` is true, and ``lines`` are those
    lines of a summary that are about the subject alone. ``others`` counts whom else it is about. ``filed`` says
    whether it is about the subject, or only mentions them. ``sources`` are the ids of what it was derived from.
    """

    memory: Memory
    filed: bool
    others: int
    withheld: bool
    lines: tuple[str, ...]
    sources: tuple[str, ...]
    shown: tuple[Shown, ...]
    done: tuple[Done, ...]

    @property
    def forgotten(self) -> bool:
        """Return whether it has left the live tier."""
        return self.memory.tier is not Tier.LIVE


@dataclass(frozen=True, slots=True)
class Names:
    """An entity that has the subject's name, with what else it goes by."""

    id: str
    name: str
    aliases: tuple[str, ...]
    entity_type: str | None


@dataclass(frozen=True, slots=True)
class Holdings:
    """All that is held about one subject, memories in the order in which they were stored.

    ``preferences`` are the rules and consents that are theirs, those that ended or were withdrawn among them.
    ``suppressed`` says that the subject had themselves erased, so that nothing new is stored without consent. ``lives``
    are how long each class is kept, milliseconds, None for ever; ``policy`` is what forgets when there is no room.
    """

    id: str
    subject: str
    tenant: str
    log: str
    made: int
    held: tuple[Held, ...]
    names: tuple[Names, ...]
    preferences: tuple[Preference, ...]
    suppressed: bool
    policy: str
    lives: Mapping[str, int | None]


def gather(
    reader: GraphReader,
    state: TenantState,
    subject: str,
    *,
    handle: Callable[[str, str], str],
    now: int,
    source: Source,
    shared: bool = False,
) -> Holdings:
    """Return all that is held about ``subject``; with ``shared`` what is about others as well is given whole.

    Raises:
        InvalidInput: nobody is called so, and somebody almost so.
    """
    rules = [item for item, _ in reader.preferences()]
    subject = subject_meant(reader.run, state.name, subject, rules, handle=handle, done="reported on")
    own = handle(state.name, subject)
    found = pages(partial(reader.run, "about_subject"), state.name, _PAGE, subject=subject, handle=own)
    filed = {row["id"] for page in found for row in page}
    names = tuple(_names(reader, filed, subject))
    mentioning = _mentioning(reader, names) - filed
    nodes = [node for ids in _chunks(sorted(filed | mentioning)) for node in reader.nodes(ids)]
    shown = _shown(reader, state.name, {memory.id for memory, _, _ in nodes})
    # The lines of a summary are told apart by whom their originals are about.
    behind = {origin for memory, _, _ in nodes for line in decode(memory.summary_lines) for origin in line.sources}
    alone = {
        memory.id
        for ids in _chunks(sorted(behind))
        for memory, _, _ in reader.nodes(ids)
        if memory.subjects == (subject,) or memory.subject_handles == (own,)
    }
    held = [
        _held(reader, memory, edges, subject, alone, shown[memory.id], filed=memory.id in filed, whole=shared)
        for memory, edges, _ in nodes
    ]
    digest = Digests(handle, state.name).subject(subject)
    return Holdings(
        id=uuid7(now, source),
        subject=subject,
        tenant=state.name,
        log=state.log,
        made=now,
        held=tuple(sorted(held, key=lambda one: (one.memory.created, one.memory.sequence))),
        names=names,
        preferences=tuple(item for item in rules if item.data_subject == subject),
        suppressed=bool(reader.run("suppressed", {"refs": [digest]})),
        policy=state.settings.policy.name,
        lives={kind.value: life for kind, life in state.settings.lives.items()},
    )


def _chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _IDS):
        yield ids[start : start + _IDS]


def _names(reader: GraphReader, filed: Iterable[str], subject: str) -> Iterator[Names]:
    """Yield the entities with the subject's name that memories about them mention."""
    mentioned: set[str] = set()
    for ids in _chunks(sorted(filed)):
        for _, edges, _ in reader.nodes(ids):
            mentioned |= {edge.target for edge in edges if edge.type is EdgeType.MENTIONS}
    for ids in _chunks(sorted(mentioned)):
        for entity, _, _ in reader.entities_by_id(ids):
            if plain(subject) in {plain(name) for name in (entity.name, *entity.aliases)}:
                yield Names(entity.id, entity.name, entity.aliases, entity.entity_type)


def _mentioning(reader: GraphReader, names: Iterable[Names]) -> set[str]:
    refs = reader.refs(one.id for one in names)
    return {str(row["id"]) for row in reader.run("mentioning", {"refs": refs})} if refs else set()


def _held(  # noqa: PLR0917 - what is known of one memory
    reader: GraphReader,
    memory: Memory,
    edges: Iterable[Edge],
    subject: str,
    alone: set[str],
    shown: Sequence[Shown],
    *,
    filed: bool,
    whole: bool,
) -> Held:
    others = len(set(memory.subjects) - {subject}) if memory.content is not None else len(memory.subject_handles) - 1
    withheld = others > 0 and memory.content is not None and not whole
    lines = (
        tuple(line.text for line in decode(memory.summary_lines) if line.sources and alone.issuperset(line.sources))
        if withheld
        else ()
    )
    sources = tuple(sorted(edge.target for edge in edges if edge.type is EdgeType.DERIVES_FROM))
    done = tuple(_done(record, memory.id) for record in reader.records_of(memory.id))
    given = _bare(memory, subject) if withheld else memory
    return Held(given, filed, max(0, others), withheld, lines, sources, tuple(shown), done)


def _bare(memory: Memory, subject: str) -> Memory:
    """Return a memory without what may say something about the others that it is about."""
    own = tuple(name for name in memory.subjects if name == subject)
    return replace(memory, payload={}, **{**_BARE, "subjects": own})


def _done(record: AuditRecord, ident: str) -> Done:
    head, details = values(record, 0), about(record, ident)
    automated = record.operation in _DECIDED and details.get("rule") is not None
    return Done(
        record=record.iri,
        at=record.recorded_at,
        operation=record.operation,
        by=head.get("actor"),
        rule=details.get("rule"),
        reason=details.get("reason"),
        automated=automated,
    )


def _shown(reader: GraphReader, tenant: str, wanted: set[str]) -> Mapping[str, list[Shown]]:
    """Return by memory to whom it was shown: one reading of what the access log is about, then the records that are."""
    found: dict[str, dict[tuple[str, str | None, str], list[int]]] = defaultdict(dict)
    for refs in _touching(reader, tenant, wanted):
        for row in reader.run("whole_records", {"refs": refs}):
            record = codec.decode_record(row["record"])
            if record.operation is not Operation.ACCESS:
                continue
            for ident in wanted.intersection(record.memories):
                one = sighting(record, ident)
                found[ident].setdefault((one.by, one.purpose, one.call), []).append(one.at)
    told: dict[str, list[Shown]] = defaultdict(list)
    for ident, groups in found.items():
        told[ident] = [
            Shown(by, purpose, call, len(moments), min(moments), max(moments))
            for (by, purpose, call), moments in sorted(groups.items(), key=lambda item: min(item[1]))
        ]
    return told


def _touching(reader: GraphReader, tenant: str, wanted: set[str]) -> Iterator[list[str]]:
    """Yield the references of the access records that are about one of ``wanted``, a page's at a time."""
    for page in pages(partial(reader.run, "access_page"), f"{tenant}|a", _PAGE):
        refs = [str(row["ref"]) for row in page if not wanted.isdisjoint(row["memories"] or ())]
        if refs:
            yield refs
