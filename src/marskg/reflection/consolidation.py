"""From a cluster to a summary that passed every gate, or to the refusal.

Guarantees: what is returned passed :mod:`marskg.reflection.gates` on its own lines, weight and vector, whatever the
summariser claims; a cluster that is refused is tried once more with a more conservative target (MaRS section 5.3):
fewer tokens, and of a cluster that lies too far apart only its core. Only what the gate of sensitivity lets through is
said at all; a constituent of which most would have to stay unsaid is left out of the cluster, so that the gate is held
against those that are in it. Constituents that are left out stay as they are, and a note says so. Deterministic for a
deterministic summariser and model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from marskg.records import Consolidation
from marskg.reflection.clustering import distortion, shift, spread
from marskg.reflection.gates import Gate, Refusal, check_distortion, check_lines, sensitivity_of
from marskg.reflection.passages import in_order, is_covered, says_all
from marskg.reflection.summariser import Request, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from marskg.embedding.model import Vectors
    from marskg.reflection.gates import Thresholds
    from marskg.reflection.passages import Constituent, Sensing
    from marskg.reflection.summariser import Counter, Proposal, Summariser

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
    #: Requests that a model did not answer so that it could be read.
    failures: int = 0


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
            durable: whether it is the note of a completed task, which lasts.
        """
        places, ceiling = self._speakers(constituents)
        notes = (LEFT_OUT,) * (len(constituents) - len(places))
        if len(places) < _LEAST:
            highest = max((one.sensitivity for one in constituents), default=0.0)
            return Outcome(None, (Refusal(Gate.SENSITIVITY, highest, ceiling),), notes)
        speaking = [constituents[place] for place in places]
        outcome = self._tries(speaking, vectors[places], durable=durable)
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

    def _tries(self, constituents: Sequence[Constituent], vectors: Vectors, *, durable: bool) -> Outcome:
        whole = sum(one.weight for one in constituents)
        first = self._try(constituents, vectors, int(whole * self.share), durable=durable)
        if first.summary is not None or not first.refusals:
            return first
        refusal = first.refusals[-1]
        far = refusal.gate is Gate.DISTORTION
        kept = _core(vectors) if far else np.arange(len(constituents))
        if len(kept) < _LEAST:
            return first
        core = [constituents[place] for place in kept.tolist()]
        # A shorter text is nearer to none: what lies too far apart becomes a smaller cluster of the same target.
        share = self.share if far else self.share * _SHORTER
        shorter = int(sum(one.weight for one in core) * share)
        second = self._try(core, vectors[kept], max(shorter, 1), durable=durable)
        return Outcome(
            second.summary,
            (*first.refusals, *second.refusals),
            (*first.notes, *second.notes),
            first.requests + second.requests,
            first.failures + second.failures,
        )

    def _try(self, constituents: Sequence[Constituent], vectors: Vectors, target: int, *, durable: bool) -> Outcome:
        members = in_order(constituents)
        ceiling = self.thresholds.ceiling(members)
        proposal = self.summariser.summarise(Request(tuple(members), target, ceiling, self.sensing))
        lines = proposal.lines
        weight = self.counter.count(text_of(lines))
        refusal = check_lines(members, lines, weight, self.thresholds)
        if refusal is not None:
            return self._refused(refusal, proposal)
        vector = self.embed(text_of(lines))
        if vector is None:
            notes = (*proposal.notes, WITHOUT_VECTOR)
            return Outcome(None, (), notes, self.summariser.calls, int(proposal.failed))
        realised = distortion(vectors, vector.row)
        refusal = check_distortion(realised, self.thresholds)
        if refusal is not None:
            return self._refused(refusal, proposal)
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
            durable=durable,
            shift=shift(vectors, vector.row),
        )
        return Outcome(summary, (), proposal.notes, self.summariser.calls, int(proposal.failed))

    def _refused(self, refusal: Refusal, proposal: Proposal) -> Outcome:
        return Outcome(None, (refusal,), proposal.notes, self.summariser.calls, int(proposal.failed))


#: Why a memory is left out of a summary.
LEFT_OUT: Final = "a memory stays as it is: most of what it says is more sensitive than a summary of its cluster may be"
#: Why a cluster is left alone while the model rests.
WITHOUT_VECTOR: Final = "the embedding model did not answer, so no distortion could be measured: nothing was summarised"


def _core(vectors: Vectors) -> npt.NDArray[np.intp]:
    """Return the positions of the members nearest to the centroid, in their order."""
    total = vectors.sum(axis=0, dtype=np.float64)
    near = np.rint(vectors @ total * 1e6).astype(np.int64)
    wanted = max(_LEAST, int(len(vectors) * _CORE))
    found = np.argsort(-near, kind="stable")[:wanted]
    return np.sort(found) if wanted < len(vectors) else np.empty(0, dtype=np.intp)
