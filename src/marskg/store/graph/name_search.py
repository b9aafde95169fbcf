"""Finding in a memory whom a rule about a name is about, of which the store has a keyed digest alone.

Guarantees: a text's candidates are digested and compared with those of all rules at once; who decides is
:mod:`marskg.language.naming.matcher`, once a candidate has a rule's digest. An entity whose name or alias has it is
found by all of its names: a rule is about a name, and where several bear it, it holds for each. What is found is kept
for as long as one memory is looked at. A tenant without such rules digests nothing. Source: semantics section 5.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from marskg.language.naming.edges import Verdict
from marskg.language.naming.matcher import NameMatcher
from marskg.language.naming.sought import Key, candidates, exact_key
from marskg.language.naming.spellings import name_form
from marskg.store.rows.name_digests import is_digested

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from marskg.records import Entity, Preference
    from marskg.store.rows.name_digests import NameDigests
    from marskg.store.unit.preference_rules import Matter, PreferenceSet

_Found = TypeVar("_Found")


@dataclass(slots=True)
class _Seen:
    """What one memory has of the rules' names: the names by target, and the texts that have none of a target's."""

    matter: Matter
    texts: list[str]
    names: dict[str, set[str]] = field(default_factory=dict)
    without: list[set[str]] = field(default_factory=list)
    near: set[str] | None = None


class NameSearch:
    """Says whether a memory names whom the rules of a tenant are about."""

    def __init__(
        self,
        digests: NameDigests,
        preference_set: PreferenceSet,
        *,
        forms: Callable[[str], tuple[str, ...]] = lambda name: (name,),
        bearers: Callable[[Mapping[str, str]], Mapping[str, Sequence[Entity]]] = lambda _: {},
    ) -> None:
        """Look for the names of ``preference_set``.

        Args:
            digests: makes the tenant's digests.
            preference_set: the rules.
            forms: gives all names of the entities that go by a name, the name itself among them.
            bearers: gives by target the entities that go by the name of which it is the digest, of targets by their
                references.
        """
        self.forms = forms
        self._digests = digests
        self._rules = preference_set.naming
        self._sought = preference_set.sought
        self._bearers = bearers
        self._borne: Mapping[str, Sequence[Entity]] | None = None
        self._seen: _Seen | None = None
        self._matchers: dict[tuple[str, ...], NameMatcher] = {}

    def lost(self) -> Preference | None:
        """Return a rule that nobody can look for: its digest was made under another secret, or for another tenant."""
        return next(
            (
                rule
                for rule in self._rules
                if is_digested(rule.target) and not self._digests.made_here(rule.target or "")
            ),
            None,
        )

    def is_named(self, matter: Matter, rule: Preference) -> bool:
        """Return whether ``matter`` names whom ``rule`` is about."""
        return self._verdict(matter, rule) is Verdict.IS

    def may_be_named(self, matter: Matter, rule: Preference) -> bool:
        """Return whether ``matter`` may name whom ``rule`` is about, and does not surely."""
        found = self._verdict(matter, rule)
        return found is Verdict.NEAR or (found is Verdict.NONE and rule.target in self._near(matter))

    def is_one(self, name: str, rule: Preference) -> bool:
        """Return whether ``name`` as a whole is a name of whom ``rule`` is about."""
        target = rule.target or ""
        if is_digested(target) and self._digests.reference(exact_key(name)) == target.rpartition(":")[0]:
            return True
        known = self._names_of_bearers(target) if is_digested(target) else self.forms(target)
        return bool(known) and self._matcher(known).is_one(name)

    def bearers(self) -> Mapping[str, Sequence[Entity]]:
        """Return by target the entities that go by the name of which it is the digest."""
        if self._borne is None:
            self._borne = self._bearers(self._sought.targets()) if self._sought.exact else {}
        return self._borne

    def _names_of_bearers(self, target: str) -> tuple[str, ...]:
        found = self.bearers().get(target, ())
        return tuple(sorted({name for one in found for name in (one.name, *one.aliases)}))

    def _verdict(self, matter: Matter, rule: Preference) -> Verdict:
        target = rule.target or ""
        if not is_digested(target):
            known: tuple[str, ...] = self.forms(target)
        else:
            found = self._look(matter).names.get(target, set())
            known = tuple(sorted({*found, *self._names_of_bearers(target)}))
        if not known:
            return Verdict.NONE
        return self._matcher(known).judge((*matter.names, *matter.subjects), matter.texts).verdict

    def _matcher(self, forms: tuple[str, ...]) -> NameMatcher:
        found = self._matchers.get(forms)
        if found is None:
            found = self._matchers[forms] = NameMatcher(forms)
        return found

    def _look(self, matter: Matter) -> _Seen:
        if self._seen is None or self._seen.matter is not matter:
            texts = [name_form(text) for text in (*matter.names, *matter.subjects, *matter.texts)]
            self._seen = _Seen(matter, texts)
            for text in texts:
                here: set[str] = set()
                for key, target in _hits(self._digests, text, self._sought.exact):
                    self._seen.names.setdefault(target, set()).add(key.name)
                    here.add(target)
                self._seen.without.append(here)
        return self._seen

    def _near(self, matter: Matter) -> set[str]:
        """Return the targets of which a text has a likeness, and not the name."""
        seen = self._look(matter)
        if seen.near is None:
            seen.near = set()
            for text, here in zip(seen.texts, seen.without, strict=True):
                for _, targets in _hits(self._digests, text, self._sought.like):
                    seen.near |= targets - here
        return seen.near


def _hits(
    digests: NameDigests, text: str, places: Mapping[tuple[str, int], Mapping[str, _Found]]
) -> Iterator[tuple[Key, _Found]]:
    """Yield what of a text has one of the references at ``places``, with what stands there."""
    for (sort, length), wanted in places.items():
        for one in candidates(text, sort, length):
            key = Key(sort, one)
            found = wanted.get(digests.reference(key))
            if found is not None:
                yield key, found
