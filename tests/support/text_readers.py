"""Everything in the product that reads a text, as functions of one text that return nothing of interest.

Pure readers need no store: :func:`pure`. :class:`Doors` takes the same texts through the doors of one store. What is
refused with a ``MarsError`` is answered; anything else is :func:`fault`.
"""

from __future__ import annotations

import traceback
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Final

from marskg.config import SensitivitySettings
from marskg.drafts import EntityRef
from marskg.entities.recogniser import Recogniser
from marskg.errors import MarsError
from marskg.extraction.by_rules import RuleExtractor
from marskg.extraction.proposal import Turn
from marskg.language.en.question_words import asks
from marskg.language.en.time_words import mentions
from marskg.language.en.topics import topics_of
from marskg.language.en.wish_phrases import parse_wishes
from marskg.language.en.withdrawals import withdrawals
from marskg.language.mentions import KnownNames
from marskg.language.naming.asked import matcher_of_asked, names_asked
from marskg.language.naming.matcher import NameMatcher
from marskg.language.times import times_asked
from marskg.learning.rules.conflict_detection import Statement, conflict
from marskg.learning.rules.rebuttal import rebuts
from marskg.learning.rules.usage_detection import find_usage
from marskg.privacy.redaction import Redactor
from marskg.privacy.sensing.detector import Detector
from tests.support.shuffled import shortest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from marskg.memory import AgentMemory


#: What readers compare a text with, and the name that they look for in it.
_HELD: Final = (
    ("a", "Maria Silva is allergic to peanut butter and lives in Graz"),
    ("b", "Tom no longer has 12 tomatoes on Monday at 10 AM"),
    ("c", "Meine Schwester wohnt nicht mehr in Köln"),
    ("d", "我姐姐已经不住在北京了"),
)
_NAMES: Final = ("Maria Silva", "van der Berg", "李娜", "Ольга Петровна", "+49 30 1234567", "O'Brien-Smith")
_NOW: Final = 1_780_000_000_000
_ASKED_FOR: Final = 200
#: Pure readers that take milliseconds for a text.
SLOW: Final = frozenset(
    {
        "name",
        "sensing",
        "redaction",
        "usage",
        "usage of the text",
        "facts",
        "facts of a speaker",
        "conflicts with itself",
    }
)


def pure() -> Mapping[str, Callable[[str], object]]:
    """Return the readers that need no store, by name; made once, as they load what they need."""
    settings = SensitivitySettings()
    detector = Detector(settings)
    redactor = Redactor(detector, settings)
    recogniser = Recogniser(dictionary=[EntityRef("Maria Silva", aliases=("Maria",)), EntityRef("art form")])
    known = KnownNames([EntityRef("Tom Weber"), EntityRef("tomatoes")])
    matcher = NameMatcher(_NAMES)
    rules = RuleExtractor()

    def asked_for(text: str) -> object:
        """Read a text as what somebody asks to forget: as a name, and as words with a name among them."""
        name = text[:_ASKED_FOR]
        found = matcher_of_asked(name)
        return names_asked(name), NameMatcher([name]).judge([*_NAMES, text], [text]), found and found.read(text)

    return {
        "names, things and relations": lambda text: recogniser.find(text, speaker="Ana", known=known),
        "facts": lambda text: list(rules.extract([Turn("Where do you live?", 0, None, "assistant"), Turn(text, _NOW)])),
        "facts of a speaker": lambda text: list(rules.extract([Turn(text, _NOW, "Tom"), Turn(text, _NOW, "Ana")])),
        "fields of a document": lambda text: list(rules.extract([Turn(text, _NOW, None, "doc", "s")])),
        "question": asks,
        "times": lambda text: times_asked(text, _NOW, UTC, mentions, years=(1, 2026, 9999)),
        "wishes": parse_wishes,
        "withdrawals": withdrawals,
        "topics": topics_of,
        "usage": lambda text: find_usage(text, (*_HELD, ("e", text[::2])), text[:_ASKED_FOR]),
        "usage of the text": lambda text: find_usage(_HELD[0][1], [("a", text), *_HELD], _HELD[1][1]),
        "conflicts": lambda text: [conflict(Statement(text), Statement(held)) for _, held in _HELD],
        "conflicts with itself": lambda text: conflict(Statement(text), Statement(f"no longer {text}")),
        "rebuttals": lambda text: [rebuts(text, held, text) + rebuts(held, text) for _, held in _HELD],
        "sought names": lambda text: matcher.judge([text], [text]),
        "name": asked_for,
        "sensing": detector.find,
        "redaction": redactor.surface,
    }


class Doors:
    """The doors of one store that read texts; what one text leaves there, the next one meets."""

    def __init__(self, memory: AgentMemory) -> None:
        """Read through ``memory``, which has something to find."""
        self._memory = memory
        memory.learn([{"role": "user", "content": held} for _, held in _HELD])

    def all(self) -> Mapping[str, Callable[[str], object]]:
        """Return the doors by name."""
        memory = self._memory
        return {
            "remember": memory.remember,
            "learn": lambda text: memory.learn([{"role": "user", "content": text}]),
            "learn from a speaker": lambda text: memory.learn([{"role": "user", "speaker": "Tom", "content": text}]),
            "retrieve": memory.retrieve,
            "recall": memory.recall,
            "profile": memory.profile,
            "feedback": self._feedback,
            "erase": lambda text: memory.erase(entity=text, dry_run=True),
            "erase a subject": lambda text: memory.erase(subject=text, dry_run=True),
            "wish": lambda text: memory.learning.wish(f"forget about {text}", dry_run=True),
            "wish itself": lambda text: memory.learning.wish(text, dry_run=True),
        }

    def _feedback(self, text: str) -> object:
        shown = self._memory.retrieve("allergic tomatoes Köln")
        return self._memory.feedback(str(shown.id), answer=text, question=text, complaint=text)


def fault(reader: Callable[[str], object], text: str) -> Exception | None:
    """Have a text read; return what a reader raised that is no refusal."""
    try:
        reader(text)
    except MarsError:
        return None
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        return error
    return None


def told(name: str, reader: Callable[[str], object], text: str) -> str | None:
    """Return what is wrong with how a text is read, with the shortest text of which that is so; None for nothing."""
    found = fault(reader, text)
    if found is None:
        return None

    def fails(some: str) -> bool:
        return type(fault(reader, some)) is type(found)

    least = shortest(text, fails)
    where = traceback.extract_tb(found.__traceback__)[-1]
    return f"{name}: {found!r} at {Path(where.filename).name}:{where.lineno} for {least!r}"
