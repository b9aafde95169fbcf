"""Which of the product's functions and files one call enters, in the thread that makes it."""

from __future__ import annotations

import gc
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import marskg

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType

_PRODUCT = str(Path(marskg.__file__).parent)


@dataclass(frozen=True)
class Walk:
    """The distinct functions that a call entered, as ``file:line:name``.

    Comprehensions count as functions, as far as this Python makes functions of them; modules do not.
    """

    functions: frozenset[str]

    @property
    def named(self) -> frozenset[str]:
        """The functions that have a name, and lambdas: all but comprehensions and generators in a line."""
        return frozenset(one for one in self.functions if not one.endswith(("comp>", "genexpr>")))

    @property
    def files(self) -> frozenset[str]:
        """The files that the functions stand in."""
        return frozenset(one.partition(":")[0] for one in self.functions)


def walk(call: Callable[[], object]) -> Walk:
    """Make ``call`` and return what it entered."""
    entered: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            entered.add(frame.f_code)

    before, collecting = sys.getprofile(), gc.isenabled()
    # What a collection finalizes was left by other calls.
    gc.disable()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
        if collecting:
            gc.enable()
    return Walk(
        frozenset(
            f"{code.co_filename.removeprefix(_PRODUCT)[1:]}:{code.co_firstlineno}:{code.co_qualname}"
            for code in entered
            if code.co_filename.startswith(_PRODUCT) and code.co_name != "<module>"
        )
    )
