"""The public operations, as one table made from the signatures of the facade: what the doors and the tests go by.

Guarantees: every public method of :class:`~marskg.memory.AgentMemory`, of its private mode and of its namespaces, and
:func:`marskg.open`, is a row; one that has no row of rights, or a parameter without a checked annotation, is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from inspect import Parameter, isfunction, signature
from typing import TYPE_CHECKING, Final

from marskg.api import opening
from marskg.api.namespaces.namespace import Namespace
from marskg.api.private_mode import PrivateMode
from marskg.memory import AgentMemory
from marskg.privacy.preferences import Preferences
from marskg.privacy.principals import RIGHTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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


@dataclass(frozen=True, slots=True)
class Operation:
    """One public operation: its name from a memory, the rules of its parameters, who may use it, and what it returns.

    ``required`` are the parameters without a default, ``by_place`` those that are given by their place. ``rights`` is
    None for what is done before there is a memory.
    """

    name: str
    function: Callable[..., object]
    parameters: Mapping[str, Rule]
    required: tuple[str, ...]
    by_place: tuple[str, ...]
    rights: Row | None
    result: str


def operation(name: str, function: Callable[..., object], rights: Row | None) -> Operation:
    """Return the row of one function.

    Raises:
        TypeError: nobody checks its arguments, or a parameter has no annotation that can be checked.
    """
    arguments: Arguments | None = getattr(function, "arguments", None)
    if arguments is None:
        msg = f"{name} does not check its arguments; put marskg.api.arguments.checked_calls over its class"
        raise TypeError(msg)
    given = {name: one for name, one in signature(function).parameters.items() if name != "self"}
    named = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    return Operation(
        name,
        function,
        arguments.rules,
        tuple(name for name, one in given.items() if one.default is Parameter.empty and one.kind in named),
        tuple(name for name, one in given.items() if one.kind is Parameter.POSITIONAL_OR_KEYWORD),
        rights,
        str(signature(function).return_annotation),
    )


def operations_of(owner: type, way: str = "", same_as: str | None = None) -> tuple[Operation, ...]:
    """Return the rows of the public methods of a class, inherited ones included.

    Args:
        owner: the class.
        way: what stands before the names, such as ``audit.``.
        same_as: the operation whose rights all of them have; each has its own if left out.

    Raises:
        TypeError: one has no row of rights, or arguments that are not checked.
    """
    rows = {name: row for row in RIGHTS for name in row.operations}
    found = []
    for name in sorted(name for name in dir(owner) if not name.startswith("_") and isfunction(getattr(owner, name))):
        rights = rows.get(same_as or f"{way}{name}")
        if rights is None:
            msg = f"{owner.__name__}.{name} has no row in marskg.privacy.principals.RIGHTS; say there who may use it"
            raise TypeError(msg)
        found.append(operation(f"{way}{name}", getattr(owner, name), rights))
    return tuple(found)


def operations() -> tuple[Operation, ...]:
    """Return the table of all public operations."""
    doors = (one for owner, way, same_as in OWNERS for one in operations_of(owner, way, same_as))
    return (operation("open", opening.open, None), *doors)
