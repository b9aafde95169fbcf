"""Given names that are known, and what people of them are called besides: the table ``familiar.tsv``.

Guarantees: pure; names are in the loose form. A name that is missing is told from no other word by it; nothing is ever
surely somebody's because it is listed. Source: semantics section 5.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from marskg.language.naming.spellings import loose_form, name_form

if TYPE_CHECKING:
    from collections.abc import Mapping


def familiar_to(name: str) -> frozenset[str]:
    """Return what somebody of a given name may be called besides, in the loose form."""
    return familiar_names().get(name, frozenset())


def is_given(word: str) -> bool:
    """Return whether a word is a given name that is known, in full or familiar."""
    return folded(word) in familiar_names()


@cache
def familiar_names() -> Mapping[str, frozenset[str]]:
    """Return by given name, in the loose form, the others of its rows."""
    found: dict[str, set[str]] = {}
    source = files("marskg").joinpath("language", "naming", "familiar.tsv").read_text(encoding="utf-8")
    for line in source.splitlines():
        if line and line[0] != "#":
            name, others = line.split("\t")
            row = [folded(one) for one in (name, *others.split())]
            found.setdefault(row[0], set()).update(row[1:])
            for one in row[1:]:
                found.setdefault(one, set()).add(row[0])
    return {name: frozenset(others - {name}) for name, others in found.items()}


@lru_cache(50_000)
def folded(word: str) -> str:
    """Return a word in the loose form, without blanks."""
    return loose_form(name_form(word)).replace(" ", "")
