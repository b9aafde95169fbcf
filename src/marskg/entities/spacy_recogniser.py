"""Names from an installed spaCy model, in place of the rules of :mod:`marskg.language.en.names.proper_names`.

Guarantees: spaCy is imported when the first recogniser is made, never before; a missing package or model is refused
with what to install; addresses, URLs and numbers are dropped here as they are everywhere. Phrases, payload, aliases and
relations are those of :class:`~marskg.entities.recogniser.Recogniser`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from marskg.drafts import EntityRef
from marskg.entities.payload import is_admissible
from marskg.entities.recogniser import MAX_MENTIONS, MAX_THINGS, Recogniser
from marskg.errors import EnvironmentFailure
from marskg.language.mentions import EntityType, Known, Recognised, folded_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: The labels of OntoNotes and of WikiNER that name entities; dates, amounts and nationalities do not.
_LABELS: Final = {
    "PERSON": EntityType.PERSON,
    "PER": EntityType.PERSON,
    "GPE": EntityType.PLACE,
    "LOC": EntityType.PLACE,
    "FAC": EntityType.PLACE,
    "ORG": EntityType.ORGANISATION,
    "WORK_OF_ART": EntityType.WORK,
    "PRODUCT": EntityType.WORK,
    "EVENT": EntityType.EVENT,
}


class _NoModel:
    """What a text's names are looked up in besides: the names that the model found, then what the store knows."""

    def __init__(self, found: Mapping[str, EntityRef], known: Known | None) -> None:
        self._found = found
        self._known = known

    def find(self, folded_name: str) -> EntityRef | None:
        """Return the known entity of this name, else the one that the model found."""
        entity = None if self._known is None else self._known.find(folded_name)
        return entity or self._found.get(folded_name)

    def longest(self, word: str) -> int:
        """Return how many words a name has at most that begins with ``word``, as said or as known."""
        said = max((len(name.split()) for name in self._found if name.split()[0] == word), default=0)
        return max(said, 0 if self._known is None else self._known.longest(word))


class SpacyRecogniser:
    """Finds what :class:`Recogniser` finds, and the names that a spaCy model finds."""

    def __init__(
        self,
        model: str = "en_core_web_sm",
        *,
        dictionary: Iterable[EntityRef] = (),
        max_things: int = MAX_THINGS,
        max_mentions: int = MAX_MENTIONS,
    ) -> None:
        """Load the installed ``model``: a package's name or a folder.

        Raises:
            EnvironmentFailure: spaCy or the model is not installed.
        """
        self._pipeline = _load(model)
        self._rules = Recogniser(dictionary=dictionary, max_things=max_things, max_mentions=max_mentions)

    def find(
        self,
        text: str,
        *,
        speaker: str | None = None,
        payload: Mapping[str, object] | None = None,
        known: Known | None = None,
    ) -> Recognised:
        """Return the entities and relations of ``text`` and ``payload``; see :meth:`Recogniser.find`."""
        found: dict[str, EntityRef] = {}
        for entity in self._pipeline(text).ents:
            name = " ".join(str(entity.text).split())
            type_ = _LABELS.get(str(entity.label_))
            if type_ is not None and is_admissible(name):
                found.setdefault(folded_name(name), EntityRef(name, str(type_)))
        return self._rules.find(text, speaker=speaker, payload=payload, known=_NoModel(found, known))


def _load(model: str) -> Any:  # noqa: ANN401 - spaCy is optional, so its types are
    try:
        spacy = import_module("spacy")
    except ModuleNotFoundError as error:
        msg = "spaCy is not installed; install marskg[spacy], or use the recogniser that needs no model"
        raise EnvironmentFailure(msg) from error
    try:
        return spacy.load(model)
    except OSError as error:
        msg = (
            f"the spaCy model {model!r} is not installed; install its wheel (python -m spacy download {model}, "
            "or a file from its releases when offline), or name one that is"
        )
        raise EnvironmentFailure(msg) from error
