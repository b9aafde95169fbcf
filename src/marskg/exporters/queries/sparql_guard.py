r"""Whether a SPARQL text only reads, and only here: decided on its parse tree, not by looking for words.

Guarantees: a text passes only if it parses as one query, without SERVICE at any depth, without a dataset of its own
(FROM, FROM NAMED) and without BASE; updates do not parse as queries. What passes is *rewritten*, and only the rewritten
text may be run, because two parsers can read one text differently: rdflib resolves ``\u`` escapes everywhere and
pyoxigraph only inside strings, so that ``"\u0022" SERVICE <…> {} "\u0022"`` is one long string to the first and a
request to the second; a carriage return ends a comment for one of them. So escapes are resolved, comments removed and
line ends made one before any parser looks, and what still holds an escape or a control character is refused. As a
last line of defence the words SERVICE and FROM outside strings and names are refused by the tokeniser as well.
Sources: SPARQL 1.1 Query sections 19.2 (codepoint escapes), 19.4 (comments), 19.8 (grammar).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from marskg.errors import QueryRefused
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import NS, XSD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib.plugins.sparql.parserutils import CompValue

MAX_LENGTH = 100_000
#: Brackets within brackets; rdflib's parser takes exponential time in them, and both parsers recurse.
MAX_DEPTH = 24

#: Prefixes that a query may use without declaring them.
PREFIXES = {
    "mars": NS,
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": XSD,
    "owl": "http://www.w3.org/2002/07/owl#",
    "prov": "http://www.w3.org/ns/prov#",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
}
_DECLARED = late_regex(r"\bPREFIX\s+([A-Za-z][\w.-]*)\s*:", re.IGNORECASE)
_REFUSED_PARTS = {
    "ServiceGraphPattern": "SERVICE, which asks other servers",
    "DatasetClause": "FROM, which names other graphs; the view is one graph",
    "Base": "BASE; write IRIs in full or with PREFIX",
}
_REFUSED_WORDS = frozenset({"SERVICE", "FROM", "BASE", "LOAD"})
_ESCAPE = late_regex(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
_CONTROL = late_regex(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_TOKEN = late_regex(
    r"""
      (?P<string>\"\"\"(?:\"{0,2}(?:[^"\\]|\\.))*\"\"\" | '''(?:'{0,2}(?:[^'\\]|\\.))*'''
                |"(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*')
    | (?P<iri><[^<>"{}|^`\\\x00-\x20]*>)
    | (?P<comment>\#[^\n]*)
    | (?P<space>[ \t\n]+)
    | (?P<prefixed>(?:\w[\w\-.]*)?:(?:[\w\-.:]|%[0-9A-Fa-f]{2}|\\.)*)
    | (?P<word>[?$@]?\w[\w\-]*)
    | (?P<sign>[^\w"'])
    """,
    re.VERBOSE | re.DOTALL,
)


def check_sparql(text: str) -> str:
    """Return the form of ``text`` that may be run.

    Raises:
        QueryRefused: the text is no query, or one that does more than read the view; the message says what and why.
    """
    if len(text) > MAX_LENGTH:
        msg = f"the query is longer than {MAX_LENGTH:,} characters; shorten it, or export and load the data elsewhere"
        raise QueryRefused(msg)
    plain = _without_comments(_without_escapes(text))
    # Only here: making the parser takes a tenth of a second, and every opening imports this module.
    from pyparsing import ParseBaseException  # noqa: PLC0415
    from rdflib.plugins.sparql.parser import Query  # noqa: PLC0415

    try:
        tree = Query.parse_string(plain, parse_all=True)
    except ParseBaseException as error:
        msg = f"not a SPARQL query that reads: line {error.lineno}, column {error.column}; updates are refused too"
        raise QueryRefused(msg) from None  # the parser's message repeats the query's text
    except RecursionError:
        msg = "the query is nested too deeply; write it flatter"
        raise QueryRefused(msg) from None
    for part in _parts(tree):
        if part.name in _REFUSED_PARTS:
            msg = f"the query has {_REFUSED_PARTS[part.name]}: only queries of the view itself are allowed"
            raise QueryRefused(msg)
    return plain


def with_prefixes(query: str) -> str:
    """Return ``query`` with the well-known prefixes declared that it does not declare itself, on its first line."""
    declared = set(_DECLARED.findall(query))
    missing = (f"PREFIX {name}: <{iri}> " for name, iri in PREFIXES.items() if name not in declared)
    return "".join(missing) + query


def _without_escapes(text: str) -> str:
    """Return ``text`` with its codepoint escapes resolved and one kind of line end."""
    resolved = _ESCAPE.sub(_character, text).replace("\r\n", "\n").replace("\r", "\n")
    if re.search(r"\\[uU]", resolved):
        msg = r"the query has a broken \u escape, or one made by another; write the character itself"
        raise QueryRefused(msg)
    found = _CONTROL.search(resolved)
    if found is not None:
        msg = f"the query has the control character U+{ord(found.group()):04X}; remove it, or compare with a variable"
        raise QueryRefused(msg)
    return resolved


def _character(match: re.Match[str]) -> str:
    """Return the character of an escape."""
    code = int(match[1] or match[2], 16)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:  # noqa: PLR2004 - the bounds of Unicode's scalar values
        msg = rf"the query has the escape {match.group()}, which is no character; write the character itself"
        raise QueryRefused(msg)
    return chr(code)


def _without_comments(text: str) -> str:
    """Return ``text`` with each comment replaced by a space, refusing what the tokeniser cannot place."""
    out: list[str] = []
    position = depth = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            line = text.count("\n", 0, position) + 1
            msg = f"line {line}: a quotation mark that does not close; close it, or escape the one inside"
            raise QueryRefused(msg)
        found, position = match.group(), match.end()
        if match.lastgroup == "word" and found.upper() in _REFUSED_WORDS:
            msg = f"the query has {found.upper()}: only queries of the view itself are allowed"
            raise QueryRefused(msg)
        if match.lastgroup == "sign":
            depth += (found in "{([") - (found in "})]")
            if depth > MAX_DEPTH:
                msg = f"the query is nested deeper than {MAX_DEPTH} brackets; write it flatter"
                raise QueryRefused(msg)
        out.append(" " if match.lastgroup == "comment" else found)
    return "".join(out)


def _parts(tree: Any) -> Iterator[CompValue]:  # noqa: ANN401 - pyparsing's results have no types
    """Yield every named part of a parse tree, at any depth."""
    from rdflib.plugins.sparql.parserutils import CompValue  # noqa: PLC0415 - as in check_sparql

    pending = [tree]
    while pending:
        item = pending.pop()
        if isinstance(item, CompValue):
            yield item
            pending.extend(item.values())
        elif isinstance(item, str):
            continue
        elif hasattr(item, "__iter__"):
            pending.extend(item)
