"""What a bench says while it measures.

Guarantees: only on standard error, so that a document on standard output stays whole.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from rich.console import Console

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Hears what is being measured.
Say: TypeAlias = "Callable[[str], None]"


@contextmanager
def saying() -> Iterator[Say]:
    """Show what is being measured, on a terminal as a line that moves."""
    console = Console(file=sys.stderr, highlight=False, markup=False, emoji=False)
    if not sys.stderr.isatty():
        yield console.print
        return
    with console.status("…") as status:
        yield status.update
