"""Entities by name: which of the tenant's people, places and things a text speaks of.

Guarantees: a name is found whole, by words, in any case; a longer name wins over one inside it; an ambiguous name gives
all that bear it. Kept up entity by entity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marskg.text import folded, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


class EntityNames:
    """The names and aliases of a tenant's entities."""

    def __init__(self) -> None:
        """Know nobody."""
        self._names: dict[str, tuple[str, ...]] = {}
        #: Who bears a name, by its folded words; none of this is looked into by the collector of garbage.
        self._bearers: dict[str, tuple[str, ...]] = {}
        self._longest: dict[str, int] = {}
        #: The IRIs of entities that have any, and who has an IRI.
        self._iris: dict[str, tuple[str, ...]] = {}
        self._having: dict[str, tuple[str, ...]] = {}

    def __len__(self) -> int:
        """Return the number of entities."""
        return len(self._names)

    def put(self, entity: str, names: Iterable[str], iris: tuple[str, ...] = ()) -> None:
        """Let ``names`` be the name and aliases of ``entity``, and ``iris`` those of the same thing elsewhere."""
        self.remove(entity)
        if iris:
            self._identify(entity, iris)
        kept = tuple(dict.fromkeys(names))
        self._names[entity] = kept
        for name in kept:
            self._bear(entity, _key(name))

    def _bear(self, entity: str, key: Sequence[str]) -> None:
        if key:
            name = " ".join(key)
            bearers = self._bearers.get(name, ())
            if entity not in bearers:
                self._bearers[name] = (*bearers, entity)
            self._longest[key[0]] = max(self._longest.get(key[0], 0), len(key))

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
            longest = min(self._longest.get(spoken[place], 0), len(spoken) - place)
            for size in range(longest, 0, -1):
                bearers = self.named(" ".join(spoken[place : place + size]), found_by)
                if bearers:
                    found.update(dict.fromkeys(bearers))
                    place += size - 1
                    break
            place += 1
        return list(found)

    def dump(self) -> list[Any]:
        """Return all names in a form that JSON can hold: each entity, its names, their folded words, and its IRIs."""
        return [
            [entity, list(names), [" ".join(_key(name)) for name in names], list(self._iris.get(entity, ()))]
            for entity, names in sorted(self._names.items())
        ]

    def restore(self, dumped: list[Any]) -> None:
        """Take in what :meth:`dump` gave."""
        for entity, names, keys, iris in dumped:
            self._names[entity] = tuple(names)
            if iris:
                self._identify(entity, tuple(iris))
            for key in keys:
                self._bear(entity, key.split())


def names_of(person: str) -> tuple[str, ...]:
    """Return what ``person`` is called: the name as it stands, and its first word."""
    found = [word.text for word in words(person)]
    return (person, found[0]) if len(found) > 1 else (person,)


def _key(text: str) -> list[str]:
    """Return the folded words of a name; a possessive counts as the name."""
    return [folded(word.text).removesuffix("'s") for word in words(text)]
