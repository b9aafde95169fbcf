"""Every way of tampering with a stored audit or graph that we could think of, and the code under which it is found.

Each attack changes a world whose audit verifies. "Behind the log" attacks are those of someone with the database but
without the key; "holder" attacks are those of the key's holder, some of which only a witness or a trusted key shows.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from marskg.audit import verify
from marskg.audit.dataintegrity import multibase_url
from marskg.audit.record import commitment, new_salt
from marskg.audit.verify import verify_log
from marskg.ontology.vocabulary import NS, EdgeType, Operation, Tier
from marskg.records import Edge
from tests.redteam import store_tampering as tampering
from tests.unit.audit.world import START, Alice, Node, World, codes, signer_of, without_slot

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.records import Report

#: Position in the log of the record that most attacks change: an eviction with details.
EVICTION = 10


class Attack(NamedTuple):
    """What is done, and what must be found."""

    name: str
    run: Callable[[Alice], dict[str, Any] | None]
    code: str


def change(position: int = EVICTION, **fields: Any) -> Callable[[Alice], None]:
    """Return an attack that edits fields of one stored record."""

    def run(world: Alice) -> None:
        world.records[position] = replace(world.records[position], **fields)

    return run


def edit(field: str, old: str, new: str, position: int = EVICTION) -> Callable[[Alice], None]:
    """Return an attack that edits the text of one field of a stored record."""

    def run(world: Alice) -> None:
        text = getattr(world.records[position], field)
        assert old in text
        world.records[position] = replace(world.records[position], **{field: text.replace(old, new)})

    return run


def node(name: str, **fields: Any) -> Callable[[Alice], None]:
    """Return an attack that edits fields of one node."""

    def run(world: Alice) -> None:
        stored = world.nodes[getattr(world, name)]
        stored.value = replace(stored.value, **fields)

    return run


# --- Records, without the key --------------------------------------------------------------------------------------


def edit_operation(world: Alice) -> None:
    edit("core", f"{NS}evict", f"{NS}expire")(world)
    change(operation=Operation.EXPIRE)(world)


def delete_record(world: Alice) -> None:
    del world.records[5]


def delete_first_record(world: Alice) -> None:
    del world.records[0]


def insert_forgery(world: Alice) -> None:
    slot = {"memory": world.secret, "tier_after": Tier.GONE}
    world.append(Operation.EXPIRE, nodes=[slot], signer=signer_of("mallory"))


def insert_copy(world: Alice) -> None:
    world.records.insert(6, world.records[5])


def reorder(world: Alice) -> None:
    world.records[5], world.records[6] = world.records[6], world.records[5]


def renumber(world: Alice) -> None:
    change(5, sequence=7)(world)
    change(6, sequence=6)(world)


def cut_tail(world: Alice) -> None:
    del world.records[-2:]


def delete_log(world: Alice) -> None:
    world.accesses.clear()


def delete_everything(world: Alice) -> None:
    for stored in (world.records, world.accesses, world.heads, world.nodes, world.entities, world.preferences):
        stored.clear()


def bob() -> World:
    """Another tenant, of the same store and the same key."""
    other = World("bob", seed="bob")
    other.signer = Alice().signer
    other.remember("Something about Bob")
    return other


def replay_record(world: Alice) -> None:
    world.records.append(replace(bob().records[1], tenant=world.tenant))


def replay_relabelled(world: Alice) -> None:
    foreign = bob().records[1]
    world.records.append(replace(foreign, tenant=world.tenant, log=world.log, sequence=len(world.records) + 1))


def replay_log(world: Alice) -> dict[str, Any]:
    """The whole of another tenant's log in the place of the own one, and the tenant's row changed with it."""
    other = bob()
    world.records = [replace(record, tenant=world.tenant) for record in other.records]
    world.log, world.nodes, world.entities, world.preferences = other.log, other.nodes, {}, {}
    world.heads = [head for head in world.heads if head.log == world.access_log]
    return {}


def swap_key(world: Alice) -> None:
    record = world.records[5]
    slot = {"memory": record.memories[0], "tier_after": Tier.LATENT}
    world.records[5] = world.sign(
        6, record.operation, nodes=[slot], signer=signer_of("mallory"), now=record.recorded_at
    )


def swap_key_name(world: Alice) -> None:
    mallory = signer_of("mallory").verification_method
    old = world.records[EVICTION].signing_key
    edit("core", old, mallory)(world)
    change(signing_key=mallory)(world)


def swap_proof(world: Alice) -> None:
    change(proof_value=world.records[EVICTION - 1].proof_value)(world)


def use_old_key(world: Alice) -> None:
    """Someone has got at a key that was rotated away."""
    slot = {"memory": world.task, "tier_after": Tier.GONE}
    world.append(Operation.EXPIRE, nodes=[slot], signer=signer_of(f"{world.seed} key"))


RECORDS = [
    Attack("operation edited in core and field", edit_operation, "bad-signature"),
    Attack("time edited in the field alone", change(recorded_at=START), "bad-core"),
    Attack("operation edited in the field alone", change(operation=Operation.EXPIRE), "bad-core"),
    Attack("core with a line more", edit("core", " .\n", " .\n<urn:x:a> <urn:x:b> <urn:x:c> .\n"), "bad-core"),
    Attack("core with a line twice", lambda w: change(core=w.records[EVICTION].core * 2)(w), "bad-core"),
    Attack("core emptied", change(core=""), "bad-core"),
    Attack("core of unknown vocabulary", edit("core", f"{NS}recordedAt", f"{NS}seenAt"), "bad-core"),
    Attack(
        "core reordered",
        lambda w: change(core="".join(w.records[EVICTION].core.splitlines(keepends=True)[::-1]))(w),
        "bad-core",
    ),
    Attack("time before the year 1", change(recorded_at=-(10**17)), "bad-core"),
    Attack("a record of a far number", change(-1, sequence=10**17), "sequence-gap"),
    Attack("record deleted", delete_record, "sequence-gap"),
    Attack("first record deleted", delete_first_record, "sequence-gap"),
    Attack("forged record appended", insert_forgery, "unknown-key"),
    Attack("record copied", insert_copy, "duplicate"),
    Attack("records reordered", reorder, "out-of-order"),
    Attack("records renumbered", renumber, "bad-core"),
    Attack("tail cut off", cut_tail, "missing-tail"),
    Attack("access log deleted", delete_log, "missing-tail"),
    Attack("everything deleted", delete_everything, "missing-tail"),
    Attack("record of another tenant replayed", replay_record, "wrong-log"),
    Attack("tenant of a record changed", change(tenant="bob"), "wrong-log"),
    Attack("record of another tenant replayed under our log", replay_relabelled, "bad-core"),
    Attack("log of another tenant in the place of ours", replay_log, "wrong-log"),
    Attack("record signed anew by another key", swap_key, "unknown-key"),
    Attack("another key's name on the record", swap_key_name, "bad-signature"),
    Attack("another record's proof", swap_proof, "bad-signature"),
    Attack("proof that is none", change(proof_value="z"), "bad-signature"),
    Attack("proof with a leading zero more", edit("proof_value", "z", "z1"), "bad-signature"),
    Attack("signing key that is none", change(signing_key="did:key:z6Mk"), "bad-core"),
    Attack("time of the proof changed", change(proof_created="2025-06-15T15:06:41Z"), "bad-core"),
    Attack("stored leaf hash changed", change(leaf="00" * 32), "bad-leaf"),
    Attack("record signed by a former key", use_old_key, "unknown-key"),
]

# --- Details, without the key --------------------------------------------------------------------------------------


def delete_details(world: Alice) -> None:
    world.records[EVICTION] = without_slot(world.records[EVICTION], 1)


def delete_record_details(world: Alice) -> None:
    world.records[EVICTION] = without_slot(world.records[EVICTION], 0)


def edit_details(world: Alice) -> None:
    record = world.records[EVICTION]
    assert "fifo" in record.details[1]
    change(details=(record.details[0], record.details[1].replace("fifo", "lru")))(world)


def swap_details(world: Alice) -> None:
    record = world.accesses[1]
    first, *rest = record.details
    world.accesses[1] = replace(record, details=(first, *reversed(rest)))


def swap_salt(world: Alice) -> None:
    record = world.records[EVICTION]
    change(salts=(record.salts[0], new_salt(world.source)))(world)


def forge_under_new_salt(world: Alice) -> None:
    """New details with a salt of their own, and the commitment in the core to match."""
    record = world.records[EVICTION]
    salt, text = new_salt(world.source), record.details[1].replace("fifo", "lru")
    forged = commitment(salt, text.encode())
    old = commitment(record.salts[1], record.details[1].encode())
    edit("core", old, forged)(world)
    change(details=(record.details[0], text), salts=(record.salts[0], salt))(world)


def undo_erasure(world: Alice) -> None:
    before = list(world.records)
    world.erase(world.task)
    position = next(index for index, record in enumerate(before) if world.task in record.memories)
    world.records[position] = before[position]


def erase_more_than_recorded(world: Alice) -> None:
    world.erase(world.task)
    delete_details(world)


def keep_name_of_erased(world: Alice) -> None:
    world.erase(world.task)
    position = next(index for index, record in enumerate(world.records) if "" in record.memories)
    change(position, memories=(world.task,))(world)


def delete_erasure_list(world: Alice) -> None:
    world.erase(world.task)
    position = next(index for index, record in enumerate(world.records) if record.operation is Operation.ERASE)
    world.records[position] = without_slot(world.records[position], 0)


def undo_sealing(world: Alice) -> None:
    before = list(world.records)
    world.seal(EVICTION, EVICTION + 1)
    world.records[EVICTION] = before[EVICTION]


def seal_the_future(world: Alice) -> None:
    world.append(Operation.SEAL, record={"sealed_slots": (f"2-{len(world.records) + 5}",)})


def seal_more_than_recorded(world: Alice) -> None:
    world.seal(EVICTION - 1, EVICTION)
    delete_details(world)


def seal_without_pruning(world: Alice) -> None:
    world.append(Operation.SEAL, record={"sealed_slots": ("2-3",)})


def seal_what_is_to_come(world: Alice) -> None:
    world.append(Operation.SEAL, record={"sealed_slots": (f"2-{len(world.records) + 9}",)})


def evict_by_a_seal(world: Alice) -> None:
    world.append(Operation.EVICT, record={"sealed_slots": ("2-3",)})


DETAILS = [
    Attack("a sealed record's details are there", seal_without_pruning, "seal-undone"),
    Attack("a sealing lists records to come", seal_what_is_to_come, "bad-details"),
    Attack("another operation lists what is sealed", evict_by_a_seal, "bad-details"),
    Attack("details deleted without an erasure", delete_details, "slot-deleted"),
    Attack("record's details deleted without an erasure", delete_record_details, "slot-deleted"),
    Attack("details edited", edit_details, "slot-mismatch"),
    Attack("details emptied under their salt", change(details=("", "")), "slot-mismatch"),
    Attack("details of two slots swapped", swap_details, "slot-mismatch"),
    Attack("salt swapped", swap_salt, "slot-mismatch"),
    Attack("salt that is none", change(salts=("u", "u")), "slot-mismatch"),
    Attack("details, salt and commitment replaced", forge_under_new_salt, "bad-signature"),
    Attack("record filed under another memory", change(memories=("urn:uuid:other",)), "slot-mismatch"),
    Attack("slot added", lambda w: change(salts=(*w.records[EVICTION].salts, ""))(w), "bad-core"),
    Attack("erased details put back", undo_erasure, "erasure-undone"),
    Attack("more deleted than the erasure records", erase_more_than_recorded, "slot-deleted"),
    Attack("erased slot still names its memory", keep_name_of_erased, "slot-mismatch"),
    Attack("the erasure's own list deleted", delete_erasure_list, "slot-deleted"),
    Attack("sealed details put back", undo_sealing, "seal-undone"),
    Attack("sealing of what is not written yet", seal_the_future, "bad-details"),
    Attack("more deleted than the sealing records", seal_more_than_recorded, "slot-deleted"),
]


# --- Tree heads ----------------------------------------------------------------------------------------------------


def replace_root(world: Alice) -> None:
    world.heads[0] = replace(world.heads[0], root=multibase_url(bytes(32)))


def sign_wrong_root(world: Alice) -> None:
    world.heads[0] = replace(world.sign_head(world.records[:5]), size=4)


def forge_head(world: Alice) -> None:
    world.heads[1] = world.sign_head(world.records, signer=signer_of("mallory"))


def fork(world: Alice) -> None:
    """The holder signs two stories of one length, one for each listener."""
    other = Alice()
    del other.records[-1]
    other.remember("Another story")
    world.heads.append(other.head())


def other_tenants_head(world: Alice) -> None:
    world.heads.append(bob().head())


def relabelled_head(world: Alice) -> None:
    world.heads.append(replace(bob().head(), tenant=world.tenant))


def cut_tail_and_heads(world: Alice) -> dict[str, Any]:
    witness = list(world.heads)
    world.heads = [world.heads[0]]
    del world.records[4:]
    world.accesses = world.accesses[:1]
    world.nodes = {world.secret: world.nodes[world.secret], world.fact: world.nodes[world.fact]}
    world.preferences.clear()
    return {"witness": witness}


def rewrite_history(world: Alice) -> dict[str, Any]:
    """The holder tells another story from the fourth record on, keeps all else in order and signs new heads."""
    witness = list(world.heads)
    other = World()
    other.remember("Another story")
    for name in ("records", "accesses", "nodes", "entities", "preferences", "log", "access_log", "signer"):
        setattr(world, name, getattr(other, name))
    world.heads = []
    world.head()
    return {"witness": witness, "logs": None}


def rewrite_with_heads_of_same_size(world: Alice) -> dict[str, Any]:
    witness = [world.heads[-2]]
    world.heads = []
    last = world.records.pop()
    slot = {"memory": last.memories[0], "tier_after": Tier.GONE}
    del world.nodes[world.task]
    world.append(Operation.EXPIRE, nodes=[slot])
    world.head()
    return {"witness": witness}


def sign_all_anew(world: Alice) -> dict[str, Any]:
    """Someone without the key signs the whole log anew with a key of their own: only a trusted key shows it."""
    trusted = {world.first_key}
    world.records, world.accesses, world.heads, world.nodes, world.entities = [], [], [], {}, {}
    world.preferences.clear()
    world.signer = signer_of("mallory")
    for records in (world.records, world.accesses):
        details = {"public_key": world.signer.public_key, "parameters": (f"tenant={world.tenant}",)}
        world.append(Operation.OPEN_LOG, record=details, records=records)
    assert world.verify().ok
    return {"trusted_keys": trusted}


HEADS = [
    Attack("root replaced", replace_root, "bad-head"),
    Attack("size replaced", sign_wrong_root, "bad-head"),
    Attack("head signed by another key", forge_head, "unknown-key"),
    Attack("two stories of one length", fork, "fork"),
    Attack("head of another tenant", other_tenants_head, "wrong-log"),
    Attack("head of another tenant under our name", relabelled_head, "wrong-log"),
    Attack("tail and heads cut off, with a witness", cut_tail_and_heads, "missing-tail"),
    Attack("another log under the same key, with a witness", rewrite_history, "missing-tail"),
    Attack("last record rewritten by the holder, with a witness", rewrite_with_heads_of_same_size, "fork"),
    Attack("all signed anew by another key, with a trusted one", sign_all_anew, "unknown-key"),
]

# --- The graph -----------------------------------------------------------------------------------------------------


def revive_tombstone(world: Alice) -> None:
    stored = world.nodes[world.old]
    stored.value = replace(stored.value, content="The weather was fine", tier=Tier.LIVE)


def revive_gone(world: Alice) -> None:
    value = replace(world.nodes[world.secret].value, id=world.gone)
    world.nodes[world.gone] = Node(value, [], new_salt(world.source))


def return_as_tombstone(world: Alice) -> None:
    world.nodes[world.gone] = Node(replace(world.nodes[world.old].value, id=world.gone), [], None)


def payload_on_tombstone(world: Alice) -> None:
    stored = world.nodes[world.old]
    stored.value = replace(stored.value, payload={"event": "fine"})


def tombstone_keeps_salt(world: Alice) -> None:
    world.nodes[world.old].salt = new_salt(world.source)


def edge_on_tombstone(world: Alice) -> None:
    world.nodes[world.old].edges.append(Edge(world.old, EdgeType.MENTIONS, world.rose, START))


def remove_edge(world: Alice) -> None:
    world.nodes[world.fact].edges.pop(0)


def add_edge(world: Alice) -> None:
    world.nodes[world.secret].edges.append(Edge(world.secret, EdgeType.REQUIRES, world.task, START))


def weigh_edge(world: Alice) -> None:
    edges = world.nodes[world.fact].edges
    edges[-1] = replace(edges[-1], weight=0.9)


def repoint_edge(world: Alice) -> None:
    edges = world.nodes[world.fact].edges
    edges[0] = replace(edges[0], target=world.task)


def swap_node_salt(world: Alice) -> None:
    world.nodes[world.secret].salt = new_salt(world.source)


def drop_node_salt(world: Alice) -> None:
    world.nodes[world.secret].salt = None


def swap_contents(world: Alice) -> None:
    first, second = world.nodes[world.secret], world.nodes[world.task]
    first.value, second.value = (
        replace(first.value, content=second.value.content),
        replace(second.value, content=first.value.content),
    )


def delete_node(world: Alice) -> None:
    del world.nodes[world.secret]


def insert_node(world: Alice) -> None:
    new = "urn:uuid:01920000-0000-7000-8000-00000000000f"
    world.nodes[new] = replace(world.nodes[world.secret], value=replace(world.nodes[world.secret].value, id=new))


def copy_node(world: Alice) -> None:
    world.nodes["copy"] = world.nodes[world.secret]


def rename_entity(world: Alice) -> None:
    stored = world.entities[world.rose]
    stored.value = replace(stored.value, name="Rosa")


def edge_on_entity(world: Alice) -> None:
    world.entities[world.rose].edges.append(Edge(world.rose, EdgeType.FRIEND_OF, world.rose, START))


def delete_entity(world: Alice) -> None:
    world.entities.clear()


def prolong_consent(world: Alice) -> None:
    stored = world.preferences[world.consent]
    stored.value = replace(stored.value, target="marketing")


def delete_preference(world: Alice) -> None:
    world.preferences.clear()


def entity_of_forgotten(world: Alice) -> None:
    value = replace(world.entities[world.rose].value, id=world.gone)
    world.entities[world.gone] = Node(value, [], new_salt(world.source))


GRAPH = [
    Attack("content changed", node("secret", content="Rose stays"), "node-mismatch"),
    Attack("content removed", node("secret", content=None), "node-mismatch"),
    Attack("sensitivity lowered", node("secret", sensitivity=0.1), "node-mismatch"),
    Attack("subjects removed", node("secret", subjects=()), "node-mismatch"),
    Attack("pin removed", node("task", pinned=False), "node-mismatch"),
    Attack("expiry put off", node("fact", expires_at=START + 2 * 10**9), "node-mismatch"),
    Attack("expiry added", node("secret", expires_at=START), "node-mismatch"),
    Attack("weight changed", node("secret", weight=1), "node-mismatch"),
    Attack("validity changed", node("secret", valid_to=START), "node-mismatch"),
    Attack("value that cannot be written", node("secret", sensitivity=float("nan")), "node-mismatch"),
    Attack("text that cannot be written", node("secret", content="\ud800"), "node-mismatch"),
    Attack("two contents swapped", swap_contents, "node-mismatch"),
    Attack("tier raised", node("latent", tier=Tier.LIVE), "tier-mismatch"),
    Attack("tombstone revived", revive_tombstone, "node-revived"),
    Attack("removed memory revived", revive_gone, "node-revived"),
    Attack("removed memory back as a tombstone", return_as_tombstone, "node-unexpected"),
    Attack("payload on a tombstone", payload_on_tombstone, "node-revived"),
    Attack("salt on a tombstone", tombstone_keeps_salt, "node-revived"),
    Attack("edge on a tombstone", edge_on_tombstone, "node-mismatch"),
    Attack("edge removed", remove_edge, "node-mismatch"),
    Attack("edge added", add_edge, "node-mismatch"),
    Attack("edge's weight changed", weigh_edge, "node-mismatch"),
    Attack("edge's target changed", repoint_edge, "node-mismatch"),
    Attack("node's salt swapped", swap_node_salt, "node-mismatch"),
    Attack("node's salt dropped", drop_node_salt, "node-mismatch"),
    Attack("memory deleted", delete_node, "node-missing"),
    Attack("memory inserted", insert_node, "node-unexpected"),
    Attack("memory twice", copy_node, "duplicate"),
    Attack("entity renamed", rename_entity, "entity-mismatch"),
    Attack("edge on an entity", edge_on_entity, "entity-mismatch"),
    Attack("entity deleted", delete_entity, "node-missing"),
    Attack("consent to something else", prolong_consent, "preference-mismatch"),
    Attack("preference deleted", delete_preference, "node-missing"),
    Attack("entity in the place of a removed memory", entity_of_forgotten, "node-unexpected"),
]

# --- By the key's holder -------------------------------------------------------------------------------------------


def turn_back_time(world: Alice) -> None:
    world.records.append(world.sign(len(world.records) + 1, Operation.SET_BUDGET, now=START))


def open_twice(world: Alice) -> None:
    world.append(Operation.OPEN_LOG, record={"public_key": world.signer.public_key})


def rotate_to_nothing(world: Alice) -> None:
    world.append(Operation.ROTATE_KEY)


def rotate_back(world: Alice) -> None:
    world.append(Operation.ROTATE_KEY, record={"public_key": world.first_key})


def rotate_by_new_key(world: Alice) -> None:
    new = signer_of("mallory")
    world.append(Operation.ROTATE_KEY, record={"public_key": new.public_key}, signer=new)


def replace_by_old_key(world: Alice) -> None:
    """A key that was lost, or rotated away, may not replace the one in use."""
    old = signer_of(f"{world.seed} key")
    world.append(Operation.REPLACE_KEY, record={"public_key": old.public_key}, signer=old)


def replace_without_name(world: Alice) -> None:
    world.append(Operation.REPLACE_KEY, signer=signer_of("mallory"))


def replace_untrusted(world: Alice) -> dict[str, Any]:
    trusted = {world.first_key}
    world.replace_key("mallory")
    return {"trusted_keys": trusted}


def erase_by_another_operation(world: Alice) -> None:
    delete_details(world)
    world.append(Operation.EVICT, record={"deleted_slots": (f"{EVICTION + 1}.1",)})


def erase_the_future(world: Alice) -> None:
    world.append(Operation.ERASE, record={"deleted_slots": (f"{len(world.records) + 2}.1",)})


def erase_no_slot(world: Alice) -> None:
    world.append(Operation.ERASE, record={"deleted_slots": ("2.7",)})


def erase_nonsense(world: Alice) -> None:
    world.append(Operation.ERASE, record={"deleted_slots": ("2",)})


def two_nodes_at_once(world: Alice) -> None:
    slots = [{"memory": name, "tier_after": Tier.GONE} for name in (world.task, world.fact)]
    world.append(Operation.EXPIRE, nodes=slots)


def no_commitment(world: Alice) -> None:
    world.append(Operation.AMEND, nodes=[{"memory": world.task, "tier_after": Tier.LIVE}])


def unknown_tier(world: Alice) -> None:
    world.append(Operation.AMEND, nodes=[{"memory": world.task, "tier_after": "limbo"}])


HOLDER = [
    Attack("record of yesterday", turn_back_time, "time-backwards"),
    Attack("log opened twice", open_twice, "key-announcement"),
    Attack("rotation to no key", rotate_to_nothing, "key-announcement"),
    Attack("rotation to a former key", rotate_back, "key-announcement"),
    Attack("rotation signed by the new key", rotate_by_new_key, "unknown-key"),
    Attack("key replaced by a former one", replace_by_old_key, "key-announcement"),
    Attack("key replaced without saying so", replace_without_name, "key-announcement"),
    Attack("key replaced by one that is not trusted", replace_untrusted, "unknown-key"),
    Attack("slots erased by an eviction", erase_by_another_operation, "bad-details"),
    Attack("erasure of what is not written yet", erase_the_future, "bad-details"),
    Attack("erasure of a slot that never was", erase_no_slot, "bad-details"),
    Attack("erasure of nonsense", erase_nonsense, "bad-details"),
    Attack("transition of two nodes in one record", two_nodes_at_once, "bad-details"),
    Attack("whole memory without a commitment", no_commitment, "bad-details"),
    Attack("tier of nowhere", unknown_tier, "bad-details"),
]

ATTACKS = [*RECORDS, *DETAILS, *HEADS, *GRAPH, *HOLDER]


def run(attack: Attack) -> Report:
    world = Alice()
    assert world.verify(trusted_keys={world.first_key}).ok
    options = attack.run(world)
    return world.verify(**(options or {}))


@pytest.mark.parametrize("attack", ATTACKS, ids=[attack.name for attack in ATTACKS])
def test_an_attack_is_found_and_named(attack: Attack) -> None:
    report = run(attack)
    assert attack.code in codes(report)
    assert not report.ok
    for finding in report.findings:
        assert finding.where.startswith("urn:uuid:")
        assert "Rose" not in finding.message


def test_each_documented_code_has_its_attack() -> None:
    documented = set(re.findall(r"``([a-z-]+)``", verify.__doc__ or ""))
    on_a_store = {code for one in tampering.ALL for code in one.codes}
    assert {attack.code for attack in ATTACKS} | (on_a_store & documented) == documented - {"lost-key", "bad-document"}
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS)


# --- What is no attack ---------------------------------------------------------------------------------------------


def test_a_recorded_erasure_is_no_attack() -> None:
    world = Alice()
    world.erase(world.fact)
    assert any("" in record.memories for record in world.records)
    assert any("" in record.memories for record in world.accesses)
    world.head()
    assert world.verify().findings == ()
    text = "".join("".join(record.details) + "".join(record.memories) for record in world.records + world.accesses)
    assert world.fact not in text


def test_heads_of_before_an_erasure_still_fit() -> None:
    world = Alice()
    witness = list(world.heads)
    world.erase(world.fact)
    assert world.verify(witness=witness).ok


def test_a_lost_key_is_a_warning_and_no_failure() -> None:
    world = Alice()
    world.replace_key()
    world.remember("Life goes on")
    world.head()
    report = world.verify()
    assert report.ok
    assert [(finding.code, finding.severity) for finding in report.findings] == [("lost-key", "warning")] * 2


def test_access_records_say_nothing_of_what_the_graph_must_be() -> None:
    world = Alice()
    world.access(world.gone)
    assert world.verify().ok


def test_a_log_alone_verifies_without_a_graph() -> None:
    report = Alice().verify(nodes=None, entities=None)
    assert (report.ok, report.checked) == (True, 19)


def test_all_findings_are_reported_not_only_the_first() -> None:
    world = Alice()
    attacks = {"content changed", "details edited", "stored leaf hash changed", "record signed by a former key"}
    expected = set()
    for attack in ATTACKS:
        if attack.name in attacks:
            attack.run(world)
            expected.add(attack.code)
    assert len(expected) == 4
    assert codes(world.verify()) >= expected


def test_records_may_come_one_by_one() -> None:
    world = Alice()
    report = verify_log(iter(world.records), iter(world.heads[:-1]), tenant=world.tenant, logs={world.log})
    assert (report.ok, report.checked) == (True, len(world.records))
