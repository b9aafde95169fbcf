"""Policies that other people's packages bring: the entry-point group ``marskg.policies``.

Guarantees: a package is imported only when its policy is asked for; one that cannot be loaded, is no policy, or fails
while it plans, or plans what :mod:`marskg.policies.custom.plan_validation` refuses, is named with the package that
brings it, and changes nothing; no installed policy takes the name of a built-in one, nor of another package's. What a
plan may do is the executor's business, as for every policy.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from marskg.errors import EnvironmentFailure, InvalidConfig, InvariantError
from marskg.late_regex import late_regex
from marskg.policies.custom.plan_validation import fault_of, without_contents
from marskg.records import Plan
from marskg.store.engine.protocol import Conflict

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from marskg.policies.core.policy import Policy, PolicyView

#: The group of entry points: the name is the policy's, the object a policy, or a class or function that makes one.
GROUP = "marskg.policies"
#: What code that is not ours raises when it is wrong; what the machine raises (memory, interrupts) goes through.
FAULTS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    ImportError,
    LookupError,
    NameError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
)
_NAME = late_regex(r"^[a-z][a-z0-9-]{0,63}\Z")


def installed_names() -> tuple[str, ...]:
    """Return the names of all installed policies, without importing one."""
    return tuple(sorted(entry_points(group=GROUP).names))


def load_installed(name: str) -> Policy | None:
    """Return the installed policy of this name, None if no package brings one.

    Raises:
        InvalidConfig: two packages bring it, it cannot be loaded, or it is no policy.
    """
    found = list(entry_points(group=GROUP, name=name))
    if not found:
        return None
    if len(found) > 1:
        packages = " and ".join(sorted(_package(entry) for entry in found))
        msg = f"policy {name!r} is in {packages}: uninstall one of them"
        raise InvalidConfig(msg)
    return InstalledPolicy(_load(found[0]), _package(found[0]))


def made(found: Any) -> Any:  # noqa: ANN401 - what other people's packages name, before anybody has looked at it
    """Return what an entry point names, or what it makes where that is a class or a function, without arguments."""
    makes = isinstance(found, type) or (callable(found) and not hasattr(found, "plan"))
    return found() if makes else found


def _load(entry: EntryPoint) -> Policy:
    where = f"policy {entry.name!r} of package {_package(entry)}"
    try:
        policy: Policy = made(entry.load())
        named, plans = getattr(policy, "name", None), callable(getattr(policy, "plan", None))
    except FAULTS as error:
        msg = f"{where} cannot be loaded from {entry.value} ({type(error).__name__}): mend or uninstall the package"
        raise InvalidConfig(msg) from error
    if not plans or named != entry.name or not _NAME.match(entry.name):
        msg = (
            f"{where}: {entry.value} must have a method plan() and the name {entry.name!r}, in lower-case letters, "
            "digits and hyphens: see docs/how-to/write-a-policy.md"
        )
        raise InvalidConfig(msg)
    return policy


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "without a name"


class InstalledPolicy:
    """A policy of another package, whose failures are named."""

    def __init__(self, policy: Policy, package: str) -> None:
        """Plan by ``policy``, which ``package`` brings."""
        self._policy = policy
        self._package = package

    @property
    def name(self) -> str:
        """Return the policy's name."""
        return self._policy.name

    def plan(
        self, view: PolicyView, *, target: int, exclude: frozenset[str] = frozenset(), seed: int | None = None
    ) -> Plan:
        """Return the policy's plan.

        Raises:
            InvariantError: the policy fails, returns something else than a plan of its own, or one that takes more than
                it must or that the audit could not carry.
        """
        where = f"policy {self.name!r} of package {self._package}"
        try:
            plan: object = self._policy.plan(view, target=target, exclude=exclude, seed=seed)
        except (EnvironmentFailure, Conflict):
            # Of the engine, or another writer was faster: not the policy's doing.
            raise
        except InvariantError as error:
            msg = f"{where}: {error}"
            raise InvariantError(msg) from error
        except (Exception, SystemExit) as error:
            # Other people's code is an outermost door: whatever it raises is theirs, and is named.
            msg = f"{where} fails ({type(error).__name__}); nothing was changed: mend it, or choose another policy"
            raise InvariantError(msg) from error
        if not isinstance(plan, Plan) or plan.policy != self.name:
            msg = f"{where} returns no plan of its own name; nothing was changed: mend it, or choose another policy"
            raise InvariantError(msg)
        fault = fault_of(plan, weight=view.weight, target=target)
        if fault is not None:
            msg = f"{where} plans what is refused: it {fault}; nothing was changed: mend it, or choose another policy"
            raise InvariantError(msg)
        return without_contents(plan, view)
