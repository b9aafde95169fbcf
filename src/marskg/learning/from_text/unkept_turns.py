"""Turns to learn from that ask not to be kept, told apart before any is stored, read or sent to a model.

Guarantees: such a turn, and the facts that came with it, are in no plan and reach no reader; of what is stored already
nothing is left out here. Source: issue 54 item 4; ADR 102.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from marskg.language.not_kept.reading import Unkept
from marskg.store.ingest.not_kept import is_turn_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.drafts import Draft
    from marskg.learning.from_text.told_turns import Told
    from marskg.store.ingest.not_kept import NotKeeping


@dataclass(frozen=True, slots=True)
class Unheard:
    """How many turns are not kept; ``before`` are those that ask so of a turn which is stored, if any is."""

    count: int
    before: tuple[Draft, ...]


def kept_of(turns: Sequence[Told], keeping: NotKeeping, *, dry_run: bool = False) -> tuple[list[Told], Unheard]:
    """Return the turns that are to be kept, and what is told of the others; with ``dry_run`` nothing is remembered."""
    waiting = set(keeping.announced) if dry_run else keeping.announced
    out: set[int] = set()
    before: list[Draft] = []
    for place, one in enumerate(turns):
        if one.draft is None:
            continue
        asked, was_announced = keeping.hear(one.draft, waiting)
        if asked is None and not was_announced:
            continue
        out.add(place)
        if asked is Unkept.BEFORE:
            earlier = _place_before(turns, place, one.draft)
            if earlier is None:
                before.append(one.draft)
            else:
                out.add(earlier)
    return [one for place, one in enumerate(turns) if place not in out], Unheard(len(out), tuple(before))


def _place_before(turns: Sequence[Told], place: int, one: Draft) -> int | None:
    """Return the place of the turn before, of the same session and speaker, where it came along."""
    speaker = turns[place].turn.speaker
    for number in range(place - 1, -1, -1):
        other = turns[number].draft
        if other is not None and is_turn_of(other, one) and turns[number].turn.speaker == speaker:
            return number
    return None
