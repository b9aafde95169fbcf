"""Random calls of the public API, whatever their arguments: what is accepted has to be a sound graph.

Unlike :mod:`tests.support.history`, which knows what each step may change, nothing here knows a rule: the calls name
edges, ids and times that make no sense as readily as those that do, and the store as a whole is judged afterwards, by
the shapes, by the verifier, by loading its export into another tenant, and by erasing by id.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any
from uuid import UUID

import marskg
from marskg.clock import MAX_MS
from marskg.drafts import EntityRelation
from marskg.errors import MarsError
from marskg.learning.from_text.plan import Learned
from marskg.ontology.vocabulary import (
    ENTITY_EDGES,
    Cardinality,
    EdgeType,
    Kind,
    PreferenceRule,
    SourceType,
    TaskStatus,
    Tier,
)
from marskg.store.rows.name_rules import NAMING

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

TOPICS = ("tea", "rain", "Oslo", "the budget", "Ann Reed", "Bob", "the visa", "Café", "東京")
NAMES = ("Ann Reed", "Bob", "Acme", "Oslo", "ann reed")
KEYS = ("home", "likes", "spent")
CARDINALITIES = dict(zip(KEYS, ("single", "set", "append"), strict=True))
#: How often each call comes up. Each is the operation of its name, or what its method says.
CALLS: dict[str, int] = {
    "remember": 18,
    "remember_many": 4,
    "link": 9,
    "unlink": 2,
    "update": 4,
    "retract": 2,
    "tasks.amend": 5,
    "require": 4,
    "lose": 2,
    "restore": 2,
    "forget": 2,
    "summarise": 2,
    "erase": 1,
    "feedback": 1,
    "learn": 2,
    "learning.undo": 1,
    "learning.wish": 1,
    "learning.affirm": 1,
    "learning.conflicts": 1,
    "learning.accept": 1,
    "learning.reject": 1,
    "entities.mention": 2,
    "entities.unmention": 1,
    "entities.relate": 2,
    "entities.unrelate": 1,
    "entities.rename": 1,
    "entities.add_alias": 1,
    "entities.remove_alias": 1,
    "entities.retype": 1,
    "entities.merge": 1,
    "preferences.set": 1,
    "preferences.remove": 1,
    "preferences.apply": 1,
    "preferences.unapply": 1,
    "preferences.consent": 1,
    "preferences.withdraw": 1,
    "policy.pin": 1,
    "policy.unpin": 1,
    "settings.set": 1,
    "settings.set_budget": 1,
    "maintain": 1,
    "maintenance.expire": 1,
    "maintenance.end_session": 1,
    "maintenance.rescore": 1,
    "maintenance.reembed": 1,
    "control.record_access": 1,
    "privacy.private_mode": 1,
    "privacy.forget": 1,
    "audit.rotate_key": 1,
    "audit.seal": 1,
    "snapshots.load": 1,
    "load": 1,
}
#: Operations that change no graph, so that nothing of them could be unsound.
READS = frozenset(
    (  # noqa: SIM905 - a list of so many short strings is not read any better
        "audit.check_receipt audit.heads audit.prove audit.prove_consistency audit.receipt audit.records "
        "audit.sign_head audit.sign_heads audit.who_saw close control.set_goal cypher edges entities.list explain "
        "export get history learning.plan_pruning learning.review maintenance.prepare maintenance.stop memories now "
        "plan policy.advise_budget policy.compare policy.explain policy.fit preferences.applied preferences.consents "
        "preferences.effective preferences.get preferences.list privacy.budget privacy.match_erasure "
        "privacy.redact privacy.report privacy.retention profile read_all recall retrieve snapshots.list "
        "snapshots.save sparql stats validate verify "
    ).split()
)
#: Operations that change one and are not called here, and why.
APART = {
    "open": "each tenant is opened once",
    "audit.replace_key": "the verifier reports it for ever",
    "preferences.load": "it sets what preferences.set does, from a file",
    "learning.read_backlog": "without a model no turn waits to be read",
    "maintenance.confirm_clock": "a clock has to have jumped",
    "maintenance.reweigh": "a version before has to have weighed",
    "maintenance.run_every": "it does what maintain does, at another time",
    "maintenance.scrub": "it rewrites the files of all tenants, which takes long",
    "privacy.grant": "it changes the row of the tenant alone",
    "settings.subscribe": "it changes the row of the tenant alone",
    "settings.unsubscribe": "it changes the row of the tenant alone",
}
#: What a tenant whose contents are encrypted refuses.
IN_CLEAR = frozenset({"snapshots.load"})
#: Tries that a call has which never came about.
TRIES = 60
NOTHING = "urn:uuid:01977420-dc7b-72c8-b81f-dc568d631c9d"


class Calls:
    """One tenant, and calls of it that were drawn at random."""

    def __init__(self, stores: Stores, folder: Path, *, seed: object = 1, encryption: str = "off") -> None:
        """Begin a new tenant; exports and snapshots go to ``folder``."""
        self._stores = stores
        self._folder = folder
        self._files = 0
        self.memory: AgentMemory = stores.open(
            seed=f"{seed}", budget=2_000, policy__evict_to="tombstone", encryption=encryption
        )
        self.expected = CALLS.keys() - (IN_CLEAR if encryption != "off" else set())
        self.clock = stores.clock(self.memory)
        self.ids: list[str] = []
        self.taken: Counter[str] = Counter()
        #: Why a call was refused that was, the last time.
        self.refused: dict[str, str] = {}
        self.faults: list[str] = []

    def step(self, name: str, chance: Random) -> None:
        """Make one call, which may be refused by one of the project's errors alone."""
        self.clock.advance(chance.choice((0, 1, 1000, 3_600_000)))
        try:
            done = getattr(self, name.replace(".", "_"))(chance)
        except MarsError as error:
            self.refused[name] = str(error)
            if len(str(error)) > 1_000:
                self.faults.append(f"{name}: a message of {len(str(error))} characters")
        else:
            self.taken[name] += done is not False

    def never(self, chance: Random) -> list[str]:
        """Return the calls that did not come about once, also when they are tried again with nothing in their way."""
        for rule in self.memory.preferences.list():
            if rule.preference_rule is not PreferenceRule.CONSENT:
                self.memory.preferences.remove(rule.id)
        self.memory.settings.set_budget(10_000)
        for name in sorted(self.expected):
            for _ in range(TRIES):
                if not self.taken[name]:
                    self.step(name, chance)
        return [f"{name}: {self.refused.get(name)}" for name in self.expected if not self.taken[name]]

    # --- Judging --------------------------------------------------------------------------------------------------

    def judge(self) -> list[str]:
        """Return what the shapes and the verifier find."""
        found = [*self.memory.validate(full=True).findings, *self.memory.verify().findings]
        told = (f"{finding.code} {finding.where}: {finding.message}" for finding in found)
        return [*self.faults, *told, *self._current_though_superseded(), *self._current_twice()]

    def _current_twice(self) -> list[str]:
        """Return the keys of a single value that have several current ones: no shape says so."""
        current = Counter(
            (one.key, one.subjects)
            for one in self.memory.memories()
            if one.cardinality is Cardinality.SINGLE and one.content is not None and one.current
        )
        return [f"key {key} of {who} has {count} current values" for (key, who), count in current.items() if count > 1]

    def _current_though_superseded(self) -> list[str]:
        """Return the memories that another one supersedes by an edge, and that still stand: nothing else sees them."""
        by_id = {memory.id: memory for memory in self.memory.memories()}
        return [
            f"{edge.target} is superseded by {edge.source} and is current"
            for ident in by_id
            for edge in self.memory.edges(ident)
            if edge.type is EdgeType.SUPERSEDES and edge.target in by_id and by_id[edge.target].current
        ]

    def judge_at_the_end(self, chance: Random) -> list[str]:
        """Return what is found, also when an export is loaded into another tenant, and when memories are erased."""
        return self.judge() or self._loaded() or self._erased(chance) or self.judge()

    def _loaded(self) -> list[str]:
        # A rule about a name has the digest of its store, and has to be set anew in another one (ADR 74).
        for rule in self.memory.preferences.list():
            if rule.preference_rule in NAMING:
                self.memory.preferences.remove(rule.id)
        path = self._path("export.nq")
        self.memory.export(path)
        other = self._stores.open(seed="the other", budget=10_000_000)
        try:
            other.load(path)
        except MarsError as error:
            return [f"the export does not load: {type(error).__name__}: {error}"]
        found = [
            f"the other tenant: {finding.code} {finding.message}" for finding in other.validate(full=True).findings
        ]
        here, there = contents(self.memory), contents(other)
        return [*found, *(f"{ident} is not loaded as it was" for ident in here.keys() | there.keys()
                          if here.get(ident) != there.get(ident))]  # fmt: skip

    def _erased(self, chance: Random) -> list[str]:
        found = []
        live = sorted(contents(self.memory))
        for ident in chance.sample(live, min(6, len(live))):
            if self.memory.get(ident) is None:
                continue
            try:
                self.memory.erase(id=ident)
            except MarsError as error:
                found.append(f"{ident} is not erased: {error}")
            if self.memory.get(ident) is not None:
                found.append(f"{ident} is there after it was erased")
        return found

    def _path(self, name: str) -> Path:
        self._files += 1
        return self._folder / f"{self._files}-{name}"

    # --- What is named --------------------------------------------------------------------------------------------

    def some_id(self, chance: Random) -> str:
        """Return an id: mostly of a memory, whole or not, now and then of an entity, of nothing, or none at all."""
        luck = chance.random()
        if luck < 0.72:
            live = sorted(memory.id for memory in self.memory.memories())
            if live:
                return chance.choice(live[-25:])
        gone = self.tombstones() if luck < 0.84 else []
        if gone:
            return chance.choice(gone)
        if self.ids and luck < 0.95:
            return chance.choice(self.ids[-25:])
        entities = sorted(entity.id for entity in self.memory.entities.list())
        if entities and luck < 0.98:
            return chance.choice(entities)
        return chance.choice((NOTHING, NOTHING.upper(), "urn:uuid:xyz", "", "x"))

    def tombstones(self) -> list[str]:
        """Return the ids of the memories whose content is gone, and to which something still points."""
        gone = "MATCH (m:Memory {tenant: $tenant, tier: 'tombstone'}) RETURN m.id AS id ORDER BY id"
        return [str(row[0]) for row in self.memory.cypher(gone, {"tenant": self.memory.tenant}).rows]

    def entity_id(self, chance: Random) -> str:
        """Return the id of an entity if there is one."""
        entities = sorted(entity.id for entity in self.memory.entities.list())
        return chance.choice(entities) if entities else self.some_id(chance)

    def own_id(self, chance: Random) -> str | None:
        """Return an id of the caller's own in any form."""
        number = f"urn:uuid:{UUID(int=chance.getrandbits(128))}"
        luck = chance.random()
        if luck < 0.7:
            return chance.choice((None, number))
        if luck < 0.85:
            return chance.choice((self.some_id, self.entity_id))(chance)
        return chance.choice((number.upper(), f"{number}\n", f"{number}0", "urn:uuid:xyz", "urn:uuid:", "http://x/1"))

    def some(self, chance: Random) -> tuple[str, ...]:
        """Return up to two ids, mostly none."""
        return tuple(self.some_id(chance) for _ in range(max(0, chance.randint(-7, 2))))

    def time(self, chance: Random) -> int:
        """Return a time near now, or as far from it as a time may be, or further."""
        now = self.memory.now()
        return now + chance.choice((-1000, 1, 60_000, 10**9)) if chance.random() < 0.9 else chance.choice(
            (0, 1, MAX_MS, MAX_MS + 1, -1)
        )  # fmt: skip

    def fields(self, chance: Random) -> dict[str, Any]:
        """Return what ``remember`` and a draft may both be given."""
        kind = chance.choice(list(Kind))
        given: dict[str, Any] = {
            "kind": kind.value,
            "derives_from": self.some(chance),
            "depends_on": self.some(chance),
            "requires": self.some(chance) if kind is Kind.TASK or chance.random() < 0.1 else (),
            "contradicts": self.some(chance),
            "attaches_to_goal": self.some(chance),
            "edges": tuple(
                (chance.choice(list(EdgeType)), self.some_id(chance)) for _ in range(chance.choice((0, 0, 0, 1, 2)))
            ),
        }
        maybe: dict[str, tuple[float, Any]] = {
            "session": (0.5, chance.choice(("s", "t"))),
            "subjects": (0.3, chance.choice((("ann",), ("ann", "bob")))),
            "valid_to": (0.15, self.time(chance)),
            "expires_at": (0.15, self.time(chance)),
            "status": (0.5 if kind is Kind.TASK else 0.05, chance.choice(list(TaskStatus)).value),
            "deadline": (0.2 if kind is Kind.TASK else 0.03, self.time(chance)),
            "priority": (0.2 if kind is Kind.TASK else 0.03, chance.choice((0, 9, -1, 2**31, 2**60))),
            "sensitivity": (0.1, chance.choice((0.0, 0.5, 1.0, 1.5, -0.1))),
            "reliability": (0.1, chance.choice((0.0, 0.25, 1.0, 2.0))),
            "pin": (0.05, True),
            "payload": (0.15, chance.choice(PAYLOADS)),
        }
        given |= {name: value for name, (often, value) in maybe.items() if chance.random() < often}
        if chance.random() < 0.4:
            given["key"] = chance.choice(KEYS)
            given["cardinality"] = chance.choice(list(Cardinality)).value
        return given if chance.random() < 0.4 else _likely(given)

    def text(self, chance: Random) -> str:
        """Return a text that names this and that."""
        return f"Number {chance.randrange(40)} about {chance.choice(TOPICS)} and {chance.choice(TOPICS)}"

    def noted(self, memory: marskg.Memory) -> None:
        """Keep the id of a memory."""
        self.ids.append(memory.id)

    # --- What is called -------------------------------------------------------------------------------------------

    def remember(self, chance: Random) -> None:
        """Store one memory."""
        fields = self.fields(chance)
        if chance.random() < 0.3:
            fields["at"] = self.time(chance)
        mentions = chance.sample(NAMES, chance.choice((0, 0, 0, 1, 2)))
        self.noted(self.memory.remember(self.text(chance), **fields, mentions=mentions, id=self.own_id(chance)))

    def remember_many(self, chance: Random) -> None:
        """Store drafts that refer to each other."""
        drafts = []
        for number in range(chance.randint(1, 5)):
            fields = self.fields(chance)
            # Now and then a later one, or itself.
            named = max(1, number + (chance.random() < 0.1))
            fields["depends_on"] += tuple(f"d{chance.randrange(named)}" for _ in range(bool(number)))
            names = chance.sample(NAMES, chance.choice((0, 2)))
            fields["mentions"] = tuple(marskg.EntityRef(name) for name in names)
            if names and chance.random() < 0.5:
                type_ = chance.choice(sorted(ENTITY_EDGES))
                fields["relations"] = (EntityRelation(names[0], type_, chance.choice(names)),)
            fields["at"] = self.time(chance) if chance.random() < 0.3 else self.memory.now()
            if "key" in fields and chance.random() < 0.2:
                fields["action"] = chance.choice(("retract", "close_task"))
            if chance.random() < 0.1:
                fields["identity"] = chance.choice(TOPICS)
            drafts.append(marskg.Draft(ref=f"d{number}", content=self.text(chance), **fields))
        self.memory.remember_many(drafts, atomic=chance.random() < 0.5)
        self.ids = [*self.ids, *(memory.id for memory in self.memory.memories() if memory.id not in self.ids)]

    def link(self, chance: Random) -> None:
        """Draw an edge."""
        weight = chance.choice((None, None, 0.5, float("nan"), float("inf"), 1e300))
        type_ = EdgeType.SUPERSEDES if chance.random() < 0.2 else chance.choice(list(EdgeType))
        self.memory.link(self.some_id(chance), type_, self.some_id(chance), weight=weight)

    def unlink(self, chance: Random) -> None:
        """Remove an edge, mostly one that is there."""
        source = self.some_id(chance)
        there = self.memory.edges(source)
        edge = chance.choice(there) if there else None
        type_ = edge.type if edge else chance.choice(list(EdgeType))
        self.memory.unlink(source, type_, edge.target if edge else self.some_id(chance))

    def update(self, chance: Random) -> None:
        """Give a memory a new text, and now and then other metadata."""
        metadata = chance.choice((None, None, {}, {"a": [1, {"b": None}]}, {"a": float("nan")}))
        self.noted(self.memory.update(self.some_id(chance), self.text(chance), metadata=metadata))

    def retract(self, chance: Random) -> None:
        """End a value."""
        self.memory.retract(chance.choice(KEYS), subjects=chance.choice(((), ("ann",))))

    def tasks_amend(self, chance: Random) -> None:
        """Change a task."""
        tasks = [memory.id for memory in self.memory.memories() if memory.kind is Kind.TASK]
        ident = chance.choice(tasks) if tasks else self.some_id(chance)
        deadline = self.time(chance) if chance.random() < 0.3 else None
        self.memory.tasks.amend(ident, status=chance.choice(list(TaskStatus)), deadline=deadline)

    def require(self, chance: Random) -> None:
        """Let a task require something, as often as not what is gone."""
        tasks = [memory.id for memory in self.memory.memories() if memory.kind is Kind.TASK]
        gone = self.tombstones() if chance.random() < 0.5 else []
        self.memory.link(
            chance.choice(tasks) if tasks else self.some_id(chance),
            EdgeType.REQUIRES,
            chance.choice(gone) if gone else self.some_id(chance),
        )

    def lose(self, chance: Random) -> None:
        """Let the time of what a task requires come, and change the task before or afterwards."""
        need = self.memory.remember(self.text(chance), expires_at=self.memory.now() + 60_000)
        task = self.memory.remember(
            self.text(chance), kind="task", requires=[need.id], status=chance.choice(list(TaskStatus)).value
        )
        self.noted(need)
        self.noted(task)
        self.clock.advance(60_001)
        if chance.random() < 0.8:
            self.memory.maintenance.expire()
        self.memory.tasks.amend(task.id, status=chance.choice(list(TaskStatus)))

    def policy_pin(self, chance: Random) -> None:
        """Protect a memory."""
        self.memory.policy.pin(self.some_id(chance))

    def policy_unpin(self, chance: Random) -> None:
        """Protect it no more."""
        self.memory.policy.unpin(self.some_id(chance))

    def learning_affirm(self, chance: Random) -> None:
        """Confirm a memory."""
        self.memory.learning.affirm(self.some_id(chance))

    def restore(self, chance: Random) -> None:
        """Bring a memory back to the live tier, mostly one that was set aside."""
        latent = [memory.id for memory in self.memory.memories() if memory.tier is Tier.LATENT]
        if not latent and chance.random() < 0.7:
            latent = self._set_aside()
        self.memory.restore(chance.choice(latent) if latent and chance.random() < 0.8 else self.some_id(chance))

    def _set_aside(self) -> list[str]:
        """Let a policy set something aside; return what it was."""
        self.memory.settings.set(None, {"policy.evict_to": "latent", "policy.review": "off"})
        plan = self.memory.plan(policy="fifo", budget=self.memory.weight * 9 // 10)
        self.memory.forget(plan)
        return [action.id for action in plan.actions]

    def entities_mention(self, chance: Random) -> None:
        """Say whom a memory mentions."""
        self.memory.entities.mention(self.some_id(chance), chance.choice((*NAMES, "", "\u200b")))

    def entities_unmention(self, chance: Random) -> None:
        """Say that a memory does not mention an entity, mostly one that it mentions."""
        mentions = [
            (memory.id, edge.target)
            for memory in self.memory.memories()
            for edge in self.memory.edges(memory.id)
            if edge.type is EdgeType.MENTIONS
        ]
        pair = chance.choice(mentions) if mentions and chance.random() < 0.8 else None
        self.memory.entities.unmention(*(pair or (self.some_id(chance), self.entity_id(chance))))

    def _pair(self, chance: Random) -> tuple[str, str]:
        """Return two entities, or now and then one twice."""
        entities = sorted(entity.id for entity in self.memory.entities.list())
        if len(entities) < 2:
            self.memory.remember(self.text(chance), mentions=["Dora", "Emil"])
            entities = sorted(entity.id for entity in self.memory.entities.list())
        # A merge or a rule may have left one, or none.
        first, other = (
            chance.sample(entities, 2) if len(entities) > 1 else (self.entity_id(chance), self.some_id(chance))
        )
        return first, other if chance.random() < 0.9 else first

    def _relation(self, chance: Random) -> tuple[str, EdgeType, str]:
        """Return what may be an edge between entities."""
        first, other = self._pair(chance)
        return first, chance.choice(sorted(ENTITY_EDGES) if chance.random() < 0.7 else list(EdgeType)), other

    def entities_relate(self, chance: Random) -> None:
        """Draw an edge between entities."""
        self.memory.entities.relate(*self._relation(chance))

    def entities_unrelate(self, chance: Random) -> None:
        """Remove one, mostly one that is there."""
        relation = self._relation(chance)
        if chance.random() < 0.7:
            self.memory.entities.relate(*relation)
        self.memory.entities.unrelate(*relation)

    def entities_rename(self, chance: Random) -> None:
        """Give an entity another name."""
        self.memory.entities.rename(self.entity_id(chance), chance.choice((*NAMES, "Ann R.", " ")))

    def entities_add_alias(self, chance: Random) -> None:
        """Let an entity be found by another name."""
        self.memory.entities.add_alias(self.entity_id(chance), chance.choice((*NAMES, "Annie", "the firm", "")))

    def entities_remove_alias(self, chance: Random) -> None:
        """Let it be found so no more."""
        known = [(entity.id, alias) for entity in self.memory.entities.list() for alias in entity.aliases]
        ident, alias = chance.choice(known) if known else (self.entity_id(chance), "Annie")
        self.memory.entities.remove_alias(ident, alias)

    def entities_retype(self, chance: Random) -> None:
        """Say what an entity is."""
        self.memory.entities.retype(self.entity_id(chance), chance.choice(("person", "place", None, "monster")))

    def entities_merge(self, chance: Random) -> None:
        """Let one entity take the place of another."""
        self.memory.entities.merge(*self._pair(chance))

    def forget(self, chance: Random) -> bool:
        """Let a policy make room."""
        policy = chance.choice(("fifo", "priority-decay", "reflection-summary", "random-drop", "hybrid", None))
        budget = int(self.memory.weight * chance.uniform(0.7, 1))
        plan = self.memory.plan(policy=policy, budget=budget) if policy else self.memory.learning.plan_pruning()
        self.memory.forget(plan)
        return bool(plan.actions)

    def summarise(self, chance: Random) -> bool:
        """Let what was told of one theme become a summary, and draw edges to it and from it."""
        theme = chance.choice(THEMES)
        told = [
            self.memory.remember(
                theme.format(day, 20 + day),
                kind="episodic",
                session="told",
                memory_class="canonical",
                derives_from=self.some(chance),
                mentions=chance.sample(NAMES, chance.choice((0, 0, 1))),
            )
            for day in range(6)
        ]
        if chance.random() < 0.5:
            self.memory.remember(self.text(chance), derives_from=[told[0].id])
        plan = self.memory.plan(policy="reflection-summary", budget=int(self.memory.weight * 0.75))
        self.memory.forget(plan)
        made = [memory.id for memory in self.memory.memories() if memory.source_type is SourceType.REFLECTION]
        self.ids += made
        return bool(plan.summaries)

    def settings_set(self, chance: Random) -> None:
        """Change where what is forgotten goes, and whether it waits for a person."""
        values = {"policy.evict_to": chance.choice(("latent", "tombstone")), "policy.review": chance.choice(REVIEWS)}
        self.memory.settings.set(None, values)

    def settings_set_budget(self, chance: Random) -> None:
        """Change the budget, which may be too little for what is protected."""
        self.memory.settings.set_budget(chance.choice((1, 1_000, 2_000, 2_000, 3_000)))

    def erase(self, chance: Random) -> None:
        """Erase a memory, or a person."""
        if chance.random() < 0.7:
            self.memory.erase(id=(self.some_id if chance.random() < 0.8 else self.entity_id)(chance))
        else:
            self.memory.erase(session="t")

    def maintain(self, _chance: Random) -> None:
        """Do the housekeeping."""
        self.memory.maintain()

    def maintenance_expire(self, chance: Random) -> None:
        """Let hours pass."""
        self.clock.advance(chance.choice((3_600_000, 20 * 3_600_000)))
        self.memory.maintenance.expire()

    def maintenance_end_session(self, chance: Random) -> None:
        """Say that a conversation is over, in which something was bound to it."""
        self.memory.remember(self.text(chance), session="s", session_bound=True, depends_on=self.some(chance))
        self.memory.maintenance.end_session("s")

    def maintenance_rescore(self, _chance: Random) -> None:
        """Measure anew how sensitive everything is."""
        self.memory.maintenance.rescore()

    def maintenance_reembed(self, _chance: Random) -> None:
        """Make vectors that are missing."""
        self.memory.maintenance.reembed()

    def control_record_access(self, chance: Random) -> None:
        """Show memories, one of which may be used once."""
        once = self.memory.remember(self.text(chance), use_bound=True, derives_from=self.some(chance))
        self.memory.control.record_access([once.id, *self.some(chance)])

    def privacy_private_mode(self, chance: Random) -> None:
        """Say something that is kept for a while at most."""
        with self.memory.privacy.private_mode(keep=chance.random() < 0.5) as private:
            private.remember(self.text(chance))

    def privacy_forget(self, chance: Random) -> None:
        """Let chance make room."""
        self.memory.privacy.forget(budget=int(self.memory.weight * chance.uniform(0.8, 1)))

    def audit_rotate_key(self, _chance: Random) -> None:
        """Sign with another key."""
        self.memory.audit.rotate_key()

    def audit_seal(self, chance: Random) -> None:
        """Let the details of old records go."""
        self.memory.audit.seal(before=self.memory.now() - chance.choice((0, 3_600_000, -1_000)))

    def feedback(self, chance: Random) -> None:
        """Say what became of what a question showed."""
        found = self.memory.retrieve(f"{chance.choice(TOPICS)} and {chance.choice(TOPICS)}", k=6)
        shown = [hit.memory.id for hit in found]
        self.memory.feedback(
            found.id or "",
            used=shown[::3],
            unused=shown[1::3],
            contradicted=shown[2::3],
            complaint=chance.choice((None, "that's wrong", self.some_id(chance))),
        )

    def learn(self, chance: Random) -> bool:
        """Read what somebody says."""
        return bool(self._learned(" ".join(chance.sample(SAID, 3))).facts)

    def _learned(self, text: str) -> Learned:
        found = self.memory.learn(text)
        assert isinstance(found, Learned)
        return found

    def learning_undo(self, chance: Random) -> bool:
        """Take back what was learned, mostly just now."""
        call = self._learned(chance.choice(SAID)).call if chance.random() < 0.7 else chance.choice(("x", " "))
        return bool(self.memory.learning.undo(call).ended)

    def learning_wish(self, chance: Random) -> None:
        """Wish that something is remembered or forgotten."""
        self.memory.learning.wish(f"{chance.choice(('forget about', 'remember more about'))} {chance.choice(TOPICS)}")

    def learning_conflicts(self, chance: Random) -> bool:
        """Look for contradictions, of which there is one, and settle them."""
        self._contradicted(chance)
        return bool(
            self.memory.learning.conflicts(resolve=chance.choice(("flag", "newest", "most_reliable", "review")))
        )

    def _contradicted(self, chance: Random) -> None:
        """Say one thing and another that contradicts it, on one of which something rests."""
        topic = chance.choice(TOPICS)
        ids = [self.memory.remember(f"I {verb} {topic}", kind="semantic").id for verb in ("like", "no longer like")]
        self.memory.remember(self.text(chance), depends_on=[chance.choice(ids)])

    def _waiting(self, chance: Random) -> str:
        """Return what waits for a person, mostly."""
        if chance.random() < 0.5:
            self._contradicted(chance)
            self.memory.learning.conflicts(resolve="review")
        found = self.memory.learning.review()
        waiting = [one.other for one in found.conflicts]
        waiting += [one.id for one in found.quarantined]
        waiting += [one.id for one in (*found.fading, *found.faded)]
        waiting += [one.id for one in found.proposed]
        return chance.choice(waiting) if waiting and chance.random() < 0.9 else self.some_id(chance)

    def learning_accept(self, chance: Random) -> None:
        """Do what waits for a person."""
        self.memory.learning.accept(self._waiting(chance))

    def learning_reject(self, chance: Random) -> None:
        """Refuse what waits for a person."""
        self.memory.learning.reject(self._waiting(chance))

    def preferences_set(self, chance: Random) -> None:
        """Set a rule, most of which act on what is stored."""
        rule, fields = chance.choice(RULES)
        self.memory.preferences.set(rule, **fields)

    def preferences_remove(self, chance: Random) -> None:
        """Remove a rule, also one that was just set."""
        if chance.random() < 0.5:
            self.preferences_set(chance)
        rules = [one.id for one in self.memory.preferences.list()]
        self.memory.preferences.remove(chance.choice(rules) if rules else self.some_id(chance))

    def preferences_apply(self, chance: Random) -> None:
        """Set the rules of a law."""
        self.memory.preferences.apply(chance.choice(("gdpr", "ccpa", "none")))

    def preferences_unapply(self, chance: Random) -> None:
        """Remove them, mostly of one that is applied."""
        applied = [name for name, _ in self.memory.preferences.applied()]
        if not applied and chance.random() < 0.5:
            self.memory.preferences.apply("gdpr")
        self.memory.preferences.unapply(chance.choice(applied) if applied else "gdpr")

    def preferences_consent(self, chance: Random) -> None:
        """Let somebody consent."""
        until = self.time(chance) if chance.random() < 0.3 else None
        self.memory.preferences.consent(chance.choice(("ann", "bob")), chance.choice(("research", None)), until=until)

    def preferences_withdraw(self, chance: Random) -> None:
        """Let a consent end, mostly one on which something rests."""
        if chance.random() < 0.7:
            self.memory.preferences.consent("bob", "research")
            self.memory.remember(self.text(chance), subjects=["bob"], purpose=["research"])
        self.memory.preferences.withdraw("bob", chance.choice(("research", None)))

    def load(self, chance: Random) -> None:
        """Load what another tenant exported, or oneself."""
        path = self._path("other.nq")
        if chance.random() < 0.7:
            other = self._stores.open(seed=f"{chance.random()}", budget=10_000)
            key = chance.choice((None, "home"))
            base = other.remember(self.text(chance), mentions=["Bob"], key=key)
            other.remember(self.text(chance), kind="task", requires=[base.id], derives_from=[base.id])
            other.export(path)
        else:
            self.memory.export(path)
        self.memory.load(path)

    def snapshots_load(self, _chance: Random) -> None:
        """Go back to a snapshot that was just taken."""
        path = self._path("snapshot")
        self.memory.snapshots.save(path)
        self.memory.snapshots.load(path)


def _likely(given: dict[str, Any]) -> dict[str, Any]:
    """Return fields without what is mostly refused, or nearly no batch would be stored."""
    wrong = {"edges", "sensitivity", "reliability", "payload", "priority", "attaches_to_goal", "contradicts"}
    wrong |= set() if given["kind"] == Kind.TASK else {"status", "deadline", "requires"}
    likely = {name: value for name, value in given.items() if name not in wrong} | {"depends_on": ()}
    return likely | ({"cardinality": CARDINALITIES[given["key"]]} if "key" in given else {})


THEMES = (
    "On day {} I watered the tomatoes in the garden behind the house. It was {} degrees in the garden then.",
    "I baked rye bread with {} spoons of salt for dinner. The bread was rather good after {} minutes.",
)
SAID = (
    "I live in Oslo.",
    "I moved to Malmö.",
    "My sister is called Ann Reed.",
    "I like tea.",
    "I work at Acme.",
    "I don't like tea any more.",
    "Remind me to send the visa on Friday.",
)
REVIEWS = ("off", "off", "all", "sensitive")
RULES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("retention", {"target": "episodic", "horizon": "20h"}),
    ("retention", {"target": "social", "subject": "ann", "horizon": "1h"}),
    ("opt_out_kind", {"target": "social", "subject": "bob"}),
    ("private_entity", {"target": "Oslo", "level": 0.5}),
    ("blacklisted_entity", {"target": "Acme", "subject": "bob"}),
    ("sensitivity_ceiling", {"level": 0.9}),
    ("retention", {"target": "nothing"}),
)
PAYLOADS: tuple[dict[str, Any], ...] = (
    {"event": "a walk"},
    {"concept": "tea", "confidence": 0.5},
    {"relationship_type": "friend"},
    {"goal": "to rest"},
    {"confidence": 7},
    {"unknown": "field"},
)


def contents(memory: AgentMemory) -> dict[str, Any]:
    """Return what a tenant holds of each memory that an export carries, besides what belongs to the store."""
    own = {"tenant", "sequence", "notices"}
    found = {}
    for one in memory.memories():
        fields = {name: getattr(one, name) for name in one.__dataclass_fields__ if name not in own}
        found[one.id] = (
            {name: dict(value) if name == "payload" else value for name, value in fields.items()},
            sorted((edge.type, edge.target, edge.weight) for edge in memory.edges(one.id)),
        )
    return found
