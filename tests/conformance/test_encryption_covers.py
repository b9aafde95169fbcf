"""Every public operation of an encrypted tenant is called with words that are looked for in the bytes of the store.

Driven by the signatures and by the table of properties: an operation, a parameter of ``remember``, a field of a payload
or an encrypted property that is added is missed here until somebody says how it is written.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.api.operations import operations
from marskg.learning.from_text.plan import Learned
from marskg.memory import AgentMemory
from marskg.ontology.fields import PAYLOAD_FIELDS, Protection
from marskg.ontology.protection import Sort, classes, of_class
from marskg.ontology.vocabulary import Datatype, Kind, PreferenceRule
from marskg.store.crypto.envelopes import field_of, is_envelope
from tests.conformance.test_learn import Reader
from tests.support.chat_server import chat_server
from tests.support.residue import residue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.support.stores import Stores

#: Sorts by the label of their nodes; of snapshots and vector points an encrypted tenant has none.
SORTS = {
    "Memory": Sort.MEMORY,
    "Entity": Sort.ENTITY,
    "EntityWord": Sort.WORD,
    "Preference": Sort.PREFERENCE,
    "AuditRecord": Sort.RECORD,
    "TreeHead": Sort.HEAD,
    "AuditTile": Sort.TILE,
    "AuditKey": Sort.KEY,
    "Tenant": Sort.TENANT,
}
#: What hands something out, or goes by what is stored already, and is given no words that it could write.
READS = frozenset(
    {
        *("close", "cypher", "edges", "get", "history", "memories", "now", "plan", "stats", "validate", "verify"),
        *("audit.check_receipt", "audit.heads", "audit.prove", "audit.prove_consistency", "audit.records"),
        *("audit.who_saw", "entities.list", "learning.plan_pruning", "learning.review"),
        *("maintenance.prepare", "maintenance.run_every", "maintenance.stop"),
        *("policy.advise_budget", "policy.compare", "policy.explain", "policy.fit"),
        *("preferences.applied", "preferences.consents", "preferences.effective", "preferences.get"),
        *("preferences.list", "privacy.budget", "privacy.match_erasure", "privacy.retention", "snapshots.list"),
    }
)
#: What an encrypted tenant refuses.
REFUSED = frozenset({"snapshots.load", "snapshots.save", "sparql"})


@pytest.fixture(autouse=True)
def keyrings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MARS_VAULTS", str(tmp_path / "vaults"))
    return tmp_path / "vaults"


class Words:
    """Words that are nowhere else."""

    def __init__(self, test: str) -> None:
        self.stem = f"zyx{sha256(test.encode()).hexdigest()[:8]}"
        self.all: set[str] = set()

    def __call__(self, what: str) -> str:
        word = f"{self.stem}{what.casefold().replace('_', '')}"
        self.all.add(word)
        return word


def payload(kind: Kind, words: Words) -> dict[str, Any]:
    """Return a payload with every field of ``kind``."""
    made: dict[str, Any] = {}
    for number, field in enumerate(PAYLOAD_FIELDS[kind]):
        text = words(f"{kind}{field.name}")
        values = {Datatype.STRING: text, Datatype.DATETIME: 1_771_234_567_891 + number, Datatype.DECIMAL: 0.731947}
        value = values[field.datatype] if field.digits is None else "0.731947000000000001"
        made[field.name] = [value] if field.many else value
    return made


class Everything:
    """Calls of every operation on one encrypted tenant."""

    def __init__(self, stores: Stores, memory: AgentMemory, folder: Path, test: str) -> None:
        self.stores, self.memory, self.folder, self.words = stores, memory, folder, Words(test)
        self.told: dict[str, marskg.Memory] = {}
        self.seen: Mapping[Sort, set[str]] = {}

    @property
    def first(self) -> str:
        return self.told["episodic"].id

    @property
    def entity(self) -> str:
        return next(one.id for one in self.memory.entities.list() if self.words("entity") in one.name.casefold())

    def remembered(self, kind: Kind, **other: Any) -> marskg.Memory:
        """Store a memory with every parameter of ``remember`` that a memory of ``kind`` may have."""
        words = self.words
        task = kind is Kind.TASK
        given: dict[str, Any] = {
            "content": f"The {words(f'{kind}content')} of {words('subject')}",
            "kind": kind.value,
            "payload": payload(kind, words),
            "key": words(f"{kind}key") if kind is Kind.SEMANTIC else None,
            "cardinality": "single" if kind is Kind.SEMANTIC else None,
            "session": words("session"),
            "subjects": [words("subject")],
            "derives_from": [one.id for one in list(self.told.values())[:1]],
            "depends_on": (),
            "requires": [self.first] if task else (),
            "contradicts": (),
            "attaches_to_goal": (),
            "edges": (),
            "mentions": [marskg.EntityRef(words("entity"), "person", (words("alias"),), (f"urn:x:{words('sameas')}",))],
            "at": None,
            "valid_to": None,
            "ttl": None,
            "expires_at": self.memory.now() + 10**11,
            "sensitivity": 0.4,
            "memory_class": None,
            "intent_tags": [words("intenttag")],
            "metadata": {words("metaname"): [words("metavalue")]},
            "source_type": "chat_user",
            "source_ref": words("sourceref"),
            "reliability": 0.9,
            "purpose": (),
            "jurisdiction": None,
            "use_bound": False,
            "session_bound": False,
            "status": "open" if task else None,
            "priority": 1 if task else None,
            "deadline": None,
            "pin": False,
            "keep": False,
            "id": None,
        }
        wanted = set(inspect.signature(AgentMemory.remember).parameters) - {"self"}
        assert set(given) == wanted, "say here what a new parameter of remember is given"
        return self.memory.remember(**{**given, **other})

    def remember(self) -> None:
        for kind in Kind:
            self.told[kind.value] = self.remembered(kind)

    def remember_many(self) -> None:
        words = self.words
        drafts = [
            marskg.Draft(
                ref=words(f"draft{kind}"),
                kind=kind,
                content=f"Many {words(f'drafted{kind}')}",
                at=self.memory.now(),
                payload=payload(kind, words),
                session=words("draftsession"),
                subjects=(words("draftsubject"),),
                source_ref=words("draftsource"),
                intent_tags=(words("drafttag"),),
                metadata={words("draftmeta"): True},
                sensitivity=0.5,
                sensitivity_reasons=(f"topic: {words('reason')}",),
                mentions=(marskg.EntityRef(words("draftentity")),),
            )
            for kind in Kind
        ]
        self.memory.remember_many(drafts)

    def load(self) -> None:
        other = self.stores.open(encryption="subjects", sensitivity__assess="off", seed="another")
        Everything(self.stores, other, self.folder, "another").remembered_as(self.words)
        other.export(self.folder / "load.jsonld")
        text = (self.folder / "load.jsonld").read_text().replace(other.tenant, self.memory.tenant)
        (self.folder / "load.jsonld").write_text(text)
        self.memory.load(self.folder / "load.jsonld")

    def remembered_as(self, words: Words) -> None:
        """Store a memory with the words of another one."""
        self.words = words
        self.remembered(Kind.EPISODIC, content=f"Loaded {words('loaded')}", session=words("loadedsession"))

    def feedback(self) -> None:
        words = self.words
        hits = self.memory.retrieve(words("episodiccontent"), k=3, token_budget=500, conversation=words("conversation"))
        assert hits.id is not None
        self.memory.feedback(
            hits.id,
            answer=f"It is {words('answer')}",
            question=words("question"),
            complaint=f"stop mentioning {words('complaint')}",
        )

    def learning(self) -> None:
        """Read facts out of turns, end one of them, and take a reading back."""
        memory, words = self.memory, self.words

        def told(text: str) -> Learned:
            said = {"content": text, "speaker": words("speaker"), "session": words("talk"), "timestamp": memory.now()}
            found = memory.learn([said], extractor=Reader())
            assert isinstance(found, Learned)
            return found

        told(f"home: {words('learnedhome')}")
        told(f"likes: {words('learnedtaste')}")
        told(f"end: {words('learnedtaste')}")
        memory.learning.undo(told(f"likes: {words('undone')}").call)
        memory.learning.read_backlog()
        with chat_server() as server:
            server.model = lambda _: {"facts": [], "thought": words("thought")}
            chosen = {"models.extract": f"openai:m@{server.url}", "models.encrypted": True}
            memory.settings.set(None, {**chosen, "models.max_sensitivity": 1.0})
            memory.learn([{"content": f"Ask about {words('asked')}", "timestamp": memory.now()}])
            assert server.requests
        memory.settings.set(None, {"models.extract": "none"})

    def preferences(self) -> None:
        """Set a preference of every rule."""
        words, rules = self.words, self.memory.preferences
        person = words("preferring")
        targets: Mapping[str, dict[str, Any]] = {
            "retention": {"target": "episodic", "horizon": "30d"},
            "opt_out_kind": {"target": "social"},
            "opt_out_source": {"target": "doc"},
            "opt_out_purpose": {"target": words("purposetarget")},
            "private_entity": {"target": words("privateentity"), "label": words("rulelabel")},
            "blacklisted_entity": {"target": f"Of {words('blacklisted')}"},
            "blacklisted_conversation": {"target": words("blacklistedsession")},
            "consent": {"target": words("consentpurpose")},
            "consent_required": {"target": words("neededpurpose")},
            "social_horizon": {"horizon": "30d"},
            "sensitivity_ceiling": {"target": "health", "level": 0.4},
            "reading_regions": {"target": "US", "regions": ["EU"]},
            "erasure_deadline": {"horizon": "30d"},
            "member_of": {"target": words("department")},
        }
        assert set(targets) == {rule.value for rule in PreferenceRule}, "say here what a new rule is given"
        for rule, given in targets.items():
            own = rule in {"reading_regions", "erasure_deadline", "consent_required", "sensitivity_ceiling"}
            whom: dict[str, Any] = {"department": words("ofdepartment")} if own else {"subject": person}
            rules.set(rule, **given, **whom)
        rules.consent(person, words("otherpurpose"))
        rules.withdraw(person, words("consentpurpose"))
        rules.apply("gdpr", department=words("templated"))
        rules.unapply("gdpr", department=words("templated"))
        listed = self.folder / "rules.yaml"
        listed.write_text(f"preferences:\n- {{rule: private_entity, target: {words('filed')}, subject: {person}}}\n")
        rules.load(listed)
        found = rules.list(subject=person)
        rules.get(found[0].id)
        rules.remove(found[0].id)
        rules.applied()

    def entities(self) -> None:
        """Change names and what they stand in."""
        memory, words = self.memory, self.words
        one = self.entity
        other = memory.entities.mention(self.first, words("mentioned")).id
        memory.entities.add_alias(one, words("secondalias"))
        memory.entities.remove_alias(one, words("secondalias"))
        memory.entities.rename(other, words("renamed"))
        memory.entities.retype(other, "organisation")
        memory.entities.relate(one, "worksAt", other)
        memory.entities.unrelate(one, "worksAt", other)
        memory.entities.merge(one, other)
        third = memory.entities.mention(self.first, words("third")).id
        memory.entities.unmention(self.first, third)

    def summarising(self) -> None:
        """Let a policy write summaries."""
        memory, words = self.memory, self.words
        for day in range(6):
            memory.remember(
                f"On day {day} the {words('tomatoes')} behind the house were watered. It was {20 + day} degrees then.",
                session=words("gardening"),
                memory_class="canonical",
                subjects=[words("gardener")],
            )
        plan = memory.plan(policy="reflection-summary", budget=memory.weight * 8 // 10)
        assert plan.summaries
        memory.forget(plan)

    def graph(self) -> None:
        """Change memories and the edges between them."""
        memory, words, told = self.memory, self.words, self.told
        memory.link(told["social"].id, "contradicts", told["semantic"].id)
        memory.unlink(told["social"].id, "contradicts", told["semantic"].id)
        memory.policy.pin(self.first)
        memory.policy.unpin(self.first)
        memory.learning.affirm(told["semantic"].id)
        memory.tasks.amend(told["task"].id, priority=3)
        memory.update(self.first, f"Now {words('updated')} of {words('subject')}")
        memory.remember(f"Keyed {words('keyed')}", kind="semantic", key=words("retracted"), subjects=[words("subject")])
        memory.retract(words("retracted"), subjects=[words("subject")])
        memory.learning.conflicts(resolve="flag")

    def reading(self) -> None:
        """Read by every door that is asked with words, and record it."""
        memory, words = self.memory, self.words
        memory.control.set_goal(f"find {words('goal')}")
        memory.retrieve(words("query"), k=3, token_budget=300)
        memory.recall(entity=words("alias"), token_budget=300)
        memory.read_all(key_prefix=words("prefix"), token_budget=300)
        memory.profile(words("profiled"), token_budget=300)
        memory.profile(words("subject"), token_budget=300)
        memory.control.record_access([self.told["social"].id], purpose=words("purpose"))
        memory.privacy.redact(f"say {words('redacted')} to {words('entity')}", hold=True)
        memory.explain(self.told["social"].id)
        memory.privacy.report(words("subject"))
        memory.learning.wish(f"remember more about {words('wish')}", subject=words("subject"))
        memory.audit.receipt(self.told["social"].id)
        with memory.privacy.private_mode(keep=True) as private:
            private.remember(f"Between us {words('private')}", subjects=[words("subject")])
            private.retrieve(words("privatequery"))
        memory.privacy.grant("reader:bot?ceiling=0.1", ceiling=0.3, subjects=[words("granted")])
        reader = self.stores.open_as(memory, f"subject:{words('subject')}")
        list(reader.retrieve(words("readerquery"), k=3, token_budget=300))

    def forgetting(self) -> None:
        """Forget, by every way that there is."""
        memory, words = self.memory, self.words
        memory.settings.set(None, {"policy.review": "all"})
        for number in range(3):
            memory.remember(f"Aside {words(f'aside{number}')}", kind="semantic", subjects=[words("aside")])
        # What is protected weighs 60 to 75 tokens: the words are random, and so is their weight.
        memory.forget(memory.plan(policy="lru", budget=100))
        aside = [entry.id for entry in memory.learning.review().quarantined]
        memory.restore(aside[0])
        memory.learning.accept(aside[1])
        memory.learning.reject(aside[2])
        memory.settings.set(None, {"policy.review": "off"})
        memory.privacy.forget(budget=memory.weight - 5)
        memory.maintenance.end_session(words("draftsession"))
        memory.maintenance.expire()
        memory.maintain()
        memory.settings.set(None, {"sensitivity.assess": "on"})
        memory.maintenance.rescore()
        memory.maintenance.reweigh()
        memory.erase(subject=words("nobody"))
        memory.erase(session=words("nosession"))
        memory.erase(source=words("nosource"))
        memory.erase(entity=words("noentity"))
        memory.erase(subject=words("draftsubject"))
        memory.erase(source=words("sourceref"))
        if self.stores.engine.name == "arcadedb":
            memory.maintenance.scrub()

    def keeping(self) -> None:
        """Change what is about the tenant as a whole."""
        memory = self.memory
        memory.maintenance.confirm_clock()
        memory.audit.rotate_key()
        memory.settings.set_budget(9_000)
        memory.audit.replace_key()
        memory.audit.seal(before=memory.now())
        memory.audit.sign_head()
        memory.audit.sign_heads()
        memory.maintenance.reembed("static")
        other = self.stores.open(lean__shared=True, seed="shared")
        memory.settings.subscribe(other.tenant)
        memory.settings.unsubscribe(other.tenant)
        memory.export(self.folder / "out.jsonld")


STEPS = (
    *(
        "remember",
        "remember_many",
        "load",
        "feedback",
        "entities",
        "graph",
        "learning",
        "reading",
        "summarising",
        "keeping",
    ),
    *("preferences", "forgetting"),
)


@pytest.fixture
def used(stores: Stores, tmp_path: Path, request: pytest.FixtureRequest) -> Everything:
    """Return a tenant after every operation."""
    memory = stores.open(encryption="subjects", entities__recognise="on", sensitivity__assess="off")
    every = Everything(stores, memory, tmp_path, request.node.nodeid)
    seen: dict[Sort, set[str]] = defaultdict(set)
    for step in STEPS:
        getattr(every, step)()
        for sort, node in nodes(stores, memory.tenant):
            check(sort, node)
            seen[sort] |= {name for name, value in node.items() if hidden(value)}
    every.seen = seen
    return every


def nodes(stores: Stores, tenant: str) -> Iterator[tuple[Sort, dict[str, Any]]]:
    """Yield the nodes and edges of a tenant as they lie in the store, by their sorts."""
    given = {"tenant": tenant, "low": f"{tenant}|"}
    where = "n.ref = $tenant OR n.ref STARTS WITH $low"
    for row in stores.engine.read(f"MATCH (n) WHERE {where} RETURN labels(n) AS labels, properties(n) AS node", given):
        (label,) = {label for label in row["labels"] if label in {*SORTS, "Suppression", "Snapshot", "VectorPoint"}}
        if label == "Suppression":
            assert set(row["node"]) == {"ref"}, "a keyed digest"
            continue
        yield SORTS[label], {name: value for name, value in row["node"].items() if name[0] != "@"}
    text = "MATCH (n)-[e]->() WHERE n.ref STARTS WITH $low RETURN properties(e) AS edge"
    for row in stores.engine.read(text, given):
        yield Sort.EDGE, {name: value for name, value in row["edge"].items() if name[0] != "@"}


def hidden(value: object) -> bool:
    """Return whether there is something in a property: an envelope, or a digest."""
    return value is not None and value not in ([""], ["", ""])


def check(sort: Sort, node: Mapping[str, Any]) -> None:
    """Hold what is stored against the table."""
    known = classes(sort)
    # The logs begin before there is a key, with who created the tenant and the key that signs.
    first = sort is Sort.RECORD and node["sequence"] == 1
    for name, value in node.items():
        assert name in known, f"{name} of a node ({sort}) has no class"
        assert known[name] is not Protection.REFUSED
        if known[name] is Protection.ENCRYPTED and hidden(value) and not first:
            text = value[0] if isinstance(value, list) else value
            assert is_envelope(text) or not any(value), f"{name} of a node ({sort}) is no envelope"
            assert field_of(text) in {name, ""}


def test_no_operation_leaves_a_word_in_clear(used: Everything, files: Path, keyrings: Path) -> None:
    words = used.words
    assert len(words.all) > 80
    assert residue(files, words.all, stem=words.stem) == []
    assert residue(keyrings, words.all, stem=words.stem) == []
    assert residue(used.folder, [words("loaded")]) != [], "the export is in clear, as it was asked for"
    assert {finding.code for finding in used.memory.verify().findings} == {"lost-key"}, "as one was replaced"
    assert used.memory.validate(full=True).ok


def test_every_encrypted_property_was_written(used: Everything) -> None:
    for sort in SORTS.values():
        wanted = of_class(sort, Protection.ENCRYPTED) | of_class(sort, Protection.DIGEST)
        missing = sorted(wanted - used.seen[sort])
        assert missing == [], f"no operation here writes them of a node ({sort})"


def test_every_operation_is_called() -> None:
    calls = inspect.getsource(Everything)
    names = {one.name for one in operations() if one.name != "open" and "private_mode()" not in one.name}
    called = {name for name in names if f".{name.removeprefix('preferences.')}(" in calls}
    missing = names - called - READS - REFUSED
    assert missing == set(), "call them above, or say that they write nothing of what they are given"
    assert not (READS | REFUSED) - names
