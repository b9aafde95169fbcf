"""Writes docs/reference/python.md from the signatures and docstrings of the public names.

Guarantees: every method of the memory and of its namespaces, every public record and every error is on the page, with
the words of its docstring; a test compares them. Run ``python scripts/python_reference.py`` after a change.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import marskg
from marskg import errors, memory
from marskg.api import opening
from marskg.api.arguments import UNITS
from marskg.api.awaited.calls import AT_WORK
from marskg.api.awaited.making import properties_of
from marskg.api.namespaces.flat_names import FlatNames
from marskg.api.namespaces.moved import Moved
from marskg.api.operations import NAMESPACES, OWNERS, operations
from marskg.privacy.preferences import Preferences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "python.md"
_RECORDS = (
    "Memory",
    "Edge",
    "Entity",
    "Plan",
    "Action",
    "Report",
    "Finding",
    "AuditRecord",
    "TreeHead",
    "Draft",
    "Hits",
    "Hit",
    "ContextWindow",
    "Receipt",
    "SnapshotFile",
    "ProcessingReceipt",
    "Sightings",
    "SubjectReport",
    "SubjectProfile",
    "ProfileSection",
    "ProfileEntry",
    "Matched",
    "Preference",
    "Principal",
    "Grant",
)
_ROLE = re.compile(r":\w+:`~?([^`<]*?\.)?([^`.<]+)(?: <[^`]*>)?`")
_SECTIONS = (
    ("Writing", "remember remember_many learn update retract link unlink"),
    ("Finding", "retrieve recall read_all profile explain"),
    ("Reading", "get edges history memories stats notices now weight"),
    ("Learning", "feedback"),
    ("Forgetting", "plan forget restore maintain"),
    ("Erasing", "erase"),
    ("Checking", "validate verify"),
    ("Giving away and taking back", "export load"),
    ("Queries", "sparql cypher"),
    ("The store", "tenant principal store close"),
)

INTRODUCTION = """# Python

*Made by `scripts/python_reference.py` from the source; change that, not this page.*

```pycon
>>> import marskg
>>> with marskg.open("./memory", tenant="alice", budget=8000) as mem:
...     turn = mem.remember("I water the tomatoes twice a week", session="s1", subjects=["alice"])
...     fact = mem.remember("Alice waters her tomatoes twice a week", kind="semantic", derives_from=turn.id)
...     plan = mem.plan(policy="fifo", budget=10)
...     print(fact.weight, len(plan.actions), mem.verify().ok)
7 1 True
```

A method either does all of what it says or raises one of [these errors](#errors) and leaves the store as it was. Calls
from several threads are safe; a process that forks opens the memory after the fork. Times are returned as epoch
milliseconds. Who may use what, and what each does to the store, is a [table](operations.md).

| in signatures | is |
|---|---|
| `GivenTime` | epoch milliseconds, a `datetime` with a zone, or ISO 8601 text such as `2026-03-01T09:30:00Z` |
{units}

## Answers

What an operation returns is a frozen record: it can be copied, pickled and compared, and printed it fits one screen.

```pycon
>>> mem = marskg.open("./memory", tenant="alice")
>>> hits = mem.retrieve("tomatoes")
>>> hits.to_dicts()[0]["memory"]["content"]
'Alice waters her tomatoes twice a week'
>>> try:
...     mem.retrieve("tomatoes", limit=5)
... except marskg.InvalidCall as error:
...     print(error)
retrieve takes no 'limit'; did you mean 'k'?
>>> mem.close()
```

- `to_dicts()` is all of it as values that `json` writes: a dict for each row where the answer is a list (hits, actions
  of a plan, findings, events of an explanation, rows of a query …), else a list with one dict.
- `to_pandas()` is the same as a `DataFrame`, where pandas is installed; fields of a record in a row are columns with a
  dot, such as `memory.id`.
- In a notebook an answer is a small table of its first rows.
- `stats()`, `audit.prove()`, `policy.explain()` and other figures are dicts.
"""

AWAITED = """## Awaited

`marskg.aopen` takes what `marskg.open` takes, for a program with an event loop of `asyncio`. Every method on this page
is there under the same name, with the same parameters, checks and errors, and is awaited:

```pycon
>>> import asyncio
>>> async def keep():
...     async with marskg.aopen("./awaited", tenant="alice") as mem:
...         turn = await mem.remember("I water the tomatoes twice a week", session="s1")
...         return await mem.weight(), [one.id async for one in mem.memories()] == [turn.id]
>>> asyncio.run(keep())
(7, True)
```

`mem = await marskg.aopen(…)` is for a memory that is closed elsewhere, with `await mem.close()`. What differs:

- {iterated} are iterated with `async for`, which reads some
  at a time. They check and refuse when the first item is asked for; `contextlib.aclosing` ends one early.
- These ask the store, and are called (`await mem.weight()`): {asked}.
- `mem.privacy.private_mode(…)` is entered with `async with`, or awaited.
- The names until 1.0 are not there.

At most {at_work} calls of one memory are at work at once, in threads of its own, where what is given to them
(`progress`, a reader's `drafts`, a `clock`) is called as well. All others wait in the event loop in their order,
however many they are.

A call that is cancelled before its turn is never begun. One that is at work ends whole, committed or refused, while its
caller goes on; of those with `progress` all but `load` stop after a step instead, as if `progress` had raised, and a
step is whole. `close`, and the end of `async with`, waits for what is at work and refuses what waits
(`EngineUnavailable`). A memory belongs to the event loop that it was opened in: from another one it can only be closed
(`NotPermitted`).
"""


def render() -> str:
    """Return the page."""
    parts = [INTRODUCTION.replace("{units}", _units()), "## Open\n", _function("marskg.open", opening.open), _awaited()]
    listed = {name for _, names in _SECTIONS for name in names.split()}
    public = {name for name, member in _members(memory.AgentMemory) if not isinstance(member, cached_property)}
    if listed != public - {"preferences"}:
        message = f"not in one list of the page and the class: {sorted(listed ^ public)}"
        raise ValueError(message)
    for title, names in _SECTIONS:
        parts.append(f"## {title}\n")
        parts += [_member("mem", memory.AgentMemory, name) for name in names.split()]
    namespaces: list[tuple[str, type]] = [*((one.NAME, one) for one in NAMESPACES), ("preferences", Preferences)]
    for way, namespace in namespaces:
        parts.append(f"## `mem.{way}`\n\n{_words(inspect.getdoc(getattr(memory.AgentMemory, way)) or '')}\n")
        parts += [_member(f"mem.{way}", namespace, name) for name, _ in _members(namespace)]
    parts += ["## Records\n", *_records(), "## Errors\n", *_errors(), "## Names until 1.0\n", *_moved()]
    return "\n".join(parts)


def _units() -> str:
    """Return what numbers count, by the name of their type in the signatures."""
    return "\n".join(f"| `{name}` | {unit} |" for name, unit in UNITS.items())


def _awaited() -> str:
    """Return what is said of the awaitable facade."""
    iterated = [f"`mem.{row.name}`" for row in operations() if row.result.startswith("Iterator[")]
    asked = [
        f"`mem.{way}{name}`"
        for owner, way, _ in OWNERS
        for name, _, at_hand in properties_of(owner, way)
        if not at_hand
    ]
    return AWAITED.format(iterated=_listed(iterated), asked=_listed(asked), at_work=AT_WORK)


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _members(owner: type) -> Iterator[tuple[str, Any]]:
    """Yield the public members of a class in their order, those that it inherits after its own."""
    for base in owner.__mro__:
        if base is not FlatNames:
            yield from ((name, one) for name, one in vars(base).items() if name[0] != "_" and name != "NAME")


def _member(way: str, owner: type, name: str) -> str:
    member = inspect.getattr_static(owner, name)
    if isinstance(member, property):
        return f"### `{way}.{name}`\n\n{_words(member.__doc__ or '')}\n"
    return _function(f"{way}.{name}", member)


def _moved() -> Iterator[str]:
    """Yield the table of the names that operations had before they stood in namespaces."""
    yield "They work, and warn with a `DeprecationWarning`.\n"
    yield "| name | is now |\n|---|---|"
    pairs = [(name, one.new) for name, one in vars(FlatNames).items() if isinstance(one, Moved)]
    pairs += [
        ("entities()", "entities.list()"),
        ("settings.NAME", "settings.current.NAME"),
        ("snapshots()", "snapshots.list()"),
        ("subscriptions", "settings.subscriptions"),
    ]
    yield from (f"| `mem.{old}` | `mem.{new}` |" for old, new in sorted(pairs))
    yield ""


def _function(name: str, function: Callable[..., Any]) -> str:
    # Annotations are text, which is shown in quotes; defaults keep theirs.
    signature = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(function))).replace("'", '"')
    signature = re.sub(r"\(self(, )?", "(", signature)
    doc = inspect.getdoc(function) or ""
    summary, *sections = re.split(r"\n\n(?=Args:|Raises:|Returns:)", doc)
    parts = [f"### `{name}`\n", f"```text\n{_folded(name, signature)}\n```\n", _words(summary) + "\n"]
    for section in sections:
        head, _, body = section.partition("\n")
        items = re.split(r"\n(?=    \S)", body)
        parts.append(f"{head[:-1]}:\n")
        parts.append("\n".join(_item(item) for item in items if item.strip()) + "\n")
    return "\n".join(parts)


def _item(text: str) -> str:
    name, colon, words = " ".join(text.split()).partition(": ")
    return f"- `{name}`: {_words(words)}" if colon and " " not in name.replace(", ", "") else f"- {_words(text)}"


def _folded(name: str, signature: str) -> str:
    whole = f"{name}{signature}"
    if len(whole) <= 110:  # noqa: PLR2004 - what fits a line of the page
        return whole
    inside, _, result = signature.partition(") -> ")
    depth, arguments, last = 0, [], 1
    for index, letter in enumerate(inside):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 1:
            arguments.append(inside[last:index].strip())
            last = index + 1
    arguments.append(inside[last:].strip())
    return f"{name}(\n" + "".join(f"    {item},\n" for item in arguments) + f") -> {result}"


def _words(text: str) -> str:
    """Return a docstring's words as Markdown."""
    plain = _ROLE.sub(lambda found: f"`{found[2]}`", text).replace("``", "`")
    return "\n\n".join(" ".join(part.split()) for part in plain.split("\n\n"))


def _records() -> Iterator[str]:
    yield "Frozen values; sets are sorted tuples without repeats.\n"
    for name in _RECORDS:
        record = getattr(marskg, name)
        yield f"### `{name}`\n\n{_words(inspect.getdoc(record) or '')}\n"
        fields = ", ".join(f"`{field.name}`" for field in dataclasses.fields(record))
        yield f"Fields: {fields}.\n"
        own = [key for key, value in vars(record).items() if isinstance(value, property)]
        if own:
            yield "Besides: " + ", ".join(f"`{key}`" for key in own) + ".\n"


def _errors() -> Iterator[str]:
    yield (
        "All derive from `marskg.MarsError`. A message names the input, the rule and the way out, and never what a "
        "memory says. The exit status is that of the command line.\n"
    )
    yield "| error | is a | when | exit status |\n|---|---|---|---|"
    for name, error in vars(errors).items():
        if not (inspect.isclass(error) and issubclass(error, errors.MarsError)) or name == "MarsError":
            continue
        misused = issubclass(error, errors.InvalidInput) and not issubclass(error, errors.QueryRefused)
        base = error.__bases__[0].__name__
        when = _words((inspect.getdoc(error) or "").partition("\n\n")[0])
        yield f"| `{name}` | `{base}` | {when} | {2 if misused else 1} |"


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
