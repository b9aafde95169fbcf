"""Encrypted tenants: nothing in clear in any file, all doors as usual, and keys that are destroyed."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.audit.linkeddata import verify_document
from marskg.erasure.receipts import KEYS, LOGICAL
from marskg.store.crypto.encrypted_engine import custody_of
from marskg.store.crypto.envelopes import is_envelope
from marskg.store.crypto.field_encryption import FieldEncryption
from marskg.store.crypto.key_custody import Custody
from marskg.store.statements.handling import own
from marskg.text import as_key
from tests.support import picture as pictures
from tests.support.residue import residue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.api.restricted.restricted_memory import RestrictedMemory
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores


class Words:
    """Words of one test that are nowhere else, though all engines and tests share their files."""

    def __init__(self, test: str) -> None:
        # A digit in front: of letters alone, a word for several things would be an entity.
        self.stem = f"zyx7{sha256(test.encode()).hexdigest()[:8]}"
        self.all: list[str] = []

    def __call__(self, what: str) -> str:
        word = f"{self.stem}{what}"
        if word not in self.all:
            self.all.append(word)
        return word


@pytest.fixture
def words(request: pytest.FixtureRequest) -> Words:
    return Words(request.node.nodeid)


@pytest.fixture(autouse=True)
def keyrings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MARS_VAULTS", str(tmp_path / "vaults"))
    return tmp_path / "vaults"


def encrypted(stores: Stores, tenant: str | None = None, *, seed: int = 1) -> AgentMemory:
    return stores.open(tenant, encryption="subjects", entities__recognise="on", sensitivity__assess="off", seed=seed)


def keys_of(memory: AgentMemory) -> Custody:
    custody = custody_of(memory.store.engine)
    assert custody is not None
    return custody


@pytest.fixture
def files(stores: Stores, request: pytest.FixtureRequest) -> Path:
    """Return the folder of all files of the engine: stores, indexes and logs."""
    if stores.engine.name == "arcadedb":
        return Path(stores.location)
    home: Path = request.getfixturevalue("run_folder") / "neo4j-home"
    if not home.is_dir():
        pytest.skip("the server's files are elsewhere, as NEO4J_URI names one")
    return home


def fill(memory: AgentMemory, words: Words) -> dict[str, marskg.Memory]:
    """Store something of everything about Bea, Carl and nobody."""
    bea, carl = words("beatrice"), words("carlson")
    told = memory.remember(
        f"Her locker word is {words('lockerword')} and she told {words('friendname')} about it",
        subjects=[bea],
        session=words("firstsession"),
        source_ref=words("sourceref"),
        intent_tags=[words("intenttag")],
        metadata={words("metaname"): {"inner": [words("metavalue")]}},
        payload={"participants": [words("participant")], "event": words("eventtext"), "context": words("context")},
        mentions=[marskg.EntityRef(f"Mr {words('entityname')}", None, (words("aliasname"),))],
    )
    home = memory.remember(
        f"Lives in {words('oldhometown')}",
        kind="semantic",
        key=words("slotkey"),
        subjects=[bea],
        payload={"concept": words("concept"), "amount": 731_947_113.25, "unit": words("unitname")},
    )
    moved = memory.remember(f"Lives in {words('newhometown')}", kind="semantic", key=words("slotkey"), subjects=[bea])
    both = memory.remember(f"They met in {words('meetingtown')}", subjects=[bea, carl], session=words("firstsession"))
    other = memory.remember(
        f"Plays {words('chessgame')} on Mondays", subjects=[carl], session=words("secondsession"), kind="semantic"
    )
    task = memory.remember(
        f"Water the {words('tomatoes')}", kind="task", payload={"goal": words("goaltext")}, requires=[other.id]
    )
    return {"told": told, "home": home, "moved": moved, "both": both, "other": other, "task": task}


def doors(memory: AgentMemory, words: Words) -> dict[str, Any]:
    """Read by every door that an encrypted tenant has."""
    return {
        "get": [memory.get(one.id) for one in memory.memories()],
        "memories": sorted(one.content or "" for one in memory.memories()),
        "entities": sorted(one.name for one in memory.entities.list()),
        "retrieve": [hit.memory.content for hit in memory.retrieve(words("lockerword"), k=9, token_budget=900)],
        "recall": [hit.memory.content for hit in memory.recall(entity=words("aliasname"), token_budget=900)],
        "stats": memory.stats()["live"],
    }


# --- As in clear --------------------------------------------------------------------------------------------------


def test_what_is_stored_reads_as_it_was_written(stores: Stores, words: Words) -> None:
    memory = encrypted(stores)
    told = fill(memory, words)
    for one in told.values():
        found = memory.get(one.id)
        if one is told["home"]:
            continue  # it was superseded meanwhile
        assert found is not None
        assert (found.content, found.payload, found.subjects, found.session, found.key) == (
            one.content,
            one.payload,
            one.subjects,
            one.session,
            one.key,
        )
        assert (found.source_ref, found.intent_tags) == (one.source_ref, one.intent_tags)
    assert [one.content for one in memory.history(told["moved"].id)] == [told["home"].content, told["moved"].content]
    assert pictures.faults(pictures.take(memory.store.engine, memory.tenant)) == []
    assert memory.validate(full=True).ok
    assert memory.verify().findings == ()


def test_an_encrypted_tenant_tells_what_one_in_clear_tells(stores: Stores, words: Words) -> None:
    clear = stores.open(entities__recognise="on", sensitivity__assess="off")
    secret = encrypted(stores)
    fill(clear, words)
    fill(secret, words)
    one, other = doors(clear, words), doors(secret, words)
    for name in one.keys() - {"get"}:
        assert one[name] == other[name], name
    again = encrypted(stores, secret.tenant, seed=2)
    assert doors(again, words)["memories"] == one["memories"]
    # The words are random, and so is the weight of what is protected: some 20 to 32 tokens.
    forgotten = [memory.forget(memory.plan(policy="fifo", budget=45)).weight_after for memory in (clear, secret)]
    assert forgotten[0] == forgotten[1]
    assert secret.verify().findings == ()
    assert pictures.faults(pictures.take(secret.store.engine, secret.tenant)) == []


def test_changes_of_what_is_stored(stores: Stores, words: Words) -> None:
    memory = encrypted(stores)
    told = fill(memory, words)
    (entity,) = [one for one in memory.entities.list() if words("entityname") in one.name]
    memory.entities.rename(entity.id, words("renamed"))
    memory.entities.add_alias(entity.id, words("anotheralias"))
    memory.policy.pin(told["told"].id)
    memory.tasks.amend(told["task"].id, status="done")
    hits = memory.recall(entity=words("anotheralias"), token_budget=300)
    assert [hit.memory.id for hit in hits][:1] == [told["told"].id]
    assert memory.verify().findings == ()
    memory.entities.remove_alias(entity.id, words("anotheralias"))
    with pytest.raises(marskg.UnknownMemory):
        memory.recall(entity=words("anotheralias"), token_budget=300)
    newer = memory.update(told["told"].id, f"Her locker word is {words('newlockerword')} since yesterday")
    found = memory.get(newer.id)
    assert found is not None
    assert (found.subjects, found.session) == (told["told"].subjects, told["told"].session)
    assert memory.verify().findings == ()


# --- Nothing in clear ---------------------------------------------------------------------------------------------


def use_all(stores: Stores, memory: AgentMemory, words: Words, folder: Path) -> None:
    """Write and read through every door that there is, and through those that are refused."""
    told = fill(memory, words)
    bea = words("beatrice")
    doors(memory, words)
    memory.update(told["told"].id, f"Her locker word is {words('newlockerword')} since yesterday")
    memory.control.set_goal(f"find {words('searchedgoal')}")
    hits = memory.retrieve(
        f"where is {words('questionword')}", k=3, token_budget=300, conversation=words("conversation")
    )
    assert hits.id is not None
    memory.feedback(
        hits.id, answer=f"It is {words('answerword')}", complaint=f"stop mentioning {words('complaintword')}"
    )
    memory.learning.wish(f"remember more about {words('wishword')}", subject=bea)
    memory.preferences.consent(bea, words("purposeword"))
    memory.preferences.set("private_entity", target=words("entityname"), subject=bea)
    memory.plan(policy="hybrid", budget=60)
    memory.forget(memory.plan(policy="fifo", budget=90))
    memory.explain(told["other"].id)
    memory.maintain()
    memory.learning.conflicts(resolve="flag")
    memory.privacy.report(bea)
    memory.export(folder / "out.jsonld")
    reader = stores.open_as(memory, f"subject:{bea}")
    list(reader.retrieve(words("lockerword"), k=3, token_budget=300))
    if stores.engine.name == "arcadedb":
        memory.erase(source=words("nosuchsource"), scrub=True)


def test_no_file_has_anything_in_clear(
    stores: Stores, words: Words, files: Path, keyrings: Path, tmp_path: Path
) -> None:
    memory = encrypted(stores)
    use_all(stores, memory, words, tmp_path)
    memory._reading.save()
    assert len(words.all) > 25
    assert residue(files, words.all, stem=words.stem) == []
    assert residue(keyrings, words.all, stem=words.stem) == []
    assert words("beatrice") in (tmp_path / "out.jsonld").read_text(), "the export is in clear, as it was asked for"


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.proof)])
def test_nothing_is_in_clear_after_a_random_history(stores: Stores, words: Words, files: Path, seed: int) -> None:
    memory, chance = encrypted(stores), Random(seed)
    people = [words(f"person{number}") for number in range(4)]

    def remember(number: int) -> None:
        kind = chance.choice(["episodic", "semantic", "social", "task"])
        ids = [one.id for one in memory.memories() if one.content is not None]
        memory.remember(
            f"{words(f'said{number}')} to {words(f'Named{number}')} on a day",
            kind=kind,
            subjects=chance.sample(people, chance.randrange(3)),
            session=words(f"session{number % 3}") if kind == "episodic" else None,
            key=words(f"key{number % 4}") if kind == "semantic" else None,
            source_ref=words(f"source{number % 5}"),
            mentions=[words(f"mentioned{number % 6}")],
            derives_from=chance.sample(ids, min(len(ids), chance.randrange(2))),
        )

    def update(number: int) -> None:
        memory.update(chance.choice([one.id for one in memory.memories()]), f"now {words(f'update{number}')} is said")

    calls = (
        *(remember,) * 6,
        update,
        lambda number: memory.forget(memory.plan(policy="lru", budget=max(20, 120 - number))),
        lambda number: memory.erase(source=words(f"source{number % 5}")),
        lambda number: memory.erase(session=words(f"session{number % 3}")),
        lambda _: memory.erase(subject=chance.choice(people)),
        lambda number: memory.preferences.consent(chance.choice(people), words(f"purpose{number % 2}")),
        lambda number: memory.entities.add_alias(
            chance.choice(list(memory.entities.list())).id, words(f"alias{number}")
        ),
        lambda number: memory.retrieve(words(f"asked{number}"), k=4, token_budget=200),
    )
    done = 0
    for number in range(40):
        try:
            chance.choice(calls)(number)
            done += 1
        except (marskg.MarsError, IndexError):  # refused, or there was nothing to choose from
            continue
    assert done > 20
    assert residue(files, words.all, stem=words.stem) == []
    assert memory.verify().findings == ()
    assert pictures.faults(pictures.take(memory.store.engine, memory.tenant)) == []


def test_a_tenant_in_clear_would_have_been_found(stores: Stores, words: Words, files: Path) -> None:
    fill(stores.open(), words)
    assert residue(files, words.all[:1], stem=words.stem) != []


@pytest.mark.server
def test_cypher_sees_envelopes(stores: Stores, words: Words) -> None:
    memory = encrypted(stores)
    fill(memory, words)
    rows = memory.cypher(
        "MATCH (n) WHERE n.tenant = $tenant RETURN properties(n) AS node", {"tenant": memory.tenant}
    ).rows
    text = json.dumps(rows)
    assert rows
    assert "mars:envelope:content:" in text
    assert not [word for word in words.all if word in text.casefold()]


# --- Erasing ------------------------------------------------------------------------------------------------------


def copy_of(files: Path, folder: Path) -> Path:
    """Return a copy of the engine's files as they are: a backup."""
    return Path(shutil.copytree(files, folder / "backup", ignore_dangling_symlinks=True))


def envelopes_in(stores: Stores, memory: AgentMemory) -> dict[str, dict[str, Any]]:
    rows = stores.engine.read(
        "MATCH (n) WHERE n.tenant = $tenant AND n.ref IS NOT NULL RETURN properties(n) AS node",
        {"tenant": memory.tenant},
    )
    return {row["node"]["ref"]: row["node"] for row in rows}


def readable(memory: AgentMemory, nodes: Mapping[str, Mapping[str, Any]]) -> str:
    """Return all that the keys that are left open of what a copy of the store holds."""
    fields = FieldEncryption(memory.tenant, keys_of(memory).keyring)
    found = []
    for node in nodes.values():
        for name, value in node.items():
            try:
                found.append(json.dumps(fields.received(own(""), {}, [{"ref": node["ref"], name: value}])))
            except marskg.KeyUnusable:
                continue
    return "\n".join(found)


def test_names_that_are_almost_the_same_are_found_under_encryption_too(stores: Stores, words: Words) -> None:
    memory = encrypted(stores)
    name = words("Bob")
    memory.remember("He likes tea", subjects=[name])
    for ask in (memory.privacy.match_erasure, memory.erase):
        with pytest.raises(marskg.InvalidInput, match=f"there is '{name}'"):
            ask(subject=name.upper())
    with pytest.raises(marskg.InvalidInput, match=f"there is '{name}'"):
        memory.privacy.report(name.upper())
    assert memory.erase(subject=name).claim == KEYS


def test_what_was_erased_cannot_be_read_in_any_copy(stores: Stores, words: Words) -> None:
    memory = encrypted(stores)
    told = fill(memory, words)
    gone = {
        "beatrice",
        "lockerword",
        "friendname",
        "sourceref",
        "intenttag",
        "participant",
        "oldhometown",
        "meetingtown",
    }
    backup = envelopes_in(stores, memory)
    before = readable(memory, backup)
    assert all(words(one) in before for one in gone | {"chessgame"})
    receipt = memory.erase(subject=words("beatrice"))
    assert receipt.claim == KEYS
    assert receipt.document["uncovered"] == ["exports", "backups of the keys"]
    verify_document(receipt.document, minimum=5)
    after = readable(memory, backup)
    assert not [one for one in gone if words(one) in after]
    assert words("chessgame") in after, "what is about others is under other keys"
    assert {one.id for one in memory.memories()} == {told["other"].id, told["task"].id}
    assert memory.verify().findings == ()
    assert pictures.faults(pictures.take(memory.store.engine, memory.tenant)) == []


def test_entities_go_with_their_keys(stores: Stores, words: Words) -> None:
    memory = encrypted(stores)
    fill(memory, words)
    backup = envelopes_in(stores, memory)
    assert words("entityname") in readable(memory, backup).casefold()
    memory.erase(entity=words("aliasname"))
    left = readable(memory, {ref: node for ref, node in backup.items() if "nameKey" in node})
    assert words("entityname") not in left.casefold()
    assert words("aliasname") not in left.casefold()


def test_the_claim_is_keys_only_where_all_was_under_them(stores: Stores) -> None:
    memory = encrypted(stores)
    told = memory.remember("Bea likes quinces and pears", subjects=["bea"])
    memory.remember("Somebody likes quinces", kind="semantic", derives_from=[told.id])
    receipt = memory.erase(subject="bea")
    assert (receipt.matched, receipt.descendants, receipt.claim) == (1, 1, LOGICAL)
    assert keys_of(memory).subject_key("bea") is None, "the key is gone all the same"
    assert memory.erase(subject="nobody").claim == LOGICAL
    clear = stores.open()
    clear.remember("Bea likes quinces and pears", subjects=["bea"])
    assert clear.erase(subject="bea").claim == LOGICAL


def test_somebody_may_come_back_by_consent(stores: Stores) -> None:
    memory = encrypted(stores)
    memory.remember("Bea likes quinces and pears", subjects=["bea"])
    old = keys_of(memory).subject_key("bea")
    memory.erase(subject="bea")
    with pytest.raises(marskg.ConsentRequired):
        memory.remember("Bea is back", subjects=["bea"])
    memory.preferences.consent("bea")
    back = memory.remember("Bea is back", subjects=["bea"])
    new = keys_of(memory).subject_key("bea")
    assert old is not None
    assert new is not None
    assert old.id != new.id
    assert memory.get(back.id).content == "Bea is back"  # type: ignore[union-attr]


# --- Crashes in the middle ------------------------------------------------------------------------------------------


def test_a_key_whose_end_was_scheduled_lives_on_if_nothing_was_erased(stores: Stores) -> None:
    memory = encrypted(stores)
    one = memory.remember("Bea likes quinces and pears", subjects=["bea"])
    custody = keys_of(memory)
    key = custody.subject_key("bea")
    assert key is not None
    custody.keyring.schedule_destruction([key])  # and here the process ends
    again = encrypted(stores, memory.tenant, seed=2)
    assert keys_of(again).keyring.scheduled() == ()
    assert again.get(one.id).content == one.content  # type: ignore[union-attr]


def test_a_key_whose_end_was_scheduled_goes_if_all_was_erased(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = encrypted(stores)
    memory.remember("Bea met Mr Quincetree", subjects=["bea"], mentions=["Mr Quincetree"])
    custody = keys_of(memory)

    class Killed(BaseException):
        pass

    def killed(_keys: object) -> None:
        raise Killed

    monkeypatch.setattr(custody.keyring, "destroy", killed)
    with pytest.raises(Killed):
        memory.erase(subject="bea")
    monkeypatch.undo()
    monkeypatch.setenv("MARS_VAULTS", str(custody.keyring.folder.parent))
    assert custody.subject_key("bea") is not None
    again = encrypted(stores, memory.tenant, seed=2)
    assert keys_of(again).subject_key("bea") is None
    assert keys_of(again).keyring.scheduled() == ()
    assert list(again.memories()) == []
    assert again.verify().findings == ()


def test_a_preference_keeps_its_key(stores: Stores) -> None:
    memory = encrypted(stores)
    memory.preferences.consent("bea")
    custody = keys_of(memory)
    key = custody.subject_key("bea")
    assert key is not None
    custody.keyring.schedule_destruction([key])
    again = encrypted(stores, memory.tenant, seed=2)
    assert keys_of(again).subject_key("bea") is not None
    assert again.preferences.list()


# --- A store that is put back from before an erasure ----------------------------------------------------------------


class Backup:
    """All that a tenant has in the graph, as it was when this was made."""

    _NODES = "MATCH (n) WHERE n.ref STARTS WITH $tenant"

    def __init__(self, stores: Stores, tenant: str) -> None:
        """Copy it."""
        self._stores, self._given = stores, {"tenant": tenant}
        self._nodes = stores.engine.read(
            f"{self._NODES} RETURN labels(n) AS labels, properties(n) AS node", self._given
        )
        self._edges = stores.engine.read(
            "MATCH (a)-[e]->(b) WHERE a.ref STARTS WITH $tenant AND b.ref IS NOT NULL "
            "RETURN a.ref AS source, type(e) AS type, b.ref AS target, properties(e) AS edge",
            self._given,
        )

    def put_back(self) -> None:
        """Replace what the tenant has now."""
        with self._stores.engine.transaction() as transaction:
            transaction.run(f"{self._NODES} DETACH DELETE n", self._given)
            for row in self._nodes:
                labels = ":".join(sorted(label for label in row["labels"] if "~" not in label))
                node = {name: value for name, value in row["node"].items() if name[0] != "@"}
                transaction.run(f"CREATE (n:{labels}) SET n = $node", {"node": node})
            for row in self._edges:
                edge = {name: value for name, value in row["edge"].items() if name[0] != "@"}
                transaction.run(
                    f"MATCH (a), (b) WHERE a.ref = $source AND b.ref = $target CREATE (a)-[e:{row['type']}]->(b) "
                    "SET e = $edge",
                    {"source": row["source"], "target": row["target"], "edge": edge},
                )


def restored(stores: Stores, words: Words) -> tuple[dict[str, marskg.Memory], AgentMemory]:
    """Erase a subject, put the store back from before that, and open it."""
    memory = encrypted(stores)
    told = fill(memory, words)
    memory.preferences.set("retention", "episodic", subject=words("beatrice"), horizon="30d")
    derived = memory.remember(
        f"She keeps a {words('derivedfact')}",
        kind="semantic",
        derives_from=[told["told"].id],
        subjects=[words("carlson")],
    )
    backup = Backup(stores, memory.tenant)
    memory.erase(subject=words("beatrice"))
    backup.put_back()
    return told | {"derived": derived}, encrypted(stores, memory.tenant, seed=3)


def test_a_store_from_before_an_erasure_forgets_again_when_it_is_opened(stores: Stores, words: Words) -> None:
    told, memory = restored(stores, words)
    assert {one.id for one in memory.memories()} == {told["other"].id, told["task"].id}
    hits = memory.retrieve(words("lockerword"), k=9, token_budget=900)
    assert {hit.memory.id for hit in hits} <= {told["other"].id, told["task"].id}
    assert list(memory.entities.list()) == []
    assert memory.preferences.list() == ()
    assert pictures.faults(pictures.take(memory.store.engine, memory.tenant)) == []
    assert memory.verify().findings == ()
    assert memory.validate().findings == ()
    last = [record for record in memory.audit.records() if record.operation == "erase" and not record.memories]
    assert "erasure.by=restore" in last[-1].details[0]


@pytest.mark.server
def test_what_was_forgotten_again_leaves_nothing_that_points_to_it(stores: Stores, words: Words) -> None:
    told, memory = restored(stores, words)
    rows = stores.engine.read(
        "MATCH (n) WHERE n.tenant = $tenant AND n.ref IS NOT NULL RETURN n.ref AS ref", {"tenant": memory.tenant}
    )
    gone = [told[name].id for name in ("told", "home", "moved", "both", "derived")]
    assert not [row["ref"] for row in rows if any(one in row["ref"] for one in gone)]
    words_left = stores.engine.read(
        "MATCH (w:EntityWord) WHERE w.ref STARTS WITH $tenant RETURN w.bearer AS bearer",
        {"tenant": memory.tenant},
    )
    held = {f"{memory.tenant}|{entity.id}" for entity in memory.entities.list()}
    assert {row["bearer"] for row in words_left} <= held


def test_it_is_looked_for_once(stores: Stores, words: Words, monkeypatch: pytest.MonkeyPatch) -> None:
    _, memory = restored(stores, words)
    monkeypatch.setattr(Custody, "bereft", lambda *_: pytest.fail("the whole store was read"))
    again = encrypted(stores, memory.tenant, seed=4)
    again.erase(subject=words("carlson"))
    assert [one.kind for one in encrypted(stores, memory.tenant, seed=5).memories()] == ["task"]


@pytest.mark.server
def test_keys_that_nobody_destroyed_are_no_reason_to_erase(stores: Stores, words: Words, keyrings: Path) -> None:
    memory = encrypted(stores)
    memory.remember("Ann has moved away", subjects=["ann"])
    kept = shutil.copytree(keyrings, keyrings.with_name("kept"))
    fill(memory, words)
    memory.erase(subject="ann")
    before = stores.engine.read("MATCH (n:Memory) WHERE n.tenant = $t RETURN count(n) AS n", {"t": memory.tenant})
    shutil.rmtree(keyrings)
    shutil.copytree(kept, keyrings)
    late = encrypted(stores, memory.tenant, seed=6)
    with pytest.raises(marskg.KeyUnusable, match="restore the newest copy"):
        list(late.memories())
    after = stores.engine.read("MATCH (n:Memory) WHERE n.tenant = $t RETURN count(n) AS n", {"t": memory.tenant})
    assert before == after


# --- Bad input ----------------------------------------------------------------------------------------------------


def test_lost_keys_are_refused(stores: Stores, keyrings: Path) -> None:
    memory = encrypted(stores)
    memory.remember("Bea likes quinces and pears", subjects=["bea"])
    shutil.move(keyrings, keyrings.with_name("elsewhere"))
    with pytest.raises(marskg.KeyUnusable, match="restore"):
        encrypted(stores, memory.tenant, seed=2)
    with pytest.raises(marskg.KeyUnusable):
        memory.remember("Bea likes quinces and pears too", subjects=["bea"])
    shutil.move(keyrings.with_name("elsewhere"), keyrings)
    assert len(list(memory.memories())) == 1


@pytest.mark.server
def test_what_was_tampered_with_is_refused(stores: Stores, words: Words) -> None:
    memory = encrypted(stores)
    one = memory.remember(f"Her locker word is {words('lockerword')}", subjects=["bea"])
    other = memory.remember("Bea likes quinces and pears", subjects=["bea"])
    nodes = {node.get("id"): node for node in envelopes_in(stores, memory).values() if "kind" in node}
    text = nodes[one.id]["content"]
    flipped = text[:-6] + ("A" if text[-6] != "A" else "B") + text[-5:]
    cases = {"flipped": flipped, "cut": text[:-9], "moved": nodes[other.id]["content"], "field": nodes[one.id]["salt"]}
    for name, bad in cases.items():
        stores.engine.write(
            "MATCH (m:Memory {ref: $ref}) SET m.content = $content", {"ref": nodes[one.id]["ref"], "content": bad}
        )
        with pytest.raises(marskg.KeyUnusable) as refused:
            memory.get(one.id)
        assert words("lockerword") not in str(refused.value), name
        assert "envelope" not in str(refused.value)


@pytest.mark.server
def test_what_cannot_be_decrypted_is_a_finding_beside_the_others(stores: Stores) -> None:
    memory = encrypted(stores)
    memory.remember("Bea likes quinces and pears", subjects=["bea"], mentions=["Bea"])
    other = memory.remember("Bea likes chess", subjects=["bea"])
    memory.preferences.set("blacklisted_entity", "Mallory")
    stores.engine.write("MATCH (m:Memory {ref: $ref}) SET m.weight = 1", {"ref": f"{memory.tenant}|{other.id}"})
    tried = set()
    for ref, node in envelopes_in(stores, memory).items():
        for name, stored in node.items():
            text, *rest = stored if isinstance(stored, list) and stored else [stored]
            if not is_envelope(text):
                continue
            flipped = text[:-6] + ("A" if text[-6] != "A" else "B") + text[-5:]
            change = {"ref": ref, "value": [flipped, *rest] if isinstance(stored, list) else flipped}
            stores.engine.write(f"MATCH (n {{ref: $ref}}) SET n.{name} = $value", change)
            found = memory.verify().findings
            assert other.id in {one.where for one in found}, "the others are told of, too"
            assert any(one.code == "damaged" and name in one.message for one in found), (ref, name)
            memory.validate(full=True)
            stores.engine.write(f"MATCH (n {{ref: $ref}}) SET n.{name} = $value", {"ref": ref, "value": stored})
            tried.add(name)
    assert {one.where for one in memory.verify().findings} == {other.id}
    assert tried >= {"content", "details", "name", "salt", "subjects", "target"}


def test_what_would_write_in_clear_is_refused(stores: Stores, tmp_path: Path) -> None:
    memory = encrypted(stores)
    memory.remember("Bea likes quinces and pears", subjects=["bea"])
    reader: RestrictedMemory = stores.open_as(memory, "reader:bot?ceiling=1")
    for refused in (
        lambda: memory.sparql("SELECT * { ?s ?p ?o }"),
        lambda: reader.sparql("SELECT * { ?s ?p ?o }"),
        lambda: memory.snapshots.save(tmp_path / "snapshot"),
    ):
        with pytest.raises(marskg.NotPermitted, match="encrypted"):
            refused()
    assert reader.plan(policy="fifo", budget=3).actions, "over a copy that is encrypted under keys of its own"
    keyring = keys_of(memory).keyring.folder
    assert list(keyring.parent.iterdir()) == [keyring], "which are destroyed with it"
    for values in ({"encryption": "off"}, {"retrieval.vectors": "engine"}, {"lean.shared": True}):
        with pytest.raises(marskg.InvalidConfig, match="encryption"):
            memory.settings.set(None, values)
    with pytest.raises(marskg.InvalidConfig, match="encryption"):
        stores.open().settings.set(None, {"encryption": "subjects"})


def test_a_text_that_looks_like_an_envelope_is_a_text(stores: Stores) -> None:
    memory = encrypted(stores)
    text = "mars:envelope:content:AAAA"
    one = memory.remember(
        text, subjects=[text], purpose=[text], session=text, key=text, kind="semantic", source_ref=text
    )
    found = memory.get(one.id)
    assert found is not None
    assert (found.content, found.subjects, found.purpose, found.key) == (text, (text,), (text,), as_key(text))
    assert memory.erase(source=text).matched == 1


def test_an_export_goes_into_another_tenant(stores: Stores, words: Words, tmp_path: Path) -> None:
    memory = encrypted(stores)
    fill(memory, words)
    memory.export(tmp_path / "out.jsonld")
    clear = stores.open(memory.tenant + "-c")
    del clear
    other = encrypted(stores)
    text = (tmp_path / "out.jsonld").read_text().replace(memory.tenant, other.tenant)
    (tmp_path / "out.jsonld").write_text(text)
    other.load(tmp_path / "out.jsonld")
    assert sorted(one.content or "" for one in other.memories()) == sorted(
        one.content or "" for one in memory.memories()
    )


def test_vectors_are_counted_and_made_once_where_they_are_in_envelopes(stores: Stores) -> None:
    memory = stores.open(encryption="subjects", entities__recognise="off", sensitivity__assess="off")
    memory.remember("Bea likes quinces and pears", subjects=["bea"])
    assert memory.stats()["without_vector"] == 0
    assert memory.maintenance.reembed("static") == 0
