"""A large graph as a sequence of small ones, each of which decides about its own nodes.

Guarantees: every line is in exactly one batch as its own; a batch also holds what the shapes look at around its own
nodes, so that a verdict on an own node is the verdict in the whole graph. What is kept of the whole is an index of
types, tiers, sessions and links; the lines themselves are compressed, in memory only: they are people's content.

What the shapes look at, and nothing else may they look at without a change here:

- of a node: its own triples;
- of a node that one of its edges leads to: the types, the tier, and whether it has content; at the end of temporalNext
  also the session, and who else leads there by temporalNext;
- of a node that leads to it by derivesFrom, dependsOn, supersedes or requires: the edge; by temporalNext: the edge and
  validFrom; by slot: the edge and the types.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from sys import intern
from typing import TYPE_CHECKING

from marskg.errors import InvalidDocument
from marskg.ontology.vocabulary import ACYCLIC, NS, RDF_TYPE, EdgeType

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

#: Lines of a batch: small enough for the engines' appetite, large enough for their fixed costs.
BATCH_LINES = 20_000

_TYPE = f"<{RDF_TYPE}>"
_CONTENT = f"<{NS}content>"
_NEXT = f"<{NS}{EdgeType.TEMPORAL_NEXT}>"
_SLOT = f"<{NS}slot>"
_SESSION = f"<{NS}session>"
_VALID_FROM = f"<{NS}validFrom>"
_AHEAD = frozenset({_TYPE, f"<{NS}tier>", _CONTENT})
_AHEAD_IN_CHAIN = _AHEAD | {_SESSION}
_BEHIND = {_NEXT: (_VALID_FROM,), _SLOT: (_TYPE,)}
_STUB = _AHEAD_IN_CHAIN | {_VALID_FROM}
_LINKS = frozenset(f"<{NS}{type_}>" for type_ in EdgeType) | {_SLOT, f"<{NS}edgeSource>"}
_ACYCLIC = frozenset(f"<{NS}{type_}>" for type_ in ACYCLIC)
_BACK = _ACYCLIC | {_NEXT, _SLOT}
_CHECKED = frozenset(
    f"<{NS}{name}> ." for name in ("Memory", "Entity", "Preference", "Edge", "AuditRecord", "TreeHead")
)


@dataclass(slots=True)
class _Part:
    """The own lines of one batch: packed, and those of its nodes that came later."""

    packed: bytes
    late: list[str] = field(default_factory=list)


class Batches:
    """Reads all lines once, then gives them batch by batch with their surroundings."""

    def __init__(self, lines: Iterable[str], size: int = BATCH_LINES) -> None:
        """Read ``lines``, canonical N-Triples as exports write them.

        Raises:
            InvalidDocument: a line has no subject, predicate and object.
        """
        #: How many memories, entities, preferences, edges, audit records and tree heads there are.
        self.checked = 0
        self._parts: list[_Part] = []
        self._home: dict[str, int] = {}
        self._stubs: dict[str, list[tuple[str, str]]] = {}
        self._out: dict[str, list[tuple[str, str]]] = {}
        self._back: dict[str, list[tuple[str, str]]] = {}
        self._read(lines, size)

    def _read(self, lines: Iterable[str], size: int) -> None:
        """Put each line into the batch of its subject."""
        pending: list[str] = []
        for number, line in enumerate(lines, 1):
            parts = line.split(" ", 2)
            if len(parts) < 3:  # noqa: PLR2004 - subject, predicate, object
                if line.strip():
                    msg = f"line {number} is no N-Triples statement: write one statement a line, as exports do"
                    raise InvalidDocument(msg)
                continue
            subject, predicate, rest = parts
            home = self._home.get(subject)
            if home is None:
                if len(pending) >= size:
                    self._close(pending)
                    pending = []
                home = self._home[subject] = len(self._parts)
            (pending if home == len(self._parts) else self._parts[home].late).append(line)
            self._note(subject, predicate, rest.rstrip())
        self._close(pending)

    def _close(self, lines: list[str]) -> None:
        self._parts.append(_Part(zlib.compress("\n".join(lines).encode(), 1)))

    def _note(self, subject: str, predicate: str, rest: str) -> None:
        """Index what other nodes' shapes may ask about this line."""
        if predicate in _LINKS:
            target, predicate = rest.removesuffix(" ."), intern(predicate)
            self._out.setdefault(subject, []).append((predicate, target))
            if predicate in _BACK:
                self._back.setdefault(target, []).append((predicate, subject))
        elif predicate in _STUB:
            text = '"-" .' if predicate == _CONTENT else intern(rest)
            self._stubs.setdefault(subject, []).append((intern(predicate), text))
            if predicate == _TYPE and rest in _CHECKED:
                self.checked += 1

    def acyclic_edges(self) -> Iterator[tuple[str, str, str]]:
        """Yield ``(source, type, target)`` of the edges that must stay acyclic, as bare IRIs and local names."""
        for source, links in self._out.items():
            for predicate, target in links:
                if predicate in _ACYCLIC:
                    yield bare(source), predicate[len(NS) + 1 : -1], bare(target)

    def nodes(self) -> Iterator[str]:
        """Yield the IRIs of all nodes that a line describes."""
        return (bare(node) for node in self._home)

    def __iter__(self) -> Iterator[tuple[list[str], set[str]]]:
        """Yield the lines of each batch with their surroundings, and the IRIs of the nodes that it decides about.

        Nodes that no line describes, such as the missing end of an edge, are decided where the edge begins.
        """
        for part in self._parts:
            lines = zlib.decompress(part.packed).decode().split("\n") + part.late
            own = {line.split(" ", 1)[0] for line in lines if line}
            missing = {target for node in own for _, target in self._out.get(node, ()) if target not in self._home}
            yield [*lines, *self._surroundings(own)], {bare(node) for node in own | missing}

    def _surroundings(self, own: set[str]) -> set[str]:
        """Return the lines about other nodes that the shapes of the nodes ``own`` look at."""
        found: set[str] = set()
        for node in own:
            for predicate, target in self._out.get(node, ()):
                wanted = _AHEAD_IN_CHAIN if predicate == _NEXT else _AHEAD
                found.update(self._about(target, wanted, own))
                if predicate == _NEXT:
                    found.update(f"{source} {link} {target} ." for link, source in self._back[target] if link == _NEXT)
            for predicate, source in self._back.get(node, ()):
                if source not in own:
                    found.add(f"{source} {predicate} {node} .")
                    found.update(self._about(source, _BEHIND.get(predicate, ()), own))
        return found

    def _about(self, node: str, wanted: Collection[str], own: set[str]) -> Iterator[str]:
        """Yield the lines about ``node`` with the predicates ``wanted``, unless it is one of ``own``."""
        if node not in own:
            for predicate, text in self._stubs.get(node, ()):
                if predicate in wanted:
                    yield f"{node} {predicate} {text}"


def bare(term: str) -> str:
    """Return the IRI of an N-Triples term."""
    return term.removeprefix("<").removesuffix(">")
