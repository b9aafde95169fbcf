"""Validation of graphs and neighbourhoods: order, batches, cycles of any length, files, bad input."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from marskg.answer import plain
from marskg.errors import InvalidDocument
from marskg.ontology.mapping import memory_lines
from marskg.ontology.vocabulary import EdgeType, Kind, Tier
from marskg.records import Edge, Memory
from marskg.shapes.batches import Batches
from marskg.shapes.cycles import components, cyclic_edges
from marskg.shapes.validate import turtle_lines, validate_graph, validate_neighbourhood
from tests.unit.shapes.fixtures import load
from tests.unit.shapes.verdicts import named

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.shapes.validate import EngineName

DAY = 86_400_000
SECRET = "my doctor said the test was positive"


def node(number: int) -> str:
    return f"urn:uuid:00000000-0000-7000-8000-{number:012x}"


def memory(number: int, **fields: object) -> Memory:
    values: dict[str, Any] = {
        "content": SECRET,
        "weight": 3,
        "created": 1_750_000_000_000,
        "valid_from": 1_750_000_000_000,
        **fields,
    }
    return Memory(id=node(number), tenant="alice", kind=Kind.SEMANTIC, sequence=number, **values)


def lines_of(number: int, *edges: tuple[EdgeType, int], **fields: object) -> list[str]:
    subject = memory(number, **fields)
    return memory_lines(subject, [Edge(subject.id, type_, node(end), subject.created) for type_, end in edges])


CHAIN = [line for n in range(60) for line in lines_of(n, *([(EdgeType.DERIVES_FROM, n - 1)] if n else []))]


def test_a_clean_graph_conforms_and_is_counted() -> None:
    report = validate_graph(CHAIN)
    assert report.ok
    assert report.checked == 60


@pytest.mark.parametrize("batch_lines", [1, 7, 100, 100_000])
def test_the_verdict_depends_neither_on_batches_nor_on_the_order_of_lines(batch_lines: int) -> None:
    gone = [line for line in CHAIN if not line.startswith(f"<{node(30)}>")]
    random.Random(batch_lines).shuffle(gone)
    assert named(validate_graph(gone, batch_lines=batch_lines).findings) == {(node(31), "LinkClosure")}


def test_a_finding_names_rule_and_node_and_no_content() -> None:
    broken = lines_of(1, (EdgeType.DEPENDS_ON, 2), sensitivity=3.0) + lines_of(
        2, content=None, tier=Tier.TOMBSTONE, weight=0
    )
    broken.append(f'<{node(1)}> <https://w3id.org/mars-kg/ns#content> "{SECRET} twice" .')
    report = validate_graph(broken)
    assert [(f.code, f.where, f.message.partition(":")[0]) for f in report.findings] == [
        ("content-closure", node(1), "ContentClosure"),
        ("range", node(1), "Memory-content"),
        ("range", node(1), "Memory-sensitivity"),
    ]
    assert "positive" not in str(plain(report))


def test_an_iterator_is_read_once() -> None:
    assert validate_graph(iter(CHAIN)).checked == 60


def test_an_empty_graph_conforms() -> None:
    assert validate_graph([]).ok
    assert validate_graph([""]).checked == 0


@pytest.mark.parametrize("length", [1, 2, 3, 50])
def test_cycles_of_any_length_are_found(length: int) -> None:
    types = [EdgeType.DERIVES_FROM, EdgeType.SUPERSEDES]
    ring = [line for n in range(length) for line in lines_of(n, (types[n % 2], (n + 1) % length))]
    expected = {(node(n), f"Acyclicity-{types[n % 2]}") for n in range(length)}
    assert named(validate_graph(CHAIN[:0] + ring + lines_of(99, (EdgeType.DERIVES_FROM, 0))).findings) == expected


def test_a_chain_of_a_hundred_thousand_is_searched_in_linear_time() -> None:
    edges = [(str(n), "derivesFrom", str(n + 1)) for n in range(100_000)]
    assert cyclic_edges(edges) == []
    assert cyclic_edges([*edges, ("100000", "derivesFrom", "99999")]) == [
        ("99999", "derivesFrom", "100000"),
        ("100000", "derivesFrom", "99999"),
    ]


def test_components_are_those_of_a_brute_force_search() -> None:
    generator = random.Random(5)
    for _ in range(200):
        size = generator.randint(1, 7)
        links = {str(n): [str(generator.randrange(size)) for _ in range(generator.randint(0, 3))] for n in range(size)}
        reach = {start: _reach(links, start) for start in links}
        found = components(links)
        for a in links:
            for b in links:
                together = a == b or (b in reach[a] and a in reach[b])
                assert (found[a] == found[b]) == together


def _reach(links: dict[str, list[str]], start: str) -> set[str]:
    seen: set[str] = set()
    todo = [start]
    while todo:
        for target in links[todo.pop()]:
            if target not in seen:
                seen.add(target)
                todo.append(target)
    return seen


@pytest.mark.parametrize("suffix", [".nt", ".nq", ".ttl"])
def test_files_are_validated(tmp_path: Path, suffix: str) -> None:
    (broken,) = (fixture for fixture in load("violating") if fixture.path.stem == "LinkClosure")
    path = tmp_path / f"export{suffix}"
    path.write_text(broken.text if suffix == ".ttl" else "\n".join(broken.lines), encoding="utf-8")
    assert named(validate_graph(path).findings) == broken.breaks


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.nt", b"<urn:a> <urn:b>\n", "line 1"),
        ("a.nt", b"<urn:a> <urn:b> <urn:c> .\n<urn:a> <urn:b> cut off by a full di", "line 2"),
        ("a.nt", '<urn:a> <urn:b> "\xe9" .'.encode("latin-1"), "not UTF-8"),
        ("a.ttl", b"@prefix : <urn:x> . :a :b", "no Turtle"),
        ("a.jsonld", b"{}", "suffix '.jsonld'"),
    ],
)
def test_what_is_no_rdf_is_refused_with_its_place(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InvalidDocument, match=said) as caught:
        validate_graph(path)
    assert "full di" not in str(caught.value)


@pytest.mark.parametrize("engine", ["pyshacl", "rudof"])
def test_a_validator_serves_many_calls_and_keeps_nothing_between_them(engine: EngineName) -> None:
    validate = partial(validate_neighbourhood, engine=engine)
    broken = lines_of(1, (EdgeType.DERIVES_FROM, 2))
    for _ in range(3):
        assert named(validate(broken, {node(1)}).findings) == {(node(1), "LinkClosure")}
        assert validate(broken + lines_of(2), {node(1)}).ok
        with pytest.raises(InvalidDocument):
            validate(["<urn:a> <urn:b> nonsense ."], {"urn:a"})


def test_a_neighbour_need_not_be_whole() -> None:
    stub = [line for line in lines_of(2) if "#type>" in line or "#tier>" in line or "#content>" in line]
    given = lines_of(1, (EdgeType.DEPENDS_ON, 2)) + stub
    assert validate_neighbourhood(given, {node(1)}).ok
    assert not validate_neighbourhood(given, {node(2)}).ok


def test_nodes_of_edges_go_with_their_source() -> None:
    subject = memory(1)
    given = memory_lines(subject, [Edge(subject.id, EdgeType.DERIVES_FROM, node(2), subject.created + DAY, 0.5)])
    given = [line.replace('"0.5"', '"much"') for line in given] + lines_of(2)
    assert {shape for _, shape in named(validate_neighbourhood(given, {node(1)}).findings)} == {"Edge-edgeWeight"}


def test_batches_hold_each_line_once_and_keep_no_content_of_others() -> None:
    batches = Batches(CHAIN, 40)
    seen: list[str] = []
    for lines, focus in batches:
        own = [line for line in lines if line[1:].partition(">")[0] in focus]
        seen += own
        assert not any(SECRET in line for line in lines if line not in own)
    assert sorted(seen) == sorted(CHAIN)


def test_turtle_lines_are_the_triples_of_the_document() -> None:
    found = turtle_lines("@prefix : <urn:x:> . :a :b :c , 'd' .")
    assert sorted(found) == ['<urn:x:a> <urn:x:b> "d" .', "<urn:x:a> <urn:x:b> <urn:x:c> ."]
