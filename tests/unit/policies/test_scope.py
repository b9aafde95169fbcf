"""What a policy's statement may see: its own tenant, and no content. Each evasion is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from marskg.errors import QueryRefused
from marskg.policies.custom.cypher_sandbox import READABLE, check_scope
from marskg.store.statements.cypher_guard import check_read_only

OWN = "MATCH (m:Memory) WHERE m.tenant = $tenant "
SCORE = "RETURN m.id AS id, 1 AS score"
EXAMPLES = Path(__file__).parents[3] / "examples" / "policies"

KEPT = [
    OWN + SCORE,
    "MATCH (m:Memory {tenant: $tenant}) " + SCORE,
    "MATCH (m:Memory {kind: 'task', tenant: $tenant}) " + SCORE,
    "MATCH (m:Memory) WHERE m.fifoKey >= $low AND m.fifoKey < $high " + SCORE,
    "MATCH (m:Memory) WHERE $low <= m.lruKey < $high AND m.weight > 3 " + SCORE,
    "MATCH (m:Memory) WHERE (m.weight > 1 OR m.pinned) AND $tenant = m.tenant " + SCORE,
    OWN + "OPTIONAL MATCH (m)<-[:derivesFrom*1..3]-(n:Memory), (n)-[e:mentions]->(x) WITH m, count(n) AS n " + SCORE,
    "MATCH (a:Entity)<-[:mentions]-(m:Memory), (a)<-[:mentions]-(n) WHERE m.tenant = $tenant " + SCORE,
    OWN + "WITH m AS n MATCH (n)-[r:dependsOn]->(m) WHERE r.weight > 0.5 " + SCORE,
    OWN + "WITH *, CASE m.kind WHEN 'task' THEN 1 ELSE 2 END AS w RETURN m.id AS id, w * abs(m.weight) AS score",
    OWN + "RETURN m.id AS id, CASE WHEN m.session STARTS WITH 'call' OR m.pinned THEN 1 ELSE 0 END AS score",
    OWN + "WITH m.session AS s, collect(m) AS all UNWIND all AS m RETURN m.id AS id, size(all) AS score",
    OWN + "AND m.kind IN ['task', 'social'] RETURN m.id AS id, coalesce(toFloat(m.sensitivity), 0) AS score",
    OWN + "RETURN m.id AS id, size([x IN [1, 2] WHERE x > 1 | x]) + [1, 2, 3][0] AS score",
    OWN + SCORE + " UNION ALL MATCH (m:Memory {tenant: $tenant}) " + SCORE,
    "UNWIND ['a', 'b'] AS id RETURN id AS id, 1 AS score",
    "MATCH (`m`:Memory) WHERE m.tenant = $tenant // a comment OR 1 = 1\n" + SCORE,
    "MATCH p = (m:Memory)-->(n) WHERE m.tenant = $tenant RETURN m.id AS id, length(p) AS score",
]

NOT_ITS_TENANT = [
    "MATCH (m:Memory) " + SCORE,
    "MATCH (m) " + SCORE,
    "MATCH (m:Memory) WHERE m.tenant = $tenant OR m.weight > 0 " + SCORE,
    "MATCH (m:Memory) WHERE m.weight > 0 AND m.tenant = $tenant OR true " + SCORE,
    "MATCH (m:Memory) WHERE m.weight > 0 OR m.pinned AND m.tenant = $tenant " + SCORE,
    "MATCH (m:Memory) WHERE m.tenant = $tenant AND m.pinned OR true AND m.tenant <> '' " + SCORE,
    "MATCH (m:Memory) WHERE true XOR m.pinned AND m.tenant = $tenant " + SCORE,
    "MATCH (m:Memory) WHERE m.tenant = $tenant XOR m.pinned " + SCORE,
    "MATCH (m:Memory) WHERE NOT m.tenant = $tenant " + SCORE,
    "MATCH (m:Memory) WHERE m.tenant <> $tenant " + SCORE,
    "MATCH (m:Memory) WHERE m.tenant = $tenant = false " + SCORE,
    "MATCH (m:Memory) WHERE (m.tenant = $tenant) IS NOT NULL " + SCORE,
    "MATCH (m:Memory) WHERE (m.tenant = $tenant OR true) AND true " + SCORE,
    "MATCH (m:Memory) WHERE m.tenant IN [$tenant, 'other'] " + SCORE,
    "MATCH (m:Memory) WHERE m.tenant >= $tenant " + SCORE,
    "MATCH (m:Memory) WHERE CASE WHEN true THEN true ELSE m.tenant = $tenant END " + SCORE,
    "MATCH (m:Memory) WHERE m.fifoKey >= $low " + SCORE,
    "MATCH (m:Memory) WHERE m.fifoKey < $high " + SCORE,
    "MATCH (m:Memory) WHERE m.fifoKey >= $low AND m.lruKey < $high " + SCORE,
    "MATCH (m:Memory) WHERE m.fifoKey >= $low OR m.fifoKey < $high " + SCORE,
    "MATCH (m:Memory) WHERE m.id >= $low AND m.id < $high " + SCORE,
    "MATCH (m:Memory) WHERE m.fifoKey >= $high AND m.fifoKey < $low " + SCORE,
    "MATCH (m:Memory {tenant: 'other'}) WHERE $tenant <> '' " + SCORE,
    "MATCH (m:Memory {tenant: coalesce('other', $tenant)}) " + SCORE,
    "MATCH (m:Memory) WITH m WHERE m.tenant = $tenant " + SCORE,
    OWN + "MATCH (n:Memory) WITH m, count(n) AS n " + SCORE,
    OWN + "MATCH (m), (n:Memory) WITH m, count(n) AS n " + SCORE,
    OWN + "OPTIONAL MATCH (n:Memory) WHERE n.weight > m.weight " + SCORE,
    OWN + "WITH 1 AS x MATCH (m:Memory) " + SCORE,
    OWN + "WITH count(m) AS m MATCH (m:Memory) " + SCORE,
    OWN + "WITH m.id AS n MATCH (n:Memory)<--(m) " + SCORE,
    OWN + SCORE + " UNION MATCH (m:Memory) " + SCORE,
    "WITH $tenant AS t MATCH (m:Memory) WHERE m.tenant = t OR true " + SCORE,
    "MATCH (m:Memory) WHERE 'm.tenant = $tenant' <> '' " + SCORE,
    "MATCH (m:Memory) WHERE true // m.tenant = $tenant\n" + SCORE,
    "MATCH (m:Memory)-[e {tenant: $tenant}]-(n) " + SCORE,
]
UNTOLD = [
    OWN + "AND EXISTS { MATCH (n:Memory) } " + SCORE,
    OWN + "RETURN m.id AS id, COUNT { (n:Memory) } AS score",
    OWN + "CALL { MATCH (n:Memory) RETURN count(n) AS c } " + SCORE,
    OWN + "CALL () { MATCH (n:Memory) RETURN count(n) AS c } " + SCORE,
    OWN + "RETURN m.id AS id, size([(n:Memory)-->(x) | x.weight]) AS score",
    OWN + "AND (m)<--(:Memory) " + SCORE,
    OWN + "AND (m)-[:derivesFrom]->() " + SCORE,
    "MATCH p = shortestPath((m:Memory)-[*]-(n:Memory)) WHERE m.tenant = $tenant " + SCORE,
    "MATCH ((m:Memory)-->(n)){1,3} WHERE m.tenant = $tenant " + SCORE,
    "MATCH (m:Memory WHERE m.tenant = $tenant OR true) " + SCORE,
    OWN + "WITH m, 1 AS ends WITH 5 AS x MATCH (m) " + SCORE,
    "WITH true AS case, true AS end MATCH (m:Memory) WHERE case OR true OR end AND m.tenant = $tenant " + SCORE,
    "MATCH (m:Memory) WHERE m.tenant = $tenant AND (" + SCORE,
    "EXPLAIN " + OWN + SCORE,
    "CALL db.labels() YIELD label WITH label " + OWN + SCORE,
]
CONTENT = [
    "m.content",
    "size(m.content)",
    "m.`content`",
    "m.key",
    "m.name",
    "m.embedding",
    "m.summaryLines",
    "m.amount",
    "m.core",
    "m.salts",
    "m['content']",
    "m['con' + 'tent']",
    "[m][0]['content']",
    "size(keys(m))",
    "size(properties(m).weight)",
    "toInteger(substring(m.session, 0, 3))",
    "toInteger(m.session)",
    "`toInteger`(m.session)",
    "toString(m)",
    "date.truncate('day', m.created)",
    "m {.*}.weight",
    "head([x IN [m] | x.content])",
]


@pytest.mark.parametrize("statement", KEPT)
def test_a_statement_within_its_tenant_passes(statement: str) -> None:
    check_read_only(statement)
    check_scope(statement)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.cypher")), ids=lambda path: path.stem)
def test_the_examples_pass(path: Path) -> None:
    check_scope(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("statement", NOT_ITS_TENANT)
def test_a_statement_that_may_see_another_tenant_is_refused_with_the_way_out(statement: str) -> None:
    with pytest.raises(QueryRefused, match=r"line \d+: the statement does not keep to its tenant; filter by m\.tenant"):
        check_scope(statement)


@pytest.mark.parametrize("statement", UNTOLD)
def test_what_cannot_be_told_is_refused_with_the_way_out(statement: str) -> None:
    with pytest.raises(QueryRefused, match=r"line \d+: .*; .+"):
        check_scope(statement)


@pytest.mark.parametrize("expression", CONTENT)
def test_no_number_is_made_of_what_a_memory_says(expression: str) -> None:
    with pytest.raises(QueryRefused, match=r"line 1: .*; .+"):
        check_scope(f"{OWN}RETURN m.id AS id, {expression} AS score")
    with pytest.raises(QueryRefused, match=r"line 1: .*; .+"):
        check_scope(f"{OWN}AND {expression} > 1 {SCORE}")


def test_a_pattern_may_not_look_for_content_either() -> None:
    with pytest.raises(QueryRefused, match="the property content is not for policies, which read no content"):
        check_scope("MATCH (m:Memory {tenant: $tenant, content: 'guess'}) " + SCORE)


def test_nothing_that_a_memory_says_is_readable() -> None:
    said = {
        "content",
        "key",
        "embedding",
        "concept",
        "event",
        "goal",
        "attributes",
        "amount",
        "summaryLines",
        "aliases",
    }
    assert not READABLE & said
    assert {"weight", "created", "lastAccess", "accessCount", "kind", "tier", "deadline", "fifoKey"} <= READABLE
