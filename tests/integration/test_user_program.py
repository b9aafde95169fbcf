"""A program as users write it, with every namespace and with types: `mypy --strict` reads it as it reads all tests."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from inspect import Signature, getsource, signature
from typing import TYPE_CHECKING

import marskg
from marskg.api.operations import NAMESPACES, operations

if TYPE_CHECKING:
    from pathlib import Path

TOLD = (
    "I moved to Lund in March",
    "My sister Hermine is a nurse",
    "I am allergic to peanuts",
)


def program(folder: Path) -> dict[str, object]:
    """Use every namespace once, and return what was told."""
    told: dict[str, object] = {}
    with marskg.open(folder / "memory", tenant="alice", budget=2_000) as mem:
        # The verbs of every day.
        turns = [{"content": text, "speaker": "Alice", "session": "monday"} for text in TOLD]
        learned = mem.learn(turns)
        told["facts"] = len(learned.facts) if isinstance(learned, marskg.Learned) else 0
        at = datetime(2026, 3, 1, tzinfo=UTC)
        fact: marskg.Memory = mem.remember("Alice likes tea", kind="semantic", subjects=["alice"], at=at, pin=False)
        newer: marskg.Memory = mem.update(fact.id, "Alice likes green tea")
        hits: marskg.Hits = mem.retrieve("What does Alice drink?", token_budget=200, k=5, min_confidence=0, since=at)
        if hits.id is not None:
            mem.feedback(hits.id, used=[hit.memory.id for hit in hits if hit.score > 0][:1])
        told["tokens"] = hits.tokens
        told["messages"] = hits.as_messages()
        told["versions"] = [one.content for one in mem.history(newer.id)]
        told["why"] = mem.explain(newer.id).as_text()
        everything = mem.read_all(entity="Hermine", subjects=None)
        told["about her"] = everything.count

        # Entities and tasks.
        entity: marskg.Entity = mem.entities.mention(newer.id, "Alice")
        mem.entities.add_alias(entity.id, "Ally")
        told["entities"] = sorted(one.name for one in mem.entities.list())
        task = mem.remember("Call Hermine", kind="task", priority=1, deadline="2027-01-01T09:00:00Z")
        told["task"] = str(mem.tasks.amend(task.id, status="done").status)

        # What is forgotten, and by what.
        mem.policy.pin(newer.id)
        plan: marskg.Plan = mem.plan(policy="lru", budget=40)
        told["plan"] = [(action.action, action.reason) for action in plan.actions]
        told["compared"] = len(mem.policy.compare(["lru", "fifo"], budget=40).forecasts)
        mem.settings.set(None, {"low_water": 0.9})
        told["low water"] = mem.settings.current.low_water
        told["learning"] = len(mem.learning.conflicts())
        mem.control.set_goal("plan the holidays")
        govern(mem, folder, told)
    with marskg.open(folder / "memory", tenant="alice", principal="reader:bot?ceiling=0.3") as reader:
        told["reader"] = [hit.memory.content for hit in reader.retrieve("tea", min_confidence=0.0)]
        try:
            reader.remember("no")
        except marskg.NotPermitted as error:
            told["refused"] = str(error)
    return told


def govern(mem: marskg.AgentMemory, folder: Path, told: dict[str, object]) -> None:
    """Say who may see and keep what, and prove, keep and undo."""
    # Who may see and keep what.
    change = mem.preferences.set("retention", subject="alice", horizon="365d")
    told["preferences"] = len(change.preferences)
    grant: marskg.Grant = mem.privacy.grant("reader:bot", ceiling=0.8, lasts="5m")
    told["grant"] = grant.calls
    report: marskg.SubjectReport = mem.privacy.report("alice")
    told["report"] = len(json.dumps(report.document)) > 0

    # What can be proved, kept and undone.
    head: marskg.TreeHead = mem.audit.sign_head()
    told["records"] = sum(1 for _ in mem.audit.records(first=1)) >= head.size
    told["saved"] = mem.snapshots.save(folder / "one.mars")["memories"] > 0
    told["expired"] = mem.maintenance.expire()
    told["exported"] = mem.export(folder / "all.jsonld", audit=True).memories
    told["rows"] = mem.sparql("SELECT ?m { ?m a mars:Task }").rows
    told["nodes"] = mem.cypher("MATCH (m:Memory) RETURN count(m) AS n", {}).rows
    receipt: marskg.Receipt = mem.erase(subject="alice", scrub=True)
    told["erased"] = receipt.matched
    told["sound"] = mem.validate(full=True).ok and mem.verify(witness=[head]).ok
    told["stats"] = mem.stats()["live"]


def test_it_runs_and_uses_every_namespace(tmp_path: Path) -> None:
    told = program(tmp_path)
    assert told["versions"] == ["Alice likes tea", "Alice likes green tea"]
    assert told["task"] == "done"
    assert told["sound"] is True
    assert "operator" in str(told["refused"])
    source = getsource(program) + getsource(govern)
    assert [one.NAME for one in NAMESPACES if f"mem.{one.NAME}." not in source] == []


def test_completion_shows_the_types(tmp_path: Path) -> None:
    """What notebooks and editors without a type checker ask an open memory for."""
    with marskg.open(tmp_path / "memory", embedding="none") as mem:
        for one in operations():
            if one.name != "open" and "(" not in one.name:
                place, _, name = one.name.rpartition(".")
                owner = getattr(mem, place) if place else mem
                assert name in dir(owner), one.name
                shown = signature(getattr(owner, name))
                assert shown.return_annotation is not Signature.empty, one.name
                assert all(given.annotation is not Signature.empty for given in shown.parameters.values()), one.name
