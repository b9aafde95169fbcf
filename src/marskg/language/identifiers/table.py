"""The one table of identifiers, and what is found by it in a text.

Who guards reading, redacts, sums up or compares names asks here, and recognises none by itself.

Guarantees: pure functions; a text is read as it stands and in each form in which something hidden is seen
(:mod:`marskg.language.identifiers.deobfuscation`); what is found points into the text as given. What is generalised
holds nothing that :func:`personal` or :func:`everything` finds; generalising twice changes nothing; a text without an
identifier is returned as it is. A further identifier is a row with a sample and a counter-sample, and a test makes
others of its sort from the sample and asks all who read this table.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from marskg.language.identifiers import contacts, national, references, tokens, told
from marskg.language.identifiers.deobfuscation import views
from marskg.language.identifiers.model import SAYS, Found, Identifier, apart
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Every identifier that is known.
TABLE: Final[tuple[Identifier, ...]] = (
    *contacts.ROWS, *national.ROWS, *tokens.ROWS, *told.ROWS, *references.ROWS
)  # fmt: skip
#: The most of one text that is looked at; a line of a summary is a sentence.
MOST_CHARACTERS: Final = 20_000
#: What takes the place of identifiers.
KINDS: Final = tuple(
    sorted(
        {
            *SAYS.values(),
            "(link)",
            "(account name)",
            "(place)",
            "(postcode)",
            "(network address)",
            "(phone number)",
            "(number)",
        }
    )
)
_KIND: Final = late_regex("|".join(map(re.escape, KINDS)))


def personal(text: str) -> list[Found]:
    """Return the identifiers of people, and what lets in, in ``text`` as it stands; they may overlap."""
    return [*contacts.find(text), *national.find(text), *tokens.find(text), *told.find(text)]


def everything(text: str) -> list[Found]:
    """Return these, and what names a thing, in ``text`` as it stands; they may overlap."""
    return [*personal(text), *references.find(text)]


def without_kinds(text: str) -> str:
    """Return a text without the words that took the place of identifiers: nobody said them."""
    return _KIND.sub(" ", text)


def generalised(text: str) -> tuple[str, int]:
    """Return ``text`` with a word for what it is in the place of each identifier, and how many there were."""
    text = text[:MOST_CHARACTERS]
    count = 0
    while True:
        found = list(_left(text, _seen(text, everything)))
        if not found:
            return text, count
        count += len(found)
        for one in reversed(found):
            text = text[: one.start] + one.says + text[one.end :]


def _seen(text: str, find: Callable[[str], list[Found]]) -> list[Found]:
    """Return what ``find`` finds in ``text`` and in its other forms, without overlaps."""
    found = find(text)
    for view in views(text):
        for one in find(view.text):
            start, end = view.span(one.start, one.end)
            found.append(replace(one, start=start, end=end, hidden=view.hides))
    return apart(found)


def _left(text: str, found: list[Found]) -> Iterator[Found]:
    """Yield what is found in ``text`` outside the words that took the place of something."""
    taken = [match.span() for match in _KIND.finditer(text)]
    for one in found:
        start = one.start
        for first, last in taken:
            if last <= start or first >= one.end:
                continue
            if first > start and _says(text[start:first]):
                yield replace(one, start=start, end=first)
            start = max(start, last)
        if start < one.end and _says(text[start : one.end]):
            yield replace(one, start=start)


def _says(text: str) -> bool:
    return any(one.isalnum() for one in text)
