"""Writes docs/reference/shapes.md from the packaged shapes.

Guarantees: nothing about a shape is written by hand, so the page cannot differ from the shapes; a test compares them.
Run ``python scripts/shapes_reference.py`` after a change.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from rdflib import Graph, URIRef
from rdflib.namespace import DCTERMS, RDF, SH

from marskg.ontology.vocabulary import NS
from marskg.shapes.catalogue import SHAPES_NS, shape_files, targeted_shapes

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "shapes.md"
_TARGETS = {SH.targetClass: "", SH.targetSubjectsOf: "what has ", SH.targetObjectsOf: "what is at the end of "}
#: A shape with as many targets is about the fields of others.
_MANY = 4

INTRODUCTION = """# Shapes

*Made by `scripts/shapes_reference.py` from `src/marskg/shapes/*.ttl`; change those, not this page.*

What must hold of a memory's graph, in [SHACL Core](https://www.w3.org/TR/shacl/). The shapes are data: any SHACL engine
runs them on an export, and two do so in the tests. They are packaged as `marskg/shapes/*.ttl`, in the namespace
`https://w3id.org/mars-kg/shapes#`.

The same rules hold at three moments:

| when | by | sees |
|---|---|---|
| before a write commits | the write gate | what is written and where its edges lead; the write is refused |
| `mars validate` | a SHACL engine | the neighbourhood of what the last records changed |
| `mars validate --full` | a SHACL engine, and the bookkeeping below | the whole tenant |

A finding has the shape's **code**, the node, and the message below; never a value, which may be somebody's content.

With a SHACL engine of your own, on an export:

```console
$ mars remember "Alice drinks tea" --kind semantic --key drink --subject alice >id.txt 2>&1
$ mars export memory.ttl
1 memory, 1 entity, 1 edge
1,105 bytes in memory.ttl
$ cat "$(python -c 'from importlib import resources; print(resources.files("marskg.shapes"))')"/*.ttl >shapes.ttl
$ pyshacl -s shapes.ttl -df turtle memory.ttl
Validation Report
Conforms: True
```

## What shapes do not see

Core has no clock, no sums and no paths without end. `mars validate --full` adds in code:

| code | rule |
|---|---|
| `cycle` | derivesFrom, dependsOn, supersedes and requires together have no cycle of any length |
| `chain` | temporalNext leads to the next episode with content of the session (I6) |
| `guards`, `blockers` | the counts of what protects and what keeps a memory are those of its edges |
| `order-key` | a memory has keys in the orders of the policies exactly while it may be evicted |
| `weight-sum`, `latent-sum`, `protected-sum` | the tenant's weights are the sums over its memories |
| `budget` | the live memories weigh no more than the budget (I1) |

Signatures, sequence and hashes (I7) are what `mars verify` checks ([audit](audit.md)).
"""


def render() -> str:
    """Return the page."""
    parts = [INTRODUCTION, "## The shapes\n"]
    parts += [_file(name) for name in shape_files()]
    return "\n".join(parts)


def _file(name: str) -> str:
    text = resources.files("marskg.shapes").joinpath(name).read_text(encoding="utf-8")
    comment = " ".join(line.lstrip("# ") for line in text.split("\n\n", 1)[0].splitlines() if line.startswith("#"))
    graph = Graph().parse(data=text, format="turtle")
    targets = {str(shape): found for shape, found in targeted_shapes(graph)}
    rows = []
    for shape in sorted(_named(graph), key=str):
        code, message = graph.value(shape, DCTERMS.identifier), graph.value(shape, SH.message)
        said = targets.get(str(shape), [])
        on = _target(said)
        rows.append(f"| `{str(shape).removeprefix(SHAPES_NS)}` | `{code}` | {on} | {_cell(str(message))} |")
    head = (
        f"### {name.removesuffix('.ttl')}\n\n{comment}\n\n| shape | code | holds for | message |\n|---|---|---|---|\n"
    )
    return head + "\n".join(rows) + "\n"


def _named(graph: Graph) -> set[URIRef]:
    """Return the shapes with a code: helpers have none."""
    found = {shape for kind in (SH.NodeShape, SH.PropertyShape) for shape in graph.subjects(RDF.type, kind)}
    return {shape for shape in found if isinstance(shape, URIRef) and graph.value(shape, DCTERMS.identifier)}


def _target(pairs: list[tuple[URIRef, URIRef]]) -> str:
    if len(pairs) > _MANY:
        return "what has one of these fields or edges"
    return ", ".join(f"{_TARGETS[kind]}`{str(value).replace(NS, 'mars:')}`" for kind, value in sorted(pairs))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
