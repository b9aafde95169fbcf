"""The public protocol of deletion: written, shown, forgotten by whatever had its turn first, erased, nowhere any more.

By id, subject, session, source and entity. In ``make test`` all ways of forgetting take their own in one tenant before
one erasure; in the proof each has a tenant for itself.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

import marskg
from marskg.drafts import Draft
from marskg.ontology.vocabulary import Kind
from marskg.store.engine.arcadedb import ArcadeDB
from tests.support import picture as pictures
from tests.support import stores as support
from tests.support.deletion import (
    ENTITY,
    HOUR,
    KEPT,
    NEVER,
    SESSION,
    SOURCE,
    STEM,
    SUBJECT,
    WAYS,
    Places,
    Told,
)
from tests.support.residue import residue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from marskg import Receipt
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

#: What is erased by each sort of request, but for ids.
NAMED: Final = {"subject": SUBJECT, "session": SESSION, "source": SOURCE, "entity": ENTITY}
BY: Final = ("id", *NAMED)
#: Places that never have a text, and tell of a memory by its id or in numbers.
IN_NUMBERS: Final = frozenset({"audit", "figures", "plan"})
#: Spellings of one text.
SPELLED: Final = (
    str,
    str.upper,
    lambda text: text.replace(",", " ;").replace("!", "…"),
    lambda text: f"«{text.replace(' ', chr(0xA0))}»",
    lambda text: text.replace("o", "\u043e"),
    lambda text: text.replace("zyx", "z\u200by\u2060x"),
)
LONGER: Final = "{} Or did she, if one asks by {}?"
REWORDED: Final = "Nobody else heard which word opens the door behind which her coat hangs, asked by {}"
#: What names each sort of request, in a text that comes again.
LABEL: Final[dict[str, dict[str, Any]]] = {
    "subject": {"subjects": [SUBJECT]},
    "session": {"session": SESSION},
    "source": {"source_ref": SOURCE},
    "entity": {"mentions": [ENTITY]},
    "none": {},
}


@pytest.fixture
def own(stores: Stores, tmp_path: Path) -> Iterator[Stores]:
    """Give a store of one's own, whose files can be closed and read; of a server another connection."""
    opened = stores.another_door() if stores.address is not None else support.embedded(tmp_path / "store")
    yield opened
    opened.engine.close()


def reopened(own: Stores, memory: AgentMemory) -> AgentMemory:
    """Close the store, and open it again."""
    tenant = memory.tenant
    memory.store.close()
    own.engine = ArcadeDB(Path(own.location)) if own.address is None else own.another_door().engine
    return own.open(tenant)


def refusal(by: str, label: str) -> type[marskg.MarsError] | None:
    """Return what refuses any text that names by ``label`` what was erased ``by`` it; None where nothing does."""
    if by == label and by in {"subject", "session", "source"}:
        return marskg.ConsentRequired if by == "subject" else marskg.ErasedContentRefused
    return None


# --- The steps of the protocol ----------------------------------------------------------------------------------------


def assert_shown(places: Places, told: Told) -> None:
    """Check that every place tells of a text that nothing took: what tells of none would pass the rest unasked."""
    said = places.told()
    silent = {name for name, text in said.items() if STEM not in text.casefold()}
    assert silent == IN_NUMBERS
    assert told.ids[0] in said["audit"]
    assert told.ids[0] in said["plan"]


def erased(memory: AgentMemory, by: str, told: list[Told], *, scrub: bool) -> list[Receipt]:
    """Erase all that was told; returns the receipts."""
    asked: list[dict[str, Any]] = [{"id": ident} for one in told for ident in one.ids]
    if by != "id":
        asked = [{by: NAMED[by]}]
    receipts = [memory.erase(**one) for one in asked[:-1]]
    return [*receipts, memory.erase(**asked[-1], scrub=scrub)]


def assert_receipt(memory: AgentMemory, receipt: Receipt, told: list[Told], *, scrub: bool) -> None:
    """Check that a receipt holds, says nothing of what was erased, and names what it does not reach."""
    assert receipt.claim == receipt.document["erasureClaim"] == ("bytes" if scrub else "logical")
    assert {"exports", "copied or unlisted snapshots", "backups", "snapshots"} <= {*receipt.document["uncovered"]}
    assert receipt.document["keptSnapshots"] == len(receipt.snapshots_left) == 1
    said = json.dumps(receipt.document).casefold()
    assert STEM not in said
    assert not [ident for one in told for ident in one.ids if ident in said]
    assert memory.audit.check_receipt(receipt.document).findings == ()


def assert_nowhere(places: Places, by: str, told: list[Told], gone: set[str], *, scrub: bool) -> None:
    """Check that no place tells of what was erased, and that what was not is where it was."""
    said = places.told()
    assert [name for name, text in said.items() if STEM in text.casefold()] == []
    assert KEPT in said["memories"]
    # Of what had gone whole nothing tells any more whom it was about, but the log when and why it went: unless one asks
    # by its id, the receipt names that.
    ids = [ident for one in told for ident in one.ids if by == "id" or ident not in gone]
    assert [(name, ident) for name, text in said.items() for ident in ids if ident in text] == []
    never = places.told_of(NEVER)
    assert [ident for ident in ids if places.told_of(ident) != never] == []
    if scrub:
        assert residue(Path(places.stores.location), [STEM]) == []
    assert pictures.faults(pictures.take(places.stores.engine, places.memory.tenant)) == []
    assert places.memory.verify().findings == ()
    assert places.memory.validate(full=True).ok


def assert_refused(memory: AgentMemory, by: str, told: list[Told]) -> None:
    """Feed each text again, spelled in one way or another, about the same people and about nobody."""
    for number, one in enumerate(told):
        spelled = SPELLED[number % len(SPELLED)](one.text)
        for again in {spelled, *((spell(one.text) for spell in SPELLED) if number == len(told) - 1 else ())}:
            for label in ("subject", "none"):
                with pytest.raises(refusal(by, label) or marskg.ErasedContentRefused) as refused:
                    memory.remember(again, **LABEL[label])
                assert STEM not in str(refused.value).casefold()


def assert_refused_at_every_door(memory: AgentMemory, one: Told, before: Path) -> None:
    """Feed a text again by all that writes texts."""
    draft = Draft(ref="again", kind=Kind.EPISODIC, content=one.text, at=memory.now())
    kept = next(found for found in memory.memories() if found.content == KEPT)
    doors: list[Callable[[], object]] = [
        lambda: memory.remember_many([draft]),
        lambda: memory.update(kept.id, one.text),
        lambda: memory.learn([{"role": "user", "content": one.text, "timestamp": memory.now()}]),
    ]
    if one.text in before.read_text("utf-8"):
        doors.append(lambda: memory.load(before))
    for feed in doors:
        with pytest.raises((marskg.ErasedContentRefused, marskg.ConsentRequired)):
            feed()


def assert_other_texts(memory: AgentMemory, by: str, one: Told, *, whole: bool) -> None:
    """Tell more and tell it otherwise: refused where it names what was erased for good, as the documents say.

    More is refused where the text was ``whole`` when it was erased; what was forgotten first is known alone.
    """
    for label, named in LABEL.items():
        for other in (LONGER.format(one.text, label), REWORDED.format(label)):
            expected = refusal(by, label) or (marskg.ErasedContentRefused if whole and one.text in other else None)
            if expected is None:
                with suppress(*([marskg.ErasedContentRefused] if one.text in other else [])):
                    stored = memory.remember(other, **named)
                    assert stored.content == other
                    memory.erase(id=stored.id)
            else:
                with pytest.raises(expected):
                    memory.remember(other, **named)


def work(memory: AgentMemory, stores: Stores, before: Path) -> None:
    """Put the tenant back to what it was before, and let everything run that runs beside reading and writing."""
    memory.snapshots.load(before)
    for day in range(6):
        memory.remember(
            f"On day {day} Carl watered the roses in the park behind the mill. It was {20 + day} degrees there then.",
            subjects=["carl"],
        )
    stores.clock(memory).advance(HOUR)
    memory.maintain()
    memory.maintenance.expire()
    memory.maintenance.rescore()
    memory.maintenance.reweigh()
    memory.maintenance.reembed()
    memory.maintenance.prepare()
    memory.learning.conflicts()
    memory.learning.read_backlog()
    memory.forget(memory.plan(policy="reflection-summary", budget=memory.weight * 8 // 10))
    memory.audit.rotate_key()
    memory.audit.sign_head()
    memory.audit.seal(before=memory.now())


# --- The protocol -----------------------------------------------------------------------------------------------------


def protocol(own: Stores, folder: Path, by: str, ways: list[str]) -> None:
    """Go through it all, with ``ways`` that have their turn before the erasure."""
    scrub = own.address is None
    memory = own.open(suppression__hits=None)
    memory.remember(KEPT, pin=True)
    told = [WAYS[way](own, memory) for way in ways]
    places = Places(own, memory, folder)
    if ways[-1] == "nothing":
        assert_shown(places, told[-1])
    gone = {ident for one in told for ident in one.ids} - {one.id for one in memory.memories()}
    memory.export(folder / "before.jsonld")
    memory.snapshots.save(folder / "before.mars")
    receipts = erased(memory, by, told, scrub=scrub)
    for receipt in receipts[:-1]:
        assert_receipt(memory, receipt, told, scrub=False)
    assert_receipt(memory, receipts[-1], told, scrub=scrub)
    for receipt in receipts:
        assert ("audit details of what had gone before" in receipt.document["uncovered"]) is (by != "id" and bool(gone))
    assert_nowhere(places, by, told, gone, scrub=scrub)
    assert_refused(memory, by, told)
    assert_refused_at_every_door(memory, told[-1], folder / "before.jsonld")
    assert_other_texts(memory, by, told[-1], whole=ways[-1] == "nothing")
    work(memory, own, folder / "before.mars")
    again = reopened(own, memory)
    if scrub:
        again.maintenance.scrub()
    assert_nowhere(Places(own, again, folder), by, told, gone, scrub=scrub)
    assert_refused(again, by, told)


@pytest.mark.parametrize("by", BY)
def test_nothing_comes_back_after_all_had_their_turn(own: Stores, tmp_path: Path, by: str) -> None:
    (tmp_path / "files").mkdir()
    protocol(own, tmp_path / "files", by, list(WAYS))


@pytest.mark.proof
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("by", BY)
def test_nothing_comes_back_after_each_alone(own: Stores, tmp_path: Path, by: str, way: str) -> None:
    (tmp_path / "files").mkdir()
    protocol(own, tmp_path / "files", by, [way])
