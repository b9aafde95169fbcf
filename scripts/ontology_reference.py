"""Writes docs/reference/ontology.md from the ontology, its alignments and the competency questions.

Guarantees: nothing in the page is written by hand, so it cannot differ from the ontology; a test compares them.
Run ``python scripts/ontology_reference.py`` after a change.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from rdflib import OWL, RDF, RDFS, SKOS, Graph, URIRef
from rdflib.collection import Collection

from marskg.ontology.context import ontology_graph
from marskg.ontology.vocabulary import CONTEXT_IRI, NS

if TYPE_CHECKING:
    from rdflib.term import Node

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "ontology.md"
FOLDER = resources.files("marskg.ontology")
PREFIXES = {
    NS: "mars:",
    "https://w3id.org/mars-kg/alignments#": "align:",
    "http://www.w3.org/2001/XMLSchema#": "xsd:",
    "http://www.w3.org/2000/01/rdf-schema#": "rdfs:",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf:",
    "http://www.w3.org/2002/07/owl#": "owl:",
    "http://www.w3.org/ns/prov#": "prov:",
    "http://www.w3.org/2006/time#": "time:",
    "http://xmlns.com/foaf/0.1/": "foaf:",
    "http://www.w3.org/ns/org#": "org:",
    "https://schema.org/": "schema:",
    "http://www.w3.org/2004/02/skos/core#": "skos:",
    "http://purl.org/dc/terms/": "dcterms:",
    "https://w3id.org/dpv#": "dpv:",
    "http://www.w3.org/ns/odrl/2/": "odrl:",
}
CHARACTERISTICS = {
    OWL.AsymmetricProperty: "asymmetric",
    OWL.SymmetricProperty: "symmetric",
    OWL.IrreflexiveProperty: "irreflexive",
    OWL.InverseFunctionalProperty: "inverse functional",
}

INTRODUCTION = f"""# The ontology

*Made by `scripts/ontology_reference.py` from `src/marskg/ontology/`; change that, not this page.*

Namespace `{NS}`, prefix `mars:`, OWL 2 DL in Turtle (`mars.ttl`).
How it stands to other vocabularies is in a second file (`alignments.ttl`).
The JSON-LD context has the fixed name `{CONTEXT_IRI}`; a copy is in the package
(`context.jsonld`), so that no export needs the network to be read.
A name is the same everywhere: `snake_case` in Python, the same name in `camelCase` in Cypher, RDF, SHACL and JSON-LD.

What the ontology leaves to the SHACL shapes: that something must *exist* (OWL reasons about an open world), and that
a chain of `derivesFrom`, `dependsOn`, `supersedes` and `requires` never closes over more than two steps. These four
are not transitive; ask with a path, such as `mars:derivesFrom+`.

## Extend it

Declare terms in a namespace of your own, below ours:

```turtle
@prefix farm: <https://example.org/farm#> .
@prefix mars: <https://w3id.org/mars-kg/ns#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .

farm:Harvest a owl:Class ;
    rdfs:subClassOf mars:Episodic ;
    rdfs:label "harvest"@en ;
    skos:definition "What was brought in on one day."@en .

farm:crop a owl:ObjectProperty ;
    rdfs:subPropertyOf mars:mentions ;
    rdfs:domain farm:Harvest ;
    rdfs:label "crop"@en ;
    skos:definition "What was harvested."@en .
```

`mars ontology check FILE…` reads such files (Turtle, N-Triples, RDF/XML, JSON-LD) together with the ontology and its
alignments, offline, and asks the reasoner HermiT. Its findings:

| code | what was found |
|---|---|
| `inconsistent` | the files contradict the ontology or themselves; the statements that do are named |
| `unsatisfiable` | a class or property can have no instance |
| `redefined` | a statement would change what a term of ours means |
| `unknown-term` | a name in our namespace that the ontology does not have, often a slip of the pen |
| `malformed-literal` | a number or date is not written as its datatype asks |
| `import-ignored` | an `owl:imports` of something that is not among the files: nothing is fetched |
| `not-owl-dl` | the reasoner cannot read it as OWL 2 DL; its reason is told |
| `undecided` | time was up before the reasoner had an answer |

Missing labels, definitions and declarations are told as warnings, which do not make the check fail. The reasoner runs
on Java: the runtime that `pip install 'marskg[reasoner]'` brings, else that of `JAVA_HOME` or the `PATH`.
"""


def short(node: Node) -> str:
    """Return ``node`` with its prefix."""
    for namespace, prefix in PREFIXES.items():
        if str(node).startswith(namespace):
            return prefix + str(node).removeprefix(namespace)
    return str(node)


def members(graph: Graph, node: Node | None) -> list[URIRef]:
    """Return the named members of the list at ``node``."""
    return [each for each in Collection(graph, node) if isinstance(each, URIRef)] if node is not None else []


def names(graph: Graph, node: Node | None) -> str:
    """Return the class, union, enumeration or datatype at ``node`` in words."""
    if node is None:
        return ""
    if union := graph.value(node, OWL.unionOf):
        return " or ".join(short(each) for each in members(graph, union))
    if base := graph.value(node, OWL.onDatatype):
        listed = graph.value(node, OWL.withRestrictions)
        facets = Collection(graph, listed) if listed is not None else ()
        signs = {"minInclusive": "≥", "maxInclusive": "≤"}
        bounds = [f"{signs[short(p)[4:]]} {value}" for facet in facets for p, value in graph.predicate_objects(facet)]
        return f"{short(base)} {', '.join(sorted(bounds, reverse=True))}"
    return short(node)


def own(graph: Graph, kind: URIRef) -> list[URIRef]:
    """Return our terms of ``kind``, sorted by name."""
    return sorted(e for e in graph.subjects(RDF.type, kind) if isinstance(e, URIRef) and str(e).startswith(NS))


def definition(graph: Graph, each: Node) -> str:
    """Return the definition of a term."""
    return str(graph.value(each, SKOS.definition))


def classes(graph: Graph) -> list[str]:
    """Return the table of classes that are no enumerations."""
    lines = ["## Classes", "", "| class | under | meaning |", "|---|---|---|"]
    union = graph.value(URIRef(f"{NS}Memory"), OWL.disjointUnionOf)
    parts = dict.fromkeys(members(graph, union), "mars:Memory")
    for each in own(graph, OWL.Class):
        if values(graph, each):
            continue
        above = [short(up) for up in graph.objects(each, RDFS.subClassOf) if isinstance(up, URIRef)]
        equal = graph.value(each, OWL.equivalentClass)
        if equal is not None:
            above += [short(up) for up in members(graph, graph.value(equal, OWL.intersectionOf))]
        if each in parts:
            above.append(parts[each])
        lines.append(f"| `{short(each)}` | {', '.join(f'`{up}`' for up in above)} | {definition(graph, each)} |")
    return [*lines, ""]


def values(graph: Graph, each: URIRef) -> list[URIRef]:
    """Return the individuals of an enumeration, in the order in which it lists them; none for another class."""
    for equal in graph.objects(each, OWL.equivalentClass):
        if listed := graph.value(equal, OWL.oneOf):
            return members(graph, listed)
    return []


def enumerations(graph: Graph) -> list[str]:
    """Return one table of values for each enumeration, and for the built-in policies."""
    lines = ["## Values", ""]
    for each in own(graph, OWL.Class):
        listed = values(graph, each)
        if short(each) == "mars:Policy":
            listed = own(graph, each)
        if not listed or short(each) == "mars:EdgeType":
            continue
        lines += [f"### `{short(each)}`", "", definition(graph, each), "", "| value | meaning |", "|---|---|"]
        lines += [f"| `{short(value)}` | {definition(graph, value)} |" for value in listed]
        lines.append("")
    return lines


def edges(graph: Graph) -> list[str]:
    """Return the table of edges, the abstract ones above them, and their inverses."""
    top = URIRef(f"{NS}edge")
    lines = ["## Edges", "", "| edge | from | to | under | is | meaning |", "|---|---|---|---|---|---|"]
    for each in own(graph, OWL.ObjectProperty):
        inverse = graph.value(each, OWL.inverseOf)
        if top not in set(graph.transitive_objects(inverse or each, RDFS.subPropertyOf)):
            continue
        is_ = [word for kind, word in CHARACTERISTICS.items() if (each, RDF.type, kind) in graph]
        is_ += ["functional"] if (each, RDF.type, OWL.FunctionalProperty) in graph else []
        is_ += [f"inverse of `{short(inverse)}`"] if inverse else []
        above = ", ".join(f"`{short(up)}`" for up in graph.objects(each, RDFS.subPropertyOf))
        ends = [names(graph, graph.value(each, end)) for end in (RDFS.domain, RDFS.range)]
        lines.append(
            f"| `{short(each)}` | {ends[0]} | {ends[1]} | {above} | {', '.join(is_)} | {definition(graph, each)} |"
        )
    return [*lines, "", "Inverses are for queries and reasoning; exports state the edge itself only.", ""]


def fields(graph: Graph) -> list[str]:
    """Return one table of properties for each class that has them."""
    top = URIRef(f"{NS}edge")
    by_domain: dict[str, list[str]] = {}
    for kind in (OWL.DatatypeProperty, OWL.ObjectProperty):
        for each in own(graph, kind):
            above = graph.transitive_objects(graph.value(each, OWL.inverseOf) or each, RDFS.subPropertyOf)
            if top in set(above):
                continue
            number = "one" if (each, RDF.type, OWL.FunctionalProperty) in graph else "several"
            row = f"| `{short(each)}` | {names(graph, graph.value(each, RDFS.range))} | {number} | "
            by_domain.setdefault(names(graph, graph.value(each, RDFS.domain)), []).append(
                f"{row}{definition(graph, each)} |"
            )
    lines = ["## Properties", "", "An entity's outside IRIs are `owl:sameAs`.", ""]
    for domain in sorted(by_domain):
        lines += [f"### Of {domain}", "", "| property | value | number | meaning |", "|---|---|---|---|"]
        lines += [*sorted(by_domain[domain]), ""]
    return lines


def alignments() -> list[str]:
    """Return the table of alignments with their reasons."""
    graph = Graph().parse(data=FOLDER.joinpath("alignments.ttl").read_text("utf-8"), format="turtle")
    rows = []
    for axiom in graph.subjects(RDF.type, OWL.Axiom):
        parts = [graph.value(axiom, p) for p in (OWL.annotatedSource, OWL.annotatedProperty, OWL.annotatedTarget)]
        told = " | ".join(f"`{short(part)}`" for part in parts if part is not None)
        rows.append(f"| {told} | {graph.value(axiom, RDFS.comment)} |")
    for outer, chain in graph.subject_objects(OWL.propertyChainAxiom):
        inner = list(Collection(graph, chain))[-1]
        comment = graph.value(outer, RDFS.comment)
        rows.append(f"| `{short(inner)}` | between entities, below | `{short(outer)}` | {comment} |")
    lines = ["## Alignments", "", "`rdfs:seeAlso` marks a neighbour that would say too much as an axiom.", ""]
    return [*lines, "| ours | relation | theirs | why |", "|---|---|---|---|", *sorted(rows), ""]


def questions() -> list[str]:
    """Return the competency questions."""
    folder = FOLDER.joinpath("competency")
    lines = ["## Competency questions", ""]
    lines += [
        "The ontology is meant to answer these. Each is a SPARQL query in `src/marskg/ontology/competency/`, with its",
        "answer on the example graph `example.ttl` beside it; a test runs them all.",
        "",
    ]
    files = sorted(each.name for each in folder.iterdir() if each.name.endswith(".rq"))
    for name in files:
        told = folder.joinpath(name).read_text("utf-8").splitlines()[0].removeprefix("# ")
        lines.append(f"1. {told} (`{name}`)")
    return [*lines, ""]


def render() -> str:
    """Return the page."""
    graph = ontology_graph()
    parts = [classes(graph), enumerations(graph), edges(graph), fields(graph), alignments(), questions()]
    return INTRODUCTION + "\n" + "\n".join(line for part in parts for line in part).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
