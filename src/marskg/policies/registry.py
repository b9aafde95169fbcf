"""Policies by name: the built-in ones, those of installed packages, and users' ``.cypher`` files by their path.

Guarantees: a name that is none of these is refused with the list of what there is; a built-in name always means the
built-in policy.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from marskg.errors import InvalidConfig
from marskg.policies.custom import CypherPolicy
from marskg.policies.density import DENSITY
from marskg.policies.fifo import FIFO
from marskg.policies.greedy import GREEDY
from marskg.policies.hybrid import HYBRID
from marskg.policies.lru import LRU
from marskg.policies.plugins import installed_names, load_installed
from marskg.policies.policy_file import read_policy_file
from marskg.policies.priority_decay import PRIORITY_DECAY
from marskg.policies.random_drop import RANDOM_DROP
from marskg.policies.removal_priority import REMOVAL_PRIORITY
from marskg.records import Finding, Report

if TYPE_CHECKING:
    from marskg.policies.policy import Policy

_ALL: tuple[Policy, ...] = (DENSITY, FIFO, GREEDY, HYBRID, LRU, PRIORITY_DECAY, RANDOM_DROP, REMOVAL_PRIORITY)
_BUILT_IN = {policy.name: policy for policy in _ALL}
#: The names of the policies that come with the package.
POLICY_NAMES = tuple(sorted(_BUILT_IN))


def load_policy(name_or_path: str | Path) -> Policy:
    """Return a built-in or an installed policy by its name, or the policy of a ``.cypher`` file by its path.

    Raises:
        InvalidConfig: there is no such policy, or the package or the file cannot be used.
    """
    built_in = _BUILT_IN.get(str(name_or_path))
    if built_in is not None:
        return built_in
    installed = load_installed(str(name_or_path))
    if installed is not None:
        return installed
    path = Path(name_or_path)
    if path.suffix != ".cypher":
        msg = (
            f"there is no policy {str(name_or_path)[:200]!r}; "
            f"use {', '.join(dict.fromkeys((*POLICY_NAMES, *installed_names())))}, or the path of a .cypher file"
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
