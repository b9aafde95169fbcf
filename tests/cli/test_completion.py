"""What a shell completes: from a table that says what the commands say, without importing what they do."""

from __future__ import annotations

import os
import subprocess
import sys

import click
import pytest
from click.shell_completion import BashComplete

from marskg.cli import completion
from marskg.cli.tree import cli
from tests.support import tree

#: Says on standard error which modules were imported.
RUN = """
import atexit, sys
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
from marskg.cli.main import main
main()
"""


def shell(*words: str) -> tuple[list[str], set[str]]:
    """Return what Bash is told for the last of the words after ``mars``, and the modules that it took."""
    said = " ".join(("mars", *(word or "''" for word in words)))
    variables = {"_MARS_COMPLETE": "bash_complete", "COMP_WORDS": said, "COMP_CWORD": str(len(words))}
    done = subprocess.run(
        [sys.executable, "-c", RUN], env=os.environ | variables, capture_output=True, text=True, check=False
    )
    return [line.removeprefix("plain,") for line in done.stdout.splitlines()], set(done.stderr.split())


def by_click(*words: str) -> list[str]:
    """Return what click itself completes, from the commands."""
    *args, incomplete = words
    return [one.value for one in BashComplete(cli, {}, "mars", "_MARS_COMPLETE").get_completions(args, incomplete)]


def test_the_table_is_that_of_the_commands() -> None:
    found = completion._TABLE.read_text(encoding="utf-8")
    assert found == completion.rendered(), "run: python -m marskg.cli.completion > src/marskg/cli/completions.txt"


@pytest.mark.parametrize("way", [way for way, _ in tree.leaves()], ids=" ".join)
def test_options_are_those_that_click_completes(way: tuple[str, ...]) -> None:
    rows = (line.split() for line in completion.rendered().splitlines())
    table = {words.strip(".").replace("/", " "): names for words, *names in rows}
    for words in ((*way, "--"), (*way[:-1], way[-1][:2])):
        *args, incomplete = words
        found = completion.completed(table, args, incomplete)
        assert found is not None
        assert set(found) == set(by_click(*words)) - {"-h"}


def test_values_and_old_names_are_left_to_click() -> None:
    assert shell("init", "--encryption", "")[0] == ["auto", "off", "subjects"]
    assert shell("jurisdiction", "a")[0] == ["apply"]
    assert shell("entity", "al")[0] == ["alias"]
    assert by_click("entity", "al") == ["alias"]


@pytest.mark.slow
@pytest.mark.parametrize("words", [("re",), ("remember", "--s"), ("privacy", "gr"), ("--store", "x", "policy", "pi")])
def test_names_are_completed_without_the_product(words: tuple[str, ...]) -> None:
    names, modules = shell(*words)
    assert names
    assert all(name.startswith(words[-1]) for name in names)
    assert not modules & {"marskg.memory", "marskg.store", "numpy"}


def test_each_name_is_once_in_the_table() -> None:
    ways = [line.split()[0] for line in completion.rendered().splitlines()]
    assert len(ways) == len(set(ways)) > len(list(tree.leaves()))
    assert isinstance(cli, click.Group)
