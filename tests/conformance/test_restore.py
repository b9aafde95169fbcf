"""Going back to a snapshot: cut off at any statement, after a killed process of an earlier version, beside others."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.audit.dataintegrity import multibase_url
from marskg.audit.grammar import parse_details
from marskg.audit.merkle import root_hash
from marskg.clock import SeededSource
from marskg.exporters.snapshot.file import Snapshot, SnapshotContent, write_snapshot
from tests.support import picture as pictures

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.memory import AgentMemory
    from marskg.store.engine.protocol import Row, Transaction
    from tests.support.stores import Stores

SCRIPT = Path(__file__).parents[2] / "examples" / "verify" / "verify_audit.py"
QUICK: dict[str, Any] = {"sensitivity__assess": "off", "embedding__model": "none"}
SECRET = "Her locker word is zyxquartz and she told nobody else about it"
ROW = "MATCH (t:Tenant {ref: $tenant})"
OWN = "WHERE n.ref >= $low AND n.ref < $high"
#: What the restore of version 0.1 had done to a tenant when it was killed, latest moment last; and what is then left.
LEFT = {
    "no row": ([], "memories, entities, preferences, log"),
    "no memories": (["Memory"], "entities, preferences, log"),
    "keys alone": (["Memory", "Entity", "Preference", "AuditRecord", "TreeHead"], ""),
}


class KilledError(BaseException):
    """The process ends here."""


class Cut:
    """A transaction that ends the process instead of running its ``at``-th statement."""

    def __init__(self, inner: Transaction, at: int) -> None:
        self._inner, self._left = inner, at

    def run(self, *given: Any, **named: Any) -> list[Row]:
        self._left -= 1
        if self._left == 0:
            raise KilledError
        return self._inner.run(*given, **named)


def filled(stores: Stores) -> AgentMemory:
    memory = stores.open(**QUICK)
    tea = memory.remember("Bea drinks tea", subjects=["bea"], session="s", mentions=["Mr Bell"])
    memory.remember("Carl plays chess", kind="semantic", subjects=["carl"], derives_from=[tea.id], key="game")
    memory.remember("Buy tea", kind="task", requires=[tea.id], session="s")
    memory.preferences.set("retention", "social", horizon="30d")
    return memory


def went_on(memory: AgentMemory) -> None:
    """Let each sort of thing change that a restore puts back."""
    chess, tea = (next(one for one in memory.memories() if word in (one.content or "")) for word in ("chess", "drinks"))
    memory.update(chess.id, "Carl plays go")
    memory.remember("Mr Bell has a shop", session="s", mentions=["Mr Bell", "Ms Carr"], derives_from=[tea.id])
    memory.preferences.set("retention", "social", horizon="3d")
    memory.retrieve("tea")
    memory.audit.sign_head()


def contents(memory: AgentMemory) -> list[str]:
    return sorted(one.content for one in memory.memories() if one.content is not None)


def sound(stores: Stores, memory: AgentMemory) -> None:
    assert pictures.faults(pictures.take(stores.engine, memory.tenant)) == []
    assert memory.verify().findings == ()
    assert memory.validate(full=True).ok


def there(stores: Stores, memory: AgentMemory) -> list[Any]:
    """Return all that the store has under a tenant's name, whose row may be missing."""
    labels = ("Memory", "Entity", "EntityWord", "Preference", "AuditRecord", "TreeHead", "AuditKey")
    texts = (f"MATCH (n:{label}) {OWN} RETURN properties(n) AS node ORDER BY n.ref" for label in labels)
    return [stores.engine.read(text, own(memory)) for text in texts]


def own(memory: AgentMemory) -> dict[str, str]:
    return {"tenant": memory.tenant, "low": f"{memory.tenant}|", "high": f"{memory.tenant}}}"}


def test_a_restore_that_ends_at_any_statement_leaves_the_tenant_as_it_was(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = filled(stores)
    memory.snapshots.save(tmp_path / "one.mars")
    went_on(memory)
    before = pictures.take(stores.engine, memory.tenant)
    real = stores.engine.transaction
    cuts = 0
    for at in range(1, 200):

        @contextmanager
        def cut(at: int = at) -> Iterator[Any]:
            with real() as transaction:
                yield Cut(transaction, at)

        with monkeypatch.context() as patched:
            patched.setattr(stores.engine, "transaction", cut)
            try:
                memory.snapshots.load(tmp_path / "one.mars")
            except KilledError:
                cuts += 1
            else:
                break
        assert pictures.take(stores.engine, memory.tenant) == before
        if at % 5 == 0:
            sound(stores, stores.open(memory.tenant, **QUICK))
    assert cuts > 10
    assert contents(memory) == ["Bea drinks tea", "Buy tea", "Carl plays chess"]
    sound(stores, memory)
    memory.remember("And on it goes", session="s")
    sound(stores, memory)


@pytest.mark.parametrize("moment", sorted(LEFT))
def test_a_tenant_whose_row_was_lost_keeps_what_is_left_until_a_snapshot_takes_its_place(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    memory = filled(stores)
    memory.remember(SECRET, subjects=["eve"])
    memory.snapshots.save(tmp_path / "one.mars")
    memory.erase(subject="eve")
    gone, left = LEFT[moment]
    for text in (f"{ROW} DELETE t", *(f"MATCH (n:{label}) {OWN} DETACH DELETE n" for label in gone)):
        stores.engine.write(text, own(memory))
    before = there(stores, memory)
    (tmp_path / "broken.mars").write_bytes((tmp_path / "one.mars").read_bytes()[:-1])
    if stores.address is not None:
        monkeypatch.setenv("NEO4J_PASSWORD", stores.address.password)

    def reopen(**named: Any) -> AgentMemory:
        clock = stores.clock(memory)
        return marskg.open(stores.location, tenant=memory.tenant, clock=clock, source=SeededSource(3), **named)

    for named in ({}, {"create": False}) if left else ():
        with pytest.raises(marskg.StoreDamaged, match=f"has the {left} of tenant '{memory.tenant}' and not its row"):
            reopen(**named)
    handles = memory._writer.shared._handles
    known = len(handles)
    with pytest.raises(marskg.InvalidDocument) as refused:
        reopen(snapshot=tmp_path / "broken.mars")
    # What failed to open is told of nothing any more, also while its error is held on to.
    assert (len(handles), refused.type) == (known, marskg.InvalidDocument)
    if left:
        assert there(stores, memory) == before
    with reopen(snapshot=tmp_path / "one.mars") as again:
        assert SECRET not in contents(again)
        assert len(contents(again)) == 3
        with pytest.raises(marskg.ConsentRequired):
            again.remember("Eve again", subjects=["eve"])
        sound(stores, again)


def test_a_restore_writes_what_differs_and_nothing_else(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = filled(stores)
    memory.snapshots.save(tmp_path / "one.mars")
    before = pictures.take(stores.engine, memory.tenant)
    went_on(memory)
    memory.snapshots.load(tmp_path / "one.mars")
    after = pictures.take(stores.engine, memory.tenant)
    for picture in (before, after):
        for node in picture.nodes.values():
            # Drawn anew where it had gone meanwhile.
            node.pop("randomKey", None)
    assert (after.nodes, after.edges, after.entities) == (before.nodes, before.edges, before.entities)
    real = stores.engine.transaction
    written: list[str] = []

    class Watched:
        def __init__(self, inner: Transaction) -> None:
            self._inner = inner

        def run(self, text: str, parameters: dict[str, Any], **named: Any) -> list[Row]:
            if "CREATE" in text or "DELETE" in text or "MERGE" in text:
                written.append(text)
            return self._inner.run(text, parameters, **named)

    @contextmanager
    def watched() -> Iterator[Any]:
        with real() as transaction:
            yield Watched(transaction)

    monkeypatch.setattr(stores.engine, "transaction", watched)
    memory.snapshots.load(tmp_path / "one.mars")
    assert [text for text in written if "AuditRecord" not in text] == []


def test_a_restore_beside_another_process_begins_again(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if stores.engine.name == "arcadedb":
        pytest.skip("its files belong to one process")
    memory = filled(stores)
    memory.snapshots.save(tmp_path / "one.mars")
    foreign = stores.apart().open(memory.tenant, seed="other", **QUICK)
    real = stores.engine.transaction
    told: list[str] = []

    @contextmanager
    def late() -> Iterator[Any]:
        if not told:
            told.append(foreign.remember("Written while the snapshot was read", session="s").id)
        with real() as transaction:
            yield transaction

    monkeypatch.setattr(stores.engine, "transaction", late)
    memory.snapshots.load(tmp_path / "one.mars")
    assert told
    assert contents(memory) == ["Bea drinks tea", "Buy tea", "Carl plays chess"]
    sound(stores, memory)
    foreign.remember("It goes on from there", session="s")
    sound(stores, foreign)


def test_a_snapshot_from_before_the_key_was_changed_goes_on_with_the_key_of_then(
    stores: Stores, tmp_path: Path
) -> None:
    memory = filled(stores)
    memory.snapshots.save(tmp_path / "one.mars")
    memory.audit.rotate_key()
    memory.erase(subject="bea")
    memory.snapshots.load(tmp_path / "one.mars")
    assert "Bea drinks tea" not in contents(memory)
    sound(stores, memory)
    memory.remember("And on it goes")
    sound(stores, memory)


def changed(source: Path, target: Path, how: str) -> None:
    """Write a snapshot anew, sound in itself, with one thing in it that its audit does not say."""
    with Snapshot(source) as saved:
        row, memories, records = dict(saved.tenant), list(saved.memories()), list(saved.records())
        if how == "a content":
            memory, edges, salt = memories[0]
            memories[0] = (replace(memory, content="Bea drinks gin"), edges, salt)
        elif how == "a memory less":
            memories = [item for item in memories if item[0].kind != "task"]
        elif how == "a record less":
            records.remove(next(one for one in reversed(records) if one.log == row["log"]))
        elif how == "a shorter log in the row":
            row["sequence"] -= 1
        else:
            at = next(place for place, one in enumerate(records) if one.operation == "remember")
            records[at] = replace(records[at], leaf="0" * 64)
        content = SnapshotContent(row, list(saved.keys()), list(saved.entities()), memories, records, saved.heads())
        write_snapshot(target, content)


@pytest.mark.parametrize(
    "how", ["a content", "a memory less", "a record less", "a shorter log in the row", "another leaf hash"]
)
def test_a_snapshot_that_is_not_what_its_audit_says_is_refused_before_anything_changes(
    stores: Stores, tmp_path: Path, how: str
) -> None:
    memory = filled(stores)
    memory.snapshots.save(tmp_path / "one.mars")
    went_on(memory)
    changed(tmp_path / "one.mars", tmp_path / "changed.mars", how)
    before = pictures.take(stores.engine, memory.tenant)
    with pytest.raises(marskg.InvalidDocument, match=r"not what its own audit says.*Nothing was restored"):
        memory.snapshots.load(tmp_path / "changed.mars")
    assert pictures.take(stores.engine, memory.tenant) == before


def test_an_encrypted_tenant_is_left_as_it_is_by_a_snapshot(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARS_VAULTS", str(tmp_path / "vaults"))
    memory = filled(stores)
    memory.snapshots.save(tmp_path / "one.mars")
    encrypted = stores.open(encryption="subjects", **QUICK)
    encrypted.remember("Bea drinks tea", subjects=["bea"])
    before = pictures.take(stores.engine, encrypted.tenant)
    with pytest.raises(marskg.NotPermitted, match="copy the store's folder"):
        encrypted.snapshots.load(tmp_path / "one.mars")
    assert pictures.take(stores.engine, encrypted.tenant) == before


def test_another_process_sees_a_restore_although_the_log_has_grown_to_the_same_length(
    stores: Stores, tmp_path: Path
) -> None:
    if stores.engine.name == "arcadedb":
        pytest.skip("its files belong to one process")
    memory = filled(stores)
    foreign = stores.apart().open(memory.tenant, seed="other", **QUICK)
    foreign.retrieve("tea")
    memory.snapshots.save(tmp_path / "one.mars")
    lost = [memory.remember("Ann paints boats", kind="semantic"), foreign.remember("Dan sails", kind="semantic")]
    query = "SELECT ?c WHERE { ?m mars:content ?c } ORDER BY ?c"
    assert len(foreign.sparql(query).rows) == 5
    length = foreign.stats()["audit_seq"]
    memory.snapshots.load(tmp_path / "one.mars")
    found = memory.remember("Fay bakes bread", kind="semantic")
    assert memory.stats()["audit_seq"] == length, "only then could the other process take it for its own"
    assert [foreign.get(one.id) for one in lost] == [None, None]
    assert foreign.get(found.id) is not None
    said = [str(row[0]) for row in foreign.sparql(query).rows]
    assert said == ["Bea drinks tea", "Buy tea", "Carl plays chess", "Fay bakes bread"]
    shown = {hit.memory.id for hit in foreign.retrieve("Who bakes, paints, sails?")}
    assert found.id in shown
    assert shown.isdisjoint(one.id for one in lost)
    foreign.remember("And on it goes", session="s")
    sound(stores, foreign)


def told(memory: AgentMemory) -> dict[str, str]:
    """Return what the record of the last restore says, which is the last one of the log."""
    *_, last = memory.audit.records()
    assert last.operation == "restoreSnapshot"
    said = parse_details(last.details[0], last.iri, 0)["parameters"]
    return dict(line.split("=", 1) for line in said)


def test_a_restore_is_a_signed_record_that_names_what_was_abandoned(stores: Stores, tmp_path: Path) -> None:
    memory = filled(stores)
    path = tmp_path / "one.mars"
    memory.snapshots.save(path)
    went_on(memory)
    head = memory.audit.sign_head()
    logs = [memory.store.reader.leaves(letter, 1) for letter in "ta"]
    sizes, roots = zip(*((len(found), multibase_url(root_hash(found))) for found in map(list, logs)), strict=True)
    state = memory._writer.state
    memory.snapshots.load(path)
    assert told(memory) == {
        "snapshot.sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "abandoned.transitions.log": state.log,
        "abandoned.transitions.size": f"{sizes[0]}",
        "abandoned.transitions.root": head.root,
        "abandoned.accesses.log": state.access_log,
        "abandoned.accesses.size": f"{sizes[1]}",
        "abandoned.accesses.root": roots[1],
    }
    assert head.root == roots[0]
    sound(stores, memory)
    # What was abandoned can be shown by nobody but who kept it: a witness finds that it is gone.
    assert {finding.code for finding in memory.verify(witness=[head]).findings} == {"missing-tail"}
    memory.export(tmp_path / "out.nq", audit=True)
    outside = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path / "out.nq")], capture_output=True, text=True, check=False
    )
    assert outside.returncode == 0, outside.stdout
    memory.audit.seal(sequence=memory.stats()["audit_seq"])
    assert told(memory)["abandoned.transitions.root"] == head.root, "the record of a restore is never sealed"


def test_a_second_restore_names_the_log_that_the_first_one_made(stores: Stores, tmp_path: Path) -> None:
    memory = filled(stores)
    memory.snapshots.save(tmp_path / "one.mars")
    saved = memory.stats()["audit_seq"]
    memory.remember("Acknowledged after the snapshot")
    for size in (saved + 1, saved + 1):
        memory.snapshots.load(tmp_path / "one.mars")
        assert memory.stats()["audit_seq"] == saved + 1
        assert told(memory)["abandoned.transitions.size"] == f"{size}"
        sound(stores, memory)


def test_without_the_key_nothing_that_was_recorded_or_signed_is_replaced(stores: Stores, tmp_path: Path) -> None:
    memory = filled(stores)
    memory.snapshots.save(tmp_path / "one.mars")
    keys = memory.store.folder / "keys"
    shutil.move(keys, tmp_path / "keys")
    try:
        without = stores.apart().open(memory.tenant, **QUICK)
        with pytest.raises(marskg.KeyUnusable):
            without.snapshots.load(tmp_path / "one.mars")
        assert without.stats()["audit_seq"] == memory.stats()["audit_seq"]
    finally:
        shutil.rmtree(keys, ignore_errors=True)
        shutil.move(tmp_path / "keys", keys)
    memory.remember("Acknowledged after the snapshot")
    shutil.move(keys, tmp_path / "keys")
    try:
        without = stores.apart().open(memory.tenant, **QUICK)
        with pytest.raises(marskg.KeyUnusable):
            without.snapshots.load(tmp_path / "one.mars")
    finally:
        shutil.rmtree(keys, ignore_errors=True)
        shutil.move(tmp_path / "keys", keys)
    assert "Acknowledged after the snapshot" in contents(memory)
    sound(stores, memory)
