"""The types of the awaitable facade; made by ``scripts/awaited_stub.py`` from the source: change that."""

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Unpack

from marskg.api.arguments import AuditNumber, Count, Json, Milliseconds, Rank, ReadPath, Seconds, Seed, Share, Tokens
from marskg.api.awaited.objects import Awaited, AwaitedMemory, AwaitedPrivateMode, Opening
from marskg.api.checks import ConsistencyProof, InclusionProof
from marskg.api.reading import AllFilters, ReaderFilters, ScopeFilters
from marskg.clock import Clock, Source
from marskg.config import Settings
from marskg.drafts import Draft, EntityRef
from marskg.erasure.processing_receipts import ProcessingReceipt
from marskg.erasure.receipts import Receipt
from marskg.erasure.request import Matched
from marskg.exporters.queries.runner import QueryResult
from marskg.exporters.rdf.writer import Counts
from marskg.extraction.proposal import Extractor
from marskg.given_time import GivenTime
from marskg.learning.conflicts import FoundConflict
from marskg.learning.feedback import Feedback
from marskg.learning.from_text.plan import Learned, LearnPlan
from marskg.learning.from_text.undo import Undone
from marskg.learning.housekeeping.cycle import Upkeep
from marskg.learning.learner import Decision, ReviewList
from marskg.learning.theta import PolicyFit
from marskg.learning.wishes import StoredWish
from marskg.policies.advisor import Advice
from marskg.policies.builtin.private import Balance
from marskg.policies.comparison import Comparison
from marskg.privacy.disclosures.disclosure_log import Sightings
from marskg.privacy.grants import Grant
from marskg.privacy.preferences import Change
from marskg.privacy.principals import Principal
from marskg.privacy.redaction import Redaction
from marskg.privacy.report.forms import SubjectReport
from marskg.privacy.retention import Retention
from marskg.privacy.strictness import Profile
from marskg.records import AuditRecord, Edge, Entity, Memory, Plan, Preference, Report, Stored, TreeHead
from marskg.retrieval.assembly.hits import Hits
from marskg.retrieval.complete.exhaustive_read import Everything
from marskg.retrieval.complete.subject_profile import SubjectProfile
from marskg.retrieval.explain import Explanation
from marskg.store.commit.snapshot_register import SnapshotFile
from marskg.store.tenant.opening import Opened
from marskg.store.unit.preference_rules import PreferenceSet
from marskg.store.upkeep.maintenance import Stats
from marskg.store.upkeep.reweigh import Reweighed
from marskg.store.upkeep.seal import Sealed

__all__ = [
    "AsyncAudit",
    "AsyncControl",
    "AsyncEntities",
    "AsyncLearning",
    "AsyncMaintenance",
    "AsyncMemory",
    "AsyncPolicy",
    "AsyncPreferences",
    "AsyncPrivacy",
    "AsyncPrivateMode",
    "AsyncSnapshots",
    "AsyncTasks",
    "AsyncTenantSettings",
    "Opening",
    "aopen",
]

class AsyncPrivateMode(AwaitedPrivateMode):
    @property
    def session(self) -> str | None:
        """Return the session that holds what is kept for now; None where nothing is kept."""
    @property
    def until(self) -> int:
        """Return when the mode is over, epoch milliseconds; 0 once it is."""
    async def close(self) -> int:
        """End the mode: what was kept for it goes, with all that depends on it; returns how many memories that were."""
    async def explain(self, id: str, **asked: Any) -> Explanation:
        """Return why a memory is as it is; see :meth:`AgentMemory.explain`."""
    async def get(self, id: str) -> Memory | None:
        """Return a memory by id; see :meth:`AgentMemory.get`."""
    async def history(self, id: str) -> list[Memory]:
        """Return the versions of a memory; see :meth:`AgentMemory.history`."""
    async def profile(self, subject: str | None = None, **asked: Any) -> SubjectProfile:
        """Return who somebody is; see :meth:`AgentMemory.profile`."""
    async def read_all(self, **asked: Any) -> Everything:
        """Return all of a key, a period, an entity or a goal; see :meth:`AgentMemory.read_all`."""
    async def recall(self, entity: str | None = None, **asked: Any) -> Hits:
        """Return what surrounds an entity or a goal; see :meth:`AgentMemory.recall`."""
    async def remember(self, content: str, **fields: Any) -> Memory:
        """Store a memory for the rest of the mode; ``fields`` are those of :meth:`AgentMemory.remember`."""
    async def retrieve(self, query: str, **asked: Any) -> Hits:
        """Return what answers ``query``; see :meth:`AgentMemory.retrieve`."""

class AsyncPreferences(Awaited):
    async def preference_set(self) -> PreferenceSet:
        """Return all preferences, ready to be asked: what is refused, forced, consented to, and may be read."""
    async def applied(self) -> tuple[tuple[str, str | None], ...]:
        """Return the templates that are applied, each with its department, None for the whole tenant."""
    async def apply(self, template: str, *, department: str | None = None, dry_run: bool = False) -> Change:
        """Set the rules of a jurisdiction's template for a department, or the whole tenant, in one transaction."""
    async def consent(
        self,
        subject: str,
        purpose: str | None = None,
        *,
        until: GivenTime | None = None,
        dry_run: bool = False,
    ) -> Change:
        """Record that ``subject`` consents to a purpose, or to any, until a time if it ends."""
    async def consents(self, subject: str, purpose: str | None = None, *, at: GivenTime | None = None) -> bool:
        """Return whether ``subject`` consents to ``purpose`` now, or at a time."""
    async def effective(self, *, subject: str | None = None, department: str | None = None) -> Profile:
        """Return what all rules come to together for a subject, a department, or where neither is given, for all."""
    async def get(self, preference_id: str) -> Preference:
        """Return one preference."""
    async def list(
        self,
        *,
        subject: str | None = None,
        department: str | None = None,
        rule: str | None = None,
        target: str | None = None,
    ) -> tuple[Preference, ...]:
        """Return the preferences in the order in which they came, those of a subject, department or rule if given."""
    async def load(self, path: ReadPath, *, dry_run: bool = False) -> Change:
        """Set the rules of a YAML file, in one transaction; what the tenant has besides stays."""
    async def remove(self, preference_id: str, *, dry_run: bool = False) -> Change:
        """Remove one preference; what it forced on memories is taken back, what it took away is gone."""
    async def set(
        self,
        rule: str,
        target: str | None = None,
        *,
        label: str | None = None,
        subject: str | None = None,
        department: str | None = None,
        horizon: str | Milliseconds | None = None,
        level: Share | None = None,
        regions: Iterable[str] | None = None,
        dry_run: bool = False,
    ) -> Change:
        """Set one rule for a subject, for a department, or where neither is given, for the whole tenant."""
    async def unapply(self, template: str, *, department: str | None = None, dry_run: bool = False) -> Change:
        """Remove the rules that a template set for a department, or the whole tenant."""
    async def withdraw(self, subject: str, purpose: str | None = None, *, dry_run: bool = False) -> Change:
        """Withdraw the consent of ``subject`` to a purpose, or all of their consents; it acts at once."""

class AsyncTasks(Awaited):
    async def amend(
        self,
        id: str,
        *,
        status: str | None = None,
        priority: Rank | None = None,
        deadline: GivenTime | None = None,
    ) -> Memory:
        """Change a task's status, priority or deadline; what is left out stays."""

class AsyncSnapshots(Awaited):
    async def list(self) -> tuple[SnapshotFile, ...]:
        """Return the snapshots that :meth:`save` wrote and that are not known to be gone, by their paths."""
    async def load(self, path: ReadPath) -> int:
        """Put the tenant back exactly as a checkpoint holds it; returns the number of memories."""
    async def save(self, path: str | Path) -> dict[str, int]:
        """Write a binary checkpoint of the tenant; returns the number of rows of each section."""

class AsyncTenantSettings(Awaited):
    async def current(self) -> Settings:
        """Return the settings as they are now; what is returned does not change with them."""
    async def subscriptions(self) -> tuple[str, ...]:
        """Return the shared tenants that are read as well."""
    async def set(self, settings: Settings | None, values: Mapping[str, Any]) -> None:
        """Change the settings: to all of ``settings`` if given, then single ``values`` by dotted name."""
    async def set_budget(self, budget: Tokens) -> None:
        """Change the tenant's budget, in tokens; a lower one forgets by the tenant's policy in the same transaction."""
    async def subscribe(self, tenant: str) -> tuple[str, ...]:
        """Read a shared tenant of common knowledge as well, in every retrieval, recall and full reading."""
    async def unsubscribe(self, tenant: str) -> tuple[str, ...]:
        """Read a shared tenant no more; returns the subscriptions that are left."""

class AsyncPrivacy(Awaited):
    async def budget(self) -> Balance:
        """Return what differential privacy has cost so far and what is left: the tenant's, and of each conversation."""
    async def forget(self, *, budget: Tokens | None = None, strict: bool = False) -> Plan:
        """Bring the tenant down to ``budget`` by the policy ``private``, at once; returns what was done."""
    async def grant(
        self,
        to: str | Principal,
        *,
        ceiling: Share,
        lasts: str = "10m",
        calls: Count | None = 1,
        subjects: Iterable[str] | str | None = None,
    ) -> Grant:
        """Let a principal read above their ceiling, for a while and for some calls; each reading is recorded."""
    async def match_erasure(
        self,
        *,
        subject: str | None = None,
        id: str | None = None,
        entity: str | None = None,
        session: str | None = None,
        source: str | None = None,
    ) -> Matched:
        """Return what ``mem.erase`` would be about: ids, and of an entity the spellings that were found."""
    def private_mode(self, lasts: str = "30m", *, keep: bool = False) -> Opening[AsyncPrivateMode]:
        """Return this memory in private mode: it answers as ever and stores nothing, for a while."""
    async def redact(
        self,
        text: str,
        *,
        max_sensitivity: Share | None = None,
        purpose: str | None = None,
        jurisdiction: str | None = None,
        hold: bool = False,
    ) -> Redaction:
        """Return a text, such as an agent's answer, as a reader may get it; nothing is stored."""
    async def report(self, subject: str, *, shared: bool = False, purpose: str | None = None) -> SubjectReport:
        """Return all that is held about a subject, to be given to them (GDPR Art. 15), and record that it was."""
    async def retention(self, memory_class: str, older_than: str) -> Retention:
        """Return what is left of a class that is older than a duration such as ``30d``, in any tier."""

class AsyncPolicy(Awaited):
    async def advise_budget(self, *, rate: Share = 0.9, policy: str | None = None, recent: str = "30d") -> Advice:
        """Return the smallest budget that would have kept a share of what was shown recently; nothing is changed."""
    async def compare(
        self,
        policies: Iterable[str] | str,
        *,
        budget: Tokens | None = None,
        questions: Iterable[str] = (),
    ) -> Comparison:
        """Return what each of ``policies`` would forget, side by side; nothing is changed, nor recorded as shown."""
    async def explain(self) -> dict[str, Any]:
        """Return what decides about forgetting now: policy, shares of kinds, budgets of users, tier, bandit's arms."""
    async def fit(self) -> PolicyFit:
        """Return theta as logged outcomes of retrievals teach it, with how well it does; nothing is changed."""
    async def pin(self, id: str) -> Memory:
        """Protect a memory, and what it depends on, from every policy."""
    async def unpin(self, id: str) -> Memory:
        """Stop protecting a memory."""

class AsyncMaintenance(Awaited):
    async def confirm_clock(self) -> None:
        """Say that the clock is right after a jump: expiry goes on, and the store's time is the clock's (section 10)."""
    async def end_session(self, session: str) -> int:
        """Say that a conversation is over: what was bound to it goes, with all that depends on it."""
    async def expire(self) -> int:
        """Remove now what has expired; returns how many memories lost their content."""
    async def prepare(self, *, progress: Callable[[int], None] | None = None) -> int:
        """Read what retrieval answers from, which the first question would wait for; returns how much there is."""
    async def reembed(self, model: str | None = None, *, progress: Callable[[int], None] | None = None) -> int:
        """Make the vectors of all memories with another model, or those that are missing; returns how many were made."""
    async def rescore(self, *, progress: Callable[[int], None] | None = None) -> int:
        """Measure anew how sensitive what is stored is; returns how many memories changed, each of them recorded."""
    async def reweigh(self, *, dry_run: bool = False, progress: Callable[[int], None] | None = None) -> Reweighed:
        """Weigh again what a version before weighed by another rule; :func:`marskg.open` does it by itself."""
    async def run_every(self, interval: str) -> None:
        """Do ``mem.maintain`` in the background every ``interval`` such as ``"1h"``, until the memory is closed."""
    async def scrub(self) -> None:
        """Rewrite the store's files now, so that nothing is in them that is not in the store."""
    async def stop(self) -> None:
        """Do nothing in the background any more; waits for what is under way in the store, and for no model."""

class AsyncLearning(Awaited):
    async def accept(self, id: str) -> Decision:
        """Do what :meth:`review` proposes: the newer one of a conflict holds, what has faded or is in quarantine goes."""
    async def affirm(self, id: str) -> Memory:
        """Confirm a memory although what it depends on was superseded."""
    async def conflicts(self, *, since: AuditNumber = 0, resolve: str | None = None) -> tuple[FoundConflict, ...]:
        """Return the conflicts between current memories, and act on them if asked to."""
    async def plan_pruning(self) -> Plan:
        """Return the plan that takes what has faded; ``mem.forget`` applies it. Nothing is changed."""
    async def read_backlog(self, *, progress: Callable[[int], None] | None = None) -> Learned:
        """Read the turns that are stored and were not read yet, in the order in which they were said."""
    async def reject(self, id: str) -> Decision:
        """Refuse what :meth:`review` proposes for a memory: it is no conflict, or is kept with a higher score."""
    async def review(self) -> ReviewList:
        """Return what waits for a person: conflicts, what nearly faded, what is in quarantine; and what has faded."""
    async def undo(self, call: str) -> Undone:
        """End all that a call of ``mem.learn``, a rule or a model made; what it had superseded or ended holds again."""
    async def wish(self, text: str, *, subject: str | None = None, dry_run: bool = False) -> tuple[StoredWish, ...]:
        """Keep what a user wishes about remembering; it acts on ranks, starting scores and lives from now on."""

class AsyncEntities(Awaited):
    async def add_alias(self, id: str, alias: str) -> Entity:
        """Let an entity be found by another name."""
    def list(self) -> AsyncGenerator[Entity, None]:
        """Yield every entity of the tenant."""
    async def mention(self, memory_id: str, name: str) -> Entity:
        """Say that a memory mentions the entity of this name, alias, id or IRI, which is made where none has the name."""
    async def merge(self, keep: str, other: str) -> Entity:
        """Let the entity ``keep`` take over names, mentions and relations of ``other``, which goes."""
    async def relate(self, source: str, type: str, target: str) -> Entity:
        """Draw an edge such as ``worksAt`` from one entity to another."""
    async def remove_alias(self, id: str, alias: str) -> Entity:
        """Let an entity no longer be found by an alias."""
    async def rename(self, id: str, name: str) -> Entity:
        """Give an entity another name; the old one stays as an alias."""
    async def retype(self, id: str, type: str | None) -> Entity:
        """Say what an entity is: ``person``, ``place``, ``organisation``, ``work``, ``event``, ``time``, ``thing``."""
    async def unmention(self, memory_id: str, entity_id: str) -> Memory:
        """Say that a memory does not mention an entity; with its last mention the entity goes."""
    async def unrelate(self, source: str, type: str, target: str) -> Entity:
        """Remove an edge between two entities."""

class AsyncControl(Awaited):
    async def record_access(self, ids: Iterable[str] | str, *, purpose: str | None = None) -> int:
        """Record that memories were shown otherwise than by a retrieval; what is use-bound goes."""
    async def set_goal(self, text: str | None) -> None:
        """Let policies that go by features keep what is similar to ``text``, in the place of the active tasks."""

class AsyncAudit(Awaited):
    async def check_receipt(self, document: Mapping[str, Json]) -> Report:
        """Check a receipt of an erasure or of processing: its signature, its key, and that the log says the same."""
    async def heads(self) -> list[TreeHead]:
        """Return the signed tree heads of the transition log, smallest first."""
    async def prove(self, sequence: AuditNumber) -> InclusionProof:
        """Return the inclusion proof of a record in the tree of the newest signed head (RFC 9162 section 2.1.3)."""
    async def prove_consistency(self, size: Count) -> ConsistencyProof:
        """Return the proof that the log still begins with the first ``size`` records (RFC 9162 section 2.1.4)."""
    async def receipt(self, what: str | AuditNumber) -> ProcessingReceipt:
        """Return a signed receipt of what was done with a memory, by its id, or by one record, by its number."""
    def records(self, *, log: str = "transitions", first: AuditNumber = 1) -> AsyncGenerator[AuditRecord, None]:
        """Yield the signed records of a log."""
    async def replace_key(self) -> str:
        """Sign with a new key that announces itself because the old one is lost; ``verify`` reports it for ever."""
    async def rotate_key(self) -> str:
        """Sign with a new key from now on, announced by the old one in both logs; returns the new public key."""
    async def seal(
        self,
        *,
        sequence: AuditNumber | None = None,
        before: GivenTime | None = None,
        dry_run: bool = False,
    ) -> Sealed:
        """Let the details of old audit records go; their signed cores and proofs stay, and still check."""
    async def sign_head(self) -> TreeHead:
        """Sign the Merkle tree over the transition log as it stands; publish it to be held to it."""
    async def sign_heads(self) -> list[TreeHead]:
        """Sign both logs as they stand, for a witness to keep; returns the head of each that has a record."""
    async def who_saw(self, id: str) -> Sightings:
        """Return who saw a memory, when, for which purpose and by which call, as the log of accesses tells."""

class AsyncMemory(AwaitedMemory):
    @property
    def audit(self) -> AsyncAudit: ...
    @property
    def control(self) -> AsyncControl: ...
    @property
    def entities(self) -> AsyncEntities: ...
    @property
    def learning(self) -> AsyncLearning: ...
    @property
    def maintenance(self) -> AsyncMaintenance: ...
    @property
    def policy(self) -> AsyncPolicy: ...
    @property
    def privacy(self) -> AsyncPrivacy: ...
    @property
    def settings(self) -> AsyncTenantSettings: ...
    @property
    def snapshots(self) -> AsyncSnapshots: ...
    @property
    def tasks(self) -> AsyncTasks: ...
    @property
    def preferences(self) -> AsyncPreferences: ...
    async def notices(self) -> tuple[str, ...]:
        """Return what every answer tells now, such as that expiry is suspended, and what weighing again did."""
    @property
    def principal(self) -> Principal:
        """Return who acts."""
    async def store(self) -> Opened:
        """Return what was opened: the engine, the reader, the keyring."""
    @property
    def tenant(self) -> str:
        """Return the tenant's name."""
    async def weight(self) -> int:
        """Return what the live memories weigh together, in tokens."""
    async def close(self) -> None:
        """Release the store; a second call does nothing."""
    async def cypher(
        self,
        query: str,
        parameters: Mapping[str, Json] | None = None,
        *,
        limit_seconds: Seconds = 30.0,
    ) -> QueryResult:
        """Answer a read-only Cypher query on the whole store."""
    async def edges(self, id: str) -> list[Edge]:
        """Return the edges that leave a memory; none if it does not exist."""
    async def erase(
        self,
        *,
        subject: str | None = None,
        id: str | None = None,
        entity: str | None = None,
        session: str | None = None,
        source: str | None = None,
        scrub: bool = False,
        snapshots: bool = False,
        dry_run: bool = False,
    ) -> Receipt:
        """Erase what is about a subject, mentions an entity, or comes from a session, a source or an id: one of these."""
    async def explain(
        self,
        id: str,
        *,
        max_sensitivity: Share | None = None,
        purpose: str | None = None,
        jurisdiction: str | None = None,
    ) -> Explanation:
        """Return why a memory was stored, ranked, shown, changed or forgotten, also after it is gone."""
    async def export(
        self,
        path: str | Path,
        *,
        format: str | None = None,
        audit: bool = False,
        profile: str = "full",
        progress: Callable[[int], None] | None = None,
    ) -> Counts:
        """Write the tenant as JSON-LD, N-Quads, TriG or Turtle, by suffix or ``format``; returns what was written."""
    async def feedback(
        self,
        retrieval_id: str,
        *,
        used: Iterable[str] | str = (),
        unused: Iterable[str] | str = (),
        contradicted: Iterable[str] | str = (),
        answer: str | None = None,
        question: str | None = None,
        complaint: str | None = None,
    ) -> Feedback:
        """Say what became of the memories that a retrieval showed; their scores, and proven lives, follow."""
    async def forget(self, plan: Plan) -> Plan:
        """Apply exactly that plan."""
    async def get(self, id: str) -> Memory | None:
        """Return a memory by id, its score as it is now; None for none, or one that expired or lost its content."""
    async def history(self, id: str) -> list[Memory]:
        """Return the versions of a memory, oldest first."""
    async def learn(
        self,
        turns: str | Memory | LearnPlan | Mapping[str, Any] | Iterable[str | Memory | Draft | Mapping[str, Any]],
        *,
        dry_run: bool = False,
        extractor: Extractor | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Learned | LearnPlan:
        """Store turns of a conversation, or passages of a document, and the facts that they say, each with its source."""
    async def link(self, source: str, type: str, target: str, *, weight: Share | None = None) -> Memory:
        """Draw an edge between two memories."""
    async def load(
        self,
        path: ReadPath,
        *,
        context: ReadPath | None = None,
        format: str | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Load an export, or foreign JSON-LD with its pinned ``context``; returns how many memories came back."""
    async def maintain(self, *, dry_run: bool = False) -> Upkeep:
        """Keep the tenant lean, by its settings ``lean.*``: one pass of housekeeping."""
    def memories(self, *, metadata: Mapping[Any, Any] | None = None) -> AsyncGenerator[Memory, None]:
        """Yield every memory of the tenant, tombstones included; only those with this ``metadata``, if it is given."""
    async def now(self) -> int:
        """Return the store's time: the clock, never before the last recorded time (section 10)."""
    async def plan(
        self,
        *,
        policy: str | None = None,
        budget: Tokens | None = None,
        seed: Seed | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Plan:
        """Return what a policy would do to bring the tenant down to ``budget``; nothing is changed."""
    async def profile(
        self,
        subject: str | None = None,
        *,
        token_budget: Tokens | None = None,
        **filters: Unpack[AllFilters],
    ) -> SubjectProfile:
        """Return who somebody is: what holds of them now, by sections, and record that it was shown."""
    async def read_all(
        self,
        *,
        key_prefix: str | None = None,
        since: GivenTime | None = None,
        until: GivenTime | None = None,
        entity: str | Iterable[str] | None = None,
        goal: str | Iterable[str] | None = None,
        token_budget: Tokens | None = None,
        sums: bool = False,
        **filters: Unpack[ReaderFilters],
    ) -> Everything:
        """Return all current memories of a key, a period, an entity or a goal, complete and counted."""
    async def recall(
        self,
        entity: str | None = None,
        *,
        goal: str | None = None,
        token_budget: Tokens | None = None,
        k: Count | None = None,
        social: str = "task",
        **filters: Unpack[AllFilters],
    ) -> Hits:
        """Return what surrounds an entity or a goal in the graph, nearest first, and record that it was shown."""
    async def remember(
        self,
        content: str,
        *,
        kind: str = "episodic",
        payload: Mapping[str, Any] | None = None,
        key: str | None = None,
        cardinality: str | None = None,
        session: str | None = None,
        subjects: Iterable[str] | str = (),
        derives_from: Iterable[str] | str = (),
        depends_on: Iterable[str] | str = (),
        requires: Iterable[str] | str = (),
        contradicts: Iterable[str] | str = (),
        attaches_to_goal: Iterable[str] | str = (),
        edges: Iterable[tuple[str, str]] = (),
        mentions: Iterable[str | EntityRef] = (),
        at: GivenTime | None = None,
        valid_to: GivenTime | None = None,
        ttl: str | Milliseconds | None = None,
        expires_at: GivenTime | None = None,
        sensitivity: Share | None = None,
        memory_class: str | None = None,
        intent_tags: Iterable[str] | str = (),
        metadata: Mapping[Any, Any] | None = None,
        source_type: str = "chat_user",
        source_ref: str | None = None,
        reliability: Share | None = None,
        purpose: Iterable[str] | str = (),
        jurisdiction: str | None = None,
        use_bound: bool = False,
        session_bound: bool = False,
        status: str | None = None,
        priority: Rank | None = None,
        deadline: GivenTime | None = None,
        pin: bool = False,
        keep: bool = False,
        id: str | None = None,
    ) -> Memory:
        """Store one memory and return it, making room by the tenant's policy where the budget asks for it."""
    async def remember_many(
        self,
        drafts: Iterable[Draft],
        *,
        progress: Callable[[int], None] | None = None,
        atomic: bool = False,
    ) -> Stored:
        """Store what a reader yields, some hundred in a transaction, with one policy run each; returns how many."""
    async def restore(self, id: str) -> Memory:
        """Make a latent memory live again, making room for it where needed."""
    async def retract(
        self,
        key: str,
        *,
        subjects: Iterable[str] | str = (),
        content: str | None = None,
    ) -> list[Memory]:
        """End the current value of a key, of a ``set`` the one that equals ``content``; returns what was closed."""
    async def retrieve(
        self,
        query: str,
        *,
        token_budget: Tokens | None = None,
        k: Count | None = None,
        as_of: GivenTime | None = None,
        max_sensitivity: Share | None = None,
        purpose: str | None = None,
        profile: str | None = None,
        conversation: str | None = None,
        time_zone: str | None = None,
        explain: bool = False,
        min_confidence: Share | None = None,
        **filters: Unpack[ScopeFilters],
    ) -> Hits:
        """Return the memories that answer ``query``, within ``token_budget``, and record that they were shown."""
    async def sparql(self, query: str, *, limit_seconds: Seconds = 30.0) -> QueryResult:
        """Answer a SPARQL query: SELECT, ASK, CONSTRUCT or DESCRIBE; ``sequence`` of the result is how fresh it is."""
    async def stats(self) -> Stats:
        """Return counts and weights by tier and kind, the budget and its shares, and the audit's sequence."""
    async def unlink(self, source: str, type: str, target: str) -> Memory:
        """Remove an edge between two memories."""
    async def update(self, id: str, content: str, *, metadata: Mapping[Any, Any] | None = None) -> Memory:
        """Give a memory a new text: a new node supersedes the old one, which keeps its history."""
    async def validate(self, *, full: bool = False) -> Report:
        """Validate recent changes, or with ``full`` the whole tenant, against the SHACL shapes."""
    async def verify(self, *, witness: Iterable[TreeHead] | ReadPath = ()) -> Report:
        """Verify the signed logs and that the graph is what they say; ``witness``: heads that were kept, or their file."""

def aopen(
    location: str | Path = "./memory",
    *,
    tenant: str = "default",
    budget: Tokens | None = None,
    policy: str | None = None,
    config: ReadPath | None = None,
    embedding: str | None = None,
    encryption: str | None = None,
    principal: str | Principal = "operator",
    passphrase: str | None = None,
    key: ReadPath | None = None,
    clock: Clock | None = None,
    source: Source | None = None,
    create: bool = True,
    snapshot: ReadPath | None = None,
    maintain_every: str | None = None,
    verify: bool | ReadPath = False,
    reweigh: bool = True,
) -> Opening[AsyncMemory]:
    """Open a tenant's memory, creating store, key and tenant where they do not exist."""
