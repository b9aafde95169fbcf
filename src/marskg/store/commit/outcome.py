"""What became of a commit whose acknowledgement was lost: asked for until the server answers.

Guarantees: the answer is the server's own; where there is none within ``ANSWER_SECONDS`` the outcome is called unknown
and never guessed.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from marskg.errors import EngineUnavailable, OutcomeUnknown
from marskg.store.engine.protocol import Conflict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: How long a server is asked, which may be starting anew, and how long one question may wait for an answer.
ANSWER_SECONDS: Final = 30.0
QUESTION_SECONDS: Final = 10.0
_FIRST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 2.0
_NAMED: Final = 3


def was_kept(
    ask: Callable[[], bool],
    *,
    elapsed: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], object] = time.sleep,
) -> bool | None:
    """Return what ``ask`` answers, which is asked again while it cannot tell; None if it never could."""
    until, pause = elapsed() + ANSWER_SECONDS, _FIRST_PAUSE_S
    while True:
        try:
            return ask()
        except (Conflict, EngineUnavailable):
            if elapsed() + pause > until:
                return None
        sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_S)


def unknown(error: OutcomeUnknown, ids: Sequence[str]) -> OutcomeUnknown:
    """Return what a caller is told of a write that was to add the memories ``ids``."""
    server = str(error).partition(" ")[0]
    named = f"{', '.join(ids[:_NAMED])}{' and others' if len(ids) > _NAMED else ''}"
    look = f"whether {named} is there" if ids else "whether it is done"
    again = "; written again with the same id it is never stored twice" if ids else ""
    msg = (
        f"{server} went away before it acknowledged a write and gave no answer for {ANSWER_SECONDS:g} s, so the write "
        f"may have been kept: once it answers, look {look} before you ask for it again{again}"
    )
    return OutcomeUnknown(msg, ids)
