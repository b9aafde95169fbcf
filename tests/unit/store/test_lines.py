from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.records import SummaryLine
from marskg.store.rows.summary_lines import decode, encode, first_expiry, sources_of, without

ONE, TWO, THREE = (f"urn:uuid:00000000-0000-7000-8000-00000000000{number}" for number in (1, 2, 3))
LINES = st.lists(
    st.builds(
        SummaryLine,
        text=st.text(min_size=1).map(lambda text: " ".join(text.split())).filter(bool),
        sources=st.sets(st.sampled_from([ONE, TWO, THREE])).map(lambda ids: tuple(sorted(ids))),
        verbatim=st.booleans(),
        sensitivity=st.integers(0, 1_000_000).map(lambda micro: micro / 1_000_000),
        expires_at=st.none() | st.integers(0, 4_000_000_000_000),
    ),
    max_size=12,
)


@given(LINES)
def test_what_is_kept_is_what_was_said(lines: list[SummaryLine]) -> None:
    assert decode(encode(lines)) == tuple(lines)
    assert encode(lines) == tuple(sorted(encode(lines)))


@pytest.mark.parametrize("text", ["", "by hand", "0000 verbatim 0 yesterdayZ - Text", "0000 verbatim 2 - - Text"])
def test_what_is_in_no_form_has_no_sources_and_leaves_with_anything(text: str) -> None:
    (line,) = decode([text])
    assert line.sources == ()
    assert line.sensitivity == 1.0
    assert without([line], frozenset({ONE}), 0) == ()
    assert without([line], frozenset(), 0) == (line,)


def test_lines_leave_with_any_source_and_when_their_time_is_over() -> None:
    both, other = (
        SummaryLine("Both.", (ONE, TWO), verbatim=True),
        SummaryLine("One.", (THREE,), verbatim=True, expires_at=50),
    )
    assert without((both, other), frozenset({TWO}), 0) == (other,)
    assert without((both, other), frozenset(), 50) == (both,)
    assert sources_of((both, other)) == {ONE, TWO, THREE}
    assert first_expiry((both, other)) == 50
    assert first_expiry((both,)) is None
