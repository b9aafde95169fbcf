"""Where a memory came from, as its tombstone still knows it: keyed handles of its session and its source, no names.

Guarantees: who erases a session or a source finds with them what was summarised before, whose lines are still in
summaries; without the store's secret a handle says nothing, and no handle of one sort is one of another.
Source: semantics sections 3, 5 and 6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.records import Memory
    from marskg.store.unit.unit_of_work import Unit

SESSION: Final = "session"
SOURCE: Final = "source"


class HasOrigin(Protocol):
    """What came from somewhere."""

    @property
    def session(self) -> str | None:
        """Its conversation."""

    @property
    def source_ref(self) -> str | None:
        """Where it is from."""


def named_origins(of: HasOrigin) -> Iterator[tuple[str, str]]:
    """Yield the session and the source that are known, each after its sort."""
    for sort, name in ((SESSION, of.session), (SOURCE, of.source_ref)):
        if name is not None:
            yield sort, name


def origin_handle(unit: Unit, sort: str, name: str) -> str:
    """Return the handle of a session or a source; ``sort`` says which of the two ``name`` is."""
    # No tenant's name has a bar, so no handle of a subject is ever one of these.
    return unit.services.handle(f"|origin-{sort}|{unit.state.name}", name)


def origins_of(unit: Unit, memory: Memory) -> tuple[str, ...]:
    """Return what the tombstone of ``memory`` keeps of where it came from."""
    return tuple(sorted(origin_handle(unit, sort, name) for sort, name in named_origins(memory)))
