"""Checks a user's extension of the ontology: ``mars ontology check FILE…``.

Guarantees: the files are read offline and as they stand; the reasoner runs in a process that is killed when its time
is up; the answer names every statement that redefines a term of this package, every use of a term that it does not
have, every class or property that can have no instance, and, if the whole is contradictory, a small set of statements
that already is. Literals that are text never appear in it.

What an extension may do: declare terms in a namespace of its own; put them below ours, or ours below them (which is an
alignment); add labels and notes. What it may not do is to change what a term of ours means, because then two stores
would mean different things by one name.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pyoxigraph import BlankNode, Literal, NamedNode

from marskg.ontology.documents import Source, packaged_statements, read_source
from marskg.ontology.reasoning import reasoned
from marskg.ontology.statements import DCTERMS, OWL, RDF, RDFS, SKOS, TYPE, declared, malformed, ontologies, shorten
from marskg.ontology.vocabulary import NS, PREFIX, XSD
from marskg.records import Finding, Report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.ontology.statements import Node, Statement

#: Seconds after which the reasoner is stopped, unless the caller says otherwise.
TIME_LIMIT = 120.0

_LANGUAGE = (OWL, RDF, RDFS, XSD)
#: Namespaces whose terms are in common use as annotations, and need no declaration to be harmless.
_ANNOTATING = (*_LANGUAGE, SKOS, DCTERMS, "http://purl.org/dc/elements/1.1/", "http://purl.org/vocab/vann/")
_IMPORTS = NamedNode(f"{OWL}imports")
_SUB_CLASS = NamedNode(f"{RDFS}subClassOf")
_SUB_PROPERTY = NamedNode(f"{RDFS}subPropertyOf")
_LABELS = frozenset({NamedNode(f"{RDFS}label"), NamedNode(f"{SKOS}prefLabel")})
_DEFINITIONS = frozenset({NamedNode(f"{SKOS}definition"), NamedNode(f"{RDFS}comment")})
_PROPERTY_KINDS = frozenset(f"{OWL}{kind}Property" for kind in ("Object", "Datatype", "Annotation"))
_NOTES = _LABELS | _DEFINITIONS | {NamedNode(f"{RDFS}seeAlso")}
_OWN_NAMESPACE = "define it in a namespace of your own"


@dataclass(frozen=True, slots=True)
class OntologyReport(Report):
    """A report with advice beside its findings: ``warnings`` do not make it fail."""

    warnings: tuple[Finding, ...] = ()


def check_files(paths: Sequence[Path | str], *, seconds: float = TIME_LIMIT) -> OntologyReport:
    """Check the files at ``paths``, taken together, as an extension of the packaged ontology and its alignments.

    ``checked`` in the answer counts the files' statements.

    Raises:
        InvalidDocument: a file cannot be read as what its suffix claims.
        EngineUnavailable: there is no Java to run the reasoner.
    """
    base = packaged_statements()
    sources = [read_source(Path(path)) for path in paths]
    # A reasoner stops at the first malformed literal; without them it finds the rest.
    sound = [Source(each.name, tuple(s for s in each.statements if not malformed(s[2]))) for each in sources]
    findings = [*_read_findings(base, sources), *reasoned(base, sound, seconds)]
    checked = sum(len(source.statements) for source in sources)
    return OntologyReport(checked, tuple(findings), warnings=tuple(_advice(base, sources)))


# --- What reading finds ------------------------------------------------------------------------------------------


def _read_findings(base: Sequence[Statement], sources: Sequence[Source]) -> list[Finding]:
    """Return what is wrong without any reasoning: redefinitions, unknown terms, imports."""
    asserted = frozenset(base)
    known = frozenset(subject.value for subject, _, _ in base if isinstance(subject, NamedNode))
    ours = frozenset(iri for iri in known if iri.startswith(NS)) | ontologies(base)
    local = ontologies(base) | {iri for source in sources for iri in ontologies(source.statements)}
    findings: dict[Finding, None] = {}
    for source in sources:
        for statement in source.statements:
            found = _unknown_terms(source, statement, ours)
            if statement not in asserted:
                found += _redefinition(source, statement, ours)
            found += _foreign_import(source, statement, local)
            found += _malformed_literal(source, statement)
            findings.update(dict.fromkeys(found))
        findings.update(dict.fromkeys(_mixed_properties(base, source)))
    return list(findings)


def _unknown_terms(source: Source, statement: Statement, ours: frozenset[str]) -> list[Finding]:
    """Return a finding for each name in our namespace that the ontology does not have."""
    findings = []
    for node in statement:
        iri = node.datatype.value if isinstance(node, Literal) else node.value
        if isinstance(node, BlankNode) or not iri.startswith(NS) or iri in ours:
            continue
        names = sorted(known.removeprefix(NS) for known in ours)
        near = difflib.get_close_matches(iri.removeprefix(NS), names, 3)
        hint = f"did you mean {' or '.join(f'{PREFIX}:{name}' for name in near)}?" if near else _OWN_NAMESPACE
        message = f"{shorten(iri)} is not a term of the ontology; {hint}"
        findings.append(Finding("unknown-term", f"{source.name}: {shorten(iri)}", message))
    return findings


def _redefinition(source: Source, statement: Statement, ours: frozenset[str]) -> list[Finding]:
    """Return a finding if ``statement`` says about a term of ours what only the ontology may say."""
    subject, predicate, value = statement
    if not isinstance(subject, NamedNode) or subject.value not in ours:
        return []
    if _is_note(predicate) or _is_alignment(predicate, value):
        return []
    message = (
        f"{shorten(subject.value)} is defined by the package, and {shorten(predicate.value)} would change its meaning; "
        "declare a term of your own below it and say this of that term"
    )
    return [Finding("redefined", f"{source.name}: {shorten(subject.value)}", message)]


def _is_note(predicate: NamedNode) -> bool:
    """Return whether ``predicate`` only annotates: labels, definitions in other languages, notes, pointers."""
    iri = predicate.value
    return predicate in _NOTES or (iri.startswith(SKOS) and iri.endswith(("Label", "Note", "note", "example")))


def _is_alignment(predicate: NamedNode, value: Node) -> bool:
    """Return whether the statement only puts a term of ours below somebody else's named one."""
    if predicate not in {TYPE, _SUB_CLASS, _SUB_PROPERTY} or not isinstance(value, NamedNode):
        return False
    return not value.value.startswith((NS, *_LANGUAGE))


def _foreign_import(source: Source, statement: Statement, local: set[str]) -> list[Finding]:
    """Return a finding if ``statement`` imports what is neither packaged nor among the files."""
    _, predicate, value = statement
    if predicate != _IMPORTS or not isinstance(value, NamedNode) or value.value in local:
        return []
    message = f"{value.value} is not read, because nothing is fetched; pass a copy of it as a further file"
    return [Finding("import-ignored", source.name, message)]


def _mixed_properties(base: Sequence[Statement], source: Source) -> list[Finding]:
    """Return a finding for each property of ``source`` that is of two kinds, which reasoners pass over in silence."""
    kinds: dict[str, set[str]] = {}
    for subject, predicate, value in (*base, *source.statements):
        if predicate == TYPE and isinstance(value, NamedNode) and value.value in _PROPERTY_KINDS:
            kinds.setdefault(subject.value, set()).add(value.value)
    return [
        Finding(
            "not-owl-dl",
            f"{source.name}: {shorten(iri)}",
            f"is at once {' and '.join(shorten(kind) for kind in sorted(found))}; OWL 2 DL wants one of them",
        )
        for iri, found in sorted(kinds.items())
        if len(found) > 1
    ]


def _malformed_literal(source: Source, statement: Statement) -> list[Finding]:
    """Return a finding if the statement's value is not written as its datatype asks."""
    subject, predicate, value = statement
    if not isinstance(value, Literal) or not malformed(value):
        return []
    where = f"{source.name}: {shorten(subject.value) if isinstance(subject, NamedNode) else '[…]'}"
    message = f"the value of {shorten(predicate.value)} is no {shorten(value.datatype.value)}; write it as XSD asks"
    return [Finding("malformed-literal", where, message)]


# --- Advice ------------------------------------------------------------------------------------------------------


def _advice(base: Sequence[Statement], sources: Sequence[Source]) -> list[Finding]:
    """Return what a reader of the extension will miss: labels, definitions, declarations."""
    known = declared(base) | {name for source in sources for name in declared(source.statements)}
    return [each for source in sources for each in (*_undocumented(source), *_undeclared(source, known))]


def _undocumented(source: Source) -> list[Finding]:
    """Return a warning for each term that ``source`` defines, not merely declares, without label or definition."""
    said: dict[str, set[NamedNode]] = {}
    for subject, predicate, _ in source.statements:
        said.setdefault(subject.value, set()).add(predicate)
    warnings = []
    for iri in sorted(declared(source.statements)):
        if said[iri] == {TYPE} or iri.startswith(NS):
            continue
        where = f"{source.name}: {shorten(iri)}"
        if not said[iri] & _LABELS:
            warnings.append(Finding("no-label", where, "has no rdfs:label; people will see its IRI"))
        if not said[iri] & _DEFINITIONS:
            warnings.append(Finding("no-definition", where, "has no skos:definition; say what it means"))
    return warnings


def _undeclared(source: Source, known: set[str]) -> list[Finding]:
    """Return a warning for each property and class in use that nobody declares: the reasoner passes over it."""
    used: dict[str, str] = {}
    for _, predicate, value in source.statements:
        used[predicate.value] = "ObjectProperty"
        if predicate in {TYPE, _SUB_CLASS} and isinstance(value, NamedNode):
            used[value.value] = "Class"
    message = "is declared nowhere, so the reasoner may pass over it; declare it, for example as owl:{}"
    return [
        Finding("undeclared", f"{source.name}: {shorten(iri)}", message.format(kind))
        for iri, kind in sorted(used.items())
        if iri not in known and not iri.startswith((NS, *_ANNOTATING))
    ]
