"""How strict rules are, and what is at least as strict as two of them: a lattice of profiles.

Guarantees: :func:`combine` is commutative, associative and idempotent, its unit is the profile without rules, and what
it gives is at least as strict as either side. A horizon, a deadline and a ceiling are stricter when they are less, a
list of regions when it is shorter, a forced sensitivity when it is more, and everything that is forbidden or needs
consent when there is more of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from marskg.answer import Answer
from marskg.ontology.vocabulary import PreferenceRule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from marskg.privacy.rules import Rule
    from marskg.records import Preference

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
#: Any kind, where a retention horizon names none.
ANY: Final = "*"
_FORBIDDING: Final = frozenset(
    {
        PreferenceRule.OPT_OUT_KIND,
        PreferenceRule.OPT_OUT_SOURCE,
        PreferenceRule.OPT_OUT_PURPOSE,
        PreferenceRule.BLACKLISTED_ENTITY,
        PreferenceRule.BLACKLISTED_CONVERSATION,
        PreferenceRule.CONSENT_REQUIRED,
    }
)


@dataclass(frozen=True, slots=True)
class Profile(Answer):
    """What rules come to: horizons by kind, levels and ceilings by name, regions by region, times in milliseconds.

    ``forbids`` holds ``rule:target`` of opt-outs, blacklists and required consents.
    """

    retention: Mapping[str, int] = field(default_factory=lambda: _NOTHING)
    forbids: frozenset[str] = frozenset()
    private: Mapping[str, float] = field(default_factory=lambda: _NOTHING)
    ceilings: Mapping[str, float] = field(default_factory=lambda: _NOTHING)
    regions: Mapping[str, frozenset[str]] = field(default_factory=lambda: _NOTHING)
    social_horizon: int | None = None
    erasure_deadline: int | None = None

    def horizon(self, kind: str) -> int | None:
        """Return how long (ms) memories of ``kind`` may be kept at most; None for no limit."""
        found = (self.retention[name] for name in (kind, ANY) if name in self.retention)
        return min(found, default=None)


def profile(rules: Iterable[Rule | Preference]) -> Profile:
    """Return what ``rules`` come to together; consents and memberships, which forbid nothing, are passed over."""
    return reduce(combine, map(_of, rules), Profile())


def _of(rule: Rule | Preference) -> Profile:
    name, target = rule.preference_rule, rule.target or ANY
    if name in _FORBIDDING:
        return Profile(forbids=frozenset({f"{name}:{target}"}))
    if name is PreferenceRule.RETENTION and rule.horizon is not None:
        return Profile(retention={target: rule.horizon})
    if name is PreferenceRule.PRIVATE_ENTITY:
        return Profile(private={target: 1.0 if rule.level is None else rule.level})
    if name is PreferenceRule.SENSITIVITY_CEILING and rule.level is not None:
        return Profile(ceilings={target: rule.level})
    if name is PreferenceRule.READING_REGIONS:
        return Profile(regions={target: frozenset({target, *rule.regions})})
    if name is PreferenceRule.SOCIAL_HORIZON:
        return Profile(social_horizon=rule.horizon)
    if name is PreferenceRule.ERASURE_DEADLINE:
        return Profile(erasure_deadline=rule.horizon)
    return Profile()


def combine(first: Profile, second: Profile) -> Profile:
    """Return the least strict profile that is at least as strict as both."""
    return Profile(
        retention=_merged(first.retention, second.retention, min),
        forbids=first.forbids | second.forbids,
        private=_merged(first.private, second.private, max),
        ceilings=_merged(first.ceilings, second.ceilings, min),
        regions=_merged(first.regions, second.regions, frozenset.intersection),
        social_horizon=_sooner(first.social_horizon, second.social_horizon),
        erasure_deadline=_sooner(first.erasure_deadline, second.erasure_deadline),
    )


def _merged(first: Mapping[str, Any], second: Mapping[str, Any], stricter: Callable[[Any, Any], Any]) -> dict[str, Any]:
    found = {**first, **second}
    found.update({name: stricter(first[name], second[name]) for name in first.keys() & second.keys()})
    return dict(sorted(found.items()))


def _sooner(first: int | None, second: int | None) -> int | None:
    return min((value for value in (first, second) if value is not None), default=None)
