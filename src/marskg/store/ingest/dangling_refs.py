"""What a draft says about earlier drafts of its import that have been forgotten since.

Guarantees: only names of the import's own drafts are looked at: whoever names a memory by its id is refused as always
(:mod:`marskg.store.unit.write_gate`). A source says what rests on what without knowing the budget, so while it
is read a policy may take what a later draft refers to. Then evidence and goals that are gone are left out; an active
task that lost a prerequisite enters ``blocked``; and what ``dependsOn`` something forgotten makes no sense without it
(I3), so it is not stored, nor is what depends on it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from marskg.ontology.vocabulary import ACTIVE_STATUSES, EdgeType, TaskStatus
from marskg.store.graph.validation import default_status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.drafts import Draft
    from marskg.store.unit.unit_of_work import Unit

#: What a draft's name stands for when the draft itself was not stored.
NOT_STORED = ""


def without_forgotten(unit: Unit, draft: Draft, refs: Mapping[str, str]) -> Draft | None:
    """Return ``draft`` with its other links as ``edges``, or None if it makes no sense without what is forgotten."""
    own = sorted({refs[name] for _, name in draft.links() if name in refs} - {NOT_STORED})
    unit.fetch(own)

    def holds(type_: EdgeType, name: str) -> bool:
        if name not in refs:
            return True
        node = unit.nodes.get(refs[name])
        if node is None or node.deleted:
            return False
        return node.has_content or type_ is EdgeType.DERIVES_FROM

    lost = [type_ for type_, name in draft.links() if not holds(type_, name)]
    if not lost:
        return draft
    if EdgeType.DEPENDS_ON in lost:
        return None
    blocked = EdgeType.REQUIRES in lost and default_status(draft) in ACTIVE_STATUSES
    return replace(
        draft,
        derives_from=(),
        depends_on=(),
        requires=(),
        attaches_to_goal=(),
        contradicts=(),
        edges=tuple(link for link in draft.links() if holds(*link)),
        status=TaskStatus.BLOCKED if blocked else draft.status,
    )
