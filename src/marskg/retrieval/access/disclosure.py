"""All that a reader may see of a tenant, as memories, entities and edges of their own view.

Guarantees: everything follows from the memories that pass the gate, and from nothing else: their places in the log are
left out; ``temporalNext`` leads from each visible episode to the next visible one; what the store draws by itself when
something else comes in (``supersedes``, ``contradicts``, ``compatibleWith``, ``lostPrerequisite``) is there where both
ends are seen; where whoever stored a memory said that it rests on a hidden one, one stand-in for each type of edge
shows that there is something and nothing else (``mars:Withheld``). An entity is a name that a visible memory gives
and lets one read, under an id made of that name: when, how and as what else it was first mentioned stays hidden, and
so do relations between entities, as it is not kept which texts they were read from. Three passes over the store, in
the order of ids; O(visible) memory.
Source: semantics section 9.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final
from uuid import UUID

from marskg.ontology.fields import every_text
from marskg.ontology.vocabulary import DERIVED_EDGES, KINDS, EdgeType, Kind, Tier
from marskg.records import Edge, Entity
from marskg.retrieval.index.memory_index import TIERS
from marskg.store.rows.names_given import gives_of
from marskg.text import folded, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import numpy as np
    import numpy.typing as npt

    from marskg.records import Memory
    from marskg.retrieval.access.read_gate import Gate
    from marskg.retrieval.index.memory_index import MemoryIndex
    from marskg.store.unit.reader import GraphReader
    from marskg.store.upkeep.maintenance import Counted

#: Edges that the store draws when something else comes or goes: their absence must not tell that it is hidden.
_DRAWN: Final = frozenset(
    {EdgeType.SUPERSEDES, EdgeType.CONTRADICTS, EdgeType.COMPATIBLE_WITH, EdgeType.LOST_PREREQUISITE}
)
_VERSION: Final = 8


@dataclass(slots=True)
class _Name:
    """A name as visible memories write it, and the oldest of these."""

    written: str
    created: int


@dataclass(slots=True)
class _Seen:
    """What the first pass finds: ids that may be seen, names by id, and which episode follows which."""

    ids: set[str] = field(default_factory=set)
    names: dict[str, _Name] = field(default_factory=dict)
    mentions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    following: dict[str, str] = field(default_factory=dict)
    place: dict[str, int] = field(default_factory=dict)


class Disclosure:
    """What one gate lets through of one tenant."""

    def __init__(self, reader: GraphReader, gate: Gate, shows: Callable[[Memory, Gate], Memory]) -> None:
        """Read by ``reader`` what ``gate`` lets through, each as ``shows`` gives it; nothing is read yet."""
        self._reader = reader
        self._gate = gate
        self._shows = shows
        self._found: _Seen | None = None
        self._withheld: set[str] = set()

    def memories(self) -> Iterator[tuple[Memory, tuple[Edge, ...]]]:
        """Yield what may be seen with its edges, in the order of ids."""
        seen = self._seen()
        for memory, edges, _ in self._reader.memories():
            # It may have gone, or changed, since the first pass.
            if memory.id in seen.ids and self._gate.admits(memory):
                given = replace(
                    self._shows(memory, self._gate), sequence=0, subject_handles=(), origin_handles=(), names_given=()
                )
                yield given, self._edges(memory, edges)

    def in_order(self) -> list[tuple[Memory, tuple[Edge, ...]]]:
        """Return what may be seen, in the order in which it was stored, with edges among it only."""
        place = self._seen().place
        found = sorted(self.memories(), key=lambda item: place[item[0].id])
        return [(memory, tuple(edge for edge in edges if edge.target not in self._withheld)) for memory, edges in found]

    def entities(self) -> Iterator[tuple[Entity, tuple[Edge, ...]]]:
        """Yield the names that may be read, in the order of their ids."""
        for ident, name in sorted(self._seen().names.items()):
            yield Entity(id=ident, tenant=self._reader.tenant, name=name.written, created=name.created, sequence=0), ()

    def withheld(self) -> Iterator[str]:
        """Yield the stand-ins that :meth:`memories` has named so far."""
        yield from sorted(self._withheld)

    # --- Inside ---------------------------------------------------------------------------------------------------

    def _seen(self) -> _Seen:
        if self._found is None:
            self._found = self._look()
        return self._found

    def _look(self) -> _Seen:
        known = {entity.id: entity for entity, _, _ in self._reader.entities()}
        named: dict[str, set[str]] = {ident: {*entity.by_hand} for ident, entity in known.items()}
        seen = _Seen()
        order: list[tuple[int, str]] = []
        episodes: dict[str, list[tuple[int, int, str]]] = {}
        for memory, edges, _ in self._reader.memories():
            if not self._gate.admits(memory):
                continue
            seen.ids.add(memory.id)
            order.append((memory.sequence, memory.id))
            if memory.kind is Kind.EPISODIC:
                place = (memory.valid_from, memory.sequence, memory.id)
                episodes.setdefault(memory.session or "", []).append(place)
            for entity in _mentioned(edges, known):
                named[entity.id] |= gives_of(memory.names_given, entity).names
        for said in episodes.values():
            seen.following |= {one[2]: other[2] for one, other in pairwise(sorted(said))}
        seen.place = {ident: number for number, (_, ident) in enumerate(sorted(order))}
        for memory, edges, _ in self._reader.memories():
            forms = [form for entity in _mentioned(edges, known) for form in sorted(named[entity.id])]
            if forms and memory.id in seen.ids and self._gate.admits(memory):
                self._name(seen, self._shows(memory, self._gate), forms)
        return seen

    def _name(self, seen: _Seen, memory: Memory, forms: list[str]) -> None:
        texts = [_Text(one.whole) for one in every_text(memory)]
        there: dict[str, None] = {}
        for form in forms:
            key = _key(form)
            written = next((found for text in texts if (found := text.written(key)) is not None), None)
            if written is None:
                continue
            ident = _uuid("name", *key)
            name = seen.names.setdefault(ident, _Name(written, memory.created))
            name.written, name.created = min(name.written, written), min(name.created, memory.created)
            there[ident] = None
        if there:
            seen.mentions[memory.id] = tuple(there)

    def _edges(self, memory: Memory, edges: tuple[Edge, ...]) -> tuple[Edge, ...]:
        seen = self._seen()
        found: list[Edge] = []
        for edge in edges:
            if edge.type in DERIVED_EDGES or edge.type is EdgeType.MENTIONS:
                continue
            if edge.target in seen.ids:
                found.append(edge)
            elif edge.type not in _DRAWN:
                stand_in = _uuid("withheld", memory.id, edge.type)
                self._withheld.add(stand_in)
                found.append(Edge(memory.id, edge.type, stand_in, memory.created))
        found += [Edge(memory.id, EdgeType.MENTIONS, name, memory.created) for name in seen.mentions.get(memory.id, ())]
        if memory.id in seen.following:
            found.append(Edge(memory.id, EdgeType.TEMPORAL_NEXT, seen.following[memory.id], memory.created))
        return tuple(sorted(set(found)))


def counted(index: MemoryIndex, mask: npt.NDArray[np.bool_]) -> Counted:
    """Return the numbers and weights of the rows of ``mask``, by tier and kind."""
    held = index.columns

    def of(tier: Tier, kind: Kind | None = None) -> tuple[int, int]:
        rows = mask & (held["tier"] == TIERS.index(tier))
        if kind is not None:
            rows = rows & (held["kind"] == KINDS.index(kind))
        return int(rows.sum()), int(held["weight"][rows].sum())

    (live, weight), (latent, latent_weight) = of(Tier.LIVE), of(Tier.LATENT)
    return {
        "live": live,
        "latent": latent,
        "weight": weight,
        "latent_weight": latent_weight,
        "by_kind": {
            kind.value: {
                "live": of(Tier.LIVE, kind)[0],
                "weight": of(Tier.LIVE, kind)[1],
                "latent": of(Tier.LATENT, kind)[0],
            }
            for kind in Kind
        },
    }


def _mentioned(edges: Iterable[Edge], known: Mapping[str, Entity]) -> list[Entity]:
    return [known[edge.target] for edge in edges if edge.type is EdgeType.MENTIONS and edge.target in known]


class _Text:
    """A text in which names are looked for, word by word."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = list(words(text))
        self._folded = [folded(word.text).removesuffix("'s") for word in self._words]

    def written(self, key: tuple[str, ...]) -> str | None:
        """Return how the text writes the name, None if it does not have it."""
        size = len(key)
        for start in range(len(self._folded) - size + 1) if size else ():
            if tuple(self._folded[start : start + size]) == key:
                found = self._text[self._words[start].start : self._words[start + size - 1].end]
                return found.removesuffix("'s").removesuffix("’s")
        return None


def _key(name: str) -> tuple[str, ...]:
    return tuple(folded(word.text).removesuffix("'s") for word in words(name))


def _uuid(*parts: str) -> str:
    """Return a ``urn:uuid:`` of version 8 (RFC 9562 section 5.8) that is a digest of ``parts``."""
    digest = hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).digest()
    value = int.from_bytes(digest[:16], "big") & ~(0xF << 76) & ~(0b11 << 62)
    return f"urn:uuid:{UUID(int=value | _VERSION << 76 | 0b10 << 62)}"
