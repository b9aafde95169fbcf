"""Copies that are made while others write: of one moment, and never of what was erased before they are handed over.

Guarantees: :func:`of_one_moment` gives what was made while nobody wrote, so that rows, logs and sums of it belong
together; :func:`without_erased` gives what was made without an erasure in between, so that what was erased is in no
copy that is handed over after the erasure returned. Both make a copy anew that does not hold; the half-made one is
thrown away by whoever makes it, as an exception goes through it. Across processes the tenant's log is what tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from marskg.errors import EngineUnavailable
from marskg.ontology.vocabulary import Operation
from marskg.store import codec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from marskg.store.state import TenantState
    from marskg.store.unit import Reader
    from marskg.store.writer import Writer

T = TypeVar("T")
#: Makes a copy of a tenant at a state; the second is to be called when everything is read and nothing handed over.
Making: TypeAlias = "Callable[[TenantState, Callable[[], None]], T]"

_ATTEMPTS: Final = 5
_PAGE: Final = 500


class OvertakenError(Exception):
    """What is being made does not hold: somebody wrote, or erased, meanwhile."""


def of_one_moment(writer: Writer, make: Making[T]) -> T:
    """Return what ``make`` makes while no handle of this process writes and no other process wrote.

    Raises:
        EngineUnavailable: other processes wrote at each attempt.
    """

    def moved(state: TenantState) -> bool:
        return _place(writer.fresh_state()) != _place(state)

    with writer.alone():
        return _made(writer, make, moved)


def without_erased(writer: Writer, make: Making[T]) -> T:
    """Return what ``make`` makes, made anew where something was erased meanwhile; others may write as they like.

    Raises:
        EngineUnavailable: something was erased at each attempt.
    """
    return _made(writer, make, lambda state: _erased_since(writer, state))


def _made(writer: Writer, make: Making[T], fails: Callable[[TenantState], bool]) -> T:
    for _ in range(_ATTEMPTS):
        state = writer.fresh_state()

        def check(state: TenantState = state) -> None:
            if fails(state):
                raise OvertakenError

        try:
            return make(state, check)
        except OvertakenError:
            continue
    msg = f"others changed tenant {writer.tenant!r} {_ATTEMPTS} times while it was read; try again when it is quieter"
    raise EngineUnavailable(msg)


def _place(state: TenantState) -> tuple[str, int, int]:
    return state.log, state.sequence, state.access_sequence


def _erased_since(writer: Writer, state: TenantState) -> bool:
    """Return whether the log tells of an erasure after ``state``, or is another one than then."""
    now = writer.fresh_state()
    if now.log != state.log or now.sequence < state.sequence:
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
