"""A file that says what a store is to do is recognised, checked whole, and compared with the defaults."""

from __future__ import annotations

from pathlib import Path

import pytest

from marskg.api.policy_files import check_file
from marskg.config import Settings
from marskg.retrieval.query.profile import built_in

EXAMPLES = Path(__file__).parents[3] / "examples"
SETTINGS = sorted((EXAMPLES / "settings").glob("*.yaml"))


def write(folder: Path, text: str, name: str = "mars.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("path", SETTINGS, ids=lambda path: path.stem)
def test_the_examples_are_settings_without_a_fault(path: Path) -> None:
    found = check_file(path)
    assert (found.kind, found.report.findings) == ("settings", ())
    wanted, defaults = Settings.from_yaml(path).values(), Settings().values()
    assert {name: (value, default) for name, value, default in found.differs} == {
        name: (wanted[name], defaults[name]) for name in wanted if wanted[name] != defaults[name]
    }


def test_there_is_an_example_for_each_use_and_every_line_of_settings_is_explained_somewhere() -> None:
    assert [path.stem for path in SETTINGS] == [
        "clinical-notes",
        "customer-support",
        "personal-assistant",
        "research-agent",
    ]
    assert all(path.read_text(encoding="utf-8").count("#") > 3 for path in SETTINGS)


def test_what_repeats_a_default_does_not_differ(tmp_path: Path) -> None:
    assert check_file(write(tmp_path, "budget: 1000000\nlean: {shared: false}\n")).differs == ()


def test_every_fault_of_a_settings_file_is_found(tmp_path: Path) -> None:
    found = check_file(write(tmp_path, "budget: many\nlean:\n  cap: 3\n  shared: 1\nlives: {factual: 30}\n"))
    messages = [finding.message for finding in found.report.findings]
    assert not found.report.ok
    assert [
        name in message for name, message in zip(("budget", "cap", "shared", "factual"), messages, strict=True)
    ] == [True] * 4


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("policy: {name: nobody}", "no policy"),
        ("retrieval: {profile: nobody}", "no ranking profile"),
        ("assembly: {recent_share: 0.9, summary_share: 0.9}", "whole budget"),
        ("policy: {evict_to: latent, grace: 1h}", "policy.grace"),
        ("- a\n- b", "no mapping"),
        ("budget: [", "not valid YAML"),
    ],
)
def test_what_a_file_names_and_how_it_hangs_together_is_checked(tmp_path: Path, text: str, part: str) -> None:
    (finding,) = check_file(write(tmp_path, text)).report.findings
    assert part in finding.message


@pytest.mark.parametrize("name", built_in())
def test_a_ranking_profile_is_recognised(name: str, tmp_path: Path) -> None:
    folder = Path(check_file.__code__.co_filename).parents[1] / "retrieval" / "profiles"
    found = check_file(folder / f"{name}.yaml")
    assert (found.kind, found.report.ok) == ("profile", True)
    wrong = write(tmp_path, "weights: {similarity: 1, charm: 2}\n")
    assert [check_file(wrong).kind, "charm" in check_file(wrong).report.findings[0].message] == ["profile", True]


def test_the_yaml_beside_a_statement_is_checked_with_it(tmp_path: Path) -> None:
    folder = EXAMPLES / "policies"
    assert check_file(folder / "sources-last.yaml").kind == check_file(folder / "sources-last.cypher").kind == "policy"
    write(tmp_path, "MATCH (m) DELETE m", "mine.cypher")
    assert not check_file(write(tmp_path, "reason: because it is old\n", "mine.yaml")).report.ok
