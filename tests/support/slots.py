"""What the store does with keys, in a few lines, to compare readers and the store with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from marskg.ontology.vocabulary import Cardinality

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.drafts import Draft


@dataclass
class Slots:
    """The current drafts of each key and subjects; a retracted value and a closed task are no longer current."""

    held: dict[tuple[tuple[str, ...], str], list[Draft]] = field(default_factory=dict)
    #: Endings that found nothing to end.
    misses: list[str] = field(default_factory=list)

    def replay(self, drafts: Iterable[Draft]) -> Slots:
        for draft in drafts:
            if draft.key is None:
                continue
            held = self.held.setdefault((tuple(sorted(draft.subjects)), draft.key), [])
            if draft.action != "remember":
                self._end(held, draft)
            elif draft.cardinality is Cardinality.SINGLE:
                held[:] = [draft]
            elif draft.cardinality is Cardinality.APPEND or all(old.content != draft.content for old in held):
                held.append(draft)
        return self

    def _end(self, held: list[Draft], draft: Draft) -> None:
        position = next((n for n, old in enumerate(held) if draft.content in {"", old.content}), None)
        if position is None:
            self.misses.append(draft.ref)
        else:
            del held[position]

    def under(self, prefix: str) -> dict[str, list[Draft]]:
        """Return the keys that begin with ``prefix`` and hold something, without the prefix."""
        return {
            key.removeprefix(prefix): held for (_, key), held in self.held.items() if key.startswith(prefix) and held
        }
