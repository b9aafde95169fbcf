"""A view that is changed step by step holds what one made anew holds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.exporters.queries.view import SparqlView
from marskg.exporters.rdf.writer import Content
from tests.strategies import StoreContent, stores
from tests.support.exports import content_of, lines_of, parsed_lines, signed_log

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORDS, HEADS = signed_log(4)


@pytest.fixture(scope="module")
def view() -> Iterator[SparqlView]:
    with SparqlView.temporary() as made:
        yield made


def held(view: SparqlView) -> set[str]:
    """Return the triples of the view's data."""
    return {str(quad.triple) for quad in view._store.quads_for_pattern(None, None, None, None) if _is_data(quad)}


def _is_data(quad: object) -> bool:
    return "urn:marskg:view" not in str(quad)


def expected(content: Content) -> set[str]:
    return {str(quad.triple) for quad in parsed_lines(lines_of(content))}


@given(before=stores(), after=stores(), kept=st.sets(st.integers(0, 8)))
def test_changes_give_what_a_rebuild_gives(
    view: SparqlView, before: StoreContent, after: StoreContent, kept: set[int]
) -> None:
    """Some nodes stay as they are, others change their fields and edges, others go; a record loses its details."""
    view.rebuild(content_of(before, (RECORDS[:3], HEADS)), 3)
    pairs = list(zip(before.memories, after.memories, strict=False))
    # The changed nodes keep their ids, with the content and edges of another store.
    changed = [
        (replace(new, id=old.id), tuple(replace(edge, source=old.id) for edge in edges))
        for index, ((old, _), (new, edges)) in enumerate(pairs)
        if index not in kept
    ]
    gone = [memory.id for memory, _ in before.memories[len(pairs) :]]
    ids = {memory.id for memory, _ in changed} | set(gone)
    shorter = RECORDS[3]
    view.apply(Content(changed, (), [shorter]), 4, gone)
    rest = [(memory, edges) for memory, edges in before.memories if memory.id not in ids]
    whole = Content([*rest, *changed], before.entities, [*RECORDS[:3], shorter], HEADS)
    assert held(view) == expected(whole)
    assert len(view) == len(expected(whole))
    assert view.sequence == 4
    view.rebuild(whole, 4)
    assert held(view) == expected(whole)
