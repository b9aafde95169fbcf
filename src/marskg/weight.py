"""The weight of a text: how many tokens it has, by the vocabulary that is bundled with the package.

Guarantees: what the vocabulary knows counts as in the BERT-Base uncased tokenizer (cleaned text, lower case, accents
stripped, CJK characters split), without special tokens and without truncation. What it does not know is never one token
in all, as no model reads it as one: a run that it cannot cut, or of more than 100 characters, weighs a token for three
of its bytes (UTF-8), sixteen blanks in a row weigh a token, and a line weighs at least what it holds of characters that
the tokenizer leaves out (marks, controls, zero width, private use, blanks beyond ASCII). Nothing is downloaded; the
same text weighs the same everywhere.
Source: semantics section 1 (weight); Devlin et al. 2018, google-research/bert ``tokenization.py``; measured against
the tokenizers of current models in docs/adr/0071-weight-of-every-text.md.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from marskg.errors import InvalidInput
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

#: The number of the rule that this module weighs by; what was weighed by a former one is weighed again.
RULE: Final = 2

_UNKNOWN: Final = "[UNK]"
_MAX_WORD: Final = 100
#: Bytes of an unknown run, and blanks in a row, that weigh a token.
_BYTES, _BLANKS = 3, 16
#: Printable ASCII and blanks: such a text is the sum of its words.
_PLAIN = late_regex(r"[ \t\n\r!-~]*+")
_WORD = late_regex(rf"[a-z0-9]+|[^\sa-z0-9]|\s{{{_BLANKS},}}", re.ASCII)
_BLANK_RUN = late_regex(rf"[ \t\n\r]{{{_BLANKS},}}")
#: Words whose weight is kept; people's words repeat.
_KEPT_WORDS = 50_000


class TokenCounter:
    """Counts tokens; reads the vocabulary at the first count.

    Texts are weighed word by word, as the tokenizer cuts them and weighs each word alone.
    """

    def __init__(self) -> None:
        """Know no word yet."""
        self._words: dict[str, int] = {}
        self._characters: dict[str, int] = {}

    def count(self, text: str) -> int:
        """Return the number of tokens of ``text``, 0 for a text with none.

        Raises:
            InvalidInput: ``text`` is no Unicode text, because it holds a lone surrogate.
        """
        if _PLAIN.fullmatch(text):
            return self._sum(_WORD.findall(text.lower()))
        try:
            return self._mixed(text)
        except UnicodeEncodeError as error:
            raise _no_text(0) from error

    def count_many(self, texts: Iterable[str]) -> list[int]:
        """Return the number of tokens of each of ``texts``, in their order.

        Raises:
            InvalidInput: a text holds a lone surrogate; the message names its position in ``texts``.
        """
        batch = list(texts)
        try:
            return [self.count(text) for text in batch]
        except InvalidInput as error:
            raise _no_text(next(place for place, text in enumerate(batch) if not _encodable(text))) from error

    def _mixed(self, text: str) -> int:
        """Return the weight of a text that is not all printable ASCII."""
        left_out = {one: weight for one in set(text) if (weight := self._left_out(one))}
        total = sum(len(run) // _BLANKS for run in _BLANK_RUN.findall(text))
        if not left_out:
            return total + self._words_of(text)
        # Beside words such a character is as good as free: an accent, a joined emoji, a blank that does not break.
        for line in text.split("\n"):
            least = sum([left_out[one] for one in line if one in left_out])
            total += max(least, self._words_of(line))
        return total

    def _words_of(self, text: str) -> int:
        parts = _bundled()
        return self._sum([word for word, _ in parts.words.pre_tokenize_str(parts.clean.normalize_str(text))])

    def _sum(self, words: Iterable[str]) -> int:
        """Return the weight of words as the tokenizer cuts them, and of runs of blanks."""
        known, total = self._words, 0
        for word in words:
            weight = known.get(word)
            if weight is None:
                pieces = self._pieces(word)
                weight = _unknown(word) if pieces[0].value == _UNKNOWN else len(pieces)
                if len(known) >= _KEPT_WORDS:
                    known.clear()
                if len(word) <= _MAX_WORD:
                    known[word] = weight
            total += weight
        return total

    def _left_out(self, character: str) -> int:
        """Return what a character weighs that leaves nothing behind in what the tokenizer reads, 0 for any other."""
        weight = self._characters.get(character)
        if weight is None:
            clean = _bundled().clean.normalize_str(character)
            free = character in " \t\n\r" or (clean and not clean.isspace())
            weight = self._characters[character] = 0 if free else max(1, len(character.encode()) // 2)
        return weight

    @cached_property
    def _pieces(self) -> Callable[[str], list[Any]]:
        model: WordPiece = _bundled().model
        return model.tokenize


def has_word(word: str) -> bool:
    """Return whether the bundled vocabulary, of 20,000 English words and names, has a folded ``word`` whole."""
    return _bundled().model.token_to_id(word) is not None


class _Parts(NamedTuple):
    """What the tokenizer does to a text, one after another."""

    clean: BertNormalizer
    words: BertPreTokenizer
    model: WordPiece


@cache
def _bundled() -> _Parts:
    """Return the parts of the tokenizer of the bundled vocabulary, made once: nothing about them changes afterwards."""
    listed = files("marskg").joinpath("tokenizer", "vocab.txt").read_text(encoding="utf-8")
    vocabulary = {token: number for number, token in enumerate(listed.rstrip("\n").split("\n"))}
    return _Parts(
        BertNormalizer(lowercase=True, strip_accents=None, clean_text=True),
        BertPreTokenizer(),
        WordPiece(vocabulary, unk_token=_UNKNOWN, max_input_chars_per_word=_MAX_WORD),
    )


def _unknown(word: str) -> int:
    """Return the weight of a word that the vocabulary does not know, or of a run of blanks."""
    return len(word) // _BLANKS if word.isspace() else max(1, len(word.encode()) // _BYTES)


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
