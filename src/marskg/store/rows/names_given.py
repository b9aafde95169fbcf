"""What each memory calls the entities that it mentions, so that a name can leave with the last memory that gave it.

Guarantees: a memory gives an entity the names and IRIs that its entries say, or, where it has none for it, the
entity's own name; a name that a person gave by hand is the entity's own and needs no memory. No name is guessed here:
whom a first or a last name alone may mean is for who reads to say (:mod:`marskg.retrieval.graph.entity_names`). An
entry is ``ID name Ana`` or ``ID iri https://…``. Source: semantics section 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from marskg.entities import folded_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.records import Entity

_NAME: Final = "name"
_IRI: Final = "iri"


@dataclass(frozen=True, slots=True)
class Given:
    """What one memory, or several, give of one entity."""

    names: frozenset[str] = frozenset()
    iris: frozenset[str] = frozenset()

    def __or__(self, other: Given) -> Given:
        """Return what either gives."""
        return Given(self.names | other.names, self.iris | other.iris)

    def entries(self, entity: Entity) -> tuple[str, ...]:
        """Return what a memory keeps of this: nothing where it is the name of ``entity`` alone."""
        if not self.iris and {folded_name(name) for name in self.names} <= {folded_name(entity.name)}:
            return ()
        names = (f"{entity.id} {_NAME} {name}" for name in self.names)
        return tuple(sorted((*names, *(f"{entity.id} {_IRI} {iri}" for iri in self.iris))))


def given_by(entries: Iterable[str]) -> dict[str, Given]:
    """Return what a memory gives, by the ids of the entities that it has entries for."""
    found: dict[str, Given] = {}
    for entry in entries:
        ident, sort, value = entry.split(" ", 2)
        one = Given(frozenset({value})) if sort == _NAME else Given(iris=frozenset({value}))
        found[ident] = found.get(ident, Given()) | one
    return found


def gives_of(entries: Iterable[str], entity: Entity) -> Given:
    """Return what a memory with ``entries`` that mentions ``entity`` gives of it."""
    return given_by(entries).get(entity.id) or Given(frozenset({entity.name}))


def with_given(entries: Iterable[str], entity: Entity, gives: Given) -> tuple[str, ...]:
    """Return ``entries`` with what a memory ``gives`` of ``entity``, in place of what it gave of it."""
    others = (entry for entry in entries if not entry.startswith(f"{entity.id} "))
    return tuple(sorted((*others, *gives.entries(entity))))


def without(entries: Iterable[str], entities: Iterable[str]) -> tuple[str, ...]:
    """Return ``entries`` without those of ``entities``, by their ids."""
    gone = tuple(f"{ident} " for ident in entities)
    return tuple(entry for entry in entries if not entry.startswith(gone)) if gone else tuple(entries)


def moved(entries: tuple[str, ...], old: Entity, new: Entity, *, both: bool) -> tuple[str, ...]:
    """Return ``entries`` of a memory that mentions ``new`` from now on, by what it called ``old``.

    ``both`` says that it mentioned ``new`` before, too.
    """
    gives = gives_of(entries, old) | (gives_of(entries, new) if both else Given())
    return with_given(without(entries, (old.id,)), new, gives)
