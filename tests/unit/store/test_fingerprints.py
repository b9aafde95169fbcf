"""Pieces of texts and vectors are found in bytes wherever they stand, and only by their own key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.embedding.packing import pack
from marskg.store.fingerprints import PIECE, Fingerprints
from marskg.store.packing import packed_forms

if TYPE_CHECKING:
    from pathlib import Path

KEY = b"a key of the test's"
TEXT = "Bea told me that zyxquartz is her locker word"


def sought(*values: object, key: bytes = KEY) -> Fingerprints:
    found = Fingerprints(key)
    found.add(values)
    return found


@given(before=st.binary(max_size=300), after=st.binary(max_size=300), text=st.text(min_size=PIECE, max_size=400))
def test_a_text_is_found_wherever_it_stands(before: bytes, after: bytes, text: str) -> None:
    assert len(sought(text).found_in(before + text.encode() + after))


@given(text=st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789 ", min_size=250, max_size=600), block=st.integers(0))
def test_each_block_of_a_long_text_is_found_by_itself(text: str, block: int) -> None:
    blocks = [text[start : start + 120] for start in range(0, len(text) - PIECE, 120)]
    assert len(sought(text).found_in(b"\0" + blocks[block % len(blocks)].encode() + b"\0"))


@given(text=st.text(alphabet="klmnop", min_size=PIECE, max_size=60), other=st.text(alphabet="abcdef", max_size=300))
def test_what_is_not_there_is_not_found(text: str, other: str) -> None:
    assert not len(sought(text).found_in(other.encode()))


@given(numbers=st.lists(st.floats(-1, 1, width=16), min_size=8, max_size=80))
@pytest.mark.parametrize("form", ["<f2", "<f4", ">f4", "<f8", ">f8"])
def test_a_vector_is_found_in_every_form_of_its_numbers(form: str, numbers: list[float]) -> None:
    found = Fingerprints(KEY)
    found.add_vector(pack(numbers))
    assert len(found.found_in(b"..." + np.asarray(numbers, dtype="<f2").astype(form).tobytes()))


def test_what_is_no_vector_is_sought_as_a_text() -> None:
    found = Fingerprints(KEY)
    found.add_vector("this is no base64 at all")
    assert len(found.found_in(b"this is no base64 at all"))


@pytest.mark.parametrize("place", [0, 1, (1 << 22) - 20, (1 << 22) - 6, 1 << 22, (1 << 22) + 3])
def test_a_piece_across_the_border_of_two_readings_is_found(place: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\0" * place + b"zyxquartz-vellum" + b"\0" * 50)
    assert len(sought("zyxquartz-vellum").found_in_file(path))
    path.write_bytes(b"\0" * place + packed_forms("s-zyxquartz000")[0] + b"\0" * 50)
    assert len(sought("s-zyxquartz000").found_in_file(path))


def test_a_file_that_went_holds_nothing_and_one_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    assert not len(sought(TEXT).found_in_file(tmp_path / "none"))
    with pytest.raises(OSError, match="directory"):
        sought(TEXT).found_in_file(tmp_path)


def test_the_number_of_a_property_does_not_matter_where_it_is_packed() -> None:
    (form,) = [form for form in packed_forms("locker/zyxquartz") if form][:1]
    assert len(sought("locker/zyxquartz").found_in(form[:5] + b"\x01\x02\x03" + form[8:]))


def test_what_somebody_says_still_is_left_out() -> None:
    found = sought(TEXT, "s-zyxquartz000", ["only this was erased"])
    found.without_said([["Carl wrote: " + TEXT], "s-zyxquartz000", 7, None])
    assert not len(found.found_in(TEXT.encode()))
    assert not len(found.found_in(packed_forms("s-zyxquartz000")[0]))
    assert len(found.found_in(b"only this was erased"))


def test_hashes_are_of_one_key_and_say_nothing_under_another() -> None:
    one, other = sought(TEXT), sought(TEXT, key=b"another")
    assert not len(np.intersect1d(one.hashes, other.hashes))
    again = Fingerprints(KEY)
    again.hashes = one.hashes
    assert len(again.found_in(TEXT.encode()))


@pytest.mark.parametrize("text", ["", "short", "eleven char", "\ud800" * 3])
def test_what_is_too_short_to_be_told_from_others_is_not_sought(text: str) -> None:
    assert not [piece for piece in packed_forms(text) if len(text) < 8]
    found = sought(text)
    assert not len(found.found_in(b"\0" * 100))


def test_ids_are_sought_by_what_differs() -> None:
    found = sought("urn:uuid:01a1feaa-81e6-7dde-9471-6ceb89f42d31")
    assert not len(found.found_in(b"urn:uuid:01a1feaa-81e6-7dde-9471-6ceb89f42d32"))
    assert len(found.found_in(b"6ceb89f42d31"))
