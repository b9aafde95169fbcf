"""rdflib, pyoxigraph, PyLD and npm ``jsonld`` read the same from our JSON-LD: what the mapping says."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
import rdflib
from hypothesis import given, settings
from pyld import jsonld

from marskg.exporters.rdf.jsonld import packaged_context
from marskg.exporters.rdf.writer import Content, write_export
from tests.strategies import StoreContent, stores
from tests.support.exports import content_of, episodes, lines_of, parsed, parsed_lines, signed_log
from tests.support.waiting import HANGS_S

HERE = Path(__file__).parent
LOG = signed_log(3)


def by_npm(path: Path) -> ox.Dataset:
    """Return what npm ``jsonld`` reads; its safe mode fails on whatever it would drop."""
    command = ["node", str(HERE / "to_nquads.mjs")]
    done = subprocess.run(command, input=str(path), capture_output=True, encoding="utf-8", timeout=HANGS_S, check=False)
    assert done.returncode == 0, done.stderr
    return ox.Dataset(ox.parse(done.stdout, format=ox.RdfFormat.N_QUADS))


def by_pyld(path: Path) -> ox.Dataset:
    """Return what PyLD reads, without a document loader."""

    def refuse(name: object) -> None:
        raise AssertionError(name)

    expanded = jsonld.expand(json.loads(path.read_bytes()), {}, on_property_dropped=refuse)
    return ox.Dataset(ox.parse(jsonld.to_rdf(expanded, {"format": "application/n-quads"}), format=ox.RdfFormat.N_QUADS))


def by_rdflib(path: Path) -> ox.Dataset:
    """Return what rdflib reads, its literals as they are written: by default it rewrites them."""
    before, rdflib.NORMALIZE_LITERALS = rdflib.NORMALIZE_LITERALS, False
    try:
        quads = list(rdflib.Dataset().parse(path, format="json-ld").quads())
    finally:
        rdflib.NORMALIZE_LITERALS = before
    return ox.Dataset(ox.Quad(*(oxigraph_term(term) for term in quad[:3])) for quad in quads)


def oxigraph_term(term: rdflib.term.Node) -> Any:
    """Return an rdflib term as pyoxigraph's."""
    if isinstance(term, rdflib.Literal):
        datatype = None if term.datatype is None else ox.NamedNode(term.datatype)
        return ox.Literal(str(term), datatype=datatype)
    assert isinstance(term, rdflib.URIRef), term
    return ox.NamedNode(term)


READERS = {"npm": by_npm, "pyld": by_pyld, "rdflib": by_rdflib, "pyoxigraph": parsed}


@pytest.mark.usefixtures("node_modules")
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("audited", [False, True], ids=["memories", "with audit"])
def test_an_export_is_read_alike(tmp_path: Path, reader: str, *, audited: bool) -> None:
    def content() -> Content:
        return Content(list(episodes(20)), (), *(LOG if audited else (None, ())))

    path = tmp_path / "export.jsonld"
    write_export(path, content())
    assert READERS[reader](path) == parsed_lines(lines_of(content()))


@pytest.mark.usefixtures("node_modules")
@given(store=stores())
@settings(max_examples=10)
def test_random_stores_are_read_alike(tmp_path_factory: pytest.TempPathFactory, store: StoreContent) -> None:
    path = tmp_path_factory.mktemp("alike") / "export.jsonld"
    write_export(path, content_of(store, LOG))
    expected = parsed_lines(lines_of(content_of(store, LOG)))
    for name, reader in READERS.items():
        assert reader(path) == expected, name


@pytest.mark.usefixtures("node_modules")
def test_a_term_that_nobody_defined_is_noticed(tmp_path: Path) -> None:
    """The readers above would tell: npm's safe mode and PyLD's handler both fail on it."""
    path = tmp_path / "typo.jsonld"
    path.write_text(json.dumps({"@context": packaged_context(), "@id": "urn:x:y", "contnet": "x", "name": "y"}))
    for reader in (by_npm, by_pyld):
        with pytest.raises(AssertionError):
            reader(path)
