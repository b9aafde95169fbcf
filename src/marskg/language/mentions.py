"""What a recogniser gives back, and what it may ask of those who know more.

Guarantees: values are immutable; every relation runs between two of the mentions; spans are in order, do not overlap
and point into the text as given, each with the name of the mention that stands there.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from marskg.text import folded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from marskg.drafts import EntityRef, EntityRelation


class EntityType(StrEnum):
    """What kind of thing an entity is, as far as its text says."""

    PERSON = "person"
    PLACE = "place"
    ORGANISATION = "organisation"
    WORK = "work"
    EVENT = "event"
    TIME = "time"
    THING = "thing"


@dataclass(frozen=True, slots=True)
class Recognised:
    """The entities of one text, each once, in the order in which they first stand there; those of the payload first.

    ``spans`` holds ``(start, end, name)`` for each place in the text, in characters, end excluded.
    """

    mentions: tuple[EntityRef, ...] = ()
    relations: tuple[EntityRelation, ...] = ()
    spans: tuple[tuple[int, int, str], ...] = ()


NOTHING = Recognised()


class Known(Protocol):
    """The entities that the tenant's store holds."""

    def find(self, folded_name: str) -> EntityRef | None:
        """Return the one entity that goes by this name; None where there is none, or more than one.

        ``folded_name`` is :func:`folded_name` of a name or an alias that was given: whom a first or a last name alone
        may mean is for who reads to guess, and nobody's to store.
        """
        ...

    def longest(self, word: str) -> int:
        """Return how many words the names have at most that begin with ``word``, folded; 0 where none does."""
        ...


class Recognising(Protocol):
    """Finds entities and relations in a text; what writes memories depends on this only."""

    def find(
        self,
        text: str,
        *,
        speaker: str | None = None,
        payload: Mapping[str, object] | None = None,
        known: Known | None = None,
    ) -> Recognised:
        """Return the entities and relations of ``text`` and ``payload``."""
        ...


def folded_name(name: str) -> str:
    """Return the form in which names are compared: folded, single blanks."""
    # NFKC and case folding leave nothing but small letters to do in ASCII.
    return " ".join((name.lower() if name.isascii() else folded(name)).split())


class KnownNames:
    """The names of entities, kept as entities come and go; an implementation of :class:`Known`.

    A name of its own goes before an alias; an alias of several is nobody's.
    """

    def __init__(self, entities: Iterable[EntityRef] = ()) -> None:
        """Know ``entities``."""
        #: For each folded name: how closely it belongs to which entities (0 name, 1 alias).
        self._owners: dict[str, dict[str, int]] = {}
        self._entities: dict[str, EntityRef] = {}
        self._longest: dict[str, int] = {}
        for entity in entities:
            self.add(entity)

    def __len__(self) -> int:
        """Return the number of entities."""
        return len(self._entities)

    def add(self, entity: EntityRef) -> None:
        """Know ``entity``, in place of what was known under its name."""
        key = folded_name(entity.name)
        self.remove(entity.name)
        self._entities[key] = entity
        for name, closeness in names_of(entity).items():
            self._owners.setdefault(name, {})[key] = closeness
            word, *others = name.split(" ")
            self._longest[word] = max(self._longest.get(word, 0), 1 + len(others))

    def remove(self, name: str) -> None:
        """Forget the entity of this canonical name; nothing where it is unknown."""
        key = folded_name(name)
        entity = self._entities.pop(key, None)
        if entity is None:
            return
        for other in names_of(entity):
            owners = self._owners[other]
            del owners[key]
            if not owners:
                del self._owners[other]

    def longest(self, word: str) -> int:
        """Return how many words the names had at most that began with ``word``; 0 where none ever did."""
        return self._longest.get(word, 0)

    def find(self, folded_name: str) -> EntityRef | None:
        """Return the one entity that goes by this name; None where there is none, or more than one."""
        owners = self._owners.get(folded_name)
        if owners is None:
            return None
        if len(owners) == 1:
            return self._entities[next(iter(owners))]
        closest = min(owners.values())
        keys = [key for key, closeness in owners.items() if closeness == closest]
        return self._entities[keys[0]] if len(keys) == 1 else None


def may_be_person(name: str, type_: str | None) -> bool:
    """Return whether it may be a person: a type that was read from a text is a guess, and *Joy Reed* no reed."""
    guessed = {EntityType.THING, EntityType.PLACE}
    return type_ in {None, EntityType.PERSON} or (type_ in guessed and name != name.lower())


def names_of(entity: EntityRef) -> dict[str, int]:
    """Return the folded names that were given to ``entity``: 0 for its own, 1 for an alias."""
    found = {folded_name(entity.name): 0}
    for alias in entity.aliases:
        found.setdefault(folded_name(alias), 1)
    found.pop("", None)
    return found
