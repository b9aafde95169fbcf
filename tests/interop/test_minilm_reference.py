"""MiniLM in numpy gives the vectors of sentence-transformers: of a file here, of the library itself in the proof."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import numpy as np
import pytest

from marskg.embedding.minilm import MiniLM
from tests.interop.minilm_reference import PYTHON, REFERENCE, ROOT, answer, cosines, recorded, varied_texts

#: Cosine of two vectors of one text.
ENOUGH = 0.999


def test_a_hundred_texts_have_the_vectors_of_the_original() -> None:
    texts, theirs = recorded()
    assert theirs.shape == (100, 384)
    assert min(cosines(theirs, MiniLM().embed(texts))) >= ENOUGH


def test_an_encoder_with_a_fault_does_not() -> None:
    texts, theirs = recorded()
    model = MiniLM()
    encoder = model._load()[1]
    encoder._positions = np.roll(encoder._positions, 1, axis=0)
    assert min(cosines(theirs, model.embed(texts))) < ENOUGH


@pytest.fixture(scope="module")
def given() -> dict[str, Any]:
    """Return the answers of the library itself; a machine that cannot install it fails here, it does not skip."""
    done = subprocess.run(
        ["make", "--silent", str(PYTHON.parents[1].relative_to(ROOT) / ".installed")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return answer(varied_texts())


@pytest.mark.proof
def test_the_file_is_what_the_library_makes_of_the_texts(given: dict[str, Any]) -> None:
    texts, theirs = recorded()
    assert texts == varied_texts()
    assert json.loads(REFERENCE.read_text(encoding="utf-8"))["weights_sha256"] == given["weights_sha256"]
    assert min(cosines(theirs, np.array(given["vectors"], dtype=np.float32))) >= 1 - 1e-5


@pytest.mark.proof
def test_the_extra_names_its_model_by_its_weights(given: dict[str, Any]) -> None:
    name, _, digest = given["name"].partition("@")
    assert name == "sentence-transformers:model"
    assert len(digest) == 12
    assert given["dimension"] == 384
    assert given["none"] == [0, 384]


@pytest.mark.proof
def test_what_is_not_there_is_not_fetched(given: dict[str, Any]) -> None:
    for said in (given["unknown"], given["folder"]):
        assert "cannot be loaded: give the path of a folder" in said
