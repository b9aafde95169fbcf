"""Policies by name: the built-in ones, and users' ``.cypher`` files by their path.

Guarantees: a name that is neither is refused with the list of what there is.
"""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from marskg.errors import InvalidConfig
from marskg.policies.custom import CypherPolicy
from marskg.policies.fifo import FIFO
from marskg.policies.lru import LRU
from marskg.policies.policy_file import read_policy_file
from marskg.policies.priority_decay import PRIORITY_DECAY
from marskg.policies.random_drop import RANDOM_DROP
from marskg.policies.reflection import ReflectionSummary
from marskg.records import Finding, Report

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from marskg.policies.policy import Policy

_BUILT_IN = {policy.name: policy for policy in (FIFO, LRU, PRIORITY_DECAY, RANDOM_DROP)}
#: Policies that keep something between their plans, such as a model: each caller has its own.
_MADE: Mapping[str, Callable[[], Policy]] = MappingProxyType({ReflectionSummary.name: ReflectionSummary})
#: The names of the policies that come with the package.
POLICY_NAMES = tuple(sorted((*_BUILT_IN, *_MADE)))


def load_policy(name_or_path: str | Path) -> Policy:
    """Return a built-in policy by its name, or the policy of a ``.cypher`` file by its path.

    Raises:
        InvalidConfig: there is no such policy, or the file cannot be used.
    """
    built_in = _BUILT_IN.get(str(name_or_path))
    if built_in is not None:
        return built_in
    make = _MADE.get(str(name_or_path))
    if make is not None:
        return make()
    path = Path(name_or_path)
    if path.suffix != ".cypher":
        msg = (
            f"there is no policy {str(name_or_path)[:200]!r}; "
            f"use {', '.join(POLICY_NAMES)}, or the path of a .cypher file"
        )
        raise InvalidConfig(msg)
    return CypherPolicy(path)


def check_policy(path: str | Path) -> Report:
    """Return what is wrong with a user's policy file and the YAML file beside it, without a store."""
    try:
        read_policy_file(Path(path))
    except InvalidConfig as error:
        return Report(1, (Finding("policy", str(path), str(error)),))
    return Report(1)
