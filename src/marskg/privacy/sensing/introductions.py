"""Names of people who are introduced: "my name is …", "Dr. …", "my sister …".

Guarantees: pure functions; a name in running text that nobody introduces is not found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.language.en.personal.particulars import PARTICULARS
from marskg.privacy.sensing.model import Category, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator


def find(text: str) -> Iterator[Finding]:
    """Yield the names of people whom ``text`` introduces."""
    lower = text.casefold()
    for pattern, words in PARTICULARS.introductions:
        if not words or any(word in lower for word in words):
            for match in pattern.finditer(text):
                group = match.lastindex or 1
                if match[group].split()[0].rstrip(".") not in PARTICULARS.no_names:
                    yield Finding(match.start(group), match.end(group), Category.NAME, "introduced")
