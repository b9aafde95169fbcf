"""Report noisy max: the one place where noise for differential privacy is drawn.

Guarantees: what :meth:`NoisyMax.top` returns is epsilon-differentially private for each index that it returns, for any
change of the scores within their range, all of them at once; OpenDP's own account of it (its privacy map) is held
against that promise before the first draw. Scores are integers, so that no rounding of floating point shows through.
The noise is OpenDP's, which takes it from the operating system: no source, seed or clock of ours reaches it. The
library is imported at the first draw. Sources: semantics section 11; McKenna and Sheldon 2020 (permute and flip, which
is what noisy max with exponential noise is); MaRS line 321 and Theorem A 1 for how near the best it comes.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from marskg.errors import InvalidConfig

if TYPE_CHECKING:
    from collections.abc import Sequence

#: A scale is this much larger than it needs to be, so that rounding never makes it too small.
_MARGIN: Final = 1.0 + 1e-9
_INSTALL: Final = "pip install 'marskg[dp]'"


class NoisyMax:
    """Chooses the places of the highest of some scores, with noise."""

    def __init__(self, epsilon: float, span: int) -> None:
        """Spend ``epsilon`` on each place; scores are integers that differ by ``span`` at most, whatever the data.

        Raises:
            InvalidConfig: the library that draws the noise is not installed.
        """
        check_installed()
        self.epsilon = epsilon
        self.span = span

    @property
    def scale(self) -> float:
        """Return the scale of the noise: every score may rise or fall by the whole span, hence the 2."""
        return 2.0 * self.span / self.epsilon * _MARGIN

    def top(self, scores: Sequence[int], k: int) -> list[int]:
        """Return ``k`` different places of ``scores``, those of the highest after noise, the highest first.

        It is ``k`` times epsilon-differentially private.
        """
        measurement = _measurement(self.scale, k)
        self.check(measurement.map(self.span), k)
        return [int(place) for place in measurement(list(scores))]

    def check(self, spent: float, k: int) -> None:
        """Stop where the library's own account says that ``k`` choices spend more than was promised."""
        if spent > self.epsilon * k:
            message = f"{k} choices would spend {spent}, more than {self.epsilon} each: the noise is too small"
            raise RuntimeError(message)


def check_installed() -> None:
    """Refuse to go on without the library.

    Raises:
        InvalidConfig: it is not installed.
    """
    if find_spec("opendp") is None:
        msg = f"the policy private draws its noise by OpenDP, which is not installed: {_INSTALL}"
        raise InvalidConfig(msg)


@lru_cache(maxsize=64)
def _measurement(scale: float, k: int) -> Any:  # noqa: ANN401 - a measurement of a library without such a type
    """Return OpenDP's noisy top k with exponential noise of ``scale``."""
    # 265 MB of shared library: imported where noise is drawn, and nowhere else.
    import opendp.prelude as dp  # noqa: PLC0415

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    return dp.m.make_noisy_top_k(*space, dp.max_divergence(), k=k, scale=scale)
