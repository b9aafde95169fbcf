"""The default summariser: the sentences of a cluster that together cover most of it, without a model.

Guarantees: pure and deterministic; each line is a sentence of a constituent, word for word, or with identifiers in
general words; the lines never have more tokens than asked for, by the counter's own count; nothing above the ceiling
of sensitivity is said. What a sentence asks of its reader counts for nothing: it is terms and tokens.

The value of a set of sentences is monotone and submodular: the weight of the terms that it covers, where a term weighs
the logarithm of how many constituents use it, numbers, names and words that are none of the language's common ones
twice as much, since they are what a summary is asked for later; and for each constituent the root of the share of its
own terms that is covered, so that none is silenced by the others. Chosen greedily by gain per token, a line's own cost
of attention included so that greetings do not win by being short, and a question's price raised, against the best
single sentence (semantics section 12 gives why). What a summary says already counts as chosen, and costs nothing.
Sources: Lin and Bilmes 2011 (submodular summarisation); MaRS section 3.3.2.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter as Tally
from typing import TYPE_CHECKING, Final

from marskg.language.en.lexicon import Is, flags, guessed
from marskg.reflection.summariser import Proposal, line_of, text_of
from marskg.text import folded, terms, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.reflection.passages import Sentence
    from marskg.reflection.summariser import Counter, Request

_MICRO: Final = 1_000_000
#: How much more a number, a name or an uncommon word counts than another word.
_SPECIFIC: Final = 2.0
#: How much it counts that a constituent is heard, beside what is said.
_HEARD: Final = 2.0
#: Tokens that every line counts as beside its own in the order of choice, never in the limit.
_LINE: Final = 4
#: How many times its price a question has.
_QUESTION: Final = 3


class ExtractiveSummariser:
    """Chooses sentences."""

    name: Final = "extractive"
    calls: Final = 0
    rests: Final = False

    def __init__(self, counter: Counter) -> None:
        """Weigh by ``counter``, which must be the store's."""
        self._counter = counter

    def summarise(self, request: Request) -> Proposal:
        """Return the sentences that cover most of the constituents within the tokens asked for, in their order."""
        said = request.said()
        tokens = [self._counter.count(sentence.text) for sentence in said]
        opened = {sentence.text for sentence in request.opening}
        fitting = [
            place for place, cost in enumerate(tokens) if 0 < cost <= request.tokens and said[place].text not in opened
        ]
        coverage = _Coverage([said[place] for place in fitting], len(request.constituents), request.opening)
        chosen = coverage.choose([tokens[place] for place in fitting], request.tokens)
        lines = [line_of(said[fitting[place]]) for place in sorted(chosen)]
        # Weights add up over line breaks for this counter, but a counter may be another: the exact count decides.
        while lines and self._counter.count(text_of(lines)) > request.tokens:
            lines.pop()
        return Proposal(tuple(lines))


class _Coverage:
    """The value of sets of sentences beside those of the ``opening``, in millionths."""

    def __init__(self, sentences: Sequence[Sentence], constituents: int, opening: Sequence[Sentence] = ()) -> None:
        self._terms = [frozenset(terms(sentence.text)) for sentence in sentences]
        self._asks = [sentence.text.rstrip("\"')” ").endswith(("?", "？")) for sentence in sentences]
        self._said_by = [sentence.said_by for sentence in sentences]
        self._opened = frozenset(term for sentence in opening for term in terms(sentence.text))
        self._opened_by = frozenset(place for sentence in opening for place in sentence.said_by)
        own: list[set[str]] = [set() for _ in range(constituents)]
        for sentence in (*opening, *sentences):
            found = terms(sentence.text)
            for place in sentence.said_by:
                own[place].update(found)
        used = Tally(term for found in own for term in found)
        specific = _specific([*opening, *sentences])
        self._weights = {
            term: math.log1p(count) * (_SPECIFIC if term in specific else 1.0) for term, count in used.items()
        }
        self._totals = [sum(self._weights[term] for term in sorted(found)) for found in own]
        self._own = own

    def _price(self, place: int, cost: int) -> int:
        """Return what a sentence counts as in the order of choice: a question asserts nothing, so it comes later."""
        return (cost + _LINE) * (_QUESTION if self._asks[place] else 1)

    def choose(self, tokens: Sequence[int], limit: int) -> list[int]:
        """Return the positions of the sentences with the most value within ``limit`` tokens."""
        singles = [self.value([place]) for place in range(len(tokens))]
        greedy = self._greedy(tokens, limit, singles)
        alone = max(range(len(tokens)), key=lambda place: (singles[place], -place), default=None)
        if alone is not None and singles[alone] > self.value(greedy):
            return [alone]
        return greedy

    def _greedy(self, tokens: Sequence[int], limit: int, singles: Sequence[int]) -> list[int]:
        """Choose by gain per token; a gain only shrinks as the set grows, so a stale one is an upper bound."""
        chosen: list[int] = []
        value, left = self.value([]), limit
        queue = [(-(singles[place] - value) // self._price(place, cost), place, 0) for place, cost in enumerate(tokens)]
        heapq.heapify(queue)
        while queue:
            _, place, size = heapq.heappop(queue)
            if tokens[place] > left:
                continue
            gain = self.value([*chosen, place]) - value
            if gain <= 0:
                continue
            if size != len(chosen):
                heapq.heappush(queue, (-gain // self._price(place, tokens[place]), place, len(chosen)))
                continue
            chosen.append(place)
            value += gain
            left -= tokens[place]
        return chosen

    def value(self, chosen: Sequence[int]) -> int:
        """Return the value of a set of sentences and the opening."""
        covered = self._opened.union(*(self._terms[place] for place in chosen))
        said = math.fsum(self._weights[term] for term in covered)
        heard = 0.0
        for place in sorted(self._opened_by.union(*(self._said_by[number] for number in chosen))):
            if self._totals[place]:
                share = math.fsum(self._weights[term] for term in covered & self._own[place])
                heard += math.sqrt(share / self._totals[place])
        return round((said + _HEARD * heard) * _MICRO)


def _specific(sentences: Sequence[Sentence]) -> frozenset[str]:
    """Return the terms that tell one thing from another: numbers, names and uncommon words.

    A name is written with a capital inside a sentence. At its start, and where people write without capitals, a name
    is told by being no common word; so are titles and terms of a trade.
    """
    said: set[str] = set()
    named: set[str] = set()
    for sentence in sentences:
        for position, word in enumerate(words(sentence.text)):
            said.add(word.text)
            if word.text[0].isdigit() or (position and word.text[0].isupper()):
                named.add(word.text)
    # People repeat words, and those of one cluster most of all: each is looked up once.
    named.update(word for word in said - named if not _is_common(folded(word)))
    return frozenset(term for word in named for term in terms(word))


def _is_common(word: str) -> bool:
    """Return whether a folded word is one of the language's common ones, or has the form of one."""
    return bool((flags().get(word, 0) or guessed(word)) & Is.COMMON)
