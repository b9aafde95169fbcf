"""What was meant by a name that there is not: one like it, or the one for what other products call so.

Guarantees: only names of operations, parameters and attributes are told, never a value; a name that begins with an
underscore is refused at once and plainly, since copying, pickling and notebooks look for many of those.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

#: What other products call operations → what they are called here, from a memory.
OPERATIONS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("ask", "find", "lookup", "query", "search", "similarity_search"), "retrieve"),
    **dict.fromkeys(("add", "add_memory", "insert", "put", "save", "store", "upsert", "write"), "remember"),
    **dict.fromkeys(("add_all", "add_many", "bulk_add", "ingest"), "remember_many"),
    **dict.fromkeys(("clear", "delete", "delete_all", "delete_memory", "drop", "remove", "reset", "rm"), "erase"),
    **dict.fromkeys(("all", "get_all", "list", "list_memories", "ls"), "read_all"),
    **dict.fromkeys(("change", "edit", "modify"), "update"),
    **dict.fromkeys(("compact", "prune", "shrink"), "forget"),
    **dict.fromkeys(("check", "lint"), "validate"),
    **dict.fromkeys(("dump", "backup"), "export"),
    "count": "stats",
    "info": "stats",
    "extract": "learn",
    "memorize": "remember",
    "show": "get",
}
#: What other products call parameters → what they are called here; the first that an operation has is meant.
KEYWORDS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("limit", "n", "n_results", "num_results", "top_k", "topk"), ("k", "limit_seconds")),
    **dict.fromkeys(("min_score", "score_threshold", "threshold"), ("min_confidence",)),
    **dict.fromkeys(("max_tokens", "token_limit", "tokens"), ("token_budget", "budget")),
    **dict.fromkeys(("about", "user", "user_id", "username"), ("subjects", "subject", "tenant")),
    **dict.fromkeys(
        ("conversation_id", "run_id", "session_id", "thread_id"), ("session", "sessions", "conversation", "tenant")
    ),
    **dict.fromkeys(("data", "document", "memory", "message", "messages", "text"), ("content", "turns", "query")),
    **dict.fromkeys(("memory_id", "node_id"), ("id",)),
    **dict.fromkeys(("memory_type", "type"), ("kind", "kinds", "memory_class")),
    **dict.fromkeys(("filter", "filters", "where"), ("metadata",)),
    **dict.fromkeys(("directory", "file", "filename", "folder", "path", "url", "uri"), ("path", "location")),
    **dict.fromkeys(("created_at", "date", "timestamp", "when"), ("at", "as_of")),
    "namespace": ("tenant",),
    "prompt": ("query",),
    "question": ("query",),
}
#: Parameters of operations → what tools of the Model Context Protocol call them.
_IN_TOOLS: Final[Mapping[str, str]] = {
    "at": "said_at",
    "intent_tags": "tags",
    "kinds": "kind",
    "source_type": "source",
    "token_budget": "max_tokens",
}
#: What other products have a call say of whose memory it is, which is decided where a server is started.
_DECIDED: Final = frozenset(
    {"agent_id", "app_id", "as", "namespace", "org_id", "organization_id", "principal", "project_id", "role"}
    | {"tenant", "tenant_id", "tenant_name", "workspace", "workspace_id"}
)
#: What is said of a handle that somebody copies or pickles.
NOT_COPIED: Final = "an open memory is neither copied nor pickled; open it where it is needed, with marskg.open"
#: Characters of a name that a message repeats, and keywords that it lists.
_REPEATED, _LISTED = 60, 8


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the most similar of the names that there are, None where none is like it."""
    return next(iter(difflib.get_close_matches(name[:_REPEATED].casefold(), list(known), 1)), None)


def keyword(name: str, known: Iterable[str]) -> str | None:
    """Return the parameter that was meant, of those that there are; None where nobody can tell."""
    there = list(known)
    called = (one for one in KEYWORDS.get(name.casefold(), ()) if one in there)
    return next(called, None) or nearest(name, there)


def unknown_keyword(operation: str, name: str, known: Iterable[str]) -> str:
    """Return what is said of a keyword that ``operation`` does not have; ``known`` are its parameters."""
    there = list(known)
    found = keyword(name, there)
    hint = f"it takes {', '.join(there) or 'nothing'}" if found is None else f"did you mean {found!r}?"
    return f"{operation} takes no {name[:_REPEATED]!r}; {hint}"


def unknown_arguments(tool: str, names: Iterable[str], known: Iterable[str]) -> str:
    """Return what is said of arguments that a tool does not have, to a model that has no other help at hand."""
    given, there = list(names), list(known)
    told = [f"no {name[:_REPEATED]!r}{_hint(name, there)}" for name in given[:_LISTED]]
    more = f", and {len(given) - _LISTED} others" if len(given) > _LISTED else ""
    takes = f"it takes {', '.join(there) or 'no arguments'}; nothing was done"
    return f"{tool} takes {', '.join(told)}{more}; {takes}"


def _hint(name: str, known: Sequence[str]) -> str:
    if name.casefold() in _DECIDED:
        return " (tenant and principal are those that the server was started for)"
    words = (name.casefold(), *KEYWORDS.get(name.casefold(), ()))
    called = (one for one in map(_IN_TOOLS.get, words) if one in known)
    found = next(called, None) or keyword(name, known)
    return "" if found is None else f" (did you mean {found!r}?)"


def too_many(operation: str, places: Sequence[str], known: Iterable[str]) -> str:
    """Return what is said of too many arguments; of those ``known``, only ``places`` may be given without a name."""
    named = [f"{name}=…" for name in known if name not in places]
    listed = ", ".join(named[:_LISTED]) + (", …" if len(named) > _LISTED else "")
    if not named:
        return f"{operation} takes {', '.join(places) + ' alone' if places else 'no arguments'}; leave out what follows"
    return f"{operation} takes {', '.join(places)}{', then ' if places else ''}keywords: {listed}"


def attribute(name: str, there: Mapping[str, str]) -> str | None:
    """Return what an attribute that there is not was meant to be.

    Args:
        name: what was asked for.
        there: what there is, each word with the way to it.
    """
    called = {word: there[one] for word, one in OPERATIONS.items() if one in there}
    words = {**there, **called}
    like = next((one for one in (name.casefold(), name) if one in words), None) or nearest(name, words)
    return None if like is None else words[like]


def missing_attribute(owner: str, name: str, there: Callable[[], Mapping[str, str]]) -> AttributeError:
    """Return the error for an attribute that ``owner``, in words, does not have; see :func:`attribute`."""
    found = None if name.startswith("_") else attribute(name, there())
    hint = "" if found is None else f"; did you mean {found!r}?"
    # With its name alone, Python's own tracebacks add no second guess.
    return AttributeError(f"{owner} has no attribute {name[:_REPEATED]!r}{hint}", name=name)


class Spelt:
    """A base of classes that say what was meant where an attribute that is asked for is not there."""

    __slots__ = ()

    def _reached(self) -> Mapping[str, str]:
        """Return the words by which something is reached from here, each with the way to it."""
        return {name: name for name in dir(type(self)) if not name.startswith("_") and name.islower()}

    if not TYPE_CHECKING:  # which would take every name for one that there is

        def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - there is none
            """Refuse a name that there is not.

            Raises:
                AttributeError: it says what was meant, if that can be told.
            """
            if hasattr(type(self), name):
                # What is there and could not be read says itself why.
                return object.__getattribute__(self, name)
            owner = f"{type(self).__name__!r} object"
            raise missing_attribute(owner, name, self._reached)
