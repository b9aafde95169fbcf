"""The public operations, as one table made from the facade itself: what the doors, the pages and the tests go by.

Guarantees: every public method of :class:`~marskg.memory.AgentMemory`, of its private mode and of its namespaces, and
:func:`marskg.open`, is a row, with what its signature, its docstring and the table of rights say of it, which is said
nowhere else. Refused, with what is missing: an operation that has no row of rights, or two; a right to what is no
operation; a parameter without a checked annotation, or a number without a unit; a docstring that names a parameter or
an error that there is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from inspect import Parameter, getdoc, isfunction, signature
from typing import TYPE_CHECKING, Any, Final

from marskg import errors
from marskg.api import opening
from marskg.api.namespaces.namespace import Namespace
from marskg.api.private_mode import PrivateMode
from marskg.late_regex import late_regex
from marskg.memory import AgentMemory
from marskg.privacy.preferences import Preferences
from marskg.privacy.principals import RIGHTS, rights_to

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from marskg.api.arguments import Arguments, Rule
    from marskg.privacy.principals import Row

#: What stands beside the verbs of every day: whatever namespace a handle leads to, by its name.
NAMESPACES: Final[tuple[type[Namespace], ...]] = tuple(sorted(Namespace.__subclasses__(), key=lambda one: one.NAME))
#: The classes whose public methods are operations, each with the way to it from a memory and, where all of its methods
#: have the same rights, the operation that those are of.
OWNERS: Final[tuple[tuple[type, str, str | None], ...]] = (
    (AgentMemory, "", None),
    *((one, f"{one.NAME}.", None) for one in NAMESPACES),
    (Preferences, "preferences.", "preferences"),
    (PrivateMode, "privacy.private_mode().", "privacy.private_mode"),
)


_SECTION: Final = late_regex(r"\n\n(?=(?:Args|Returns|Raises):\n)")
_ITEM: Final = late_regex(r"\n(?=    \S)")


class Effect(StrEnum):
    """What an operation does to what is stored, beyond the note of what was shown to whom."""

    READS = "reads"
    WRITES = "writes"
    DESTROYS = "destroys"


def _named(operations: str) -> frozenset[str]:
    return frozenset(operations.split())


#: Those after which the tenant is what it was; those that are there to let contents or records go. All others write.
_EFFECTS: Final[Mapping[Effect, frozenset[str]]] = {
    Effect.READS: _named("""
        close cypher edges explain export get history memories now plan profile read_all recall retrieve sparql
        stats validate verify audit.check_receipt audit.heads audit.prove audit.prove_consistency
        audit.records audit.who_saw entities.list learning.plan_pruning learning.review maintenance.prepare
        maintenance.stop policy.advise_budget policy.compare policy.explain preferences.applied
        preferences.consents preferences.effective preferences.get preferences.list privacy.budget
        privacy.match_erasure privacy.redact privacy.retention snapshots.list privacy.private_mode().explain
        privacy.private_mode().get privacy.private_mode().history privacy.private_mode().profile
        privacy.private_mode().read_all privacy.private_mode().recall privacy.private_mode().retrieve
    """),
    Effect.DESTROYS: _named("""
        erase forget maintain audit.seal learning.accept maintenance.end_session maintenance.expire
        maintenance.scrub preferences.apply preferences.load preferences.set preferences.withdraw
        privacy.forget snapshots.load privacy.private_mode().close
    """),
}


@dataclass(frozen=True, slots=True)
class Words:
    """What a docstring says: its first sentence, what follows, what parameters mean, and when errors are raised."""

    summary: str
    text: str
    parameters: Mapping[str, str]
    errors: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Operation:
    """One public operation: its name from a memory, the rules of its parameters, who may use it, and what it returns.

    ``defaults`` are the values of the parameters that may be left out, ``by_place`` those that are given by their
    place; ``words`` is what the docstring says. ``rights`` is None for what is done before there is a memory.
    """

    name: str
    function: Callable[..., object]
    parameters: Mapping[str, Rule]
    defaults: Mapping[str, Any]
    by_place: tuple[str, ...]
    rights: Row | None
    effect: Effect
    result: str
    words: Words

    @property
    def required(self) -> tuple[str, ...]:
        """Return the parameters without a default."""
        return tuple(name for name in self.parameters if name not in self.defaults)


def effect_of(operation: str) -> Effect:
    """Return what an operation does, by its name; what is named nowhere is taken to write."""
    return next((effect for effect, names in _EFFECTS.items() if operation in names), Effect.WRITES)


def default_of(name: str, parameter: str) -> Any:  # noqa: ANN401 - whatever a default is
    """Return what a parameter of an operation is where it is left out."""
    place, _, method = name.rpartition(".")
    owner = next(owner for owner, way, _ in OWNERS if way == (f"{place}." if place else ""))
    return signature(getattr(owner, method)).parameters[parameter].default


def operation(name: str, function: Callable[..., object], rights: Row | None) -> Operation:
    """Return the row of one function.

    Raises:
        TypeError: nobody checks its arguments; a parameter has no annotation that can be checked, or no unit; or the
            docstring names what there is not.
    """
    arguments: Arguments | None = getattr(function, "arguments", None)
    if arguments is None:
        msg = f"{name} does not check its arguments; put marskg.api.arguments.checked_calls over its class"
        raise TypeError(msg)
    given = {name: one for name, one in signature(function).parameters.items() if name != "self"}
    # What a typed ``**`` takes may be left out.
    defaults = {one: given[one].default if one in given else None for one in arguments.rules}
    words = words_of(function)
    _check(name, arguments.rules, words)
    return Operation(
        name,
        function,
        arguments.rules,
        {one: default for one, default in defaults.items() if default is not Parameter.empty},
        tuple(name for name, one in given.items() if one.kind is Parameter.POSITIONAL_OR_KEYWORD),
        rights,
        effect_of(name),
        str(signature(function).return_annotation),
        words,
    )


def words_of(function: Callable[..., object]) -> Words:
    """Return what the docstring of a function says, in the form of Google's style guide for Python, section 3.8."""
    text, *sections = _SECTION.split(getdoc(function) or "")
    found = {section.partition(":")[0]: dict(_items(section)) for section in sections}
    summary, _, rest = text.partition("\n\n")
    return Words(" ".join(summary.split()), rest, found.get("Args", {}), found.get("Raises", {}))


def _items(section: str) -> Iterator[tuple[str, str]]:
    for item in _ITEM.split(section)[1:]:
        names, _, meaning = " ".join(item.split()).partition(": ")
        yield from ((name, meaning) for name in names.split(", "))


def _check(name: str, rules: Mapping[str, Rule], words: Words) -> None:
    """Refuse an operation of which something is not said, or something that is not so."""
    for parameter, rule in rules.items():
        if "" in rule.units:
            msg = f"{name} takes {parameter}, a number without a unit; annotate it with one of marskg.api.arguments"
            raise TypeError(msg)
    unknown = [one for one in words.parameters if one not in rules and one != "filters"]
    if unknown:
        msg = f"the docstring of {name} says what {unknown[0]} is, which is no parameter of it; take it out"
        raise TypeError(msg)
    missing = [one for one in words.errors if not hasattr(errors, one)]
    if missing:
        msg = f"the docstring of {name} says that it raises {missing[0]}, which is no error of marskg.errors"
        raise TypeError(msg)


def operations_of(owner: type, way: str = "", same_as: str | None = None) -> tuple[Operation, ...]:
    """Return the rows of the public methods of a class, inherited ones included.

    Args:
        owner: the class.
        way: what stands before the names, such as ``audit.``.
        same_as: the operation whose rights all of them have; each has its own if left out.

    Raises:
        TypeError: one has no row of rights, or arguments that are not checked.
    """
    found = []
    for name in sorted(name for name in dir(owner) if not name.startswith("_") and isfunction(getattr(owner, name))):
        rights = rights_to(same_as or f"{way}{name}")
        if rights is None:
            msg = f"{owner.__name__}.{name} has no row in marskg.privacy.principals.RIGHTS; say there who may use it"
            raise TypeError(msg)
        found.append(operation(f"{way}{name}", getattr(owner, name), rights))
    return tuple(found)


@cache
def operations() -> tuple[Operation, ...]:
    """Return the table of all public operations.

    Raises:
        TypeError: the table, the rights and the effects do not name the same operations, each once.
    """
    doors = (one for owner, way, same_as in OWNERS for one in operations_of(owner, way, same_as))
    found = (operation("open", opening.open, None), *doors)
    check_names([one.name for one in found], RIGHTS)
    return found


def check_names(names: Iterable[str], rights: Iterable[Row]) -> None:
    """Refuse a table in which an operation is named twice, or what is no operation is named at all.

    Raises:
        TypeError: it is; the message says which.
    """
    operations, once = [*names], [name for row in rights for name in row.operations]
    # Properties are asked for like operations, and the preferences' as one.
    known = {*operations, *_PROPERTIES, *(same_as for _, _, same_as in OWNERS if same_as)}
    for where, listed in (("two operations", operations), ("two rows of RIGHTS", once)):
        twice = sorted({name for name in listed if listed.count(name) > 1})
        if twice:
            msg = f"{twice[0]} names {where}; rename one, or take one out"
            raise TypeError(msg)
    for where, listed in (("RIGHTS", once), ("the effects", [name for names in _EFFECTS.values() for name in names])):
        unknown = sorted({*listed} - known)
        if unknown:
            msg = f"{where} name {unknown[0]}, which is no operation; take it out, or write the method"
            raise TypeError(msg)


#: What is no method and has rights all the same.
_PROPERTIES: Final = frozenset(
    f"{way}{name}"
    for owner, way, _ in OWNERS
    for name in dir(owner)
    if isinstance(getattr(owner, name, None), property)
)
