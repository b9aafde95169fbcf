"""Histories in which every text, session, source and name holds a word of its own, to be sought when it was erased."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.support.history import STEPS, History

if TYPE_CHECKING:
    from random import Random

    from tests.support.picture import Picture

STEM = "zyxquartz"
#: Steps that an erasure has something to do with; keys are changed by tests of their own.
NAMES = [name for name, often in STEPS.items() for _ in range(often) if name not in {"rotate_key", "reopen"}]
LENGTH = 40


class Marked(History):
    """A history in which each text, session, source and name holds a word that nothing else has."""

    words = 0

    def word(self) -> str:
        """Return a word that was never used."""
        self.words += 1
        return f"{STEM}{self.words:05d}vellum"

    def text(self, chance: Random) -> str:
        """Return a text with a word of its own."""
        return f"{super().text(chance)} {self.word()}"

    def _fields(self, chance: Random) -> dict[str, Any]:
        fields = super()._fields(chance)
        if chance.random() < 0.3:
            fields["source_ref"] = f"doc/{self.word()}"
        if "session" in fields and chance.random() < 0.5:
            fields["session"] = f"s-{self.word()}"
        return fields

    def _links(self, chance: Random) -> dict[str, Any]:
        links = super()._links(chance)
        if chance.random() < 0.3:
            links["mentions"] = [*links["mentions"], f"Mr {self.word()}"]
        return links


def request(picture: Picture, chance: Random) -> dict[str, Any]:
    """Return what is to be erased: something that is there."""
    nodes = [node for node_id, node in sorted(picture.nodes.items()) if picture.whole(node_id)]
    asked = [{"id": node["id"]} for node in nodes]
    asked += [{"session": node["session"]} for node in nodes if "session" in node]
    asked += [{"source": node["sourceRef"]} for node in nodes if "sourceRef" in node]
    asked += [{"entity": entity["name"]} for _, entity in sorted(picture.entities.items())]
    people = [{"subject": name} for name in ("ann", "bob")]
    return chance.choice(people if chance.random() < 0.4 or not asked else asked)


def said(picture: Picture) -> str:
    """Return everything that the graph of a tenant says."""
    return json.dumps([picture.row, picture.nodes, picture.edges, picture.entities, picture.entity_edges], default=str)


def marks(text: str) -> set[str]:
    """Return the words of :meth:`Marked.word` in ``text``."""
    return {f"{STEM}{rest[:5]}vellum" for rest in text.split(STEM)[1:]}
