"""Wishes about remembering, kept as memories like any other and acted on when memories are stored and ranked.

Guarantees: a wish is a canonical memory with a single key of its own for each topic and the people that it is about, so
that a later wish about the same supersedes it, and everything that governs memories governs it; a wish never shows up
in a retrieval that does not ask for the tag ``wish``; its effect is what :mod:`marskg.learning.rules.wish_effects`
gives, on memories of the same people, of its own source or of one that is worth less. One that asks for less is tagged
as a complaint, which controllers of the tenant's policies count (:mod:`marskg.store.rows.read_statistics`). Nothing
is deleted: a wish to forget hides what it is about and lets it start at score 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.answer import Answer
from marskg.drafts import Draft
from marskg.errors import InvalidInput
from marskg.language.en.wish_phrases import parse_wishes
from marskg.language.wish_kinds import Wish, WishKind
from marskg.learning.rules.wish_effects import Effect, WishRules, effect_on, lived, started
from marskg.learning.wish_reach import WISH, Reach
from marskg.ontology.vocabulary import Kind, Word, counts_against
from marskg.retrieval.index.memory_index import MICRO, SOURCES
from marskg.store.engine.protocol import Capability
from marskg.store.rows.read_statistics import COMPLAINT
from marskg.store.rows.score_decay import score_at_birth
from marskg.store.unit.retention_classes import class_of
from marskg.text import terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy.typing as npt

    from marskg.ontology.vocabulary import SourceType
    from marskg.records import Memory
    from marskg.retrieval.index.memory_index import MemoryIndex
    from marskg.store.commit.writer import Writer
    from marskg.store.unit.reader import GraphReader

#: The session by which wishes are found without a scan.
SESSION: Final = "wishes"
_RULES: Final = WishRules()
_NONE: Final = Effect()
_WHOLE: Final = 100
#: How a wish is written down; each is read again as the wish that it was.
_SENTENCES: Final = {
    WishKind.MORE: "remember more about {}",
    WishKind.LESS: "remember less about {}",
    WishKind.FORGET: "forget about {}",
    WishKind.UNMENTIONED: "stop mentioning {}",
    WishKind.WRONG: "you are wrong about {}",
}


@dataclass(frozen=True, slots=True)
class StoredWish(Answer):
    """A wish that was stored: the memory that holds it, its kind and topic, and the memories that it is about now.

    After a wish to forget, ``about`` is what the caller may offer to erase: a wish only hides. After a dry run
    ``memory`` is what would have been stored.
    """

    memory: Memory
    kind: WishKind
    topic: str
    about: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Held:
    """A wish that is in force, and the people that it is about; empty for everybody."""

    wish: Wish
    subjects: frozenset[str]
    word: Word

    def concerns(self, subjects: Iterable[str], word: Word) -> bool:
        """Return whether a memory about ``subjects`` is meant: no wish acts on a ``word`` that is worth more."""
        return counts_against(self.word, word) and (not self.subjects or not self.subjects.isdisjoint(subjects))


def wish_drafts(text: str, subjects: tuple[str, ...], now: int, source: SourceType) -> list[tuple[Wish, Draft]]:
    """Return the wishes that ``text`` from ``source`` holds, each with the draft of the memory that keeps it.

    Raises:
        InvalidInput: there is none, or one that does not say what it is about.
    """
    found = parse_wishes(text)
    if not found:
        msg = 'no wish is found in this text; say for example "remember more about tomatoes" or "forget about the trip"'
        raise InvalidInput(msg)
    return [(wish, wish_draft(wish, subjects, now, source)) for wish in found]


def wish_draft(wish: Wish, subjects: tuple[str, ...], now: int, source: SourceType) -> Draft:
    """Return the draft of the memory that keeps ``wish``.

    Raises:
        InvalidInput: it does not say what it is about.
    """
    topic = terms(wish.topic)
    content = _SENTENCES[wish.kind].format(wish.topic)
    if not topic or parse_wishes(content) != (wish,):
        msg = f'a wish to {wish.kind} does not say what it is about; name it, as in "remember less about the weather"'
        if wish.kind is WishKind.FORGET:
            msg += "; a wish hides what is about one topic and deletes nothing: to delete, see mars forget"
        raise InvalidInput(msg)
    return Draft(
        ref="",
        kind=Kind.SEMANTIC,
        content=content,
        at=now,
        key=f"wish/{'_'.join(topic)}",
        session=SESSION,
        subjects=subjects,
        source_type=source,
        intent_tags=(WISH,) if wish.kind is WishKind.MORE else (COMPLAINT, WISH),
    )


class Wishes:
    """The wishes of one tenant that are in force."""

    def __init__(self, writer: Writer, reader: GraphReader) -> None:
        """Read nothing yet; what was read is kept until :meth:`forget`."""
        self._writer = writer
        self._reader = reader
        self._held: tuple[_Held, ...] | None = None
        self._reach = Reach(self._texts)

    def forget(self) -> None:
        """Read anew when next asked: a wish came or went, or something was erased, which nothing here keeps."""
        self._held = None
        self._reach.forget()

    def _now_held(self) -> tuple[_Held, ...]:
        """Return the wishes in force, those of the user last, and of these the oldest first."""
        if self._held is None:
            ids = [row["id"] for row in self._reader.session(SESSION) if row["tier"] == "live"]
            found = [
                memory
                for memory, _, _ in self._reader.nodes(ids)
                if WISH in memory.intent_tags and memory.current and memory.content is not None
            ]
            # The last one counts: that of a user, whatever somebody else wishes for.
            words = {memory.id: Word(memory.source_type, memory.reliability) for memory in found}
            found.sort(key=lambda memory: (words[memory.id].worth, memory.valid_from, memory.sequence))
            self._held = tuple(
                _Held(wish, frozenset(memory.subjects), words[memory.id])
                for memory in found
                for wish in parse_wishes(memory.content or "")
            )
            if self._reach.known:
                self._reach.forget(but=map(attrgetter("wish.topic"), self._held))
        return self._held

    # --- At write -------------------------------------------------------------------------------------------------

    def begin(self, draft: Draft) -> Draft:
        """Return a checked ``draft`` with the score and life that wishes give it; what none is about stays as it is."""
        if draft.action != "remember":
            return draft
        effect = self._effect(draft)
        if effect == _NONE:
            return draft
        settings = self._writer.state.settings
        score = score_at_birth(settings, draft.kind, draft.source_type) if draft.score is None else draft.score
        return replace(draft, score=started(score, effect), ttl=self._life(draft, effect))

    def _effect(self, draft: Draft) -> Effect:
        held = self._now_held()
        if not held or WISH in draft.intent_tags:
            return _NONE
        word = Word(draft.source_type, draft.reliability)
        concerned = [one.wish for one in held if one.concerns(draft.subjects, word)]
        return effect_on(concerned, draft.content, draft.intent_tags, _RULES)

    def _life(self, draft: Draft, effect: Effect) -> str | None:
        """Return the life of a new memory; a wish to forget ends none at its start, but lets its score fade it out."""
        if draft.ttl is not None or draft.expires_at is not None or not effect.life_percent:
            return draft.ttl
        life = lived(self._writer.state.settings.life(class_of(draft)), effect)
        return None if life is None else f"{life}ms"

    # --- In ranking -----------------------------------------------------------------------------------------------

    def emphasis(self, index: MemoryIndex) -> npt.NDArray[np.int64] | None:
        """Return ``[rows]``: what the rank of each memory is multiplied with, in whole percent; None for 100 for all.

        The latest wish about a memory counts, the user's before another's; 0 keeps it out, and so it is with the wishes
        themselves.
        """
        if Capability.EXCLUSIVE_FILES not in self._writer.engine.capabilities:
            # Another process may have written since. What texts say stays as it was.
            self._held = None
        held = self._now_held()
        if not held:
            return None
        percents = np.full(index.columns.rows, _WHOLE, dtype=np.int64)
        for one in held:
            meant = np.flatnonzero(self._reach.about(index, one.wish, one.subjects))
            meant = meant[_counted(index, meant, one.word)]
            percents[meant] = _RULES.effects.get(one.wish.kind, _NONE).rank_percent
        percents[index.facet("tag", [WISH])] = 0
        return percents

    def concerned(self, index: MemoryIndex, wish: Wish, subjects: Iterable[str]) -> list[str]:
        """Return the ids of the current memories that a wish of ``subjects`` is about; see :class:`Reach`."""
        return self._reach.concerned(index, wish, subjects)

    def _texts(self, ids: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
        for memory, _, _ in self._reader.nodes(ids):
            yield memory.id, (memory.content or "", *memory.intent_tags)


def _counted(index: MemoryIndex, rows: npt.NDArray[np.intp], wished: Word) -> npt.NDArray[np.bool_]:
    """Return of which of ``rows`` a wish may change what is shown; each worth is looked at once."""
    sources, sure = index.columns["sourceType"][rows], index.columns["reliability"][rows]
    pairs, places = np.unique(np.stack((sources, sure)), axis=1, return_inverse=True)
    counted = [counts_against(wished, Word(SOURCES[source], part / MICRO)) for source, part in pairs.T.tolist()]
    found: npt.NDArray[np.bool_] = np.array(counted, dtype=np.bool_)[places.reshape(-1)]
    return found
