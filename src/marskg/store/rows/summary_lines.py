"""The lines of a summary as the graph keeps them: one string each, sorted by their number.

Guarantees: ``decode(encode(lines)) == lines`` for lines of at least one letter without line breaks; a string that is
not in the form is a line without sources, which counts as resting on all that the summary rests on, so that what
somebody wrote by hand leaves too early rather than too late.

The form is ``NUMBER verbatim|rewritten SENSITIVITY EXPIRY|- SOURCE[,SOURCE…]|- TEXT``, for example::

    0002 verbatim 0.25 2026-05-01T00:00:00Z urn:uuid:…,urn:uuid:… She waters the tomatoes twice a week.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from marskg.late_regex import late_regex
from marskg.ontology.mapping import decimal_lexical, time_lexical, time_value
from marskg.records import SummaryLine
from marskg.shapes.gate import NODE_ID_PATTERN

if TYPE_CHECKING:
    from collections.abc import Iterable

_VERBATIM: Final = "verbatim"
_REWRITTEN: Final = "rewritten"
_NONE: Final = "-"
_LINE: Final = late_regex(
    rf"([0-9]{{4}}) ({_VERBATIM}|{_REWRITTEN}) (0(?:\.[0-9]{{1,6}})?|1) (-|[0-9T:.-]{{19,23}}Z) "
    rf"(-|{NODE_ID_PATTERN}(?:,{NODE_ID_PATTERN})*) (\S.*)"
)
#: Lines that a summary may have: the number has four digits.
MAX_LINES: Final = 10_000


def encode(lines: Iterable[SummaryLine]) -> tuple[str, ...]:
    """Return the lines as the graph keeps them, in their order."""
    return tuple(
        " ".join(
            (
                f"{number:04d}",
                _VERBATIM if line.verbatim else _REWRITTEN,
                decimal_lexical(line.sensitivity),
                _NONE if line.expires_at is None else time_lexical(line.expires_at),
                ",".join(line.sources) or _NONE,
                line.text,
            )
        )
        for number, line in enumerate(lines)
    )


def decode(stored: Iterable[str]) -> tuple[SummaryLine, ...]:
    """Return the lines that :func:`encode` wrote."""
    return tuple(_decoded(text) for text in sorted(stored))


def _decoded(text: str) -> SummaryLine:
    match = _LINE.fullmatch(text)
    if match is None:
        return SummaryLine(text, (), verbatim=False, sensitivity=1.0)
    _, form, sensitivity, expiry, sources, words = match.groups()
    try:
        expires_at = None if expiry == _NONE else time_value(expiry)
    except ValueError:
        return SummaryLine(text, (), verbatim=False, sensitivity=1.0)
    return SummaryLine(
        text=words,
        sources=() if sources == _NONE else tuple(sources.split(",")),
        verbatim=form == _VERBATIM,
        sensitivity=float(sensitivity),
        expires_at=expires_at,
    )


def reattributed(stored: Iterable[str], content: str) -> tuple[str, ...]:
    """Return the lines of a summary that somebody gave another text: what was not a line of it rests on all of them."""
    lines = decode(stored)
    if not lines:
        return ()
    known = {line.text: line for line in lines}
    unknown = SummaryLine(
        "",
        tuple(sorted(sources_of(lines))),
        verbatim=False,
        sensitivity=max(line.sensitivity for line in lines),
        expires_at=first_expiry(lines),
    )
    texts = [text for line in content.splitlines() if (text := " ".join(line.split()))]
    return encode(known.get(text, replace(unknown, text=text)) for text in texts)


def sources_of(lines: Iterable[SummaryLine]) -> frozenset[str]:
    """Return the ids of all original memories behind ``lines``."""
    return frozenset(source for line in lines for source in line.sources)


def first_expiry(lines: Iterable[SummaryLine]) -> int | None:
    """Return when the first of ``lines`` leaves, None for never."""
    return min((line.expires_at for line in lines if line.expires_at is not None), default=None)


def without(lines: Iterable[SummaryLine], leaving: frozenset[str], now: int) -> tuple[SummaryLine, ...]:
    """Return the lines that stay when the memories ``leaving`` go, and what has expired at ``now`` with them.

    A line leaves with any of its sources; one whose sources nobody knows leaves with whatever leaves.
    """
    return tuple(
        line
        for line in lines
        if not leaving.intersection(line.sources)
        and (line.sources or not leaving)
        and (line.expires_at is None or line.expires_at > now)
    )
