"""What lies ready to be shown, and the room that is left for more.

Guarantees: what :meth:`Tray.trimmed` gives is within the budget in every rendered form, by the counter's own count of
the whole; a candidate lies there with all that it depends on, or not; candidates are laid in the order of their rank
until one has no room, so that what lies in less room is the beginning of what lies in more. Passed over is what is too
long for its share and cannot be shortened, and what needs more than there is room for. Once one of a slot family or a
list lies there, the others that were found do, where all of them together take little of the budget; and with a short
answer its question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.retrieval.assembly.candidate import family
from marskg.retrieval.assembly.context_sections import Shortener, lay_recent, lay_summary
from marskg.retrieval.assembly.queue import Queue
from marskg.retrieval.assembly.rendering import Rendered, Section, passage
from marskg.retrieval.assembly.token_room import Room

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from marskg.config import AssemblySettings
    from marskg.records import Memory
    from marskg.retrieval.assembly.candidate import Candidate
    from marskg.retrieval.assembly.candidate_filter import Pool
    from marskg.retrieval.assembly.context_sections import Summary
    from marskg.retrieval.assembly.context_window import Counter
    from marskg.retrieval.assembly.rendering import Passage

NO_BASE = "a memory that it depends on cannot be shown"
SURPLUS = "as many as were asked for are shown"
UNSURE = "it perhaps does not bear on the question, and enough of that kind is shown"
#: The part of the budget up to which a family or a list is shown whole once one of it is.
_FAMILY: Final = 0.25
#: The tokens up to which an answer says little without its question, those up to which the question is shown with it,
#: and the part of the answer's standing that the question must have: showing both then costs no evidence
#: (docs/adr/0043-rank-decides.md).
_SHORT: Final = 24
_LONGEST_QUESTION: Final = 64
_ASKED: Final = 0.25
#: Tokens that a long memory may have, however small the budget is: a passage is not shortened.
_LEAST: Final = 96
#: The part of the budget that goes to what is not certain to bear on the question, and how many are shown even so.
_UNSURE: Final = 1 / 3
FEWEST: Final = 8


class Tray:
    """Passages by what they are: lines made of several, recent turns, and candidates in the order they were laid."""

    def __init__(
        self,
        budget: int,
        counter: Counter,
        settings: AssemblySettings,
        query_terms: frozenset[str],
        *,
        weighed: bool,
        most: int,
        unsure: int | None = None,
    ) -> None:
        """Begin empty, with ``budget`` tokens of room; ``most`` passages may come.

        ``unsure`` tokens are for what is not certain, a third of the budget if left out. For ``weighed`` see
        :class:`marskg.retrieval.assembly.token_room.Room`.
        """
        self._budget = budget
        self._settings = settings
        self._room = Room(budget, counter, plain=budget < settings.plain_below, weighed=weighed, most=most)
        self._shortener = Shortener(query_terms, settings.minimum_excerpt)
        self._excerpts = settings.excerpts
        self._unsure = int(budget * _UNSURE) if unsure is None else unsure
        self._doubtful = 0
        self._leading: list[Passage] = []
        self._summary: list[Passage] = []
        self._recent: dict[str, Passage] = {}
        self._laid: dict[str, tuple[Candidate, Passage]] = {}
        self._by_id: Mapping[str, Candidate] = {}
        self._last: tuple[str, ...] = ()
        self._whole_room = 0
        #: What each excerpt takes, and what it takes next where there is more room; and what is kept back for that.
        self._long: list[tuple[int, int | None]] = []
        self._held = 0.0
        #: The ids of candidates as they came to lie here, recent turns among them in their places.
        self.order: dict[str, None] = {}
        #: Why some are not shown, other than for want of room.
        self.reasons: dict[str, str] = {}

    def lay_leading(self, lines: Sequence[Passage]) -> None:
        """Lay the lines that come before everything else, each that fits."""
        for one in lines:
            if self._room.price([one]) <= self._room.left:
                self._room.take([one])
                self._leading.append(one)

    def lay_session(self, recent: Sequence[Memory], summary: Summary | None, kept: Sequence[Candidate]) -> None:
        """Lay the last turns and the summary; turns may use what the candidates in ``kept`` do not need."""
        settings, room = self._settings, self._room
        share = int(self._budget * settings.summary_share) if summary is not None and summary.lines else 0
        said = [one for one in recent if one.content is not None and one.content.strip()]
        last = sorted(said, key=lambda one: (one.valid_from, one.sequence))[-settings.recent_turns or len(said) :]
        self._last = tuple(one.id for one in last)
        if last:
            ids = {one.id for one in last}
            needed = room.price([_whole(one) for one in kept if one.id not in ids])
            spare = max(int(self._budget * settings.recent_share), room.left - needed - share)
            for found in lay_recent(last, spare, room, self._shortener):
                self._recent[found.ids[0]] = found
        if share and summary is not None:
            self._summary = lay_summary(summary, self._recent, share, room)

    @property
    def ids(self) -> frozenset[str]:
        """Return the ids of the candidates that lie here."""
        return frozenset(self._laid)

    def lay_candidates(self, pool: Pool, most: int, horizon: int | None = None) -> None:
        """Lay up to ``most`` candidates by rank; those shown as recent turns lie there already.

        Of what ranks at the ``horizon`` and below, not everybody is in ``pool``.
        """
        self._by_id = {one.id: one for one in pool.kept}
        kin = _kin(pool.kept)
        queue = Queue(pool, self._last, horizon)
        self._whole_room = self._room.left
        giant = max(self._whole_room * self._settings.longest_share, _LEAST)
        wanted: frozenset[str] | None = None
        while len(self._laid) < most and self._free > self._room.mark and (place := queue.next()) is not None:
            one = pool.kept[place]
            missing = self._missing([one])
            if missing is None:
                self.reasons[one.id] = NO_BASE
            elif not missing:
                self.order.setdefault(one.id)
            elif len(self._laid) + len(missing) > most or (wanted is not None and one.id not in wanted):
                # What it depends on is in the answer to who asks for more.
                wanted = frozenset(other.id for other in missing) if wanted is None else wanted
                self.reasons[one.id] = SURPLUS
            elif not one.certain and self._doubtful >= FEWEST and self._unsure <= 0:
                self.reasons[one.id] = UNSURE
            elif not self._lay_next(missing, giant, pool, kin, most):
                break
        if len(self._laid) >= most:
            self.reasons |= {one.id: SURPLUS for one in pool.kept if one.id not in self.reasons}
        self._lengthen()

    @property
    def _free(self) -> float:
        return self._room.left - self._held

    def _lay_next(
        self,
        bundle: Sequence[Candidate],
        giant: float,
        pool: Pool,
        kin: Mapping[tuple[str | None, tuple[str, ...]], list[Candidate]],
        most: int,
    ) -> bool:
        """Lay a candidate, the first of ``bundle``, and what makes it complete; return whether there may be more."""
        one = bundle[0]
        laid, more = self._lay(bundle, giant)
        if not laid:
            return more or not self._laid
        family_name = family(one.memory) if one.in_family else None
        return (
            more
            and self._complete(one, self._asked(one, pool), self._budget, most)
            and self._complete(one, kin.get((family_name, one.memory.subjects), []), int(self._budget * _FAMILY), most)
        )

    def _lengthen(self) -> None:
        """Let what was shortened have the room that nothing else needs, the best first."""
        room = self._room
        for ident, (one, shown) in self._laid.items():
            if shown.shortened and room.left > room.mark:
                whole = _whole(one, shown.section)
                longer = self._shortener.within(whole, room.price([shown]) + room.left, room, one.passage)
                if longer is not None and room.exchange(shown, longer):
                    self._laid[ident] = (one, longer)

    def _asked(self, one: Candidate, pool: Pool) -> list[Candidate]:
        """Return the question that a short answer answers, if it bears on what is asked itself."""
        asked = self._by_id.get(one.answers or "")
        if asked is None or self._room.text(_whole(one)) > _SHORT:
            return []
        bears = pool.standing[asked.id] >= _ASKED * pool.standing[one.id]
        return [asked] if bears and self._room.text(_whole(asked)) <= _LONGEST_QUESTION else []

    def _complete(self, lead: Candidate, others: Sequence[Candidate], limit: int, most: int) -> bool:
        """Lay ``others`` not there yet beside ``lead``, up to ``limit`` tokens; return whether there was room."""
        missing = self._missing(others) or []
        if not missing or self._room.price([_whole(one, _section(lead)) for one in missing]) > limit:
            return True
        for other in others:
            bundle = self._missing([other]) or []
            shown = [_whole(one, _section(lead)) for one in bundle]
            price = self._room.price(shown)
            if len(self._laid) + len(bundle) > most or price > self._free:
                return False
            self._take(bundle, shown, price)
        return True

    def trimmed(self) -> tuple[Rendered, int]:
        """Return what is shown and its tokens, after the least valuable were given up while it was too much."""
        while True:
            laid = (shown for _, shown in self._laid.values())
            rendered = Rendered.of(
                [*self._leading, *self._summary, *laid, *self._recent.values()], plain=self._room.plain
            )
            tokens = rendered.tokens(self._room.counter, self._room.said)
            if tokens <= self._budget:
                return rendered, tokens
            self._give_up_one()

    def said(self, shown: Passage) -> int:
        """Return the tokens of what a passage says."""
        return self._room.said(shown)

    def _give_up_one(self) -> None:
        """Give up the last laid candidate that no other depends on, then the summary, the oldest turn, the lead."""
        if self._laid:
            needed = {base for one, _ in self._laid.values() for base in one.bases}
            # Dependencies have no cycles in a store; a caller's might, and the budget holds all the same.
            free = [ident for ident in self._laid if ident not in needed]
            del self._laid[(free or list(self._laid))[-1]]
        elif self._summary:
            del self._summary[0]
        elif self._recent:
            del self._recent[next(iter(self._recent))]
        else:
            self._leading.pop()

    def _lay(self, bundle: Sequence[Candidate], giant: float) -> tuple[bool, bool]:
        """Lay a candidate, the first of ``bundle``, with what it depends on.

        It is shortened where it alone would take more than ``giant`` tokens, or than there are, as nothing else has
        what is left then. Returned is whether it lies there, and whether there may be room for more.
        """
        room = self._room
        shown = [_whole(one, _section(bundle[0])) for one in bundle]
        price = room.price(shown)
        whole = price if len(shown) == 1 else room.price(shown[:1])
        charged, free = min(whole, giant), self._free - (price - whole)
        if charged > free and len(shown) > 1:
            return False, True
        if whole <= min(giant, free):
            self._take(bundle, shown, price)
            return True, True
        short = self._short(bundle[0], shown[0], int(min(giant, free)))
        if short is not None:
            price = room.price([short, *shown[1:]])
            if charged <= free:
                cost = room.price([short])
                self._long.append((cost, self._longer(bundle[0], shown[0], cost, giant)))
            self._take(bundle, [short, *shown[1:]], price)
            self._held = self._kept_back()
        if short is None and charged > free and whole > giant:
            # Of no use with all that a long one may have either: it does not end the answer.
            return False, self._short(bundle[0], shown[0], int(giant)) is None
        return short is not None, charged <= free

    def _longer(self, one: Candidate, shown: Passage, cost: int, giant: float) -> int | None:
        """Return what an excerpt of ``cost`` tokens takes next where there is more room; None if that is far."""
        share = self._settings.longest_share
        low, high = int(giant), int(self._whole_room * share / (1 - share)) if share < 1 else 0

        def taken(limit: int) -> int:
            found = self._shortener.within(shown, limit, self._room, one.passage)
            return 0 if found is None else self._room.price([found])

        if high <= low or taken(high) <= cost:
            return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if taken(middle) > cost else (middle, high)
        return taken(high)

    def _kept_back(self) -> float:
        """Return what nothing may be laid in, as with more room an excerpt takes it, and what lay there would go."""
        worst, shown = 0.0, sum(cost for cost, _ in self._long)
        for _, longer in self._long:
            if longer is not None:
                room = longer / self._settings.longest_share
                grown = sum(cost if more is None or more > longer else more for cost, more in self._long)
                worst = max(worst, grown - shown - (room - self._whole_room))
        return worst

    def _short(self, one: Candidate, shown: Passage, limit: int) -> Passage | None:
        """Return as much of a passage as fits into ``limit``, None where that is too little."""
        return self._shortener.within(shown, limit, self._room, one.passage) if self._spend_try(one) else None

    def _spend_try(self, one: Candidate) -> bool:
        """Return whether a memory may be tried to be shortened: a long one always; few of the others, one fewer now."""
        if one.passage is not None:
            return True
        self._excerpts -= 1
        return self._excerpts >= 0

    def _take(self, bundle: Sequence[Candidate], shown: Sequence[Passage], price: int) -> None:
        self._room.take(shown, price)
        if shown and shown[0].section is Section.UNSURE:
            self._doubtful += len(shown)
            self._unsure -= price
        self._laid.update((one.id, (one, piece)) for one, piece in zip(bundle, shown, strict=True))
        self.order.update((one.id, None) for one in bundle)

    def _missing(self, wanted: Sequence[Candidate]) -> list[Candidate] | None:
        """Return ``wanted``, first, and what they need that is not there; None where a base is not at hand."""
        found: dict[str, Candidate] = {}
        queue = [one.id for one in reversed(wanted)]
        while queue:
            node = queue.pop()
            if node in self._recent or node in self._laid or node in found:
                continue
            if node not in self._by_id:
                return None
            found[node] = self._by_id[node]
            queue += found[node].bases
        return list(found.values())


def _whole(one: Candidate, section: Section = Section.MEMORY) -> Passage:
    return passage(one.memory, one.content, section, one.newer)


def _section(lead: Candidate) -> Section:
    """Return where a candidate is shown, and what comes with it."""
    return Section.MEMORY if lead.certain else Section.UNSURE


def _kin(candidates: Iterable[Candidate]) -> dict[tuple[str | None, tuple[str, ...]], list[Candidate]]:
    """Return the candidates of each family and list, by its name and whom it is about."""
    found: dict[tuple[str | None, tuple[str, ...]], list[Candidate]] = {}
    for one in candidates:
        name = family(one.memory) if one.in_family else None
        if name is not None:
            found.setdefault((name, one.memory.subjects), []).append(one)
    return found
