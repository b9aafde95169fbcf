"""Names from a trained model of the user's choice: spaCy or transformers, both optional.

Guarantees: imported and loaded when the first text is read, from what is installed on this machine: nothing is
downloaded. A missing package or model is refused with what to install. People are names; nationalities, religions and
political groups are protected attributes; places and organisations are none of either.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from marskg.errors import EnvironmentFailure, InvalidConfig
from marskg.privacy.sensing.model import Category, Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NONE: Final = "none"
_SPACY: Final = "spacy"
_TRANSFORMERS: Final = "transformers"
_LABELS: Final = {
    "PERSON": Category.NAME,
    "PER": Category.NAME,
    "NORP": Category.PROTECTED,
}


class NamedEntities:
    """Finds the people that a model names."""

    def __init__(self, spec: str) -> None:
        """Take ``spacy:NAME`` or ``transformers:FOLDER``.

        Raises:
            InvalidConfig: ``spec`` chooses no model.
        """
        self.spec = spec
        self._kind, _, self._name = spec.partition(":")
        if self._kind not in {_SPACY, _TRANSFORMERS} or not self._name:
            msg = (
                f"sensitivity.model is {spec[:80]!r}; it must be none, spacy: and the name of an installed model, or "
                "transformers: and the folder of a model"
            )
            raise InvalidConfig(msg)

    def find(self, text: str) -> Iterator[Finding]:
        """Yield the people, and the groups of people, in ``text``.

        Raises:
            EnvironmentFailure: the package or the model is not installed.
        """
        for label, start, end in _loaded(self._kind, self._name)(text):
            category = _LABELS.get(label.removeprefix("B-").removeprefix("I-"))
            if category is not None and end > start:
                yield Finding(start, end, category, self._kind)


@cache
def _loaded(kind: str, name: str) -> Callable[[str], list[tuple[str, int, int]]]:
    """Return what reads a text, loaded once for the stores that a process opens."""
    return _spacy(name) if kind == _SPACY else _transformers(name)


def _spacy(name: str) -> Callable[[str], list[tuple[str, int, int]]]:
    try:
        spacy = import_module("spacy")
    except ImportError as error:
        raise EnvironmentFailure(_missing("spaCy", "marskg[spacy]")) from error
    try:
        pipeline = spacy.load(name)
    except OSError as error:
        msg = f"the spaCy model {name[:80]!r} is not installed; install its wheel, or set sensitivity.model to none"
        raise EnvironmentFailure(msg) from error
    return lambda text: [(ent.label_, ent.start_char, ent.end_char) for ent in pipeline(text).ents]


def _transformers(name: str) -> Callable[[str], list[tuple[str, int, int]]]:
    try:
        library = import_module("transformers")
    except ImportError as error:
        raise EnvironmentFailure(_missing("transformers", "marskg[sentence-transformers]")) from error
    try:
        tokenizer = library.AutoTokenizer.from_pretrained(name, local_files_only=True)
        model = library.AutoModelForTokenClassification.from_pretrained(name, local_files_only=True)
    except (OSError, ValueError) as error:
        msg = f"the model {name[:80]!r} is not on this machine; name its folder, or set sensitivity.model to none"
        raise EnvironmentFailure(msg) from error
    read: Any = library.pipeline(
        "token-classification", model=model, tokenizer=tokenizer, aggregation_strategy="simple"
    )
    return lambda text: [(one["entity_group"], int(one["start"]), int(one["end"])) for one in read(text)]


def _missing(library: str, extra: str) -> str:
    return f"{library} is not installed, which sensitivity.model asks for: pip install '{extra}', or set it to none"
