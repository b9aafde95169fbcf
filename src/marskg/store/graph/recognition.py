"""What a draft's text names is added to what its source says it mentions, before the draft is written.

Guarantees: what the source says stands, and what is found is added beside it; a name is looked up among the tenant's
own entities as they are when the draft's turn comes, so that batches do not change what is linked; a text that was read
before its transaction is read again in it only if one of the answers that it was read with has changed; all look-ups of
a batch are one read, as far as they can be foreseen; a draft that stores nothing is left alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from marskg.drafts import Draft
from marskg.entities import NOTHING, Recogniser, SpacyRecogniser, folded_name, load_dictionary, words_looked_up
from marskg.entities.payload import names_alone
from marskg.errors import InvalidConfig
from marskg.ontology.vocabulary import RELIABILITY, SourceType, is_higher
from marskg.store.rows.name_cache import as_ref, first_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from marskg.config import EntitySettings
    from marskg.drafts import EntityRef, EntityRelation
    from marskg.entities import Known, Recognised, Recognising
    from marskg.records import Memory
    from marskg.store.engine.protocol import Reader
    from marskg.store.rows.name_cache import NameCache
    from marskg.store.unit.unit_of_work import Unit

_SPACY: Final = "spacy:"


def load_recogniser(settings: EntitySettings) -> Recognising | None:
    """Return the recogniser that ``settings`` name, or None where entities are not looked for.

    Raises:
        InvalidConfig: there is no such model, or the dictionary is malformed or cannot be read.
        EnvironmentFailure: spaCy or its model is not installed.
    """
    if settings.recognise == "off":
        return None
    names = () if settings.dictionary is None else load_dictionary(settings.dictionary)
    if settings.model == "none":
        return Recogniser(dictionary=names)
    if settings.model.startswith(_SPACY) and len(settings.model) > len(_SPACY):
        return SpacyRecogniser(settings.model.removeprefix(_SPACY), dictionary=names)
    msg = f"entities.model is {settings.model[:80]!r}; it must be none, or spacy: and the name of an installed model"
    raise InvalidConfig(msg)


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What a text was found to name before its transaction, and all that the store answered meanwhile.

    A recogniser is a pure function of the text and of these answers: while they are the same, so is what it finds.
    With ``settled`` it is enough that whom it found still goes by the name: who came since may be missed. ``changes``
    are those of the names before it was read: while there are no more, no answer has to be asked for again.
    """

    found: Recognised
    settings: EntitySettings
    entities: Mapping[str, EntityRef | None]
    longest: Mapping[str, int]
    settled: bool = False
    changes: int = -1


def still_found(foreseen: Foreseen | None, unit: Unit) -> Recognised | None:
    """Return what was found before the transaction if the store would answer the same to ``unit``, else None."""
    if foreseen is None or unit.state.settings.entities != foreseen.settings:
        return None
    if unit.entities.names.changes == foreseen.changes:
        return foreseen.found
    unit.entities.load_names(foreseen.longest)
    if foreseen.settled:
        known = ((entity, unit.entities.find(name)) for name, entity in foreseen.entities.items() if entity is not None)
        there = all(now is not None and (now.name, now.same_as) == (one.name, one.same_as) for one, now in known)
        return foreseen.found if there else None
    same = all(unit.entities.longest(word) == number for word, number in foreseen.longest.items())
    same = same and all(unit.entities.find(name) == entity for name, entity in foreseen.entities.items())
    return foreseen.found if same else None


class _Asked:
    """The tenant's names as its writers know them, read outside of their lock; keeps every answer that it gave."""

    def __init__(self, book: NameCache, words: Iterable[str], tenant: str, read: Reader) -> None:
        self._book, self._tenant, self._read = book, tenant, read
        self.entities: dict[str, EntityRef | None] = {}
        self.words: dict[str, int] = {}
        book.load(words, tenant, read)

    def find(self, folded_name: str) -> EntityRef | None:
        """Return the one entity that goes by this name, as a recogniser asks for it."""
        if folded_name not in self.entities:
            self.longest(first_word(folded_name))
            entity = self._book.nearest(folded_name)
            self.entities[folded_name] = None if entity is None else as_ref(entity)
        return self.entities[folded_name]

    def longest(self, word: str) -> int:
        """Return how many words the names of entities have at most that begin with ``word``, folded."""
        if word not in self.words:
            self._book.load((word,), self._tenant, self._read)
            self.words[word] = self._book.longest(word)
        return self.words[word]


class Recognition:
    """Completes drafts by the recogniser that the tenant's settings name, loaded when it is first needed."""

    def __init__(self) -> None:
        """Load nothing yet."""
        self._loaded: tuple[EntitySettings, Recognising | None] | None = None
        self._names_alone = False

    def limit(self, *, names_alone: bool) -> None:
        """Take from whoever writes names alone, if so: not who somebody is, by a payload or of whom the store knows."""
        self._names_alone = names_alone

    def _found(self, recogniser: Recognising, draft: Draft, known: Known) -> Recognised:
        payload = names_alone(draft.payload) if self._names_alone else draft.payload
        return recogniser.find(draft.content, speaker=_speaker(draft), payload=payload or None, known=known)

    def _for(self, settings: EntitySettings) -> Recognising | None:
        # Several threads may prepare at once: each reads the pair as a whole.
        loaded = self._loaded
        if loaded is None or loaded[0] != settings:
            loaded = self._loaded = (settings, load_recogniser(settings))
        return loaded[1]

    def reads(self, settings: EntitySettings) -> bool:
        """Return whether texts are read for names by ``settings``."""
        return self._for(settings) is not None

    def foresee(self, draft: Draft, settings: EntitySettings, book: NameCache, tenant: str, read: Reader) -> Foreseen:
        """Return what the text and the payload of ``draft`` name, worked out outside of the tenant's lock."""
        recogniser = self._for(settings)
        if recogniser is None or not _stores(draft):
            return Foreseen(NOTHING, settings, {}, {})
        asked = _Asked(book, _words(draft, recognises=True), tenant, read)
        changes = book.changes
        found = self._found(recogniser, draft, asked)
        return Foreseen(found, settings, asked.entities, asked.words, changes=changes)

    def look_up(self, unit: Unit, drafts: Iterable[Draft]) -> None:
        """Let ``unit`` learn in one read which entities ``drafts`` may name."""
        recognises = self._for(unit.state.settings.entities) is not None
        unit.entities.load_names(
            word for draft in drafts if _stores(draft) for word in _words(draft, recognises=recognises)
        )

    def completed(self, unit: Unit, draft: Draft, found: Recognised | None = None) -> Draft:
        """Return ``draft`` with the entities and relations that its text and payload name: those ``found`` before."""
        if found is None:
            recogniser = self._for(unit.state.settings.entities)
            if recogniser is None or not _stores(draft):
                return draft
            found = self._found(recogniser, draft, unit.entities)
        if not found.mentions:
            return draft
        return _merged(draft, _taken(unit, _said_by(draft, found), anew=not self._names_alone))


def naming(memory: Memory, content: str) -> Draft:
    """Return ``content``, a new text of ``memory``, as the draft that is read for what it names."""
    return Draft(
        ref=memory.id,
        kind=memory.kind,
        content=content,
        at=memory.valid_from,
        payload=memory.payload,
        subjects=memory.subjects,
        source_type=memory.source_type,
        reliability=memory.reliability,
    )


def _stores(draft: Draft) -> bool:
    return draft.action == "remember"


def _words(draft: Draft, *, recognises: bool) -> Iterator[str]:
    """Yield the words under which the names of a draft are looked up."""
    for mention in draft.mentions:
        yield first_word(folded_name(mention.name))
    if recognises:
        yield from map(first_word, words_looked_up(draft.content))
        for value in draft.payload.values():
            for text in value if isinstance(value, tuple) else (value,):
                if isinstance(text, str):
                    yield first_word(folded_name(text))


def _speaker(draft: Draft) -> str | None:
    """Return who says ``I``: the one person that a user's own words are about."""
    return draft.subjects[0] if draft.source_type is SourceType.CHAT_USER and len(draft.subjects) == 1 else None


def _said_by(draft: Draft, found: Recognised) -> Recognised:
    """Return what was found with those other names alone that whoever says them may give.

    What an assistant says of a name is its guess: by it, an agent could widen what an erasure takes.
    """
    source = draft.source_type
    if is_higher(source, RELIABILITY[source] if draft.reliability is None else draft.reliability):
        return found
    return replace(found, mentions=tuple(replace(item, aliases=()) for item in found.mentions))


def _taken(unit: Unit, found: Recognised, *, anew: bool) -> Recognised:
    """Return what was found without the types that are not those of who goes by a name already.

    A type that was read from a text is a guess: it makes no second thing of one name, and picks none of several. Who
    has none yet is given one only if it may be given ``anew``.
    """
    mentions = {item.name: item for item in found.mentions}
    changed = False
    for name, bearers in unit.entities.bearers_of(mentions).items():
        for one in bearers:
            if one.entity_type not in {None if anew else mentions[name].entity_type, mentions[name].entity_type}:
                mentions[name] = replace(mentions[name], entity_type=None)
                changed = True
    return replace(found, mentions=tuple(mentions.values())) if changed else found


def _merged(draft: Draft, found: Recognised) -> Draft:
    """Return ``draft`` with what was found; a name that the source gave, also as an alias, stands as it gave it."""
    given = {folded_name(name): item.name for item in draft.mentions for name in (*item.aliases, item.name)}
    mentions: dict[str, EntityRef] = {}
    for item in found.mentions:
        mentions.setdefault(given.get(folded_name(item.name)) or item.name, item)
    added = [item for name, item in mentions.items() if folded_name(name) not in given]
    relations: dict[EntityRelation, None] = dict.fromkeys(draft.relations)
    for relation in found.relations:
        source = given.get(folded_name(relation.source), relation.source)
        target = given.get(folded_name(relation.target), relation.target)
        if source != target:
            relations.setdefault(replace(relation, source=source, target=target))
    return replace(draft, mentions=(*draft.mentions, *added), relations=tuple(relations))
