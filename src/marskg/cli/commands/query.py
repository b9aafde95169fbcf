"""Read-only queries: ``mars sparql`` and ``mars cypher``.

Guarantees: a query that writes, reaches out or runs too long is refused; what is printed says how fresh it is.
"""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING, Any

import click

from marskg.cli.door import Door, pass_door, shared_options
from marskg.cli.operation_commands import stated
from marskg.cli.output import counted, document, note, safe, show_table, table
from marskg.cli.values import JSON_OBJECT, text_argument, text_or_stdin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from marskg.exporters.queries.runner import QueryResult

format_option = click.option(
    "--format", "style", type=click.Choice(["table", "json", "csv"]), default="table", show_default=True
)
limit_option = click.option(
    "--limit-seconds",
    type=click.FloatRange(min=0.1),
    **stated("sparql", "limit_seconds"),
    help="Stopped after this long.",
)


@click.command()
@text_argument("query")
@format_option
@limit_option
@shared_options
@pass_door
def sparql(door: Door, query: str, style: str, limit_seconds: float) -> QueryResult:
    """Ask the memory and its audit by SPARQL 1.1; QUERY may be - for standard input.

    The prefixes mars:, rdf:, rdfs:, xsd:, owl:, prov:, foaf: and skos: need no declaration.

    A QUERY that begins with a dash comes last, after --.
    """
    text = text_or_stdin(query)
    with door.memory() as memory:
        return _show(door, memory.sparql(text, limit_seconds=limit_seconds), style)


@click.command()
@text_argument("query")
@click.option("--parameters", type=JSON_OBJECT, metavar="JSON", help="Values of the query's $parameters.")
@format_option
@limit_option
@shared_options
@pass_door
def cypher(
    door: Door, query: str, parameters: Mapping[str, Any] | None, style: str, limit_seconds: float
) -> QueryResult:
    """Ask the property graph by openCypher; QUERY may be - for standard input.

    It sees the whole store: keep to a tenant with {tenant: $tenant}, which is filled in.

    A QUERY that begins with a dash comes last, after --.
    """
    text = text_or_stdin(query)
    with door.memory() as memory:
        given = {"tenant": memory.tenant, **(parameters or {})}
        return _show(door, memory.cypher(text, given, limit_seconds=limit_seconds), style)


def _show(door: Door, result: QueryResult, style: str) -> QueryResult:
    if door.as_json or style == "json":
        document(result)
        return result
    printers: Mapping[str, Callable[[Sequence[str], Sequence[Sequence[Any]]], None]] = {"csv": _csv, "table": _table}
    printers[style](result.columns, result.rows)
    # Readers are not told how much was written.
    fresh = f", as of audit sequence {result.sequence}" if result.sequence else ""
    note(f"{counted(len(result.rows), 'row')}{fresh}")
    return result


def _csv(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if value is None else value for value in row] for row in rows)


def _table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    made = table(*map(safe, columns))
    for row in rows:
        made.add_row(*("" if value is None else str(value) for value in row))
    show_table(made)
