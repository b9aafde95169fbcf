"""Entities by name: which of the tenant's people, places and things a text speaks of.

Guarantees: a name is found whole, by words, in any case; a longer name wins over one inside it; an ambiguous name gives
all that bear it. A person's first or last name alone is a guess, made here and stored nowhere: it stands for the one
person who has it, of those whom the reader finds by the whole name, and for nobody where there are two. So a guess is
for finding alone, and follows from what a reader may see. Kept up entity by entity.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from marskg.text import folded, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Aspect:
    """One of the things that an entity is for a reader who may not know that they are one.

    ``rows`` of an index call it so; ``own`` says whether its names are those under which the entity stands itself, so
    that it has what a person drew to it.
    """

    id: str
    names: tuple[str, ...]
    parts: tuple[str, ...]
    by_hand: tuple[str, ...]
    rows: tuple[int, ...]
    own: bool


class EntityNames:
    """The names and aliases of a tenant's entities."""

    def __init__(self) -> None:
        """Know nobody."""
        self._names: dict[str, tuple[str, ...]] = {}
        #: Who bears a name, by its folded words; none of this is looked into by the collector of garbage.
        self._bearers: dict[str, tuple[str, ...]] = {}
        #: Of how many words names are that begin with a word, the longest first.
        self._sizes: dict[str, tuple[int, ...]] = {}
        #: The IRIs of entities that have any, and who has an IRI.
        self._iris: dict[str, tuple[str, ...]] = {}
        self._having: dict[str, tuple[str, ...]] = {}
        #: The first and the last name of a person of several, whose they are, and names that were given by hand.
        self._parts: dict[str, tuple[str, ...]] = {}
        self._of_part: dict[str, tuple[str, ...]] = {}
        self._by_hand: dict[str, tuple[str, ...]] = {}
        #: What entities are taken apart into for one reader.
        self._aspects: Mapping[str, Sequence[Aspect]] = {}

    def __len__(self) -> int:
        """Return the number of entities."""
        return len(self._names)

    def put(
        self,
        entity: str,
        names: Iterable[str],
        iris: tuple[str, ...] = (),
        *,
        parts: Iterable[str] = (),
        by_hand: tuple[str, ...] = (),
    ) -> None:
        """Let ``names`` be the name and aliases of ``entity``, and ``iris`` those of the same thing elsewhere.

        ``parts`` are the first and the last word of a person's name, which may stand for it.
        """
        self.remove(entity)
        if iris:
            self._identify(entity, iris)
        if by_hand:
            self._by_hand[entity] = by_hand
        kept = tuple(dict.fromkeys(names))
        self._divide(entity, tuple(dict.fromkeys(" ".join(_key(part)) for part in parts)))
        self._names[entity] = kept
        for name in kept:
            self._bear(entity, _key(name))

    def _bear(self, entity: str, key: Sequence[str]) -> None:
        if key:
            name = " ".join(key)
            bearers = self._bearers.get(name, ())
            if entity not in bearers:
                self._bearers[name] = (*bearers, entity)
            self._size(key[0], len(key))

    def _divide(self, entity: str, parts: tuple[str, ...]) -> None:
        if parts:
            self._parts[entity] = parts
        for part in parts:
            self._of_part[part] = (*self._of_part.get(part, ()), entity)
            self._size(part, 1)

    def _size(self, first: str, size: int) -> None:
        known = self._sizes.get(first, ())
        if size not in known:
            self._sizes[first] = tuple(sorted((*known, size), reverse=True))

    def _identify(self, entity: str, iris: tuple[str, ...]) -> None:
        self._iris[entity] = iris
        for iri in iris:
            self._having[iri] = (*self._having.get(iri, ()), entity)

    def remove(self, entity: str) -> None:
        """Forget an entity."""
        for iri in self._iris.pop(entity, ()):
            others = tuple(one for one in self._having.pop(iri, ()) if one != entity)
            if others:
                self._having[iri] = others
        self._by_hand.pop(entity, None)
        for part in self._parts.pop(entity, ()):
            others = tuple(one for one in self._of_part.pop(part) if one != entity)
            if others:
                self._of_part[part] = others
        for name in self._names.pop(entity, ()):
            key = " ".join(_key(name))
            bearers = tuple(one for one in self._bearers.pop(key, ()) if one != entity)
            if bearers:
                self._bearers[key] = bearers

    def name(self, entity: str) -> str | None:
        """Return the canonical name of an entity."""
        names = self._names.get(entity)
        return names[0] if names else None

    def having(self, iri: str) -> tuple[str, ...]:
        """Return the entities that are the same thing as ``iri``."""
        return self._having.get(iri, ())

    def is_called(self, entity: str, name: str) -> bool:
        """Return whether ``name`` is the canonical name of an entity, and no alias."""
        return _key(self.name(entity) or "") == _key(name)

    def by_hand(self, entity: str) -> tuple[str, ...]:
        """Return the names that a person gave an entity by hand."""
        return self._by_hand.get(entity, ())

    def is_person(self, entity: str) -> bool:
        """Return whether a part of the name alone may stand for an entity: a person of several names."""
        return entity in self._parts

    def with_id(self, ident: str) -> tuple[str, ...]:
        """Return the entity of an id, or all that it is taken apart into; nothing where there is none."""
        if ident in self._names:
            return (ident,)
        return tuple(one.id for one in self._aspects.get(ident, ()))

    def divided(self, aspects: Mapping[str, Sequence[Aspect]]) -> EntityNames:
        """Return these names with each of some entities taken apart; nothing changes here."""
        found = copy(self)
        vars(found).update({name: dict(held) for name, held in vars(self).items()}, _aspects=aspects)
        for entity, parts in aspects.items():
            found.remove(entity)
            for one in parts:
                found.put(one.id, one.names, parts=one.parts, by_hand=one.by_hand)
        return found

    def is_by_hand(self, entity: str, name: str) -> bool:
        """Return whether a person gave an entity a name by hand."""
        return any(called(one, name) for one in self._by_hand.get(entity, ()))

    def guessed(self, part: str, found_by: Callable[[str, str], bool]) -> list[str]:
        """Return the people of whose names ``part`` is the first or the last, and who are ``found_by`` the whole."""
        people = self._of_part.get(" ".join(_key(part)), ())
        return sorted(one for one in people if found_by(one, " ".join(_key(self._names[one][0]))))

    def with_guesses(self, entities: Iterable[str], found_by: Callable[[str, str], bool]) -> list[str]:
        """Return ``entities`` with who else may be meant: a person by one part of the name alone, and the other way.

        Who has another name of theirs as their own may be one with them, too.
        """
        found = dict.fromkeys(entities)
        for entity in list(found):
            for alias in self._names.get(entity, ())[1:]:
                if found_by(entity, " ".join(_key(alias))):
                    found.update(
                        dict.fromkeys(one for one in self.named(alias, found_by) if self.is_called(one, alias))
                    )
            name = " ".join(_key(self.name(entity) or ""))
            people = self.guessed(name, found_by)
            if len(people) == 1:
                found.setdefault(people[0])
            for part in self._parts.get(entity, ()):
                if self.guessed(part, found_by) == [entity]:
                    found.update(dict.fromkeys(self.named(part, found_by)))
        return list(found)

    def named(self, name: str, found_by: Callable[[str, str], bool]) -> list[str]:
        """Return the entities that bear exactly ``name`` and are ``found_by`` it."""
        key = " ".join(_key(name))
        return sorted(entity for entity in self._bearers.get(key, ()) if found_by(entity, key))

    def find(self, text: str, found_by: Callable[[str, str], bool]) -> list[str]:
        """Return the entities that ``text`` names, in the order in which they are named.

        ``found_by`` says whether an entity is found by a name. What is not does not exist: a longer hidden name does
        not stand in the way of a shorter one.
        """
        found: dict[str, None] = {}
        spoken = _key(text)
        place = 0
        while place < len(spoken):
            for size in self._sizes.get(spoken[place], ()):
                name = " ".join(spoken[place : place + size])
                if size > len(spoken) - place or (name not in self._bearers and name not in self._of_part):
                    continue
                bearers = self.named(name, found_by)
                if not bearers and len(people := self.guessed(name, found_by)) == 1:
                    bearers = people
                if bearers:
                    found.update(dict.fromkeys(bearers))
                    place += size - 1
                    break
            place += 1
        return list(found)

    def dump(self) -> list[Any]:
        """Return all names in a form that JSON can hold: each entity, its names, their folded words, and its IRIs."""
        return [
            [
                entity,
                list(names),
                [" ".join(_key(name)) for name in names],
                *(list(held.get(entity, ())) for held in (self._iris, self._parts, self._by_hand)),
            ]
            for entity, names in sorted(self._names.items())
        ]

    def restore(self, dumped: list[Any]) -> None:
        """Take in what :meth:`dump` gave."""
        for entity, names, keys, iris, parts, by_hand in dumped:
            self._names[entity] = tuple(names)
            if iris:
                self._identify(entity, tuple(iris))
            if by_hand:
                self._by_hand[entity] = tuple(by_hand)
            self._divide(entity, tuple(parts))
            for key in keys:
                self._bear(entity, key.split())


def names_of(person: str) -> tuple[str, ...]:
    """Return what ``person`` is called: the name as it stands, and its first word."""
    found = [word.text for word in words(person)]
    return (person, found[0]) if len(found) > 1 else (person,)


def called(one: str, other: str) -> bool:
    """Return whether two spellings are one name, by their folded words."""
    return _key(one) == _key(other)


def key_of(name: str) -> str:
    """Return the folded words of a name, by which it is compared."""
    return " ".join(_key(name))


def _key(text: str) -> list[str]:
    """Return the folded words of a name; a possessive counts as the name."""
    return [folded(word.text).removesuffix("'s") for word in words(text)]
