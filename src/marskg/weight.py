"""The weight of a text: how many wordpiece tokens it has, by the vocabulary that is bundled with the package.

Guarantees: counts are those of the BERT-Base uncased tokenizer (cleaned text, lower case, accents stripped, CJK
characters split) without the special tokens that frame a sequence and without truncation; nothing is downloaded; the
same text weighs the same everywhere. As in every tokenizer of this family, a run of more than 100 characters without
a break is one unknown token, and a special token spelled out in the text is one token.
Source: semantics section 1 (weight); Devlin et al. 2018, google-research/bert ``tokenization.py``.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from marskg.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_MAX_WORD = 100
#: Printable ASCII and blanks without a special token: such a text is the sum of its words.
_CALM = r"[ \t\n\r!-Z\\-~]*+"
_PLAIN = re.compile(rf"{_CALM}(?:\[(?!(?:{'|'.join(name[1:-1] for name in _SPECIAL_TOKENS)})\]){_CALM})*+", re.ASCII)
_WORD = re.compile(r"[a-z0-9]+|[^\sa-z0-9]", re.ASCII)
#: Words whose weight is kept; people's words repeat.
_KEPT_WORDS = 50_000


class TokenCounter:
    """Counts wordpiece tokens; reads the vocabulary at the first count.

    A plain text is weighed word by word, because the tokenizer cuts it at the same places and weighs each word alone.
    """

    def __init__(self) -> None:
        """Know no word yet."""
        self._words: dict[str, int] = {}

    def count(self, text: str) -> int:
        """Return the number of wordpiece tokens of ``text``, 0 for a text with none.

        Raises:
            InvalidInput: ``text`` is no Unicode text, because it holds a lone surrogate.
        """
        if _PLAIN.fullmatch(text):
            return self._plain(text)
        if "\n" in text:
            # No token runs across lines, and of many lines most are plain.
            return sum(map(self.count, text.split("\n")))
        try:
            return len(self._tokenizer.encode(text, add_special_tokens=False))
        except TypeError as error:
            raise _no_text(0) from error

    def count_many(self, texts: Iterable[str]) -> list[int]:
        """Return the number of wordpiece tokens of each of ``texts``, in their order.

        Raises:
            InvalidInput: a text holds a lone surrogate; the message names its position in ``texts``.
        """
        batch = list(texts)
        plain = {place: self._plain(text) for place, text in enumerate(batch) if _PLAIN.fullmatch(text)}
        others = [place for place in range(len(batch)) if place not in plain]
        if not others:
            return list(plain.values())
        try:
            encodings = self._tokenizer.encode_batch_fast([batch[place] for place in others], add_special_tokens=False)
        except TypeError as error:
            raise _no_text(next(n for n, text in enumerate(batch) if not _encodable(text))) from error
        plain.update(zip(others, map(len, encodings), strict=True))
        return [plain[place] for place in range(len(batch))]

    def _plain(self, text: str) -> int:
        """Return the weight of a plain text."""
        known, total = self._words, 0
        for word in _WORD.findall(text.lower()):
            weight = known.get(word)
            if weight is None:
                # What the tokenizer does before its model changes nothing about such a word.
                weight = len(self._pieces(word))
                if len(known) >= _KEPT_WORDS:
                    known.clear()
                known[word] = weight
            total += weight
        return total

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return _bundled()

    @cached_property
    def _pieces(self) -> Callable[[str], list[Any]]:
        model: WordPiece = self._tokenizer.model
        return model.tokenize


@cache
def _bundled() -> Tokenizer:
    """Return the tokenizer of the bundled vocabulary, made once: nothing about it changes afterwards."""
    listed = files("marskg").joinpath("tokenizer", "vocab.txt").read_text(encoding="utf-8")
    vocabulary = {token: number for number, token in enumerate(listed.rstrip("\n").split("\n"))}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=_MAX_WORD))  # noqa: S106 - a vocabulary entry
    tokenizer.normalizer = BertNormalizer(lowercase=True, strip_accents=None, clean_text=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.add_special_tokens(list(_SPECIAL_TOKENS))
    return tokenizer


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _no_text(position: int) -> InvalidInput:
    return InvalidInput(
        f"text {position} holds a lone surrogate, which UTF-8 cannot write: decode its source as UTF-8, "
        "or replace the surrogates before storing it"
    )
