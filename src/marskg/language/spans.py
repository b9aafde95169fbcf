"""The parts of a text that say something: where they are, whether they are all of it, and the text without them.

Guarantees: pure; a part has its first character and the one behind its last, counted from 0 (RFC 5147).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterable

Part: TypeAlias = tuple[int, int]

#: What stands where something was taken out.
GAP: Final = "[…]"
#: Characters beside the parts of a text that are known that may say something of their own.
_REST: Final = 32
_CHARACTERS: Final = late_regex(r"#char=(\d{1,9}),(\d{1,9})")


def characters(span: str, ident: str) -> Part | None:
    """Return the characters that the IRI ``span`` names, None where they are not of the memory ``ident``."""
    found = _CHARACTERS.fullmatch(span.removeprefix(ident)) if span.startswith(ident) else None
    part = (0, 0) if found is None else (int(found[1]), int(found[2]))
    return part if part[0] < part[1] else None


def parts_of(spans: Iterable[str], ident: str) -> tuple[Part, ...]:
    """Return the characters of the memory ``ident`` that ``spans`` name, as :func:`joined` gives them."""
    found = (characters(one, ident) for one in spans)
    return joined(one for one in found if one is not None)


def joined(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Return all that is in one of ``parts``, in the order of the text, none touching the next.

    >>> joined([(5, 9), (0, 3), (8, 12)])
    ((0, 3), (5, 12))
    """
    found: list[Part] = []
    for start, end in sorted(parts):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


def meet(parts: Iterable[Part], others: Iterable[Part]) -> bool:
    """Return whether one of ``parts`` has characters of one of ``others``."""
    there = [*others]
    return any(start < last and first < end for start, end in parts for first, last in there)


def says_more(size: int, parts: Iterable[Part]) -> bool:
    """Return whether a text of ``size`` characters may say something beside its ``parts``."""
    return size - sum(end - start for start, end in joined(parts)) >= _REST


def without(text: str, parts: Iterable[Part]) -> str:
    """Return ``text`` with a gap for each of its ``parts``.

    >>> without("I like tea. The key is under the pot.", [(0, 11)])
    '[…] The key is under the pot.'
    """
    kept, last = [], 0
    for start, end in joined(parts):
        kept.append(text[last:start])
        last = end
    return GAP.join((*kept, text[last:]))
