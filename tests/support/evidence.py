"""How much of the evidence of questions an answer holds, beside what its own ranking cut at the same budget holds.

    python -m tests.support.evidence DATA [CONVERSATION…]

prints, for conversations in the format of LoCoMo and each budget, evidence recall of the answer and of the ranking, and
the share of the answer's tokens that are not what is remembered.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import marskg
from marskg.retrieval.assembly.rendering import passage
from marskg.retrieval.assembly.token_room import Room
from marskg.weight import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.memory import AgentMemory
    from marskg.retrieval.assembly.hits import Hits

BUDGETS = (250, 500, 1_000, 2_000)
#: How many are shown that perhaps do not bear on the question, whatever they take.
UNSURE = 8
#: The category of questions that have no answer.
_ADVERSARIAL = 5


@dataclass(frozen=True)
class Question:
    """A question with the ids of the memories that answer it."""

    text: str
    evidence: frozenset[str]


@dataclass
class Measured:
    """Evidence recall of answers and of the rankings behind them, and the answers' tokens with what is not content."""

    answers: list[float] = field(default_factory=list)
    rankings: list[float] = field(default_factory=list)
    tokens: int = 0
    frame: int = 0

    def percent(self, found: list[float]) -> float:
        """Return a mean in percent."""
        return 100 * sum(found) / len(found)


def conversations(path: Path) -> list[dict[str, Any]]:
    """Return the conversations of a file in the format of LoCoMo."""
    found: list[dict[str, Any]] = json.loads(gzip.decompress(path.read_bytes()))
    return found


def told(memory: AgentMemory, talk: dict[str, Any]) -> list[Question]:
    """Remember each turn of ``talk`` in its time; return its questions that have an answer."""
    ids = {turn["dia_id"]: memory.remember(text, **fields).id for turn, text, fields in _turns(talk["conversation"])}
    # Else the vectors that are made meanwhile come between an answer and the ranking that it is compared with.
    memory.maintenance.reembed()
    found = []
    for asked in talk["qa"]:
        names = {name for part in asked.get("evidence", []) for name in re.findall(r"D\d+:\d+", part)}
        evidence = frozenset(ids[name] for name in names if name in ids)
        if evidence and asked["category"] != _ADVERSARIAL:
            found.append(Question(asked["question"], evidence))
    return found


def _turns(conversation: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str, dict[str, Any]]]:
    for name in sorted(
        (key for key in conversation if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key[8:])
    ):
        began = datetime.strptime(conversation[f"{name}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for number, turn in enumerate(conversation[name]):
            picture = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            at = int(began.timestamp() * 1000) + number * 1000
            yield turn, f"{turn['speaker']}: {turn['text']}{picture}", {"session": name, "at": at}


def cut(ranking: Hits, budget: int) -> set[str]:
    """Return the ids of a ranking in its order until the first that does not fit, rendered as answers are.

    What accompanies a memory, because the memory depends on it, is charged with it: it stands behind it in the ranking.
    What perhaps does not bear on the question gets a third of the budget, and is eight at least (semantics section 13).
    """
    room = Room(budget, TokenCounter(), plain=False, weighed=True, most=len(ranking))
    kept: set[str] = set()
    unsure: list[int] = []
    for hit in ranking:
        shown = [passage(hit.memory, hit.memory.content or "")]
        unsure += [] if hit.certain else [hit.tokens]
        if room.price(shown) > room.left or (len(unsure) > UNSURE and sum(unsure) > budget // 3):
            break
        room.take(shown)
        kept.add(hit.memory.id)
    return kept


def measured(memory: AgentMemory, questions: list[Question], budgets: tuple[int, ...]) -> dict[int, Measured]:
    """Return what answers and rankings hold of the evidence, by budget."""
    found = {budget: Measured() for budget in budgets}
    counter = TokenCounter()
    for asked in questions:
        ranking = memory.retrieve(asked.text, token_budget=1_000_000, k=1_000)
        for budget, so_far in found.items():
            answer = memory.retrieve(asked.text, token_budget=budget, k=1_000)
            shown = {hit.memory.id for hit in answer}
            so_far.answers.append(len(asked.evidence & shown) / len(asked.evidence))
            so_far.rankings.append(len(asked.evidence & cut(ranking, budget)) / len(asked.evidence))
            so_far.tokens += answer.tokens
            so_far.frame += answer.tokens - sum(counter.count(hit.memory.content or "") for hit in answer)
    return found


def main(path: str, *numbers: str) -> None:
    """Print what is measured on the conversations of ``path``, all or those of ``numbers``."""
    talks = conversations(Path(path))
    for number in map(int, numbers) if numbers else range(len(talks)):
        with tempfile.TemporaryDirectory() as folder:
            memory = marskg.open(f"{folder}/store", tenant="t", budget=1_000_000)
            for budget, found in measured(memory, told(memory, talks[number]), BUDGETS).items():
                sys.stdout.write(
                    f"conversation {number}, {budget:5} tokens: answers {found.percent(found.answers):.1f} %, "
                    f"rankings {found.percent(found.rankings):.1f} %, frame {found.frame / found.tokens:.1%}\n"
                )
            memory.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
