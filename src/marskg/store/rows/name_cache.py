"""Who goes by which name in a tenant: what of it a writer has at hand between two units of work.

Guarantees: of every word that was asked for, all entities of which a name begins with it are known, as they are after
the units that were built so far; an entity that went stays gone. A name of its own goes before an alias, an alias
before a part of a person's name; who shares a name with another is found by neither's alias or part. Safe to be read by
threads that prepare a write while another one writes.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final

from marskg.drafts import EntityRef
from marskg.entities import folded_name, names_of
from marskg.store.rows import codec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from marskg.records import Entity
    from marskg.store.engine.protocol import Row

#: Entities and words that are kept at hand; then all are dropped and asked for anew.
MOST: Final = 200_000
_OWN, _ALIAS = 0, 1
#: Letters of a word that its key holds.
_LETTERS: Final = 100


def first_word(folded: str) -> str:
    """Return the word under which a folded name is looked up."""
    return folded.partition(" ")[0][:_LETTERS]


def word_rows(entity: Entity) -> dict[str, dict[str, str]]:
    """Return the nodes by whose words ``entity`` is found, by their reference."""
    bearer = f"{entity.tenant}|{entity.id}"
    return {
        f"{bearer}|{word}": {
            "ref": f"{bearer}|{word}",
            "tenant": entity.tenant,
            "wordKey": f"{entity.tenant}|{word}",
            "bearer": bearer,
        }
        for word in sorted({first_word(name) for name in names_of(as_ref(entity))})
    }


def as_ref(entity: Entity) -> EntityRef:
    """Return an entity as a source names it."""
    return EntityRef(entity.name, entity.entity_type, entity.aliases, entity.same_as)


class NameCache:
    """The names of the entities that were asked for."""

    def __init__(self) -> None:
        """Know nobody."""
        # Held for the look-up itself only: who prepares a write reads beside who writes.
        self._lock = threading.RLock()
        self._clearings = 0
        self._entities: dict[str, Entity] = {}
        self._gone: set[str] = set()
        self._words: set[str] = set()
        self._owners: dict[str, dict[str, int]] = {}
        self._longest: dict[str, int] = {}

    @property
    def crowded(self) -> bool:
        """Return whether it holds so much that it had better start anew."""
        return len(self._entities) + len(self._gone) + len(self._words) > MOST

    def clear(self) -> None:
        """Know nobody again."""
        with self._lock:
            self._clearings += 1
            for held in (self._entities, self._gone, self._words, self._owners, self._longest):
                held.clear()

    def longest(self, word: str) -> int:
        """Return how many words the names had at most that began with ``word``; 0 where none did."""
        return self._longest.get(word, 0)

    def knows(self, word: str) -> bool:
        """Return whether ``word`` was asked for."""
        return word in self._words

    def load(self, words: Iterable[str], tenant: str, read: Callable[[str, Mapping[str, Any]], list[Row]]) -> None:
        """Learn in one read by ``read`` who has a name that begins with one of ``words``, folded.

        What is known of an entity already is newer than the read. If all was forgotten meanwhile, the rows may be older
        than what was forgotten: then nothing is learned, and the words are asked for again when they are needed.
        """
        with self._lock:
            clearings = self._clearings
            missing = sorted(set(words) - self._words - {""})
        if not missing:
            return
        rows = read("find_names", {"keys": [f"{tenant}|{word}" for word in missing]})
        entities = [codec.decode_entity(row["node"]) for row in rows]
        with self._lock:
            if self._clearings != clearings:
                return
            self._words.update(missing)
            for entity in entities:
                if entity.id not in self._entities and entity.id not in self._gone:
                    self.put(entity)

    def holds(self, entity_id: str) -> bool:
        """Return whether an entity is known here, and not gone."""
        return entity_id in self._entities

    def entity(self, entity_id: str) -> Entity:
        """Return an entity that was found here."""
        return self._entities[entity_id]

    def put(self, entity: Entity) -> None:
        """Know an entity as it is from now on."""
        with self._lock:
            self._take(entity.id)
            self._entities[entity.id] = entity
            for name, closeness in names_of(as_ref(entity)).items():
                self._owners.setdefault(name, {})[entity.id] = closeness
                word = first_word(name)
                self._longest[word] = max(self._longest.get(word, 0), 1 + name.count(" "))

    def remove(self, entity_id: str) -> None:
        """Know an entity no more."""
        with self._lock:
            self._take(entity_id)
            self._gone.add(entity_id)

    def _take(self, entity_id: str) -> None:
        entity = self._entities.pop(entity_id, None)
        for name in () if entity is None else names_of(as_ref(entity)):
            owners = self._owners[name]
            del owners[entity_id]
            if not owners:
                del self._owners[name]

    def nearest(self, name: str) -> Entity | None:
        """Return the one entity that goes by ``name``, folded, as its own, an alias or a part; None if several do."""
        with self._lock:
            owners = self._owners.get(name)
            if owners is None:
                return None
            closest = min(owners.values())
            return self._only([ident for ident, closeness in owners.items() if closeness == closest])

    def bearer(self, name: str) -> Entity | None:
        """Return the entity that a source means by ``name``: of this name, the eldest, or else of this alias alone."""
        with self._lock:
            owners: Mapping[str, int] = self._owners.get(folded_name(name), {})
            own = [self._entities[ident] for ident, closeness in owners.items() if closeness == _OWN]
            if own:
                return min(own, key=lambda entity: (entity.sequence, entity.id))
            return self._only([ident for ident, closeness in owners.items() if closeness == _ALIAS])

    def _only(self, ids: list[str]) -> Entity | None:
        return self._entities[ids[0]] if len(ids) == 1 else None
