"""What a user asks not to keep is not kept: no turn, no fact of it, no vector, no line in any log.

Guarantees: a draft that asks so is refused before anything is worked out for it, or left out of many with what derives
from it; what was left out is told, and never repeated. Only the user's own word asks: what documents, tools and
assistants say is stored whatever it says. ``keep`` of a draft, and the setting ``learning.not_kept``, insist. A turn is
kept whole or not at all. Source: issue 54 item 4; semantics section 13; ADR 102.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.clock import uuid7
from marskg.errors import NotKept
from marskg.json_object import named_leaves
from marskg.language.not_kept.reading import Unkept, asked_not_to_keep
from marskg.ontology.vocabulary import Kind, SourceType, Tier
from marskg.records import Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from marskg.drafts import Draft
    from marskg.store.commit.writer import Writer

#: How to store it all the same; and what is said of what was asked for.
INSIST: Final = "to store it all the same: keep=True, or the setting learning.not_kept: false"
_SAID: Final = {
    Unkept.THIS: "not kept: the user asks, in the text itself, that it is not kept",
    Unkept.NEXT: (
        "not kept: the user asks that what comes next is not kept; their next turn in this session is not, for as long "
        "as this memory is open"
    ),
    Unkept.BEFORE: "not kept: the user asks that what was said before is not kept",
}
_ANNOUNCED: Final = "not kept: the user asked, in their turn before, that what comes next is not kept"
_NOT_FOUND: Final = "no turn of theirs before it is stored in this session"


class NotKeeping:
    """Looks for what is asked not to be kept, for one tenant."""

    def __init__(self, writer: Writer) -> None:
        """Ask the settings of ``writer``; nothing is erased before :meth:`erase_by` said how."""
        self._writer = writer
        self._erase: Callable[[Draft], str] | None = None
        self._announced: set[str] = set()

    def erase_by(self, erase: Callable[[Draft], str]) -> None:
        """Let ``erase`` take what was said before a turn; it returns what is told of that."""
        self._erase = erase

    def asked(self, draft: Draft) -> Unkept | None:
        """Return what a draft asks not to keep; None where it is to be stored."""
        if draft.action != "remember" or draft.keep or draft.source_type is not SourceType.CHAT_USER:
            return None
        return self.asked_in(draft.content, draft.metadata, draft.payload)

    def asked_in(self, content: str, *further: Mapping[str, Any] | None) -> Unkept | None:
        """Return what a user's ``content``, or a text of ``further`` JSON of theirs, asks not to keep."""
        if not self._writer.state.settings.learning.not_kept:
            return None
        texts = (leaf for one in further if one for _, leaf in named_leaves(one) if isinstance(leaf, str))
        return next((asked for text in (content, *texts) if (asked := asked_not_to_keep(text)) is not None), None)

    def nowhere(self, draft: Draft, ident: str | None) -> Memory | None:
        """Return what stands for a draft that asks not to be kept; None for one that is to be stored.

        It is a memory that is nowhere, without content, which says why; ``ident`` is an id of the caller's own. What
        was said before the draft is erased where that is what it asks.
        """
        asked, was_announced = self.hear(draft, self._announced)
        if asked is None and not was_announced:
            return None
        said = _ANNOUNCED if asked is None else _SAID[asked]
        if asked is Unkept.BEFORE:
            said = f"{said}; {self.take_before(draft)}"
        services = self._writer.services
        now = self._writer.now()
        return Memory(
            id=ident or uuid7(now, services.source),
            tenant=self._writer.tenant,
            kind=draft.kind,
            content=None,
            created=now,
            sequence=0,
            tier=Tier.TOMBSTONE,
            notices=(f"{said}; {INSIST}",),
        )

    @property
    def announced(self) -> set[str]:
        """Return whose next turns are not to be kept, as keyed digests of session and people: what is there counts."""
        return self._announced

    def hear(self, draft: Draft, announced: set[str]) -> tuple[Unkept | None, bool]:
        """Return what ``draft`` asks not to keep, and whether the turn before had asked so of it.

        Whose next turn is not to be kept is in ``announced``, and noted there; one that is kept on purpose ends that.
        """
        asked = self.asked(draft)
        if (asked is None and not announced) or not _is_turn(draft):
            return asked, False
        speaker = self._writer.services.handle(self._writer.tenant, "\x1f".join((draft.session or "", *draft.subjects)))
        was_announced = speaker in announced
        announced.discard(speaker)
        if asked is Unkept.NEXT:
            announced.add(speaker)
        return asked, was_announced and not draft.keep

    def take_before(self, draft: Draft) -> str:
        """Erase what the speaker of ``draft`` said before it; returns what is told of that."""
        return _NOT_FOUND if self._erase is None else self._erase(draft)


def refusal(asked: Unkept) -> NotKept:
    """Return the error for what is asked, where there is no other answer: a new text, and what is stored whole."""
    return NotKept(f"{_SAID[asked]}; {INSIST}")


class LeftOut:
    """What of many drafts is left out, in their order: turns that ask so, and what derives from these."""

    def __init__(self, keeping: NotKeeping) -> None:
        """Ask ``keeping`` about each."""
        self._keeping = keeping
        self._refs: set[str] = set()
        self._before: list[Draft] = []
        self.count = 0

    def kept(self, drafts: Sequence[Draft], *, atomic: bool) -> Iterator[Draft]:
        """Yield those of ``drafts`` that are to be kept.

        Raises:
            NotKept: one is not, and they are to be stored together or not at all.
        """
        asking = {}
        for place, one in enumerate(drafts):
            asked, was_announced = self._keeping.hear(one, self._keeping.announced)
            if was_announced or asked is not None:
                asking[place] = asked or Unkept.THIS
        if asking and atomic:
            raise refusal(next(iter(asking.values())))
        out = set(asking)
        for place, asked in asking.items():
            if asked is Unkept.BEFORE:
                before = place_before(drafts, place)
                if before is None:
                    self._before.append(drafts[place])
                else:
                    out.add(before)
        self._refs.update(drafts[place].ref for place in out if drafts[place].ref)
        for place, one in enumerate(drafts):
            if place in out or not self._refs.isdisjoint((*one.derives_from, *one.depends_on)):
                self.count += 1
                if one.ref:
                    self._refs.add(one.ref)
            else:
                yield one

    def notices(self) -> tuple[str, ...]:
        """Return what whoever gave the drafts is told; what was said before them is erased where that is meant."""
        return notices_of(self.count, self._before, self._keeping)


def notices_of(count: int, before: Iterable[Draft], keeping: NotKeeping) -> tuple[str, ...]:
    """Return what is told of ``count`` turns that were not kept; what was said ``before`` some of them is erased."""
    if not count:
        return ()
    became = dict.fromkeys(keeping.take_before(one) for one in before)
    return (f"{count} not kept, as a user asks so in the text; {INSIST}", *became)


def place_before(drafts: Sequence[Draft], place: int) -> int | None:
    """Return the place of the turn before that at ``place``, of its session and speaker; None where there is none."""
    one = drafts[place]
    for number in range(place - 1, -1, -1):
        other = drafts[number]
        if is_turn_of(other, one):
            return number
    return None


def _is_turn(draft: Draft) -> bool:
    said = draft.kind is Kind.EPISODIC and draft.source_type is SourceType.CHAT_USER
    return said and draft.action == "remember"


def is_turn_of(other: Draft, one: Draft) -> bool:
    """Return whether ``other`` is a turn of the session and the speaker of ``one``."""
    same = (other.session, other.subjects, other.kind) == (one.session, one.subjects, one.kind)
    return same and other.source_type is one.source_type and other.action == "remember"
