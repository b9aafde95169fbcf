"""The scenes of the demo that read, forget, show, check, export and query.

Guarantees: what is shown is read back from the store and its signed log, not remembered from the input, but for the
texts of what was forgotten, which only the input still has.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from marskg.cli.commands.validate_verify import verdict
from marskg.cli.demo.stage import SHARE
from marskg.cli.output import day, number, one_line, progress, safe, table
from marskg.ontology.vocabulary import ACTIVE_STATUSES, Kind, Operation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from marskg.cli.demo.stage import Stage
    from marskg.drafts import Draft
    from marskg.memory import AgentMemory
    from marskg.records import Memory
    from marskg.sources.chat import ChatFile
    from marskg.sources.memora import Persona

_SHOWN = 10
_WAYS_OUT = (Operation.EVICT, Operation.EXPIRE)

SPARQL = """\
SELECT ?fact ?said ?reliability WHERE {
  ?memory a mars:Semantic ; mars:content ?fact ; mars:derivesFrom ?turn ; mars:reliability ?reliability .
  ?turn mars:validFrom ?said .
  FILTER NOT EXISTS { ?memory mars:supersededAt ?closed }
} ORDER BY DESC(?said) ?fact LIMIT 5"""
CYPHER = """\
MATCH (m:Memory {tenant: $tenant})-[:mentions]->(e:Entity)
RETURN e.name AS entity, count(m) AS memories ORDER BY memories DESC, entity LIMIT 5"""


@dataclass(slots=True)
class CameIn:
    """What the source held, to compare with what the store holds."""

    drafts: list[Draft]
    weights: list[int]

    def counts(self) -> dict[Kind, tuple[int, int]]:
        """Return ``(number, tokens)`` by kind."""
        found = dict.fromkeys(Kind, (0, 0))
        for draft, weight in zip(self.drafts, self.weights, strict=True):
            if draft.action == "remember":
                items, tokens = found[draft.kind]
                found[draft.kind] = (items + 1, tokens + weight)
        return found

    def text_of(self, kind: Kind, at: int, weight: int) -> str | None:
        """Return what was said at that moment with that weight, if the source has only one such text."""
        found = {
            draft.content
            for draft, tokens in zip(self.drafts, self.weights, strict=True)
            if draft.at == at and draft.kind is kind and tokens == weight and draft.action == "remember"
        }
        return found.pop() if len(found) == 1 else None


# --- Reading, and running out of budget --------------------------------------------------------------------------


def read_and_forget(stage: Stage, memory: AgentMemory, source: ChatFile | Persona) -> CameIn:
    """Import the source with a budget that cannot hold it."""
    drafts = list(source)
    weights = memory.store.counter.count_many(draft.content for draft in drafts)
    came_in = CameIn(drafts, [max(1, weight) for weight in weights])
    total, budget = _budget(came_in)
    stage.scene(
        "1  A conversation comes in, and the budget does not hold it",
        f"{number(len(drafts))} items, {number(total)} tokens together; the budget is {number(budget)} tokens.",
        "Whenever a write would go over it, the policy Priority-Decay makes room in the same transaction.",
    )
    memory.settings.set_budget(budget)
    highest = 0
    with progress("importing", len(drafts)) as advance:

        def step(done: int) -> None:
            nonlocal highest
            highest = max(highest, memory.weight)
            advance(done)

        done = memory.remember_many(drafts, progress=step)
    figures = memory.stats()
    passes = sum(record.operation is Operation.FORGET for record in memory.audit.records())
    stage.gauge(figures["weight"], budget, figures["protected_weight"])
    pointless = len(drafts) - done - done.known - done.not_kept
    text = f"all {number(len(drafts))} items were read"
    if pointless:
        text += f"; {number(pointless)} were left out, because what they depend on was forgotten before they came"
    stage.claim("import", text, holds=done > 0)
    stage.claim("overflow", f"the budget was too small {number(passes)} times, and room was made", holds=passes > 0)
    text = f"it was never exceeded: {number(highest)} of {number(budget)} tokens at the most"
    stage.claim("budget", text, holds=highest <= budget and figures["weight"] <= budget)
    return came_in


def _budget(came_in: CameIn) -> tuple[int, int]:
    """Return the weight of everything, and a budget well below it that still holds what must not be forgotten."""
    pairs = [pair for pair in zip(came_in.drafts, came_in.weights, strict=True) if pair[0].action == "remember"]
    total = sum(weight for _, weight in pairs)
    active = ACTIVE_STATUSES | {None}
    kept = sum(weight for draft, weight in pairs if draft.pin or (draft.kind is Kind.TASK and draft.status in active))
    heaviest = max(weight for _, weight in pairs)
    budget = max(int(total * SHARE), 2 * kept, 4 * heaviest)
    return total, max(100, budget // 100 * 100)


# --- What became of it -------------------------------------------------------------------------------------------


def what_was_kept(stage: Stage, memory: AgentMemory, came_in: CameIn) -> None:
    """Compare by kind what came in with what is kept."""
    stage.scene("2  What was kept, what was forgotten")
    figures = memory.stats()
    gone = _forgotten_by_kind(memory)
    made = table(
        "kind", "came in", "tokens", "live", "live tokens", "forgotten",
        right=("came in", "tokens", "live", "live tokens", "forgotten"),
    )  # fmt: skip
    for kind, (items, tokens) in came_in.counts().items():
        row = figures["by_kind"][kind.value]
        made.add_row(kind.value, *map(number, (items, tokens, row["live"], row["weight"], gone[kind.value])))
    stage.show(made)
    counted = sum(row["weight"] for row in figures["by_kind"].values())
    text = f"the live memories weigh {number(counted)} tokens, counted one by one in the graph"
    stage.claim("weight", text, holds=counted == memory.weight <= memory.settings.current.budget)


def _forgotten_by_kind(memory: AgentMemory) -> Counter[str]:
    """Return how many memories the policy's passes took, as their signed records say."""
    from marskg.cli.groups.audit_group import record_document

    found: Counter[str] = Counter()
    for record in memory.audit.records():
        if record.operation is Operation.FORGET:
            for text in record_document(record)["details"][0].get("counts", ()):
                kind, _, count = text.partition("=")
                found[kind] += int(count)
    return found


def what_was_forgotten(stage: Stage, memory: AgentMemory, came_in: CameIn) -> None:
    """Show ten of the forgotten, each with the reason that its record gives."""
    stage.scene(
        "3  Ten of the forgotten, and why",
        "The reasons come from the signed log. The texts come from the input file: the store has forgotten them.",
    )
    departures = _departures(memory)
    tombstones = {item.id: item for item in memory.memories() if item.content is None}
    made = table("record", "tokens", "it said", "why it went", right=("record", "tokens"))
    for item in _spread(departures, tombstones):
        tombstone = tombstones.get(item["memory"])
        text = came_in.text_of(tombstone.kind, tombstone.valid_from, item["weight"]) if tombstone else None
        made.add_row(str(item["record"]), number(item["weight"]), one_line(text, 60), item["reason"])
    stage.show(made)
    holds = bool(departures) and all(item.get("reason") for item in departures)
    stage.claim("reasons", f"each of the {number(len(departures))} has a reason in its signed record", holds=holds)
    alive = [item["memory"] for item in departures if memory.get(item["memory"]) is not None]
    stage.claim("forgotten", "and none of them can be read any more", holds=not alive)


def _departures(memory: AgentMemory) -> list[dict[str, Any]]:
    """Return the details of what left the live tier, each with the number of its record."""
    from marskg.cli.groups.audit_group import record_document

    found = []
    for record in memory.audit.records():
        if record.operation in _WAYS_OUT:
            found += [{**details, "record": record.sequence} for details in record_document(record)["details"][1:]]
    return found


def _spread(departures: list[dict[str, Any]], known: Mapping[str, Memory]) -> list[dict[str, Any]]:
    """Return ten departures from all over the import, those first of which a tombstone is left."""
    ordered = [item for item in departures if item["memory"] in known] or departures
    step = max(1, len(ordered) // _SHOWN)
    return ordered[::step][:_SHOWN]


def what_was_superseded(stage: Stage, memory: AgentMemory) -> None:
    """Show the history of something that changed."""
    stage.scene("4  What changed: a newer value supersedes, the older one keeps its place in the history")
    chain = _longest_history(memory)
    if not chain:
        stage.show("nothing in this conversation changed")
        return
    made = table("key", "from", "until", "what it said", whole=("from", "until"))
    for item in chain:
        text = one_line(item.content, 70) if item.content is not None else "(forgotten: superseded values go first)"
        made.add_row(chain[-1].key or "", day(item.valid_from), day(item.valid_to), text)
    stage.show(made)
    current = [item for item in chain if item.current]
    stage.claim("supersession", "exactly one value of the key is current", holds=len(current) == 1)


def _longest_history(memory: AgentMemory) -> Sequence[Memory]:
    """Return the history with the most values that can still be read."""
    best: Sequence[Memory] = ()
    seen: set[str] = set()
    for item in memory.memories():
        if item.superseded_at is None or item.content is None or item.key is None or item.id in seen:
            continue
        chain = memory.history(item.id)
        seen |= {version.id for version in chain}
        if _readable(chain) > _readable(best):
            best = chain
    return best


def _readable(chain: Sequence[Memory]) -> int:
    return sum(item.content is not None for item in chain)


def what_is_protected(stage: Stage, memory: AgentMemory) -> None:
    """Show what no policy may touch."""
    stage.scene("5  What no policy may touch: pins, active tasks, and all that they need")
    rows = memory.store.reader.run("protected", {"tenant": memory.tenant, "limit": 1000})
    made = table("kind", "tokens", "what", "why", right=("tokens",))
    for row in rows[:_SHOWN]:
        found = memory.get(row["id"])
        made.add_row(row["kind"], number(row["weight"]), one_line(found.content if found else None, 80), _why(row))
    stage.show(made)
    weight = sum(row["weight"] for row in rows)
    text = f"{number(len(rows))} memories of {number(weight)} tokens are protected, and all of them are there"
    holds = weight == memory.stats()["protected_weight"] and all(memory.get(row["id"]) is not None for row in rows)
    stage.claim("protected", text, holds=holds)


def _why(row: Mapping[str, Any]) -> str:
    if row["pinned"]:
        return "pinned"
    return f"task, {row['status']}" if row["kind"] == Kind.TASK else "needed by one that is protected"


# --- Proving it, and giving it away ------------------------------------------------------------------------------


def checks(stage: Stage, memory: AgentMemory) -> None:
    """Validate the graph by SHACL, verify the audit."""
    stage.scene("6  Is the graph in order, and is it what the signed log says?")
    with progress("SHACL"):
        report = memory.validate(full=True)
    stage.claim("validate", f"SHACL: {verdict(report, 'node')}", holds=report.ok and report.checked > 0)
    memory.audit.sign_head()
    with progress("audit"):
        report = memory.verify()
    stage.claim("verify", f"audit: {verdict(report, 'signed record')}", holds=report.ok and report.checked > 0)


def export(stage: Stage, memory: AgentMemory) -> Path:
    """Export as JSON-LD, and with the audit as N-Quads; returns the path of the latter."""
    stage.scene("7  All of it as RDF, with the signed log")
    readable, evidence = stage.folder / "memory.jsonld", stage.folder / "memory-with-audit.nq"
    with progress("exporting"):
        counts = memory.export(readable)
        memory.export(evidence, audit=True)
    stage.show(_first_fact(readable))
    parsed = json.loads(readable.read_text(encoding="utf-8"))
    size = number(readable.stat().st_size)
    text = f"JSON-LD of {number(counts.memories)} memories and {number(counts.entities)} entities, {size} bytes"
    stage.claim("export", text, holds=bool(parsed) and counts.memories > 0)
    return evidence


def _first_fact(path: Path) -> str:
    """Return the first fact of an export, as it stands there."""
    nodes = json.loads(path.read_text(encoding="utf-8"))["@graph"]
    facts = [node for node in nodes if "Semantic" in node.get("@type", ()) and node.get("content")]
    return safe(json.dumps((facts or nodes)[0], ensure_ascii=False, indent=1))


def queries(stage: Stage, memory: AgentMemory) -> None:
    """Ask one question in SPARQL and one in Cypher."""
    stage.scene("8  Questions, in both languages")
    for language, query in (("SPARQL", SPARQL), ("Cypher", CYPHER)):
        stage.show(f"{language}\n{query}")
        result = memory.sparql(query) if language == "SPARQL" else memory.cypher(query, {"tenant": memory.tenant})
        made = table(*result.columns)
        for row in result.rows:
            made.add_row(*(one_line("" if value is None else str(value), 90) for value in row))
        stage.show(made)
        fresh = result.sequence == memory.stats()["audit_seq"]
        text = f"{len(result.rows)} rows, as fresh as audit sequence {result.sequence}"
        stage.claim(language.lower(), text, holds=bool(result.rows) and fresh)


def where_next(stage: Stage, *, kept: bool) -> None:
    """Say what to do with it now."""
    stage.scene(f"That was it, in {stage.seconds:.0f} seconds. Where to go next")
    here = f"--store {stage.store} --tenant {stage.tenant}"
    lines = [
        f"mars stats {here}" if kept else "mars demo --store ./demo   keeps the store, to look around in",
        "mars init --budget 8000 && mars import chat FILE.jsonl   for a memory of your own",
        'python: import marskg; marskg.open("./memory", tenant="alice", budget=8000)',
        "docs/tutorial.md begins where this ends; mars --help lists every command",
    ]
    for text in lines:
        stage.show(f"  {text}")
    if not stage.ok:
        failed = ", ".join(result["step"] for result in stage.results if not result["ok"])
        stage.show(f"FAILED: {failed}")
