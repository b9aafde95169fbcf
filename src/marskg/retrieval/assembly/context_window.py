"""Arithmetic for a model's context window: how many tokens are left for memory.

Guarantees: system prompt, query, memory, answer and headroom together never exceed the window; a window that is too
small for the rest is refused with all its numbers. The numbers are in the tokens of whoever counted them: a model's own
tokens differ from the bundled wordpieces (docs/adr/0007-weight.md), so pass the model's :class:`Counter`, or a factor.
Source: MemoryArchitect II.E (token budgeting).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from marskg.api.arguments import checked_calls
from marskg.errors import InvalidInput

_MAX_TOKENS = 1 << 40
_MAX_FACTOR = 100.0


class Counter(Protocol):
    """Anything that counts tokens: :class:`marskg.weight.TokenCounter`, or a model's own tokenizer."""

    def count(self, text: str) -> int:
        """Return the number of tokens of ``text``, at least 0."""
        ...


@dataclass(frozen=True, slots=True)
class FactorCounter:
    """Another counter's numbers times a factor, rounded up: tokens of a model whose tokenizer is not at hand.

    ``factor`` is how many of the model's tokens one token of ``counter`` stands for, above 0 and at most 100.
    """

    counter: Counter
    factor: float

    def __post_init__(self) -> None:
        """Check the factor.

        Raises:
            InvalidInput: the factor is out of its range.
        """
        if isinstance(self.factor, bool) or not 0 < self.factor <= _MAX_FACTOR:
            message = f"a factor of {self.factor!r} between two tokenizers: it must be above 0 and at most 100"
            raise InvalidInput(message)

    def count(self, text: str) -> int:
        """Return the number of the model's tokens that ``text`` is taken to have."""
        return math.ceil(self.counter.count(text) * self.factor)


@checked_calls(Counter)
@dataclass(frozen=True, slots=True)
class ContextWindow:
    """A window of ``size`` tokens and what it must hold besides memory, in tokens.

    ``answer`` is kept free for what the model writes, ``headroom`` for whatever the caller cannot foresee: tool
    definitions, the frame that a chat interface puts around each message.

    Raises:
        InvalidInput: a number is no integer or below 0, or the rest does not fit into ``size``.
    """

    size: int
    system: int
    query: int
    answer: int
    headroom: int = 0

    def __post_init__(self) -> None:
        """Refuse a window that cannot work."""
        for name in ("size", "system", "query", "answer", "headroom"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MAX_TOKENS:
                given = (
                    repr(value) if isinstance(value, int) and abs(value) < 10 * _MAX_TOKENS else type(value).__name__
                )
                message = (
                    f"context window: {name} is {given[:60]}: it must be an integer of tokens from 0 to {_MAX_TOKENS}"
                )
                raise InvalidInput(message)
        if self.memory_budget < 0:
            message = (
                f"context window: system {self.system} + query {self.query} + answer {self.answer} + headroom "
                f"{self.headroom} = {self.size - self.memory_budget} tokens do not fit into a window of {self.size}: "
                "shorten the prompt or the answer, or use a model with a larger window"
            )
            raise InvalidInput(message)

    @classmethod
    def of_texts(
        cls, size: int, *, system: str, query: str, answer: int, counter: Counter, headroom: int = 0
    ) -> ContextWindow:
        """Return the window whose system prompt and query are the given texts, counted by ``counter``.

        Raises:
            InvalidInput: as for the class, or a text holds a lone surrogate.
        """
        return cls(size, counter.count(system), counter.count(query), answer, headroom)

    @property
    def memory_budget(self) -> int:
        """Return the tokens that are left for memory; 0 means that there is room for the rest only."""
        return self.size - self.system - self.query - self.answer - self.headroom
