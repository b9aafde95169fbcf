"""Writing one unit in the background while the next one is being built.

Guarantees: units are committed in order, each whole or not at all, and the next is submitted only after the one before
it was acknowledged; a unit reads nothing that the one being written may change: such a read waits for it. A unit that
was built on one that another writer overtook is thrown away, and both are built again. However the pipeline is left,
what was submitted has been waited for.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from marskg.store.commit.flush import flush_statements
from marskg.store.engine.protocol import Conflict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from marskg.store.commit.flush import Step
    from marskg.store.commit.writer import Writer
    from marskg.store.engine.protocol import Row
    from marskg.store.unit.unit_of_work import Unit

T = TypeVar("T")

#: Asked only about sessions of which no last episode is known, and a unit of new nodes leaves one of each it touches.
_ABOUT_OTHER_SESSIONS = "sessions_episodes"
#: What the unit being written makes of names is known already, and goes before what the store says.
_ABOUT_NAMES = "find_names"


@dataclass(frozen=True, slots=True)
class _Pending(Generic[T]):
    """A unit that is being written."""

    unit: Unit
    work: Callable[[Unit], T]
    result: T
    done: Callable[[T], None]
    written: Future[list[Unit]]


class Pipeline(Generic[T]):
    """Gives a tenant's writer units one after another; a context manager.

    Between two units other threads may use the writer: whoever takes it waits for what is being written first.
    """

    def __init__(self, writer: Writer) -> None:
        """Write through ``writer``."""
        self._writer = writer
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="marskg-writer")
        self._pending: _Pending[T] | None = None

    def __enter__(self) -> Self:
        """Begin with nothing in flight."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait for what was submitted."""
        try:
            with self._writer.alone(self):
                self._join()
        finally:
            self._pool.shutdown()

    @property
    def ahead(self) -> T | None:
        """Return what building the unit that is being written gave, or None if none is."""
        return None if self._pending is None else self._pending.result

    def push(self, work: Callable[[Unit], T], done: Callable[[T], None]) -> None:
        """Build a unit with ``work`` and write it, perhaps later; ``done`` hears of its result once it is committed.

        ``work`` may be called again, after an attempt that was in vain.
        """
        with self._writer.alone(self):
            if self._writer.shared.caches.names.crowded:  # nothing may be in flight then
                self._join()
                self._writer.forget_cache()
            built = self._build(work)
            if built is None:  # The unit that it was built on was not to be.
                done(self._writer.run(work))
            elif not built[0].audit.transitions:
                done(built[1])
            else:
                unit, result, steps = built
                crammed = self._writer.is_crammed(unit)
                written = self._pool.submit(self._writer.write, unit, steps)
                self._pending = _Pending(unit, work, result, done, written)
                self._writer.shared.write_behind(self)
                if crammed:
                    self._join()  # What makes room decides what comes next, so nothing can be built meanwhile.

    def land(self) -> None:
        """Wait for what is being written, on behalf of another thread; a failure is left to its own one."""
        if self._pending is None:
            return
        interrupt = _waited(self._pending.written)
        if self._pending.written.exception() is None:
            self._settle()
        else:
            self._writer.forget_cache()
        if interrupt is not None:
            raise interrupt

    def _build(self, work: Callable[[Unit], T]) -> tuple[Unit, T, list[Step]] | None:
        """Return a unit with its result and its statements when the unit before it is in, or None if it is not."""
        state = self._writer.state if self._pending is None else self._pending.unit.state
        unit = self._writer.new_unit(self._read, state)
        try:
            result = work(unit)
            steps = flush_statements(unit, self._writer.engine.name) if unit.changed else []
            self._join(again=False)
        except _OvertakenError:
            return None
        except Conflict:  # A read lost to another writer, as it may: what is being written comes first all the same.
            self._join()
            self._writer.forget_cache()
            return None
        except BaseException:
            self.land()  # What is being written may be asked for again, by those who do not wait for it.
            self._writer.forget_half_built()
            raise
        return unit, result, steps

    def _read(self, name: str, parameters: Mapping[str, Any]) -> list[Row]:
        if self._pending is not None:
            untouched = name == _ABOUT_NAMES or (
                name == _ABOUT_OTHER_SESSIONS and all(node.new for node in self._pending.unit.nodes.values())
            )
            if not untouched:
                self._join(again=False)
        return self._writer.read(name, parameters)

    def _join(self, *, again: bool = True) -> None:
        """Wait for the unit that is being written, and write it at a second attempt if another writer overtook it.

        Raises:
            _OvertakenError: there was a second attempt, and not ``again``: a unit was built on the first one.
        """
        pending = self._pending
        if pending is None:
            return
        interrupt = _waited(pending.written)
        error = pending.written.exception()
        if error is None:
            self._settle()
        else:
            self._clear()
            self._writer.forget_cache()
            if not isinstance(error, Conflict):
                raise error
            pending.done(self._writer.run(pending.work))
        if interrupt is not None:
            raise interrupt
        if error is not None and not again:
            raise _OvertakenError

    def _settle(self) -> None:
        pending = self._pending
        if pending is not None:
            self._clear()
            try:
                self._writer.settle(pending.written.result())
            finally:
                pending.done(pending.result)  # It is in, whatever interrupts what is made of it.

    def _clear(self) -> None:
        self._pending = None
        self._writer.shared.write_behind(None)


class _OvertakenError(Exception):
    """What a unit was built on is not what is stored."""


def _waited(written: Future[list[Unit]]) -> KeyboardInterrupt | None:
    """Wait for a commit; an interrupt has to wait for it as well, and is returned."""
    try:
        wait((written,))
    except KeyboardInterrupt as error:
        wait((written,))
        return error
    return None
