"""Presidio's recognisers behind a blank pipeline, as a second opinion on what looks like an identifier.

Guarantees: optional; where it is missing and not asked for, nothing is said of what it would find. Imported at the
first text that needs it; no model is downloaded and no socket is opened, so those of its recognisers that ask the
network for a list (e-mail, URL) or need a model are left out; a result below :data:`CERTAIN` counts for nothing, and
nobody waits for another's text to be read. It is given texts in bounded parts, without runs that no identifier has
(:func:`parts`), so that its time grows with a text's length only. Source: presidio-analyzer 2.2, microsoft.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

from marskg.errors import EnvironmentFailure
from marskg.late_regex import late_regex
from marskg.privacy.sensing.model import Category, Finding

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

#: What its findings name as their rule.
NAME: Final = "presidio"
#: Presidio's score from which a result is taken: what a check digit or a word beside it confirms.
CERTAIN: Final = 0.5
#: What a word beside a result adds to its score at most.
_BESIDE: Final = 0.35
_PACKAGES: Final = ("presidio_analyzer", "spacy")
_LANGUAGE: Final = "en"
#: Its recognisers by class, with what they find.
_RECOGNISERS: Final = {
    "CreditCardRecognizer": Category.CARD,
    "IbanRecognizer": Category.ACCOUNT,
    "CryptoRecognizer": Category.ACCOUNT,
    "UsBankRecognizer": Category.ACCOUNT,
    "PhoneRecognizer": Category.PHONE,
    "MedicalLicenseRecognizer": Category.NATIONAL_ID,
    "UsItinRecognizer": Category.NATIONAL_ID,
    "UsLicenseRecognizer": Category.NATIONAL_ID,
    "UsPassportRecognizer": Category.NATIONAL_ID,
    "UsSsnRecognizer": Category.NATIONAL_ID,
    "NhsRecognizer": Category.NATIONAL_ID,
    "UkNinoRecognizer": Category.NATIONAL_ID,
    "EsNifRecognizer": Category.NATIONAL_ID,
    "EsNieRecognizer": Category.NATIONAL_ID,
    "ItFiscalCodeRecognizer": Category.NATIONAL_ID,
    "ItIdentityCardRecognizer": Category.NATIONAL_ID,
    "ItPassportRecognizer": Category.NATIONAL_ID,
    "ItDriverLicenseRecognizer": Category.NATIONAL_ID,
    "PlPeselRecognizer": Category.NATIONAL_ID,
    "FiPersonalIdentityCodeRecognizer": Category.NATIONAL_ID,
    "SgFinRecognizer": Category.NATIONAL_ID,
    "AuTfnRecognizer": Category.NATIONAL_ID,
    "AuMedicareRecognizer": Category.NATIONAL_ID,
    "InAadhaarRecognizer": Category.NATIONAL_ID,
    "InPanRecognizer": Category.NATIONAL_ID,
    "InPassportRecognizer": Category.NATIONAL_ID,
    "InVoterRecognizer": Category.NATIONAL_ID,
    "KrRrnRecognizer": Category.NATIONAL_ID,
    "ThTninRecognizer": Category.NATIONAL_ID,
}
#: Characters that it reads at once, and how many of them the next part repeats: each of its findings costs as much as
#: there are words beside it.
PART: Final = 2_048
_REPEATED: Final = 256
#: The longest word that it is given. spaCy cuts a word's ends off one by one, and looks at the rest each time; no
#: identifier that is looked for is half as long.
LONGEST_WORD: Final = 128
#: Signs side by side that no identifier has inside: *(030) - 12* has three.
_SIGNS: Final = late_regex(r"(?:[^\w\s]|_){4,}|[\u2190-\u2bff\ufe0f\u200d\U0001f000-\U0001faff]+")
_LONG: Final = late_regex(rf"\S{{{LONGEST_WORD + 1},}}")
#: Signs of a long word that stand in no identifier, and where it may be cut after all.
_STRANGE: Final = late_regex(r"[^\w\s./+-]|_")
_CUT: Final = late_regex(rf"(\S{{1,{LONGEST_WORD}}})[./+-]")
_INSTALL: Final = "pip install 'marskg[privacy]', or set sensitivity.presidio to auto or off"
_MISSING: Final = f"presidio-analyzer is not installed, which sensitivity.presidio asks for: {_INSTALL}"
#: The values of ``sensitivity.presidio``.
AUTO: Final = "auto"
ON: Final = "on"


def installed() -> bool:
    """Return whether presidio is there, without importing it."""
    return all(importlib.util.find_spec(name) is not None for name in _PACKAGES)


def chosen(setting: str) -> Presidio | None:
    """Return presidio where ``setting`` asks for it: None for ``off``, and for ``auto`` where it is not installed.

    Raises:
        EnvironmentFailure: ``setting`` is ``on``, and it is not installed; the message says what to do.
    """
    there = setting in {AUTO, ON} and installed()
    if setting == ON and not there:
        raise EnvironmentFailure(_MISSING)
    return Presidio() if there else None


class Presidio:
    """Presidio's analyzers, made when texts need them and then shared by the process."""

    def __init__(self) -> None:
        """Import nothing yet."""

    def find(self, text: str) -> Iterator[Finding]:
        """Yield what presidio is certain of in ``text``.

        Raises:
            EnvironmentFailure: presidio is not installed; the message says what to do.
        """
        for start, part in parts(text):
            yield from self._in_part(start, part)

    @staticmethod
    def _in_part(start: int, part: str) -> Iterator[Finding]:
        """Yield what presidio is certain of in the part of a text that begins at ``start``."""
        make, idle, categories = _analyzers()
        # spaCy's tokenizer keeps a cache of words: no two threads use one at once.
        try:
            analyzer = idle.pop()
        except IndexError:
            analyzer = make()
        try:
            results = analyzer.analyze(text=part, language=_LANGUAGE, score_threshold=CERTAIN)
        finally:
            idle.append(analyzer)
        for result in results:
            rule = f"{NAME}:{result.entity_type}"
            yield Finding(start + result.start, start + result.end, categories[result.entity_type], rule)


def parts(text: str) -> Iterator[tuple[int, str]]:
    """Yield the parts of ``text`` as presidio is given them, each with where it begins: all places are the text's own.

    What no identifier has inside is blank in them: runs of signs and pictures, and what makes a word longer than
    :data:`LONGEST_WORD`.
    """
    shown = _LONG.sub(_shortened, _SIGNS.sub(_blank, text))
    for start in range(0, max(1, len(shown)), PART - _REPEATED):
        yield start, shown[start : start + PART]
        if start + PART >= len(shown):
            break


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _shortened(match: re.Match[str]) -> str:
    """Return a long word in its length as several: at signs, then at any mark, and without what is long all the same."""
    word = _LONG.sub(_cut, _STRANGE.sub(" ", match[0]))
    return _LONG.sub(_blank, word)


def _cut(match: re.Match[str]) -> str:
    return _CUT.sub(r"\1 ", match[0])


@cache
def _analyzers() -> tuple[Callable[[], Any], list[Any], dict[str, Category]]:
    """Return what makes an analyzer, in a tenth of a second; those that nobody uses now; and what each entity is.

    Built once for the stores that a process opens: that costs seconds.
    """
    try:
        presidio = importlib.import_module("presidio_analyzer")
        engines = importlib.import_module("presidio_analyzer.nlp_engine")
        known = importlib.import_module("presidio_analyzer.predefined_recognizers")
        spacy = importlib.import_module("spacy")
    except ImportError as error:
        raise EnvironmentFailure(_MISSING) from error
    # Its loggers repeat what they decide about each text.
    logging.getLogger("presidio-analyzer").setLevel(logging.ERROR)

    class Blank(engines.SpacyNlpEngine):  # type: ignore[misc, name-defined]  # a class of a module that is loaded late
        """A pipeline that only divides a text into words."""

        def __init__(self) -> None:
            super().__init__(models=[{"lang_code": _LANGUAGE, "model_name": "blank"}])
            self.nlp = {_LANGUAGE: spacy.blank(_LANGUAGE)}

        def load(self) -> None:
            """Load nothing: there is no model."""

        def is_loaded(self) -> bool:
            """Return True: nothing is missing."""
            return True

    recognisers, categories = [], {}
    for name, category in _RECOGNISERS.items():
        recogniser = _hopeful(partial(getattr(known, name), supported_language=_LANGUAGE), presidio.PatternRecognizer)
        if recogniser is not None:
            recognisers.append(recogniser)
            categories.update(dict.fromkeys(recogniser.supported_entities, category))
    registry = presidio.RecognizerRegistry(recognizers=recognisers, supported_languages=[_LANGUAGE])

    def make() -> Any:  # noqa: ANN401 - a class of a module that is loaded late
        return presidio.AnalyzerEngine(registry=registry, nlp_engine=Blank(), supported_languages=[_LANGUAGE])

    return make, [], categories


def _hopeful(make: Callable[..., Any], base: Any) -> Any:  # noqa: ANN401 - classes of a module that is loaded late
    """Return a recogniser without the patterns whose results nothing makes certain, or None if it has no others.

    One of them takes the square of a text's length.
    """
    made = make()
    if not isinstance(made, base) or type(made).validate_result is not base.validate_result:
        return made
    hopeful = [one for one in made.patterns if one.score + _BESIDE >= CERTAIN]
    return make(patterns=hopeful) if hopeful else None
