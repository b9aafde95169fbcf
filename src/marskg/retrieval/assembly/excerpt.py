"""Long texts shortened to a number of tokens by leaving sentences out, without a model.

Guarantees: what is shown of a text is whole sentences of it, word for word and in their order, with `` … `` where
something was left out, so that no word is shown without the "not" of its sentence, in any language; only of what the
user did not say, a run of English words without an end that denies nothing is parted. It never has more tokens than
asked for, by the counter's own count; a text that fits is returned as it is, so shortening twice to the same limit
changes nothing. What would be left with fewer than ``minimum`` tokens, or has no sentence that fits, is not shown at
all: None. The sentences of the passage that was found come first, then those that hold more of the query's terms, then
earlier ones. Of a very long text 65,536 characters are read at most, the first ones or those around that passage.
Source: MemoryArchitect II.E (summarisation of context, by a heuristic); semantics section 9; ADR 89.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from marskg.language.whole_sentences import may_part, whole_sentences
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import SourceType
from marskg.text import terms, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from marskg.retrieval.assembly.context_window import Counter

GAP = " … "
_READ = 65_536
#: Characters that are read around a passage for each token that is wanted.
_AROUND = 32
#: Words that are shown before the first one of the query.
_BEFORE = 8
#: Sentences that do not fit, one after another, before no further one is tried.
_TRIED = 8
_SPACE = late_regex(r"\s*")

#: Whose word is never parted: the user's, and what is made of it.
_WHOLE = frozenset([SourceType.CHAT_USER, SourceType.REFLECTION])

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
    passage: _Span | None = None,
    whole: int | None = None,
    source: SourceType = SourceType.CHAT_USER,
) -> Excerpt | None:
    """Return at most ``limit`` tokens of ``text``, None where less than ``minimum`` tokens of it would be left.

    A text that fits is returned whole, however short. Where no sentence fits, the beginning of the best one is taken
    that may be parted, if there is one. ``passage`` is where the part of the text begins and ends that was found;
    ``whole`` are the tokens of the text, if they are known; ``source`` is whose word it is.
    """
    if limit < 1:
        return None
    # A token has at least one character in common tokenizers but may have many: the count decides, not the length.
    whole = counter.count(text) if whole is None else whole
    if whole <= limit:
        return Excerpt(text, ((0, len(text)),), whole, shortened=False)
    if limit < minimum:
        return None
    read = _Read.of(text, passage, _READ if passage is None else min(_READ, _AROUND * limit), source)
    spans, order = read.spans, _order(text, read.spans, query_terms, passage)
    best = spans[order[0]] if order and passage is not None else None
    if best in read.partable and counter.count(_joined(text, [best])) > limit:
        return _worth(_made(text, _around(text, best, query_terms, limit, counter), counter), minimum, limit)
    found = _made(text, _fitting(text, spans, order, limit, counter), counter)
    if found is None or found.tokens < minimum:
        # Every sentence that says enough is too long: as much of the most telling one as fits, if it may be parted.
        partable = (spans[n] for n in order if spans[n] in read.partable)
        long = next((span for span in partable if counter.count(text[slice(*span)]) >= minimum), None)
        found = None if long is None else _made(text, _beginning(text, long, limit, counter), counter)
    return _worth(found, minimum, limit)


def _worth(found: Excerpt | None, minimum: int, limit: int) -> Excerpt | None:
    return found if found is not None and minimum <= found.tokens <= limit else None


def _made(text: str, spans: Sequence[_Span], counter: Counter) -> Excerpt | None:
    if not spans:
        return None
    shown = _joined(text, spans)
    return Excerpt(shown, tuple(spans), counter.count(shown), shortened=True)


@dataclass(frozen=True, slots=True)
class _Read:
    """What is read of a text: ``spans`` are its sentences, in order; ``partable`` are those that may be parted."""

    spans: list[_Span]
    partable: frozenset[_Span]

    @classmethod
    def of(cls, text: str, there: _Span | None, most: int, source: SourceType) -> _Read:
        """Read the first ``most`` characters of ``text``, or ``there`` and as many around, but only whole sentences.

        What is ``there`` is cut out of a longer sentence only where that may be parted.
        """
        window = (0, most) if there is None else (max(0, there[0] - most // 2), there[1] + most // 2)
        spans: list[_Span] = []
        partable: list[_Span] = []
        for span, whole in _sentence_spans(text, window, lines=source is not SourceType.CHAT_USER):
            if source not in _WHOLE and may_part(text[slice(*span)]):
                parts = [
                    part
                    for part in _parted(text, span, there or window)
                    if _is_inside(part, window) or _meet(part, there)
                ]
                spans += parts
                partable += parts
            elif whole and (_is_inside(span, window) or _meet(span, there)):
                spans.append(span)
        return cls(spans, frozenset(partable))


def _sentence_spans(text: str, window: _Span, *, lines: bool) -> Iterator[tuple[_Span, bool]]:
    """Yield the sentences that reach into ``window``, each with whether it surely stands there whole."""
    first, last = max(0, window[0] - _READ // 2), window[1] + _READ // 2
    found = whole_sentences(text[first:last], lines=lines)
    for place, (start, end) in enumerate(found):
        span = first + start, first + end
        if _meet(span, window):
            cut = (first and not place) or (last < len(text) and place == len(found) - 1)
            yield span, not cut


def _is_inside(span: _Span, window: _Span) -> bool:
    return window[0] <= span[0] and span[1] <= window[1]


def _meet(span: _Span, other: _Span | None) -> bool:
    return other is not None and span[0] < other[1] and other[0] < span[1]


def _parted(text: str, span: _Span, there: _Span) -> Iterator[_Span]:
    """Yield the parts of ``span`` before, in and after ``there``, without the white space around them."""
    bounds = (span[0], *(place for place in there if span[0] < place < span[1]), span[1])
    for start, end in pairwise(bounds):
        said = text[start:end]
        if part := said.strip():
            first = start + said.index(part)
            yield first, first + len(part)


def _order(text: str, spans: Sequence[_Span], query_terms: frozenset[str], there: _Span | None) -> list[int]:
    """Return the positions of the sentences, the most telling first: those ``there``, where something was found."""
    hits = [len(query_terms.intersection(terms(text[start:end]))) if query_terms else 0 for start, end in spans]
    found = [_meet(span, there) for span in spans]
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


def _around(text: str, span: _Span, query_terms: frozenset[str], limit: int, counter: Counter) -> list[_Span]:
    """Return as many words of a sentence as fit, from a few before the first that the query has."""
    found = [*words(text[slice(*span)])]
    asked = (place for place, word in enumerate(found) if not query_terms.isdisjoint(terms(word.text)))
    place = next(asked, None)
    start = 0 if place is None else found[max(0, place - _BEFORE)].start
    return _beginning(text, (span[0] + start, span[1]), limit, counter)


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
