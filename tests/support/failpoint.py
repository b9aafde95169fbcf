"""Named points at which a process ends as ``kill -9`` ends it: what a kill at a random moment hits only now and then.

The environment's FAILPOINT is ``before NAME N`` or ``after NAME N``: the process ends when it comes to ``NAME`` of
:data:`STEPS` for the ``N``-th time after :func:`arm`; ``PHASE:`` in front names one of several places that arm. With
``stop`` before the rest it says ``point`` instead, and waits for a line on its standard input. A process that ends in
another way never came to its point; tests hold it to that.
"""

from __future__ import annotations

import functools
import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from marskg.store.engine.arcadedb import ArcadeDB, _Files
from marskg.store.engine.bolt import Bolt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: The owner of each step and its name there.
STEPS: dict[str, tuple[tuple[type, str], ...]] = {
    "commit": ((ArcadeDB, "transaction"), (Bolt, "transaction")),
    "promise": ((ArcadeDB, "promise_scrub"),),
    "rewriting": ((ArcadeDB, "_rewrite"),),
    "opening": ((_Files, "connect"),),
}


class _Point:
    """Counts how often a step was come to, and ends the process at the one that was asked for."""

    def __init__(self, text: str) -> None:
        *stop, when, self.name, number = text.split()
        self._stops, self._when, self._left = stop == ["stop"], when, int(number)

    def come(self, when: str) -> None:
        """Come to the step: ``before`` or ``after`` it."""
        if when != self._when:
            return
        self._left -= 1
        if self._left:
            return
        if not self._stops:
            os.kill(os.getpid(), signal.SIGKILL)
        os.write(1, b"point\n")
        sys.stdin.readline()


def arm(phase: str = "") -> None:
    """End this process at the point that its environment names, if it names one of this phase."""
    named, _, text = os.environ.get("FAILPOINT", "").rpartition(":")
    if not text or named != phase:
        return
    point = _Point(text)
    for owner, name in STEPS[point.name]:
        wrap = _through if point.name == "commit" else _around
        setattr(owner, name, wrap(owner.__dict__[name], point))


def _through(step: Callable[..., Any], point: _Point) -> Callable[..., Any]:
    """Return a transaction that comes to the point at the end of its block, and once it is committed."""

    @contextmanager
    def instead(*given: Any) -> Iterator[Any]:
        with step(*given) as transaction:
            yield transaction
            point.come("before")
        point.come("after")

    return instead


def _around(step: Any, point: _Point) -> Any:
    """Return a step that comes to the point before and after it."""
    static = isinstance(step, staticmethod)
    work: Callable[..., Any] = step.__func__ if static else step

    @functools.wraps(work)
    def instead(*given: Any, **named: Any) -> Any:
        point.come("before")
        done = work(*given, **named)
        point.come("after")
        return done

    return staticmethod(instead) if static else instead
