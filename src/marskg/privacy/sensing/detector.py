"""All detectors together: what in a text is personal or secret, wherever it hides.

Guarantees: the same text gives the same findings, in the order of the text and without overlaps, which point into the
text as given; the text is read as it stands and in each form in which something hidden is seen
(:mod:`marskg.language.identifiers.deobfuscation`); a text of any length is read in windows, so that time grows with length only.
Presidio, where it is used, is asked where something looks like an identifier that the recognisers here did not find.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from marskg.language.identifiers import table
from marskg.language.identifiers.deobfuscation import reworded, views
from marskg.late_regex import late_regex
from marskg.privacy.sensing import attributes, introductions
from marskg.privacy.sensing.model import TOPICS, Finding, identifiers_of, united
from marskg.privacy.sensing.ner import NONE, NamedEntities
from marskg.privacy.sensing.presidio import NAME, chosen
from marskg.privacy.sensing.prototypes import Topics

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from marskg.config import SensitivitySettings

#: Characters that are read at once, and how many of them the next window repeats.
WINDOW: Final = 16_384
_OVERLAP: Final = 512
#: What could be an identifier of a form that only presidio knows; none has more than 64 characters, and no further is
#: looked from any of them.
_CANDIDATE: Final = late_regex(
    r"(?<![\w.,])(?=[\w-]{0,63}\d)(?:[A-Z]{1,6}[ -]?\d{5,}[A-Z]?\w*|\d{5,}[A-Z]\w*|\d(?:[ ./-]?\d){6,}"
    r"|(?=[A-Z0-9]{7,64}(?!\w))[A-Z0-9]*\d[A-Z0-9]*[A-Z][A-Z0-9]{5,}"
    r"|(?:bc1|[13])[a-km-zA-HJ-NP-Z0-9]{25,59}|[A-Z]{2}\d{5}[A-Z]{2})(?!\w)",
    re.IGNORECASE,
)
_DATE_OR_TIME: Final = late_regex(
    r"\d{4}[-./]\d{1,2}[-./]\d{1,2}(?:[T ]\d{1,2}.*)?|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}|(?:19|20)\d{2}\s?-\s?(?:19|20)\d{2}"
)


class Detector:
    """Finds what is sensitive in texts, as the settings ask for; loads what it needs when it first needs it."""

    def __init__(self, settings: SensitivitySettings) -> None:
        """Read texts by ``settings``.

        Raises:
            InvalidConfig: ``sensitivity.model`` chooses no model.
            EnvironmentFailure: ``sensitivity.presidio`` is ``on``, and presidio is not installed.
        """
        self._presidio = chosen(settings.presidio)
        self._names = None if settings.model == NONE else NamedEntities(settings.model)
        self._topics = Topics(settings.topic_margin)

    @property
    def recognisers(self) -> tuple[str, ...]:
        """Return what reads texts here: ``own`` and ``topics`` always, then those that are optional."""
        names = () if self._names is None else (self._names.spec,)
        return ("own", "topics", *(() if self._presidio is None else (NAME,)), *names)

    def surface(self, text: str) -> list[Finding]:
        """Return what has a form of its own: all but what a passage is about."""
        found: list[Finding] = []
        for start in range(0, max(1, len(text)), WINDOW - _OVERLAP):
            window = text[start : start + WINDOW]
            found += [replace(one, start=one.start + start, end=one.end + start) for one in self._in_window(window)]
            if start + WINDOW >= len(text):
                break
        return united(found)

    def foresee(self, texts: Sequence[str]) -> None:
        """Read what many texts are about at once, for :meth:`topics` of each of them soon."""
        self._topics.foresee([form for text in texts for form in (text, *(view.text for view in reworded(text)))])

    def topics(self, text: str) -> list[Finding]:
        """Return the passages that are about health, personal finance or a protected attribute."""
        if not text.strip():
            return []
        found = self._about(text)
        for view in reworded(text):
            for one in self._about(view.text):
                start, end = view.span(one.start, one.end)
                found.append(replace(one, start=start, end=end, hidden=True))
        if self._names is not None:
            found += [one for one in self._names.find(text) if one.category in TOPICS]
        return sorted(found)

    def find(self, text: str) -> list[Finding]:
        """Return everything: what has a form of its own first, then what passages are about.

        Raises:
            EnvironmentFailure: presidio or the model of names is asked for and not installed.
        """
        return [*self.surface(text), *self.topics(text)]

    def _about(self, text: str) -> list[Finding]:
        return [*self._topics.find(text), *attributes.find(text)]

    def _in_window(self, text: str) -> Iterator[Finding]:
        yield from self._plain(text)
        for view in views(text):
            for one in self._plain(view.text):
                start, end = view.span(one.start, one.end)
                yield Finding(start, end, one.category, one.rule, hidden=view.hides)
        if self._names is not None:
            yield from (one for one in self._names.find(text) if one.category not in TOPICS)

    def _plain(self, text: str) -> list[Finding]:
        found = [*identifiers_of(table.personal(text)), *introductions.find(text)]
        if self._presidio is not None and _is_left(text, found):
            found += self._presidio.find(text)
        return found


def _is_left(text: str, found: list[Finding]) -> bool:
    """Return whether something looks like an identifier and was not found."""
    for match in _CANDIDATE.finditer(text):
        inside = any(one.start < match.end() and match.start() < one.end for one in found)
        if not inside and not _DATE_OR_TIME.fullmatch(match[0]):
            return True
    return False
