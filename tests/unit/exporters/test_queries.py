"""Queries read, stay inside, end in time, and say how fresh their answer is."""

from __future__ import annotations

import contextlib
import gc
import http.server
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from typing import TYPE_CHECKING

import psutil
import pyoxigraph as ox
import pytest

from marskg.errors import QueryRefused, StoreLocked, StoreUnwritable
from marskg.exporters.queries import sparql_guard
from marskg.exporters.queries.runner import SparqlRunner, check_cypher, check_sparql
from marskg.exporters.queries.view import SparqlView
from marskg.exporters.rdf.writer import Content
from tests.support.exports import episodes, signed_log
from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MARS = "PREFIX mars: <https://w3id.org/mars-kg/ns#> "
#: Three patterns without a common variable: the answer would take years.
ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"


@pytest.fixture(scope="module")
def view() -> Iterator[SparqlView]:
    with SparqlView.temporary() as made:
        made.rebuild(Content(episodes(200), (), *signed_log(3)), 3)
        yield made


@pytest.fixture(scope="module")
def runner() -> Iterator[SparqlRunner]:
    with SparqlRunner() as made:
        yield made


# --- Answers ---------------------------------------------------------------------------------------------------------


def test_a_select_is_a_table_of_values(view: SparqlView, runner: SparqlRunner) -> None:
    found = runner.run(
        view.folder,
        MARS + "SELECT ?session ?weight ?sensitivity ?key { ?m a mars:Episodic ; mars:session ?session ;"
        " mars:weight ?weight ; mars:sensitivity ?sensitivity OPTIONAL { ?m mars:key ?key } } ORDER BY ?m LIMIT 2",
    )
    assert found.columns == ("session", "weight", "sensitivity", "key")
    assert found.rows == (("s0", 20, 0.0, None), ("s0", 21, 0.01, None))
    assert found.sequence == 3


def test_an_ask_and_a_construct_are_tables_too(view: SparqlView, runner: SparqlRunner) -> None:
    assert runner.run(view.folder, "ASK { ?s ?p 'nothing' }").rows == ((False,),)
    built = runner.run(view.folder, MARS + "CONSTRUCT { ?h a ?t } WHERE { ?h a mars:TreeHead ; a ?t }")
    assert built.columns == ("subject", "predicate", "object")
    assert built.rows[0][2] == "https://w3id.org/mars-kg/ns#TreeHead"


def test_the_signed_audit_can_be_asked_for(view: SparqlView, runner: SparqlRunner) -> None:
    text = MARS + "SELECT ?n ?proof { ?r a mars:AuditRecord ; mars:sequence ?n ; mars:proofValue ?proof } ORDER BY ?n"
    rows = runner.run(view.folder, text).rows
    assert [row[0] for row in rows] == [1, 2, 3]
    assert all(str(row[1]).startswith("z") for row in rows)


def test_one_worker_serves_many_queries_and_sees_every_change(view: SparqlView, runner: SparqlRunner) -> None:
    ((memory, edges),) = episodes(1)
    asked = f"ASK {{ <{memory.id}> ?p ?o }}"
    assert runner.run(view.folder, asked).rows == ((True,),)
    process = runner._process
    view.apply(Content(), 4, [memory.id])
    gone = runner.run(view.folder, asked)
    assert (gone.rows, gone.sequence) == (((False,),), 4)
    view.apply(Content([(memory, edges)]), 5)
    assert runner.run(view.folder, asked).rows == ((True,),)
    assert runner._process is process


# --- Freshness -------------------------------------------------------------------------------------------------------


def test_a_view_from_before_an_erasure_does_not_answer(view: SparqlView, runner: SparqlRunner) -> None:
    reached = view.sequence or 0
    runner.run(view.folder, "ASK {}", not_before=reached)
    with pytest.raises(QueryRefused, match=f"stands at {reached}, before the last erasure at {reached + 1}; let it"):
        runner.run(view.folder, "ASK {}", not_before=reached + 1)


def test_a_view_that_is_being_rebuilt_does_not_answer(runner: SparqlRunner) -> None:
    with SparqlView.temporary() as fresh:
        assert fresh.sequence is None
        with pytest.raises(QueryRefused, match="is being rebuilt"):
            runner.run(fresh.folder, "ASK {}")


def test_a_rebuild_that_breaks_off_leaves_a_view_that_knows_it() -> None:
    with SparqlView.temporary() as broken:
        broken.rebuild(Content(episodes(2)), 2)

        def failing() -> Iterator[object]:
            yield from episodes(1)
            raise OSError

        with pytest.raises(OSError):  # noqa: PT011 - our own
            broken.rebuild(Content(failing()), 3)  # type: ignore[arg-type]  # the same items
        assert broken.sequence is None


def test_a_view_has_one_writer(view: SparqlView) -> None:
    with pytest.raises(StoreLocked, match="open in another process"):
        SparqlView(view.folder)


def test_a_folder_that_cannot_be_a_view_is_named(tmp_path: Path) -> None:
    a_file = tmp_path / "file"
    a_file.touch()
    with pytest.raises(StoreUnwritable, match="cannot open the SPARQL view"):
        SparqlView(a_file)


def test_a_view_survives_its_process(tmp_path: Path, runner: SparqlRunner) -> None:
    folder = tmp_path / "view"
    code = textwrap.dedent(f"""
        import os
        from pathlib import Path
        from marskg.exporters.queries.view import SparqlView
        from marskg.exporters.rdf.writer import Content
        from tests.support.exports import episodes
        view = SparqlView(Path({str(folder)!r}))
        view.rebuild(Content(episodes(5)), 5)
        view.apply(Content(list(episodes(7))[5:]), 7)
        os._exit(9)
    """)
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    found = runner.run(folder, MARS + "SELECT (COUNT(*) AS ?n) { ?m a mars:Memory }")
    assert (found.rows, found.sequence) == (((7,),), 7)


# --- Limits ----------------------------------------------------------------------------------------------------------


def test_a_query_that_takes_too_long_is_killed(view: SparqlView, runner: SparqlRunner) -> None:
    runner.run(view.folder, "ASK {}")
    assert runner._process is not None
    process = psutil.Process(runner._process.pid)
    with pytest.raises(QueryRefused, match=r"longer than 0\.5 s"):
        runner.run(view.folder, ENDLESS, limit=0.5)
    assert not process.is_running()
    assert runner.run(view.folder, "ASK {}").rows == ((True,),), "the next query has a new worker"


def test_a_slow_check_counts_too(view: SparqlView, runner: SparqlRunner) -> None:
    """rdflib's parser is quadratic in a long sum; the check runs in the worker, under the same limit."""
    slow = f"SELECT * {{ FILTER({'1+' * 20_000}1) }}"
    with pytest.raises(QueryRefused, match="longer than 2 s"):
        runner.run(view.folder, slow, limit=2)


@pytest.mark.slow
def test_a_worker_ends_by_itself_when_its_parent_was_killed(view: SparqlView) -> None:
    code = textwrap.dedent(f"""
        import os, threading, time
        from pathlib import Path
        from marskg.exporters.queries.runner import SparqlRunner
        runner = SparqlRunner()
        view = Path({str(view.folder)!r})
        runner.run(view, "ASK {{}}")
        print(runner._process.pid, flush=True)
        threading.Timer(0.5, os._exit, (9,)).start()
        runner.run(view, {ENDLESS!r}, limit=1)
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 9
    pid = int(done.stdout)
    deadline = time.monotonic() + HANGS_S
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, "the worker went on without its parent"
        time.sleep(0.1)


def test_a_runner_that_nobody_closes_ends_its_worker_without_a_word(view: SparqlView) -> None:
    runner = SparqlRunner()
    runner.run(view.folder, "ASK {}")
    assert runner._process is not None
    worker = psutil.Process(runner._process.pid)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        del runner
        gc.collect()
    # What another test left is collected, and told, here as well.
    assert not [one for one in warned if f"{worker.pid}" in str(one.message)]
    assert not worker.is_running()


def test_too_many_rows_are_refused(view: SparqlView, runner: SparqlRunner) -> None:
    with pytest.raises(QueryRefused, match="more than 10 rows; add LIMIT"):
        runner.run(view.folder, "SELECT * { ?s ?p ?o }", max_rows=10)


def test_a_query_works_from_a_script_without_a_main_guard(view: SparqlView, tmp_path: Path) -> None:
    """And a file of the current folder does not stand in for a module."""
    script = tmp_path / "script.py"
    (tmp_path / "json.py").write_text("raise SystemExit('shadowed')")
    script.write_text(
        "import sys; sys.path.pop(0)\n"
        "from pathlib import Path\n"
        "from marskg.exporters.queries.runner import SparqlRunner\n"
        f"print(SparqlRunner().run(Path({str(view.folder)!r}), 'ASK {{}}').rows)\n"
    )
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "((True,),)\n", done.stderr


# --- SPARQL that is refused ------------------------------------------------------------------------------------------

REFUSED = [
    "SELECT * { SERVICE <http://e.org/> { ?s ?p ?o } }",
    "SELECT * { sErViCe SILENT ?endpoint { ?s ?p ?o } }",
    "SELECT * { { SELECT * { OPTIONAL { SERVICE <http://e.org/> {} } } } }",
    "SELECT * { FILTER EXISTS { SERVICE <http://e.org/> {} } }",
    "SELECT * { FILTER NOT EXISTS { { SERVICE <http://e.org/> {} } UNION {} } }",
    "SELECT (EXISTS { SERVICE <http://e.org/> {} } AS ?x) {}",
    "SELECT * { ?s ?p ?o } HAVING (EXISTS { SERVICE <http://e.org/> {} })",
    "SELECT * { \\u0053ERVICE <http://e.org/> {} }",
    "SELECT * { \\U00000053ERV\\u0049CE <http://e.org/> {} }",
    "SELECT * {#\nSERVICE#\n<http://e.org/>#\n{}}",
    "SELECT * { ?s ?p ?o } # \r SERVICE",
    "SELECT * { GRAPH ?g { SERVICE ?g {} } }",
    "CONSTRUCT { ?s ?p ?o } WHERE { SERVICE <http://e.org/> { ?s ?p ?o } }",
    "SELECT * FROM <http://e.org/> { ?s ?p ?o }",
    "ASK FROM NAMED <http://e.org/> {}",
    "DESCRIBE <http://e.org/> FROM <http://e.org/>",
    "BASE <http://e.org/> SELECT * { <a> ?p ?o }",
    "LOAD <http://e.org/>",
    "LOAD SILENT <file:///etc/passwd> INTO GRAPH <urn:g>",
    "INSERT DATA { <urn:a> <urn:b> 1 }",
    "DELETE WHERE { ?s ?p ?o }",
    "DELETE { ?s ?p ?o } INSERT { ?s ?p 1 } WHERE { ?s ?p ?o }",
    "WITH <urn:g> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }",
    "CLEAR ALL",
    "DROP DEFAULT",
    "CREATE GRAPH <urn:g>",
    "COPY DEFAULT TO <urn:g>",
    "MOVE DEFAULT TO <urn:g>",
    "ADD DEFAULT TO <urn:g>",
    "SELECT * { ?s ?p ?o } ; CLEAR ALL",
    "SELECT * { ?s ?p 'open }",
    'SELECT * { ?s ?p """open }',
    "SELECT * { ?s ?p '\\uD800' }",
    "SELECT * { ?s ?p '\\U00110000' }",
    "SELECT * { ?s ?p '\\u005Cu0041' }",
    "SELECT * { ?s ?p '\\u00' }",
    "SELECT * { ?s ?p '\x00' }",
    "SELECT * { ?s ?p ?o } \u2028",
    "(" * 1000,
    f"SELECT * {'{' * 30} ?s ?p ?o {'}' * 30}",
    f"SELECT * {{ ?s ?p '{'x' * 100_001}' }}",
    "",
    "# only a comment",
]


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_what_is_no_reading_query_is_refused(text: str) -> None:
    with pytest.raises(QueryRefused) as caught:
        check_sparql(text)
    assert ";" in str(caught.value) or ":" in str(caught.value)
    assert "e.org" not in str(caught.value)


ALLOWED = [
    "SELECT * { ?s ?p ?o }",
    MARS + "SELECT ?service { ?service mars:service ?from ; mars:from.load 'SERVICE <http://e.org/> {}' }",
    'SELECT ?s { ?s ?p "FROM \\"LOAD\\"" } # SERVICE <http://e.org/> {}',
    'SELECT * { ?s ?p \'\'\'it\'s "SERVICE" \'\'\' , """a ""quoted"" LOAD""" }',
    "SELECT * { ?a ?b ?c FILTER(?a<?b&&?c>?b) }",
    "SELECT * { ?s (<urn:a>/<urn:b#c>)*|^<urn:d>? ?o } ORDER BY DESC(?o) LIMIT 3 OFFSET 1",
    "SELECT (COUNT(DISTINCT ?s) AS ?n) { { SELECT ?s { ?s ?p ?o } } } GROUP BY ?p HAVING (COUNT(*) > 1)",
    "SELECT * { VALUES (?x ?y) { ('a' 1.5) (UNDEF true) } BIND(IF(?y = 1, 2, 3) AS ?z) MINUS { ?s ?q ?x } }",
    "SELECT * { GRAPH ?g { ?s ?p 'caf\\u00E9'@fr-FR } }",
    "ASK { ?s ?p '2026-01-01'^^<http://www.w3.org/2001/XMLSchema#date> }",
    "DESCRIBE <http://e.org/a#b>",
    "CONSTRUCT WHERE { ?s ?p ?o }",
]


@pytest.mark.parametrize("text", ALLOWED, ids=range(len(ALLOWED)))
def test_a_reading_query_passes_and_both_parsers_take_it(text: str) -> None:
    ox.Store().query(check_sparql(text))


def test_the_tree_is_a_wall_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the tokeniser's list of words the parse tree still finds every SERVICE, FROM and BASE."""
    monkeypatch.setattr(sparql_guard, "_REFUSED_WORDS", frozenset())
    for text in REFUSED[:17]:
        with pytest.raises(QueryRefused):
            check_sparql(text)


TWO_READINGS = [
    # One long string to rdflib, which resolves escapes first; a string, a request and a string to pyoxigraph.
    'SELECT * { ?s ?p "\\u0022" . SERVICE <URL> { ?a ?b ?c } ?x ?y "\\u0022" }',
    "SELECT * { ?s ?p '\\u0027' . SERVICE <URL> { ?a ?b ?c } ?x ?y '\\u0027' }",
    # The comment goes on to the line feed for one, to the carriage return for the other.
    "SELECT * { ?s ?p ?o . # \r SERVICE <URL> { ?a ?b ?c } \n }",
    'SELECT * { ?s ?p ?o FILTER(?s<?o#>"""\n) SERVICE <URL> { ?a ?b ?c } #"""\n }',
    "SELECT * { SERVICE <URL> { ?a ?b ?c } }",
]


@pytest.fixture
def endpoint() -> Iterator[tuple[str, list[str]]]:
    """A server on this machine that notes what it is asked."""
    asked: list[str] = []

    class Noting(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(500)

        do_POST = do_GET  # noqa: N815 - the name that the server calls

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Noting)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", asked
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("text", TWO_READINGS, ids=range(len(TWO_READINGS)))
def test_texts_that_parsers_read_differently_reach_nobody(
    view: SparqlView, runner: SparqlRunner, endpoint: tuple[str, list[str]], text: str
) -> None:
    url, asked = endpoint
    with contextlib.suppress(QueryRefused):
        runner.run(view.folder, text.replace("URL", url))
    assert asked == []


def test_the_trap_is_real(endpoint: tuple[str, list[str]]) -> None:
    """The same texts, given to pyoxigraph as they are, do ask: the tests above would notice."""
    url, asked = endpoint
    store = ox.Store()
    store.add(ox.Quad(ox.NamedNode("urn:s"), ox.NamedNode("urn:p"), ox.Literal('"')))
    for text in (TWO_READINGS[0], TWO_READINGS[2], TWO_READINGS[4]):
        before = len(asked)
        with pytest.raises(OSError):  # noqa: PT011 - whatever the client says about status 500
            list(store.query(text.replace("URL", url)))  # type: ignore[arg-type]  # a SELECT
        assert len(asked) > before, text


# --- Cypher ----------------------------------------------------------------------------------------------------------

CYPHER_REFUSED = [
    "CREATE (n)",
    "MATCH (n) SET n.x = 1",
    "MATCH (n) DETACH DELETE n",
    "MATCH (n) REMOVE n.x",
    "MATCH (n) // \r DELETE n",
    "MATCH (n) // it's \r DETACH DELETE n //'",
    "MATCH (n) /* */ DELETE/**/n",
    "MATCH (n) CALL { WITH n CREATE (m) } RETURN n",
    "MATCH (n) CALL { RETURN 1 AS x } IN 10 TRANSACTIONS RETURN n",
    "CALL apoc.cypher.doIt('CREATE (n)', {})",
    "RETURN apoc.cypher.runFirstColumnSingle('CREATE (n)', {})",
    "MATCH (n) FOREACH (x IN [1] | CREATE (m))",
    "LOAD CSV FROM 'http://e.org/' AS row RETURN row",
    "MATCH (n) RETURN n; MATCH (n) DELETE n",
    "MATCH (n) \\u0044ELETE n",
    "USE other MATCH (n) RETURN n",
    "SHOW USERS",
    "MERGE (n) RETURN n",
    "INSERT (n) RETURN n",
    "MATCH (n) RETURN 'open",
    "MATCH (n) RETURN n /* open",
    "DROP INDEX x",
    "",
]


@pytest.mark.parametrize("text", CYPHER_REFUSED, ids=range(len(CYPHER_REFUSED)))
def test_cypher_that_does_more_than_read_is_refused(text: str) -> None:
    with pytest.raises(QueryRefused):
        check_cypher(text)


CYPHER_ALLOWED = [
    "MATCH (n:Memory) WHERE n.set = $create RETURN n.delete AS `CREATE` // DELETE",
    "MATCH (n:`Set`) WHERE n.content CONTAINS 'DETACH DELETE' RETURN n /* CREATE */ LIMIT 3",
    'OPTIONAL MATCH (a)-[:CREATE]->(b) RETURN "it\'s", b',
    "MATCH (n) CALL { WITH n MATCH (n)--(m) RETURN count(m) AS c } RETURN n, c",
    "CALL db.labels()",
    "EXPLAIN MATCH (n) RETURN n;",
    "UNWIND [1, 2] AS x WITH x WHERE EXISTS { MATCH (n) } RETURN duration.between(date(), date())",
]


@pytest.mark.parametrize("text", CYPHER_ALLOWED, ids=range(len(CYPHER_ALLOWED)))
def test_cypher_that_reads_passes(text: str) -> None:
    check_cypher(text)
