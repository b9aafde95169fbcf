"""From ranked candidates to what a prompt shows, within a hard budget of tokens.

Guarantees: whatever comes in, the tokens of the rendered text, of the messages' contents and of the contents together
are each at most the budget, by the counter's own count; a memory is shown with all that it depends on, or not; of two
that contradict each other one is shown; who is left out is listed with a reason that says nothing of its content; no
memory is shown before one that ranks clearly higher and fits. Equal inputs in any order give equal results; ties go by
score, then sequence.

The steps: duplicates, contradictions, recent turns and the session's summary, then candidates by rank with what they
depend on, excerpts of what is too long, rendering.
Source: MemoryArchitect II.E; semantics section 13; docs/adr/0043-rank-decides.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from marskg.config import AssemblySettings
from marskg.errors import InvalidInput
from marskg.retrieval.assembly.candidate_filter import Pool
from marskg.retrieval.assembly.rendering import Section
from marskg.retrieval.assembly.selection import Tray

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from marskg.records import Memory
    from marskg.retrieval.assembly.candidate import Candidate
    from marskg.retrieval.assembly.context_sections import Summary
    from marskg.retrieval.assembly.context_window import Counter
    from marskg.retrieval.assembly.contradictions import Differ, Resolution
    from marskg.retrieval.assembly.rendering import Passage, Rendered

_DEFAULTS = AssemblySettings()

_NOTHING: Mapping[str, int] = MappingProxyType({})

#: Up to how many times the tokens below which there are no headings these may take more room than was there before.
_HEADED = 4

NO_ROOM = "it does not fit into what is left of the budget"


@dataclass(frozen=True, slots=True)
class Shown:
    """A memory that is shown: ``memory`` has the content as shown, an excerpt when ``shortened``.

    ``number`` is its number in every rendered form; ``tokens`` are those of the content; ``score`` is the rank score
    in 1e-6, 0 for a recent turn that was no candidate; ``why`` has each stage's number in 1e-6; ``newer`` is the id of
    what perhaps outdates it.
    """

    memory: Memory
    score: int
    tokens: int
    why: Mapping[str, int]
    shortened: bool
    section: Section
    number: int
    newer: str | None = None

    @property
    def certain(self) -> bool:
        """Return whether it is sure enough to bear on the question."""
        return self.section is not Section.UNSURE


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A candidate that is not shown, with the reason in words and the tokens of its whole content."""

    id: str
    reason: str
    tokens: int
    pinned: bool


@dataclass(frozen=True, slots=True)
class Assembled:
    """What a budget was filled with.

    ``shown`` has the candidates by rank, each before what came with it, then recent turns that were none; ``left_out``
    everything else by rank;
    ``resolved`` the contradictions that were settled; ``tokens`` those of the largest rendered form, at most the
    budget; ``rendered`` all the forms.
    """

    shown: tuple[Shown, ...]
    left_out: tuple[LeftOut, ...]
    resolved: tuple[Resolution, ...]
    tokens: int
    budget: int
    rendered: Rendered

    @property
    def text(self) -> str:
        """Return everything as one text for a prompt, empty when nothing is shown."""
        return self.rendered.as_text()


def assemble(
    candidates: Iterable[Candidate],
    *,
    budget: int,
    counter: Counter,
    settings: AssemblySettings = _DEFAULTS,
    query_terms: frozenset[str] = frozenset(),
    recent: Sequence[Memory] = (),
    summary: Summary | None = None,
    contradicts: Iterable[tuple[str, str]] = (),
    differ: Differ | None = None,
    leading: Sequence[Passage] = (),
    most: int | None = None,
    unsure: int | None = None,
    horizon: int | None = None,
    weighed: bool = False,
) -> Assembled:
    """Fill ``budget`` tokens with the best of ``candidates``, the last turns of the session and its summary.

    ``leading`` are lines that come before all others, such as a complete sum; ``most`` is how many candidates are shown
    at most, any number if left out; of what ranks at the ``horizon`` and below not everything is among the candidates.
    ``unsure`` is how many tokens go to candidates that are not certain, but for the first
    :data:`~marskg.retrieval.assembly.selection.FEWEST` of them; a third of the budget if left out. ``recent`` are
    episodes of the session, in any order; ``contradicts`` pairs of ids joined by an edge; ``differ`` finds those of
    newer values, see :mod:`marskg.retrieval.assembly.contradictions`. ``weighed`` says that ``counter`` is the one
    that the memories' ``weight`` comes from, which saves counting them again; the result is counted in any case. A
    budget of 0 gives an empty result.

    Raises:
        InvalidInput: the budget is no integer or negative, two candidates have one id, or their vectors cannot be
            compared.
    """
    if type(budget) is not int or budget < 0:
        message = f"a token budget of {budget!r}: it must be an integer of at least 0"
        raise InvalidInput(message)
    pool = Pool(candidates, settings, contradicts, differ)
    lines = len(pool.kept) + len(recent) + len(leading) + (len(summary.lines) if summary is not None else 0)
    most = len(pool.kept) if most is None else most

    def laid(tokens: int) -> Tray:
        tray = Tray(tokens, counter, settings, query_terms, weighed=weighed, most=lines, unsure=unsure)
        tray.lay_leading(leading)
        tray.lay_session(recent, summary, pool.kept[:most])
        tray.lay_candidates(pool, most, horizon)
        return tray

    tray = laid(budget)
    if settings.plain_below <= budget < _HEADED * settings.plain_below and not leading:
        # Headings take room: until there is more of it, what is shown without them stays.
        plain = laid(settings.plain_below - 1)
        tray = tray if tray.ids >= plain.ids else plain
    return _result(pool, tray, budget)


def _result(pool: Pool, tray: Tray, budget: int) -> Assembled:
    rendered, tokens = tray.trimmed()
    candidates = {one.id: one for one in pool.all}
    shown = []
    for number, piece in enumerate(rendered.passages, 1):
        if piece.memory is None:
            continue
        one = candidates.get(piece.memory.id)
        shown.append(
            Shown(
                memory=replace(piece.memory, content=piece.text) if piece.shortened else piece.memory,
                score=0 if one is None else one.score,
                tokens=tray.said(piece),
                why=one.why if one is not None else _NOTHING,
                shortened=piece.shortened,
                section=piece.section,
                number=number,
                newer=piece.newer,
            )
        )
    rank = {ident: place for place, ident in enumerate(tray.order)}
    shown.sort(key=lambda one: (rank.get(one.memory.id, len(rank)), one.number))
    ids = {one.memory.id for one in shown}
    left_out = tuple(
        LeftOut(
            one.id,
            pool.reasons.get(one.id) or tray.reasons.get(one.id, NO_ROOM),
            one.memory.weight,
            pinned=one.memory.pinned,
        )
        for one in pool.all
        if one.id not in ids
    )
    return Assembled(
        shown=tuple(shown),
        left_out=left_out,
        resolved=tuple(pool.resolved),
        tokens=tokens,
        budget=budget,
        rendered=rendered,
    )
