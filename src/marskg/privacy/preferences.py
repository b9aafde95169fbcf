"""The preferences of one tenant: listed, set, given up, taken from templates; consents given and withdrawn.

Guarantees: a change and all that it does to what is stored is one transaction with signed records, or nothing; a rule
for the same replaces the one before it; what rested on a consent that is withdrawn goes in the same transaction, and
what rests on one that ends by itself is not read from that moment on and goes with the next write or pass of
housekeeping. A dry run counts and changes nothing. Sources: MaRS sections 3.2.3 and 3.3.3; docs/adr/0026.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from marskg.answer import Answer
from marskg.api.arguments import checked_calls
from marskg.clock import uuid7
from marskg.errors import ConsentRequired, ErasedContentRefused, InvalidConfig, InvalidInput, UnknownMemory
from marskg.given_time import Moment, milliseconds
from marskg.kept_texts import forget_texts
from marskg.meant import Spelt
from marskg.ontology.fields import texts_of_rule
from marskg.ontology.vocabulary import PreferenceRule
from marskg.privacy.rules import checked, read_rules
from marskg.privacy.strictness import Profile, profile
from marskg.privacy.templates import Template, load_template
from marskg.records import Preference
from marskg.store.graph.preference_backfill import RETROACTIVE, Effects, end_purposes, reapply
from marskg.store.graph.preference_enforcement import name_digests, preferences_of
from marskg.store.graph.suppression import check_names
from marskg.store.rows.name_rules import NAMING, NameDigests, neutral_label
from marskg.store.upkeep import maintenance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from marskg.api.arguments import Milliseconds, ReadPath, Share
    from marskg.given_time import GivenTime
    from marskg.privacy.rules import Rule
    from marskg.store.commit.writer import Writer
    from marskg.store.unit.preference_rules import PreferenceSet
    from marskg.store.unit.unit_of_work import Unit

_REMOVED: Final = "removed on request"


@dataclass(frozen=True, slots=True)
class Change(Answer):
    """What a change of preferences did, or would do.

    ``preferences`` are those that hold now because of it, ``removed`` the ids of those that do not any more;
    ``expired`` are ids of memories that lost their content, ``amended`` of those that were changed and stayed.
    """

    preferences: tuple[Preference, ...] = ()
    removed: tuple[str, ...] = ()
    expired: tuple[str, ...] = ()
    amended: tuple[str, ...] = ()
    dry_run: bool = False


@checked_calls()
class Preferences(Spelt):
    """The preferences of one tenant; ``memory.preferences`` of :class:`~marskg.memory.AgentMemory`."""

    def __init__(self, writer: Writer, ask: Callable[[str], None]) -> None:
        """Read and write through ``writer``; ``ask`` refuses an operation of whoever may not use it."""
        self._writer = writer
        self._permit = ask

    def _ask(self, _name: str) -> None:
        """Refuse what the principal may not use: all operations here have the same rights."""
        self._permit("preferences")

    # --- What there is ------------------------------------------------------------------------------------------

    @property
    def preference_set(self) -> PreferenceSet:
        """Return all preferences, ready to be asked: what is refused, forced, consented to, and may be read."""
        with self._writer.alone():
            self._writer.fresh_state()
            return self._writer.preference_set()

    def list(
        self,
        *,
        subject: str | None = None,
        department: str | None = None,
        rule: str | None = None,
        target: str | None = None,
    ) -> tuple[Preference, ...]:
        """Return the preferences in the order in which they came, those of a subject, department or rule if given.

        ``target`` asks for those that are about it. Rules about a name keep a digest of the name and are found by any
        spelling of it that is one.
        """
        digests = NameDigests(self._writer.services.handle, self._writer.tenant)
        digest = None if target is None else digests.target(target)
        return tuple(
            item
            for item in self.preference_set.preferences
            if (subject is None or item.data_subject == subject)
            and (department is None or item.department == department)
            and (rule is None or item.preference_rule == rule)
            and (target is None or item.target in {target, digest})
        )

    def get(self, preference_id: str) -> Preference:
        """Return one preference.

        Raises:
            UnknownMemory: there is none with this id.
        """
        found = self.preference_set.get(preference_id)
        if found is None:
            raise _unknown(preference_id, self._writer.tenant)
        return found

    def effective(self, *, subject: str | None = None, department: str | None = None) -> Profile:
        """Return what all rules come to together for a subject, a department, or where neither is given, for all."""
        preference_set = self.preference_set
        held = []
        for item in preference_set.preferences:
            own = item.data_subject is None and item.department is None
            of_department = item.department is not None and (
                item.department == department
                or (subject is not None and subject in preference_set.members(item.department))
            )
            if own or of_department or (subject is not None and item.data_subject == subject):
                held.append(item)
        return profile(held)

    # --- Rules --------------------------------------------------------------------------------------------------

    def set(
        self,
        rule: str,
        target: str | None = None,
        *,
        label: str | None = None,
        subject: str | None = None,
        department: str | None = None,
        horizon: str | Milliseconds | None = None,
        level: Share | None = None,
        regions: Iterable[str] | None = None,
        dry_run: bool = False,
    ) -> Change:
        """Set one rule for a subject, for a department, or where neither is given, for the whole tenant.

        It holds at once: what it no longer allows to be stored goes, and the rest is amended.

        Args:
            rule: a name of :class:`~marskg.ontology.vocabulary.PreferenceRule`.
            target: what it is about: a kind, a source, a purpose, a name, a session, a category, a region. Of a name
                a keyed digest is kept, and the name nowhere.
            label: what to call a rule about a name by, without the name; made of the rule and its id if left out.
            subject: the person for whom it holds.
            department: the department for whose members it holds.
            horizon: a duration such as ``"30d"``, or milliseconds.
            level: from 0 to 1.
            regions: jurisdictions.
            dry_run: change nothing, and return what would be done.

        Raises:
            InvalidInput: the rule or one of its fields is unknown, missing, too much, or out of range; or the label has
                the name, or a part of it.
            ConsentRequired: the subject was erased, and does not consent to anything.
        """
        given = {
            "rule": rule,
            "target": target,
            "label": label,
            "subject": subject,
            "department": department,
            "horizon": horizon,
            "level": level,
            "regions": None if regions is None else list(regions),
        }
        wanted = checked(given)
        if wanted.preference_rule is PreferenceRule.CONSENT:
            return self.consent(subject or "", target, dry_run=dry_run)
        return self._apply((wanted,), None, dry_run=dry_run)

    def load(self, path: ReadPath, *, dry_run: bool = False) -> Change:
        """Set the rules of a YAML file, in one transaction; what the tenant has besides stays.

        Raises:
            InvalidConfig: the file cannot be read, or one of its rules is wrong: the message names its line.
            ConsentRequired: a rule is for a subject who was erased, and does not consent to anything.
        """
        rules = read_rules(Path(path))
        return self._apply(rules, None, dry_run=dry_run)

    def remove(self, preference_id: str, *, dry_run: bool = False) -> Change:
        """Remove one preference; what it forced on memories is taken back, what it took away is gone.

        A consent is not removed but withdrawn: that it was given stays on record.

        Raises:
            UnknownMemory: there is none with this id.
            InvalidInput: it is a consent.
        """
        found = self.get(preference_id)
        if found.preference_rule is PreferenceRule.CONSENT:
            msg = f"{preference_id} is a consent; withdraw it with: mars preferences withdraw SUBJECT"
            raise InvalidInput(msg)
        done = self._run(lambda unit: _removed(unit, (found,)), dry_run=dry_run)
        forget_texts()
        return done

    # --- Consents -----------------------------------------------------------------------------------------------

    def consent(
        self, subject: str, purpose: str | None = None, *, until: GivenTime | None = None, dry_run: bool = False
    ) -> Change:
        """Record that ``subject`` consents to a purpose, or to any, until a time if it ends.

        A subject who was erased may be written about again from then on, for what they consent to.

        Raises:
            InvalidInput: no subject, or ``until`` is no time, or past.
        """
        # Whether it is meant was asked at the door.
        ends = None if until is None else Moment(milliseconds(until))
        rule = checked({"rule": "consent", "subject": subject, "target": purpose, "until": ends})
        return self._apply((rule,), None, dry_run=dry_run)

    def withdraw(self, subject: str, purpose: str | None = None, *, dry_run: bool = False) -> Change:
        """Withdraw the consent of ``subject`` to a purpose, or all of their consents; it acts at once.

        The purposes that it allowed leave the memories about them, and what has no other purpose goes.

        Raises:
            InvalidInput: there is no consent in force that could be withdrawn.
        """
        return self._run(lambda unit: _withdrawn(unit, subject, purpose), dry_run=dry_run)

    def consents(self, subject: str, purpose: str | None = None, *, at: GivenTime | None = None) -> bool:
        """Return whether ``subject`` consents to ``purpose`` now, or at a time."""
        return self.preference_set.consents(subject, purpose, self._writer.now() if at is None else milliseconds(at))

    # --- Templates ----------------------------------------------------------------------------------------------

    def apply(self, template: str, *, department: str | None = None, dry_run: bool = False) -> Change:
        """Set the rules of a jurisdiction's template for a department, or the whole tenant, in one transaction.

        Rules of the same template that it does not have any more are removed. Several templates may be applied: of what
        they say on the same, the stricter holds.

        Raises:
            InvalidInput: there is no such template.
        """
        found = load_template(template)
        rules = tuple(replace(rule, department=department) for rule in found.rules)
        return self._apply(rules, found, dry_run=dry_run, department=department)

    def unapply(self, template: str, *, department: str | None = None, dry_run: bool = False) -> Change:
        """Remove the rules that a template set for a department, or the whole tenant.

        Raises:
            InvalidInput: there is no such template, or it is not applied.
        """
        name = load_template(template).name
        found = [
            item for item in self.preference_set.preferences if (item.origin, item.department) == (name, department)
        ]
        if not found:
            where = "this tenant" if department is None else "this department"
            msg = f"template {name} is not applied to {where}; see what is with: mars preferences templates"
            raise InvalidInput(msg)
        return self._run(lambda unit: _removed(unit, found), dry_run=dry_run)

    def applied(self) -> tuple[tuple[str, str | None], ...]:
        """Return the templates that are applied, each with its department, None for the whole tenant."""
        found = {(item.origin, item.department) for item in self.preference_set.preferences if item.origin is not None}
        return tuple(sorted(found, key=lambda pair: (pair[0], pair[1] or "")))

    # --- Inside -------------------------------------------------------------------------------------------------

    def _apply(
        self, rules: Iterable[Rule], template: Template | None, *, dry_run: bool, department: str | None = None
    ) -> Change:
        wanted = tuple(rules)
        return self._run(lambda unit: _set(unit, wanted, template, department), dry_run=dry_run)

    def _run(self, work: Callable[[Unit], Change], *, dry_run: bool) -> Change:
        maintenance.settle(self._writer)
        if dry_run:
            with self._writer.trial() as unit:
                return replace(work(unit), dry_run=True)
        done = self._writer.run(work)
        # What a horizon has ended already goes as whatever else expired.
        maintenance.settle(self._writer)
        return done


def _set(unit: Unit, rules: tuple[Rule, ...], template: Template | None, department: str | None) -> Change:
    origin = None if template is None else template.name
    preference_set = preferences_of(unit)
    there = {
        _place(item): item for item in preference_set.preferences if item.origin == origin and not _over(item, unit.now)
    }
    put: list[Preference] = []
    for one in rules:
        _check_now(unit, one)
        rule = _without_name(unit, one)
        put.append(_put(unit, rule, there.get(rule.place), origin))
        there[rule.place] = put[-1]
    stale = []
    if template is not None:
        kept = {item.id for item in put}
        stale = [item for item in there.values() if item.department == department and item.id not in kept]
        for item in stale:
            unit.preferences.remove(item.id, "no rule of the template any more")
    changed = {
        item.preference_rule for item in (*put, *stale) if item.id in unit.preferences.put_items or item in stale
    }
    effects = reapply(unit) if changed & RETROACTIVE else Effects()
    return Change(tuple(put), tuple(item.id for item in stale), effects.expired, effects.amended)


def _check_now(unit: Unit, rule: Rule) -> None:
    """Refuse a rule that cannot hold as things are, by its place in the file if it has one."""
    where = f"{rule.where}: " if rule.where else ""
    consents = rule.preference_rule is PreferenceRule.CONSENT
    named = () if rule.data_subject is None or consents else (rule.data_subject,)
    try:
        check_names(unit, named, texts_of_rule(rule))
    except (ConsentRequired, ErasedContentRefused) as error:
        if not where:
            raise
        msg = f"{where}{rule.preference_rule}: {error}"
        raise type(error)(msg) from error
    if rule.ends_at is not None and rule.ends_at <= unit.now:
        msg = f"{where}until of {rule.preference_rule} is past; give a later time, or withdraw the consent"
        raise InvalidConfig(msg) if where else InvalidInput(msg)


def _without_name(unit: Unit, rule: Rule) -> Rule:
    try:
        return rule.without_name(name_digests(unit))
    except InvalidInput as error:
        if not rule.where:
            raise
        msg = f"{rule.where}: {error}"
        raise InvalidConfig(msg) from error


def _place(item: Preference) -> tuple[object, ...]:
    return item.preference_rule, item.data_subject, item.department, item.target


def _over(item: Preference, now: int) -> bool:
    """Return whether this is a consent that stays on record only: a new one does not replace it."""
    return item.preference_rule is PreferenceRule.CONSENT and not item.in_force(now)


def _put(unit: Unit, rule: Rule, old: Preference | None, origin: str | None) -> Preference:
    if old is not None:
        wanted = replace(old, **{**rule.values(), "label": rule.label or old.label})
        return old if wanted == old else unit.preferences.put(wanted, unit.stored_preferences.salt(old.id))
    ident = uuid7(unit.now, unit.services.source)
    new = Preference(id=ident, tenant=unit.state.name, created=unit.now, sequence=0, origin=origin, **rule.values())
    if new.label is None and new.preference_rule in NAMING:
        new = replace(new, label=neutral_label(new))
    return unit.preferences.put(new)


def _removed(unit: Unit, preferences: Iterable[Preference]) -> Change:
    gone = tuple(preferences)
    known = {item.id for item in preferences_of(unit).preferences}
    for item in gone:
        if item.id not in known:
            raise _unknown(item.id, unit.state.name)
        unit.preferences.remove(item.id, _REMOVED)
    effects = reapply(unit) if any(item.preference_rule in RETROACTIVE for item in gone) else Effects()
    return Change((), tuple(item.id for item in gone), effects.expired, effects.amended)


def _withdrawn(unit: Unit, subject: str, purpose: str | None) -> Change:
    preference_set = preferences_of(unit)
    own = [
        item
        for item in preference_set.of(PreferenceRule.CONSENT)
        if item.data_subject == subject and item.in_force(unit.now) and purpose in {None, item.target}
    ]
    put = [
        unit.preferences.put(replace(item, withdrawn_at=unit.now), unit.stored_preferences.salt(item.id))
        for item in own
    ]
    if not own and purpose is not None and preference_set.consents(subject, purpose, unit.now):
        # A consent to anything stays, but for this.
        rule = checked({"rule": "consent", "subject": subject, "target": purpose})
        values = {**rule.values(), "origin": None, "withdrawn_at": unit.now}
        ident = uuid7(unit.now, unit.services.source)
        item = Preference(id=ident, tenant=unit.state.name, created=unit.now, sequence=0, **values)
        put = [unit.preferences.put(item)]
    if not put:
        msg = "there is no such consent in force; see what there is with: mars preferences list --rule consent"
        raise InvalidInput(msg)
    effects = end_purposes(unit, subject)
    return Change(tuple(put), (), effects.expired, effects.amended)


def _unknown(preference_id: str, tenant: str) -> UnknownMemory:
    msg = f"{preference_id[:60]} is no preference of tenant {tenant!r}; list them with: mars preferences list"
    return UnknownMemory(msg)
