"""Receipts of what was done with a memory: what they say, that they hold, and what an outsider makes of them."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.audit.keys import Keyring
from marskg.audit.linkeddata import add_proof, verify_document
from marskg.clock import SeededSource
from tests.support.consolidating import usual
from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

HOUR = 3_600_000
SECRET = "zyxquartz"
SCRIPT = Path(__file__).parents[2] / "examples" / "verify" / "verify_receipt.py"


def codes(memory: AgentMemory, document: dict[str, Any]) -> list[str]:
    return [finding.code for finding in memory.audit.check_receipt(document).findings]


def outside(tmp_path: Path, document: dict[str, Any], memory: AgentMemory | None = None) -> tuple[int, str]:
    """Run the verifier that has no code of the product; with ``memory`` against its export."""
    file = tmp_path / "receipt.jsonld"
    file.write_text(json.dumps(document), "utf-8")
    command = [sys.executable, str(SCRIPT), str(file)]
    if memory is not None:
        export = tmp_path / "evidence.nq"
        memory.export(export, audit=True)
        command.append(str(export))
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS_S, check=False)
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


def test_storing_and_removing_with_the_pass_that_took_it(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open()
    one = memory.remember(f"The word is {SECRET}", subjects=["beatrix"], session="s1", source_ref="chat/beatrix")
    stays = memory.remember("This one stays where it is", subjects=["carl"])
    kept = memory.audit.receipt(one.id)
    assert (kept.about, kept.claim, kept.uncovered) == (one.id, "kept", ())
    assert [step.processing for step in kept.steps] == ["Store"]
    memory.forget(memory.plan(policy="fifo", budget=stays.weight))
    removed = memory.audit.receipt(one.id)
    assert (removed.claim, removed.uncovered) == ("logical", ("backups", "exports", "files", "snapshots"))
    assert [step.operation.value for step in removed.steps] == ["remember", "forget", "evict"]
    store, policy, evict = (step.details for step in removed.steps)
    assert (policy["policy"], policy["budget"]) == ("fifo", stays.weight)
    assert (evict["tierBefore"], evict["tierAfter"], evict["rule"]) == ("live", "gone", "fifo")
    assert store["memory"] == one.id
    for document in (kept.document, removed.document):
        assert verify_document(document).verification_method.startswith("did:key:")
        text = json.dumps(document)
        assert all(word not in text for word in (SECRET, "beatrix", "chat/", "operator")), "no content, no names"
    assert codes(memory, kept.document) == codes(memory, removed.document) == []
    assert outside(tmp_path, removed.document, memory)[0] == 0
    assert "fifo" in removed.as_text()
    assert one.id in removed.as_text()


def test_summarising_names_its_sources(stores: Stores) -> None:
    memory = stores.open()
    sources, summary = usual(memory)
    made = memory.audit.receipt(summary.id)
    assert set(made.sources) == set(sources)
    assert made.steps[0].processing == "Derive"
    taken = memory.audit.receipt(sources[0])
    assert "Combine" in {step.processing for step in taken.steps}
    assert taken.claim == "logical"
    assert summary.id in taken.descendants
    assert taken.document["descendant"] == list(taken.descendants)


def test_descendants_through_several_steps(stores: Stores) -> None:
    memory = stores.open()
    base = memory.remember("The base")
    fact = memory.remember("A fact of it", kind="semantic", derives_from=[base.id])
    detail = memory.remember("What makes no sense without the fact", kind="semantic", depends_on=[fact.id])
    assert memory.audit.receipt(base.id).descendants == tuple(sorted([fact.id, detail.id]))
    assert memory.audit.receipt(detail.id).descendants == ()


def test_one_record_by_its_number(stores: Stores) -> None:
    memory = stores.open()
    one = memory.remember("Only this")
    sequence = memory.stats()["audit_seq"]
    assert memory.audit.receipt(sequence).about == one.id
    assert memory.audit.receipt(1).steps[0].operation.value == "openLog"
    for wrong in (0, -1, sequence + 1):
        with pytest.raises(marskg.InvalidInput):
            memory.audit.receipt(wrong)
    with pytest.raises(marskg.UnknownMemory, match="whose receipt was given"):
        memory.audit.receipt("urn:uuid:01920000-0000-7000-8000-0000000000ff")


def test_an_erasure_leaves_its_numbers_and_no_id(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open()
    one = memory.remember(f"The word is {SECRET}", subjects=["beatrix"])
    before = memory.audit.receipt(one.id)
    given = memory.erase(subject="beatrix")
    with pytest.raises(marskg.UnknownMemory):
        memory.audit.receipt(one.id)
    sequence = int(given.document["erasureRecord"][0].partition("#")[2])
    again = memory.audit.receipt(sequence)
    assert (again.about, again.claim) == (None, "logical")
    assert again.steps[0].processing == "Erase"
    assert "memories=1" in again.steps[0].details["counts"]
    emptied = next(record.sequence for record in memory.audit.records() if record.operation == "remember")
    assert memory.audit.receipt(emptied).steps[0].details == {}
    assert one.id not in json.dumps([again.document, memory.audit.receipt(emptied).document])
    assert codes(memory, given.document) == codes(memory, again.document) == []
    assert codes(memory, before.document) == [], "what was erased since is not there to be compared"
    assert outside(tmp_path, given.document, memory)[0] == 0


def test_what_was_changed_is_found(stores: Stores, tmp_path: Path) -> None:
    memory, other = stores.open(), stores.open(seed="another")
    one = memory.remember("Something to account for")
    document = memory.audit.receipt(one.id).document
    changed = {**document, "erasureClaim": "bytes"}
    assert codes(memory, changed) == ["bad-signature"]
    assert outside(tmp_path, changed)[0] == 1
    assert codes(other, document) == ["wrong-log"]
    stranger = SeededSource("stranger")
    unsigned = {name: value for name, value in document.items() if name != "proof"}
    theirs = add_proof(unsigned, Keyring(tmp_path / "keys").create(stranger), document["proof"]["created"])
    assert codes(memory, theirs) == ["unknown-key"]
    assert outside(tmp_path, theirs, memory)[0] == 1
    with pytest.raises(marskg.InvalidDocument, match="is no receipt"):
        memory.audit.check_receipt({"type": "Other"})


def test_a_receipt_that_the_key_signed_and_the_log_does_not_bear_out(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open()
    one = memory.remember("Something to account for")
    honest = memory.audit.receipt(one.id).document
    lies: dict[str, Any] = copy.deepcopy({name: value for name, value in honest.items() if name != "proof"})
    lies["receiptRecord"][0]["slot"][-1]["weight"] = 999
    signer = memory.store.signer_box()
    signed = add_proof(lies, signer, honest["proof"]["created"])
    assert codes(memory, signed) == ["slot-mismatch"]
    assert outside(tmp_path, signed, memory)[0] == 1
    lies["receiptRecord"][0]["leafHash"] = "0" * 64
    assert codes(memory, add_proof(lies, signer, honest["proof"]["created"])) == ["fork"]
    lies["receiptRecord"][0]["id"] = f"{honest['log']}#4000"
    assert codes(memory, add_proof(lies, signer, honest["proof"]["created"])) == ["missing-record"]


def test_words_with_another_meaning_are_found(stores: Stores) -> None:
    memory = stores.open()
    one = memory.remember("Something to account for")
    document = copy.deepcopy({n: v for n, v in memory.audit.receipt(one.id).document.items() if n != "proof"})
    document["@context"][0]["ProcessingReceipt"] = {"@id": "https://example.org/Other"}
    signed = add_proof(document, memory.store.signer_box(), "2026-03-01T00:00:00Z")
    assert codes(memory, signed) == ["bad-document"]
