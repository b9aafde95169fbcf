"""Who saw a memory: by which call, for what, also after it is gone; and nothing of what was erased."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import marskg

if TYPE_CHECKING:
    from tests.support.stores import Stores

UNKNOWN = "urn:uuid:01920000-0000-7000-8000-0000000000ff"


def test_every_door_is_told_with_its_purpose(stores: Stores) -> None:
    memory = stores.open()
    one = memory.remember("Bea keeps her bicycle in the cellar", subjects=["bea"], mentions=["Bea"])
    other = memory.remember("The moon is full", subjects=["carl"])
    memory.retrieve("bicycle cellar", purpose="support", k=5, token_budget=200)
    memory.recall("Bea", purpose="billing")
    memory.read_all(subjects=["bea"])
    memory.profile("bea", purpose="support")
    memory.control.record_access([one.id], purpose="by hand")
    found = memory.audit.who_saw(one.id)
    assert (found.id, found.state) == (one.id, "live")
    assert [(item.call, item.purpose, item.by) for item in found.seen] == [
        ("retrieve", "support", "operator"),
        ("recall", "billing", "operator"),
        ("read_all", None, "operator"),
        ("profile", "support", "operator"),
        ("record_access", "by hand", "operator"),
    ]
    assert [item.at for item in found.seen] == sorted(item.at for item in found.seen)
    records = {record.iri: record for record in memory.audit.records(log="accesses")}
    assert all(one.id in records[item.record].memories for item in found.seen)
    assert all(
        item.record not in {seen.record for seen in memory.audit.who_saw(other.id).seen} for item in found.seen[1:]
    )
    assert memory.verify().findings == ()


def test_asking_is_no_showing(stores: Stores) -> None:
    memory = stores.open()
    one = memory.remember("Nobody asked for this")
    before = memory.stats()["access_seq"]
    assert memory.audit.who_saw(one.id).seen == ()
    assert memory.stats()["access_seq"] == before


def test_an_assessment_is_no_showing(stores: Stores) -> None:
    memory = stores.open()
    memory.remember("Bea keeps her bicycle in the cellar")
    hits = memory.retrieve("bicycle", k=5, token_budget=200)
    assert hits.id is not None
    memory.feedback(hits.id, used=[hits[0].memory.id])
    assert len(memory.audit.who_saw(hits[0].memory.id).seen) == 1


def test_more_showings_than_a_page(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("marskg.privacy.disclosures.disclosure_log._PAGE", 3)
    memory = stores.open()
    one = memory.remember("Shown again and again")
    for _ in range(7):
        memory.control.record_access([one.id])
    assert len(memory.audit.who_saw(one.id).seen) == 7


def test_what_was_forgotten_is_told_and_what_was_erased_is_not(stores: Stores) -> None:
    memory = stores.open()
    gone = memory.remember("It goes by a policy", subjects=["bea"])
    erased = memory.remember("It goes on request, word by word", subjects=["carl"])
    memory.control.record_access([gone.id, erased.id], purpose="support")
    memory.forget(memory.plan(policy="fifo", budget=erased.weight))
    assert memory.audit.who_saw(gone.id).state == "gone"
    assert len(memory.audit.who_saw(gone.id).seen) == 1
    with pytest.raises(marskg.UnknownMemory, match="nothing was ever erased"):
        memory.audit.who_saw(UNKNOWN)
    memory.erase(subject="carl")
    found = memory.audit.who_saw(erased.id)
    assert (found.state, found.seen, len(found.erasures)) == ("unknown", (), 1)
    assert memory.audit.who_saw(UNKNOWN).erasures == found.erasures, (
        "an id that never was looks like one that was erased"
    )
    assert len(memory.audit.who_saw(gone.id).seen) == 1, "the showing of what stays stays"


def test_nothing_of_another_tenant_is_told(stores: Stores) -> None:
    memory, other = stores.open(), stores.open()
    one = memory.remember("Mine")
    memory.control.record_access([one.id])
    with pytest.raises(marskg.UnknownMemory):
        other.audit.who_saw(one.id)
