"""Which turns assert a value: the sources that a fact derives from.

Guarantees: a pure function of the texts; the result is never empty where there are turns, because a fact of a session
was said somewhere in it: with no match, every turn is a source.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Below this share of a value's words in the best turn, the value counts as paraphrased beyond recognition.
_COVERAGE = 0.3
_SHORTEST_WORD = 4
#: Enough of a word to be recognised in its other forms.
_STEM = 6
_DIGIT_GROUPS = late_regex(r"(?<=\d)[,\u202f\u00a0'](?=\d{3}(?!\d))")
_NO_WORD = late_regex(r"[\W_]+")
_CURRENCIES = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}
_PRICE = late_regex(rf"([{''.join(_CURRENCIES)}])\s?([\d][\d,.]*)")


def supporting(value: str, texts: Sequence[str]) -> tuple[int, ...]:
    """Return the positions of the ``texts`` that assert ``value``.

    Those that contain it word for word; or else those that hold the most of its words, if that is at least 30 %; or
    else all of them.
    """
    wanted = _normalised(value)
    plain = [_normalised(text) for text in texts]
    literal = tuple(position for position, text in enumerate(plain) if f" {wanted} " in f" {text} ")
    if literal:
        return literal
    stems = _stems(wanted)
    shares = [len(stems & _stems(text)) / len(stems) if stems else 0.0 for text in plain]
    best = max(shares, default=0.0)
    if best >= _COVERAGE:
        return tuple(position for position, share in enumerate(shares) if share == best)
    return tuple(range(len(texts)))


def currency(amount: float, texts: Sequence[str]) -> str | None:
    """Return the ISO 4217 code of the currency in which one of ``texts`` states ``amount``, if one does."""
    for text in texts:
        for sign, digits in _PRICE.findall(text):
            plain = digits.rstrip(".,").replace(",", "")
            if plain.count(".") <= 1 and float(plain) == amount:
                return _CURRENCIES[sign]
    return None


def _normalised(text: str) -> str:
    """Return ``text`` as lower-case words between single blanks, with the groups of a number joined."""
    folded = _DIGIT_GROUPS.sub("", unicodedata.normalize("NFKC", text).casefold())
    return _NO_WORD.sub(" ", folded).strip()


def _stems(normalised: str) -> set[str]:
    return {word[:_STEM] for word in normalised.split() if len(word) >= _SHORTEST_WORD or word.isdigit()}
