"""Attempts through queries, exports and plans: SPARQL over what may be seen, Cypher, files that are written, copies."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tests.redteam.attempt import Book
from tests.redteam.stage import SENTINELS, hidden_id, visible_id

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.redteam.stage import Side

_EVERYTHING: Final = "SELECT ?g ?s ?p ?o { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } } ORDER BY ?s ?p ?o"
#: Queries that are answered, by technique.
ANSWERED: Final[tuple[tuple[str, str], ...]] = (
    ("everything there is", _EVERYTHING),
    ("counting", "SELECT (COUNT(*) AS ?n) (COUNT(DISTINCT ?s) AS ?m) { ?s ?p ?o }"),
    ("counting", "SELECT ?t (COUNT(?s) AS ?n) { ?s a ?t } GROUP BY ?t ORDER BY ?t"),
    ("id of a hidden memory", f"DESCRIBE <{hidden_id('fact')}>"),
    ("id of a hidden memory", f"SELECT ?s ?p {{ ?s ?p <{hidden_id('needs')}> }}"),
    ("asking plainly", 'SELECT ?s { ?s ?p ?o FILTER(CONTAINS(LCASE(STR(?o)), "bob dahl")) } ORDER BY ?s'),
    ("numbers of records", "SELECT ?s ?n { ?s mars:sequence ?n } ORDER BY ?s"),
    ("other graphs", "SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }"),
    ("what stands for what is withheld", "SELECT ?s ?p { ?s ?p ?w . ?w a mars:Withheld } ORDER BY ?s ?p"),
    ("paths", f"SELECT ?x {{ <{visible_id(0)}> (!mars:none|^mars:none)* ?x }} ORDER BY STR(?x)"),
    ("comments and unions", "SELECT ?o { ?s mars:content ?o } # } UNION { GRAPH ?g { ?s ?p ?o } }\nORDER BY ?o"),
    (
        "escapes that hide a request",
        'SELECT * { ?s ?p "\\u0022 } # " . SERVICE <http://127.0.0.1:9/> { ?a ?b "\\u0022" } }',
    ),
    ("names that only hidden texts have", "SELECT ?n { ?e mars:name ?n } ORDER BY ?n"),
)
#: Queries that are refused before anything is looked at.
REFUSED: Final[tuple[tuple[str, str], ...]] = (
    ("reaching out", "SELECT * { SERVICE <http://127.0.0.1:9/x> { ?s ?p ?o } }"),
    ("reaching out", "SELECT * { SERVICE SILENT <http://127.0.0.1:9/x> { ?s ?p ?o } }"),
    ("reaching out", "LOAD <file:///etc/passwd>"),
    ("reaching out", "SELECT * FROM <file:///etc/passwd> { ?s ?p ?o }"),
    ("reaching out", "SELECT * FROM NAMED <http://127.0.0.1:9/x> { GRAPH ?g { ?s ?p ?o } }"),
    ("reaching out", "BASE <file:///etc/> SELECT * { <passwd> ?p ?o }"),
    ("writing", "INSERT DATA { <urn:a> <urn:b> <urn:c> }"),
    ("writing", "DELETE WHERE { ?s ?p ?o }"),
    ("writing", "CLEAR ALL"),
    ("writing", "SELECT * { ?s ?p ?o } ; DROP ALL"),
    ("odd unicode", "SELECT * { ?s ?p ?o }\u2028SERVICE"),
    ("oversized", "SELECT * { " + "{" * 200 + "}" * 200 + " }"),
    ("oversized", "SELECT * { ?s ?p ?o } #" + "x" * 100_001),
)
#: Cypher that does more than read, or that an engine could read in another way than its check.
CYPHER: Final[tuple[tuple[str, str], ...]] = (
    ("writing", "MATCH (m:Memory) SET m.sensitivity = 0 RETURN m"),
    ("writing", "MATCH (m) DETACH DELETE m"),
    ("writing", "CREATE (n:Memory {id: 'x'}) RETURN n"),
    ("writing", "MERGE (n:Suppression {ref: 'x'}) RETURN n"),
    ("writing", "MATCH (m) REMOVE m.content RETURN m"),
    ("writing", "UNWIND [1] AS x FOREACH (y IN [x] | CREATE (:Memory)) RETURN x"),
    ("reaching out", "LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row"),
    ("reaching out", "CALL apoc.load.json('http://127.0.0.1:9/') YIELD value RETURN value"),
    ("reaching out", "CALL dbms.listConfig() YIELD name RETURN name"),
    ("reaching out", "RETURN apoc.util.sha1(['x'])"),
    ("comments and unions", "MATCH (m) RETURN m.id UNION MATCH (n) SET n.x = 1 RETURN n.id"),
    ("comments and unions", "MATCH (m) /* RETURN m.id */ SET m.x = 1 RETURN m.id"),
    ("comments and unions", "MATCH (m) // one\rSET m.x = 1 RETURN m.id"),
    ("comments and unions", "MATCH (m) RETURN m.id; MATCH (n) DETACH DELETE n"),
    ("comments and unions", "CALL { MATCH (m) SET m.x = 1 RETURN m } RETURN m.id"),
    ("odd unicode", "MATCH (m) \\u0053ET m.x = 1 RETURN m.id"),
    ("odd unicode", "MATCH (m {id: 'a\\u0027}) SET m.x = 1 //'}) RETURN m.id"),
    ("other databases", "USE system MATCH (n) RETURN n"),
    ("other databases", "SHOW USERS"),
    ("oversized", "RETURN 1 //" + "x" * 100_001),
)


def attempts() -> Book:
    book = Book()
    for technique, query in ANSWERED:
        book.ask(
            "sparql", "reader", technique, "told", partial(_sparql, query), server=technique == "everything there is"
        )
    for technique, query in (ANSWERED[0], ANSWERED[-1]):
        book.ask("sparql", "subject", technique, "told", partial(_sparql, query))
    for technique, query in REFUSED:
        book.ask("sparql", "reader", technique, "QueryRefused", partial(_sparql, query))
        book.add("sparql", "operator", technique, "QueryRefused", partial(_unchanged, "sparql", query), paired=False)
    for technique, query in CYPHER:
        book.add(
            "cypher",
            "operator",
            technique,
            "QueryRefused",
            partial(_unchanged, "cypher", query),
            paired=False,
            server=True,
        )
    _exports(book)
    _plans(book)
    return book


def _sparql(query: str, reader: Any) -> object:
    found = reader.sparql(query)
    return found.columns, found.rows, found.sequence


def _unchanged(door: str, query: str, side: Side) -> object:
    """Ask as the operator; whatever comes of it, nothing was changed."""
    memory = side.as_("operator")
    before = _held(memory)
    try:
        return getattr(memory, door)(query)
    finally:
        assert _held(memory) == before


def _held(memory: Any) -> object:
    # Vectors are made meanwhile.
    return {which: (found.number, found.weight) for which, found in memory.store.reader.counts().items()}


def _exports(book: Book) -> None:
    for suffix in ("jsonld", "nq", "trig", "ttl"):
        for who in ("reader", "subject"):
            book.add(
                "export",
                who,
                "everything there is",
                "told",
                partial(_export, f"out.{suffix}", who, {}),
                server=suffix == "nq",
            )
    book.add(
        "export",
        "controller",
        "texts above the ceiling",
        "told",
        partial(_export, "out.jsonld", "controller", {}),
        paired=False,
    )
    asked: tuple[tuple[str, dict[str, Any], str], ...] = (
        ("the whole store", {"profile": "full"}, "NotPermitted"),
        ("the whole store", {"audit": True}, "NotPermitted"),
        ("the whole store", {"profile": "FULL"}, "InvalidInput"),
        ("the whole store", {"profile": "disclosure,full"}, "InvalidInput"),
        ("the whole store", {"profile": None}, "InvalidInput"),
        ("path tricks", {"format": "../../nq"}, "InvalidInput"),
    )
    for technique, given, ends in asked:
        for who in ("reader", "subject"):
            book.add("export", who, technique, ends, partial(_export, "out.nq", who, given))
    places = (
        ("out.exe", "InvalidInput"),
        ("", "InvalidInput"),
        ("no/such/folder.nq", "StoreUnwritable"),
        ("a\x00b.nq", "InvalidInput"),
    )
    for name, ends in places:
        book.add("export", "reader", "path tricks", ends, partial(_export, name, "reader", {}))
    book.add("export", "reader", "path tricks", "InvalidInput", _over_the_keys)


def _export(name: str, who: str, given: Mapping[str, Any], side: Side) -> object:
    path = side.file("x").parent / name
    counts = side.as_(who).export(path, **given)
    return counts, path.read_text("utf-8")


def _over_the_keys(side: Side) -> object:
    """Write over the signing key."""
    memory = side.filled()
    keys = sorted((memory.store.folder / "keys").iterdir())
    before = [path.read_bytes() for path in keys]
    try:
        return side.as_("reader").export(keys[0], format="nquads")
    finally:
        assert [path.read_bytes() for path in keys] == before


def _plans(book: Book) -> None:
    asked: Mapping[str, Callable[[Any], object]] = {
        "fifo": lambda reader: reader.plan(policy="fifo", budget=12),
        "density": lambda reader: reader.plan(policy="density", budget=15),
        "policy.compare": lambda reader: reader.policy.compare(
            ["fifo", "lru"], budget=15, questions=["what does Bob Dahl owe?", "tea?"]
        ),
    }
    for name, ask in asked.items():
        book.ask("policy.compare" if name == "policy.compare" else "plan", "reader", "what would go", "told", ask)
    book.ask("plan", "subject", "what would go", "told", asked["fifo"])
    book.ask("plan", "reader", "what would go", "BudgetInfeasible", lambda reader: reader.plan(policy="fifo", budget=0))
    book.ask(
        "plan", "reader", "the private policy", "NotPermitted", lambda reader: reader.plan(policy="private", budget=9)
    )
    book.ask(
        "forget",
        "reader",
        "carrying out a plan of the copy",
        "NotPermitted",
        lambda reader: reader.forget(reader.plan(policy="fifo", budget=12)),
    )
    for words in ("SECRET", "../../x.cypher", "/etc/x.cypher/"):
        for door in ("plan", "policy.compare"):
            book.add(door, "reader", "a file as policy", "NotPermitted", partial(_policy, door, words))


def _policy(door: str, words: str, side: Side) -> object:
    path = words
    if words == "SECRET":
        file = side.file("policy.cypher")
        file.write_text(f"{SENTINELS['file'] if side.full else 'zqnobody'} (m) RETURN m", "utf-8")
        path = str(file)
    reader = side.as_("reader")
    return reader.plan(policy=path, budget=9) if door == "plan" else reader.policy.compare([path], budget=9)
