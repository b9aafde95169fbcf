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
    InvalidConfig,
    InvalidDocument,
    InvalidInput,
    InvalidMemory,
    InvariantError,
    KeyUnusable,
    MarsError,
    MemoryTooLarge,
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
    from marskg.api.opening import open  # noqa: A004 - the name that interfaces.md fixes
    from marskg.api.private_mode import PrivateMode
    from marskg.config import Settings
    from marskg.drafts import Draft, EntityRef
    from marskg.erasure.processing_receipts import ProcessingReceipt
    from marskg.erasure.receipts import Receipt
    from marskg.erasure.request import Matched
    from marskg.given_time import Moment
    from marskg.memory import AgentMemory
    from marskg.privacy.disclosures.disclosure_log import Sightings
    from marskg.privacy.grants import Grant
    from marskg.privacy.principals import Principal
    from marskg.privacy.report.forms import SubjectReport
    from marskg.records import Action, AuditRecord, Edge, Entity, Finding, Memory, Plan, Preference, Report, TreeHead
    from marskg.retrieval.assembly.context_window import ContextWindow
    from marskg.retrieval.assembly.hits import Hit, Hits
    from marskg.store.commit.snapshot_register import SnapshotFile

_LATER = {
    **dict.fromkeys(
        ("Action", "AuditRecord", "Edge", "Entity", "Finding", "Memory", "Plan", "Preference", "Report", "TreeHead"),
        "marskg.records",
    ),
    "AgentMemory": "marskg.memory",
    **dict.fromkeys(("AsyncMemory", "AsyncPrivateMode", "aopen"), "marskg.api.awaited.facade"),
    "ContextWindow": "marskg.retrieval.assembly.context_window",
    "Draft": "marskg.drafts",
    "EntityRef": "marskg.drafts",
    "Grant": "marskg.privacy.grants",
    "Hit": "marskg.retrieval.assembly.hits",
    "Hits": "marskg.retrieval.assembly.hits",
    "Matched": "marskg.erasure.request",
    "Moment": "marskg.given_time",
    "ProcessingReceipt": "marskg.erasure.processing_receipts",
    "Principal": "marskg.privacy.principals",
    "PrivateMode": "marskg.api.private_mode",
    "Receipt": "marskg.erasure.receipts",
    "Settings": "marskg.config",
    "Sightings": "marskg.privacy.disclosures.disclosure_log",
    "SnapshotFile": "marskg.store.commit.snapshot_register",
    "SubjectReport": "marskg.privacy.report.forms",
    "open": "marskg.api.opening",
}

__version__ = "0.1.0"

__all__ = [
    "Action",
    "AgentMemory",
    "AsyncMemory",
    "AsyncPrivateMode",
    "AuditRecord",
    "AuditVerificationFailed",
    "BudgetInfeasible",
    "ClockJump",
    "ClosureViolation",
    "ConsentRequired",
    "ContextWindow",
    "CycleError",
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
    "Finding",
    "ForkedProcess",
    "Grant",
    "Hit",
    "Hits",
    "InvalidConfig",
    "InvalidDocument",
    "InvalidInput",
    "InvalidMemory",
    "InvariantError",
    "KeyUnusable",
    "MarsError",
    "Matched",
    "Memory",
    "MemoryTooLarge",
    "Moment",
    "NotPermitted",
    "OutcomeUnknown",
    "Plan",
    "Preference",
    "PreferenceRefused",
    "Principal",
    "PrivacyBudgetExhausted",
    "PrivateMode",
    "ProbingRefused",
    "ProcessingReceipt",
    "QueryRefused",
    "Receipt",
    "Report",
    "Settings",
    "Sightings",
    "SnapshotFile",
    "StalePlan",
    "StoreDamaged",
    "StoreLocked",
    "StoreTooNew",
    "StoreUnwritable",
    "SubjectReport",
    "TaskSafetyViolation",
    "TreeHead",
    "UnknownMemory",
    "aopen",
    "open",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - PEP 562
    """Load the facade and its engines only when they are used: errors import in milliseconds."""
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
