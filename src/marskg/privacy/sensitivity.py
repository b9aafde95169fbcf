"""How sensitive a memory is: a number with its reasons, worked out before it is stored.

Guarantees: s is from 0 to 1 and never below what the caller gave; the same draft and settings give the same s; more
findings never lower it; a reason names a kind of thing and its weight, and never repeats what the memory says. Source:
MaRS section 3.3.3 and appendix C; semantics sections 1 and 6.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from marskg.late_regex import late_regex
from marskg.ontology.fields import Label, every_text, saying
from marskg.ontology.mapping import quantise
from marskg.ontology.vocabulary import Kind, MemoryClass, SourceType
from marskg.privacy.redaction import Redactor, found_in_name
from marskg.privacy.sensing.model import OPTIONAL, TOPICS, WORDS, Category
from marskg.store.unit.preference_rules import forced_of
from marskg.store.unit.sensitivity import Sensed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from marskg.config import SensitivitySettings, Settings
    from marskg.drafts import Draft
    from marskg.privacy.sensing.detector import Detector
    from marskg.privacy.sensing.model import Finding
    from marskg.records import Memory

#: Where nobody speaks of themselves unless the memory says whom it is about.
_IMPERSONAL: Final = frozenset({SourceType.DOC, SourceType.API_RESULT})
_CUES: Final = {
    "social": "it is about how people relate",
    "purpose": "it is kept for a purpose that was consented to",
    "private": "its class is private",
}
_HIDDEN: Final = ", hidden in the text"
_ABOUT_NOBODY: Final = ", about nobody"
#: Where else than in a text something may stand. A summary has its sources' session and tags, and no key or source.
_IN_NAME: Final = ", in its key or source"
_IN_TAGS: Final = ", in its session or a tag"
#: The words of reasons that go where another text takes a memory's place.
_OF_TEXTS: Final = frozenset(
    words + hidden + source + about
    for words in WORDS.values()
    for hidden in ("", _HIDDEN)
    for source in ("", *(f", by {name}" for name in OPTIONAL))
    for about in ("", _ABOUT_NOBODY)
) | {words + _IN_NAME for words in WORDS.values()}
_REASON: Final = late_regex(r"(?P<words>.+): (?P<weight>[0-9.]+(?:e-[0-9]+)?)")


@dataclass(frozen=True, slots=True)
class _About:
    """What is known of a memory besides its text."""

    kind: Kind
    source_type: SourceType
    memory_class: MemoryClass | None
    purpose: tuple[str, ...]
    subjects: tuple[str, ...]
    #: Key and source; then session and tags. Whom it is about is no finding: names of people are what subjects are for.
    names: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @classmethod
    def of(cls, one: Memory | Draft, memory_class: MemoryClass | None) -> _About:
        """Return what is known of a draft or a memory, whose class is taken for ``memory_class``."""
        return cls(
            one.kind,
            one.source_type,
            memory_class,
            one.purpose,
            one.subjects,
            tuple(told.text for told in every_text(one) if told.field.label is Label.NAME),
            tuple(told.text for told in every_text(one) if told.field.label is Label.TAG),
        )


_NOTHING_KNOWN: Final = _About(Kind.EPISODIC, SourceType.CHAT_USER, None, (), ())


class Assessor:
    """Assesses drafts and memories by a tenant's settings; what it needs is loaded at the first text."""

    def __init__(self) -> None:
        """Load nothing yet."""
        self._settings: SensitivitySettings | None = None
        self._detector: Detector | None = None
        self._redactor: tuple[Detector, Redactor] | None = None

    def detector(self, settings: SensitivitySettings) -> Detector:
        """Return the detector that ``settings`` ask for.

        Raises:
            InvalidConfig: ``sensitivity.model`` chooses no model.
        """
        from marskg.privacy.sensing.detector import Detector  # noqa: PLC0415 - hundreds of patterns: only to read texts

        if self._detector is None or settings != self._settings:
            self._detector = Detector(settings)
            self._settings = settings
        return self._detector

    def redactor(self, settings: SensitivitySettings) -> Redactor:
        """Return what redacts by ``settings``; see :meth:`detector` for what is raised."""
        detector = self.detector(settings)
        if self._redactor is None or self._redactor[0] is not detector:
            self._redactor = (detector, Redactor(detector, settings))
        return self._redactor[1]

    def forget(self) -> None:
        """Drop the texts that were read ahead or redacted, and what readers got of them."""
        self._redactor = None
        if self._detector is not None:
            self._detector.foresee(())

    def texts(self, settings: Settings) -> Texts | None:
        """Return what measures texts that nobody stored; None where nothing is to be assessed."""
        if settings.sensitivity.assess == "off":
            return None
        return Texts(self, settings.sensitivity)

    def assessed(self, draft: Draft, settings: Settings) -> Draft:
        """Return a checked ``draft`` with its sensitivity and the reasons; as it is where nothing is to be assessed.

        Raises:
            EnvironmentFailure: the settings ask for presidio or a model, which is not installed.
        """
        if settings.sensitivity.assess == "off" or draft.action != "remember":
            # Reasons are templates: nobody else may write them.
            return replace(draft, sensitivity_reasons=()) if draft.sensitivity_reasons else draft
        about = _About.of(draft, draft.memory_class)
        measured = self._measured(saying(draft), about, settings.sensitivity)
        sensed = measured.at_least(draft.sensitivity)
        return replace(draft, sensitivity=sensed.value, sensitivity_reasons=sensed.reasons)

    def foresee(self, drafts: Iterable[Draft], settings: Settings) -> None:
        """Read what many drafts are about at once, for :meth:`assessed` of each of them soon."""
        if settings.sensitivity.assess != "off":
            wanted = [draft for draft in drafts if draft.action == "remember"]
            texts = [text for draft in wanted for text in saying(draft)]
            self.detector(settings.sensitivity).foresee(texts)

    def of_memory(self, memory: Memory, settings: Settings, content: str | None = None) -> Sensed | None:
        """Return what a stored memory, or another text for it, measures; None where nothing is to be assessed."""
        text = memory.content if content is None else content
        if settings.sensitivity.assess == "off" or text is None:
            return None
        # A class that follows from s says nothing about s.
        named = None if memory.memory_class is MemoryClass.PRIVATE and not _by_caller(memory) else memory.memory_class
        return self._measured(saying(replace(memory, content=text)), _About.of(memory, named), settings.sensitivity)

    def of_text(self, text: str, settings: SensitivitySettings) -> float:
        """Return what a text measures by itself, of which nothing else is known."""
        return self._measured((text,), _NOTHING_KNOWN, settings).value

    def _measured(self, texts: Iterable[str], about: _About, settings: SensitivitySettings) -> Sensed:
        detector = self.detector(settings)
        findings = [one for text in texts for one in detector.find(text)]
        weights: dict[str, float] = {}
        for category, words in _said(findings):
            weight = settings.weights[category]
            if category in TOPICS and about.source_type in _IMPERSONAL and not about.subjects:
                weight *= settings.impersonal
                words += _ABOUT_NOBODY  # noqa: PLW2901 - the reason grows
            weights[words] = quantise(weight)
        known = {one.category for one in findings}
        for where, labels in ((_IN_TAGS, about.tags), (_IN_NAME, about.names)):
            found = {category for label in labels for category in found_in_name(label, detector)} - known
            weights |= {WORDS[category] + where: quantise(settings.weights[category]) for category in found}
            known |= found
        for name in _cues(about):
            weights[_CUES[name]] = quantise(settings.cues[name])
        counted = {words: weight for words, weight in weights.items() if weight > 0}
        ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
        value = _total([weight for _, weight in ordered], settings.accumulation)
        return Sensed(value, tuple(f"{words}: {weight:g}" for words, weight in ordered))


class Texts:
    """Measures and redacts lines of summaries by a tenant's settings; remembers what it measured, for one plan."""

    def __init__(self, assessor: Assessor, settings: SensitivitySettings) -> None:
        """Measure with ``assessor``."""
        self._assessor = assessor
        self._settings = settings
        self._measured: dict[str, float] = {}

    def sensitivity(self, text: str) -> float:
        """Return what ``text`` measures by itself.

        Raises:
            EnvironmentFailure: the settings ask for presidio or a model, which is not installed.
        """
        if text not in self._measured:
            self._measured[text] = self._assessor.of_text(text, self._settings)
        return self._measured[text]

    def without(self, text: str, ceiling: float) -> str:
        """Return ``text`` with what weighs more than ``ceiling`` replaced; raises what :meth:`sensitivity` does."""
        return self._assessor.redactor(self._settings).surface(text, ceiling).text


def lasting(sensitivity: float, reasons: Iterable[str]) -> float:
    """Return the part of a memory's sensitivity that rewriting its text does not take away.

    That is what its caller gave, what a private entity forces, what it inherited and what is known of it besides its
    text; and all of it where a reason is none of this product's, or none is given (semantics section 6).
    """
    levels = [0.0]
    unexplained = True
    for reason in reasons:
        unexplained = False
        forced = forced_of((reason,))
        match = _REASON.fullmatch(reason)
        if forced is not None:
            levels.append(forced[1])
        elif match is None:
            return sensitivity
        elif match["words"] not in _OF_TEXTS:
            levels.append(float(match["weight"]))
    return sensitivity if unexplained else max(levels)


def _total(weights: Iterable[float], accumulation: float) -> float:
    """Return the largest weight, which each further one brings a part of the way nearer to 1."""
    ordered = sorted((weight for weight in weights if weight > 0), reverse=True)
    if not ordered:
        return 0.0
    left = (1.0 - ordered[0]) * (1.0 - accumulation) ** (len(ordered) - 1)
    return quantise(1.0 - left)


def _said(findings: Iterable[Finding]) -> Iterator[tuple[Category, str]]:
    """Yield each category that was found, with the words for it."""
    found: dict[Category, list[Finding]] = {}
    for one in findings:
        found.setdefault(one.category, []).append(one)
    for category in Category:
        if category in found:
            hides = all(one.hidden for one in found[category])
            yield category, WORDS[category] + (_HIDDEN if hides else "") + _found_by(found[category])


def _found_by(findings: Iterable[Finding]) -> str:
    """Return the name of the optional recogniser that alone found something: another installation would not."""
    sources = {one.optional for one in findings}
    return "" if None in sources else f", by {min(source for source in sources if source)}"


def _cues(about: _About) -> Iterator[str]:
    if about.kind is Kind.SOCIAL:
        yield "social"
    if about.purpose:
        yield "purpose"
    if about.memory_class is MemoryClass.PRIVATE:
        yield "private"


def _by_caller(memory: Memory) -> bool:
    return any(reason.startswith(_CUES["private"]) for reason in memory.sensitivity_reasons)
