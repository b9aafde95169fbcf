"""Long texts shortened to a number of tokens by leaving sentences out, without a model.

Guarantees: what is shown of a text is pieces of it, word for word and in their order, with `` … `` where something was
left out; it never has more tokens than asked for, by the counter's own count; a text that fits is returned as it is, so
shortening twice to the same limit changes nothing. What would be left with fewer than ``minimum`` tokens is not shown
at all: None. The sentences of the passage that was found come first, then those that hold more of the query's terms,
then earlier ones. Of a very long text 65,536 characters are read at most, the first ones or those around that passage.
Source: MemoryArchitect II.E (summarisation of context, by a heuristic).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from marskg.text import sentences, terms, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from marskg.retrieval.assembly.context_window import Counter

GAP = " … "
_READ = 65_536
#: Characters that are read around a passage for each token that is wanted.
_AROUND = 32
#: Sentences that do not fit, one after another, before no further one is tried.
_TRIED = 8
_SPACE = re.compile(r"\s*")

#: ``[start, end)`` in the text.
_Span: TypeAlias = "tuple[int, int]"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What is shown of a text: ``text`` are its ``spans``, each ``[start, end)``, with marks for what lies between."""

    text: str
    spans: tuple[tuple[int, int], ...]
    tokens: int
    shortened: bool


def excerpt(
    text: str,
    limit: int,
    counter: Counter,
    *,
    query_terms: frozenset[str] = frozenset(),
    minimum: int = 8,
    passage: str | None = None,
    whole: int | None = None,
) -> Excerpt | None:
    """Return at most ``limit`` tokens of ``text``, None where less than ``minimum`` tokens of it would be left.

    A text that fits is returned whole, however short. Where no sentence fits, the beginning of the best one is taken.
    ``passage`` is the part of the text that was found; ``whole`` are the tokens of the text, if they are known.
    """
    if limit < 1:
        return None
    # A token has at least one character in common tokenizers but may have many: the count decides, not the length.
    whole = counter.count(text) if whole is None else whole
    if whole <= limit:
        return Excerpt(text, ((0, len(text)),), whole, shortened=False)
    if limit < minimum:
        return None
    there = None if passage is None else _place_of(passage, text)
    most = _READ if there is None else min(_READ, _AROUND * limit + there[1] - there[0])
    spans = _sentence_spans(text, 0 if there is None else there[0], most)
    order = _order(text, spans, query_terms, there)
    found = _made(text, _fitting(text, spans, order, limit, counter), counter)
    if found is None or found.tokens < minimum:
        # Every sentence that says enough is too long: as much of the most telling one as fits.
        long = next((spans[n] for n in order if counter.count(text[slice(*spans[n])]) >= minimum), None)
        found = None if long is None else _made(text, _beginning(text, long, limit, counter), counter)
    return found if found is not None and minimum <= found.tokens <= limit else None


def _made(text: str, spans: Sequence[_Span], counter: Counter) -> Excerpt | None:
    if not spans:
        return None
    shown = _joined(text, spans)
    return Excerpt(shown, tuple(spans), counter.count(shown), shortened=True)


def _place_of(passage: str, text: str) -> _Span | None:
    """Return where ``passage`` stands in ``text``, whatever white space is in it, None where it does not."""
    found = re.search(r"\s*".join(map(re.escape, passage.split())), text)
    return None if found is None else found.span()


def _sentence_spans(text: str, found: int, most: int) -> list[_Span]:
    """Return where the sentences of ``text`` stand, of ``most`` characters around the place ``found``."""
    spans = []
    end = max(0, min(found - most // 2, len(text) - most))
    # What is read begins and ends in the midst of a sentence where it is not all.
    cut = slice(1 if end else None, -1 if end + most < len(text) else None)
    read = sentences(text[end : end + most])
    for sentence in read[cut] or read:
        start = text.index(sentence, end)
        end = start + len(sentence)
        spans.append((start, end))
    return spans


def _order(text: str, spans: Sequence[_Span], query_terms: frozenset[str], there: _Span | None) -> list[int]:
    """Return the positions of the sentences, the most telling first: those ``there``, where something was found."""
    hits = [len(query_terms.intersection(terms(text[start:end]))) if query_terms else 0 for start, end in spans]
    found = [there is not None and start < there[1] and end > there[0] for start, end in spans]
    return sorted(range(len(spans)), key=lambda place: (not found[place], -hits[place], place))


def _fitting(text: str, spans: Sequence[_Span], order: Iterable[int], limit: int, counter: Counter) -> list[_Span]:
    """Return the sentences, taken in ``order`` while they fit, in the order of the text."""
    gap = counter.count(GAP)
    taken: list[int] = []
    used, missed = 2 * gap, 0
    for place in order:
        if used >= limit or missed == _TRIED:
            break
        cost = counter.count(text[slice(*spans[place])])
        # A mark stands before what does not follow on something that was taken.
        beside = sum(other in taken for other in (place - 1, place + 1))
        cost += gap * (1 - beside) if taken else 0
        missed += 1
        if used + cost <= limit:
            taken.append(place)
            used, missed = used + cost, 0
    while taken:
        found = _merged(text, [spans[n] for n in sorted(taken)])
        if counter.count(_joined(text, found)) <= limit:
            return found
        taken.pop()  # Tokens of some counters run across what is joined.
    return []


def _merged(text: str, spans: Sequence[_Span]) -> list[_Span]:
    """Return ``spans`` with those joined between which only white space stands."""
    merged: list[_Span] = []
    for start, end in spans:
        if merged and _skip_space(text, merged[-1][1]) == start:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def _skip_space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _beginning(text: str, span: _Span, limit: int, counter: Counter) -> list[_Span]:
    """Return as many of the first words of a sentence as fit."""
    ends = [span[0] + word.end for word in words(text[span[0] : span[1]])]
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        if counter.count(_joined(text, [(span[0], ends[middle - 1])])) <= limit:
            low = middle
        else:
            high = middle - 1
    return [(span[0], ends[low - 1])] if low else []


def _joined(text: str, spans: Sequence[_Span]) -> str:
    """Return the pieces with marks between them, and before and after them where text was left out."""
    if not spans:
        return ""
    shown = GAP.join(text[start:end] for start, end in spans)
    before = GAP.lstrip() if text[: spans[0][0]].strip() else ""
    after = GAP.rstrip() if text[spans[-1][1] :].strip() else ""
    return f"{before}{shown}{after}"
