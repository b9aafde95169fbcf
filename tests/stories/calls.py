"""A step of a story as data: public calls that can be carried out, and printed for a person to paste.

A call's arguments are plain values, or stand for what only a run knows: the id of what an earlier call returned
(:class:`Ref`), a file (:class:`File`), the time (:class:`Now`), a record to build (:class:`Built`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import marskg

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

#: Who opens the store, by the name that the handle has in a script; the operator's is ``m``, LangGraph's ``items``.
PRINCIPALS: Final[Mapping[str, str]] = {
    "agent": "agent:bot",
    "reader": "reader:eyes?ceiling=0.3",
    "helper": "agent:helper?ceiling=0.3",
}


@dataclass(frozen=True)
class Ref:
    """The id of the memory that the call kept as ``label`` returned, with ``tail`` after it."""

    label: str
    tail: str = ""

    def __repr__(self) -> str:
        return f"{self.label}.id + {self.tail!r}" if self.tail else f"{self.label}.id"


@dataclass(frozen=True)
class File:
    """A file beside the store."""

    name: str

    def __repr__(self) -> str:
        return f'files + "/{self.name}"'


@dataclass(frozen=True)
class Now:
    """The time of the call."""

    def __repr__(self) -> str:
        return "m.now()"


@dataclass(frozen=True)
class Built:
    """A ``Draft`` or an ``EntityRef``."""

    kind: str
    given: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"marskg.{self.kind}({', '.join(f'{name}={value!r}' for name, value in self.given.items())})"


@dataclass(frozen=True)
class Call:
    """One call of a public method; ``keeps`` is the name of what it returns."""

    who: str
    method: str
    args: tuple[Any, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict)
    keeps: str = ""

    def __repr__(self) -> str:
        said = [*map(repr, self.args), *(f"{name}={value!r}" for name, value in self.given.items())]
        kept = f"{self.keeps} = " if self.keeps else ""
        return f"{kept}{self.who}.{self.method}({', '.join(said)})"

    def without(self, name: str) -> Call:
        """Return the call without one of its named arguments."""
        return Call(self.who, self.method, self.args, {k: v for k, v in self.given.items() if k != name}, self.keeps)


@dataclass(frozen=True)
class Places:
    """Where a run keeps things: ids by label, and its folder of files."""

    ids: dict[str, str]
    files: Path
    now: int


def settled(value: Any, places: Places) -> Any:
    """Return a value with everything in it that stands for something."""
    if isinstance(value, Ref):
        return places.ids[value.label] + value.tail
    if isinstance(value, File):
        return str(places.files / value.name)
    if isinstance(value, Now):
        return places.now
    if isinstance(value, Built):
        return getattr(marskg, value.kind)(**{name: settled(one, places) for name, one in value.given.items()})
    if isinstance(value, dict):
        return {name: settled(one, places) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(settled(one, places) for one in value)
    return value


def refs(value: Any) -> Iterator[str]:
    """Yield the labels that a value stands on."""
    if isinstance(value, Ref):
        yield value.label
    elif isinstance(value, Built):
        yield from refs(dict(value.given))
    elif isinstance(value, dict):
        for one in value.values():
            yield from refs(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from refs(one)


_HEAD: Final = """\
import tempfile, marskg
store, files = tempfile.mkdtemp(), tempfile.mkdtemp()
m = marskg.open(store, tenant="t", budget={budget})"""


def script(calls: Iterable[Call], budget: int) -> str:
    """Return the calls as a program that a person can paste."""
    lines = [_HEAD.format(budget=budget)]
    opened = {"m"}
    for call in calls:
        if call.who not in opened:
            opened.add(call.who)
            lines.append(_opening(call.who))
        lines.append(repr(call) if call.who in {"m", "items"} else f"try: {call!r}\nexcept marskg.MarsError: pass")
    return "\n".join(lines)


def _opening(who: str) -> str:
    if who == "items":
        return "from marskg.adapters.langgraph import MarsStore; items = MarsStore(m)"
    return f'{who} = marskg.open(store, tenant="t", principal="{PRINCIPALS[who]}")'
