"""Entities by name: which of the tenant's people, places and things a text speaks of.

Guarantees: a name is found whole, by words, in any case; a longer name wins over one inside it; an ambiguous name gives
all that bear it. Kept up entity by entity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marskg.text import folded, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class EntityNames:
    """The names and aliases of a tenant's entities."""

    def __init__(self) -> None:
        """Know nobody."""
        self._names: dict[str, tuple[str, ...]] = {}
        self._bearers: dict[str, set[str]] = {}
        self._longest: dict[str, int] = {}

    def __len__(self) -> int:
        """Return the number of entities."""
        return len(self._names)

    def put(self, entity: str, names: Iterable[str]) -> None:
        """Let ``names`` be the name and aliases of ``entity``."""
        self.remove(entity)
        kept = tuple(dict.fromkeys(names))
        self._names[entity] = kept
        for name in kept:
            key = _key(name)
            if key:
                self._bearers.setdefault(" ".join(key), set()).add(entity)
                self._longest[key[0]] = max(self._longest.get(key[0], 0), len(key))

    def remove(self, entity: str) -> None:
        """Forget an entity."""
        for name in self._names.pop(entity, ()):
            key = " ".join(_key(name))
            bearers = self._bearers.get(key)
            if bearers is not None:
                bearers.discard(entity)
                if not bearers:
                    del self._bearers[key]

    def name(self, entity: str) -> str | None:
        """Return the canonical name of an entity."""
        names = self._names.get(entity)
        return names[0] if names else None

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
        """Return all names in a form that JSON can hold."""
        return [[entity, list(names)] for entity, names in sorted(self._names.items())]

    def restore(self, dumped: list[Any]) -> None:
        """Take in what :meth:`dump` gave."""
        for entity, names in dumped:
            self.put(entity, names)


def _key(text: str) -> list[str]:
    """Return the folded words of a name; a possessive counts as the name."""
    return [folded(word.text).removesuffix("'s") for word in words(text)]
