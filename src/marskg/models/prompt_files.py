"""The instructions of language models: one text file for each, with its version in its name.

Guarantees: a prompt never changes under its name, which the name's digest in an answer's origin shows: another wording
is another version. It is read from the package; nothing of what people say is part of it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

_DIGEST_LENGTH: Final = 32


@dataclass(frozen=True, slots=True)
class Prompt:
    """An instruction: its name with its version, such as ``extract.v1``, and its text."""

    name: str
    text: str

    @property
    def digest(self) -> str:
        """Return the first 128 bits of the SHA-256 of the text, in hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:_DIGEST_LENGTH]


@cache
def prompt(name: str) -> Prompt:
    """Return the prompt of a name such as ``extract.v1``.

    Raises:
        FileNotFoundError: the package has none of that name.
    """
    text = files("marskg.models").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")
    return Prompt(name, text.strip())
