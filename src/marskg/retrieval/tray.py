"""What lies ready to be shown, and the room that is left for more.

Guarantees: what :meth:`Tray.trimmed` gives is within the budget in every rendered form, by the counter's own count of
the whole; a candidate lies there with all that it depends on, or not. Room is kept line by line as things are laid,
which is exact for a counter whose tokens do not run across lines, as the bundled one's do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from marskg.retrieval.candidate import Candidate, rank_order
from marskg.retrieval.mix import Frame, recent_passages, shortened, summary_passages
from marskg.retrieval.rendering import INTRODUCTION, Rendered, Section, heading, passage, section_of
from marskg.retrieval.submodular import SetFunction, greedy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from marskg.records import Memory
    from marskg.retrieval.mix import Summary
    from marskg.retrieval.pool import Pool
    from marskg.retrieval.rendering import Passage
    from marskg.retrieval.settings import AssemblySettings
    from marskg.retrieval.window import Counter


class Tray:
    """Passages by what they are: lines of the summary, recent turns, and candidates with their set function's gain."""

    def __init__(
        self,
        budget: int,
        counter: Counter,
        settings: AssemblySettings,
        query_terms: frozenset[str],
        *,
        weighed: bool,
    ) -> None:
        """Begin empty, with ``budget`` tokens of room; for ``weighed`` see :class:`marskg.retrieval.mix.Frame`."""
        self._budget = budget
        self._settings = settings
        self._query_terms = query_terms
        self._frame = Frame(
            counter,
            plain=budget < settings.plain_below,
            minimum=settings.minimum_excerpt,
            query_terms=query_terms,
            weighed=weighed,
        )
        self._summary: list[Passage] = []
        self._recent: dict[str, Passage] = {}
        self._laid: dict[str, tuple[Candidate, Passage]] = {}
        self._sections: set[Section] = set()
        self._left = budget - self._lines(INTRODUCTION)
        #: What each candidate costs whole: counting is most of the work.
        self._costs: dict[str, int] = {}
        #: What each laid candidate added to the set function, and who cannot be shown at any budget.
        self.gains: dict[str, int] = {}
        self.hopeless: frozenset[str] = frozenset()

    def lay_session(self, recent: Sequence[Memory], summary: Summary | None, kept: Sequence[Candidate]) -> None:
        """Lay the last turns and the summary; turns may use what the candidates in ``kept`` do not need."""
        settings = self._settings
        share = int(self._budget * settings.summary_share) if summary is not None and summary.lines else 0
        said = [one for one in recent if one.content is not None and one.content.strip()]
        last = sorted(said, key=lambda one: (one.valid_from, one.sequence))[-settings.recent_turns or len(said) :]
        if last:
            ids = {one.id for one in last}
            needed = self._headings(kept) + sum(self._cost(one) for one in kept if one.id not in ids)
            spare = max(int(self._budget * settings.recent_share), self._budget - needed - share)
            room = min(spare, self._left) - self._lines(heading(Section.RECENT))
            for found in recent_passages(last, room, self._frame):
                self._recent[found.ids[0]] = found
                self._take(Section.RECENT, self._frame.cost(found))
        if share and summary is not None:
            room = min(share, self._left) - self._lines(heading(Section.SUMMARY))
            self._summary = summary_passages(summary, self._recent, room, self._frame)
            for found in self._summary:
                self._take(Section.SUMMARY, self._frame.cost(found))

    def lay_candidates(self, pool: Pool) -> None:
        """Lay the chosen candidates; those shown as recent turns lie there already."""
        places = [place for place, one in enumerate(pool.kept) if one.id not in self._recent]
        others = [pool.kept[place] for place in places]
        room = self._left - self._headings(others)
        offered = self._with_giants_shortened(others, room)
        costs = {one.id: self._cost(one, offered.get(one.id)) for one in others}
        if self._settings.selection == "greedy":
            function = SetFunction(
                others, self._query_terms, self._settings.weights, pool.table[np.ix_(places, places)]
            )
            given = frozenset(self._recent)
            found = greedy(others, max(0, room), lambda one: costs[one.id], function=function, given=given)
            self.hopeless = frozenset(others[place].id for place in found.open)
            for place, gain in zip(found.chosen, found.gains, strict=True):
                self._lay(others[place], offered.get(others[place].id), gain)
        else:
            self._lay_by_rank(others, offered, costs, room)
        self._lay_excerpts(others)

    def trimmed(self) -> tuple[Rendered, int]:
        """Return what is shown and its tokens, after the least valuable were given up while it was too much."""
        while True:
            rendered = Rendered.of(
                [*self._summary, *(shown for _, shown in self._laid.values()), *self._recent.values()],
                plain=self._frame.plain,
            )
            tokens = rendered.tokens(self._frame.counter)
            if tokens <= self._budget:
                return rendered, tokens
            self._give_up_one()

    def _give_up_one(self) -> None:
        """Give up the worst ranked candidate that no other depends on, then the summary, then the oldest turn."""
        if self._laid:
            needed = {base for one, _ in self._laid.values() for base in one.bases}
            # Dependencies have no cycles in a store; a caller's might, and the budget holds all the same.
            free = [one for one, _ in self._laid.values() if one.id not in needed]
            del self._laid[rank_order(free or [one for one, _ in self._laid.values()])[-1].id]
        elif self._summary:
            del self._summary[0]
        else:
            del self._recent[next(iter(self._recent))]

    def _lay_by_rank(
        self,
        others: Sequence[Candidate],
        offered: Mapping[str, Passage],
        costs: Mapping[str, int],
        room: int,
    ) -> None:
        """Lay candidates with their bases in rank order until the first that does not fit."""
        by_id = {one.id: one for one in others}
        hopeless = set()
        for one in others:
            missing = _missing(one, by_id, {*self._recent, *self._laid})
            if missing is None:
                hopeless.add(one.id)
                continue
            cost = sum(costs[other.id] for other in missing)
            if cost > room:
                break
            room -= cost
            for other in missing:
                self._lay(other, offered.get(other.id))
        self.hopeless = frozenset(hopeless)

    def _with_giants_shortened(self, others: Sequence[Candidate], room: int) -> dict[str, Passage]:
        """Return excerpts of the best ranked among those that are too long for their share of the room."""
        limit = int(room * self._settings.longest_share)
        giants = [one for one in others if self._cost(one) > max(0, limit)][: self._settings.excerpts]
        found = ((one.id, self._short(one, limit) or self._short(one, room)) for one in giants)
        return {node: short for node, short in found if short is not None}

    def _lay_excerpts(self, others: Sequence[Candidate]) -> None:
        """Fill what is left with the best ranked that could not be shown whole."""
        # In rank order the first that does not fit is the last that is looked at.
        tries = min(self._settings.excerpts, 1 if self._settings.selection == "rank" else self._settings.excerpts)
        for one in others:
            if not tries or self._left < self._settings.minimum_excerpt:
                return
            missing = any(base not in self._laid and base not in self._recent for base in one.bases)
            if one.id in self._laid or missing:
                continue
            tries -= 1
            found = self._short(one, self._left - self._headings([one]))
            if found is not None:
                self._lay(one, found)

    def _lay(self, one: Candidate, shown: Passage | None, gain: int | None = None) -> None:
        shown = shown or passage(one.memory, one.content)
        self._laid[one.id] = (one, shown)
        self._take(shown.section, self._cost(one, shown))
        if gain is not None:
            self.gains[one.id] = gain

    def _take(self, section: Section, cost: int) -> None:
        self._left -= cost + (0 if section in self._sections else self._lines(heading(section)))
        self._sections.add(section)

    def _headings(self, others: Iterable[Candidate]) -> int:
        """Return the tokens of the headings that ``others`` need and that are not there yet."""
        wanted = {section_of(one.memory.kind) for one in others} - self._sections
        return sum(self._lines(heading(section)) for section in wanted)

    def _lines(self, text: str) -> int:
        return 0 if self._frame.plain else self._frame.counter.count(f"{text}\n")

    def _short(self, one: Candidate, room: int) -> Passage | None:
        return shortened(passage(one.memory, one.content), room, self._frame)

    def _cost(self, one: Candidate, shown: Passage | None = None) -> int:
        if shown is not None and shown.shortened:
            return self._frame.cost(shown)
        if one.id not in self._costs:
            self._costs[one.id] = self._frame.cost(passage(one.memory, one.content))
        return self._costs[one.id]


def _missing(one: Candidate, by_id: Mapping[str, Candidate], there: set[str]) -> list[Candidate] | None:
    """Return ``one`` and what it needs that is not there; None where a base is not at hand."""
    found: dict[str, Candidate] = {}
    queue = [one.id]
    while queue:
        node = queue.pop()
        if node in there or node in found:
            continue
        if node not in by_id:
            return None
        found[node] = by_id[node]
        queue += by_id[node].bases
    return list(found.values())
