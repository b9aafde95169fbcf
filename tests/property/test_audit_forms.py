"""Encodings and forms come back as they were, and two implementations of each agree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import CanonicalizationAlgorithm, Dataset, RdfFormat, parse

from marskg.audit import verify
from marskg.audit.dataintegrity import base58btc, from_base58btc, from_multibase_url, multibase_url
from marskg.audit.document import LineReader, record_from_jsonld, record_lines, record_to_jsonld, signed_document
from marskg.audit.grammar import details_text, parse_details, record_core, second_text, time_text
from marskg.audit.linkeddata import canonical_nquads
from marskg.clock import MAX_MS
from marskg.ontology.fields import NODE_DETAIL_FIELDS, RECORD_DETAIL_FIELDS, Field
from marskg.ontology.mapping import time_lexical
from marskg.ontology.vocabulary import NS, Datatype, Operation
from marskg.store.rows import codec
from tests.unit.audit.world import World

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
ZEROS = st.integers(0, 5).map(bytes)


def values_of(field: Field) -> st.SearchStrategy[Any]:
    """Values of one detail field, as the writer gets them."""
    one: st.SearchStrategy[Any] = {
        Datatype.STRING: TEXT,
        Datatype.INTEGER: st.integers(-(2**63), 2**63 - 1),
        Datatype.DECIMAL: st.integers(-(10**12), 10**12).map(lambda micro: micro / 1_000_000),
        Datatype.TERM: st.sampled_from(["live", "latent", "tombstone", "gone"]),
        Datatype.IRI: st.uuids().map(lambda uuid: f"urn:uuid:{uuid}"),
    }[field.datatype]
    return st.lists(one, min_size=1, max_size=4).map(tuple) if field.many else one


def details_of(fields: tuple[Field, ...]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={field.name: values_of(field) for field in fields})


RECORD_DETAILS = details_of(RECORD_DETAIL_FIELDS)
NODE_DETAILS = details_of(NODE_DETAIL_FIELDS)


@given(ZEROS, st.binary(max_size=80))
def test_base58_comes_back(zeros: bytes, data: bytes) -> None:
    assert from_base58btc(base58btc(zeros + data)) == zeros + data


@given(ZEROS, st.binary(min_size=64, max_size=64))
def test_the_verifiers_base58_is_the_writers(zeros: bytes, data: bytes) -> None:
    data = (zeros + data)[:64]
    assert verify._base58(base58btc(data), 64) == data
    assert verify._base58("1" + base58btc(data), 64) is None


@given(st.text(alphabet="123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0OIl é", max_size=90))
def test_the_verifiers_base58_takes_only_what_comes_back(text: str) -> None:
    data = verify._base58(text, 64)
    assert data is None or base58btc(data) == text


@given(st.binary(max_size=40))
def test_base64url_comes_back(data: bytes) -> None:
    assert from_multibase_url(multibase_url(data)) == data


@given(st.integers(-62_135_596_800_000, MAX_MS))
def test_the_verifiers_times_are_the_writers(moment: int) -> None:
    assert time_text(moment) == time_lexical(moment)
    assert second_text(moment) == time_lexical(moment // 1000 * 1000)


@given(RECORD_DETAILS, st.lists(NODE_DETAILS, max_size=12))
def test_a_record_of_any_details_is_canonical_and_comes_back(
    record: dict[str, Any], nodes: list[dict[str, Any]]
) -> None:
    nodes = [{"memory": "urn:uuid:01920000-0000-7000-8000-000000000001", **node} for node in nodes]
    made = World(tenant="").sign(3, Operation.ACCESS, record=record, nodes=nodes)
    for index, text in enumerate(made.details):
        assert text == rdfc10(text)
        assert details_text(parse_details(text, made.iri, index), made.iri, index) == text
    assert record_from_jsonld(record_to_jsonld(made)) == made
    reader = LineReader()
    for line in reversed(record_lines(made)):
        reader.add(line)
    assert [reader.record(iri) for iri in reader.record_iris()] == [made]


@given(RECORD_DETAILS, st.lists(NODE_DETAILS, max_size=6), st.sampled_from(["", "+", "."]))
def test_a_record_lies_shortened_in_the_store_and_comes_back_as_signed(
    record: dict[str, Any], nodes: list[dict[str, Any]], foreign: str
) -> None:
    nodes = [{"memory": "urn:uuid:01920000-0000-7000-8000-000000000001", **node} for node in nodes]
    made = World().sign(3, Operation.ACCESS, record=record, nodes=nodes)
    # What another program signed, or somebody changed, comes back as well, whatever it is.
    made = replace(made, core=made.core + foreign, details=tuple(text + foreign for text in made.details))
    row = codec.encode_record(made, "a")
    assert codec.decode_record(row) == made
    if not foreign:
        assert row["core"] == ""
        assert NS not in "".join(row["details"]).replace(f"<{NS}", "")
        assert made.iri not in "".join(row["details"])


@given(st.text('<>. \n"ab', max_size=30))
def test_any_text_in_the_place_of_details_comes_back_or_is_told_apart(text: str) -> None:
    made = World().sign(3, Operation.ACCESS, nodes=[{"memory": "urn:uuid:1"}])
    row = {**codec.encode_record(made, "a"), "details": [text, text]}
    read = codec.decode_record(row)
    assert codec.encode_record(read, "a") == row or read.details[0] != made.details[0]


@given(st.integers(0, 30), st.integers(1, 2**62), st.sampled_from(Operation))
def test_three_ways_to_a_core_agree(slots: int, sequence: int, operation: Operation) -> None:
    node = {"memory": "urn:uuid:01920000-0000-7000-8000-000000000001"}
    made = World().sign(sequence, operation, nodes=[node] * slots)
    document = signed_document(made)
    assert canonical_nquads({name: value for name, value in document.items() if name != "proof"}) == made.core
    commitments = [slot["commitment"] for slot in document["slot"]]
    assert made.core == record_core(
        log=made.log,
        sequence=sequence,
        operation=operation,
        recorded_at=made.recorded_at,
        signing_key=made.signing_key,
        commitments=commitments,
    )


def rdfc10(nquads: str) -> str:
    dataset = Dataset(parse(nquads.encode(), RdfFormat.N_QUADS))
    dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
    return "".join(sorted(f"{quad} .\n" for quad in dataset))
