"""From a cluster to a summary that passed every gate, or to the refusal.

Guarantees: what is returned passed :mod:`marskg.reflection.gates` on its own lines, weight and vector, whatever the
summariser claims; a cluster that is refused is tried once more with a more conservative target (MaRS section 5.3):
fewer tokens, and of a cluster that lies too far apart only its core. Only what the gate of sensitivity lets through is
said at all; a constituent of which most would have to stay unsaid is left out of the cluster, so that the gate is held
against those that are in it. Constituents that are left out stay as they are, and a note says so. Deterministic for a
deterministic summariser and model.

The note of a completed task (MaRS section 3.2.4) opens with what no summariser chooses: a sentence of the task, then
one of its outcome, the last that was noted of it, where both weigh less than the cluster. The summariser adds what the
target leaves room for. If that lies too far from the cluster, the second try is of the task, its outcome and as many of
the members nearest to the task as pass with the opening alone, else of the task and those nearest to it, where the
outcome stays a memory as it is unsaid; the third and last is that opening alone. So a summariser is asked twice at
most, as for any cluster.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from marskg.ontology.vocabulary import Kind
from marskg.records import Consolidation
from marskg.reflection.clustering import distortion, shift, spread
from marskg.reflection.gates import Gate, Refusal, check_distortion, check_lines, sensitivity_of
from marskg.reflection.passages import in_order, is_covered, says_all, sentences_of
from marskg.reflection.summariser import Proposal, Request, line_of, text_of
from marskg.text import folded, terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from marskg.embedding.model import Vectors
    from marskg.records import SummaryLine
    from marskg.reflection.gates import Thresholds
    from marskg.reflection.passages import Constituent, Sensing, Sentence
    from marskg.reflection.summariser import Counter, Summariser

#: Share of the first target that the second try may use.
_SHORTER: Final = 0.5
#: Share of a cluster that is its core, the members nearest to its centroid.
_CORE: Final = 0.5
_LEAST: Final = 2


@dataclass(frozen=True, slots=True)
class Vector:
    """The vector of a summary: as a row, as the store keeps it, and what made it (setting and name)."""

    row: npt.NDArray[np.float32]
    packed: str
    made_by: tuple[str, str]


class Embed(Protocol):
    """Makes the vector of one text."""

    def __call__(self, text: str) -> Vector | None:
        """Return the vector of ``text``, None while the model does not answer."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one cluster: a summary, or why there is none; ``requests`` are those to a model."""

    summary: Consolidation | None
    refusals: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()
    requests: int = 0

    @property
    def decisive(self) -> Refusal | None:
        """Return the refusal that explains why there is no summary: the last of a text, if any try had one."""
        texts = [refusal for refusal in self.refusals if refusal.gate is not Gate.EMPTY]
        return next(reversed(texts or self.refusals), None)


@dataclass(frozen=True, slots=True)
class Workshop:
    """What summaries are made with; ``share`` is the part of a cluster's tokens that its summary may weigh.

    ``sensing`` measures what is rewritten; without it, that is as sensitive as what it rests on.
    """

    summariser: Summariser
    counter: Counter
    embed: Embed
    thresholds: Thresholds
    share: float
    sensing: Sensing | None = None

    def consolidate(self, constituents: Sequence[Constituent], vectors: Vectors, *, durable: bool = False) -> Outcome:
        """Return the summary of a cluster, or why there is none.

        Args:
            constituents: the members of the cluster, two or more.
            vectors: ``[len(constituents), dimension]``, their unit vectors.
            durable: whether it is the note of a completed task, which lasts; the task is the first of ``constituents``.
        """
        places, ceiling = self._speakers(constituents)
        notes = (LEFT_OUT,) * (len(constituents) - len(places))
        if len(places) < _LEAST:
            highest = max((one.sensitivity for one in constituents), default=0.0)
            return Outcome(None, (Refusal(Gate.SENSITIVITY, highest, ceiling),), notes)
        speaking = [constituents[place] for place in places]
        voices = _voices(speaking, constituents[0].id) if durable else ()
        outcome = self._tries(speaking, vectors[places], voices)
        return replace(outcome, notes=(*notes, *outcome.notes))

    def _speakers(self, constituents: Sequence[Constituent]) -> tuple[list[int], float]:
        """Return the places of those whom a summary may speak for, and how sensitive it may be.

        Without the most sensitive ones a summary may be less so, so that others may have to stay, too.
        """
        places = list(range(len(constituents)))
        while True:
            ceiling = self.thresholds.ceiling([constituents[place] for place in places])
            kept = [place for place in places if is_covered(constituents[place], ceiling, self.sensing)]
            if len(kept) in {0, len(places)}:
                return kept, ceiling
            places = kept

    def _tries(self, constituents: Sequence[Constituent], vectors: Vectors, voices: tuple[str, ...]) -> Outcome:
        """Return what comes of two tries, of three for the note of a task; ``voices`` open it, nobody opens another."""
        whole = sum(one.weight for one in constituents)
        first = self._try(constituents, vectors, int(whole * self.share), voices)
        if first.summary is not None or not first.refusals:
            return first
        refusal = first.refusals[-1]
        far = refusal.gate is Gate.DISTORTION
        kept = np.arange(len(constituents))
        if far and voices:
            kept, voices = self._nearest(constituents, vectors, voices)
        elif far:
            kept = _core(vectors)
        if len(kept) < _LEAST:
            return first
        core = [constituents[place] for place in kept.tolist()]
        # A shorter text is nearer to none: what lies too far apart becomes a smaller cluster of the same target.
        share = self.share if far else self.share * _SHORTER
        shorter = int(sum(one.weight for one in core) * share)
        second = self._try(core, vectors[kept], max(shorter, 1), voices)
        tried = _joined(first, second)
        if voices and second.refusals:
            tried = _joined(tried, self._try(core, vectors[kept], 0, voices))
        return tried

    def _nearest(
        self, constituents: Sequence[Constituent], vectors: Vectors, voices: tuple[str, ...]
    ) -> tuple[npt.NDArray[np.intp], tuple[str, ...]]:
        """Return the places of the most members around a task that its opening alone may stand for, and who opens.

        With the outcome where that passes, else without it: then it is none of the members either. No places where
        nothing passes. Vectors are asked for of two texts, and of more only where smaller clusters may say less.
        """
        made: dict[str, Vector | None] = {}
        for chosen in (voices, voices[:1])[: len(voices)]:
            for kept in _around(constituents, vectors, chosen, voices[len(chosen) :]):
                members = in_order(constituents[place] for place in kept.tolist())
                ceiling = self.thresholds.ceiling(members)
                # What the others say is not needed for it, and they may be many.
                heard = [one for one in members if one.id in chosen]
                opening = self._opening(heard, chosen, ceiling, sum(one.weight for one in members))
                lines = [line_of(sentence) for sentence in opening]
                text = text_of(lines)
                if len(lines) < len(chosen) or check_lines(members, lines, self.counter.count(text), self.thresholds):
                    continue
                if text not in made:
                    made[text] = self.embed(text)
                vector = made[text]
                if vector is None or check_distortion(distortion(vectors[kept], vector.row), self.thresholds):
                    continue
                if all(is_covered(one, ceiling, self.sensing) for one in members):
                    return kept, chosen
        return np.empty(0, dtype=np.intp), voices

    def _opening(
        self, members: Sequence[Constituent], voices: Sequence[str], ceiling: float, whole: int
    ) -> tuple[Sentence, ...]:
        """Return a sentence of each of ``voices`` that may be said; of the first alone where all weigh ``whole``.

        A task says at its beginning what it is. An outcome may begin with "Done!": its sentence with most terms speaks.
        """
        said = sentences_of(members, ceiling, self.sensing) if voices else []
        places = {one.id: place for place, one in enumerate(members)}
        opening: tuple[Sentence, ...] = ()
        for voice in voices:
            own = [sentence for sentence in said if places[voice] in sentence.said_by]
            if members[places[voice]].kind is not Kind.TASK:
                own.sort(key=lambda sentence: -len(set(terms(sentence.text))))
            more = (*opening, *(sentence for sentence in own[:1] if sentence not in opening))
            if not opening or self.counter.count(text_of([line_of(sentence) for sentence in more])) < whole:
                opening = more
        return opening

    def _try(
        self, constituents: Sequence[Constituent], vectors: Vectors, target: int, voices: tuple[str, ...]
    ) -> Outcome:
        """Try once: with ``voices`` for the note of a task, which they open; the target may be nothing besides."""
        members = in_order(constituents)
        ceiling = self.thresholds.ceiling(members)
        opening = self._opening(members, voices, ceiling, sum(one.weight for one in members))
        spoken = [line_of(sentence) for sentence in opening]
        left = target - self.counter.count(text_of(spoken)) if voices else target
        if voices and left < 1:
            proposal, asked = Proposal(tuple(spoken)), 0
        else:
            request = Request(tuple(members), left, ceiling, self.sensing, opening)
            proposal = _after(spoken, self.summariser.summarise(request))
            asked = self.summariser.calls if proposal.asked else 0
        lines = proposal.lines
        weight = self.counter.count(text_of(lines))
        refusal = check_lines(members, lines, weight, self.thresholds)
        if refusal is not None:
            return _refused(refusal, proposal, asked)
        vector = self.embed(text_of(lines))
        if vector is None:
            notes = (*proposal.notes, WITHOUT_VECTOR)
            return Outcome(None, (), notes, asked)
        realised = distortion(vectors, vector.row)
        refusal = check_distortion(realised, self.thresholds)
        if refusal is not None:
            return _refused(refusal, proposal, asked)
        summary = Consolidation(
            constituents=tuple(one.id for one in members),
            lines=lines,
            weight=weight,
            sensitivity=sensitivity_of(lines),
            predicted=spread(vectors),
            realised=realised,
            embedding=vector.packed,
            made_by=vector.made_by,
            equivalent=says_all(members, lines),
            durable=bool(voices),
            shift=shift(vectors, vector.row),
        )
        return Outcome(summary, (), proposal.notes, asked)


#: Why a memory is left out of a summary.
LEFT_OUT: Final = "a memory stays as it is: most of what it says is more sensitive than a summary of its cluster may be"
#: Why a cluster is left alone while the model rests.
WITHOUT_VECTOR: Final = "the embedding model did not answer, so no distortion could be measured: nothing was summarised"


def _refused(refusal: Refusal, proposal: Proposal, asked: int) -> Outcome:
    return Outcome(None, (refusal,), proposal.notes, asked)


def _joined(first: Outcome, then: Outcome) -> Outcome:
    """Return what comes of two tries, of which the first was refused."""
    return Outcome(
        then.summary,
        (*first.refusals, *then.refusals),
        (*first.notes, *then.notes),
        first.requests + then.requests,
    )


def _after(spoken: Sequence[SummaryLine], proposal: Proposal) -> Proposal:
    """Return a proposal whose lines follow what opens a note, each thing once."""
    known = {folded(line.text) for line in spoken}
    return replace(proposal, lines=(*spoken, *(line for line in proposal.lines if folded(line.text) not in known)))


def _voices(constituents: Sequence[Constituent], task: str) -> tuple[str, ...]:
    """Return who opens the note of a task: the task, unless it must stay unsaid, and its outcome."""
    *_, outcome = (one.id for one in in_order(constituents) if one.id != task)
    return (task, outcome) if any(one.id == task for one in constituents) else (outcome,)


def _around(
    constituents: Sequence[Constituent], vectors: Vectors, voices: Sequence[str], silent: Sequence[str]
) -> Iterator[npt.NDArray[np.intp]]:
    """Yield the places of ``voices`` with the members nearest to the first, without ``silent``, fewer each time."""
    places = {one.id: place for place, one in enumerate(constituents)}
    fixed = [places[voice] for voice in voices]
    apart = {*fixed, *(places[one] for one in silent)}
    near = np.rint(vectors @ vectors[fixed[0]] * 1e6).astype(np.int64)
    others = [place for place in np.argsort(-near, kind="stable").tolist() if place not in apart]
    for more in range(len(others), _LEAST - len(fixed) - 1, -1):
        yield np.sort(np.array([*fixed, *others[:more]], dtype=np.intp))


def _core(vectors: Vectors) -> npt.NDArray[np.intp]:
    """Return the positions of the members nearest to the centroid, in their order."""
    total = vectors.sum(axis=0, dtype=np.float64)
    near = np.rint(vectors @ total * 1e6).astype(np.int64)
    wanted = max(_LEAST, int(len(vectors) * _CORE))
    found = np.argsort(-near, kind="stable")[:wanted]
    return np.sort(found) if wanted < len(vectors) else np.empty(0, dtype=np.intp)
