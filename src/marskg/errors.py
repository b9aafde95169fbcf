"""Every exception that the product raises on purpose, grouped by cause.

Guarantees: each class derives from :class:`MarsError`; each message names the input, the rule that it broke and
the way out; none carries memory content, query text or a secret.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence


#: Characters of one word, and of a whole message: an input that is repeated in it may be of any length.
_LONGEST_WORD: Final = 200
_LONGEST_MESSAGE: Final = 1_000


class MarsError(Exception):
    """Base of all errors of this package; a message repeats no long input whole."""

    def __init__(self, *given: object) -> None:
        """Keep the message, which comes first, within bounds."""
        if given and isinstance(given[0], str) and len(given[0]) > _LONGEST_WORD:
            given = (within_bounds(given[0]), *given[1:])
        super().__init__(*given)


# --- What the caller passed in -------------------------------------------------------------------------------


class InvalidInput(MarsError, ValueError):
    """An argument, a file or a document that cannot be accepted as it stands."""


class InvalidCall(InvalidInput, TypeError):
    """A call with an argument that the operation does not have, without one that it needs, or with too many."""


class InvalidMemory(InvalidInput):
    """A memory with an unknown kind or field, or with a value outside its range."""


class InvalidConfig(InvalidInput):
    """A configuration or policy file with an unknown key or a value outside its range."""


class InvalidDocument(InvalidInput):
    """An export, snapshot, ontology or conversation file that cannot be read as what it claims to be."""


class QueryRefused(InvalidInput):
    """A query that writes, reaches out to the network, or runs longer than allowed."""


# --- What the memory's invariants forbid -----------------------------------------------------------------------


class InvariantError(MarsError):
    """An operation that would leave the store in a state which the invariants I1-I9 forbid."""


class ClosureViolation(InvariantError):
    """I2, I3: an edge to something that does not exist, has lost its content, or belongs to another tenant."""


class TaskSafetyViolation(InvariantError):
    """I4: an active task would require something whose content is gone."""


class CycleError(InvariantError):
    """Section 2: derivesFrom, dependsOn, supersedes and requires together must stay acyclic."""


class BudgetInfeasible(InvariantError):
    """I1: what is protected would weigh more than the budget.

    ``protectors`` lists ``(id, why)`` pairs of what protects the weight.
    """

    def __init__(self, message: str, protectors: Sequence[tuple[str, str]] = ()) -> None:
        """Keep the message and the list of protecting memories."""
        super().__init__(message)
        self.protectors = tuple(protectors)


class MemoryTooLarge(InvariantError):
    """I1: a single memory that is heavier than the whole budget."""


class DuplicateId(InvariantError):
    """An id that the tenant already holds."""


class EmbeddingMismatch(InvariantError):
    """The store's vectors were made by another model than the one that is asked to compare them."""


class StalePlan(InvariantError):
    """A plan whose store has moved on since it was made."""


class NotPermitted(MarsError):
    """The principal may not do this, or the memory's state does not allow it."""


class UnknownMemory(MarsError, KeyError):
    """No memory with this id in this tenant."""

    def __str__(self) -> str:
        """Show the message without KeyError's quotes."""
        return str(self.args[0]) if self.args else ""


class ErasedContentRefused(NotPermitted):
    """The content was erased and is suppressed."""


class ConsentRequired(NotPermitted):
    """The subject was erased; storing about them again needs recorded consent."""


class ProbingRefused(NotPermitted):
    """Too many answers revealed lately that something was erased; what would be compared with that is refused alike."""


class PreferenceRefused(NotPermitted):
    """A preference says that this is not stored: an opt-out or a blacklist; it names the rule, not what it hit."""


class NotKept(NotPermitted):
    """The user asked, in the text itself, that it is not kept; nothing of it was stored, and it is not repeated."""


class PrivacyBudgetExhausted(NotPermitted):
    """The differential-privacy budget of this tenant or conversation is spent."""


# --- The world outside -----------------------------------------------------------------------------------------


class EnvironmentFailure(MarsError):
    """Something outside the process failed: disk, server, lock, key."""


class StoreLocked(EnvironmentFailure):
    """Another process holds the embedded store; ``pid`` names it where known."""

    def __init__(self, message: str, pid: int | None = None) -> None:
        """Keep the message and the holder's process id."""
        super().__init__(message)
        self.pid = pid


class EngineUnavailable(EnvironmentFailure):
    """The engine cannot be reached, went away, or refused the credentials."""


class OutcomeUnknown(EngineUnavailable):
    """A server went away before it acknowledged a commit, and does not answer since: it may have been kept.

    ``ids`` are those of the memories that it was to add. One that is there was kept; one that is written again with its
    id is never stored twice.
    """

    def __init__(self, message: str, ids: Sequence[str] = ()) -> None:
        """Keep the message and the ids to look for."""
        super().__init__(message)
        self.ids = tuple(ids)


class ForkedProcess(EnvironmentFailure):
    """The memory was opened before this process was forked, and belongs to the process that opened it."""


class EmbeddingUnavailable(EnvironmentFailure):
    """An embedding model cannot be loaded or does not answer; what needs no vectors goes on working."""


class RerankerUnavailable(EnvironmentFailure):
    """A reranker does not answer, or answers what cannot be used; the ranking without it stands."""


class SummariserUnavailable(EnvironmentFailure):
    """A language model that writes summaries does not answer, or answers what cannot be used."""


class ExtractorUnavailable(EnvironmentFailure):
    """A language model that reads facts out of turns does not answer, or answers what cannot be used."""


class StoreUnwritable(EnvironmentFailure):
    """The store's folder, or a file in it, is read-only, its disk is full, or a query keeps its files."""


class StoreDamaged(EnvironmentFailure):
    """The store holds what this package did not write: a node or an edge without what it needs, or with other types."""


class StoreTooNew(EnvironmentFailure):
    """The store was written by a newer version of this package."""


class KeyUnusable(EnvironmentFailure):
    """A key is missing, corrupt, destroyed, or locked by another passphrase; or what it encrypted was changed."""


class ClockJump(EnvironmentFailure):
    """The clock shows a time that no record can carry: after the year 9999 (section 10)."""


# --- What a check found ----------------------------------------------------------------------------------------


class AuditVerificationFailed(MarsError):
    """The audit does not verify; ``findings`` lists what was found."""

    def __init__(self, message: str, findings: Sequence[str] = ()) -> None:
        """Keep the message and the findings."""
        super().__init__(message)
        self.findings = tuple(findings)


def within_bounds(message: str) -> str:
    """Return a message with what is too long cut off, in one word and as a whole."""
    words = re.sub(rf"(\S{{{_LONGEST_WORD}}})\S+", r"\1…", message)
    return words if len(words) <= _LONGEST_MESSAGE else f"{words[:_LONGEST_MESSAGE]}…"
