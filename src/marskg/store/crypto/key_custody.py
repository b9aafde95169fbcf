"""Custody of the keys of one tenant: when they are destroyed, and what in the store is under destroyed ones.

Guarantees: the destruction of a key is scheduled before the transaction that removes what is under it commits, and
done after it (:mod:`marskg.store.crypto.keyring`); one under which the graph still holds something lives on. Sources:
semantics sections 5 and 8; ADR 29.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from marskg.errors import EngineUnavailable
from marskg.store.crypto.envelopes import keys_of
from marskg.store.crypto.keyring import SUBJECT
from marskg.store.rows import codec
from marskg.store.rows.paging import pages
from marskg.store.statements.catalogue import statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from marskg.store.crypto.field_encryption import FieldEncryption
    from marskg.store.crypto.keyring import DataKey, DataKeyring
    from marskg.store.engine.protocol import Engine, Row

_PAGE: Final = 500


class Custody:
    """The keys of one tenant, with the graph that says which of them are in use."""

    def __init__(self, engine: Engine, tenant: str, keyring: DataKeyring, fields: FieldEncryption) -> None:
        """Look at ``tenant`` in ``engine`` as it is stored; ``fields`` is what reads it for everybody else."""
        self.keyring = keyring
        self._engine = engine
        self.tenant = tenant
        self._fields = fields

    @contextmanager
    def going(self) -> Iterator[Callable[[Sequence[str]], None]]:
        """Destroy the keys of the entities that are named inside the block, before its commit, once that came about."""
        gone: list[DataKey] = []

        def schedule(refs: Sequence[str]) -> None:
            prefix = len(self.tenant) + 1
            found = (self.keyring.find(self.keyring.entity(ref[prefix:])) for ref in refs)
            gone.extend(key for key in found if key is not None)
            self.keyring.schedule_destruction(gone)

        try:
            yield schedule
        except EngineUnavailable:
            raise  # nobody knows whether it was committed: who opens the tenant next will see
        except BaseException:
            self.keyring.cancel_destruction(gone)
            raise
        self._destroy(gone)

    def word_ref(self, ref: str) -> str:
        """Return the reference under which a word of an entity's name is stored."""
        return self._fields.digest("bearer", ref)

    def subject_key(self, name: str) -> DataKey | None:
        """Return the key of a subject, if there is one."""
        return self.keyring.find(self.keyring.subject(name))

    def settle(self, keys: Sequence[DataKey]) -> bool:
        """Destroy those of ``keys`` under which the graph holds nothing any more; returns whether that is all of them.

        The others live on: the transaction that was to remove what is under them did not come about.
        """
        used = [key for key in keys if self._is_used(key)]
        self.keyring.cancel_destruction(used)
        self._destroy([key for key in keys if key not in used])
        return not used

    def _destroy(self, keys: Sequence[DataKey]) -> None:
        if keys:
            self.keyring.destroy(keys)
            self.keyring.note_reached(self._read("load_tenant", {"tenant": self.tenant})[0]["tenant"]["sequence"])

    def _is_used(self, key: DataKey) -> bool:
        low, high = f"{self.tenant}|", f"{self.tenant}}}"
        if key.owner.sort != SUBJECT:
            ref = codec.ref(self.tenant, self.keyring.ident_of(key.owner))
            return bool(self._read("load_entities", {"refs": [ref]}))
        about = {"low": low, "high": high, "subject": self.keyring.subject_digest(key.owner), "handle": "", "limit": 1}
        if self._read("about_subject", about):
            return True
        found = pages(lambda where: self._read("preferences_page", where), self.tenant, _PAGE)
        return any(key.id in keys_of(value) for page in found for row in page for value in row["node"].values())

    def bereft(self, pages_of: str, nodes: str) -> Iterator[str]:
        """Yield the ids of the nodes that have something under a key that was destroyed.

        Args:
            pages_of: the statement that pages through their references.
            nodes: the statement that reads them by their references.
        """
        destroyed = self.keyring.destroyed()
        for page in pages(lambda where: self._read(pages_of, where), self.tenant, _PAGE):
            for row in self._read(nodes, {"refs": [one["ref"] for one in page]}):
                node = row["node"]
                if any(not destroyed.isdisjoint(keys_of(value)) for value in node.values()):
                    yield node["id"]

    @contextmanager
    def as_if_empty(self) -> Iterator[None]:
        """Let what is under destroyed keys be read as if it said nothing: to be erased again, and for nothing else."""
        with self._fields.as_if_empty(self.keyring.destroyed()):
            yield

    def _read(self, name: str, parameters: Mapping[str, Any]) -> list[Row]:
        """Return rows as they are stored, in envelopes."""
        return self._engine.read(statement(name, self._engine.name), parameters)
