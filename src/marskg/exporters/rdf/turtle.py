"""Canonical N-Triples lines as readable Turtle: one block for each subject, prefixes, values without their noise.

Guarantees: a block means exactly the lines that it was made from, whoever made them, because it is made from their
terms and not from the records; predicates and values keep the order of the lines.
Source: W3C RDF 1.1 Turtle section 2.5 (abbreviated numbers and booleans are their canonical lexical forms here).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import NS, PREFIX, RDF_TYPE, XSD

if TYPE_CHECKING:
    from collections.abc import Iterable

_OWL = "http://www.w3.org/2002/07/owl#"
_PREFIXES = ((NS, PREFIX), (XSD, "xsd"), (_OWL, "owl"))
_LOCAL = late_regex(r"[A-Za-z][A-Za-z0-9_]*\Z")
_BARE = {
    f"{XSD}integer": late_regex(r"-?[0-9]+\Z"),
    f"{XSD}decimal": late_regex(r"-?[0-9]+\.[0-9]+\Z"),
    f"{XSD}boolean": late_regex(r"true\Z|false\Z"),
}

#: The first lines of a Turtle or TriG document.
HEADER = "".join(f"@prefix {prefix}: <{namespace}> .\n" for namespace, prefix in _PREFIXES)


def blocks(lines: Iterable[str]) -> str:
    """Return the triples in ``lines`` as Turtle blocks, each preceded by an empty line."""
    subjects: dict[str, dict[str, list[str]]] = {}
    for line in lines:
        subject, predicate, rest = line.split(" ", 2)
        values = subjects.setdefault(subject, {}).setdefault(predicate, [])
        values.append(_term(rest.removesuffix(" .")))
    return "".join(_block(subject, predicates) for subject, predicates in subjects.items())


def _block(subject: str, predicates: dict[str, list[str]]) -> str:
    """Return the block of one subject."""
    parts = [f"{_predicate(predicate)} {', '.join(values)}" for predicate, values in predicates.items()]
    body = " ;\n    ".join(parts)
    return f"\n{subject} {body} .\n"


def _predicate(term: str) -> str:
    return "a" if term == f"<{RDF_TYPE}>" else _iri(term)


def _term(term: str) -> str:
    """Return an object term, abbreviated where Turtle can."""
    if not term.startswith('"'):
        return _iri(term)
    # A plain string may hold the marker, escaped quote and all, but then it does not end with the datatype's bracket.
    if not term.endswith(">"):
        return term
    text, _, datatype = term.rpartition('"^^<')
    datatype = datatype.removesuffix(">")
    bare = _BARE.get(datatype)
    if bare is not None and bare.match(text[1:]):
        return text[1:]
    return f'{text}"^^{_iri(f"<{datatype}>")}'


def _iri(term: str) -> str:
    """Return an IRI as a prefixed name where its local part needs no escaping."""
    for namespace, prefix in _PREFIXES:
        if term.startswith(f"<{namespace}"):
            local = term[len(namespace) + 1 : -1]
            if _LOCAL.match(local):
                return f"{prefix}:{local}"
    return term
