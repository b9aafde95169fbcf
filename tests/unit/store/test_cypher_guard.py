"""The guard lets reading pass, whatever words it mentions, and finds each way to write, reach out or hide it."""

from __future__ import annotations

import pytest

from marskg.errors import QueryRefused
from marskg.store.statements.cypher_guard import MAX_LENGTH, changing_call, check_read_only

READS = [
    "MATCH (m:Memory) RETURN m.id",
    "match (m:Memory) where m.set = 1 return m.delete AS x;",
    "MATCH (m:Create) RETURN {set: m.id, merge: 1}",
    "RETURN 'CREATE (n) SET n.x = 1' AS text // DELETE everything\n",
    'RETURN "it\'s /* no */ comment" /* MERGE\n */ AS text',
    "MATCH (m) WHERE m.id = $set RETURN `CREATE`.x, m AS `delete`",
    "UNWIND [1, 2.5, 1e3, 0xFF] AS x WITH x WHERE x > 1 RETURN collect(x)[0..1]",
    "MATCH (a)-[:dependsOn*1..3]->(b) RETURN count(*)",
    "CALL { MATCH (m) RETURN m LIMIT 1 } RETURN m.id",
    "CALL (x) { RETURN 1 AS y } RETURN y",
    "CALL db.labels() YIELD label RETURN label",
    "RETURN date.truncate('day', datetime()) AS day, duration.between(date(), date()) AS d, point.distance(p, q)",
    "EXPLAIN MATCH (m) RETURN m",
    "MATCH (m) RETURN 'a\\'b' AS quoted, 'tab\\t'",
    "MATCH (a) RETURN a UNION ALL MATCH (b) RETURN b",
]

WRITES = {
    "CREATE (n)": "does not start",
    "MATCH (n) SET n.x = 1": "SET",
    "MATCH (n) set n:X": "SET",
    "MATCH (n) DETACH DELETE n": "DETACH",
    "MATCH (n) DELETE n": "DELETE",
    "MATCH (n) REMOVE n.x": "REMOVE",
    "MATCH (n) MERGE (m) RETURN m": "MERGE",
    "MATCH (n)\nINSERT (m)": "line 2: INSERT",
    "MATCH p = (a)-->(b) FOREACH (n IN nodes(p) | SET n.x = 1)": "FOREACH",
    "LOAD CSV FROM 'http://x' AS l RETURN l": "does not start",
    "WITH 1 AS x LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l": "LOAD",
    "CALL { MATCH (n) CREATE (m) RETURN m } RETURN m": "CREATE",
    "MATCH (n) CALL { WITH n DELETE n } IN TRANSACTIONS": "DELETE",
    "UNWIND [1] AS x CALL { RETURN 1 AS y } IN TRANSACTIONS RETURN y": "TRANSACTIONS",
    "CALL apoc.load.json('http://x') YIELD value RETURN value": "apoc.load.json",
    "CALL dbms.listConfig()": "dbms.listConfig",
    "CALL `apoc`.`load`.json('http://x')": "apoc.load.json",
    "CALL db.labels () CALL db.createLabel('X')": "db.createLabel",
    "RETURN apoc.cypher.runFirstColumnSingle('x', {})": "apoc.cypher",
    "RETURN `apoc`.`util`.sleep(1)": "apoc.util.sleep",
    "USE other MATCH (n) RETURN n": "does not start",
    "SHOW USERS": "does not start",
    "RETURN 1; MATCH (n) RETURN n": "second statement",
    "MATCH (n) RETURN n; CREATE (n)": "second statement",
    "RETURN 1CREATE (n)": "between numbers",
    "RETURN 1.CREATE (n)": "between numbers",
    "RETURN 0x1CREATE (n)": "between numbers",
    "MATCH (n) \\u0053ET n.x = 1": "Unicode escape",
    "RETURN '\\u0027 CREATE (n) //'": "Unicode escape",
    "RETURN 'open": "close strings",
    "RETURN 1 /* open": "close strings",
    "RETURN 1 /* CREATE (n)": "close strings",
    "RETURN 'x\\' CREATE (n)": "close strings",
    "": "does not start",
    "// nothing": "does not start",
    "RETURN " + "1 + " * MAX_LENGTH + "1": "longer",
}


@pytest.mark.parametrize("query", READS)
def test_reading_passes(query: str) -> None:
    check_read_only(query)


@pytest.mark.parametrize(("query", "says"), WRITES.items(), ids=lambda value: str(value)[:40])
def test_writing_is_refused_with_the_reason(query: str, says: str) -> None:
    with pytest.raises(QueryRefused) as caught:
        check_read_only(query)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("MATCH (m) RETURN rand() AS score", "line 1: rand()"),
        ("MATCH (m)\nRETURN `RAND` () AS score", "line 2: rand()"),
        ("RETURN timestamp() - 1 AS age", "line 1: timestamp()"),
        ("RETURN randomUUID() AS id", "line 1: randomuuid()"),
        ("RETURN datetime().epochMillis AS now", "line 1: datetime()"),
        ("RETURN date.realtime() AS now", "line 1: date.realtime()"),
        ("RETURN datetime.transaction('UTC') AS now", "line 1: datetime.transaction()"),
    ],
)
def test_what_asks_a_clock_or_chance_is_told(text: str, found: str) -> None:
    assert changing_call(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "RETURN datetime({epochMillis: m.created}) AS at, 'rand()' AS text // timestamp()",
        "MATCH (m) WHERE m.timestamp > $now RETURN m.rand AS rand",
        "RETURN date.truncate('day', datetime($at)) AS day, coalesce(m.x, 0) AS x",
    ],
)
def test_what_depends_on_its_arguments_alone_passes(text: str) -> None:
    assert changing_call(text) is None
