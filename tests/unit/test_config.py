"""Settings: one table for code and documentation, and an error that names file, key and way out for each mistake."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import marskg
from marskg.config import SETTINGS, Scoring, Settings, duration_ms
from marskg.errors import InvalidConfig
from marskg.ontology.vocabulary import Kind, MemoryClass, Tier

DOCUMENT = Path(__file__).parents[2] / "docs" / "reference" / "defaults.md"
SCRIPTS = Path(__file__).parents[2] / "scripts"
DAY = 86_400_000


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "mars.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# --- The table ---------------------------------------------------------------------------------------------------


def test_the_table_says_the_defaults() -> None:
    assert Settings().values() == {name: setting.default for name, setting in SETTINGS.items()}
    assert Settings.from_mapping({}) == Settings()
    assert {name for name in SETTINGS if name.startswith("lives.")} == {f"lives.{name}" for name in MemoryClass}


PLANTED = """    planted: int = integer("a setting that this test plants", 3, 0, 9)
"""
BESIDE, FIRST = "class RetrievalSettings:", "    profile: str"
USE = """
import json, sys
from click.testing import CliRunner
from marskg.cli.main import cli
import defaults_reference
calls = (["init", "--config", sys.argv[1]], ["settings", "--json"], ["settings", "retrieval.planted=10"])
made, shown, refused = (CliRunner().invoke(cli, ["--store", sys.argv[2], *call]) for call in calls)
value = json.loads(shown.stdout)["retrieval.planted"]
print(json.dumps([value, str(refused.exception), defaults_reference.table(), defaults_reference.file()]))
"""


@pytest.mark.slow
def test_a_new_setting_is_one_line(tmp_path: Path) -> None:
    """One more field, and it is parsed, range-checked, stored, shown and listed in the reference."""
    home, package = Path(marskg.__file__).parent, tmp_path / "marskg"
    package.mkdir()
    for entry in home.iterdir():
        if entry.name != "config":
            (package / entry.name).symlink_to(entry)
    shutil.copytree(home / "config", package / "config")
    module = next(path for path in (package / "config").glob("*.py") if BESIDE in path.read_text())
    before, after = module.read_text().split(BESIDE)
    module.write_text(before + BESIDE + after.replace(FIRST, PLANTED + FIRST, 1))

    file = write(tmp_path, "retrieval: {planted: 7}")
    command = [sys.executable, "-c", USE, str(file), str(tmp_path / "store")]
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{SCRIPTS}"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    value, refusal, table, example = json.loads(done.stdout)
    assert value == 7
    assert "retrieval.planted is 10; it must be an integer from 0 to 9" in refusal
    assert "| `retrieval.planted` | `3` | a setting that this test plants | an integer from 0 to 9 |" in table
    assert "  planted: 3" in example


def documented() -> dict[str, tuple[str, str]]:
    """Return default and meaning of each setting in the documentation's table."""
    rows = [line.strip("| \n").split(" | ") for line in DOCUMENT.read_text().splitlines() if line.startswith("| `")]
    return {cells[0].strip("`"): (cells[1].strip("`"), cells[2]) for cells in rows}


def test_the_documented_defaults_are_those_of_the_code() -> None:
    table = documented()
    assert list(table) == list(SETTINGS)
    for name, setting in SETTINGS.items():
        default, meaning = table[name]
        if setting.kind == "duration" and setting.default is not None:
            assert duration_ms(default) == setting.default, name
        else:
            shown = json.loads(default) if default != setting.default else default
            assert shown == setting.default, name
        assert meaning == setting.meaning, name


def test_the_documented_file_is_the_default_one(tmp_path: Path) -> None:
    text = DOCUMENT.read_text().split("```yaml\n")[1].split("```")[0]
    assert Settings.from_yaml(write(tmp_path, text)) == Settings()
    # It names every setting, so that it can be copied and changed.
    assert all(f"{name.split('.')[-1]}:" in text for name in SETTINGS)


# --- A good file -------------------------------------------------------------------------------------------------


def test_a_file_sets_what_it_names_and_leaves_the_rest(tmp_path: Path) -> None:
    text = """
    budget: 8_000
    low_water: 1
    lives: {factual: 90m, canonical: null, private: 2w}
    policy:
      name: lru
      evict_to: latent
      scoring: {alpha: 1, type_weights: {task: 3}}
    """
    settings = Settings.from_yaml(write(tmp_path, text))
    assert (settings.budget, settings.low_water) == (8000, 1.0)
    assert settings.life(MemoryClass.FACTUAL) == 90 * 60_000
    assert settings.life(MemoryClass.PRIVATE) == 14 * DAY
    assert settings.life(MemoryClass.CANONICAL) is None
    assert settings.policy.evict_to is Tier.LATENT
    assert settings.scoring.alpha == 1.0
    assert settings.scoring.type_weights == {**Scoring().type_weights, Kind.TASK: 3.0}
    assert settings.task_grace == Settings().task_grace


def test_an_empty_file_is_all_defaults(tmp_path: Path) -> None:
    assert Settings.from_yaml(write(tmp_path, "# nothing yet\npolicy:\n")) == Settings()


def test_parameters_are_sorted_words_for_the_audit() -> None:
    parameters = Settings().to_parameters()
    assert list(parameters) == sorted(parameters)
    assert {"budget=1000000", "lives.canonical=none", "policy.scoring.alpha=0.4"} <= set(parameters)


VALUES = st.fixed_dictionaries(
    {},
    optional={
        "budget": st.integers(1, 1 << 40),
        "latent_budget": st.none() | st.integers(0, 1 << 40),
        "low_water": st.floats(0.01, 1.0),
        "task_grace": st.integers(0, 10**9).map(lambda number: f"{number}ms"),
        "lives.private": st.none() | st.integers(0, 1000).map(lambda number: f"{number}d"),
        "policy.scoring.beta": st.floats(0, 1000),
        "policy.scoring.type_weights.task": st.floats(0, 1000),
        "policy.name": st.sampled_from(["fifo", "lru", "./mine.cypher"]),
    },
)


@given(VALUES)
def test_json_brings_back_equal_settings_and_equal_settings_have_equal_json(values: dict[str, object]) -> None:
    settings = Settings().with_values(values)
    again = Settings.from_json(settings.to_json())
    assert again == settings
    assert again.to_json() == settings.to_json()


def test_a_setting_that_older_json_does_not_know_has_its_default() -> None:
    older = Settings.from_json('{"budget":5}')
    assert older == Settings().with_values({"budget": 5, "encryption": "off"}), "there was no encryption then"


def test_settings_of_older_json_that_decide_nothing_any_more_are_passed_over() -> None:
    assert Settings.from_json('{"assembly.pool":256,"assembly.selection":"greedy","budget":5}').budget == 5
    with pytest.raises(InvalidConfig, match=r"unknown key 'assembly\.selection'"):
        Settings().with_values({"assembly.selection": "rank"})


# --- Mistakes ----------------------------------------------------------------------------------------------------

MISTAKES = {
    "bugdet: 3": ("'bugdet'", "allowed there are budget, low_water"),
    "policy: {nam: x}": ("'policy.nam'", "name, evict_to, grace"),
    "policy: {scoring: {type_weights: {tsk: 1}}}": ("type_weights.tsk", "episodic, semantic, social, task"),
    "budget: 0": ("budget is 0", "an integer from 1"),
    "budget: .nan": ("budget is nan", "an integer"),
    "budget: 10.5": ("budget is 10.5", "an integer"),
    "budget: true": ("budget is True", "an integer"),
    "budget: null": ("budget is None", "an integer"),
    "budget: 99999999999999999999": ("budget is", "an integer"),
    "low_water: .nan": ("low_water is nan", "0.01 to 1"),
    "low_water: .inf": ("low_water is inf", "0.01 to 1"),
    "low_water: 1.01": ("low_water is 1.01", "0.01 to 1"),
    "task_grace: 7": ("task_grace is 7", '"30d"'),
    "task_grace: null": ("task_grace is None", '"30d"'),
    "lives: {factual: forever}": ("lives.factual is 'forever'", "or null for none"),
    "lives: {factual: 99999999d}": ("lives.factual is '99999999d'", "or null for none"),
    "lives: 3d": ("lives is '3d'", "canonical, factual"),
    "lives: [1]": ("lives is a section", "the words default, memoryarchitect"),
    "lean: paper": ("lean is 'paper'", "the words default, memoryarchitect"),
    "on_expiry: keep": ("on_expiry is 'keep'", "delete or archive"),
    "policy: {evict_to: gone}": ("policy.evict_to is 'gone'", "tombstone or latent"),
    "policy: {name: ''}": ("policy.name is ''", "a name or a path"),
    "policy: {scoring: {alpha: 0, beta: 0, gamma: 0}}": ("nothing has importance", "above 0"),
    "policy: {evict_to: latent, grace: 1d}": ("policy.grace", "leave one of them out"),
    "policy: {scoring: {alpha: -1}}": ("alpha is -1", "0 to 1000"),
    "assembly: {recent_turns: 1001}": ("assembly.recent_turns is 1001", "an integer from 0 to 1000"),
    "assembly: {recent_turns: 1.5}": ("assembly.recent_turns is 1.5", "an integer"),
    "assembly: {recent_share: 1.1}": ("assembly.recent_share is 1.1", "a number from 0 to 1"),
    "assembly: {excerpts: true}": ("assembly.excerpts is True", "an integer"),
    "learning: {bend: 29}": ("learning.bend is 29", "3 times the larger"),
    "budget: 1\nbudget: 2": ("line 2", "'budget' is there twice"),
    "a: &a [1]\nb: *a": ("line 2", "aliases are not allowed"),
    "? [a]\n: 1": ("line 1", "is no word"),
    "budget: [": ("line", "not valid YAML"),
    "!!python/object:os.system x": ("not valid YAML", "correct that line"),
    "[1, 2]": ("holds no mapping", "budget: 8000"),
    "budget": ("holds no mapping", "budget: 8000"),
    b"\xff\xfe\xfa": ("UTF-8", "one setting a line"),
    "x: " + "[" * 5000: ("YAML", ""),
    "#" * (1 << 21): ("larger than", "a page of text"),
}


@pytest.mark.parametrize(("text", "says"), MISTAKES.items(), ids=lambda value: repr(value)[:40])
def test_a_mistake_is_refused_with_file_key_and_way_out(
    tmp_path: Path, text: str | bytes, says: tuple[str, str]
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InvalidConfig) as caught:
        Settings.from_yaml(path)
    message = str(caught.value)
    assert str(path) in message
    assert all(part in message for part in says)
    assert len(message) < 600


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match=r"none\.yaml cannot be read \(No such file"):
        Settings.from_yaml(tmp_path / "none.yaml")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"budget":-1}', '{"nonsense":1}'])
def test_stored_json_that_is_damaged_is_refused(text: str) -> None:
    with pytest.raises(InvalidConfig, match="the stored settings"):
        Settings.from_json(text)


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("30d", 30 * DAY),
        ("24h", DAY),
        ("90m", 5_400_000),
        ("10s", 10_000),
        ("5ms", 5),
        ("1w", 7 * DAY),
        (" 2 d ", 2 * DAY),
    ],
)
def test_durations(text: str, milliseconds: int) -> None:
    assert duration_ms(text) == milliseconds


@pytest.mark.parametrize("text", ["", "d", "1", "1.5d", "-1d", "1 month", "1D", "d1", "٣d"])
def test_no_durations(text: str) -> None:
    assert duration_ms(text) is None


def test_defaults_from_before_long_memories_had_passages_are_not_a_choice() -> None:
    held = json.loads(Settings().to_json())
    former = {name: value for name, value in held.items() if not name.startswith("retrieval.weights.")}
    former |= {"assembly.longest_share": 0.5}
    assert Settings.from_json(json.dumps(former)) == Settings()
    chosen = Settings.from_json(json.dumps({**former, "assembly.longest_share": 0.4}))
    assert chosen.assembly.longest_share == 0.4
    again = Settings().with_values({"assembly.longest_share": 0.5})
    assert Settings.from_json(again.to_json()).assembly.longest_share == 0.5


def test_weights_that_rank_nothing_are_refused() -> None:
    names = [name for name in SETTINGS if name.startswith("retrieval.weights.")]
    with pytest.raises(InvalidConfig, match=r"retrieval\.weights are all 0, so that nothing is ranked"):
        Settings().with_values(dict.fromkeys(names, 0))
    for bad in (-1, float("nan"), float("inf"), "much"):
        with pytest.raises(
            InvalidConfig, match=r"retrieval\.weights\.lexical is .*; it must be a number from 0 to 10000"
        ):
            Settings().with_values({"retrieval.weights.lexical": bad})
