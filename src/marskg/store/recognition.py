"""What a draft's text names is added to what its source says it mentions, before the draft is written.

Guarantees: what the source says stands, and what is found is added beside it; a name is looked up among the tenant's
own entities as they are when the draft's turn comes, so that batches do not change what is linked; all look-ups of a
batch are one read, as far as they can be foreseen; a draft that stores nothing is left alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from marskg.drafts import Draft
from marskg.entities import Recogniser, SpacyRecogniser, folded_name, load_dictionary, words_looked_up
from marskg.errors import InvalidConfig
from marskg.ontology.vocabulary import SourceType
from marskg.store.names import first_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from marskg.config import EntitySettings
    from marskg.drafts import EntityRef, EntityRelation
    from marskg.entities import Recognised, Recognising
    from marskg.records import Memory
    from marskg.store.unit import Unit

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


class Recognition:
    """Completes drafts by the recogniser that the tenant's settings name, loaded when it is first needed."""

    def __init__(self) -> None:
        """Load nothing yet."""
        self._settings: EntitySettings | None = None
        self._recogniser: Recognising | None = None

    def _for(self, settings: EntitySettings) -> Recognising | None:
        if settings != self._settings:
            self._recogniser = load_recogniser(settings)
            self._settings = settings
        return self._recogniser

    def look_up(self, unit: Unit, drafts: Iterable[Draft]) -> None:
        """Let ``unit`` learn in one read which entities ``drafts`` may name."""
        recognises = self._for(unit.state.settings.entities) is not None
        unit.load_names(word for draft in drafts if _stores(draft) for word in _words(draft, recognises=recognises))

    def completed(self, unit: Unit, draft: Draft) -> Draft:
        """Return ``draft`` with the entities and relations that its text and payload name."""
        recogniser = self._for(unit.state.settings.entities)
        if recogniser is None or not _stores(draft):
            return draft
        found = recogniser.find(draft.content, speaker=_speaker(draft), payload=draft.payload or None, known=unit)
        return _merged(draft, found) if found.mentions else draft

    def reread(self, unit: Unit, memory: Memory, content: str) -> Draft | None:
        """Return what ``content``, a new text of ``memory``, names, as a draft; None where nothing is looked for."""
        if self._for(unit.state.settings.entities) is None:
            return None
        draft = Draft(
            ref=memory.id,
            kind=memory.kind,
            content=content,
            at=memory.valid_from,
            payload=memory.payload,
            subjects=memory.subjects,
            source_type=memory.source_type,
        )
        self.look_up(unit, (draft,))
        return self.completed(unit, draft)


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
