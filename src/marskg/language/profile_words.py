"""Words by which a sentence tells of a part of somebody's life: health, family, work and so on.

Guarantees: pure; a guess, which sorts and hides nothing. The words are data: ``profile_words.tsv``, from general
knowledge of the languages.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from marskg.text import terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def table_rows(table: str) -> Iterator[list[str]]:
    """Yield the cells of each row of a table of this package's folder, without its comments."""
    source = files("marskg").joinpath("language", table).read_text(encoding="utf-8")
    for line in source.splitlines():
        if line and line[0] != "#":
            yield line.split("\t")


@cache
def section_terms() -> Mapping[str, frozenset[str]]:
    """Return the index terms of each section, those of all languages together."""
    found: dict[str, set[str]] = {}
    for section, _, words in table_rows("profile_words.tsv"):
        found.setdefault(section, set()).update(term for word in words.split() for term in terms(word))
    return {section: frozenset(listed) for section, listed in found.items()}
