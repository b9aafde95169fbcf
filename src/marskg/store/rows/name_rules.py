"""Rules about a name without the name: its keyed digests, and finding in a memory whom such a rule is about.

Guarantees: a digest is HMAC-SHA256 under the store's secret over tenant, sort and normal form, so it says nothing
without the secret, and nothing about another tenant. Beside it stand the sort and how many signs the normal form has,
by which a text's candidates are taken, and a check of the whole, by which a digest of another store is told. A text's
candidates are compared with all rules at once; who decides is :mod:`marskg.language.naming.matcher`, once a candidate
has a rule's digest. An entity whose name or alias has it is found by all of its names: where several bear a name, the
rule holds for each. What is found is kept for as long as one memory is looked at. A tenant without such rules
digests nothing. Sources: semantics section 5 (whom a name means); docs/adr/0074-a-rule-without-the-name.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from marskg.entities.read_links import may_be_read
from marskg.kept_texts import keeping_texts
from marskg.language.naming.caution import may_name
from marskg.language.naming.edges import Verdict
from marskg.language.naming.matcher import IN_SMALL, NameMatcher, Reading
from marskg.language.naming.sought import Candidates, Key, exact_key, like_keys
from marskg.language.naming.spellings import loose_form, name_form
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import PreferenceRule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from marskg.records import Entity, Preference

_Found = TypeVar("_Found")
#: Rules whose target is a name.
NAMING: Final = frozenset({PreferenceRule.PRIVATE_ENTITY, PreferenceRule.BLACKLISTED_ENTITY})
_DIGEST: Final = late_regex(r"(?:name|number|address):[1-9][0-9]*:u[\w-]{43}:[\w-]{12}", re.ASCII)
_CHECK: Final = slice(1, 13)
#: Why a memory is near that is linked to somebody, and has a word that may be the name and is not surely.
LINKED: Final = "linked by a word that may be the name"
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


def digested(rule: Preference, digests: NameDigests) -> Preference:
    """Return a rule about a name with digests in its place."""
    name = rule.target or ""
    label = neutral_label(rule) if rule.label is None else rule.label
    return replace(rule, target=digests.target(name), likenesses=digests.likenesses(name), label=label)


def has_part_of(name: str, label: str) -> bool:
    """Return whether a label says the name, in whatever spelling, or a part of it of more than three letters."""
    wanted, said = loose_form(name_form(name)), loose_form(name_form(label))
    if wanted in said or NameMatcher((name,)).read(label).verdict is not Verdict.NONE:
        return True
    parts = {part for part in re.split(r"[\W_]+", wanted) if len(part) > _SHORT_PART}
    return not parts.isdisjoint(re.split(r"[\W_]+", said))


@keeping_texts(1_024)
def matcher_of(forms: tuple[str, ...], others: tuple[str, ...] = (), *, person: bool = False) -> NameMatcher:
    """Return the matcher of a name, of a ``person`` or not, that goes by ``forms``.

    It may stand inside ``others``, longer names.
    """
    return NameMatcher(forms, others, person=person)


def judged(matter: Matter, forms: tuple[str, ...]) -> Reading:
    """Return what ``matter`` has of who goes by ``forms``: whom it mentions and is about, and what its texts say.

    That it mentions them is believed where its texts have nothing of the name, so that its source must have said so;
    else it may have been read from them, by whoever does not look at what stands beside a name.
    """
    matcher = matcher_of(forms)
    found = matcher.judge(matter.subjects, matter.texts)
    if found.verdict is Verdict.IS or not matter.names:
        return found
    doubted = [name for name in matter.names if matcher.is_one(name)]
    if not doubted or not may_be_read(matter.texts, forms):
        return found.or_(matcher.judge(matter.names, ()))
    return doubtful(found.or_(matcher.judge((name for name in matter.names if name not in doubted), ())))


def doubtful(found: Reading) -> Reading:
    """Return what is left of a link that may have been read, where ``found`` is what the texts have of the name."""
    return Reading(Verdict.NEAR, LINKED) if found.verdict is Verdict.NONE else found


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


class Matter(Protocol):
    """What of a memory is looked at: names of entities that it mentions, whom it is about, and its texts."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names."""

    @property
    def subjects(self) -> tuple[str, ...]:
        """Whom it is about."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts."""


@dataclass(slots=True)
class _Read:
    """What one text has of the rules' names, by target; and which targets it may have, once that was asked."""

    candidates: Candidates
    names: dict[str, set[str]] = field(default_factory=dict)
    near: set[str] | None = None


class NameSearch:
    """Says whether a memory names whom the rules of a tenant are about."""

    def __init__(
        self,
        digests: NameDigests,
        rules: Sequence[Preference],
        sought: Sought,
        *,
        forms: Callable[[str], tuple[str, ...]] = lambda name: (name,),
        bearers: Callable[[Mapping[str, str]], Mapping[str, Sequence[Entity]]] = lambda _: {},
    ) -> None:
        """Look for the names of the rules.

        Args:
            digests: makes the tenant's digests.
            rules: the tenant's rules about names.
            sought: what these are looked for by.
            forms: gives all names of the entities that go by a name, the name itself among them.
            bearers: gives by target the entities that go by the name of which it is the digest, of targets by their
                references.
        """
        self.forms = forms
        self._digests = digests
        self._rules = rules
        self._sought = sought
        self._bearers = bearers
        self._borne: Mapping[str, Sequence[Entity]] | None = None
        #: The memory that was looked at last, and its texts.
        self._matter: Matter | None = None
        self._read: dict[str, _Read] = {}

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

    def may_be_meant(self, matter: Matter, rule: Preference) -> bool:
        """Return whether ``matter`` may name whom ``rule`` is about (:mod:`marskg.language.naming.caution`)."""
        names = (*matter.names, *matter.subjects)
        known = self._known(matter, rule.target or "")
        if known and any(may_name(known, names, text) for text in (matter.texts or ("",))):
            return True
        return not known and rule.target in self._near(matter)

    def is_one(self, name: str, rule: Preference) -> bool:
        """Return whether ``name`` as a whole is a name of whom ``rule`` is about."""
        target = rule.target or ""
        self._borne = None  # an entity may have got a name since
        if is_digested(target):
            known = tuple(sorted({*self._said(name, target), *self._names_of_bearers(target)}))
        else:
            known = self.forms(target)
        return bool(known) and matcher_of(known).is_one(name)

    def _said(self, name: str, target: str) -> Iterator[str]:
        """Yield the name of which ``target`` is the digest where ``name`` is it, or has it."""
        sort, length = _place(target)
        for one in {*Candidates(name).of(sort, length), exact_key(name).text}:
            key = Key(sort, one)
            if target.startswith(f"{self._digests.reference(key)}:"):
                yield key.name

    def bearers(self) -> Mapping[str, Sequence[Entity]]:
        """Return by target the entities that go by the name of which it is the digest, as of now."""
        self._borne = self._bearers(self._sought.targets()) if self._sought.exact else {}
        return self._borne

    def _names_of_bearers(self, target: str) -> tuple[str, ...]:
        known = self.bearers() if self._borne is None else self._borne
        return tuple(sorted({name for one in known.get(target, ()) for name in (one.name, *one.aliases)}))

    def _verdict(self, matter: Matter, rule: Preference) -> Verdict:
        known = self._known(matter, rule.target or "")
        if not known:
            return Verdict.NONE
        found = judged(matter, known)
        # A rule knows no capitals: what is kept out wrongly is told of at once, what is let in is not.
        in_small = found.verdict is Verdict.NEAR and found.reason == IN_SMALL
        return Verdict.IS if in_small else found.verdict

    def _known(self, matter: Matter, target: str) -> tuple[str, ...]:
        """Return all names that are known of whom a rule is about; of a digest also that which ``matter`` has."""
        if not is_digested(target):
            return self.forms(target)
        found = {name for read in self._look(matter) for name in read.names.get(target, ())}
        return tuple(sorted({*found, *self._names_of_bearers(target)}))

    def _look(self, matter: Matter) -> Iterable[_Read]:
        """Return what the texts of a memory have; the texts of the one before are not read again if it has them too."""
        if self._matter is not matter:
            texts = dict.fromkeys((*matter.names, *matter.subjects, *matter.texts))
            self._read = {text: self._read.get(text) or self._reading(text) for text in texts}
            self._matter, self._borne = matter, None
        return self._read.values()

    def _reading(self, text: str) -> _Read:
        found = _Read(Candidates(text))
        for key, target in self._hits(found.candidates, self._sought.exact):
            found.names.setdefault(target, set()).add(key.name)
        return found

    def _near(self, matter: Matter) -> set[str]:
        """Return the targets of which a text has a likeness, and not the name."""
        for read in self._look(matter):
            if read.near is None:
                found = (targets for _, targets in self._hits(read.candidates, self._sought.like))
                read.near = {target for targets in found for target in targets} - read.names.keys()
        return {target for read in self._read.values() for target in read.near or ()}

    def _hits(
        self, text: Candidates, places: Mapping[tuple[str, int], Mapping[str, _Found]]
    ) -> Iterator[tuple[Key, _Found]]:
        """Yield what of a text has one of the references at ``places``, with what stands there."""
        for (sort, length), wanted in places.items():
            for one in text.of(sort, length):
                key = Key(sort, one)
                found = wanted.get(self._digests.reference(key))
                if found is not None:
                    yield key, found
