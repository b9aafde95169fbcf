"""Random stores, each with something erased and its files rewritten: nothing of it is left, and all the rest is there.

Every text, session, source and name of a history holds a word of its own. What the graph does not say any more after
the erasure must be in no file, in no form, with the program running and after it closed the store. ``RESIDUE_STORES``
is how many stores are tried; ``make proof`` tries 200.
"""

from __future__ import annotations

import json
from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import pytest

from marskg.store.engine.arcadedb import ArcadeDB
from tests.support import picture as pictures
from tests.support import stores as support
from tests.support.marked import LENGTH, NAMES, STEM, Marked, marks, request, said
from tests.support.residue import forms, residue

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.proof
def test_nothing_of_what_was_erased_is_left_in_random_stores(residue_stores: int, tmp_path: Path) -> None:
    erased: Counter[str] = Counter()
    for number in range(residue_stores):
        chance = Random(20261122 + number)
        folder = tmp_path / f"store-{number}"
        stores = support.embedded(folder)
        history = Marked(stores, "t", seed=f"residue {number}")
        for _ in range(LENGTH):
            history.step(chance.choice(NAMES), Random(chance.getrandbits(64)))
        before = history.picture()
        asked = request(before, chance)
        history.memory.erase(**asked, scrub=True)
        after = history.picture()
        gone = {node_id: node for node_id, node in before.nodes.items() if node_id not in after.nodes}
        left = said(after)
        own = {word for node in gone.values() for word in marks(json.dumps(node.get("content")))}
        kept = {word for node in after.nodes.values() for word in marks(json.dumps(node.get("content")))}
        assert own & kept == set(), f"store {number}: what was erased for {[*asked]} is still said"
        words = {f"{STEM}{place:05d}vellum" for place in range(1, history.words + 1)} - marks(left)
        # Equal texts have equal vectors, and somebody else may have said the same.
        held = {node.get("embedding") for node in after.nodes.values()}
        vectors = [node["embedding"].encode() for node in gone.values() if node.get("embedding") not in {None, *held}]
        assert residue(folder, words, vectors, stem=STEM) == [], f"store {number}, {[*asked]}, while it is open"
        assert pictures.faults(after) == []
        history.finish()
        stores.engine.close()
        assert residue(folder, words, vectors, stem=STEM) == [], f"store {number}, {[*asked]}, after it was closed"
        erased.update({next(iter(asked)): len(gone)})
    assert sum(erased.values()) > residue_stores, f"too little was erased to show anything: {erased}"


def test_nothing_of_one_random_store_is_left(tmp_path: Path) -> None:
    test_nothing_of_what_was_erased_is_left_in_random_stores(1, tmp_path)


#: Characters for private use, each of three bytes that no text and no digest has.
MARKS = tuple(chr(0xE000 + 37 * number) for number in range(40))


def marked(folder: Path) -> list[str]:
    """Erase texts each of which has a mark, down to the bytes; returns where a mark is left."""
    stores = support.embedded(folder)
    memory = stores.open("t", embedding__model="none", sensitivity__assess="off")
    for number, mark in enumerate(MARKS):
        memory.remember(f"{mark} is locker {number}", subjects=["bea"], session=mark, key=None, source_ref=f"s/{mark}")
    assert residue(folder, MARKS), "what is to be found is there before"
    memory.erase(subject="bea", scrub=True)
    stores.engine.close()
    return [place for place in residue(folder, MARKS) if ": UTF-8 " in place]


@pytest.mark.proof
def test_not_three_bytes_of_what_was_erased_are_left(tmp_path: Path) -> None:
    assert marked(tmp_path / "store") == []


@pytest.mark.proof
def test_three_bytes_that_stayed_behind_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scrub = ArcadeDB.scrub

    def leaking(engine: ArcadeDB) -> None:
        scrub(engine)
        (tmp_path / "store" / "left").write_bytes(MARKS[7].encode())

    monkeypatch.setattr(ArcadeDB, "scrub", leaking)
    (found,) = marked(tmp_path / "store")
    assert found.startswith("left: UTF-8 ")


@pytest.mark.parametrize("form", sorted(forms("")))
def test_a_word_that_stayed_behind_is_found(form: str, tmp_path: Path) -> None:
    word = f"{STEM}00001vellum"
    (tmp_path / "other").write_bytes(b"nothing")
    (tmp_path / "left").write_bytes(b"....." + forms(word)[form] + b".....")
    found = residue(tmp_path, [word], stem=STEM)
    assert f"left: {form} {forms(word)[form][:40]!r}" in found
    assert all(one.startswith("left: ") for one in found)


def test_a_store_that_was_not_rewritten_holds_what_was_erased(tmp_path: Path) -> None:
    """What the test above looks for is there until the files are rewritten."""
    stores = support.embedded(tmp_path / "store")
    history = Marked(stores, "t", seed="planted")
    told = [history.memory.remember(f"The word is {history.word()}", subjects=["ann"]) for _ in range(20)]
    words = [f"{STEM}{number:05d}vellum" for number in range(1, 21)]
    history.memory.erase(subject="ann")
    assert history.memory.get(told[0].id) is None
    assert residue(tmp_path / "store", words, stem=STEM)
    stores.engine.close()
