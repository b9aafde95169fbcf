"""The gate: what a reader may see, filter by filter, for all memories at once and for one read anew."""

from __future__ import annotations

from typing import Any

import pytest

from marskg.ontology.vocabulary import Cardinality, Kind, MemoryClass, PreferenceRule, SourceType, Tier
from marskg.records import Preference
from marskg.retrieval.access.read_gate import Gate
from marskg.store.unit.preference_rules import PreferenceSet
from tests.support.candidates import NOON
from tests.support.indexed import indexed, seen, stored


def preference_set(*rules: tuple[str, dict[str, Any]]) -> PreferenceSet:
    """Return the preferences of these rules."""
    return PreferenceSet(
        Preference(
            id=f"urn:{place}", tenant="t", created=0, sequence=place, preference_rule=PreferenceRule(rule), **given
        )
        for place, (rule, given) in enumerate(rules, 1)
    )


CARE = ("consent", {"data_subject": "ann", "target": "care", "ends_at": NOON + 9})
ASKED = ("consent_required", {"target": "care"})
OUT = ("opt_out_purpose", {"target": "care", "data_subject": "ann"})
ALL_OUT = ("opt_out_purpose", {"target": "care"})
CEILING = ("sensitivity_ceiling", {"target": "health", "level": 0.3})
REGION = ("reading_regions", {"target": "EU", "regions": ("CH",)})

#: A memory's fields, the gate that lets it through, and the gate that does not.
CASES: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ({"tier": Tier.LATENT}, {"latent": True}, {}),
    ({"expires_at": NOON + 1}, {}, {"now": NOON + 1}),
    ({"valid_from": NOON}, {}, {"now": NOON - 1}),
    ({"valid_to": NOON + 1}, {}, {"now": NOON + 1}),
    ({"superseded_at": NOON - 5}, {"superseded": True}, {}),
    ({"unaffirmed_since": NOON - 5}, {"unaffirmed": True}, {}),
    ({"valid_from": NOON - 9, "valid_to": NOON - 5}, {"as_of": NOON - 6}, {"as_of": NOON - 5}),
    ({"valid_from": NOON - 9, "valid_to": NOON - 5}, {"as_of": NOON - 9}, {"as_of": NOON - 10}),
    ({"sensitivity": 0.7}, {"max_sensitivity": 0.7}, {"max_sensitivity": 0.699_999}),
    ({"purpose": ("care",)}, {"purpose": "care"}, {}),
    ({"purpose": ("care",)}, {"purpose": "care"}, {"purpose": "sales"}),
    ({}, {"purpose": "sales"}, {"now": 0}),
    ({"jurisdiction": "EU"}, {"jurisdiction": "EU"}, {"jurisdiction": "US"}),
    ({}, {"jurisdiction": "US"}, {"now": 0}),
    ({"subjects": ("ann", "bob")}, {"subjects": ("bob", "eve")}, {"subjects": ("eve",)}),
    ({"session": "s1"}, {"sessions": ("s1",)}, {"sessions": ("s2",)}),
    ({"intent_tags": ("work",)}, {"tags": ("work",)}, {"tags": ("home",)}),
    ({"kind": Kind.TASK}, {"kinds": (Kind.TASK,)}, {"kinds": (Kind.SOCIAL,)}),
    (
        {"memory_class": MemoryClass.PRIVATE},
        {"classes": (MemoryClass.PRIVATE,)},
        {"classes": (MemoryClass.CANONICAL,)},
    ),
    ({"source_type": SourceType.DOC}, {"sources": (SourceType.DOC,)}, {"sources": (SourceType.CHAT_USER,)}),
    ({"key": "home/tea", "cardinality": Cardinality.SINGLE}, {"key_prefix": "home"}, {"key_prefix": "ho"}),
    ({"key": "home/tea", "cardinality": Cardinality.SINGLE}, {"key_prefix": "home/tea"}, {"key_prefix": "home/te"}),
    ({"valid_from": NOON - 9}, {"since": NOON - 9}, {"since": NOON - 8}),
    ({"valid_from": NOON - 9}, {"until": NOON - 8}, {"until": NOON - 9}),
    # What preferences say: consents at the gate's now, opt-outs, ceilings of categories, reading regions.
    (
        {"subjects": ("ann",)},
        {"purpose": "care", "preference_set": preference_set(CARE)},
        {"now": NOON + 9, "purpose": "care", "preference_set": preference_set(CARE)},
    ),
    (
        {"subjects": ("ann",)},
        {"preference_set": preference_set(ASKED)},
        {"purpose": "care", "preference_set": preference_set(ASKED)},
    ),
    (
        {"subjects": ("ann",)},
        {"purpose": "sales", "preference_set": preference_set(OUT)},
        {"purpose": "care", "preference_set": preference_set(OUT)},
    ),
    (
        {},
        {"purpose": "sales", "preference_set": preference_set(ALL_OUT)},
        {"purpose": "care", "preference_set": preference_set(ALL_OUT)},
    ),
    (
        {"subjects": ("ann",), "sensitivity": 0.5, "sensitivity_reasons": ("category: health",)},
        {"purpose": "care", "preference_set": preference_set(CEILING, CARE)},
        {"preference_set": preference_set(CEILING, CARE)},
    ),
    (
        {"sensitivity": 0.5, "sensitivity_reasons": ("health",)},
        {},
        {"purpose": "care", "preference_set": preference_set(CEILING, CARE)},
    ),
    (
        {"jurisdiction": "EU"},
        {"jurisdiction": "CH", "preference_set": preference_set(REGION)},
        {"jurisdiction": "US", "preference_set": preference_set(REGION)},
    ),
    (
        {},
        {"jurisdiction": "CH", "preference_set": preference_set(REGION)},
        {"jurisdiction": "US", "preference_set": preference_set(REGION)},
    ),
    (
        {"jurisdiction": "BR"},
        {"jurisdiction": "BR", "preference_set": preference_set(REGION)},
        {"jurisdiction": "CH", "preference_set": preference_set(REGION)},
    ),
]


@pytest.mark.parametrize(("fields", "open_", "shut"), CASES)
def test_each_filter_opens_and_shuts(fields: dict[str, Any], open_: dict[str, Any], shut: dict[str, Any]) -> None:
    memory = stored(1, **fields)
    index = indexed(memory)
    assert seen(index, **open_) == {"m1"}
    assert seen(index, **shut) == set()
    assert Gate(**{"now": NOON, **open_}).admits(memory)
    assert not Gate(**{"now": NOON, **shut}).admits(memory)


def test_a_tombstone_is_admitted_by_no_gate() -> None:
    gone = stored(1, tier=Tier.TOMBSTONE)
    assert not Gate(now=NOON, latent=True, superseded=True, unaffirmed=True).admits(gone)


def test_an_unknown_word_lets_nothing_through_and_hides_nothing_else() -> None:
    index = indexed(stored(1), stored(2, jurisdiction="EU"))
    assert seen(index, jurisdiction="nowhere") == {"m1"}
    assert seen(index, tags=("nothing",)) == set()


def test_what_was_removed_is_hidden_before_and_after_compaction() -> None:
    index = indexed(stored(1), stored(2, session="s1"))
    index.remove("m2")
    assert (seen(index), seen(index, sessions=("s1",))) == ({"m1"}, set())
    index.compact()
    assert (seen(index), seen(index, sessions=("s1",))) == ({"m1"}, set())
