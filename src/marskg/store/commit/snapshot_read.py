"""Answers and copies made while others write: of one moment, and never of what was erased before they are given.

Guarantees: :func:`snapshot_read` gives what was made while nobody wrote, so that what it compares belongs together;
:func:`erasure_safe_read` gives what was made without an erasure in between, so that what was erased is in nothing that
is handed over after the erasure returned. Both try while others write, and make anew what does not hold; the half-made
one is thrown away by whoever makes it, as an exception goes through it. After a few times the tenant's writers are
held, so that nothing is refused because others are busy. Across processes the tenant's log decides.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, TypeVar

from marskg.errors import EngineUnavailable
from marskg.ontology.vocabulary import Operation
from marskg.store.rows import codec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from marskg.store.commit.writer import Writer
    from marskg.store.engine.protocol import Reader
    from marskg.store.rows.state import TenantState

T = TypeVar("T")


class Check(Protocol):
    """To be called when everything is read and nothing handed over; raises where it does not hold."""

    def __call__(self, since: TenantState | None = None) -> None:
        """Compare with ``since``, where what was read is of a later state than the one that was given."""
        ...


#: Makes something of a tenant at a state.
Making: TypeAlias = "Callable[[TenantState, Check], T]"

#: How often something is made while others write, and how often at all.
_BESIDE: Final = 2
_ATTEMPTS: Final = 5
_PAGE: Final = 500


class OvertakenError(Exception):
    """What is being made does not hold: somebody wrote, or erased, meanwhile."""


def snapshot_read(writer: Writer, make: Callable[[TenantState], T]) -> T:
    """Return what ``make`` makes of a state while nobody writes.

    Raises:
        EngineUnavailable: the engine went away.
    """

    def made(state: TenantState, check: Check) -> T:
        found = make(state)
        check()
        return found

    return _made(writer, made, lambda state: _place(writer.fresh_state()) != _place(state))


def erasure_safe_read(writer: Writer, make: Making[T]) -> T:
    """Return what ``make`` makes, made anew where something was erased meanwhile; others may write as they like.

    What ``make`` writes to the tenant it writes in its first attempt: the writers are held in later ones.

    Raises:
        EngineUnavailable: the engine went away, or an erasure by another process is still removing files.
    """
    return _made(writer, make, lambda state: _erased_since(writer, state))


def _made(writer: Writer, make: Making[T], fails: Callable[[TenantState], bool]) -> T:
    for attempt in range(_ATTEMPTS):
        with _state(writer, held=attempt >= _BESIDE) as begun:

            def check(since: TenantState | None = None, begun: TenantState = begun) -> None:
                if fails(begun if since is None else since):
                    raise OvertakenError

            try:
                return make(begun, check)
            except OvertakenError:
                continue
    msg = f"others changed tenant {writer.tenant!r} {_ATTEMPTS} times while it was read; try again when it is quieter"
    raise EngineUnavailable(msg)


@contextmanager
def _state(writer: Writer, *, held: bool) -> Iterator[TenantState]:
    """Give the tenant's row, and let nobody change it if it is to be held."""
    if not held:
        yield writer.fresh_state()
        return
    with writer.held() as state:
        yield state


def _place(state: TenantState) -> tuple[str, int, int]:
    return state.line, state.sequence, state.access_sequence


def _erased_since(writer: Writer, state: TenantState) -> bool:
    """Return whether the log tells of an erasure after ``state``, or is another one than then."""
    now = writer.fresh_state()
    if now.line != state.line or now.sequence < state.sequence:
        return True
    return Operation.ERASE in operations_since(writer.read, writer.tenant, state.sequence)


def operations_since(read: Reader, tenant: str, sequence: int) -> Iterator[str]:
    """Yield the operations of a tenant's transitions after ``sequence``."""
    high = f"{tenant}|t}}"
    while True:
        low = codec.audit_ref(tenant, "t", sequence + 1)
        rows = read("changed", {"low": low, "high": high, "limit": _PAGE})
        yield from (row["operation"] for row in rows)
        if len(rows) < _PAGE:
            return
        sequence = rows[-1]["sequence"]
