"""The settings of language models: which one does what, what they may read, and what they may cost."""

from __future__ import annotations

from dataclasses import dataclass

from marskg.config.table import duration, flag, integer, number, section, text


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """What a model may cost: tokens in both directions, ``day_cost`` in the currency of the prices.

    ``wait`` and ``expand`` are in ms. A day is one of UTC.
    """

    turn: int = integer(
        "most tokens that one question to a model may cost, answer and instructions included", 6_000, 100
    )
    day: int = integer("most tokens that models may cost a tenant in a day", 1_000_000, 0)
    day_cost: float | None = number("most money that they may cost it in a day, at models.price", None, 0, 1e9)
    answer: int = integer("most tokens of one answer", 1_500, 50, 100_000)
    proposals: int = integer("most proposals of facts that are taken from one answer", 24, 1, 1_000)
    expand: int = duration("how long other wordings of a question are waited for, in one try", "3s", 100)
    wait: int = duration("how long an answer is waited for, further tries included", "20s", 100)


@dataclass(frozen=True, slots=True)
class ModelPrices:
    """What a million tokens cost, in any currency."""

    input: float = number("price of a million tokens that are sent", 0.0, 0, 1e6)
    output: float = number("price of a million tokens that are answered", 0.0, 0, 1e6)


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Language models by what they do, and what they may be shown; ``max_sensitivity`` is from 0 to 1."""

    extract: str = text("what reads facts out of turns besides the rules: none, or openai:MODEL@URL", "none")
    expand: str = text("what words a question anew on which nothing bears: none, or openai:MODEL@URL", "none")
    judge: str = text(
        "what gives a second opinion on contradictions that wait for a person: none, or openai:MODEL@URL", "none"
    )
    curate: str = text("what writes summaries instead of the extractive summariser: none, or openai:MODEL@URL", "none")
    max_sensitivity: float = number(
        "sensitivity above which nothing is sent to a model: it is redacted first, or the memory is not sent",
        0.3,
        0,
        1,
    )
    jurisdiction: str | None = text(
        "where the models run, such as EU; without it, what is bound to a jurisdiction is not sent", None
    )
    encrypted: bool = flag("whether memories of an encrypted tenant may be sent to models", default=False)
    limit: ModelLimits = section(ModelLimits)
    price: ModelPrices = section(ModelPrices)
