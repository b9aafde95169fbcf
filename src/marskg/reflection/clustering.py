"""Clusters of episodes that say nearly the same at nearly the same time, in near n log n.

Guarantees: pure and deterministic: equal inputs give equal clusters, ties are broken by position; every member of a
cluster has the same ``group`` (subjects, purpose, jurisdiction); a cluster has from 2 to ``most`` members, and the mean
distance of its unit vectors to their centroid's direction is at most ``radius``; each episode is in at most one. What
must not be summarised at all, such as what is pinned, keyed, superseded or protected, is the caller's to leave out.

Neighbours are the next episodes of the same session (the links of ``temporalNext``) and the nearest vectors in the same
leaf of a few trees of random projections, which halve the episodes until a leaf holds ``LEAF`` of them: n log n, with
every comparison exact. Pairs join by affinity, cosine times exp(-Δt/τ), the best first; linked episodes lose nothing
by time. A union that would grow beyond size or radius is refused, so that one enormous heap of equal texts becomes
many clusters. Sources: MaRS sections 3.3.2 and 4.2; Dasgupta and Freund 2008 (random projection trees); Achlioptas
2003 (projections by signs).
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from marskg.clock import DAY_MS

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from marskg.embedding.model import Vectors

_Ints: TypeAlias = npt.NDArray[np.int64]

#: Episodes in a leaf, among which all pairs are compared.
LEAF: Final = 48
_MICRO: Final = 1_000_000
#: Pairs whose vectors are gathered at once.
_BLOCK: Final = 8_192
#: Seed of the trees where the caller gives none: they only say which pairs are looked at.
_SEED: Final = 20_240_229


@dataclass(frozen=True, slots=True)
class Episode:
    """What clustering knows of a memory besides its vector.

    ``group``: whatever members of one cluster have in common; ``at``: valid time in epoch ms.
    """

    group: Hashable
    session: str | None
    at: int
    sequence: int


@dataclass(frozen=True, slots=True)
class Limits:
    """How far clusters reach.

    ``cosine``: the least similarity of two vectors that join; ``radius``: mean distance to the centroid's direction;
    ``most``: members; ``time_scale``: τ in ms; ``neighbours`` and ``trees``: pairs that are looked at for each episode;
    ``linked``: how many of the next episodes of a session count as linked.
    """

    cosine: float = 0.45
    radius: float = 0.9
    most: int = 24
    time_scale: int = 30 * DAY_MS
    neighbours: int = 6
    trees: int = 3
    linked: int = 2


def clusters(
    episodes: Sequence[Episode], vectors: Vectors, limits: Limits | None = None, *, seed: int = _SEED
) -> list[tuple[int, ...]]:
    """Return the clusters as positions in ``episodes``, members by time, clusters by their first member.

    Args:
        episodes: what may be summarised.
        vectors: ``[len(episodes), dimension]``, float32, rows of unit length; an episode without a vector has a zero
            row and is in no cluster.
        limits: how far clusters reach; the defaults where left out.
        seed: of the random projections.
    """
    limits = limits or Limits()
    known = np.flatnonzero(np.einsum("ij,ij->i", vectors, vectors) > 0)
    found: list[tuple[int, ...]] = []
    for members in _groups(episodes, known):
        if len(members) > 1:
            local = _Group([episodes[place] for place in members], vectors[members], limits, seed)
            found += [tuple(int(members[place]) for place in cluster) for cluster in local.clusters()]
    return sorted(found, key=lambda cluster: (_time(episodes[cluster[0]]), cluster))


def spread(vectors: Vectors) -> float:
    """Return the mean distance of unit vectors ``[n, dimension]`` to the direction of their centroid."""
    total = vectors.sum(axis=0, dtype=np.float64)
    length = math.sqrt(float(total @ total))
    if not length:
        return math.sqrt(2.0)
    return distortion(vectors, (total / length).astype(np.float32))


def distortion(vectors: Vectors, summary: npt.NDArray[np.float32]) -> float:
    """Return D(C ⇒ c̄), the mean distance of ``vectors`` to the vector of their summary (MaRS section 3.1)."""
    distances = np.linalg.norm(vectors.astype(np.float64) - summary.astype(np.float64), axis=1)
    return float(distances.mean())


def shift(vectors: Vectors, summary: npt.NDArray[np.float32]) -> float:
    """Return how far the mean of ``vectors`` moves when their summary takes their place; at most :func:`distortion`."""
    moved = float(np.linalg.norm(vectors.astype(np.float64).mean(axis=0) - summary.astype(np.float64)))
    return min(moved, distortion(vectors, summary))


def _time(episode: Episode) -> tuple[int, int]:
    return episode.at, episode.sequence


def _groups(episodes: Sequence[Episode], known: _Ints) -> Iterator[_Ints]:
    """Yield the positions of each group, in the order in which groups first appear, members by time."""
    members: dict[Hashable, list[int]] = defaultdict(list)
    for place in known.tolist():
        members[episodes[place].group].append(place)
    for places in members.values():
        places.sort(key=lambda place: _time(episodes[place]))
        yield np.array(places, dtype=np.int64)


class _Group:
    """The episodes of one group, in the order of time."""

    def __init__(self, episodes: list[Episode], vectors: Vectors, limits: Limits, seed: int) -> None:
        self._episodes = episodes
        self._vectors = vectors
        self._limits = limits
        self._seed = seed
        self._at = np.array([episode.at for episode in episodes], dtype=np.float64)

    def clusters(self) -> list[tuple[int, ...]]:
        """Return the clusters as positions in this group."""
        forest = _Forest(self._vectors, self._limits)
        for first, second in self._pairs():
            forest.join(first, second)
        return forest.clusters()

    def _pairs(self) -> Iterator[tuple[int, int]]:
        """Yield the pairs that may join, the best first."""
        linked, near = self._linked(), self._near()
        first, second = np.concatenate([linked[0], near[0]]), np.concatenate([linked[1], near[1]])
        cosine = np.concatenate([self._cosines(*linked), near[2]])
        gap = np.abs(self._at[first] - self._at[second])
        gap[: len(linked[0])] = 0.0
        kept = cosine >= round(self._limits.cosine * _MICRO)
        affinity = np.rint(cosine * np.exp(-gap / self._limits.time_scale)).astype(np.int64)[kept]
        first, second = first[kept], second[kept]
        order = np.lexsort((second, first, -affinity))
        yield from zip(first[order].tolist(), second[order].tolist(), strict=True)

    def _cosines(self, first: _Ints, second: _Ints) -> _Ints:
        """Return the cosine of each pair in millionths, a block of pairs at a time."""
        found = [
            np.einsum(
                "ij,ij->i", self._vectors[first[start : start + _BLOCK]], self._vectors[second[start : start + _BLOCK]]
            )
            for start in range(0, len(first), _BLOCK)
        ]
        return np.rint(np.concatenate(found) * _MICRO).astype(np.int64) if found else np.empty(0, dtype=np.int64)

    def _linked(self) -> tuple[_Ints, _Ints]:
        """Return the pairs of episodes that follow each other in a session."""
        sessions: dict[str, list[int]] = defaultdict(list)
        for place, episode in enumerate(self._episodes):
            if episode.session is not None:
                sessions[episode.session].append(place)
        pairs = [
            (place, places[position + step])
            for places in sessions.values()
            for step in range(1, self._limits.linked + 1)
            for position, place in enumerate(places[:-step])
        ]
        array = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return array[:, 0], array[:, 1]

    def _near(self) -> tuple[_Ints, _Ints, _Ints]:
        """Return pairs of episodes with near vectors, each once, the earlier one first, and their cosines."""
        count = len(self._episodes)
        found = [self._in_leaves(leaves) for leaves in self._trees()]
        codes = np.concatenate([codes for codes, _ in found])
        cosines = np.concatenate([cosines for _, cosines in found])
        order = np.argsort(codes, kind="stable")
        codes, cosines = codes[order], cosines[order]
        fresh = np.ones(len(codes), dtype=bool)
        fresh[1:] = codes[1:] != codes[:-1]
        codes = codes[fresh]
        return codes // count, codes % count, cosines[fresh]

    def _trees(self) -> Iterator[list[_Ints]]:
        """Yield the leaves of each tree: positions of episodes that stay together under random projections."""
        count, dimension = self._vectors.shape
        depth = max(0, math.ceil(math.log2(count / LEAF)))
        for tree in range(self._limits.trees if depth else 1):
            order = np.arange(count, dtype=np.int64)
            bounds = [0, count]
            directions = _signs(f"{self._seed} {tree}", dimension, max(depth, 1))
            projected = np.rint(self._vectors @ directions * _MICRO).astype(np.int64)
            for level in range(depth):
                bounds = _halved(order, bounds, projected[:, level])
            yield [order[start:end] for start, end in pairwise(bounds)]

    def _in_leaves(self, leaves: list[_Ints]) -> tuple[_Ints, _Ints]:
        """Return the pairs of near neighbours within each leaf, as ``earlier * n + later``, and their cosines."""
        count = len(self._episodes)
        least = round(self._limits.cosine * _MICRO)
        codes, cosines = [], []
        for leaf in leaves:
            rows = self._vectors[leaf]
            similar = np.rint(rows @ rows.T * _MICRO).astype(np.int64)
            np.fill_diagonal(similar, -2 * _MICRO)
            wanted = min(self._limits.neighbours, len(leaf) - 1)
            nearest = np.argsort(-similar, axis=1, kind="stable")[:, :wanted].ravel()
            place = np.repeat(np.arange(len(leaf)), wanted)
            cosine = similar[place, nearest]
            near = cosine >= least
            one, other = leaf[place[near]], leaf[nearest[near]]
            codes.append(np.minimum(one, other) * count + np.maximum(one, other))
            cosines.append(cosine[near])
        return np.concatenate(codes), np.concatenate(cosines)


def _signs(name: str, rows: int, columns: int) -> npt.NDArray[np.float32]:
    """Return a matrix of ±1, the same for the same ``name``: nothing is drawn, as nothing has to be secret or fair."""
    digest = hashlib.shake_256(name.encode()).digest(-(-rows * columns // 8))
    bits = np.unpackbits(np.frombuffer(digest, dtype=np.uint8))[: rows * columns]
    return (bits.astype(np.float32) * 2 - 1).reshape(rows, columns)


def _halved(order: _Ints, bounds: list[int], projected: _Ints) -> list[int]:
    """Sort each part of ``order`` by its projection, in place, and return the bounds of the halves."""
    halves = [0]
    for start, end in pairwise(bounds):
        part = order[start:end]
        order[start:end] = part[np.argsort(projected[part], kind="stable")]
        halves += [(start + end) // 2, end]
    return halves


class _Forest:
    """Sets of episodes that grow by union, within the limits of size and radius."""

    def __init__(self, vectors: Vectors, limits: Limits) -> None:
        self._limits = limits
        # The mean squared distance to the centroid's direction is 2 - 2|sum|/n, so its root bounds the mean distance.
        self._least = 1.0 - limits.radius * limits.radius / 2.0
        self._parents = list(range(len(vectors)))
        self._sums: dict[int, npt.NDArray[np.float32]] = {}
        self._vectors = vectors
        self._squares = np.einsum("ij,ij->i", vectors, vectors).astype(np.float64).tolist()
        self._members: dict[int, list[int]] = {}
        self._sizes = [1] * len(vectors)

    def _root(self, place: int) -> int:
        parents = self._parents
        while parents[place] != place:
            parents[place] = parents[parents[place]]
            place = parents[place]
        return place

    def join(self, first: int, second: int) -> None:
        """Unite the sets of two episodes, if what comes of it stays within the limits."""
        one, other = self._root(first), self._root(second)
        if one == other:
            return
        size = self._sizes[one] + self._sizes[other]
        if size > self._limits.most:
            return
        sum_one, sum_other = self._sums.get(one, self._vectors[one]), self._sums.get(other, self._vectors[other])
        square = self._squares[one] + self._squares[other] + 2.0 * float(sum_one @ sum_other)
        if math.sqrt(max(square, 0.0)) < self._least * size:
            return
        self._parents[other] = one
        self._sizes[one] = size
        self._members[one] = self._members.get(one, [one]) + self._members.pop(other, [other])
        self._sums[one] = sum_one + sum_other
        self._sums.pop(other, None)
        self._squares[one] = square

    def clusters(self) -> list[tuple[int, ...]]:
        """Return the sets of two or more."""
        return [tuple(sorted(members)) for _, members in sorted(self._members.items())]
