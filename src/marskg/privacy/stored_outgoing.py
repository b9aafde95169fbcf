"""What of stored memories may go to a language model, by all that is known of them now.

Guarantees: the preferences are those of the unit, and whom a memory names are all names of the entities that it
mentions. Where models need the consent of everybody, people are who anything is about, whoever speaks, and the
entities that are named and are persons, or of no known type. Nothing is changed.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from marskg.entities import EntityType, folded_name
from marskg.extraction.model_reading import Shown
from marskg.models.kept_answers import KeptAnswers
from marskg.ontology.vocabulary import EdgeType
from marskg.privacy.disclosures.name_similarity import subjects_of
from marskg.privacy.outgoing import PURPOSE, Outgoing
from marskg.store.graph.preference_enforcement import name_search, preferences_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from marskg.drafts import Draft, EntityRef
    from marskg.privacy.sensitivity import Assessor
    from marskg.records import Entity
    from marskg.store.commit.writer import Writer

_GONE: Final = "it is gone"
_MAY_BE_PEOPLE: Final = (None, EntityType.PERSON)


class StoredOutgoing:
    """Decides about stored memories of one tenant, at one time, for the model that one setting names."""

    def __init__(
        self,
        writer: Writer,
        assessor: Assessor,
        setting: str,
        ids: Iterable[str],
        subjects: frozenset[str] | None = None,
    ) -> None:
        """Read what the memories of ``ids`` say, and what is known of them; ``subjects`` were read before, if given."""
        self._unit = writer.new_unit(writer.read, writer.fresh_state())
        self._unit.fetch(list(ids))
        rules = preferences_of(self._unit)
        search = name_search(self._unit, rules)
        self._asks_everybody = rules.asks_everybody(PURPOSE)
        self._subjects = subjects
        self._outgoing = Outgoing(
            self._unit.state.settings, rules, assessor, self._unit.now, names=search, setting=setting
        )

    @property
    def subjects(self) -> frozenset[str] | None:
        """Return whom anything is about, read once; None where nobody asks for it."""
        if self._subjects is None and self._asks_everybody:
            self._subjects = frozenset(subjects_of(self._unit.read, self._unit.state.name))
        return self._subjects

    def shown(self, ident: str, speakers: Sequence[str] = ()) -> Shown:
        """Return what a model may see of a memory, which ``speakers`` said, whomever it is about."""
        node = self._unit.nodes.get(ident)
        if node is None:
            return Shown(None, _GONE)
        return self._outgoing.shown(node.memory, [*speakers, *self._names(ident)], [*speakers, *self._people(ident)])

    def draft(self, draft: Draft) -> Shown:
        """Return what a model may see of what is not stored, such as a question."""
        return self._outgoing.shown(draft, people=self._people(None, draft.content))

    def refusal(self, ident: str) -> str | None:
        """Return why a model may see nothing of a memory, whatever its text; None if it may."""
        node = self._unit.nodes.get(ident)
        if node is None:
            return _GONE
        return self._outgoing.refusal(node.memory, self._names(ident), self._people(ident))

    def valid_from(self, ident: str) -> int:
        """Return since when a memory holds (epoch ms)."""
        return self._unit.node(ident).memory.valid_from

    def text(self, text: str) -> Shown:
        """Return what a model may see of a text that says what memories say."""
        return self._outgoing.text(text)

    def kept(self, ident: str) -> KeptAnswers:
        """Return what is kept of models' answers about a memory."""
        node = self._unit.nodes.get(ident)
        return KeptAnswers() if node is None else KeptAnswers.read(node.answer)

    def _names(self, ident: str) -> list[str]:
        return [name for one in self._mentioned(ident) for name in (one.name, *one.aliases)]

    def _mentioned(self, ident: str) -> Iterator[Entity]:
        return map(self._unit.entities.entity, self._unit.node(ident).targets(EdgeType.MENTIONS))

    def _people(self, ident: str | None, text: str = "") -> set[str]:
        """Return who is known that a memory, or else a ``text``, may name; nobody where only some were asked."""
        if not self._asks_everybody:
            return set()
        named = self._spoken_of(text) if ident is None else self._mentioned(ident)
        return {*(self.subjects or ()), *(one.name for one in named if one.entity_type in _MAY_BE_PEOPLE)}

    def _spoken_of(self, text: str) -> Iterator[EntityRef]:
        """Yield the entities of which a name of at most two words, or a part of it, stands in a text."""
        words, entities = folded_name(re.sub(r"\W+", " ", text)).split(), self._unit.entities
        entities.load_names(words)
        for name in (*words, *map(" ".join, pairwise(words))):
            found = entities.find(name)
            if found is not None:
                yield found
