"""Policies of other packages: found by their entry point, refused with the package's name where they are broken."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from marskg.errors import InvalidConfig, InvariantError
from marskg.policies.builtin.fifo import FIFO
from marskg.policies.conformance import check_conformance
from marskg.policies.custom.plugins import InstalledPolicy, installed_names
from marskg.policies.registry import load_policy
from tests.support.plugins import install
from tests.support.policy_graph import Graph

if TYPE_CHECKING:
    from marskg.store.engine.arcadedb import ArcadeDB

EXAMPLE = Path(__file__).parents[3] / "examples" / "policy-package"


def test_the_example_is_found_by_its_entry_point_and_conforms(
    engine: ArcadeDB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (EXAMPLE / "src" / "marskg_least_used.py").read_text(encoding="utf-8")
    project = (EXAMPLE / "pyproject.toml").read_text(encoding="utf-8")
    assert 'least-used = "marskg_least_used:LeastUsed"' in project
    install(monkeypatch, tmp_path, {"least-used": "marskg_least_used:LeastUsed"}, marskg_least_used=source)
    assert "least-used" in installed_names()
    policy = load_policy("least-used")
    assert policy.name == "least-used"
    report = check_conformance(policy, stores=25, engine=engine, seed=77)
    assert report.ok, report.findings
    assert report.checked == 25


def test_an_entry_point_may_name_a_function_that_makes_the_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "class Made:\n    name = 'made'\n    def plan(self, view, **options): ...\ndef make(): return Made()"
    install(monkeypatch, tmp_path, {"made": "making_policy:make"}, making_policy=source)
    assert load_policy("made").name == "made"


BROKEN = {
    "missing": ("broken_missing_module:POLICY", None, "cannot be loaded .*ModuleNotFoundError"),
    "syntax": ("broken_syntax:POLICY", "def plan(:", "cannot be loaded .*SyntaxError"),
    "raising": ("broken_raising:POLICY", "1 / 0", "cannot be loaded .*ZeroDivisionError"),
    "absent": ("broken_absent:POLICY", "OTHER = 1", "cannot be loaded .*AttributeError"),
    "no-policy": ("broken_no_policy:POLICY", "POLICY = 1", "must have a method plan"),
    "other-name": (
        "broken_name:Policy",
        "class Policy:\n    name = 'another'\n    def plan(self, view, **options): ...",
        "must have a method plan\\(\\) and the name 'other-name'",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_package_is_named_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    target, source, says = BROKEN[name]
    modules = {} if source is None else {target.partition(":")[0]: source}
    install(monkeypatch, tmp_path, {name: target}, **modules)
    with pytest.raises(InvalidConfig, match=f"policy '{name}' of package other-people.*{says}"):
        load_policy(name)


def test_two_packages_with_one_name_are_both_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("one", "two"):
        install(monkeypatch, tmp_path / package, {"twice": "marskg.policies.builtin.fifo:FIFO"}, distribution=package)
    with pytest.raises(InvalidConfig, match="'twice' is in one and two: uninstall one of them"):
        load_policy("twice")


def test_a_built_in_name_stays_the_built_in_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, tmp_path, {"fifo": "fake_fifo:POLICY"}, fake_fifo="raise RuntimeError")
    assert load_policy("fifo") is FIFO
    assert "fake_fifo" not in sys.modules


def test_an_unknown_name_is_refused_with_the_installed_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, tmp_path, {"theirs": "no_module:POLICY"})
    with pytest.raises(InvalidConfig, match=r"use adaptive, density, .*, theirs, or the path of a \.cypher file"):
        load_policy("their")


class _Falling:
    name = "falling"

    def plan(self, *_: object, **__: object) -> object:
        raise KeyError


class _Other:
    name = "other"

    def plan(self, *_: object, **__: object) -> object:
        return "no plan"


@pytest.mark.parametrize(("policy", "says"), [(_Falling(), "fails \\(KeyError\\)"), (_Other(), "returns no plan")])
def test_what_fails_while_it_plans_is_named(engine: ArcadeDB, policy: object, says: str) -> None:
    with pytest.raises(InvariantError, match=f"of package theirs {says}.*nothing was changed"):
        InstalledPolicy(policy, "theirs").plan(Graph(engine, {}), target=0)  # type: ignore[arg-type]
