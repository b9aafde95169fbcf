"""A tenant's graph as somebody has it who holds the store's files and no key: read and written past the product.

Guarantees: what is changed is the store itself, through the engine that it stands on, while the product is closed;
where records come or go, the tenant's row names the last that is there and no head covers more, as whoever covers their
tracks would have it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from marskg.store.engine.cypher_files import cypher_text
from marskg.store.rows.codec import audit_ref, ref, session_key

if TYPE_CHECKING:
    from marskg.store.engine.protocol import Engine, Row

#: What of a memory says where it stands, and of a signed record: it stays, whatever is written there.
_PLACE: Final = (
    *("ref", "id", "tenant", "session", "sessionKey", "sequence", "created"),
    *("fifoKey", "lruKey", "decayKey", "randomKey"),
)
_SIGNED_PLACE: Final = ("ref",)
_LOG: Final = "t"


@cache
def _text(name: str) -> str:
    return cypher_text(name, package="marskg_bench.edits")


class RawStore:
    """The memories of one tenant, each with the record that signed it."""

    def __init__(self, engine: Engine, tenant: str) -> None:
        """Read and write ``tenant`` through ``engine``."""
        self._engine = engine
        self._tenant = tenant

    def entries(self, session: str) -> list[Row]:
        """Return the memories of a session, oldest first: ``memory`` and ``signed``, all properties of both nodes."""
        found = self._engine.read(_text("memories"), {"session": session_key(self._tenant, session)})
        return [{"memory": row["node"], "signed": self._signed(row["node"]["sequence"])} for row in found]

    def _signed(self, sequence: int) -> Row:
        rows = self._engine.read(_text("signed"), {"ref": self._ref(sequence)})
        return dict(rows[0]["node"]) if rows else {}

    def _ref(self, sequence: int) -> str:
        return audit_ref(self._tenant, _LOG, sequence)

    def put(self, place: Row, given: Row) -> None:
        """Write the memory ``given`` and its signed record over those of ``place``, which keep where they stand."""
        memory, signed = place["memory"], place["signed"]
        self._change("memory", memory["ref"], given["memory"] | _kept(memory, _PLACE))
        self._change("signed", signed["ref"], given["signed"] | _kept(signed, _SIGNED_PLACE))

    def _change(self, what: str, name: str, node: Row) -> None:
        self._engine.write(_text(f"change_{what}"), {"ref": name, "node": node})

    def plant(self, given: Row) -> None:
        """Add a memory with a signed record."""
        for what in ("memory", "signed"):
            self._engine.write(_text(f"plant_{what}"), {"node": given[what]})
        self._cover()

    def drop(self, entry: Row) -> None:
        """Delete a memory with its edges, and its signed record."""
        for what in ("memory", "signed"):
            self._engine.write(_text(f"drop_{what}"), {"ref": entry[what]["ref"]})
        self._cover()

    def _cover(self) -> None:
        log = {"low": f"{self._tenant}|{_LOG}|", "high": f"{self._tenant}|{_LOG}}}"}
        last = self._engine.read(_text("last_signed"), log)[0]["last"]
        for name in ("change_row", "drop_heads"):
            self._engine.write(_text(name), {"tenant": self._tenant, "last": last})

    def next_to(self, entry: Row, ident: str, content: str) -> Row:
        """Return a copy of ``entry`` that says ``content``, has the id ``ident`` and stands one place behind it."""
        sequence = entry["memory"]["sequence"] + 1
        name = ref(self._tenant, ident)
        own = {"ref": name, "id": ident, "content": content, "sequence": sequence}
        signed = {"ref": self._ref(sequence), "sequence": sequence, "memory": name, "memories": [ident]}
        return {"memory": entry["memory"] | own, "signed": entry["signed"] | signed}


def _kept(node: Row, names: tuple[str, ...]) -> Row:
    return {name: node[name] for name in names if name in node}
