"""An engine whose tenant has its contents encrypted: what is sent and what comes back goes by declared handlings.

Guarantees: above this class nothing knows of encryption, and below it no content, key, name, tag, source, session or
vector of the tenant is in clear: neither in the files of the store nor on the wire to a server. What each statement
says is encrypted by its declaration (:mod:`marskg.store.crypto.field_encryption`); one that nobody declared is refused.

A user's own Cypher (``query``) is not translated: it sees envelopes and digests.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from marskg.errors import InvalidConfig, NotPermitted
from marskg.store.crypto.field_encryption import FieldEncryption, removed_entities
from marskg.store.crypto.key_custody import Custody
from marskg.store.statements.catalogue import statement as named

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from marskg.config import Settings
    from marskg.store.crypto.keyring import DataKeyring
    from marskg.store.engine.protocol import Engine, Row, Transaction


class EncryptedEngine:
    """An engine, and the keys of the one tenant that is open."""

    def __init__(
        self, engine: Engine, tenant: str, keyring: DataKeyring, unreadable: dict[str, str] | None = None
    ) -> None:
        """Serve ``tenant`` of ``engine``; ``unreadable`` as :func:`passing_over` has it."""
        self.name, self.home, self.joined = engine.name, engine.home, engine.joined
        self.capabilities = engine.capabilities
        self._inner = engine
        self._fields = FieldEncryption(tenant, keyring, unreadable)
        self.custody = Custody(engine, tenant, keyring, self._fields)

    def passing_over(self, unreadable: dict[str, str]) -> EncryptedEngine:
        """Return this engine as :func:`passing_over` has it."""
        return EncryptedEngine(self._inner, self.custody.tenant, self.custody.keyring, unreadable)

    @contextmanager
    def transaction(self) -> Iterator[_Transaction]:
        """Open a transaction; the keys of the entities that it removes are destroyed once it is committed."""
        with self.custody.going() as gone, self._inner.transaction() as transaction:
            one = _Transaction(transaction, self._fields, self.name)
            yield one
            gone(one.removed)

    def read(
        self, statement: str, parameters: Mapping[str, Any] | None = None, *, limit_seconds: float | None = None
    ) -> list[Row]:
        """Run a read-only statement.

        Raises:
            NotPermitted: nobody declared how it is handled.
        """
        sent = self._fields.sent(statement, parameters)
        rows = self._inner.read(statement, sent, limit_seconds=limit_seconds)
        return self._fields.received(statement, parameters, rows)

    def query(self, statement: str, parameters: Mapping[str, Any] | None = None, *, limit_seconds: float) -> list[Row]:
        """Run a user's read-only statement as it is: it sees envelopes."""
        return self._inner.query(statement, parameters, limit_seconds=limit_seconds)

    def write(self, statement: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        """Run one writing statement as a transaction of its own.

        Raises:
            NotPermitted: nobody declared how it, or a property that it writes, is handled.
        """
        if removed_entities(statement, parameters) or self._fields.needs_stored(statement, parameters):
            with self.transaction() as transaction:
                return transaction.run(statement, parameters)
        rows = self._inner.write(statement, self._fields.sent(statement, parameters))
        return self._fields.received(statement, parameters, rows)

    def check_process(self) -> None:
        """Refuse to go on in a process that was forked after opening."""
        self._inner.check_process()

    def define(self, statement: str) -> None:
        """Run one schema statement."""
        self._inner.define(statement)

    def define_all(self, statements: Sequence[str]) -> None:
        """Run schema statements one after another."""
        self._inner.define_all(statements)

    @property
    def scrub_promised(self) -> bool:
        """Return whether a scrub was promised and has not been done."""
        return self._inner.scrub_promised

    def promise_scrub(self) -> None:
        """Promise to scrub the files."""
        self._inner.promise_scrub()

    def scrub(self) -> None:
        """Rewrite the store's files."""
        self._inner.scrub()

    def close(self) -> None:
        """Release the store."""
        self._inner.close()


def custody_of(engine: Engine) -> Custody | None:
    """Return who keeps the keys that the tenant's contents are encrypted under; None where they are in clear."""
    return engine.custody if isinstance(engine, EncryptedEngine) else None


def keyring_folder(engine: Engine) -> Path | None:
    """Return the folder of the keys that contents are encrypted under; None where they are in clear."""
    custody = custody_of(engine)
    return None if custody is None else custody.keyring.folder


def passing_over(engine: Engine, unreadable: dict[str, str]) -> Engine:
    """Return ``engine`` reading what it cannot decrypt as if it said nothing, and why, by id, into ``unreadable``."""
    return engine.passing_over(unreadable) if isinstance(engine, EncryptedEngine) else engine


def refuse_in_clear(engine: Engine, what: str, instead: str) -> None:
    """Refuse what would write contents of an encrypted tenant to files in clear.

    Raises:
        NotPermitted: the tenant's contents are encrypted.
    """
    if custody_of(engine) is not None:
        msg = f"the contents of this tenant are encrypted, and {what} would write them to a file in clear; {instead}"
        raise NotPermitted(msg)


def fixed_encryption(tenant: str, settings: Settings) -> InvalidConfig:
    """Return the error that says that a tenant is encrypted, or not, from its first memory on."""
    return InvalidConfig(
        f"encryption of tenant {tenant!r} is {settings.encryption}, as it was created, and cannot be changed: what is "
        f"stored would stay as it is in every copy; write encryption: {settings.encryption}, or export it and load it "
        "into a new tenant that is created with the other"
    )


class _Transaction:
    """The statements of one unit of work."""

    def __init__(self, inner: Transaction, fields: FieldEncryption, engine: str) -> None:
        self._inner = inner
        self._fields = fields
        self._load = named("read_memories", engine)
        #: References of the entities that go.
        self.removed: list[str] = []

    def run(
        self, statement: str, parameters: Mapping[str, Any] | None = None, *, limit_seconds: float | None = None
    ) -> list[Row]:
        """Run one statement inside the open transaction.

        Raises:
            NotPermitted: nobody declared how it, or a property that it writes, is handled.
        """
        self.removed += removed_entities(statement, parameters)
        sent = self._fields.sent(statement, parameters, self._stored)
        rows = self._inner.run(statement, sent, limit_seconds=limit_seconds)
        return self._fields.received(statement, parameters, rows)

    def _stored(self, refs: list[str]) -> list[Row]:
        return [row["node"] for row in self._inner.run(self._load, {"refs": refs})]
