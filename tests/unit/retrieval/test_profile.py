"""Ranking profiles: the built-in ones, a file of one's own, and what a file must not say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.errors import InvalidConfig
from marskg.ontology.vocabulary import MemoryClass
from marskg.retrieval.query.profile import built_in, load_profile, parse

if TYPE_CHECKING:
    from pathlib import Path

WEIGHTS = {"similarity": 1}


def test_the_paper_s_profile_has_the_paper_s_weights() -> None:
    profile = load_profile("memoryarchitect")
    weights = {name: weight for name, weight in profile.weights.items() if weight}
    assert weights == {"similarity": 0.7, "score": 0.2, "class": 0.1}
    assert (profile.fusion, profile.intent) == ("weighted", "filter")


def test_all_built_in_profiles_load() -> None:
    assert {"fused", "memoryarchitect"} <= set(built_in())
    assert all(load_profile(name).name == name for name in built_in())


def test_a_file_of_one_s_own_is_loaded_by_its_path(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("weights: {lexical: 2}\nclasses: {canonical: 1}\nhalf_life: 12h\nintent: off\n")
    profile = load_profile(str(file))
    assert (profile.weights["lexical"], profile.weights["similarity"]) == (2.0, 0.0)
    assert (profile.classes[MemoryClass.CANONICAL], profile.classes[MemoryClass.PRIVATE]) == (1.0, 0.0)
    assert (profile.half_life, profile.intent, profile.fusion) == (43_200_000, "off", "reciprocal")
    assert (profile.constant, profile.candidates) == (60, 200)


def test_an_unknown_name_is_answered_with_those_that_exist() -> None:
    with pytest.raises(InvalidConfig, match="no ranking profile 'fuse'; use fused, memoryarchitect, or the path"):
        load_profile("fuse")


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"weights": WEIGHTS, "fusoin": "weighted"}, "mine: unknown key 'fusoin'; allowed there are fusion"),
        ({}, "mine: weights must be a section with similarity"),
        ({"weights": [1]}, "mine: weights must be a section"),
        ({"weights": {"similar": 1}}, "unknown key weights.'similar'; allowed there are similarity"),
        ({"weights": {"similarity": -0.1}}, "weights.similarity is '-0.1'; it must be a number from 0 to 10000"),
        ({"weights": {"similarity": 10_001}}, "weights.similarity is '10001'"),
        ({"weights": {"similarity": True}}, "weights.similarity is 'True'"),
        ({"weights": {"similarity": "much"}}, "weights.similarity is 'much'"),
        ({"weights": {"similarity": float("nan")}}, "weights.similarity is 'nan'"),
        ({"weights": {"similarity": 0}}, "weights are all 0, so that nothing is ranked"),
        ({"weights": WEIGHTS, "classes": {"royal": 1}}, "unknown key classes.'royal'"),
        ({"weights": WEIGHTS, "classes": "canonical"}, "classes must be a section"),
        ({"weights": WEIGHTS, "fusion": "mixed"}, "fusion is 'mixed'; it must be weighted or reciprocal"),
        ({"weights": WEIGHTS, "intent": True}, "intent is 'True'; it must be filter or boost or off"),
        ({"weights": WEIGHTS, "constant": 0}, "constant is '0'; it must be an integer from 1 to 10000"),
        ({"weights": WEIGHTS, "constant": 1.5}, "constant is '1.5'"),
        ({"weights": WEIGHTS, "candidates": True}, "candidates is 'True'"),
        ({"weights": WEIGHTS, "candidates": 10_001}, "candidates is '10001'"),
        ({"weights": WEIGHTS, "half_life": 30}, "half_life is '30'; it must be a duration such as \"30d\""),
        ({"weights": WEIGHTS, "half_life": "soon"}, "half_life is 'soon'"),
        ({"weights": WEIGHTS, "half_life": "0d"}, "half_life is '0d'"),
    ],
)
def test_each_rule_is_named_with_the_key_and_what_is_allowed(given: dict[str, Any], fault: str) -> None:
    with pytest.raises(InvalidConfig) as caught:
        parse(given, "mine")
    assert fault in str(caught.value)
