"""What the embedded engine raises, in the product's words: the engine's own may quote what was to be stored."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from marskg.errors import EngineUnavailable, QueryRefused, StoreUnwritable
from marskg.late_regex import late_regex
from marskg.store.engine.builds import TIME_LIMIT, TOO_LARGE
from marskg.store.engine.protocol import CLOSED, Conflict

if TYPE_CHECKING:
    from collections.abc import Iterator

_DAMAGED: Final = (
    "open the store again, and if that does not help its files are damaged: put back a copy of the folder, or load a "
    "snapshot into a new store"
)
_RETRYABLE: Final = (
    "ConcurrentModificationException",
    "NeedRetryException",
    "LockTimeoutException",
    "DuplicatedKeyException",
)
_STATEMENT: Final = ("CommandParsingException", "CommandSQLParsingException", "CommandSemanticException")
#: How long the engine says that a statement had which it stopped, in milliseconds.
_HAD: Final = late_regex(re.escape(TIME_LIMIT) + r" of ([0-9]+) ?ms")
#: A reader was between finding a record and loading it when a writer rewrote or removed it.
_OVERTAKEN: Final = "RecordNotFoundException"
_DISK: Final = ("No space left on device", "Read-only file system", "Disk quota exceeded", "File too large")
_FILES: Final = "Too many open files"
_TOO_MANY_FILES: Final = (
    "this process may open no more files, and a store takes about 140: close others, or raise the limit (ulimit -n)"
)
_MEMORY: Final = ("OutOfMemoryError", "HeapLimitExceededException")
#: Classes of the engine's with the words that they are told by.
_CLASSES: Final = late_regex(r"(?:Reading the result set failed: )?(?:\b[a-z]\w*\.)+[A-Z]\w*(?:Exception|Error)\b:? ?")


def causes(error: BaseException) -> Iterator[str]:
    """Yield what ``error`` and its causes say: the engine wraps the disk's own words in a sentence without them."""
    cause: BaseException | None = error
    while cause is not None:
        yield str(cause)
        yield from (f"{name}: {said}" for name, said in getattr(cause, "java_chain", ()))
        cause = cause.__cause__


def translate(error: Exception) -> Exception:
    """Return the error of ours that the engine's ``error`` stands for."""
    told = known(error)
    if told is not None:
        return told
    # No words of the engine's: they may quote what was to be stored.
    chain = getattr(error, "java_chain", None)
    kind = (chain[-1][0] if chain else type(error).__name__).rpartition(".")[2]
    return EngineUnavailable(f"the embedded engine fails ({kind}) and wrote nothing; {_DAMAGED}")


def known(error: Exception) -> Exception | None:
    """Return the error of ours that says what is the matter, where the engine's ``error`` tells."""
    text = "\n".join(causes(error))
    if any(name in text for name in _RETRYABLE):
        return Conflict(text[:300])
    if any(name in text for name in _DISK):
        return StoreUnwritable("the disk that holds the store is full or read-only; free space and open it again")
    if any(name in text for name in _STATEMENT):
        return QueryRefused(f"the engine refuses the statement: {plain(error)}")
    if _FILES in text:
        return EngineUnavailable(_TOO_MANY_FILES)
    if any("DatabaseIsClosedException" in name for name in (text, type(error).__name__)):
        return EngineUnavailable(CLOSED)
    if out_of_memory(error):
        return EngineUnavailable(TOO_LARGE)
    if is_late(error):
        return Conflict("it was stopped by the time limit of another statement")
    return None


def plain(error: Exception) -> str:
    """Return the first line of what the engine says of a statement, without the names of its classes."""
    first = next(iter(str(error).splitlines()), "")
    return _CLASSES.sub("", first)[:300] or "no reason is given"


def out_of_memory(error: BaseException) -> bool:
    """Return whether a statement took more memory than the engine has."""
    return any(name in text for text in causes(error) for name in _MEMORY)


@contextmanager
def translated(errors: tuple[type[Exception], ...]) -> Iterator[None]:
    """Turn the engine's exceptions, which are of these classes, into ours."""
    try:
        yield
    except errors as error:
        raise translate(error) from error


def is_late(error: BaseException) -> bool:
    """Return whether the engine stopped a statement because its time was up, or another's."""
    return any(TIME_LIMIT in text for text in causes(error))


def is_of_another(error: BaseException, seconds: float) -> bool:
    """Return whether the limit that stopped a statement was shorter than its own."""
    had = [int(found[1]) for text in causes(error) if (found := _HAD.search(text))]
    return bool(had) and had[0] < int(seconds * 1000)


def is_overtaken(error: BaseException) -> bool:
    """Return whether a writer rewrote or removed what a reader was about to load."""
    return any(_OVERTAKEN in text for text in causes(error))
