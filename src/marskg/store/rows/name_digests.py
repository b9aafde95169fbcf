"""Rules about a name without the name: its keyed digests.

Guarantees: a digest is HMAC-SHA256 under the store's secret over tenant, sort and normal form, so it says nothing
without the secret, and nothing about another tenant. Beside it stand the sort and how many signs the normal form has,
by which a text's candidates are taken, and a check of the whole, by which a digest of another store is told. Sources:
semantics section 5 (whom a name means); docs/adr/0073-a-rule-without-the-name.md.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from marskg.language.naming.edges import Verdict
from marskg.language.naming.matcher import NameMatcher
from marskg.language.naming.sought import exact_key, like_keys
from marskg.language.naming.spellings import loose_form, name_form
from marskg.ontology.vocabulary import PreferenceRule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from marskg.language.naming.sought import Key
    from marskg.records import Preference

#: Rules whose target is a name.
NAMING: Final = frozenset({PreferenceRule.PRIVATE_ENTITY, PreferenceRule.BLACKLISTED_ENTITY})
_DIGEST: Final = re.compile(r"(?:name|number|address):[1-9][0-9]*:u[\w-]{43}:[\w-]{12}", re.ASCII)
_CHECK: Final = slice(1, 13)
#: Signs of a rule's id that its label has.
_ID_PART: Final = 8
#: Letters of a part of a name that a label may have.
_SHORT_PART: Final = 3


def is_digested(target: str | None) -> bool:
    """Return whether the target of a rule about a name is a digest."""
    return target is not None and _DIGEST.fullmatch(target) is not None


def is_clear(rule: Preference) -> bool:
    """Return whether a rule has the name that it is about, as versions before kept it."""
    return rule.preference_rule in NAMING and rule.target is not None and not is_digested(rule.target)


class NameDigests:
    """Makes the digests of one tenant."""

    def __init__(self, handle: Callable[[str, str], str], tenant: str) -> None:
        """Use the store's secret through ``handle``."""
        self._handle = handle
        self._tenant = tenant

    def target(self, name: str) -> str:
        """Return what a rule about ``name`` keeps of it."""
        reference = self.reference(exact_key(name))
        return f"{reference}:{self._check(reference)}"

    def likenesses(self, name: str) -> tuple[str, ...]:
        """Return the digests of what may be the name, sorted."""
        return tuple(sorted({self.reference(key) for key in like_keys(name)}))

    def reference(self, key: Key) -> str:
        """Return a key's sort, length and digest."""
        # No tenant's name has a bar, so no handle of a subject is ever one of these.
        digest = self._handle(f"|rule|{self._tenant}", f"{key.sort}\x1e{key.text}")
        return f"{key.sort}:{key.length}:{digest}"

    def made_here(self, target: str) -> bool:
        """Return whether a digest was made under this store's secret, for this tenant."""
        reference, _, check = target.rpartition(":")
        return self._check(reference) == check

    def _check(self, reference: str) -> str:
        return self._handle(f"|rule check|{self._tenant}", reference)[_CHECK]


def neutral_label(rule: Preference) -> str:
    """Return the label of a rule about a name whose author chose none."""
    return f"{rule.preference_rule} {rule.id[-_ID_PART:]}"


def has_part_of(name: str, label: str) -> bool:
    """Return whether a label says the name, in whatever spelling, or a part of it of more than three letters."""
    wanted, said = loose_form(name_form(name)), loose_form(name_form(label))
    if wanted in said or NameMatcher((name,)).read(label).verdict is not Verdict.NONE:
        return True
    parts = {part for part in re.split(r"[\W_]+", wanted) if len(part) > _SHORT_PART}
    return not parts.isdisjoint(re.split(r"[\W_]+", said))


class Sought:
    """What the rules about names of a tenant are looked for by: their references, by sort and length."""

    def __init__(self, rules: Iterable[Preference]) -> None:
        """Look for those of ``rules`` that are digests."""
        self.exact: dict[tuple[str, int], dict[str, str]] = {}
        self.like: dict[tuple[str, int], dict[str, set[str]]] = {}
        for rule in rules:
            target = rule.target or ""
            if is_digested(target):
                reference = target.rpartition(":")[0]
                self.exact.setdefault(_place(reference), {})[reference] = target
                for one in rule.likenesses:
                    self.like.setdefault(_place(one), {}).setdefault(one, set()).add(target)

    def targets(self) -> dict[str, str]:
        """Return the targets by their references."""
        return {reference: target for found in self.exact.values() for reference, target in found.items()}


def _place(reference: str) -> tuple[str, int]:
    sort, length, _ = reference.split(":", 2)
    return sort, int(length)
