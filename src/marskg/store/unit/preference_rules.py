"""What a tenant's preferences say about one memory, one reading or one consent, decided without a store.

Guarantees: a :class:`PreferenceSet` is a value, made of preference nodes alone, and every question to it is a pure
function; of several rules that hold the strictest decides, so that one rule more never allows more, with two
exceptions: a consent, which is there to allow, and a list of regions, which names whose readers may read across the
border. Whom a name means is for :mod:`marskg.language.naming` to say. An answer names the rule and never what it hit.
Sources: MaRS sections 3.2.3 and 3.3.3; semantics sections 5 and 9; docs/adr/0026.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from marskg.audit.record import node_commitment
from marskg.language.naming.spellings import bare_form, name_form
from marskg.late_regex import late_regex
from marskg.ontology.fields import Label, every_text
from marskg.ontology.mapping import decimal_lexical, preference_lines
from marskg.ontology.vocabulary import Kind, PreferenceRule, SourceType
from marskg.store.rows import codec
from marskg.store.rows.name_rules import NAMING, Sought
from marskg.store.rows.paging import pages

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from marskg.drafts import Draft
    from marskg.records import Memory, Preference
    from marskg.store.engine.protocol import Reader
    from marskg.store.rows.state import TenantState


class Names(Protocol):
    """Says whether a memory names whom a rule is about (:class:`~marskg.store.rows.name_rules.NameSearch`)."""

    def forms(self, name: str, /) -> tuple[str, ...]:
        """Return the spellings of a name that is known to be somebody's, the name itself among them."""

    def is_named(self, matter: Matter, rule: Preference) -> bool:
        """Return whether ``matter`` names whom ``rule`` is about."""

    def may_be_named(self, matter: Matter, rule: Preference) -> bool:
        """Return whether ``matter`` may name whom ``rule`` is about, and does not surely."""

    def may_be_meant(self, matter: Matter, rule: Preference) -> bool:
        """Return whether ``matter`` may name whom ``rule`` is about in whatever way people write."""


#: Categories of sensitive content that a ceiling may be set for, by the word that stands in a memory's reasons.
CATEGORIES: Final = (
    "health",
    "finance",
    "protected",
    "biometric",
    "location",
    "children",
    "criminal",
    "identifier",
    "secret",
)
#: The purpose for which a person may let social memories outlive their horizon unused (MaRS line 413).
LONGER_RETENTION: Final = "longer_retention"
_FORCED = late_regex(r"\Aprivate entity: at least ([0-9.]+), without it ([0-9.]+)\Z")
_WORDS = late_regex(r"[a-z]+")
_PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class Matter:
    """What a rule looks at in a draft or in a memory; ``names`` are those of the entities that it mentions."""

    kind: Kind
    source_type: SourceType
    session: str | None
    subjects: tuple[str, ...]
    purpose: tuple[str, ...]
    texts: tuple[str, ...]
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, memory: Memory | Draft, names: Iterable[str] = ()) -> Matter:
        """Return what there is to look at in ``memory``: whom it is about, and all else of it that is words."""
        texts = (one.whole for one in every_text(memory) if one.field.label is not Label.WHOM)
        return cls(
            memory.kind,
            memory.source_type,
            memory.session,
            tuple(memory.subjects),
            tuple(memory.purpose),
            tuple(texts),
            tuple(names),
        )


def forced_of(reasons: Iterable[str]) -> tuple[float, float] | None:
    """Return ``(base, forced)`` where the reasons of a sensitivity say that a private entity raised it, else None."""
    for reason in reasons:
        match = _FORCED.match(reason)
        if match is not None:
            return float(match[2]), float(match[1])
    return None


def without_forced(reasons: Iterable[str]) -> tuple[str, ...]:
    """Return the reasons that are not a private entity's."""
    return tuple(reason for reason in reasons if _FORCED.match(reason) is None)


def forced_reason(base: float, forced: float) -> str:
    """Return the reason that stands for a sensitivity that is ``forced`` at least, and would be ``base``."""
    return f"private entity: at least {decimal_lexical(forced)}, without it {decimal_lexical(base)}"


def categories_of(reasons: Iterable[str]) -> set[str]:
    """Return the categories that the reasons of a sensitivity name."""
    return {word for reason in reasons for word in _WORDS.findall(reason.casefold())} & set(CATEGORIES)


class PreferenceSet:
    """All preferences of one tenant, ready to be asked."""

    def __init__(self, preferences: Iterable[Preference] = ()) -> None:
        """Hold ``preferences``, in the order of their sequence."""
        self.preferences = tuple(sorted(preferences, key=lambda item: (item.sequence, item.id)))
        self._by_rule: dict[PreferenceRule, list[Preference]] = {}
        self._members: dict[str, set[str]] = {}
        for preference in self.preferences:
            self._by_rule.setdefault(preference.preference_rule, []).append(preference)
        #: The rules about names, and what these are looked for by.
        self.naming = tuple(item for item in self.preferences if item.preference_rule in NAMING)
        self.sought = Sought(self.naming)
        for preference in self.of(PreferenceRule.MEMBER_OF):
            self._members.setdefault(preference.target or "", set()).add(preference.data_subject or "")

    def __bool__(self) -> bool:
        """Return whether there is any preference."""
        return bool(self.preferences)

    def of(self, rule: PreferenceRule) -> Sequence[Preference]:
        """Return the preferences of one rule, in the order of their sequence."""
        return self._by_rule.get(rule, ())

    def get(self, preference_id: str) -> Preference | None:
        """Return a preference by its id."""
        return next((item for item in self.preferences if item.id == preference_id), None)

    def members(self, department: str) -> frozenset[str]:
        """Return the subjects that belong to a department."""
        return frozenset(self._members.get(department, ()))

    def holds_for(self, preference: Preference, subjects: Iterable[str]) -> bool:
        """Return whether ``preference`` is about memories with these ``subjects``."""
        if preference.data_subject is not None:
            return preference.data_subject in subjects
        if preference.department is not None:
            return not self.members(preference.department).isdisjoint(subjects)
        return True

    def _holding(self, rule: PreferenceRule, subjects: Iterable[str]) -> Iterator[Preference]:
        known = tuple(subjects)
        return (item for item in self.of(rule) if self.holds_for(item, known))

    # --- Writing ------------------------------------------------------------------------------------------------

    def horizon(self, kind: Kind, subjects: Iterable[str]) -> int | None:
        """Return how long (ms) a memory of ``kind`` about ``subjects`` may be kept at most; None for no limit."""
        found = (
            item.horizon
            for item in self._holding(PreferenceRule.RETENTION, subjects)
            if item.target in {None, kind} and item.horizon is not None
        )
        return min(found, default=None)

    def refusal(self, matter: Matter, names: Names) -> Preference | None:
        """Return the rule by which ``matter`` is not to be stored, or None."""
        for item in self._holding(PreferenceRule.BLACKLISTED_ENTITY, matter.subjects):
            if names.is_named(matter, item):
                return item
        wanted: Mapping[PreferenceRule, tuple[str | None, ...]] = {
            PreferenceRule.BLACKLISTED_CONVERSATION: (matter.session,),
            PreferenceRule.OPT_OUT_KIND: (matter.kind,),
            PreferenceRule.OPT_OUT_SOURCE: (matter.source_type,),
            PreferenceRule.OPT_OUT_PURPOSE: matter.purpose,
        }
        for rule, values in wanted.items():
            forms = {_form(value) for value in values}
            for item in self._holding(rule, matter.subjects):
                if _form(item.target) in forms:
                    return item
        return None

    def undecided(self, matter: Matter, names: Names) -> Iterator[Preference]:
        """Yield the rules about an entity that ``matter`` may name, and that a person has to look at."""
        for rule in (PreferenceRule.BLACKLISTED_ENTITY, PreferenceRule.PRIVATE_ENTITY):
            for item in self._holding(rule, matter.subjects):
                if names.may_be_named(matter, item):
                    yield item

    @property
    def people(self) -> tuple[str, ...]:
        """Return who has preferences of their own, or is of a department, in order."""
        own = {item.data_subject for item in self.preferences} | {one for has in self._members.values() for one in has}
        return tuple(sorted(one for one in own if one))

    def asks_everybody(self, purpose: str) -> bool:
        """Return whether ``purpose`` needs the consent of whomever it is about, also of who has no preferences."""
        return any(
            item.target == purpose and item.data_subject is None and item.department is None
            for item in self.of(PreferenceRule.CONSENT_REQUIRED)
        )

    def lacking(self, matter: Matter, now: int) -> str | None:
        """Return a purpose of ``matter`` for which one of its subjects would have to consent, and has not; or None."""
        for purpose in matter.purpose:
            if any(self._unconsented(subject, purpose, now) for subject in matter.subjects):
                return purpose
        return None

    def _unconsented(self, subject: str, purpose: str, now: int) -> bool:
        if self.consents(subject, purpose, now):
            return False
        required = self._holding(PreferenceRule.CONSENT_REQUIRED, (subject,))
        return self.lapsed(subject, purpose, now) or any(item.target == purpose for item in required)

    def floor(self, matter: Matter, names: Names) -> float:
        """Return the least sensitivity that private entities force on ``matter`` itself; 0 where they force none."""
        levels = (
            1.0 if item.level is None else item.level
            for item in self._holding(PreferenceRule.PRIVATE_ENTITY, matter.subjects)
            if names.is_named(matter, item)
        )
        return max(levels, default=0.0)

    @property
    def forces(self) -> bool:
        """Return whether any entity is private."""
        return bool(self.of(PreferenceRule.PRIVATE_ENTITY))

    def social_horizon(self, subjects: Sequence[str], now: int) -> int | None:
        """Return how long (ms) a social memory about ``subjects`` may be unused; None for no limit.

        Subjects who all consent to :data:`LONGER_RETENTION` have none.
        """
        if subjects and all(self.consents(subject, LONGER_RETENTION, now) for subject in subjects):
            return None
        found = (item.horizon for item in self._holding(PreferenceRule.SOCIAL_HORIZON, subjects))
        return min((horizon for horizon in found if horizon is not None), default=None)

    def deadline(self, subject: str | None) -> int | None:
        """Return how long (ms) an erasure may take that ``subject`` asks for; None where nobody says."""
        subjects = () if subject is None else (subject,)
        found = (item.horizon for item in self._holding(PreferenceRule.ERASURE_DEADLINE, subjects))
        return min((horizon for horizon in found if horizon is not None), default=None)

    # --- Consents -----------------------------------------------------------------------------------------------

    def _consents(self, subject: str, purpose: str | None) -> list[Preference]:
        """Return the consents that say something of a purpose: those for it, or else those for any."""
        own = [item for item in self.of(PreferenceRule.CONSENT) if item.data_subject == subject]
        exact = [item for item in own if item.target is not None and item.target == purpose]
        return exact or [item for item in own if item.target is None]

    def consents(self, subject: str, purpose: str | None, now: int) -> bool:
        """Return whether ``subject`` consents to ``purpose`` at ``now`` (epoch ms); None asks for any purpose at all.

        What was said of the purpose itself goes before what was said of any.
        """
        return any(item.in_force(now) for item in self._consents(subject, purpose))

    def lapsed(self, subject: str, purpose: str, now: int) -> bool:
        """Return whether a consent of ``subject`` to ``purpose`` was there and is not in force any more."""
        found = self._consents(subject, purpose)
        return bool(found) and not any(item.in_force(now) for item in found)

    def ended(self, subjects: Iterable[str], purpose: str, now: int) -> bool:
        """Return whether a purpose is over for a memory about ``subjects``: opted out of, or its consent lapsed."""
        known = tuple(subjects)
        if any(item.target == purpose for item in self._holding(PreferenceRule.OPT_OUT_PURPOSE, known)):
            return True
        return any(self.lapsed(subject, purpose, now) for subject in known)

    def admits_again(self, subject: str, purposes: Sequence[str], now: int) -> bool:
        """Return whether something about an erased ``subject`` may be stored: they consented to all its purposes.

        What is not limited to purposes needs a consent that is not either.
        """
        if not purposes:
            return self.consents(subject, None, now)
        return all(self.consents(subject, purpose, now) for purpose in purposes)

    def due(self, now: int) -> list[Preference]:
        """Return the consents that ended by themselves until ``now`` and of which that was not noted yet."""
        return [
            item
            for item in self.of(PreferenceRule.CONSENT)
            if item.ends_at is not None and item.ends_at <= now and item.withdrawn_at is None
        ]

    # --- Reading ------------------------------------------------------------------------------------------------

    def permits(self, subjects: Iterable[str], purpose: str | None, now: int) -> bool:
        """Return whether a memory about ``subjects`` may be read for ``purpose`` at ``now`` (epoch ms).

        A reader who states no purpose is not asked for one here: what is limited to purposes they do not see anyway.
        """
        return not any(self.bars(subject, purpose, None, now) for subject in subjects) and not (
            purpose is not None and self._opted_out_by_all(purpose)
        )

    def _opted_out_by_all(self, purpose: str) -> bool:
        return any(
            item.target == purpose and item.data_subject is None and item.department is None
            for item in self.of(PreferenceRule.OPT_OUT_PURPOSE)
        )

    def bars(self, subject: str, purpose: str | None, reader: str | None, now: int) -> bool:
        """Return whether nothing about ``subject`` may be read for ``purpose``, or from the jurisdiction ``reader``."""
        if purpose is not None and (self.ended((subject,), purpose, now) or self._unconsented(subject, purpose, now)):
            return True
        return reader is not None and any(
            reader not in {item.target, *item.regions}
            for item in self._holding(PreferenceRule.READING_REGIONS, (subject,))
            if item.data_subject is not None or item.department is not None
        )

    def reaches(self, region: str | None, reader: str | None) -> bool:
        """Return whether a memory under ``region`` may be read from ``reader``, both jurisdictions.

        None as ``reader`` asks for nothing. Rules of the whole tenant hold for memories of their region and of none.
        """
        if reader is None:
            return True
        lists = [
            {item.target, *item.regions}
            for item in self.of(PreferenceRule.READING_REGIONS)
            if item.data_subject is None and item.department is None and region in {None, item.target}
        ]
        if region is not None and not lists:
            return region == reader
        return all(reader in admitted for admitted in lists)

    def confines(self, region: str | None) -> bool:
        """Return whether rules of the whole tenant say from where memories under ``region`` may be read."""
        return region is not None and any(
            item.target == region and item.data_subject is None and item.department is None
            for item in self.of(PreferenceRule.READING_REGIONS)
        )

    def keeps_near(self, subject: str) -> bool:
        """Return whether rules of ``subject``, or of a department of theirs, say from where they may be read about."""
        rules = self._holding(PreferenceRule.READING_REGIONS, (subject,))
        return any(item.data_subject is not None or item.department is not None for item in rules)

    @property
    def hides_some(self) -> bool:
        """Return whether a memory may be hidden from who states neither a purpose nor a jurisdiction.

        Ceilings of categories alone do that: the other rules of reading ask for what the reader states, and those of
        writing hide nothing.
        """
        return bool(self.of(PreferenceRule.SENSITIVITY_CEILING))

    def hides(
        self, reasons: Iterable[str], sensitivity: float, subjects: Sequence[str], purpose: str | None, now: int
    ) -> bool:
        """Return whether a ceiling of one of its categories keeps a memory from a reader who states ``purpose``.

        The memory is as sensitive as ``reasons`` say, and about ``subjects``; if they all consent to the purpose, that
        lifts the ceiling.
        """
        ceiling = self.ceiling(categories_of(reasons), subjects)
        if ceiling is None or sensitivity <= ceiling:
            return False
        asked = purpose is not None and bool(subjects)
        return not (asked and all(self.consents(subject, purpose, now) for subject in subjects))

    def ceiling(self, categories: Iterable[str], subjects: Iterable[str]) -> float | None:
        """Return the lowest ceiling of ``categories`` for memories about ``subjects``; None where there is none."""
        wanted = set(categories)
        if not wanted:
            return None
        found = (
            item.level
            for item in self._holding(PreferenceRule.SENSITIVITY_CEILING, subjects)
            if item.target in wanted and item.level is not None
        )
        return min(found, default=None)

    def admits(self, memory: Memory, purpose: str | None, reader: str | None, now: int) -> bool:
        """Return whether ``memory`` may be read for ``purpose`` from the jurisdiction ``reader`` at ``now``."""
        return (
            not (purpose is not None and self._opted_out_by_all(purpose))
            and self.reaches(memory.jurisdiction, reader)
            and not any(self.bars(subject, purpose, reader, now) for subject in memory.subjects)
            and not self.hides(memory.sensitivity_reasons, memory.sensitivity, memory.subjects, purpose, now)
        )


def _form(value: str | None) -> str | None:
    """Return the form in which what a rule keeps out is compared: signs around it make nothing else of it."""
    return None if value is None else bare_form(name_form(value))


NOBODY: Final = PreferenceSet()


class PreferenceCache:
    """Keeps a tenant's preference_set between units, for as long as no preference changes."""

    def __init__(self) -> None:
        """Hold nothing yet."""
        self._age = 0
        self._preference_set = NOBODY
        self._salts: dict[str, str] = {}

    def preference_set(self, read: Reader, state: TenantState) -> PreferenceSet:
        """Return the preferences of a tenant as its row says that it is; one without preferences costs nothing."""
        if state.preferences == 0:
            return NOBODY
        if self._age != state.preferences:
            rows = [row["node"] for page in pages(partial(read, "preferences_page"), state.name, _PAGE) for row in page]
            self._salts = {row["id"]: row["salt"] for row in rows}
            self._preference_set = PreferenceSet(codec.decode_preference(row) for row in rows)
            self._age = state.preferences
        return self._preference_set

    def salt(self, preference_id: str) -> str | None:
        """Return the salt of a preference of the preferences that was asked for last."""
        return self._salts.get(preference_id)

    def commitment(self, preference_id: str) -> str | None:
        """Return the commitment to a preference as it was read last; None where it is not there."""
        salt = self._salts.get(preference_id)
        found = (one for one in self._preference_set.preferences if one.id == preference_id)
        return None if salt is None else next((commitment_to(one, salt) for one in found), None)


def commitment_to(preference: Preference, salt: str) -> str:
    """Return the commitment to a preference under its salt."""
    return node_commitment(salt, preference_lines(preference))
