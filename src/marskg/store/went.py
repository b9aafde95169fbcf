"""What an erasure takes out of the graph, as the texts and vectors that a search of files must not find any more.

Guarantees: of every node that goes, each text that it has, and its vector; of every record that is emptied, the details
and salts that it had; nothing is kept here. A text that somebody else's node has as well may be among them: whoever
searches leaves out what is still said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.store.erasing import Erased
    from marskg.store.unit import Unit

_REFS: Final = 500


def what_went(unit: Unit, erased: Erased, names: Iterable[str] = ()) -> tuple[list[object], list[str], int]:
    """Return texts and lists of texts, packed vectors, and how many nodes and records they were in.

    Call it when the unit erased and has not been written; ``names`` are what was asked for.
    """
    texts: list[object] = list(names)
    vectors: list[str] = []
    count = 0
    for node_id in (*erased.asked, *erased.descendants):
        row: dict[str, Any] = unit.nodes[node_id].original
        texts += [value for name, value in row.items() if name != "embedding"]
        if row.get("embedding") is not None:
            vectors.append(str(row["embedding"]))
        count += 1
    for entity_id in erased.entities:
        entity = unit.entities[entity_id]
        texts += [entity.id, entity.name, list(entity.aliases)]
        count += 1
    refs = [*unit.erased_transitions, *(str(row["ref"]) for row in unit.erased_accesses)]
    for start in range(0, len(refs), _REFS):
        for row in unit.read("records_by_ref", {"refs": refs[start : start + _REFS]}):
            texts += [row["details"], row["salts"], row["memories"]]
            count += 1
    return texts, vectors, count
