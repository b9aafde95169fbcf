"""A process that answers SPARQL queries from a view on disk and can be killed at any moment.

Guarantees: it opens the view read-only and runs nothing that
:func:`~marskg.exporters.queries.sparql_guard.check_sparql` has not passed, which is the wall that keeps SERVICE out,
since pyoxigraph cannot be told to leave it alone. It ends with its parent, and by itself if its parent does not end it
in time. One request and one answer are a line of JSON each, on standard input and output.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
import threading
import time
from decimal import Decimal
from typing import Any

import pyoxigraph as ox

from marskg.errors import QueryRefused
from marskg.exporters.queries.sparql_guard import check_sparql
from marskg.json_object import plainly
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import NS, XSD

#: Name of the graph in which a view keeps its own books, beside the default graph of the data.
VIEW = "urn:marskg:view"
SEQUENCE_QUERY = f"SELECT ?n {{ GRAPH <{VIEW}> {{ <{VIEW}> <{NS}sequence> ?n }} }}"

_OPEN_TRIES = 20
_OPEN_PAUSE_S = 0.05
_GRACE_S = 5.0
_INTEGERS = frozenset(XSD + name for name in ("integer", "long", "int", "short", "byte", "nonNegativeInteger"))
_FLOATS = frozenset(XSD + name for name in ("double", "float"))
_DECIMAL = f"{XSD}decimal"
#: How numbers are written (XSD 1.1 part 2, section 3.3); Python reads more, such as 1_000.
_LEXICAL = {
    **dict.fromkeys(_INTEGERS, late_regex(r"[+-]?\d+", re.ASCII)),
    **dict.fromkeys(_FLOATS, late_regex(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)),
    _DECIMAL: late_regex(r"[+-]?(\d+(\.\d*)?|\.\d+)", re.ASCII),
}


def main() -> None:
    """Answer the requests on standard input until it ends."""
    for line in sys.stdin:
        request = json.loads(line)
        # The parent kills at the limit; this is for a parent that was killed itself.
        watchdog = threading.Timer(request["limit"] + _GRACE_S, os._exit, (1,))
        watchdog.daemon = True
        watchdog.start()
        try:
            answer = run(request) if "view" in request else checked(request)
        except QueryRefused as error:
            answer = {"refused": str(error)}
        finally:
            watchdog.cancel()
        print(json.dumps(answer), flush=True)  # noqa: T201 - the protocol with the parent


def checked(request: dict[str, Any]) -> dict[str, Any]:
    """Return nothing to tell of a query that may be run.

    Raises:
        QueryRefused: it does more than read, or does not parse.
    """
    check_sparql(request["query"])
    return {"checked": True}


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to one request.

    Raises:
        QueryRefused: the query does more than read, does not parse, gives too many rows, or the view is too old.
    """
    text = check_sparql(request["query"])
    store = _opened(request["view"])
    sequence = _sequence(store, request["not_before"])
    # No limit on open files here: the store opens its own files when a query first needs them, and waits for ever.
    try:
        columns, rows = _evaluated(store.query(text), request["max_rows"])
    except SyntaxError as error:
        msg = f"not a SPARQL query: {_fault(error)}; correct that"
        raise QueryRefused(msg) from error
    except QueryRefused:  # a ValueError too: too many rows
        raise
    except (OSError, RuntimeError, ValueError) as error:
        msg = f"the query cannot be run: {type(error).__name__}; write it more simply"
        raise QueryRefused(msg) from error
    return {"columns": columns, "rows": rows, "sequence": sequence}


def _fault(error: SyntaxError) -> str:
    """Return what the parser says in words, such as an unknown prefix; its lists of letters say nothing."""
    found = re.search(r"expected one of ([A-Z][\w ]+)", str(error))
    return found[1][0].lower() + found[1][1:] if found else "the parser does not understand it"


def _opened(folder: str) -> ox.Store:
    """Return the view, which its writer may be changing: opening can meet a file that was just merged away."""
    for tries_left in reversed(range(_OPEN_TRIES)):
        try:
            return ox.Store.read_only(folder)
        except (OSError, RuntimeError) as error:
            if not tries_left:
                msg = f"the SPARQL view {folder} cannot be opened; have it rebuilt"
                raise QueryRefused(msg) from error
            time.sleep(_OPEN_PAUSE_S)
    raise AssertionError  # the loop returns or raises


def _sequence(store: ox.Store, not_before: int) -> int:
    """Return the sequence that the view has reached, refusing one from before ``not_before``."""
    found = next(iter(store.query(SEQUENCE_QUERY)), None)  # type: ignore[arg-type]  # a SELECT has solutions
    if found is None:
        msg = "the SPARQL view is being rebuilt; ask again when it is done"
        raise QueryRefused(msg)
    sequence = int(found["n"].value)
    if sequence < not_before:
        msg = f"the SPARQL view stands at {sequence}, before the last erasure at {not_before}; let it catch up first"
        raise QueryRefused(msg)
    return sequence


def _evaluated(
    results: ox.QuerySolutions | ox.QueryBoolean | ox.QueryTriples, max_rows: int
) -> tuple[list[str], list[list[Any]]]:
    """Return columns and rows of any kind of query."""
    if isinstance(results, ox.QueryBoolean):
        return ["ask"], [[bool(results)]]
    if isinstance(results, ox.QueryTriples):
        columns = ["subject", "predicate", "object"]
    else:
        columns = [variable.value for variable in results.variables]
    rows: list[list[Any]] = []
    for row in results:
        if len(rows) == max_rows:
            msg = f"the query gives more than {max_rows:,} rows; add LIMIT, or aggregate"
            raise QueryRefused(msg)
        rows.append([_scalar(term) for term in row])
    return columns, rows


def _scalar(term: Any) -> str | int | float | bool | None:  # noqa: ANN401 - any RDF term
    """Return a term as a value of Python and JSON; what has no such value is its text."""
    if term is None:
        return None
    if not isinstance(term, ox.Literal):
        return str(term) if isinstance(term, ox.BlankNode | ox.Triple) else str(term.value)
    datatype, text = term.datatype.value, term.value
    if datatype in _LEXICAL and not _LEXICAL[datatype].fullmatch(text):
        return text  # an ill-typed literal, an infinity, or no number
    try:
        if datatype in _INTEGERS:
            return int(text)
        if datatype == _DECIMAL:
            return plainly(Decimal(text))
        if datatype in _FLOATS:
            number = float(text)
            return number if math.isfinite(number) else text
    except ValueError:
        return text  # more digits than Python reads
    return text == "true" or text == "1" if datatype == f"{XSD}boolean" else text  # noqa: PLR1714 - reads better


if __name__ == "__main__":
    main()
