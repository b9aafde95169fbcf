"""Whether a Cypher text only reads: a tokeniser, not a search for words.

Guarantees: a text passes only if it is one statement that starts by reading, has no clause that writes, loads,
administers, changes database or opens transactions of its own, and calls no procedure or function that is not on a
short list. Words inside strings, comments, quoted names, parameters, property names and labels do not count. What the
tokeniser and an engine could read differently (Unicode escapes, numbers glued to words) is refused.
Sources: openCypher 9 and Neo4j 5 Cypher grammars; Neo4j's advice on injection (escapes are resolved before parsing).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from marskg.errors import QueryRefused
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LENGTH = 100_000

_FIRST = frozenset({"MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN", "CALL", "EXPLAIN", "PROFILE"})
_REFUSED = frozenset(
    {
        "CREATE",
        "MERGE",
        "SET",
        "DELETE",
        "DETACH",
        "NODETACH",
        "REMOVE",
        "INSERT",
        "FOREACH",
        "LOAD",
        "DROP",
        "ALTER",
        "USE",
        "SHOW",
        "TERMINATE",
        "TRANSACTIONS",
    }
)
_PROCEDURES = frozenset({"db.labels", "db.relationshiptypes", "db.propertykeys"})
#: Name spaces of functions that compute from their arguments alone.
_PURE = frozenset({"date", "datetime", "duration", "localdatetime", "localtime", "point", "time", "vector"})
#: Functions that answer differently each time, those that read a clock when they have no argument, and their variants.
_CHANCE = frozenset({"rand", "randomuuid", "timestamp"})
_CLOCKS = frozenset({"date", "datetime", "localdatetime", "localtime", "time"})
_MOMENTS = frozenset({"realtime", "statement", "transaction"})

_TOKEN = late_regex(
    r"""
      (?P<space>\s+ | //[^\n]* | /\*.*?\*/)
    | (?P<string>'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*")
    | (?P<name>`(?:[^`]|``)*`)
    | (?P<parameter>\$(?:\w+|`(?:[^`]|``)*`))
    | (?P<number>0[xX][0-9a-fA-F]+ | 0o[0-7]+ | \d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    | (?P<word>[^\W\d]\w*)
    | (?P<range>\.\.)
    | (?P<sign>(?!/\*)[^\w\s'"`\\$])
    """,
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    """One token: its kind, its text, and its line."""

    kind: str
    text: str
    line: int


def check_read_only(text: str) -> None:
    """Accept a text that is one reading statement.

    Raises:
        QueryRefused: it is not, or it cannot be told; the message names the word and the line.
    """
    if len(text) > MAX_LENGTH:
        msg = f"the query is longer than {MAX_LENGTH:,} characters; shorten it, and pass values as parameters"
        raise QueryRefused(msg)
    if "\\u" in text or "\\U" in text:
        msg = "the query has a Unicode escape, which engines resolve at different times; write the character itself"
        raise QueryRefused(msg)
    if re.search(r"\r(?!\n)", text):
        msg = "the query has a carriage return alone, which ends a comment for some engines only; use line feeds"
        raise QueryRefused(msg)
    tokens = list(_tokens(text))
    while tokens and tokens[-1].text == ";":
        tokens.pop()
    if not tokens or tokens[0].kind != "word" or tokens[0].text.upper() not in _FIRST:
        msg = "the query does not start by reading; start it with MATCH, UNWIND, WITH, CALL {…} or RETURN"
        raise QueryRefused(msg)
    for index, token in enumerate(tokens):
        if token.text == ";":
            msg = f"line {token.line}: a second statement begins; send one statement at a time"
            raise QueryRefused(msg)
        if token.kind in {"word", "name"}:
            _check_word(tokens, index)


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of a text that :func:`check_read_only` accepts, without space and comments."""
    return list(_tokens(text))


def parameter_names(text: str) -> set[str]:
    """Return the names of the parameters in a text that :func:`check_read_only` accepts."""
    return {token.text[1:].strip("`") for token in _tokens(text) if token.kind == "parameter"}


def changing_call(text: str) -> str | None:
    """Return the first call in an accepted text whose value is not of the graph and the parameters alone, or None."""
    tokens = list(_tokens(text))
    for index, token in enumerate(tokens[:-1]):
        if token.kind not in {"word", "name"} or tokens[index + 1].text != "(":
            continue
        name, _ = _dotted_before(tokens, index)
        first, _, last = name.partition(".")
        empty = tokens[index + 2 : index + 3] and tokens[index + 2].text == ")"
        if name in _CHANCE or (name in _CLOCKS and empty) or (first in _CLOCKS and last in _MOMENTS):
            return f"line {token.line}: {name}()"
    return None


def _check_word(tokens: list[Token], index: int) -> None:
    token = tokens[index]
    before = tokens[index - 1].text if index else ""
    after = tokens[index + 1].text if index + 1 < len(tokens) else ""
    word = token.text.upper()
    if after == "(" and before == ".":
        _check_function(tokens, index)
    if token.kind == "name" or before in {".", ":"} or after == ":":
        return
    if word in _REFUSED:
        msg = f"line {token.line}: {word} does more than read; if it is a name, write it `{token.text}`"
        raise QueryRefused(msg)
    if word == "CALL" and after not in {"{", "("}:
        _check_procedure(tokens, index)


def _check_function(tokens: list[Token], index: int) -> None:
    """Refuse a function in a name space that may reach beyond its arguments."""
    name, first = _dotted_before(tokens, index)
    if first and tokens[first - 1].text.upper() == "CALL":
        return  # a procedure, checked at its CALL
    if name.split(".")[0] not in _PURE:
        msg = f"line {tokens[index].line}: the function {name[:80]} is not allowed; use Cypher's own functions"
        raise QueryRefused(msg)


def _check_procedure(tokens: list[Token], index: int) -> None:
    parts: list[str] = []
    for token in tokens[index + 1 :]:
        if token.kind not in {"word", "name"} and token.text != ".":
            break
        if parts and parts[-1] != "." and token.text != ".":
            break
        parts.append(token.text.strip("`"))
    name = "".join(parts)
    if name.lower() not in _PROCEDURES:
        msg = f"line {tokens[index].line}: the procedure {name[:80]} is not allowed; query the graph with MATCH"
        raise QueryRefused(msg)


def _dotted_before(tokens: list[Token], index: int) -> tuple[str, int]:
    """Return the dotted name that ends at ``index``, in lower case, and where it begins."""
    parts = [tokens[index].text.strip("`")]
    while index >= 2 and tokens[index - 1].text == "." and tokens[index - 2].kind in {"word", "name"}:  # noqa: PLR2004
        index -= 2
        parts.insert(0, tokens[index].text.strip("`"))
    return ".".join(parts).lower(), index


def _tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of ``text`` without space and comments."""
    position, line = 0, 1
    while position < len(text):
        match = _TOKEN.match(text, position)
        following = text[match.end() : match.end() + 2] if match else ""
        glued = match is not None and match.lastgroup == "number" and _is_glued(following)
        if match is None or glued:
            msg = f"line {line}: unreadable; close strings and comments, and put a space between numbers and words"
            raise QueryRefused(msg)
        if match.lastgroup != "space":
            yield Token(str(match.lastgroup), match.group(), line)
        line += match.group().count("\n")
        position = match.end()


def _is_glued(following: str) -> bool:
    """Return whether a number runs into a word, or into a dot that some engines take for its own."""
    first, second = following[:1], following[1:2]
    return first.isalnum() or first == "_" or (first == "." and second != ".")
