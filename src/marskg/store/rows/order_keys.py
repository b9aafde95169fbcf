"""Importance, the scores that policies order by, and the index keys that let an engine read in that order.

Guarantees: this is the only place that computes a score (I9). A key is text of fixed width after the tenant, so that
an engine's string order is the policy's order; it changes only when the memory does, never because time passes.
The character after the tenant is the rank, by which all orders go first: what is out of date, then turns of which a
fact says every word, then all else, and last what a life depends on (:mod:`marskg.store.unit.eviction_ranks`).

Priority-Decay orders by ``imp / w = A / w + β e^(-λ (now - last)) / w``, where A is what does not decay. As time passes
the second term shrinks against the first, so no single number orders the memories for good. Two numbers do not change:
``ln(A / w)`` and ``ln β + λ last - ln w``. Both are kept in steps of 2^-20 and interleaved bit by bit (Morton order, in
cells higher than wide), so that memories close in both are neighbours in the index and each aligned range of keys has a
lower bound of its score. :mod:`marskg.policies.streams.decay_search` finds the lowest scores from it without reading
the others.

Sources: MaRS sections 3.3.1, 3.3.2 and 5.3 (importance, temporal order, hysteresis); semantics section 7; G. M. Morton
1966 (the curve).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from marskg.clock import DAY_MS
from marskg.ontology.vocabulary import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.clock import Source
    from marskg.config import Scoring

#: The properties that hold the keys; a memory has them exactly while a policy may evict it.
FIFO_KEY, LRU_KEY, DECAY_KEY, RANDOM_KEY = KEY_NAMES = ("fifoKey", "lruKey", "decayKey", "randomKey")
#: Ranks: superseded memories are first in line (semantics section 5), what a life depends on last (section 13).
SUPERSEDED, RESTATED, CURRENT, VITAL = RANKS = ("0", "1", "2", "3")

_SEQUENCE_BITS = 64
_SEQUENCE_MASK = (1 << _SEQUENCE_BITS) - 1
_BIAS = 1 << 63
#: Steps of one unit of the natural logarithm in a decay key.
STEPS = 1 << 20
#: ln(A / w) lies in [-40, 24): 26 bits. ln β + λ last - ln w lies in [-64, 2^29 - 64): 49 bits.
_X_BITS, _Y_BITS = 26, 49
_X_OFFSET, _Y_OFFSET = 40.0, 64.0
#: The lowest bits of ln β + λ last - ln w, left out of the interleaving: a cell of the curve is 2^4 times as high as it
#: is wide. What an error in either coordinate does to the score is e^(λ age) times less for this one, so these cells
#: suit memories that are some months old best, and are good enough from days to years.
_TALL = 4
_Z_DIGITS = 19
#: All points of a tenant's decay index: rank, place on the curve, sequence.
FIRST_POINT, LAST_POINT = 0, len(RANKS) << (4 * _Z_DIGITS + _SEQUENCE_BITS)
_MILLION = 1_000_000

#: A place in the order of Priority-Decay: rank, score, staleness, sequence.
Place: TypeAlias = "tuple[int, int, int, int]"


class Access(NamedTuple):
    """When a memory was last read and how often."""

    last: int
    times: int


def micro(value: float) -> int:
    """Return ``value`` as an integer of 1e-6, ties to even: how scores are stored."""
    return round(value * _MILLION)


def recency(scoring: Scoring, last_access: int, now: int) -> float:
    """Return e^(-λ age) of the time since the last access, 1.0 for an access in the future."""
    return math.exp(min(0.0, scoring.lambda_age * (last_access - now) / DAY_MS))


def frequency(scoring: Scoring, access_count: int) -> float:
    """Return the normalised number of accesses, from 0 towards 1."""
    return access_count / (access_count + scoring.frequency_half)


def importance(scoring: Scoring, kind: Kind, last_access: int, access_count: int, now: int) -> float:
    """Return ``imp`` of MaRS section 3.3.2: alpha * type_weight + beta * recency + gamma * frequency."""
    return _lasting(scoring, kind, access_count) + scoring.beta * recency(scoring, last_access, now)


def density(scoring: Scoring, kind: Kind, weight: int, access: Access, now: int) -> float:
    """Return importance per token."""
    return importance(scoring, kind, access.last, access.times, now) / max(weight, 1)


def _lasting(scoring: Scoring, kind: Kind, access_count: int) -> float:
    """Return A, the part of importance that does not decay."""
    return scoring.alpha * scoring.type_weights[kind] + scoring.gamma * frequency(scoring, access_count)


# --- Keys --------------------------------------------------------------------------------------------------------


def order_keys(
    scoring: Scoring,
    *,
    tenant: str,
    kind: Kind,
    weight: int,
    created: int,
    last_access: int,
    access_count: int,
    sequence: int,
    rank: str,
    random_position: int,
    eligible: tuple[int, int] | None = None,
    sliced: bool = False,
) -> dict[str, str]:
    """Return the four index keys of an evictable memory, by property name.

    Where the budget is divided among the kinds (``sliced``), the kind comes before all else: each kind is a range.

    ``eligible`` is the access at which the memory was marked as next in line, while that mark holds: it decides the
    place in the order of Priority-Decay alone (:func:`effective_access`).
    """
    prefix = slice_prefix(tenant, kind) if sliced else tenant
    curve = interleave(*decay_coordinates(scoring, kind, weight, Access(*(eligible or (last_access, access_count)))))
    return {
        FIFO_KEY: place_key(prefix, rank, created, sequence),
        LRU_KEY: place_key(prefix, rank, last_access, sequence),
        DECAY_KEY: f"{prefix}|{rank}{curve:0{_Z_DIGITS}x}{sequence:016x}",
        RANDOM_KEY: place_key(prefix, rank, random_position, sequence),
    }


def slice_prefix(tenant: str, kind: Kind) -> str:
    """Return what stands in the place of the tenant in the keys of one kind, where kinds have shares of their own."""
    return f"{tenant}|{tuple(Kind).index(kind)}"


def place_key(prefix: str, rank: str, place: int, sequence: int) -> str:
    """Return the key of a whole number, such as a moment or a random position, below a tenant or a slice of one."""
    return f"{prefix}|{rank}{place + _BIAS:016x}{sequence:016x}"


def key_range(tenant: str) -> tuple[str, str]:
    """Return the half-open range of all keys of ``tenant``."""
    return f"{tenant}|", f"{tenant}}}"


def span(tenant: str) -> dict[str, str]:
    """Return the parameters of a statement about all keys of ``tenant``."""
    low, high = key_range(tenant)
    return {"low": low, "high": high}


def random_position(key: str) -> int:
    """Return the position that a ``randomKey`` holds."""
    return int(key[-32:-16], 16) - _BIAS


def rank_in(key: str) -> str:
    """Return the rank that a ``randomKey`` holds."""
    return key[-33]


# --- Priority-Decay ----------------------------------------------------------------------------------------------


def decay_coordinates(scoring: Scoring, kind: Kind, weight: int, access: Access) -> tuple[int, int]:
    """Return ``ln(A / w)`` and ``ln β + λ last - ln w`` in steps from their offsets; 0 stands for no such term."""
    log_weight = math.log(max(weight, 1))
    lasting = _lasting(scoring, kind, access.times)
    x = _steps(math.log(lasting) - log_weight + _X_OFFSET, _X_BITS) if lasting > 0 else 0
    if scoring.beta <= 0:
        return x, 0
    days = scoring.lambda_age * access.last / DAY_MS
    return x, _steps(math.log(scoring.beta) + days - log_weight + _Y_OFFSET, _Y_BITS)


@dataclass(frozen=True, slots=True)
class DecayScale:
    """The scores of Priority-Decay at one moment.

    Its order is (rank, score, staleness, sequence): of equal scores the one that was longer unread comes first, as it
    is the one that the index holds first; then the older one.
    """

    scoring: Scoring
    now: int

    def score(self, x: int, y: int) -> int:
        """Return the importance per 1,000 tokens in 1e-6 at the coordinates; never falls as one of them grows."""
        total = math.exp(x / STEPS - _X_OFFSET) if x else 0.0
        if y and self.scoring.beta > 0:
            total += math.exp(min(700.0, y / STEPS - _Y_OFFSET - self.scoring.lambda_age * self.now / DAY_MS))
        return round(min(total, 1e9) * 1e9)

    def place(self, point: int) -> Place:
        """Return the place in the order of a point of the index."""
        rank, x, y = _corner(point >> _SEQUENCE_BITS)
        return rank, self.score(x, y), y, point & _SEQUENCE_MASK

    def place_of(self, kind: Kind, weight: int, access: Access, rank: str, sequence: int) -> Place:
        """Return the place in the order of a memory, in the index or not."""
        x, y = decay_coordinates(self.scoring, kind, weight, access)
        return int(rank), self.score(x, y), y, sequence

    def after(self, point: int, high: int) -> Iterator[tuple[Place, int, int]]:
        """Cut what comes after ``point`` and before ``high`` into ranges ``(place, first, end)``, few and growing.

        A range is aligned to its own size, so that its first point has the lowest place in it. ``high`` is the end of
        such a range around ``point``, or the end of the index.
        """
        code = point >> _SEQUENCE_BITS
        rank, x, y = _corner(code)
        end = min((code + 1) << _SEQUENCE_BITS, high)
        if point + 1 < end:
            yield (rank, self.score(x, y), y, (point + 1) & _SEQUENCE_MASK), point + 1, end
        # Two bits above the curve are the rank's.
        for bit in range(4 * _Z_DIGITS + 2):
            first = ((code >> bit) | 1) << bit
            if first << _SEQUENCE_BITS >= high:
                return
            if not code >> bit & 1:
                corner = _raised(x, y, bit) if bit < 4 * _Z_DIGITS else (0, 0)
                end = min((first + (1 << bit)) << _SEQUENCE_BITS, high)
                place = (first >> (4 * _Z_DIGITS), self.score(*corner), corner[1], 0)
                yield place, first << _SEQUENCE_BITS, end


def _corner(code: int) -> tuple[int, int, int]:
    """Return rank and coordinates of a place on the curve."""
    return code >> (4 * _Z_DIGITS), *deinterleave(code & ((1 << (4 * _Z_DIGITS)) - 1))


def _raised(x: int, y: int, bit: int) -> tuple[int, int]:
    """Return the coordinates after setting a bit of their Morton code and clearing all below it."""
    if bit < _TALL:
        return x, ((y >> bit) | 1) << bit
    if bit >= 2 * _X_BITS + _TALL:
        level = bit - _X_BITS
        return 0, ((y >> level) | 1) << level
    level = (bit - _TALL) >> 1
    if (bit - _TALL) & 1:
        return (x >> (level + 1)) << (level + 1), ((y >> (level + _TALL)) | 1) << (level + _TALL)
    return ((x >> level) | 1) << level, (y >> (level + _TALL)) << (level + _TALL)


def decay_point(key: str, tenant: str) -> int:
    """Return rank, Morton code and sequence of a ``decayKey`` as one integer, in the order of the keys."""
    return int(key[len(tenant) + 1 :], 16)


def decay_key(point: int, tenant: str) -> str:
    """Return the ``decayKey`` of a point: the inverse of :func:`decay_point`."""
    return f"{tenant}|{point:0{1 + _Z_DIGITS + 16}x}"


def decay_bound(key: str, tenant: str) -> int:
    """Return the first point at or after a bound of a range of keys, which may be longer or shorter than a key."""
    digits = key[len(tenant) + 1 :]
    width = 1 + _Z_DIGITS + 16
    if not digits.isalnum():
        return FIRST_POINT if key <= f"{tenant}|" else LAST_POINT
    return int(digits[:width].ljust(width, "0"), 16) + (len(digits) > width)


def interleave(x: int, y: int) -> int:
    """Return the Morton code: the upper bits of ``y``, both bit by bit, then the lowest bits of ``y``."""
    high, middle, low = y >> (_X_BITS + _TALL), (y >> _TALL) & ((1 << _X_BITS) - 1), y & ((1 << _TALL) - 1)
    return (high << (2 * _X_BITS) | _spread(middle) << 1 | _spread(x)) << _TALL | low


def deinterleave(code: int) -> tuple[int, int]:
    """Return the coordinates of a Morton code."""
    low, code = code & ((1 << _TALL) - 1), code >> _TALL
    middle = code & ((1 << (2 * _X_BITS)) - 1)
    return _gather(middle), ((code >> (2 * _X_BITS)) << _X_BITS | _gather(middle >> 1)) << _TALL | low


def _steps(value: float, bits: int) -> int:
    return min(max(math.floor(value * STEPS), 1), (1 << bits) - 1)


def _spread(bits: int) -> int:
    """Put a zero bit before each of up to 32 bits."""
    bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
    bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
    bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333
    return (bits | bits << 1) & 0x5555_5555_5555_5555


def _gather(bits: int) -> int:
    """Keep every second bit of up to 64: the inverse of :func:`_spread`."""
    bits &= 0x5555_5555_5555_5555
    bits = (bits | bits >> 1) & 0x3333_3333_3333_3333
    bits = (bits | bits >> 2) & 0x0F0F_0F0F_0F0F_0F0F
    bits = (bits | bits >> 4) & 0x00FF_00FF_00FF_00FF
    bits = (bits | bits >> 8) & 0x0000_FFFF_0000_FFFF
    return (bits | bits >> 16) & 0xFFFF_FFFF


# --- Hysteresis and chance ---------------------------------------------------------------------------------------


def effective_access(  # noqa: PLR0917 - the facts of one access, in the order in which they are stored
    scoring: Scoring, marked: tuple[int, int] | None, last: int, count: int, now: int, kind: Kind, weight: int
) -> tuple[int, int, Access | None]:
    """Return the access that a memory's decay key is computed from, and the mark that stays (MaRS section 5.3).

    A memory that a trigger has reached without taking it is marked with its access at that time. Its key stays where
    it was until reading has raised its density by more than the margin; then the mark goes and the key follows.
    """
    if marked is None:
        return last, count, None
    before = density(scoring, kind, weight, Access(*marked), now)
    if density(scoring, kind, weight, Access(last, count), now) > before * (1.0 + scoring.spare_margin):
        return last, count, None
    return *marked, Access(*marked)


def exp_position(source: Source, watermark: int) -> int:
    """Return ``watermark`` plus an exponential draw of mean 1, in 1e-9: the place of a new evictable memory.

    As the exponential has no memory, all evictable memories are at every moment equally likely to be next, whenever
    they arrived, if evictions go in this order and each moves the watermark to its place.
    """
    uniform = (int.from_bytes(source.token(8), "big") >> 11) / (1 << 53)
    return watermark + round(-math.log1p(-uniform) * 1e9)
