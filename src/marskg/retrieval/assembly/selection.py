"""What lies ready to be shown, and the room that is left for more.

Guarantees: what :meth:`Tray.trimmed` gives is within the budget in every rendered form, by the counter's own count of
the whole; a candidate lies there with all that it depends on, or not; candidates are laid in the order of their rank,
and one that does not fit leaves its room to the next. Once one of a slot family or a list lies there, the others that
were found do, where all of them together take little of the budget; and with a short answer its question.
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
#: The tokens up to which an answer says little without its question, and the part of the answer's standing that the
#: question must have: showing both then costs no evidence (docs/adr/0043-rank-decides.md).
_SHORT: Final = 24
_ASKED: Final = 0.25
#: Tokens that a long memory may have, however small the budget is: a passage is not shortened.
_LEAST: Final = 96
#: The part of the budget that goes to what is not certain to bear on the question, and how many are shown even so.
_UNSURE: Final = 1 / 3
FEWEST: Final = 8
#: The part of a memory that must have room for it to be shortened rather than passed over.
_TELLING: Final = 0.5


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
        if last:
            ids = {one.id for one in last}
            needed = room.price([_whole(one) for one in kept if one.id not in ids])
            spare = max(int(self._budget * settings.recent_share), room.left - needed - share)
            for found in lay_recent(last, spare, room, self._shortener):
                self._recent[found.ids[0]] = found
        if share and summary is not None:
            self._summary = lay_summary(summary, self._recent, share, room)

    def lay_candidates(self, pool: Pool, most: int) -> None:
        """Lay up to ``most`` candidates by rank; those shown as recent turns lie there already."""
        by_id = {one.id: one for one in pool.kept}
        kin = _kin(pool.kept)
        queue = Queue(pool)
        for ident in self._recent:
            queue.shown(ident)
        giant = max(int(self._room.left * self._settings.longest_share), _LEAST)
        while self._room.left > self._room.mark and (place := queue.next()) is not None:
            one = pool.kept[place]
            missing = self._missing([one], by_id)
            if missing is None:
                self.reasons[one.id] = NO_BASE
            elif len(self._laid) + len(missing) > most:
                self.reasons[one.id] = SURPLUS
            elif not one.certain and self._doubtful >= FEWEST and self._unsure <= 0:
                self.reasons[one.id] = UNSURE
            elif missing and self._lay(missing, giant):
                asked = self._asked(one, pool, by_id)
                for others in (asked, kin.get((family(one.memory), one.memory.subjects), [])):
                    missing += self._lay_whole(others, by_id, most, one)
                for other in missing:
                    queue.shown(other.id)
        self._lengthen()

    def _lengthen(self) -> None:
        """Let what was shortened have the room that nothing else needs, the best first."""
        room = self._room
        for ident, (one, shown) in self._laid.items():
            if shown.shortened and room.left > room.mark:
                whole = _whole(one, shown.section)
                longer = self._shortener.within(whole, room.price([shown]) + room.left, room, one.passage)
                if longer is not None and room.exchange(shown, longer):
                    self._laid[ident] = (one, longer)

    def _asked(self, one: Candidate, pool: Pool, by_id: Mapping[str, Candidate]) -> list[Candidate]:
        """Return the question that a short answer answers, if it bears on what is asked itself."""
        asked = by_id.get(one.answers or "")
        if asked is None or self._room.text(_whole(one)) > _SHORT:
            return []
        return [asked] if pool.standing[asked.id] >= _ASKED * pool.standing[one.id] else []

    def _lay_whole(
        self, others: Sequence[Candidate], by_id: Mapping[str, Candidate], most: int, lead: Candidate
    ) -> list[Candidate]:
        """Lay all of ``others`` that are not there yet beside ``lead``, or none; return what was laid."""
        missing = self._missing(others, by_id) or []
        if not missing or len(self._laid) + len(missing) > most:
            return []
        shown = [_whole(one, _section(lead)) for one in missing]
        price = self._room.price(shown)
        if price > min(self._room.left, int(self._budget * _FAMILY)):
            return []
        self._take(missing, shown, price)
        return missing

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

    def _lay(self, bundle: Sequence[Candidate], giant: int) -> bool:
        """Lay a candidate, the first of ``bundle``, with what it depends on; return whether there was room.

        It is shortened where it alone would take more than ``giant`` tokens, or where it does not fit and most of it
        does.
        """
        room = self._room
        shown = [_whole(one, _section(bundle[0])) for one in bundle]
        price = room.price(shown)
        whole = price if len(shown) == 1 else room.price(shown[:1])
        limit = min(giant, room.left - (price - whole))
        if whole > limit:
            if limit < min(whole, giant) * _TELLING or not self._spend_try(bundle[0]):
                return False
            short = self._shortener.within(shown[0], limit, room, bundle[0].passage)
            if short is None:
                return False
            shown[0], price = short, room.price([short, *shown[1:]])
        self._take(bundle, shown, price)
        return True

    def _spend_try(self, one: Candidate) -> bool:
        """Return whether a memory may be tried to be shortened: a long one always; few of the others, one fewer now."""
        if one.passage is not None:
            return True
        self._excerpts -= 1
        return self._excerpts >= 0

    def _take(self, bundle: Sequence[Candidate], shown: Sequence[Passage], price: int) -> None:
        self._room.take(shown, price)
        if shown[0].section is Section.UNSURE:
            self._doubtful += len(shown)
            self._unsure -= price
        self._laid.update((one.id, (one, piece)) for one, piece in zip(bundle, shown, strict=True))

    def _missing(self, wanted: Sequence[Candidate], by_id: Mapping[str, Candidate]) -> list[Candidate] | None:
        """Return ``wanted``, first, and what they need that is not there; None where a base is not at hand."""
        found: dict[str, Candidate] = {}
        queue = [one.id for one in reversed(wanted)]
        while queue:
            node = queue.pop()
            if node in self._recent or node in self._laid or node in found:
                continue
            if node not in by_id:
                return None
            found[node] = by_id[node]
            queue += by_id[node].bases
        return list(found.values())


def _whole(one: Candidate, section: Section = Section.MEMORY) -> Passage:
    return passage(one.memory, one.content, section)


def _section(lead: Candidate) -> Section:
    """Return where a candidate is shown, and what comes with it."""
    return Section.MEMORY if lead.certain else Section.UNSURE


def _kin(candidates: Iterable[Candidate]) -> dict[tuple[str | None, tuple[str, ...]], list[Candidate]]:
    """Return the candidates of each family and list, by its name and whom it is about."""
    found: dict[tuple[str | None, tuple[str, ...]], list[Candidate]] = {}
    for one in candidates:
        name = family(one.memory)
        if name is not None:
            found.setdefault((name, one.memory.subjects), []).append(one)
    return found
