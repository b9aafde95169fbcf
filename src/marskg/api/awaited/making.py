"""Makes the awaitable facade of the table of operations.

Guarantees: every public method and property of the facade, of its namespaces and of its private mode has one here, of
the same name, words and parameters, those that are added later included; it checks, refuses and does what that one
does, as it calls that one. Names that are deprecated there are not here.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cached_property, partial, update_wrapper
from inspect import getattr_static, signature
from typing import TYPE_CHECKING, Any, Final, cast

from marskg.api import opening
from marskg.api.awaited.calls import THREADS, Calls, Stop, ended
from marskg.api.awaited.objects import Awaited, AwaitedMemory, AwaitedPrivateMode, Opening
from marskg.api.doors import AT_HAND
from marskg.api.namespaces.flat_names import FlatNames
from marskg.api.operations import NAMESPACES, OWNERS, operations_of
from marskg.api.private_mode import PrivateMode
from marskg.memory import AgentMemory

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
    from concurrent.futures import Future

    from marskg.api.operations import Operation

#: Where the classes are found.
HOME: Final = "marskg.api.awaited.facade"
#: What is no namespace, and opened and closed.
BASES: Final[Mapping[type, type[Awaited]]] = {AgentMemory: AwaitedMemory, PrivateMode: AwaitedPrivateMode}
#: Operations that do not stop at a step where their caller is cancelled: a document that was loaded in part lacks the
#: edges between its parts.
_NEVER_STOPPED: Final = frozenset({"load"})
#: The attributes of a memory that lead to the classes of the table.
WAYS: Final[Mapping[str, type]] = {way[:-1]: owner for owner, way, _ in OWNERS if owner not in BASES}


def class_name(owner: type) -> str:
    """Return the name of the awaitable class that stands for ``owner``."""
    return f"Async{owner.__name__.removeprefix('Agent')}"


def result_of(annotation: str) -> str:
    """Return what an operation that returns ``annotation`` returns here, or gives to whoever awaits it."""
    if annotation.startswith("Iterator["):
        return f"AsyncGenerator[{annotation.removeprefix('Iterator[')[:-1]}, None]"
    opened = {owner.__name__: owner for owner in BASES}.get(annotation)
    return annotation if opened is None else f"Opening[{class_name(opened)}]"


def properties_of(owner: type, way: str) -> Iterator[tuple[str, property, bool]]:
    """Yield the public properties of a class with their names, and whether they are told without the store.

    Those that lead to namespaces are not among them, nor are those that are deprecated.
    """
    others = {*vars(FlatNames), *WAYS} if owner is AgentMemory else set()
    for name in sorted({*dir(owner)} - others):
        member = getattr_static(owner, name)
        if isinstance(member, property) and not name.startswith("_"):
            yield name, member, owner is PrivateMode or f"{way}{name}" in AT_HAND


# --- Members ------------------------------------------------------------------------------------------------------


def _method(row: Operation) -> Callable[..., Any]:
    """Return what an operation is here."""
    name = row.name.rpartition(".")[2]
    result = result_of(row.result)
    stopped = "progress" in row.parameters and row.name not in _NEVER_STOPPED

    def work(self: Awaited, given: tuple[Any, ...], named: Mapping[str, Any]) -> Callable[[], Any]:
        # The object may have to be asked for, and so is in the thread.
        return lambda: getattr(self._target(), name)(*given, **named)

    def iterate(self: Awaited, *given: Any, **named: Any) -> AsyncGenerator[Any, None]:  # noqa: ANN401 - as row has it
        return self._calls.iterate(work(self, given, named))

    def enter(self: Awaited, *given: Any, **named: Any) -> Opening[Any]:  # noqa: ANN401 - as row has it
        async def entered() -> Any:  # noqa: ANN401 - of the class that was made
            found = await self._calls.run(work(self, given, named))
            return CLASSES[result.removeprefix("Opening[")[:-1]](self._calls, lambda: found)

        return Opening(entered)

    async def call(self: Awaited, *given: Any, **named: Any) -> Any:  # noqa: ANN401 - as row has it
        stop, progress = Stop() if stopped else None, named.get("progress")
        # What is no function is left to the operation to refuse.
        if stop is not None and (progress is None or callable(progress)):
            named["progress"] = stop.heard(progress)
        return await self._calls.run(work(self, given, named), stop)

    if result == row.result:
        return call
    return enter if result.startswith("Opening[") else iterate


def _property(owner: str, name: str, member: property, *, at_hand: bool) -> Any:  # noqa: ANN401 - a property or a method
    """Return what a property is here: one that has to ask the store is a method, as that may take a while."""
    if at_hand:
        return property(lambda self: getattr(self._target(), name), doc=member.__doc__)

    async def ask(self: Awaited) -> Any:  # noqa: ANN401 - as the property has it
        return await self._calls.run(lambda: getattr(self._target(), name))

    return _like(ask, cast("Callable[..., Any]", member.fget), f"{owner}.{name}")


def _like(method: Callable[..., Any], function: Callable[..., Any], place: str) -> Callable[..., Any]:
    """Give ``method``, which is found at ``place``, the words and parameters of ``function``."""
    known = signature(function)
    result = result_of(str(known.return_annotation))
    words = {
        "__module__": HOME,
        "__name__": place.rpartition(".")[2],
        "__qualname__": place,
        "__doc__": function.__doc__,
        "__annotations__": {**function.__annotations__, "return": result},
        "__wrapped__": function,
        "__signature__": known.replace(return_annotation=result),
    }
    for name, value in words.items():
        setattr(method, name, value)
    return method


def _namespace(way: str) -> cached_property[Awaited]:
    made = CLASSES[class_name(WAYS[way])]

    def namespace(self: Awaited) -> Awaited:
        return made(self._calls, lambda: getattr(self._target(), way))

    return cached_property(update_wrapper(namespace, getattr_static(AgentMemory, way), ("__doc__",), ()))


# --- Classes ------------------------------------------------------------------------------------------------------


def _class(owner: type, way: str, same_as: str | None) -> type[Awaited]:
    made, base = class_name(owner), BASES.get(owner, Awaited)
    words = owner.__doc__ if base is Awaited else base.__doc__
    members: dict[str, Any] = {"__doc__": words, "__module__": HOME}
    for name, member, at_hand in properties_of(owner, way):
        members[name] = _property(made, name, member, at_hand=at_hand)
    for row in operations_of(owner, way, same_as):
        name = row.name.rpartition(".")[2]
        members[name] = _like(vars(base).get(name) or _method(row), row.function, f"{made}.{name}")
    if owner is AgentMemory:
        members.update((name, _namespace(name)) for name in WAYS)
    return type(made, (base,), members)


#: The awaitable classes by their names; what leads to others comes after them.
CLASSES: Final[dict[str, type[Awaited]]] = {}
for _owner, _way, _same_as in reversed(OWNERS):
    CLASSES[class_name(_owner)] = _class(_owner, _way, _same_as)


# --- Opening ------------------------------------------------------------------------------------------------------


def aopen(*given: Any, **named: Any) -> Opening[AwaitedMemory]:  # noqa: ANN401 - as open has them
    """Open a memory for this event loop."""

    async def opened() -> AwaitedMemory:
        threads = ThreadPoolExecutor(THREADS, "marskg-call")
        job = threads.submit(copy_context().run, ended, partial(_open, given, named))
        try:
            memory = await asyncio.wrap_future(job)
        except BaseException:
            threads.submit(_close, job)
            threads.shutdown(wait=False)
            raise
        # Whoever was forked cannot wait for threads that it does not have.
        calls = Calls(threads, memory._opened.engine.check_process)  # noqa: SLF001 - asked before each call
        return cast("AwaitedMemory", CLASSES[class_name(AgentMemory)](calls, lambda: memory))

    return Opening(opened)


_like(aopen, opening.open, "aopen")


def _open(given: tuple[Any, ...], named: Mapping[str, Any]) -> AgentMemory:
    memory = opening.open(*given, **named)
    for namespace in NAMESPACES:
        # Made by one thread: two that ask for it at once would make two of it.
        getattr(memory, namespace.NAME)
    return memory


def _close(job: Future[AgentMemory]) -> None:
    """Close what was opened for a caller who was cancelled meanwhile, once it is open."""
    if not job.cancelled() and job.exception() is None:
        job.result().close()
