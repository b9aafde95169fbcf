"""What a memory came by, as its tombstone still knows it: keyed handles of its session, source and entities, no names.

Guarantees: who erases a session, a source or an entity finds with them what was summarised before, whose lines are
still in summaries; without the store's secret a handle says nothing, and no handle of one sort is one of another.
Source: semantics sections 3, 5 and 6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from marskg.language.naming.spellings import name_form

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from marskg.records import Memory
    from marskg.store.unit.unit_of_work import Unit

SESSION: Final = "session"
SOURCE: Final = "source"
ENTITY: Final = "entity"


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
    """Return the handle of a session, a source or an entity; ``sort`` says which of them ``name`` is."""
    # No tenant's name has a bar, so no handle of a subject is ever one of these.
    said = name_form(name) if sort == ENTITY else name
    return unit.services.handle(f"|origin-{sort}|{unit.state.name}", said)


def origins_of(unit: Unit, memory: Memory, entities: Iterable[str]) -> tuple[str, ...]:
    """Return what the tombstone of ``memory`` keeps of what it came by; ``entities`` are their names and ids."""
    known = [*named_origins(memory), *((ENTITY, name) for name in entities)]
    return tuple(sorted({origin_handle(unit, sort, name) for sort, name in known}))
