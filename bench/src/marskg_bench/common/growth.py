"""How a cost grows with the size of the store: the exponent of a fitted power, and the growth law that is nearest.

Guarantees: pure functions of sizes and costs; equal inputs give equal answers. With one size there is no growth to
tell of, and none is told.

The exponent is the slope of least squares through log cost over log size. What a trigger costs at any size, such as its
commit, pulls it down: so the slope between the two largest sizes stands beside it, where that cost weighs least. A cost
of c · n log n has a slope a little above 1 (1.13 from 1,000 to 300,000), so the slope alone does not tell it from n.
"""

from __future__ import annotations

from math import fsum, log
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from marskg.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

#: The laws that a cost is compared with, the slowest first.
LAWS: Mapping[str, Callable[[float], float]] = MappingProxyType(
    {
        "1": lambda _: 1.0,
        "log n": log,
        "n": float,
        "n log n": lambda n: n * log(n),
        "n²": lambda n: n * n,
    }
)
#: Sizes below which a law is not told from another: two points lie on any power.
_LEAST_FOR_A_LAW = 3
_LEAST_FOR_A_SLOPE = 2
#: Two residuals are as good as equal within this, and the slower law is told.
_EQUAL = 1e-12


class Growth(NamedTuple):
    """How a cost grows: the fitted exponent, that of the last two sizes, and the nearest of :data:`LAWS`.

    Each is None where there are too few sizes for it.
    """

    exponent: float | None = None
    last: float | None = None
    law: str | None = None

    def to_document(self) -> dict[str, Any]:
        """Return the growth as JSON can hold it, exponents to three digits."""
        return {
            "exponent": None if self.exponent is None else round(self.exponent, 3),
            "last_exponent": None if self.last is None else round(self.last, 3),
            "law": self.law,
        }


def fit(sizes: Sequence[int], costs: Sequence[float]) -> Growth:
    """Return how ``costs``, in any unit, grow with ``sizes``.

    Raises:
        InvalidInput: a size is below 2 or comes twice, a cost is not above 0, or there is not one cost for each size.
    """
    if len(sizes) != len(costs) or len(set(sizes)) < len(sizes):
        message = f"{len(costs)} costs at {len(set(sizes))} different sizes have no growth: pass one for each size"
        raise InvalidInput(message)
    if any(size < _LEAST_FOR_A_SLOPE for size in sizes) or any(cost <= 0 for cost in costs):
        message = "growth is fitted to logarithms: use sizes from 2 and costs above 0"
        raise InvalidInput(message)
    if len(sizes) < _LEAST_FOR_A_SLOPE:
        return Growth()
    points = sorted(zip(sizes, costs, strict=True))
    logs = [(log(size), log(cost)) for size, cost in points]
    law = _nearest(points) if len(points) >= _LEAST_FOR_A_LAW else None
    return Growth(_slope(logs), _slope(logs[-2:]), law)


def _slope(points: Sequence[tuple[float, float]]) -> float:
    """Return the slope of the line of least squares."""
    mean_x = fsum(x for x, _ in points) / len(points)
    mean_y = fsum(y for _, y in points) / len(points)
    over = fsum((x - mean_x) * (y - mean_y) for x, y in points)
    return over / fsum((x - mean_x) ** 2 for x, _ in points)


def _nearest(points: Sequence[tuple[int, float]]) -> str:
    """Return the law that, times the constant that suits it best, is nearest to the costs on a logarithmic scale."""
    return min(LAWS, key=lambda name: round(_residual(points, LAWS[name]) / _EQUAL))


def _residual(points: Sequence[tuple[int, float]], law: Callable[[float], float]) -> float:
    errors = [log(cost) - log(law(size)) for size, cost in points]
    constant = fsum(errors) / len(errors)
    return fsum((error - constant) ** 2 for error in errors)
