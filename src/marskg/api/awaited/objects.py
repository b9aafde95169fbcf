"""What every object of the awaitable facade is: a synchronous one, and the line of calls before it.

Guarantees: what is opened by an ``async with`` is closed at its end; what is opened for a caller who was cancelled
meanwhile is closed again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NoReturn, Self, TypeVar

from marskg.meant import NOT_COPIED, Spelt

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator, Mapping
    from types import TracebackType

    from marskg.api.awaited.calls import Calls


class Awaited(Spelt):
    """An object whose operations are those of another one, awaited."""

    def __init__(self, calls: Calls, target: Callable[[], Any]) -> None:
        """Call the methods of what ``target`` returns, by ``calls``."""
        self._calls = calls
        self._target = target

    def _reached(self) -> Mapping[str, str]:
        reached: Mapping[str, str] = self._target()._reached()  # noqa: SLF001 - as a name is told there
        return reached

    def __reduce__(self) -> NoReturn:
        """Refuse to be copied or pickled: what is open belongs to this process."""
        raise TypeError(NOT_COPIED)


class Entered(Awaited):
    """What is closed at the end of an ``async with``."""

    async def __aenter__(self) -> Self:
        """Return it itself, which is open.

        Raises:
            EngineUnavailable: the memory is closed.
        """
        self._calls.check_open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        await self.close()

    if TYPE_CHECKING:

        async def close(self) -> object:
            """Close it: made of the table, as all operations are."""


class AwaitedMemory(Entered):
    """One tenant's governed memory for a program with an event loop; made by :func:`marskg.aopen`."""

    def __repr__(self) -> str:
        """Return what this is, without asking the store."""
        return f"Async{repr(self._target()).removeprefix('Agent')}"

    async def close(self) -> None:
        """Close the store once nothing is at work."""
        await self._calls.close(lambda: self._target().close())


class AwaitedPrivateMode(Entered):
    """A memory in private mode; made by ``mem.privacy.private_mode``."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - there is none
        """Refuse what is no door of this mode, as the mode itself does.

        Raises:
            NotPermitted: the memory has such a door.
            AttributeError: nothing has.
        """
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._target(), name)


Made = TypeVar("Made", bound=Entered)


class Opening(Generic[Made]):
    """What is about to be opened: ``await`` it, or enter it with ``async with``, which closes it at the end."""

    def __init__(self, open_it: Callable[[], Coroutine[Any, Any, Made]]) -> None:
        """Open with ``open_it``, once somebody waits for it."""
        self._open = open_it
        self._entered: Made | None = None

    def __await__(self) -> Generator[Any, None, Made]:
        """Return what was opened, for the caller to close."""
        return self._open().__await__()

    async def __aenter__(self) -> Made:
        """Return what was opened."""
        self._entered = await self
        return self._entered

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        if self._entered is not None:
            await self._entered.close()
