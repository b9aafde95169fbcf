"""Explaining one memory: why it was stored, ranked, shown, changed and forgotten, also after it is gone.

Guarantees: everything said comes from the graph and the two logs, and can be checked there: each event names its
record. Nothing holds content but the memory itself, and that only while it exists. What an erasure took out of the log
is not explained, as it is not there. Source: MaRS section 4.1 (``explain``), semantics sections 8 and 9.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypedDict

from marskg.answer import Answer
from marskg.errors import UnknownMemory
from marskg.ontology.mapping import time_lexical
from marskg.ontology.vocabulary import DERIVED_EDGES, Operation, Tier
from marskg.records import without_reading
from marskg.retrieval.details import slot_details
from marskg.store.rows import codec

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from marskg.records import AuditRecord, Edge, Memory
    from marskg.store.unit.reader import GraphReader

#: Showings that are told one by one.
LAST: Final = 20
_WORDS: Final = {
    Operation.REMEMBER: "stored",
    Operation.LOAD: "loaded from an export",
    Operation.LINK: "linked",
    Operation.UNLINK: "unlinked",
    Operation.SUPERSEDE: "superseded",
    Operation.RETRACT: "retracted",
    Operation.AMEND: "changed",
    Operation.FORGET: "forgotten",
    Operation.EVICT: "evicted",
    Operation.ARCHIVE: "moved to the latent tier",
    Operation.RESTORE: "restored",
    Operation.EXPIRE: "expired",
    Operation.CONSOLIDATE: "consolidated",
    Operation.ERASE: "erased",
    Operation.PURGE: "purged",
    Operation.ACCESS: "shown",
    Operation.FEEDBACK: "assessed after it was shown",
}


class EdgeOut(TypedDict):
    """An edge to ``target``."""

    type: str
    target: str


class EdgeIn(TypedDict):
    """An edge from ``source``."""

    type: str
    source: str


class EventDocument(TypedDict):
    """An :class:`Event` as plain values; ``at`` is written in ISO 8601."""

    record: str
    at: str
    operation: str
    what: str
    actor: str | None
    rule: str | None
    why: str | None
    numbers: list[str]


class ExplainedDocument(TypedDict):
    """An :class:`Explanation` as plain values, without content."""

    id: str
    state: str
    shown: int
    held_by: list[str]
    spans: list[str]
    made_by: list[str]
    ended_by: str | None
    density: dict[str, float]
    edges: list[EdgeOut]
    incoming: list[EdgeIn]
    events: list[EventDocument]


@dataclass(frozen=True, slots=True)
class Event(Answer, brief=("at", "what", "actor", "why")):
    """One thing that happened to a memory.

    ``record`` is the IRI of the signed record, ``what`` a word for the operation, ``why`` its rule and reason, and
    ``numbers`` the features and the score that decided, as ``name=value``.
    """

    record: str
    at: int
    operation: Operation
    what: str
    actor: str | None = None
    why: str | None = None
    rule: str | None = None
    numbers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation(Answer, rows="events"):
    """All that is known of one memory: what it is now, what it rests on, and its events, the oldest first.

    ``memory`` is None once it is gone; ``shown`` is how often it was shown, ``held_by`` what keeps it from being
    forgotten. ``density`` is empty unless it is live and the tenant's policy goes by features: then it has the features
    by name, each term of the utility as ``term_NAME``, ``utility``, ``penalty`` and ``density`` (MaRS eq. 5).
    """

    id: str
    memory: Memory | None
    state: str
    events: tuple[Event, ...]
    shown: int = 0
    held_by: tuple[str, ...] = ()
    edges: tuple[tuple[str, str], ...] = ()
    incoming: tuple[tuple[str, str], ...] = ()
    density: Mapping[str, float] = field(default_factory=dict)

    def as_text(self) -> str:
        """Return the explanation in sentences, one a line."""
        lines = [f"{self.id} is {self.state}."]
        if self.memory is not None and self.memory.content is not None:
            lines += list(_present(self.memory))
        if self.density:
            lines.append(_worth(self.density))
        lines += [f"It is kept by {reason}." for reason in self.held_by]
        lines += [_sentence(event) for event in self.events]
        return "\n".join(lines)

    def as_dict(self) -> ExplainedDocument:
        """Return the explanation as plain values, without content."""
        return {
            "id": self.id,
            "state": self.state,
            "shown": self.shown,
            "held_by": list(self.held_by),
            "spans": [] if self.memory is None else list(self.memory.spans),
            "made_by": [] if self.memory is None else list(self.memory.made_by),
            "ended_by": None if self.memory is None else self.memory.ended_by,
            "density": {name: round(value, 9) for name, value in self.density.items()},
            "edges": [{"type": type_, "target": target} for type_, target in self.edges],
            "incoming": [{"type": type_, "source": source} for type_, source in self.incoming],
            "events": [
                {
                    "record": event.record,
                    "at": time_lexical(event.at),
                    "operation": event.operation.value,
                    "what": event.what,
                    "actor": event.actor,
                    "rule": event.rule,
                    "why": event.why,
                    "numbers": list(event.numbers),
                }
                for event in self.events
            ],
        }


def explain(  # noqa: PLR0917 - what is told beside what the graph and the logs say
    reader: GraphReader,
    tenant: str,
    ident: str,
    now: int,
    protectors: Sequence[str] = (),
    density: Mapping[str, float] | None = None,
) -> Explanation:
    """Return what is known of the memory ``ident``; ``protectors`` say in words what keeps it.

    ``density`` is what makes up its utility per token, if that decides whether it stays.

    Raises:
        UnknownMemory: neither the graph nor the logs have heard of it.
    """
    found = reader.nodes((ident,))
    memory, edges = (found[0][0], found[0][1]) if found else (None, ())
    transitions = reader.records_of(ident)
    low, high = f"{tenant}|a|", f"{tenant}|a}}"
    parameters = {"low": low, "high": high, "id": ident, "limit": LAST}
    accesses = [codec.decode_record(row["record"]) for row in reader.run("accesses_of", parameters)]
    if memory is None and not transitions:
        raise UnknownMemory(never_was(tenant, ident))
    records = sorted([*transitions, *accesses], key=lambda record: (record.recorded_at, record.log, record.sequence))
    return Explanation(
        id=ident,
        memory=memory,
        state=_state(memory, transitions, now),
        events=tuple(_event(record, ident) for record in records),
        shown=memory.access_count if memory is not None else sum(r.operation is Operation.ACCESS for r in accesses),
        held_by=tuple(protectors),
        edges=_pairs(edges),
        incoming=tuple((edge.type.value, edge.source) for edge in reader.edges_to((ident,))) if found else (),
        density=density or {},
    )


def never_was(tenant: str, ident: str) -> str:
    """Return what is said of an id that nobody has heard of, or that the reader may not hear of."""
    return f"{ident[:60]} is no memory of tenant {tenant!r}: it never was, or it was erased; see: mars audit list"


def limited(found: Explanation, seen: Collection[str], held_by: Iterable[str]) -> Explanation:
    """Return an explanation for a reader who may see the memories ``seen`` of those around it, and ``held_by``.

    Entities are left out with their names, and events with their records' numbers, which count what is hidden too; and
    so are the edges that the store keeps by itself, as ``temporalNext`` has a gap where something hidden was said.
    """
    drawn = {kind.value for kind in DERIVED_EDGES}
    return replace(
        found,
        memory=None if found.memory is None else replace(_read_from(found.memory, seen), sequence=0),
        held_by=tuple(held_by),
        edges=tuple(pair for pair in found.edges if pair[1] in seen and pair[0] not in drawn),
        incoming=tuple(pair for pair in found.incoming if pair[1] in seen and pair[0] not in drawn),
        events=tuple(replace(event, record=event.record.partition("#")[0]) for event in found.events),
    )


def _read_from(memory: Memory, seen: Collection[str]) -> Memory:
    """Return a memory with those words of the turns ``seen`` that it was read from, and its makers where it has any."""
    spans = tuple(span for span in memory.spans if span.partition("#")[0] in seen)
    return replace(memory, spans=spans, names_given=()) if spans else without_reading(memory)


#: What befalls a memory itself. That something else points to it, or was told of it, may be hidden.
_ITS_OWN: Final = frozenset(
    {
        Operation.REMEMBER,
        Operation.LOAD,
        Operation.SUPERSEDE,
        Operation.RETRACT,
        Operation.ARCHIVE,
        Operation.RESTORE,
        Operation.CONSOLIDATE,
        Operation.ACCESS,
    }
)


def own_events(found: Explanation, actor: str) -> Explanation:
    """Return an explanation for a principal who is to learn of nothing hidden: their own readings among the others.

    Reasons, rules and numbers are left out: they rest on all that was there when something was decided.
    """
    told = (one for one in found.events if one.operation in _ITS_OWN)
    events = (replace(one, why=None, rule=None, numbers=()) for one in told)
    return replace(
        found,
        events=tuple(
            replace(one, actor=None) if one.operation is not Operation.ACCESS else one
            for one in events
            if one.operation is not Operation.ACCESS or one.actor == actor
        ),
    )


def _pairs(edges: Sequence[Edge]) -> tuple[tuple[str, str], ...]:
    return tuple((edge.type.value, edge.target) for edge in edges)


def _state(memory: Memory | None, transitions: Sequence[AuditRecord], now: int) -> str:
    if memory is None:
        last = transitions[-1].operation
        return f"gone: it was {_WORDS.get(last, last)} at {time_lexical(transitions[-1].recorded_at)}"
    if memory.tier is Tier.TOMBSTONE:
        return "a tombstone: its content is gone, and something that has content still refers to it"
    if memory.expires_at is not None and memory.expires_at <= now:
        return "expired, and goes with the next sweep"
    closed = "" if memory.current else ", superseded"
    waiting = ", unaffirmed since what it depends on was superseded" if memory.unaffirmed_since is not None else ""
    return f"{memory.tier.value}{closed}{waiting}"


def _present(memory: Memory) -> Iterator[str]:
    source = f" ({memory.source_ref})" if memory.source_ref else ""
    yield f"It is {memory.kind.value}, {memory.memory_class.value}, from {memory.source_type.value}{source}."
    yield f"It weighs {memory.weight} tokens; its score is {memory.score}; it was shown {memory.access_count} times."
    if memory.sensitivity:
        reasons = ", ".join(memory.sensitivity_reasons) or "no reason given"
        yield f"Its sensitivity is {memory.sensitivity:g} ({reasons})."
    if memory.made_by:
        yield f"It was read from {', '.join(memory.spans)} by {', '.join(memory.made_by)}."
    if memory.ended_by is not None:
        yield f"It was ended by {memory.ended_by}."
    if memory.unread:
        yield "It waits to be read for what it says."
    if memory.expires_at is not None:
        yield f"It expires at {time_lexical(memory.expires_at)}."


def _worth(density: Mapping[str, float]) -> str:
    """Return in words what a memory's utility per token is made of, the largest terms first."""
    terms = [(name.removeprefix("term_"), value) for name, value in density.items() if name.startswith("term_")]
    ordered = sorted(terms, key=lambda term: (-term[1], term[0]))
    listed = ", ".join(f"{name} {value:.3f}" for name, value in ordered) or "nothing"
    return (
        f"Its utility is {density['utility']:.3f} ({listed}), less {density['penalty']:.3f} for its sensitivity; "
        f"its density {density['density'] * 1_000:.3f} per 1,000 tokens."
    )


def _event(record: AuditRecord, ident: str) -> Event:
    slots = slot_details(record)
    own = slots.get(ident, {})
    whole = slots.get("", {})
    numbers = list(own.get("features", ()))
    if own.get("removalScore"):
        numbers.append(f"removal_score={own['removalScore'][0]}")
    return Event(
        record=record.iri,
        at=record.recorded_at,
        operation=record.operation,
        what=_WORDS.get(record.operation, str(record.operation)),
        actor=next(iter(whole.get("actor", ())), None),
        why=next(iter(own.get("reason", ())), None),
        rule=next(iter(own.get("rule", ())), None) or next(iter(whole.get("policy", ())), None),
        numbers=tuple(numbers),
    )


def _short(number: str) -> str:
    """Return ``name value`` with three decimals: the record has six."""
    name, _, value = number.partition("=")
    try:
        return f"{name} {float(value):.3f}"
    except ValueError:
        return number


def _sentence(event: Event) -> str:
    parts = [f"{time_lexical(event.at)} {event.what}"]
    if event.actor:
        parts.append(f"by {event.actor}")
    if event.rule:
        parts.append(f"under {event.rule}")
    sentence = " ".join(parts)
    if event.why:
        sentence += f": {event.why}"
    if event.numbers:
        sentence += f" ({', '.join(map(_short, event.numbers))})"
    return f"{sentence}. [{event.record}]"
