"""Random histories of one tenant, step by step, each held to what the semantics promise of it.

The same random numbers give the same calls on every engine, as a call depends only on them and on what earlier calls
returned. A call may be refused, by a :class:`~marskg.errors.MarsError` alone, and then the store is as it was before.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

import marskg
from marskg.clock import DAY_MS
from marskg.errors import BudgetInfeasible, InvariantError, MarsError
from marskg.ontology.vocabulary import Cardinality, Kind, MemoryClass, TaskStatus
from marskg.policies.registry import POLICY_NAMES
from tests.support import picture as pictures

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from marskg.memory import AgentMemory
    from marskg.records import Plan
    from tests.support.picture import Picture
    from tests.support.stores import Stores

POLICIES = POLICY_NAMES
KINDS = ("episodic", "episodic", "semantic", "semantic", "social", "task")
WORDS = ("tomatoes", "in", "the", "garden", "want", "water", "twice", "a", "week", "Straße", "東京", "🌱", "Café")
VALUES = ("Jazz", " jazz ", "Blues", "JAZZ", "blues and soul")
KEYS = (("home", "single"), ("job", "single"), ("likes", "set"), ("spent", "append"), ("home", "set"))
LINKS = ("derivesFrom", "dependsOn", "requires", "contradicts", "attachesToGoal", "partOf", "friendOf")
NOWHERE = "urn:uuid:01977420-dc7b-72c8-b81f-dc568d631c9d"
#: What carrying out expiry writes.
SETTLING = {"expire", "purge", "removeEntity", "amend"}
#: Records of a policy's work.
POLICY_WORK = {"evict", "archive"}
#: What lets go of a memory that was protected before the same call.
RELEASING = {"supersede", "amend", "retract", "expire"}


class History:
    """One tenant, what has been done to it so far, and the next random step."""

    def __init__(
        self,
        stores: Stores,
        tenant: str | None = None,
        *,
        seed: object = 1,
        budget: int = 120,
        policies: Sequence[str] = POLICIES,
    ) -> None:
        """Begin a new tenant whose clock stands still between the steps; it forgets by one of ``policies``.

        Its vectors are made as it is written: one that is made afterwards has no record, and belongs to no step.
        """
        self.policies = policies
        self.stores = stores
        self.seed = seed
        self.memory: AgentMemory = stores.open(
            tenant, seed=f"{seed}", step_ms=0, budget=budget, embedding__model="static"
        )
        self.clock = stores.clock(self.memory)
        #: Every id that a call returned, in order; some are gone by now.
        self.known: list[str] = []
        self.log: list[str] = []
        self.outcomes: Counter[tuple[str, str]] = Counter()
        self.plans: list[Plan] = []
        self.now = self.picture()
        #: The last picture, whatever it was taken for.
        self._last = self.now
        self.present: list[str] = []
        self._openings = 0
        self._bystander = f"{self.tenant}-2"
        with_neighbour = stores.open(self._bystander, seed=f"{seed} 2", embedding__model="static")
        with_neighbour.remember("Somebody else's tomatoes", kind="semantic", key="home", subjects=["ann"])
        self._untouched = pictures.take(stores.engine, self._bystander)

    @property
    def tenant(self) -> str:
        """Return the tenant's name."""
        return self.memory.tenant

    def picture(self) -> Picture:
        """Return what the tenant has in the graph now."""
        return pictures.take(self.stores.engine, self.tenant)

    def recorded(self) -> Picture:
        """Return the last picture if no record was written since, or else a new one.

        What changed without a record is not in it; it is in the picture that every step ends with, which is always
        taken, and that step is then held to a change that has no record.
        """
        if pictures.place(self.stores.engine, self.tenant) != self._last.place:
            self._last = self.picture()
        return self._last

    # --- One step -------------------------------------------------------------------------------------------------

    def step(self, name: str, chance: Random) -> None:
        """Do one random thing and check what it did."""
        self.clock.advance(chance.choice((0, 1, 1000)))
        if chance.random() < 0.6:
            self.memory.maintenance.expire()
        self.do(name, lambda: getattr(self, name)(chance))

    def do(self, name: str, call: Callable[[], object]) -> None:
        """Do one thing and check what it did."""
        before = self.now = self.recorded()
        self.present = sorted(before.nodes, key=lambda one: (before.nodes[one]["sequence"], one))
        refusal = None
        try:
            call()
        except MarsError as error:
            refusal = error
        after = self._last = self.picture()
        self.log.append(f"{name}: {type(refusal).__name__ if refusal else 'done'}")
        self.outcomes[name, type(refusal).__name__ if refusal else "done"] += 1
        self._check(name, before, after, refusal)

    def _check(self, name: str, before: Picture, after: Picture, refusal: MarsError | None) -> None:
        """Hold the step to I1-I7; ``faults`` looks at the state, the rest at the way there."""
        found = pictures.faults(after)
        assert found == [], found
        written = pictures.records(self.stores.engine, self.tenant, "t", before.row["sequence"] + 1)
        sequences = [record["sequence"] for record in written]
        assert sequences == list(range(before.row["sequence"] + 1, after.row["sequence"] + 1)), "I7: gap-free"
        operations = {record["operation"] for record in written}
        if refusal is not None:
            assert type(refusal) is not InvariantError, f"{name}: {refusal}"
            assert operations <= SETTLING, f"{name} was refused ({refusal}) and yet wrote {operations}"
            assert before.row["accessSequence"] == after.row["accessSequence"]
            if not written:
                assert before == after, f"{name} was refused ({refusal}) and yet changed the store"
        about = [node_id for record in written for node_id in record["memories"] or ()]
        if name != "unlink":
            assert pictures.lost_grounds(before, after) == set(), "I2: an edge was lost"
        assert pictures.changed(before, after) <= set(about), "I7: a transition has no record"
        assert all(len(record["memories"] or ()) <= 1 for record in written), "I7: a record for each transition"
        self._check_ways_out(before, after, written, operations)
        if isinstance(refusal, BudgetInfeasible):
            # A new version may be too heavy with what it rests on, which nothing but itself protects.
            assert refusal.protectors or name.startswith(("remember", "update")), "the refusal names what protects"

    def _check_ways_out(
        self, before: Picture, after: Picture, written: list[dict[str, Any]], operations: set[str]
    ) -> None:
        """Hold evictions to K, and expiries to what has expired (I5)."""
        protected = before.protected
        for record in written:
            for node_id in record["memories"] or ():
                if record["operation"] in POLICY_WORK and not operations & RELEASING:
                    assert node_id not in protected, "a policy took what is protected"
                if record["operation"] == "expire" and node_id in before.nodes:
                    self._check_expiry(before, after, node_id)

    def _check_expiry(self, before: Picture, after: Picture, node_id: str) -> None:
        """A memory expires with what it depends on, without a line, or when its grace ends and nothing keeps it."""
        now = self.memory.now()
        reasons = [before.nodes[base].get("expiresAt", now + 1) <= now for base in before.closed([node_id])]
        if not any(reasons) and not pictures.lost_its_lines(before, after, node_id):
            node = before.nodes[node_id]
            assert node.get("graceUntil", now + 1) <= now, f"I5: {node_id} expired before its time: {node}"
            # Time may have released it in the same call: a deadline that passed, a pin that expired.
            still = before.closed(before.roots & after.roots)
            assert node_id not in still, "K: the end of a grace took what is protected"
            kept = [one for one, bases in before.grounds.items() if node_id in bases and after.whole(one)]
            assert not kept, "I3: the end of a grace took what is depended on"

    def finish(self) -> None:
        """Hold the history as a whole to the audit (I7), the shapes (I2-I4) and its neighbour's peace (I8)."""
        for report in (self.memory.verify(), self.memory.validate(full=True)):
            assert report.ok, [f"{finding.code} {finding.where}: {finding.message}" for finding in report.findings]
        assert pictures.take(self.stores.engine, self._bystander) == self._untouched, "I8: another tenant was changed"

    def audit(self, folder: Path) -> bytes:
        """Return the exported audit, with all that it is about; ``folder`` is the store's, which takes no export."""
        path = folder.with_name(f"{folder.name}-audit.nq")
        self.memory.export(path, audit=True)
        return path.read_bytes()

    # --- Choices --------------------------------------------------------------------------------------------------

    def pick(self, chance: Random) -> str:
        """Return an id: mostly of something with content, now and then of something gone or never there."""
        luck = chance.random()
        if not self.known or luck < 0.01:
            return NOWHERE
        if luck < 0.03:
            return chance.choice(self.known)
        whole = [one for one in self.present if self.now.whole(one) == (luck > 0.06)]
        return chance.choice((whole or self.known)[-12:])

    def some(self, chance: Random, most: int) -> list[str]:
        """Return up to ``most`` ids."""
        return [self.pick(chance) for _ in range(max(0, chance.randint(-2, most)))]

    def task(self, chance: Random) -> str:
        """Return the id of a task if there is one."""
        tasks = [one for one in self.present if self.now.nodes[one]["kind"] == "task" and self.now.whole(one)]
        return chance.choice(tasks) if tasks else self.pick(chance)

    def text(self, chance: Random) -> str:
        """Return a text of one to twenty words."""
        words = Random(chance.randrange(1000))
        return " ".join(words.choice(WORDS) for _ in range(chance.choice((1, 3, 5, 8, 20))))

    def _fields(self, chance: Random) -> dict[str, Any]:
        """Return the keyword arguments of a random memory."""
        kind = chance.choice(KINDS)
        fields: dict[str, Any] = {"kind": kind, "subjects": chance.choice(((), (), ("ann",), ("ann", "bob")))}
        if chance.random() < 0.5:
            fields["session"] = chance.choice(("s1", "s2"))
        if chance.random() < 0.3:
            fields["key"], fields["cardinality"] = chance.choice(KEYS)
        if chance.random() < 0.2:
            fields["at"] = self.memory.now() + chance.choice((-DAY_MS, -5, 5, 60_000))
        if chance.random() < 0.25:
            fields["ttl"] = chance.choice(("5s", "1h", "40d"))
        if chance.random() < 0.1:
            fields["memory_class"] = chance.choice(list(MemoryClass)).value
        if chance.random() < 0.1:
            fields["sensitivity"] = chance.random()
        if kind == "task":
            fields |= self._task_fields(chance)
        fields["pin"] = chance.random() < 0.08
        return fields

    def _task_fields(self, chance: Random) -> dict[str, Any]:
        fields: dict[str, Any] = {"requires": self.some(chance, 2)}
        if chance.random() < 0.5:
            fields["status"] = chance.choice(list(TaskStatus)).value
        if chance.random() < 0.4:
            fields["deadline"] = self.memory.now() + chance.choice((-10 * DAY_MS, 1000, DAY_MS))
        return fields

    def _links(self, chance: Random) -> dict[str, Any]:
        return {
            "derives_from": self.some(chance, 2),
            "depends_on": self.some(chance, 2),
            "contradicts": self.some(chance, 1),
            "attaches_to_goal": [self.task(chance)] if chance.random() < 0.2 else [],
            "mentions": [chance.choice(("Ann", "ann", "Acme")) for _ in range(chance.choice((0, 0, 0, 1, 2)))],
        }

    def _note(self, memory: marskg.Memory) -> None:
        if memory.id not in self.known:
            self.known.append(memory.id)

    # --- What users do --------------------------------------------------------------------------------------------

    def remember(self, chance: Random) -> None:
        """Store one memory."""
        fields = self._fields(chance)
        text = chance.choice(VALUES) if fields.get("cardinality") == "set" else self.text(chance)
        if chance.random() < 0.05:
            fields["id"] = self.pick(chance)
        if chance.random() < 0.05:
            fields["edges"] = [(chance.choice(("partOf", "isA", "reportsTo")), self.pick(chance))]
        self._note(self.memory.remember(text, **fields, **self._links(chance)))

    def remember_many(self, chance: Random) -> None:
        """Store a batch whose drafts refer to each other."""
        drafts = [self._draft(chance, number) for number in range(chance.randint(1, 6))]
        self.memory.remember_many(drafts, atomic=True)
        latest = self.recorded().nodes.values()
        for node in sorted(latest, key=lambda node: (node["sequence"], node["id"])):
            if node["id"] not in self.known:
                self.known.append(node["id"])

    def _draft(self, chance: Random, number: int) -> marskg.Draft:
        fields = self._fields(chance)
        earlier = [f"d{chance.randrange(number)}"] if number and chance.random() < 0.5 else []
        fields["kind"] = Kind(fields["kind"])
        fields["at"] = fields.get("at", self.memory.now())
        if "cardinality" in fields:
            fields["cardinality"] = Cardinality(fields["cardinality"])
        if "status" in fields:
            fields["status"] = TaskStatus(fields["status"])
        if "memory_class" in fields:
            fields["memory_class"] = MemoryClass(fields["memory_class"])
        for name in ("requires",):
            fields[name] = tuple(fields.get(name, ()))
        return marskg.Draft(
            ref=f"d{number}",
            content=self.text(chance),
            **fields,
            depends_on=tuple(earlier),
            derives_from=tuple(self.some(chance, 1)) if chance.random() < 0.3 else (),
            mentions=tuple(marskg.EntityRef(name) for name in chance.choice(((), (), ("Ann", "Acme")))),
        )

    def update(self, chance: Random) -> None:
        """Give a memory a new text."""
        self._note(self.memory.update(self.pick(chance), self.text(chance)))

    def retract(self, chance: Random) -> None:
        """End a value of a slot."""
        key, cardinality = chance.choice(KEYS)
        content = chance.choice(VALUES) if cardinality == "set" else None
        self.memory.retract(key, subjects=chance.choice(((), ("ann",))), content=content)

    def pin(self, chance: Random) -> None:
        """Protect a memory."""
        self.memory.policy.pin(self.pick(chance))

    def unpin(self, chance: Random) -> None:
        """Stop protecting one."""
        pinned = [node["id"] for node in self.now.nodes.values() if node.get("pinned")]
        self.memory.policy.unpin(chance.choice(sorted(pinned)) if pinned else self.pick(chance))

    def amend_task(self, chance: Random) -> None:
        """Change a task."""
        changes: dict[str, Any] = {}
        if chance.random() < 0.8:
            changes["status"] = chance.choice(list(TaskStatus)).value
        if chance.random() < 0.3:
            changes["deadline"] = self.memory.now() + chance.choice((-10 * DAY_MS, 500, DAY_MS))
        if chance.random() < 0.2:
            changes["priority"] = chance.randint(0, 9)
        self.memory.tasks.amend(self.task(chance), **changes)

    def affirm(self, chance: Random) -> None:
        """Confirm a memory whose base changed."""
        doubted = sorted(node["id"] for node in self.now.nodes.values() if "unaffirmedSince" in node)
        self.memory.learning.affirm(chance.choice(doubted) if doubted else self.pick(chance))

    def link(self, chance: Random) -> None:
        """Draw an edge."""
        type_, weight = chance.choice(LINKS), chance.choice((None, None, 0.5))
        source = self.task(chance) if type_ == "requires" else self.pick(chance)
        target = self.task(chance) if type_ == "attachesToGoal" else self.pick(chance)
        self.memory.link(source, type_, target, weight=weight)

    def unlink(self, chance: Random) -> None:
        """Remove an edge that is there."""
        there = sorted(edge for edge, _, _ in self.now.edges if edge[1] in {*LINKS, "lostPrerequisite", "supersedes"})
        source, type_, target = chance.choice(there) if there else (self.pick(chance), "dependsOn", self.pick(chance))
        self.memory.unlink(source, type_, target)

    def forget(self, chance: Random) -> None:
        """Plan with a policy and apply the plan; it reaches every budget above what is protected."""
        weight = self.memory.weight
        budget = chance.randint(0 if chance.random() < 0.2 else weight // 2, weight)
        policy = chance.choice(self.policies)
        try:
            plan = self.memory.plan(policy=policy, budget=budget)
        except BudgetInfeasible:
            assert self.recorded().floor > budget, f"K: {policy} says that {budget} is out of reach, but it is not"
            raise
        # What was due is settled first, so only now is it known what is protected.
        assert self.recorded().floor <= plan.weight_after <= budget, "K: the plan takes what is protected"
        assert plan.realised_loss <= plan.bound + 1e-9
        self.plans.append(plan)
        if chance.random() < 0.7:
            self.memory.forget(plan)
            assert self.memory.weight == plan.weight_after

    def set_budget(self, chance: Random) -> None:
        """Change the budget; a lower one forgets."""
        budget = chance.choice((40, 80, 120, 300))
        try:
            self.memory.settings.set_budget(budget)
        except BudgetInfeasible:
            assert self.recorded().floor > budget, f"K: {budget} is said to be out of reach, but it is not"
            raise
        assert self.recorded().floor <= budget

    def change_settings(self, chance: Random) -> None:
        """Change how the tenant forgets."""
        values: dict[str, Any] = chance.choice(
            (
                {"policy.evict_to": "latent", "policy.grace": None},
                {"policy.evict_to": "tombstone", "policy.grace": None},
                {"policy.evict_to": "tombstone", "policy.grace": "1h"},
                {"policy.name": chance.choice(self.policies)},
                {"low_water": chance.choice((0.5, 0.95, 1.0))},
                {"task_grace": chance.choice(("1s", "7d"))},
                {"policy.scoring.beta": chance.choice((0.0, 0.4, 2.0)), "policy.scoring.lambda_age": 1.5},
                {"head_interval": chance.choice((1, 7, 256))},
                {"partitions.mode": chance.choice(("off", "fixed", "dual"))},
                {"partitions.lifetimes.semantic": chance.choice(("0s", "1h"))},
                {"partitions.user_budget": chance.choice((None, 20, 60))},
                {"partitions.conversation_budget": chance.choice((None, 20, 60))},
            )
        )
        self.memory.settings.set(None, values)

    def restore(self, chance: Random) -> None:
        """Bring a latent memory back."""
        latent = sorted(node["id"] for node in self.now.nodes.values() if node["tier"] == "latent")
        self.memory.restore(chance.choice(latent) if latent else self.pick(chance))

    def expire(self, chance: Random) -> None:
        """Let time pass, and carry out what it brings."""
        self.clock.advance(chance.choice((0, 2_000, 1_900_000, 20 * 3_600_000)))
        self.memory.maintenance.expire()
        if not self.memory.stats()["expiry_suspended"]:
            found = list(pictures.unexpired(self.recorded(), self.memory.now()))
            assert found == [], found

    def jump(self, chance: Random) -> None:
        """Let the clock jump back, or ahead by days; mostly somebody says that it is right."""
        self.clock.jump(chance.choice((-3 * DAY_MS, -1, 2 * DAY_MS, 41 * DAY_MS)))
        if chance.random() < 0.8:
            self.memory.maintenance.confirm_clock()

    def access(self, chance: Random) -> None:
        """Show some memories."""
        self.memory.control.record_access(self.some(chance, 5), purpose=chance.choice((None, "chat")))

    def rotate_key(self, _chance: Random) -> None:
        """Sign with another key from now on."""
        self.memory.audit.rotate_key()

    def sign_head(self, _chance: Random) -> None:
        """Sign the Merkle tree as it stands."""
        head = self.memory.audit.sign_head()
        assert head.size == self.memory.stats()["audit_seq"]

    def reopen(self, _chance: Random) -> None:
        """Come back with nothing in memory."""
        self._openings += 1
        name = self.tenant
        self.memory = self.stores.open(name, seed=f"{self.seed} again {self._openings}")


#: The steps of a history with how often each comes up.
STEPS: dict[str, int] = {
    "remember": 14,
    "remember_many": 3,
    "update": 3,
    "retract": 1,
    "pin": 1,
    "unpin": 1,
    "amend_task": 2,
    "affirm": 1,
    "link": 4,
    "unlink": 1,
    "forget": 3,
    "set_budget": 2,
    "change_settings": 2,
    "restore": 2,
    "expire": 3,
    "jump": 1,
    "access": 2,
    "rotate_key": 1,
    "sign_head": 1,
    "reopen": 1,
}
