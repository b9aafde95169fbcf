"""Writes docs/reference/python.md from the signatures and docstrings of the public names.

Guarantees: every method of the memory, every public record and every error is on the page, with the words of its
docstring; a test compares them. Run ``python scripts/python_reference.py`` after a change.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import marskg
from marskg import errors, memory, opening
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
    "Cleaned",
    "SnapshotFile",
    "ProcessingReceipt",
    "Sightings",
    "SubjectReport",
    "Matched",
    "Preference",
    "Principal",
    "Grant",
)
_ROLE = re.compile(r":\w+:`~?([^`<]*?\.)?([^`.<]+)(?: <[^`]*>)?`")
#: Classes whose features come with later versions; nothing raises them yet.
_LATER = {"PrivacyBudgetExhausted", "ClockJump"}
_SECTIONS = (
    ("Writing", "remember remember_many update retract pin unpin amend_task affirm link unlink"),
    ("Entities", "rename_entity add_alias remove_alias retype_entity merge_entities mention unmention relate unrelate"),
    (
        "Forgetting",
        (
            "plan compare explain_policy forget forget_privately privacy_budget restore set_goal fit_policy set_budget "
            "advise_budget expire maintain maintain_every stop_maintaining end_session confirm_clock"
        ),
    ),
    ("Erasing", "erase scrub match_erasure"),
    ("Preferences", "preferences"),
    ("Who acts", "principal grant private_mode"),
    ("Finding", "retrieve recall read_all explain prepare redact"),
    ("Learning", "feedback wish find_conflicts review accept reject plan_pruning"),
    ("Reading", "get edges history memories entities stats now record_access weight"),
    ("Queries", "sparql cypher"),
    ("Accounting", "receipt check_receipt who_saw subject_report"),
    ("Proving", "validate verify check_retention records heads sign_head prove seal_audit rotate_key replace_key"),
    ("Giving away and taking back", "export load snapshot_save snapshot_load snapshots"),
    ("The store", "settings apply_settings reembed rescore subscribe unsubscribe subscriptions tenant store close"),
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

Times are epoch milliseconds. A method either does all of what it says or raises one of [these errors](#errors) and
leaves the store as it was. Calls from several threads are safe; a process that forks opens the memory after the fork.
"""


def render() -> str:
    """Return the page."""
    parts = [INTRODUCTION, "## Open\n", _function("marskg.open", opening.open)]
    listed = {name for _, names in _SECTIONS for name in names.split()}
    public = {name for name in vars(memory.AgentMemory) if not name.startswith("_")}
    if listed != public:
        message = f"not in one list of the page and the class: {sorted(listed ^ public)}"
        raise ValueError(message)
    for title, names in _SECTIONS:
        parts.append(f"## {title}\n")
        parts += [_member(name) for name in names.split()]
        if title == "Preferences":
            parts += list(_preferences())
    parts += ["## Records\n", *_records(), "## Errors\n", *_errors()]
    return "\n".join(parts)


def _preferences() -> Iterator[str]:
    """Yield what the object behind ``mem.preferences`` does."""
    for name, member in vars(Preferences).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            yield f"### `mem.preferences.{name}`\n\n{_words(member.__doc__ or '')}\n"
        else:
            yield _function(f"mem.preferences.{name}", member)


def _member(name: str) -> str:
    member = inspect.getattr_static(memory.AgentMemory, name)
    if isinstance(member, property):
        return f"### `mem.{name}`\n\n{_words(member.__doc__ or '')}\n"
    return _function(f"mem.{name}", member)


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
        if not (inspect.isclass(error) and issubclass(error, errors.MarsError)) or name in {"MarsError", *_LATER}:
            continue
        misused = issubclass(error, errors.InvalidInput) and not issubclass(error, errors.QueryRefused)
        base = error.__bases__[0].__name__
        when = _words((inspect.getdoc(error) or "").partition("\n\n")[0])
        yield f"| `{name}` | `{base}` | {when} | {2 if misused else 1} |"
    later = ", ".join(f"`{name}`" for name in sorted(_LATER))
    yield f"\n{later} are names for what later versions do; nothing raises them yet.\n"


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
