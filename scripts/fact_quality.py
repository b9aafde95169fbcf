"""Prints what the rules read of other people's conversations: the figures of docs/explanation/text-to-facts.md.

Run ``python scripts/fact_quality.py FOLDER LOCOMO [--misses KIND] [--only PERSONA,…] [--model MODEL@URL [--prices
IN,OUT]]`` (its key in ``MARS_EXTRACTION_KEY``, prices of a million tokens) with the folder ``memora`` of
the unpacked data and ``locomo-open.json.gz``. Every turn is read, those of the assistant too.

Memora: gold are the facts of ``operation_details`` as the product's own importer gives them, a case being one fact (of
a document, one field). A proposal is right if a fact of its session has its kind and its operation, and its content
says the fact's value by the frozen judge of the retrieval bench (amounts and stances must be equal); that somebody no
longer likes a thing is also right where the trace turns the liking into a dislike. LoCoMo: gold are the observations
with their turns. A proposal counts if it has a subject and a key, relation or payload; it matches an observation of its
turn by half of the observation's stems with at most 1.3 times as many, each matched once (a largest matching).
Intervals: 95 %, percentile bootstrap over personas and conversations (2,000 draws, seed 17).
"""

from __future__ import annotations

import gzip
import json
import random
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from marskg.config import Settings
from marskg.extraction.by_rules import RuleExtractor
from marskg.extraction.model import RULES_ALONE, ModelExtractor
from marskg.extraction.model_reading import Shown
from marskg.extraction.proposal import ProposalOperation, Turn
from marskg.models.asking import Asking, load_model
from marskg.models.roles import READING
from marskg.sources.fields import BadField
from marskg.sources.memora_facts import FactTrace
from marskg.sources.memora_layout import Layout
from marskg.text import terms
from marskg.weight import TokenCounter
from marskg_bench.fama.matching import says

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from marskg.drafts import Draft
    from marskg.extraction.model_reading import Call, Reading
    from marskg.extraction.proposal import Extractor, Proposal
    from marskg.sources.memora_layout import Session

DRAWS = 2_000
LONGER = 1.3
SHARE = 0.5
ENDS = frozenset({ProposalOperation.END, ProposalOperation.CLOSE})
#: Kinds of Memora's facts by the first part of a key, ours and the importer's.
KINDS = {
    "preference": "preference",
    "goal": "goal",
    "ledger": "ledger",
    "todo": "task",
    "calendar": "task",
    "document": "document",
    "field": "document",
    "activity": "task",
}


@dataclass
class Tally:
    """Counts of one persona or conversation: right and all proposals, found and all facts."""

    right: Counter[str] = field(default_factory=Counter)
    proposed: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    gold: Counter[str] = field(default_factory=Counter)
    unmatched: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    missed: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


def kind_of(key: str | None) -> str:
    """Return the kind of a fact by its key; what Memora has no kind for is "other"."""
    return KINDS.get((key or "").split("/")[0], "other")


# --- Memora ----------------------------------------------------------------------------------------------------------


def is_said(proposal: Proposal, fact: Draft, session: Session) -> bool:
    """Return whether ``proposal`` is ``fact``."""
    kind = kind_of(fact.key)
    if kind_of(proposal.key) != kind:
        return False
    ends, ended = proposal.operation in ENDS, fact.action != "remember"
    flipped = session.details.get("old_preference") == "like" and session.details.get("preference") == "dislike"
    if ends != ended and not (kind == "preference" and ends and flipped):
        return False
    content = f"{proposal.content} {proposal.old or ''}"
    if kind == "preference":
        stance = str(fact.payload.get("relations", ("",))[0])  # type: ignore[index]
        if not ends and stance not in proposal.payload.get("relations", ()):  # type: ignore[operator]
            return False
        return says(content, str(fact.key).split("/", 2)[-1])
    if kind == "goal":
        item = session.details["item"]
        return says(content, item) or (ended and str(session.details["subcategory"]) in content)
    if kind == "ledger":
        what = str(fact.key).rsplit("/", 1)[-1]
        return proposal.payload.get("amount") == fact.payload.get("amount") and ("steps" in what or says(content, what))
    value = str(fact.key).split("/", 2)[-1] if kind == "task" else fact.content.split(": ", 1)[-1]
    amount = fact.payload.get("amount")
    return says(content, value) if not isinstance(amount, float) else says(content, amount)


class WithModel:
    """Reads by the rules and by a model, and sums up what the model is asked and what is not taken of its answers."""

    def __init__(self, model: str, prices: str) -> None:
        """Ask ``model``, a ``MODEL@URL``, at ``prices`` of a million tokens in and out."""
        cheap, dear = map(float, prices.split(","))
        values = {"models.extract": f"openai:{model}", "models.limit.day": 10**12, "models.limit.wait": "120s"}
        settings = Settings().with_values({**values, "models.price.input": cheap, "models.price.output": dear}).models
        chat = load_model(READING, settings, TokenCounter())
        if chat is None:
            sys.exit("--model takes MODEL@URL")
        asking = Asking(chat, settings, lambda: time.time_ns() // 1_000_000)
        self._extractor = ModelExtractor(asking, RuleExtractor(), UTC, lambda _, turn: Shown(turn.text))
        self.calls: list[Call] = []
        self.dropped: Counter[str] = Counter()
        self.notices: Counter[str] = Counter()

    def extract(self, turns: Sequence[Turn]) -> Reading:
        """Return what the turns say."""
        found = self._extractor.extract(turns)
        self.calls += found.calls
        self.dropped.update(found.dropped)
        self.notices.update(one.partition(" (")[0] for one in found.notices if one.endswith(RULES_ALONE))
        return found

    def show(self) -> None:
        """Print tokens, cost, latency, and what was dropped."""
        took = sorted(call.lasted_ms for call in self.calls) or [0]
        tokens_in, tokens_out = sum(one.tokens_in for one in self.calls), sum(one.tokens_out for one in self.calls)
        sys.stdout.write(
            f"\nthe model: {len(self.calls)} answers, {tokens_in:,} tokens in, {tokens_out:,} out, cost "
            f"{sum(one.cost for one in self.calls):.4g}, {took[len(took) // 2]:,} ms at the median, "
            f"{took[len(took) * 95 // 100]:,} ms at p95\nnot taken: {dict(self.dropped)}\n{dict(self.notices)}\n"
        )


def memora(folder: Path, extractor: Extractor) -> Tally:
    """Return the tally of one persona in one period."""
    layout, trace, tally = Layout(folder), FactTrace(), Tally()
    for index in range(len(layout)):
        session = layout.session(index)
        try:
            facts = trace.drafts(session)
        except BadField:
            facts = []
        turns = [
            Turn(one.message, one.at, None, "user" if one.speaker == "user_agent" else "assistant", session.name)
            for one in session.turns
        ]
        proposals = list(extractor.extract(turns))
        for fact in facts:
            kind = kind_of(fact.key)
            tally.gold[kind] += 1
            if any(is_said(one, fact, session) for one in proposals):
                tally.found[kind] += 1
            else:
                tally.missed[kind].append(
                    f"{fact.action} {fact.content!r} <- " + " | ".join(one.message for one in session.shared)
                )
        for one in proposals:
            kind = kind_of(one.key)
            right = any(is_said(one, fact, session) for fact in facts)
            for name in (kind, one.maker.rule or "model", *(["change"] if one.operation in ENDS or one.old else [])):
                tally.proposed[name] += 1
                tally.right[name] += right
            if not right:
                tally.unmatched[kind].append(
                    f"{one.maker.rule}: {one.content!r} <- {turns[one.span.turn].text} || {[f.content for f in facts]}"
                )
    return tally


# --- LoCoMo ----------------------------------------------------------------------------------------------------------


def locomo(one: dict[str, Any], extractor: Extractor, *, copied: bool = False) -> Tally:
    """Return the tally of one conversation; ``copied`` proposes every turn as it stands."""
    tally = Tally()
    conversation = one["conversation"]
    for name, observed in one["observation"].items():
        session = name.removesuffix("_observation")
        at = datetime.strptime(conversation[f"{session}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        said = conversation[session]
        turns = [Turn(turn["text"], int(at.timestamp() * 1000), turn["speaker"], "user", session) for turn in said]
        places = {turn["dia_id"]: number for number, turn in enumerate(said)}
        observations = [
            (text, {places[turn] for turn in _listed(evidence) if turn in places})
            for texts in observed.values()
            for text, evidence in texts
        ]
        if copied:
            proposals = [(number, turn.text, "copied") for number, turn in enumerate(turns)]
        else:
            proposals = [
                (read.span.turn, read.content, read.maker.rule or "model")
                for read in extractor.extract(turns)
                if typed(read)
            ]
        pairs = matching(proposals, observations)
        tally.gold["observation"] += len(observations)
        tally.found["observation"] += len(pairs)
        for place, (turn, content, rule) in enumerate(proposals):
            for kind in ("observation", rule):
                tally.proposed[kind] += 1
                tally.right[kind] += place in pairs
            if place not in pairs:
                near = [text for text, evidence in observations if turn in evidence]
                tally.unmatched["observation"].append(f"{rule}: {content!r} <- {turns[turn].text} || {near}")
        for place, (text, evidence) in enumerate(observations):
            if place not in pairs.values():
                tally.missed["observation"].append(f"{text!r} <- {[turns[turn].text for turn in evidence]}")
    return tally


def typed(proposal: Proposal) -> bool:
    """Return whether a proposal says of whom and what it speaks."""
    return bool(proposal.subjects and (proposal.key or proposal.relations or proposal.payload))


def _listed(evidence: object) -> list[str]:
    return evidence if isinstance(evidence, list) else [str(evidence)]


def matching(proposals: Sequence[tuple[int, str, str]], observations: Sequence[tuple[str, set[int]]]) -> dict[int, int]:
    """Return a largest matching of proposals to observations of their turn that they say."""
    stems = [(frozenset(terms(text)), len(terms(text)), evidence) for text, evidence in observations]
    edges = []
    for turn, content, _ in proposals:
        listed = terms(content)
        held = frozenset(listed)
        edges.append(
            [
                place
                for place, (wanted, length, evidence) in enumerate(stems)
                if turn in evidence and len(listed) <= LONGER * length and len(wanted & held) >= SHARE * len(wanted)
            ]
        )
    taken: dict[int, int] = {}

    def augment(proposal: int, seen: set[int]) -> bool:
        for place in edges[proposal]:
            if place not in seen:
                seen.add(place)
                if place not in taken or augment(taken[place], seen):
                    taken[place] = proposal
                    return True
        return False

    for proposal in range(len(proposals)):
        augment(proposal, set())
    return {proposal: place for place, proposal in taken.items()}


# --- Figures ---------------------------------------------------------------------------------------------------------


def share(tallies: Sequence[Tally], top: str, bottom: str, kinds: Iterable[str] | None = None) -> str:
    """Return a share with its 95 % interval over ``tallies``."""
    wanted = None if kinds is None else set(kinds)

    def counts(tally: Tally, name: str) -> int:
        counter: Counter[str] = getattr(tally, name)
        return sum(number for kind, number in counter.items() if wanted is None or kind in wanted)

    pairs = [(counts(tally, top), counts(tally, bottom)) for tally in tallies]
    whole = sum(pair[1] for pair in pairs)
    if not whole:
        return "-"
    drawn, random_ = [], random.Random(17)  # noqa: S311 - draws of a bootstrap
    for _ in range(DRAWS):
        sample = random_.choices(pairs, k=len(pairs))
        drawn.append(sum(pair[0] for pair in sample) / max(1, sum(pair[1] for pair in sample)))
    drawn.sort()
    low, high = drawn[int(0.025 * DRAWS)], drawn[int(0.975 * DRAWS)]
    return f"{sum(pair[0] for pair in pairs) / whole:.3f} [{low:.3f}, {high:.3f}] of {whole}"


def rows(tallies: Sequence[Tally], kinds: Iterable[str]) -> Iterator[str]:
    """Yield a row for each kind."""
    for kind in kinds:
        yield f"{kind:14} precision {share(tallies, 'right', 'proposed', [kind]):34} recall " + share(
            tallies, "found", "gold", [kind]
        )


def show(tallies: Sequence[Tally], kind: str) -> None:
    """Print what of one kind was not found, and what was proposed in vain."""
    for tally in tallies:
        for line in tally.missed[kind]:
            sys.stdout.write(f"MISSED {line}\n")
        for line in tally.unmatched[kind]:
            sys.stdout.write(f"WRONG {line}\n")


def main(arguments: Sequence[str]) -> None:
    """Print the tables."""
    wanted = arguments[arguments.index("--misses") + 1] if "--misses" in arguments else None
    only = arguments[arguments.index("--only") + 1].split(",") if "--only" in arguments else None
    prices = arguments[arguments.index("--prices") + 1] if "--prices" in arguments else "0,0"
    model = WithModel(arguments[arguments.index("--model") + 1], prices) if "--model" in arguments else None
    extractor = model or RuleExtractor()
    folder, file = Path(arguments[0]), Path(arguments[1])
    begun = time.perf_counter()
    names = sorted(path.name for path in (folder / "weekly").iterdir() if path.is_dir())
    personas = []
    for name in names if only is None else [name for name in names if name in only]:
        both = [memora(folder / period / name, extractor) for period in ("weekly", "monthly")]
        personas.append(_joined(both))
    kinds = ("preference", "goal", "ledger", "task", "document")
    sys.stdout.write("Memora, every turn told\n")
    for row in rows(personas, (*kinds, "change", "other")):
        sys.stdout.write(f"{row}\n")
    for rule in sorted({rule for one in personas for rule in one.proposed} - {*kinds, "change", "other"}):
        sys.stdout.write(f"  {rule:20} precision {share(personas, 'right', 'proposed', [rule])}\n")
    precision, recall = share(personas, "right", "proposed", kinds), share(personas, "found", "gold", kinds)
    sys.stdout.write(f"{'all':14} precision {precision:34} recall {recall}\n")
    every = json.loads(gzip.decompress(file.read_bytes()))
    talks = [locomo(one, extractor) for one in every if only is None or one["sample_id"] in only]
    sys.stdout.write("\nLoCoMo, observations\n")
    for row in rows(talks, ("observation",)):
        sys.stdout.write(f"{row}\n")
    for rule in sorted({rule for talk in talks for rule in talk.proposed} - {"observation"}):
        sys.stdout.write(f"  {rule:20} precision {share(talks, 'right', 'proposed', [rule])}\n")
    copied = [locomo(one, extractor, copied=True) for one in every if only is None or one["sample_id"] in only]
    for row in rows(copied, ("observation",)):
        sys.stdout.write(f"the copied turn: {row}\n")
    sys.stdout.write(f"{time.perf_counter() - begun:.1f} s\n")
    if model is not None:
        model.show()
    if wanted:
        show([*personas, *talks], wanted)


def _joined(tallies: Iterable[Tally]) -> Tally:
    """Return the sum of tallies."""
    whole = Tally()
    for tally in tallies:
        for name in ("right", "proposed", "found", "gold"):
            getattr(whole, name).update(getattr(tally, name))
        for name in ("unmatched", "missed"):
            for kind, lines in getattr(tally, name).items():
                getattr(whole, name)[kind] += lines
    return whole


if __name__ == "__main__":
    main(sys.argv[1:])
