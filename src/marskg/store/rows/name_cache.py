"""Who goes by which name in a tenant: what of it a writer has at hand between two units of work.

Guarantees: of every word that was asked for, all entities of which a name begins with it are known, as they are after
the units that were built so far; an entity that went stays gone. A name of its own goes before an alias;
who shares an alias with another is found by neither's. Two of one name
are told apart by their types and IRIs (:func:`may_be_one`). Safe to be read by threads that prepare a write while
another one writes.
"""

from __future__ import annotations

import threading
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from marskg.drafts import EntityRef
from marskg.entities import EntityType, folded_name, names_of
from marskg.store.rows import codec

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    from marskg.records import Entity
    from marskg.store.engine.protocol import Row

#: Entities and words that are kept at hand; then all are dropped and asked for anew.
MOST: Final = 200_000
#: Types that tell two things apart.
_TELLING: Final = frozenset(EntityType) - {EntityType.THING}
#: In which order those of one name are named.
AGE: Final = attrgetter("sequence", "id")
#: Letters of a word that its key holds.
_LETTERS: Final = 100
#: Entities, and IRIs of one, that a question lists.
_MOST_LISTED: Final = 5
#: What whoever stores a memory is told of a name in it that several bear.
UNLINKED: Final = "this is linked to none of them"
#: What a question about a name ends with.
WAY_OUT: Final = "give the id, or an IRI of one, in place of the name"


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


def may_be_one(one: Entity | EntityRef, other: Entity | EntityRef) -> bool:
    """Return whether two of one name may be one thing: of one IRI, or neither of other IRIs nor of other types.

    What is not known of one of them tells nothing, nor does ``thing``, which all are, or a type that is not of
    :class:`~marskg.entities.EntityType`.
    """
    if not set(one.same_as).isdisjoint(other.same_as):
        return True
    if one.same_as and other.same_as:
        return False
    return one.entity_type == other.entity_type or not {one.entity_type, other.entity_type} <= _TELLING


def fitting(said: EntityRef, bearers: Sequence[Entity]) -> Sequence[Entity]:
    """Return those of ``bearers``, who are called alike, that a source may mean by what it says of the thing.

    Who has an IRI of it goes before who may be it, and who is surely of its type before who is of none.
    """
    found = [one for one in bearers if may_be_one(said, one)]
    if len(found) > 1 and said.same_as:
        found = [one for one in found if not set(said.same_as).isdisjoint(one.same_as)] or found
    if len(found) > 1 and said.entity_type:
        found = [one for one in found if one.entity_type == said.entity_type] or found
    return found


def which(name: str, entities: Sequence[Entity], *, ids_alone: bool = False) -> str:
    """Return the question which of ``entities`` is meant by ``name``, by their ids with what tells them apart.

    ``ids_alone`` leaves out types and IRIs, for who may not read all that they come from.
    """
    shown = [one.id if ids_alone else f"{one.id} ({_apart(one)})" for one in entities[:_MOST_LISTED]]
    more = f" and {len(entities) - _MOST_LISTED} more" if len(entities) > _MOST_LISTED else ""
    return f"{called_alike(name, entities)}: {', '.join(shown)}{more}"


def called_alike(name: str, entities: Sequence[Entity]) -> str:
    """Return that ``entities`` are called ``name``, and how many they are."""
    return f"{len(entities)} things are called {name[:60]!r}"


def _apart(entity: Entity) -> str:
    return ", ".join((entity.entity_type or "of no known type", *entity.same_as[:_MOST_LISTED]))


class NameCache:
    """The names of the entities that were asked for."""

    def __init__(self) -> None:
        """Know nobody."""
        # Held for the look-up itself only: who prepares a write reads beside who writes.
        self._lock = threading.RLock()
        self._clearings = 0
        #: How often anything changed that is answered; while it is the same, so is every answer.
        self.changes = 0
        self._entities: dict[str, Entity] = {}
        self._gone: set[str] = set()
        self._words: set[str] = set()
        self._owners: dict[str, dict[str, int]] = {}
        self._longest: dict[str, int] = {}
        #: Who has which IRI; None until somebody asks.
        self._iris: dict[str, set[str]] | None = None
        #: Who goes by the name of which one of some digests is, and how; None until somebody asks.
        self._digested: _Digested | None = None

    @property
    def crowded(self) -> bool:
        """Return whether it holds so much that it had better start anew."""
        return len(self._entities) + len(self._gone) + len(self._words) > MOST

    def clear(self) -> None:
        """Know nobody again."""
        with self._lock:
            self._clearings += 1
            self.changes += 1
            for held in (self._entities, self._gone, self._words, self._owners, self._longest):
                held.clear()
            self._iris = None
            self._digested = None

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
        # Outside of the lock: the words of a long text are found as they are taken.
        wanted = {*words}
        with self._lock:
            clearings = self._clearings
            missing = sorted(wanted - self._words - {""})
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

    def put(self, entity: Entity) -> None:
        """Know an entity as it is from now on."""
        with self._lock:
            self.changes += 1
            self._take(entity.id)
            self._entities[entity.id] = entity
            if self._iris is not None:
                for iri in entity.same_as:
                    self._iris.setdefault(iri, set()).add(entity.id)
            if self._digested is not None:
                self._digested.put(entity)
            for name, closeness in names_of(as_ref(entity)).items():
                self._owners.setdefault(name, {})[entity.id] = closeness
                word = first_word(name)
                self._longest[word] = max(self._longest.get(word, 0), 1 + name.count(" "))

    def remove(self, entity_id: str) -> None:
        """Know an entity no more."""
        with self._lock:
            self.changes += 1
            self._take(entity_id)
            self._gone.add(entity_id)

    def _take(self, entity_id: str) -> None:
        entity = self._entities.pop(entity_id, None)
        if self._digested is not None:
            self._digested.take(entity_id)
        for name in () if entity is None else names_of(as_ref(entity)):
            owners = self._owners[name]
            del owners[entity_id]
            if not owners:
                del self._owners[name]

    def nearest(self, name: str) -> Entity | None:
        """Return the one entity that goes by ``name``, folded, as its own or an alias; None if several do."""
        with self._lock:
            owners = self._owners.get(name)
            if owners is None:
                return None
            closest = min(owners.values())
            ids = [ident for ident, closeness in owners.items() if closeness == closest]
            return self._entities[ids[0]] if len(ids) == 1 else None

    def bearers(self, name: str, *, alone: bool = True) -> list[Entity]:
        """Return the entities that may be meant by ``name``, the eldest first: all of this name, or else of this alias.

        Of an alias that several have it means none, if it is to be that of one ``alone``.
        """
        with self._lock:
            owners: Mapping[str, int] = self._owners.get(folded_name(name), {})
            closest = min(owners.values(), default=0)
            found = [self._entities[ident] for ident, closeness in owners.items() if closest == closeness]
        if len(found) > 1:
            return [] if alone and closest else sorted(found, key=AGE)
        return found

    # --- IRIs ---------------------------------------------------------------------------------------------------

    def ids_of_iri(self, iri: str, everybody: Callable[[], Iterable[Entity]]) -> list[str]:
        """Return the ids of who has ``iri``; ``everybody`` gives the stored entities, and is asked once."""
        if self._iris is None:
            clearings = self._clearings
            stored = {one.id: one for one in everybody()}
            with self._lock:
                found: dict[str, set[str]] = {}
                for one in (stored | self._entities).values():
                    for known in one.same_as:
                        found.setdefault(known, set()).add(one.id)
                if self._clearings == clearings:
                    self._iris = found
        else:
            found = self._iris
        return sorted(found.get(iri, set()) - self._gone)

    # --- Digests ------------------------------------------------------------------------------------------------

    def ids_by_digest(
        self, references: frozenset[str], digest: Callable[[str], str], everybody: Callable[[], Iterable[Entity]]
    ) -> dict[str, list[str]]:
        """Return by each of ``references``, which ``digest`` makes of names, the ids of who goes by the name.

        As :meth:`bearers` has it: all of this name, or else who alone has it as an alias. ``everybody`` gives the
        stored entities, and is asked once for as long as the references are the same. No name is kept for it.
        """
        found = self._digested
        if found is None or found.references != references:
            clearings = self._clearings
            stored = {one.id: one for one in everybody()}
            with self._lock:
                found = _Digested(references, digest)
                for one in (stored | self._entities).values():
                    found.put(one)
                if self._clearings == clearings:
                    self._digested = found
        with self._lock:
            return {reference: found.bearers(reference, self._gone) for reference in references}


class _Digested:
    """Who goes by names of which only digests are known."""

    def __init__(self, references: frozenset[str], digest: Callable[[str], str]) -> None:
        self.references = references
        self._digest = digest
        self._owners: dict[str, dict[str, int]] = {}

    def put(self, entity: Entity) -> None:
        for closeness, names in ((1, entity.aliases), (0, (entity.name,))):
            for reference in self.references.intersection(map(self._digest, names)):
                self._owners.setdefault(reference, {})[entity.id] = closeness

    def take(self, entity_id: str) -> None:
        for owners in self._owners.values():
            owners.pop(entity_id, None)

    def bearers(self, reference: str, gone: Container[str]) -> list[str]:
        owners = {ident: how for ident, how in self._owners.get(reference, {}).items() if ident not in gone}
        closest = min(owners.values(), default=0)
        found = sorted(ident for ident, how in owners.items() if how == closest)
        return [] if closest and len(found) > 1 else found
