"""What of stored memories may go to a language model, by all that is known of them now.

Guarantees: the preferences are those of the unit, and whom a memory names are all names of the entities that it
mentions. Nothing is changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.extraction.model_reading import Shown
from marskg.models.kept_answers import KeptAnswers
from marskg.ontology.vocabulary import EdgeType
from marskg.privacy.outgoing import Outgoing
from marskg.store.graph.preference_enforcement import name_search, preferences_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from marskg.drafts import Draft
    from marskg.privacy.sensitivity import Assessor
    from marskg.store.commit.writer import Writer

_GONE: Final = "it is gone"


class StoredOutgoing:
    """Decides about stored memories of one tenant, at one time, for the model that one setting names."""

    def __init__(self, writer: Writer, assessor: Assessor, setting: str, ids: Iterable[str]) -> None:
        """Read what the memories of ``ids`` say, and what is known of them."""
        self._unit = writer.new_unit(writer.read, writer.fresh_state())
        self._unit.fetch(list(ids))
        rules = preferences_of(self._unit)
        search = name_search(self._unit, rules)
        self._outgoing = Outgoing(
            self._unit.state.settings, rules, assessor, self._unit.now, names=search, setting=setting
        )

    def shown(self, ident: str, names: Sequence[str] = ()) -> Shown:
        """Return what a model may see of a memory, which bears ``names`` besides those of what it mentions."""
        node = self._unit.nodes.get(ident)
        if node is None:
            return Shown(None, _GONE)
        return self._outgoing.shown(node.memory, [*names, *self._names(ident)])

    def draft(self, draft: Draft) -> Shown:
        """Return what a model may see of what is not stored, such as a question."""
        return self._outgoing.shown(draft)

    def refusal(self, ident: str) -> str | None:
        """Return why a model may see nothing of a memory, whatever its text; None if it may."""
        node = self._unit.nodes.get(ident)
        return _GONE if node is None else self._outgoing.refusal(node.memory, self._names(ident))

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
        entities = map(self._unit.entities.entity, self._unit.node(ident).targets(EdgeType.MENTIONS))
        return [name for one in entities for name in (one.name, *one.aliases)]
