"""``mars bench erasure``: cases of the benchmark's form are played through the public door and judged by its rule."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

import marskg
from marskg.errors import InvalidDocument
from marskg.memory import AgentMemory
from marskg_bench.erasure import command
from marskg_bench.erasures.cases import Case, Change, digest, read_cases
from marskg_bench.erasures.playing import play

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: A case of each way that a request goes: as a name, as a wish, as a new text, as a new text in the place of nothing.
CASES = '''
"""A comment, an import of what is not there, and code that must not run."""
from nowhere import GeneratedCase
raise SystemExit("run")
PIER = [
    GeneratedCase(
        id="adv_by_name_01",
        family="purge",
        setup_facts=["Berth pier-7 is let to the Tern.", "Berth pier-70 is let to the Gannet."],
        mutations=[("purge", "pier-7")],
        final_query="Who has berth pier-70?",
        must_contain=["the Gannet"],
        must_not_contain=["to the " "Tern"],
    ),
    GeneratedCase(
        id="adv_by_wish_01",
        family="amnesia",
        setup_facts=["Osric keeps bees behind the chapel.", "Wilma keeps bees behind the mill."],
        mutations=[("release", "everything about Osric")],
        final_query="Who keeps bees?",
        must_contain=["wilma"],
        must_not_contain=["osric keeps"],
    ),
    GeneratedCase(
        id="adv_new_text_01",
        family="drift",
        setup_facts=["The ferry leaves at seven."],
        mutations=[
            ("supersede", "when the ferry leaves", "The ferry leaves at eight."),
            ("supersede", "when the ferry leaves", "The ferry leaves at nine."),
        ],
        final_query="When does the ferry leave?",
        must_contain=["nine"],
        must_not_contain=["seven", "eight"],
    ),
    GeneratedCase(
        id="adv_new_text_02",
        family="supersession",
        setup_facts=[],
        mutations=[("supersede", "the colour of the boathouse", "The boathouse is painted red.")],
        final_query="What colour is the boathouse?",
        must_contain=["red"],
        must_not_contain=[],
    ),
]
'''
ASKED = Case(
    "adv_kept_01",
    ("The spare key of the boathouse is under the third stone.",),
    (Change("purge", "the lighthouse at Skagen"),),
    "Which composer wrote that opera?",
    (),
    ("under the third stone",),
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[AgentMemory]:
    with marskg.open(tmp_path / "memory", tenant="bench") as opened:
        yield opened


def run(file: Path, *arguments: str) -> Any:
    done = CliRunner(env={"COLUMNS": "160"}).invoke(command, [str(file), *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout) if "--json" in arguments else done.stdout


@pytest.fixture
def file(tmp_path: Path) -> Path:
    written = tmp_path / "adversarial.py"
    written.write_text(CASES, encoding="utf-8")
    return written


def test_cases_pass_where_what_was_to_go_is_gone_and_what_was_to_stay_is_there(file: Path) -> None:
    result = run(file, "--json")
    assert result["failed"] == []
    assert {kind: (row["cases"], row["strict"], row["answered"]) for kind, row in result["kinds"].items()} == {
        "by_name": (1, 1, 1),
        "by_wish": (1, 1, 1),
        "new_text": (2, 2, 2),
    }
    assert (result["cases"], result["sha256"]) == (4, digest(read_cases([file])))


def test_what_an_erasure_leaves_fails_the_case_and_is_shown(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AgentMemory, "erase", lambda *_, **__: None)
    result = run(file, "--json")
    # The wish hides what it is about, even where nothing is erased.
    (failed,) = result["failed"]
    assert (failed["id"], failed["reachable"]) == ("adv_by_name_01", ["to the Tern"])
    assert failed["taken"] == [["Berth pier-7 is let to the Tern."]]
    shown = run(file).splitlines()
    assert [line.split() for line in shown if line.strip().startswith(("by_name", "all"))] == [
        ["by_name", "0.0%", "1", "0", "0", "0", "1"],
        ["all", "75.0%", "4", "3", "3", "0", "1"],
    ]


def test_what_is_found_by_its_own_words_alone_fails_the_strict_rule(memory: AgentMemory) -> None:
    outcome = play(memory, ASKED, 0.5)
    assert outcome.taken == ((),)
    assert (outcome.answered, outcome.strict) == (True, False)
    assert outcome.reachable == ASKED.forbidden


@pytest.mark.parametrize(("least", "answered"), [(0.5, False), (None, True), (0.0, True)])
def test_the_nearest_are_shown_unless_a_confidence_is_asked_for(
    memory: AgentMemory, least: float | None, *, answered: bool
) -> None:
    asked = replace(ASKED, wanted=("under the third stone",), forbidden=())
    assert play(memory, asked, least).answered is answered


def test_what_must_be_answered_changes_nothing_that_is_done(file: Path, tmp_path: Path) -> None:
    for case in read_cases([file]):
        taken = set()
        for number, asked in enumerate((case, replace(case, wanted=case.forbidden, forbidden=case.wanted))):
            with marskg.open(tmp_path / "memory", tenant=f"{case.id}-{number}") as opened:
                taken.add(play(opened, asked).taken)
        assert len(taken) == 1


def test_the_digest_is_of_what_the_cases_say(file: Path, tmp_path: Path) -> None:
    cases = read_cases([file])
    commented = tmp_path / "other.py"
    commented.write_text(CASES.replace("PIER", "# More words.\nOTHER"), encoding="utf-8")
    assert digest(reversed(read_cases([commented]))) == digest(cases)
    assert digest([replace(cases[0], question="Who?"), *cases[1:]]) != digest(cases)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1\n", "holds no case"),
        ("x = (\n", "cannot be read"),
        ("x\0", "cannot be read"),
        (CASES.replace("adv_by_wish_01", "adv_by_name_01"), 'line 15: "id" is that of another case'),
        (CASES.replace('("purge", "pier-7")', '("purge", "pier-7", "pier-8")'), '"mutations" are tuples'),
        (CASES.replace('("purge", "pier-7")', "7"), '"mutations" are tuples'),
        (CASES.replace('"pier-7"', "open('x')"), '"mutations" is missing'),
        (CASES.replace('"Who keeps bees?"', "7"), '"final_query" must be a text'),
        (CASES.replace('["red"]', "[]"), "a case needs one of them"),
    ],
)
def test_a_file_that_breaks_the_layout_is_named(tmp_path: Path, text: str, words: str) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidDocument, match=r"broken\.py.*name ForgetEval's") as refused:
        read_cases([broken])
    assert words in str(refused.value)
    assert "Gannet" not in str(refused.value)
