"""Memory for AI agents that is governed, not just stored: the public names, nothing else.

>>> import marskg
>>> with marskg.open("./memory", tenant="alice", budget=8000) as mem:
...     mem.remember("I water the tomatoes twice a week", session="s1", subjects=["alice"])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from marskg.errors import (
    AuditVerificationFailed,
    BudgetInfeasible,
    ClockJump,
    ClosureViolation,
    ConsentRequired,
    CycleError,
    DuplicateId,
    EmbeddingMismatch,
    EmbeddingUnavailable,
    EngineUnavailable,
    EnvironmentFailure,
    ErasedContentRefused,
    ForkedProcess,
    InvalidCall,
    InvalidConfig,
    InvalidDocument,
    InvalidInput,
    InvalidMemory,
    InvariantError,
    KeyUnusable,
    MarsError,
    MemoryTooLarge,
    NotKept,
    NotPermitted,
    OutcomeUnknown,
    PreferenceRefused,
    PrivacyBudgetExhausted,
    ProbingRefused,
    QueryRefused,
    StalePlan,
    StoreDamaged,
    StoreLocked,
    StoreTooNew,
    StoreUnwritable,
    TaskSafetyViolation,
    UnknownMemory,
)

if TYPE_CHECKING:
    from marskg.api.awaited.facade import AsyncMemory, AsyncPrivateMode, aopen
    from marskg.api.checks import ConsistencyProof, InclusionProof
    from marskg.api.opening import open  # noqa: A004 - the name that interfaces.md fixes
    from marskg.api.private_mode import PrivateMode
    from marskg.config import Settings
    from marskg.drafts import Draft, EntityRef
    from marskg.erasure.processing_receipts import ProcessingReceipt
    from marskg.erasure.receipts import Receipt
    from marskg.erasure.request import Matched
    from marskg.exporters.queries.runner import QueryResult
    from marskg.exporters.rdf.writer import Counts
    from marskg.given_time import Moment
    from marskg.learning.conflicts import FoundConflict
    from marskg.learning.feedback import Feedback
    from marskg.learning.from_text.plan import Learned, LearnPlan
    from marskg.learning.from_text.undo import Undone
    from marskg.learning.housekeeping.cycle import Upkeep
    from marskg.learning.learner import Decision, ReviewList
    from marskg.learning.theta import PolicyFit
    from marskg.learning.wishes import StoredWish
    from marskg.memory import AgentMemory
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
    from marskg.records import (
        Action,
        AuditRecord,
        Edge,
        Entity,
        Finding,
        Memory,
        Plan,
        Preference,
        Report,
        Stored,
        TreeHead,
    )
    from marskg.retrieval.assembly.context_window import ContextWindow
    from marskg.retrieval.assembly.hits import Hit, Hits
    from marskg.retrieval.complete.exhaustive_read import Everything
    from marskg.retrieval.complete.subject_profile import ProfileEntry, ProfileSection, SubjectProfile
    from marskg.retrieval.explain import Explanation
    from marskg.store.commit.snapshot_register import SnapshotFile
    from marskg.store.upkeep.maintenance import Stats
    from marskg.store.upkeep.reweigh import Reweighed
    from marskg.store.upkeep.seal import Sealed

_LATER = {
    **dict.fromkeys(
        (
            "Action",
            "AuditRecord",
            "Edge",
            "Entity",
            "Finding",
            "Memory",
            "Plan",
            "Preference",
            "Report",
            "Stored",
            "TreeHead",
        ),
        "marskg.records",
    ),
    "Advice": "marskg.policies.advisor",
    "AgentMemory": "marskg.memory",
    **dict.fromkeys(("AsyncMemory", "AsyncPrivateMode", "aopen"), "marskg.api.awaited.facade"),
    "Balance": "marskg.policies.builtin.private",
    "Change": "marskg.privacy.preferences",
    "Comparison": "marskg.policies.comparison",
    "ConsistencyProof": "marskg.api.checks",
    "ContextWindow": "marskg.retrieval.assembly.context_window",
    "Counts": "marskg.exporters.rdf.writer",
    "Decision": "marskg.learning.learner",
    "Draft": "marskg.drafts",
    "EntityRef": "marskg.drafts",
    "Everything": "marskg.retrieval.complete.exhaustive_read",
    "Explanation": "marskg.retrieval.explain",
    "Feedback": "marskg.learning.feedback",
    "FoundConflict": "marskg.learning.conflicts",
    "Grant": "marskg.privacy.grants",
    "Hit": "marskg.retrieval.assembly.hits",
    "Hits": "marskg.retrieval.assembly.hits",
    "InclusionProof": "marskg.api.checks",
    "Learned": "marskg.learning.from_text.plan",
    "LearnPlan": "marskg.learning.from_text.plan",
    "Matched": "marskg.erasure.request",
    "Moment": "marskg.given_time",
    "PolicyFit": "marskg.learning.theta",
    "Principal": "marskg.privacy.principals",
    "PrivateMode": "marskg.api.private_mode",
    "ProcessingReceipt": "marskg.erasure.processing_receipts",
    "Profile": "marskg.privacy.strictness",
    "ProfileEntry": "marskg.retrieval.complete.subject_profile",
    "ProfileSection": "marskg.retrieval.complete.subject_profile",
    "QueryResult": "marskg.exporters.queries.runner",
    "Receipt": "marskg.erasure.receipts",
    "Redaction": "marskg.privacy.redaction",
    "Retention": "marskg.privacy.retention",
    "ReviewList": "marskg.learning.learner",
    "Reweighed": "marskg.store.upkeep.reweigh",
    "Sealed": "marskg.store.upkeep.seal",
    "Settings": "marskg.config",
    "Sightings": "marskg.privacy.disclosures.disclosure_log",
    "SnapshotFile": "marskg.store.commit.snapshot_register",
    "Stats": "marskg.store.upkeep.maintenance",
    "Stored": "marskg.records",
    "StoredWish": "marskg.learning.wishes",
    "SubjectProfile": "marskg.retrieval.complete.subject_profile",
    "SubjectReport": "marskg.privacy.report.forms",
    "Undone": "marskg.learning.from_text.undo",
    "Upkeep": "marskg.learning.housekeeping.cycle",
    "open": "marskg.api.opening",
}

__version__ = "0.1.0"

__all__ = [
    "Action",
    "Advice",
    "AgentMemory",
    "AsyncMemory",
    "AsyncPrivateMode",
    "AuditRecord",
    "AuditVerificationFailed",
    "Balance",
    "BudgetInfeasible",
    "Change",
    "ClockJump",
    "ClosureViolation",
    "Comparison",
    "ConsentRequired",
    "ConsistencyProof",
    "ContextWindow",
    "Counts",
    "CycleError",
    "Decision",
    "Draft",
    "DuplicateId",
    "Edge",
    "EmbeddingMismatch",
    "EmbeddingUnavailable",
    "EngineUnavailable",
    "Entity",
    "EntityRef",
    "EnvironmentFailure",
    "ErasedContentRefused",
    "Everything",
    "Explanation",
    "Feedback",
    "Finding",
    "ForkedProcess",
    "FoundConflict",
    "Grant",
    "Hit",
    "Hits",
    "InclusionProof",
    "InvalidCall",
    "InvalidConfig",
    "InvalidDocument",
    "InvalidInput",
    "InvalidMemory",
    "InvariantError",
    "KeyUnusable",
    "LearnPlan",
    "Learned",
    "MarsError",
    "Matched",
    "Memory",
    "MemoryTooLarge",
    "Moment",
    "NotKept",
    "NotPermitted",
    "OutcomeUnknown",
    "Plan",
    "PolicyFit",
    "Preference",
    "PreferenceRefused",
    "Principal",
    "PrivacyBudgetExhausted",
    "PrivateMode",
    "ProbingRefused",
    "ProcessingReceipt",
    "Profile",
    "ProfileEntry",
    "ProfileSection",
    "QueryRefused",
    "QueryResult",
    "Receipt",
    "Redaction",
    "Report",
    "Retention",
    "ReviewList",
    "Reweighed",
    "Sealed",
    "Settings",
    "Sightings",
    "SnapshotFile",
    "StalePlan",
    "Stats",
    "StoreDamaged",
    "StoreLocked",
    "StoreTooNew",
    "StoreUnwritable",
    "Stored",
    "StoredWish",
    "SubjectProfile",
    "SubjectReport",
    "TaskSafetyViolation",
    "TreeHead",
    "Undone",
    "UnknownMemory",
    "Upkeep",
    "aopen",
    "open",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - PEP 562
    """Load the facade and its engines only when they are used: errors import in milliseconds."""
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    from marskg.meant import missing_attribute  # noqa: PLC0415 - what is there needs none of it

    owner = f"module {__name__!r}"
    raise missing_attribute(owner, name, lambda: {one: one for one in __dir__()})


def __dir__() -> list[str]:
    """Return what there is."""
    return sorted([*__all__, "__version__"])
