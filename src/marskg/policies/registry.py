"""Policies by name: the built-in ones, those of installed packages, and users' ``.cypher`` files by their path.

Guarantees: a name that is none of these is refused with the list of what there is; a built-in name always means the
built-in policy.
"""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from marskg.clock import zone_named
from marskg.errors import InvalidConfig
from marskg.models.asking import load_model
from marskg.models.roles import ROLES
from marskg.policies.builtin import hybrid
from marskg.policies.builtin.density import DENSITY
from marskg.policies.builtin.fifo import FIFO
from marskg.policies.builtin.greedy import GREEDY
from marskg.policies.builtin.lru import LRU
from marskg.policies.builtin.near_ties import RANDOMISED_TIE_BREAK
from marskg.policies.builtin.noise import check_installed
from marskg.policies.builtin.one_kind import ByKind
from marskg.policies.builtin.priority_decay import PRIORITY_DECAY
from marskg.policies.builtin.private import NAME as PRIVATE
from marskg.policies.builtin.private import PrivatePolicy, check_combination
from marskg.policies.builtin.random_drop import RANDOM_DROP
from marskg.policies.builtin.reflection import ReflectionSummary
from marskg.policies.builtin.removal_priority import REMOVAL_PRIORITY
from marskg.policies.controllers import adaptive, tiered
from marskg.policies.controllers.adaptive import AdaptivePolicy, arm_names
from marskg.policies.controllers.tiered import TieredPolicy, parse_hours
from marskg.policies.core.policy import reads_features
from marskg.policies.custom.cypher_policy import CypherPolicy
from marskg.policies.custom.plugins import installed_names, load_installed
from marskg.policies.custom.policy_file import read_policy_file
from marskg.policies.streams.ordered import OrderedPolicy
from marskg.policies.streams.slices import shares_of
from marskg.records import Finding, Report
from marskg.reranking.registry import load_reranker
from marskg.weight import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from marskg.config import Settings
    from marskg.policies.core.policy import Policy, PolicyView

#: What the file of a user's own policy ends with.
SUFFIX = ".cypher"
_ALL: tuple[Policy, ...] = (
    DENSITY,
    FIFO,
    GREEDY,
    LRU,
    PRIORITY_DECAY,
    RANDOM_DROP,
    RANDOMISED_TIE_BREAK,
    REMOVAL_PRIORITY,
)
_BUILT_IN: Mapping[str, Policy] = {policy.name: policy for policy in _ALL}
#: Policies that choose among the others; they cannot choose each other.
_CONTROLLERS: Mapping[str, Callable[[], Policy]] = {
    "adaptive": lambda: AdaptivePolicy(_load_simple),
    "tiered": lambda: TieredPolicy(_load_simple),
}
#: Policies that keep something between their plans, such as a model: each caller has its own.
_MADE: Mapping[str, Callable[[], Policy]] = MappingProxyType(
    {hybrid.NAME: hybrid.hybrid, ReflectionSummary.name: ReflectionSummary}
)
#: The names of the policies that come with the package and make equal plans of equal stores. ``private`` is beside
#: them: each of its plans is another draw, which is paid for, so that none is made to be looked at or compared.
POLICY_NAMES = tuple(sorted((*_BUILT_IN, *_CONTROLLERS, *_MADE)))
#: The names of those among them that choose no other policy.
SIMPLE_NAMES = tuple(name for name in POLICY_NAMES if name not in _CONTROLLERS)


def load_policy(name_or_path: str | Path) -> Policy:
    """Return a built-in or an installed policy by its name, or the policy of a ``.cypher`` file by its path.

    Raises:
        InvalidConfig: there is no such policy, or the package or the file cannot be used.
    """
    if str(name_or_path) == PRIVATE:
        check_installed()
        return PrivatePolicy()
    controller = _CONTROLLERS.get(str(name_or_path))
    return controller() if controller is not None else _load_simple(name_or_path)


def goes_by_features(name: str | Path, settings: Settings) -> bool:
    """Return whether a policy, or one that it may choose under ``settings``, goes by the table of features."""
    if name == PRIVATE:
        return True
    tiers = settings.tiered
    names: Iterable[str | Path] = (name,)
    if name == "adaptive":
        names = arm_names(settings.adaptive.arms)
    elif name == "tiered":
        names = (tiers.baseline, tiers.raised, tiers.top)
    return any(reads_features(_load_simple(one)) for one in names)


def check_settings(settings: Settings) -> None:
    """Refuse settings whose policy cannot be loaded, or that name one which cannot, and unknown time zones.

    Raises:
        InvalidConfig: there is no such policy, reranker, model or time zone, a file cannot be used, or the
            arms or hours make no sense.
    """
    zone_named(settings.retrieval.time_zone)
    load_policy(settings.policy.name)
    if settings.policy.name == PRIVATE:
        check_combination(settings)
    load_reranker(settings.retrieval.reranker)
    for role in ROLES:
        load_model(role, settings.models, TokenCounter())
    tiers = settings.tiered
    for name in (tiers.baseline, tiers.raised, tiers.top, *arm_names(settings.adaptive.arms)):
        _load_simple(name)
    if tiers.top_hours is not None:
        parse_hours(tiers.top_hours)


def explain_policy(view: PolicyView) -> dict[str, Any]:
    """Return what decides about a tenant's forgetting now: the policy, and what its controllers know and last chose.

    ``partitions``: :func:`marskg.policies.streams.slices.shares_of`; ``tiered`` and ``adaptive``: as their modules
    explain themselves. A section is there where it is in force or where something was learned.
    """
    found: dict[str, Any] = {"policy": view.settings.policy.name}
    if view.settings.partitions.on:
        found["partitions"] = shares_of(view)
    for name, explain in (("tiered", tiered.explain), ("adaptive", adaptive.explain)):
        if view.settings.policy.name == name or name in view.controls:
            found[name] = explain(view)
    return found


def _load_simple(name_or_path: str | Path) -> Policy:
    """Return a policy that chooses among no others; each keeps to the shares of kinds."""
    policy = _find(name_or_path)
    # An order keeps to them by itself, at the cost of the memories that it takes.
    return policy if isinstance(policy, OrderedPolicy) else ByKind(policy)


def _find(name_or_path: str | Path) -> Policy:
    if str(name_or_path) == PRIVATE:
        msg = (
            "private cannot be one of several policies: what the others choose is not private; name one that chooses "
            "by itself, or set policy.name=private alone"
        )
        raise InvalidConfig(msg)
    if str(name_or_path) in _CONTROLLERS:
        msg = f"{name_or_path} chooses among other policies and cannot be chosen itself; name one that forgets"
        raise InvalidConfig(msg)
    built_in = _BUILT_IN.get(str(name_or_path))
    if built_in is not None:
        return built_in
    make = _MADE.get(str(name_or_path))
    if make is not None:
        return make()
    installed = load_installed(str(name_or_path))
    if installed is not None:
        return installed
    path = Path(name_or_path)
    if path.suffix != SUFFIX:
        names = ", ".join(dict.fromkeys((*POLICY_NAMES, PRIVATE, *installed_names())))
        msg = f"there is no policy {str(name_or_path)[:80]!r}; use {names}, or the path of a .cypher file"
        raise InvalidConfig(msg)
    return CypherPolicy(path)


def check_policy(path: str | Path) -> Report:
    """Return what is wrong with a user's policy file and the YAML file beside it, without a store."""
    try:
        read_policy_file(Path(path))
    except InvalidConfig as error:
        return Report(1, (Finding("policy", str(path), str(error)),))
    return Report(1)
