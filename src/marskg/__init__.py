"""Memory for AI agents that is governed, not just stored: the public names, nothing else.

>>> import marskg
>>> with marskg.open("./memory", tenant="alice", budget=8000) as mem:
...     mem.remember("I water the tomatoes twice a week", session="s1", subjects=["alice"])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from marskg.config import Settings
from marskg.drafts import Draft, EntityRef
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
    InvalidConfig,
    InvalidDocument,
    InvalidInput,
    InvalidMemory,
    InvariantError,
    KeyUnusable,
    MarsError,
    MemoryTooLarge,
    NotPermitted,
    PreferenceRefused,
    PrivacyBudgetExhausted,
    ProbingRefused,
    QueryRefused,
    StalePlan,
    StoreLocked,
    StoreTooNew,
    StoreUnwritable,
    TaskSafetyViolation,
    UnknownMemory,
)
from marskg.records import Action, AuditRecord, Edge, Entity, Finding, Memory, Plan, Preference, Report, TreeHead

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from marskg.opening import open  # noqa: A004 - the name that interfaces.md fixes
    from marskg.privacy.grants import Grant
    from marskg.privacy.principals import Principal
    from marskg.privacy.processing import ProcessingReceipt
    from marskg.privacy.receipts import Receipt
    from marskg.privacy.report_forms import SubjectReport
    from marskg.privacy.request import Matched
    from marskg.privacy.seen import Sightings
    from marskg.private_mode import PrivateMode
    from marskg.retrieval.hits import Hit, Hits
    from marskg.retrieval.window import ContextWindow
    from marskg.store.server_files import Cleaned
    from marskg.store.snapshots import SnapshotFile

_LATER = {
    "AgentMemory": "marskg.memory",
    "Cleaned": "marskg.store.server_files",
    "ContextWindow": "marskg.retrieval.window",
    "Grant": "marskg.privacy.grants",
    "Hit": "marskg.retrieval.hits",
    "Hits": "marskg.retrieval.hits",
    "Matched": "marskg.privacy.request",
    "ProcessingReceipt": "marskg.privacy.processing",
    "Principal": "marskg.privacy.principals",
    "PrivateMode": "marskg.private_mode",
    "Receipt": "marskg.privacy.receipts",
    "Sightings": "marskg.privacy.seen",
    "SnapshotFile": "marskg.store.snapshots",
    "SubjectReport": "marskg.privacy.report_forms",
    "open": "marskg.opening",
}

__version__ = "0.1.0"

__all__ = [
    "Action",
    "AgentMemory",
    "AuditRecord",
    "AuditVerificationFailed",
    "BudgetInfeasible",
    "Cleaned",
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
    "NotPermitted",
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
    "StoreLocked",
    "StoreTooNew",
    "StoreUnwritable",
    "SubjectReport",
    "TaskSafetyViolation",
    "TreeHead",
    "UnknownMemory",
    "open",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - PEP 562
    """Load the facade and its engines only when they are used: errors and records import in milliseconds."""
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
