"""Rules as a lattice: combining is commutative, associative, idempotent, never looser; a set decides the same."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from marskg.audit.keys import Handles
from marskg.ontology.vocabulary import Kind, PreferenceRule, SourceType
from marskg.privacy.rules import FORMS, MUST, NOT, Rule
from marskg.privacy.strictness import Profile, combine, profile
from marskg.privacy.templates import load_template, template_names
from marskg.records import Preference
from marskg.store.rows import codec
from marskg.store.rows.name_rules import NameDigests, NameSearch
from marskg.store.unit.preference_rules import Matter, PreferenceSet, forced_of, forced_reason

NOW = 1_000_000
DIGESTS = NameDigests(Handles(bytes(32)), "t")
NAMES = st.sampled_from(["ada", "EU", "CH", "care"])
LEVELS = st.integers(0, 10).map(lambda tenths: tenths / 10)


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    """Draw a rule that its form allows."""
    name = draw(st.sampled_from([rule for rule in PreferenceRule if rule is not PreferenceRule.CONSENT]))
    form = FORMS[name]
    target = st.sampled_from(form.words[:2]) if form.words else NAMES
    whom = draw(st.sampled_from(["subject"] if form.subject == MUST else ["subject", "department", "all"]))
    return Rule(
        name,
        data_subject=draw(st.sampled_from(["ada", "bea"])) if whom == "subject" else None,
        department="ward" if whom == "department" else None,
        target=None if form.target == NOT else draw(target if form.target == MUST else st.none() | target),
        horizon=None if form.horizon == NOT else draw(st.integers(1, 100)),
        level=None if form.level == NOT else draw(LEVELS),
        regions=() if form.regions == NOT else tuple(sorted(draw(st.sets(NAMES, max_size=3)))),
    )


def preferences(found: list[Rule]) -> list[Preference]:
    return [
        Preference(id=f"urn:uuid:{place}", tenant="t", created=0, sequence=place, **_values(rule.without_name(DIGESTS)))
        for place, rule in enumerate(found, 1)
    ]


def _values(rule: Rule) -> dict[str, Any]:
    return {name: value for name, value in rule.values().items() if name != "clause"}


PROFILES = st.lists(rules(), max_size=12).map(profile)
TEMPLATES = st.sampled_from(template_names()).map(lambda name: profile(load_template(name).rules))
ANY_PROFILE = PROFILES | TEMPLATES


def at_least_as_strict(first: Profile, second: Profile) -> bool:
    """Return whether ``first`` allows nothing that ``second`` does not."""
    return (
        all(_within(first.retention.get(name), limit) for name, limit in second.retention.items())
        and first.forbids >= second.forbids
        and all(first.private.get(name, 0.0) >= level for name, level in second.private.items())
        and all(_within(first.ceilings.get(name), level) for name, level in second.ceilings.items())
        and all(name in first.regions and first.regions[name] <= listed for name, listed in second.regions.items())
        and (second.social_horizon is None or _within(first.social_horizon, second.social_horizon))
        and (second.erasure_deadline is None or _within(first.erasure_deadline, second.erasure_deadline))
    )


def _within(value: float | None, limit: float) -> bool:
    return value is not None and value <= limit


@given(ANY_PROFILE, ANY_PROFILE)
def test_combining_is_commutative_and_never_looser_than_either(first: Profile, second: Profile) -> None:
    both = combine(first, second)
    assert both == combine(second, first)
    assert at_least_as_strict(both, first)
    assert at_least_as_strict(both, second)


@given(ANY_PROFILE, ANY_PROFILE, ANY_PROFILE)
def test_combining_is_associative_and_takes_the_least_strict_of_what_is_strict_enough(
    first: Profile, second: Profile, third: Profile
) -> None:
    assert combine(combine(first, second), third) == combine(first, combine(second, third))
    if at_least_as_strict(third, first) and at_least_as_strict(third, second):
        assert at_least_as_strict(third, combine(first, second))


@given(ANY_PROFILE)
def test_combining_with_itself_or_with_nothing_changes_nothing(first: Profile) -> None:
    assert combine(first, first) == first
    assert combine(first, Profile()) == first
    assert at_least_as_strict(first, Profile())


@given(st.lists(rules(), max_size=6), st.lists(rules(), max_size=6))
def test_more_rules_never_allow_more(some: list[Rule], more: list[Rule]) -> None:
    few, many = PreferenceSet(preferences(some)), PreferenceSet(preferences([*some, *more]))
    less, more_rules = (NameSearch(DIGESTS, rules.naming, rules.sought) for rules in (few, many))
    for subjects in ((), ("ada",), ("ada", "bea")):
        for kind in Kind:
            shorter, limit = many.horizon(kind, subjects), few.horizon(kind, subjects)
            assert limit is None or (shorter is not None and shorter <= limit)
            matter = Matter(kind, SourceType.DOC, "sales", subjects, ("care",), ("ada met bea",))
            assert few.refusal(matter, less) is None or many.refusal(matter, more_rules) is not None
            assert few.lacking(matter, NOW) is None or many.lacking(matter, NOW) is not None
            assert many.floor(matter, more_rules) >= few.floor(matter, less)
        for purpose in ("care", "sales", None):
            assert few.permits(subjects, purpose, NOW) or not many.permits(subjects, purpose, NOW)
            if few.hides(("health", "finance"), 0.5, subjects, purpose, NOW):
                assert many.hides(("health", "finance"), 0.5, subjects, purpose, NOW)
        for reader in ("EU", "CH"):
            assert few.reaches(None, reader) or not many.reaches(None, reader)


# Most rules are somebody's, which is as wanted elsewhere: drawing others costs time and takes nothing from the test.
@settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(st.lists(rules().filter(lambda rule: rule.data_subject is None and rule.department is None), max_size=8))
def test_the_book_and_the_profile_say_the_same_of_a_tenant(found: list[Rule]) -> None:
    preference_set, made = PreferenceSet(preferences(found)), profile(found)
    assert all(preference_set.horizon(kind, ()) == made.horizon(kind) for kind in Kind)
    assert preference_set.deadline(None) == made.erasure_deadline
    assert preference_set.social_horizon((), NOW) == made.social_horizon
    for category, level in made.ceilings.items():
        assert preference_set.ceiling((category,), ()) == level


@given(rules(), st.none() | st.text(max_size=20), st.none() | st.integers(0, 2**40))
def test_a_preference_is_stored_and_read_without_loss(rule: Rule, clause: str | None, ends_at: int | None) -> None:
    (item,) = preferences([rule])
    whole = Preference(
        **{name: getattr(item, name) for name in item.__slots__ if name not in {"clause", "ends_at"}},
        clause=clause,
        ends_at=ends_at,
    )
    assert codec.decode_preference(codec.encode_preference(whole)) == whole


@given(LEVELS, LEVELS)
def test_what_is_forced_is_told_apart_from_what_is(base: float, level: float) -> None:
    assert forced_of((forced_reason(base, level), "given by the caller")) == (base, level)
    assert forced_of(("given by the caller",)) is None


def test_of_any_two_templates_the_stricter_is_taken_whatever_the_order() -> None:
    made = {name: profile(load_template(name).rules) for name in template_names()}
    assert set(made) == {"ccpa", "gdpr", "hipaa", "lgpd", "pipl"}
    for first in made.values():
        for second in made.values():
            both = combine(first, second)
            assert both == combine(second, first)
            assert at_least_as_strict(both, first)
            assert at_least_as_strict(both, second)
    assert combine(made["gdpr"], made["pipl"]).retention["episodic"] == 180 * 86_400_000


def test_every_rule_of_every_template_names_its_clause_and_its_reason() -> None:
    for name in template_names():
        found = load_template(name)
        assert all(rule.clause for rule in found.rules)
        assert all(why.endswith(".") for why in found.why)
