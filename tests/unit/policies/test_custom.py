"""A policy of one ``.cypher`` file and its YAML: what it decides, how editing it counts, and what is refused."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from marskg.clock import DAY_MS
from marskg.errors import InvalidConfig
from marskg.policies.registry import check_policy, load_policy
from tests.support.policy_graph import NOW, Graph, Node, ids, store

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.store.engine.arcadedb import ArcadeDB

READS = "MATCH (m:Memory) WHERE m.tenant = $tenant "
HEAVY_FIRST = f"{READS}RETURN m.id AS id, 0 - m.weight AS score"
PAGED = (
    "MATCH (m:Memory) WHERE m.fifoKey >= $low AND m.fifoKey < $high "
    "RETURN m.id AS id, 0 - m.weight AS score ORDER BY score LIMIT $limit"
)


def saved(folder: Path, statement: str, settings: str | None = None, name: str = "mine.cypher") -> Path:
    path = folder / name
    path.write_text(statement, encoding="utf-8")
    if settings is not None:
        path.with_suffix(".yaml").write_text(settings, encoding="utf-8")
    return path


def later(path: Path) -> None:
    """Let the file look as if it had been written a second later: tests are faster than some clocks of file systems."""
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 10**9))


def graph(engine: ArcadeDB, count: int = 6) -> Graph:
    """Return nodes that get heavier as they get younger."""
    nodes = [Node(f"n{i}", weight=10 + i, created=NOW - (count - i) * DAY_MS, sequence=i + 1) for i in range(count)]
    made = Graph(engine, {node.id: node for node in nodes})
    store(made)
    return made


# --- What it decides ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("statement", [HEAVY_FIRST, PAGED])
def test_the_lowest_score_goes_first(engine: ArcadeDB, tmp_path: Path, statement: str) -> None:
    made = graph(engine)
    plan = load_policy(saved(tmp_path, statement)).plan(made, target=made.weight - 25)
    assert (plan.policy, ids(plan)) == ("mine", ["n5", "n4"])
    assert [action.score for action in plan.actions] == [-15_000_000, -14_000_000]
    assert [action.reason for action in plan.actions] == [
        "lowest score of all that may go by this policy: -15",
        "lowest score of all that may go by this policy: -14",
    ]
    assert plan.realised_loss <= plan.bound == pytest.approx(plan.lipschitz * plan.freed_tokens)


def test_pages_give_what_one_reading_gives(engine: ArcadeDB, tmp_path: Path) -> None:
    nodes = [Node(f"n{i}", weight=10 + i % 7, sequence=i + 1) for i in range(700)]
    made = Graph(engine, {node.id: node for node in nodes})
    store(made)
    whole = load_policy(saved(tmp_path, HEAVY_FIRST, name="whole.cypher")).plan(made, target=0)
    paged = load_policy(saved(tmp_path, PAGED, name="paged.cypher")).plan(made, target=0)
    assert ids(whole) == ids(paged)
    assert len(ids(whole)) == 700


def test_parameters_columns_and_reasons_come_from_the_yaml_file(engine: ArcadeDB, tmp_path: Path) -> None:
    statement = (
        "MATCH (m:Memory) WHERE m.tenant = $tenant WITH m, m.weight * $factor AS cost "
        "RETURN m.id AS id, 0 - cost AS score, cost AS cost, "
        "CASE WHEN m.weight > 14 THEN 'heavy' ELSE 'rest' END AS reason"
    )
    settings = """
description: The heaviest first.
parameters: {factor: 2.5}
reasons:
  heavy: "it costs $cost, after $age_days days"
  rest: "the next heaviest, at $cost"
"""
    made = graph(engine)
    plan = load_policy(saved(tmp_path, statement, settings)).plan(made, target=made.weight - 25)
    assert [action.reason for action in plan.actions] == ["it costs 37.5, after 1 days", "the next heaviest, at 35"]
    assert "cost=37.500000" in plan.actions[0].features
    assert "parameters.factor=2.5" in plan.parameters
    assert any(text.startswith("statement=sha256:") for text in plan.parameters)


def test_the_store_keeps_its_rules_whatever_the_statement_returns(engine: ArcadeDB, tmp_path: Path) -> None:
    made = graph(engine, 5)
    nodes = dict(made.nodes)
    nodes["n1"] = replace(nodes["n1"], guarded=True)
    nodes["n3"] = replace(nodes["n3"], bases=("n4",))
    held = Graph(engine, nodes)
    store(held)
    foreign = f"{READS}RETURN m.id AS id, 0 - m.weight AS score UNION {READS}RETURN 'foreign' AS id, -99 AS score"
    plan = load_policy(saved(tmp_path, foreign)).plan(held, target=0)
    # n4 is the heaviest, and goes after n3, which depends on it; n1 is protected.
    assert ids(plan) == ["n3", "n4", "n2", "n0"]
    assert plan.actions[1].reason.endswith("nothing that keeps its content depends on it any more")
    assert plan.notes == (
        "1 rows ignored: protected, still needed, or not live",
        "1 rows ignored: no memory of this tenant has their id",
    )


def test_rows_about_nothing_are_counted(engine: ArcadeDB, tmp_path: Path) -> None:
    made = graph(engine, 2)
    statement = "UNWIND ['n0', 'nobody'] AS id WITH id WHERE $tenant <> '' RETURN id AS id, 1 AS score"
    plan = load_policy(saved(tmp_path, statement)).plan(made, target=0)
    assert ids(plan) == ["n0"]
    assert plan.notes == ("1 rows ignored: no memory of this tenant has their id",)


def test_equal_scores_go_by_sequence_and_plans_are_equal(engine: ArcadeDB, tmp_path: Path) -> None:
    made = graph(engine)
    # The scores differ below 1e-6, where engines may round as they like.
    statement = f"{READS}RETURN m.id AS id, 1.0 / 3 + m.weight * 1e-9 AS score ORDER BY id DESC"
    policy = load_policy(saved(tmp_path, statement))
    assert ids(policy.plan(made, target=0)) == [f"n{i}" for i in range(6)]
    assert policy.plan(made, target=0) == policy.plan(made, target=0)


# --- Editing -----------------------------------------------------------------------------------------------------


def test_editing_the_statement_changes_the_next_plan(engine: ArcadeDB, tmp_path: Path) -> None:
    made = graph(engine)
    path = saved(tmp_path, HEAVY_FIRST)
    policy = load_policy(path)
    before = policy.plan(made, target=made.weight - 10)
    path.write_text(HEAVY_FIRST.replace("0 - m.weight", "m.weight"), encoding="utf-8")
    later(path)
    after = policy.plan(made, target=made.weight - 10)
    assert (ids(before), ids(after)) == (["n5"], ["n0"])
    assert before.digest != after.digest
    assert set(before.parameters) != set(after.parameters), "the audit tells which text decided"


def test_editing_the_yaml_file_changes_the_next_plan(engine: ArcadeDB, tmp_path: Path) -> None:
    made = graph(engine)
    path = saved(tmp_path, HEAVY_FIRST.replace("0 - m.weight", "$sign * m.weight"), "parameters: {sign: -1}")
    policy = load_policy(path)
    before = ids(policy.plan(made, target=made.weight - 10))
    path.with_suffix(".yaml").write_text("parameters: {sign: 1}", encoding="utf-8")
    later(path.with_suffix(".yaml"))
    assert (before, ids(policy.plan(made, target=made.weight - 10))) == (["n5"], ["n0"])


def test_an_edit_that_breaks_the_policy_is_refused_at_the_next_plan(engine: ArcadeDB, tmp_path: Path) -> None:
    made = graph(engine)
    path = saved(tmp_path, HEAVY_FIRST)
    policy = load_policy(path)
    policy.plan(made, target=0)
    path.write_text("MATCH (m:Memory) WHERE m.tenant = $tenant DELETE m", encoding="utf-8")
    later(path)
    for _ in range(2):
        with pytest.raises(InvalidConfig, match="DELETE does more than read"):
            policy.plan(made, target=0)
    path.write_text(HEAVY_FIRST, encoding="utf-8")
    assert policy.plan(made, target=0).actions


# --- Refusals ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "settings", "said"),
    [
        (READS + "SET m.weight = 1 RETURN m.id AS id, 1 AS score", None, "line 1: SET does more than read"),
        (READS + "RETURN m.id AS id, 1 AS score; MATCH (m) DELETE m", None, "a second statement begins"),
        (READS + "CALL apoc.load.json('http://x') YIELD value RETURN m.id AS id, 1 AS score", None, "apoc.load.json"),
        (READS + "RETURN m.id AS id, rand() AS score", None, r"line 1: rand\(\) changes between two plans"),
        (READS + "RETURN m.id AS id, timestamp() - m.created AS score", None, r"timestamp\(\) changes .* use \$now"),
        (READS + "RETURN m.id AS id", None, "no column 'score'; end with"),
        (READS + "RETURN m.weight AS score", None, "no column 'id'"),
        ("MATCH (m:Memory) RETURN m.id AS id, 1 AS score", None, r"does not keep to its tenant; filter by"),
        (f"{READS}OR true RETURN m.id AS id, 1 AS score", None, r"does not keep to its tenant; filter by"),
        (READS + "RETURN m.id AS id, size(m.content) AS score", None, "the property content is not for policies"),
        (READS + "RETURN m.id AS id, $boost AS score", None, r"\$boost has no value; give it one .* in mine\.yaml"),
        (READS + "RETURN m.id AS id, $boost AS score", "parameters: {}", r"\$boost has no value"),
        (HEAVY_FIRST, "name: x", "unknown key 'name'; allowed there are description, parameters, reason, reasons"),
        (HEAVY_FIRST, "parameters: [1]", "parameters takes one entry a line"),
        (HEAVY_FIRST, "parameters: {tenant: bob}", "parameter 'tenant' must be a word other than"),
        (HEAVY_FIRST, "parameters: {x: .nan}", "parameter 'x' must be"),
        (HEAVY_FIRST, "parameters: {x: [1]}", "parameter 'x' must be"),
        (HEAVY_FIRST, "reason: short", "a reason is a text of 10 to 500 characters"),
        (HEAVY_FIRST, "reason: costs $ too much", "a reason is a text of"),
        (HEAVY_FIRST, "reasons: {x: 1}", "a reason is a text of"),
        (HEAVY_FIRST, "reason: [", "mine.yaml"),
        (HEAVY_FIRST, "reason: &a [*a]", "mine.yaml"),
        ("\\u0000", None, "Unicode escape"),
        ("", None, "does not start by reading"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_before_any_store(
    tmp_path: Path, statement: str, settings: str | None, said: str
) -> None:
    path = saved(tmp_path, statement, settings)
    with pytest.raises(InvalidConfig, match=said) as caught:
        load_policy(path)
    assert str(path.with_suffix("")) in str(caught.value), "the message names the file"
    report = check_policy(path)
    assert not report.ok
    assert report.findings[0].message == str(caught.value)


@pytest.mark.parametrize("name", ["My Policy.cypher", "UPPER.cypher", "-x.cypher", "é.cypher"])
def test_a_name_that_the_audit_could_not_carry_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidConfig, match="name it in lower-case letters"):
        load_policy(saved(tmp_path, HEAVY_FIRST, name=name))


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match=r"gone\.cypher cannot be read \(No such file"):
        load_policy(tmp_path / "gone.cypher")
    (tmp_path / "latin.cypher").write_bytes("// é\n".encode("latin-1"))
    with pytest.raises(InvalidConfig, match="it is not UTF-8"):
        load_policy(tmp_path / "latin.cypher")
    with pytest.raises(InvalidConfig, match="larger than 100,000 bytes"):
        load_policy(saved(tmp_path, "// " + "x" * 100_000, name="large.cypher"))


@pytest.mark.parametrize(
    ("columns", "settings", "said"),
    [
        ("m.id AS id, m.kind AS score", None, "a score that is no finite number"),
        ("m.id AS id, null AS score", None, "a score that is no finite number"),
        ("m.id AS id, 1e300 AS score", None, "a score that is no finite number"),
        ("m.weight AS id, 1 AS score", None, "a row has no id"),
        ("m.id AS id, 1 AS score, m.kind AS kind", None, "the column 'kind' is no number"),
        ("m.id AS id, 1 AS score, m.kind AS reason", None, "a row's reason is not listed under reasons"),
        ("m.id AS id, 1 AS score, 1e13 AS cost", None, "the column 'cost' is no number below 1e12"),
        ("m.id AS id, 1 AS score", "reason: it is worth $wroth only", r"a reason has \$wroth; there are"),
        ("m.id AS id, m.weight AS score ORDER BY score DESC LIMIT $limit", None, "do not come by score"),
    ],
)
def test_rows_that_cannot_be_used_are_refused_without_their_content(
    engine: ArcadeDB, tmp_path: Path, columns: str, settings: str | None, said: str
) -> None:
    # The first page must be full for its order to matter.
    made = graph(engine, 300 if "LIMIT" in columns else 3)
    policy = load_policy(saved(tmp_path, f"{READS}RETURN {columns}", settings))
    with pytest.raises(InvalidConfig, match=said) as caught:
        policy.plan(made, target=0)
    assert "secret" not in str(caught.value)
