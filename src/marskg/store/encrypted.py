"""An engine whose tenant has its contents encrypted: what goes in is put into envelopes, what comes out is opened.

Guarantees: above this class nothing knows of encryption, and below it no content, key, name, tag, source, session or
vector of the tenant is in clear: neither in the files of the store nor on the wire to a server. Parameters are changed
by the properties that they set and, of the few statements that look something up by a value, by the table
:data:`_LOOKUPS`; rows by what is in them. What is told apart by neither passes as it is, which is right of ids, times
and numbers; a test looks for text in clear in the files, behind every door.

A user's own Cypher (``query``) is not translated: it sees envelopes and digests.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from marskg.errors import EngineUnavailable, InvalidConfig, NotPermitted, QueryRefused
from marskg.store import codec
from marskg.store.envelopes import ENTITY, MEMORY, PREFERENCE, RECORD, Envelopes, is_envelope, keys_of
from marskg.store.paging import pages
from marskg.store.statements import statement
from marskg.store.vault import SUBJECT, DataKey, Owner, Vault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from marskg.config import Settings
    from marskg.store.engine import Engine, Row, Transaction

#: Statements that look something up by a value, with the parameter that holds it and the domain of its digest.
_LOOKUPS: Final = {
    "about_subject": ("subject", "subject"),
    "from_source": ("source", "source"),
    "slot": ("slot", "slot"),
    "slot_head": ("slot", "slot"),
    "session_episodes": ("session", "session"),
    "sessions_episodes": ("sessions", "session"),
    "find_names": ("keys", "word"),
    "delete_words": ("refs", "bearer"),
}
#: Properties that the store looks things up by, and the domain of the digest that stands in their place.
_KEYS: Final = {"slotKey": "slot", "sessionKey": "session", "nameKey": "name", "wordKey": "word"}
#: Properties that a caller chooses and that stay in clear: an envelope in them is not ours.
_CLEAR: Final = frozenset({"purpose", "jurisdiction", "regions", "clause", "origin"})
#: Columns by which the statements call an encrypted property otherwise.
_ALIASES: Final = {"slot": "key", "lines": "summaryLines"}
_SOURCE: Final = "sourceDigest"
_PAGE: Final = 500


class EncryptedEngine:
    """An engine, and the keys of the one tenant that is open."""

    def __init__(self, engine: Engine, tenant: str, vault: Vault) -> None:
        """Serve ``tenant`` of ``engine``."""
        self.name, self.home, self.joined = engine.name, engine.home, engine.joined
        self.inner = engine
        self.vault = vault
        self._work = _Translator(engine.name, tenant, vault)
        self._tenant = tenant

    @contextmanager
    def transaction(self) -> Iterator[_Transaction]:
        """Open a transaction; the keys of the entities that it removes are destroyed once it is committed."""
        gone: list[DataKey] = []
        try:
            with self.inner.transaction() as transaction:
                one = _Transaction(transaction, self._work)
                yield one
                gone = self._keys_of(one.removed)
                self.vault.doom(gone)
        except EngineUnavailable:
            raise  # nobody knows whether it was committed: who opens the tenant next will see
        except BaseException:
            self.vault.doom(gone, really=False)
            raise
        self._destroy(gone)

    def _keys_of(self, refs: list[str]) -> list[DataKey]:
        prefix = len(self._tenant) + 1
        found = (self.vault.find(self.vault.entity(ref[prefix:])) for ref in refs)
        return [key for key in found if key is not None]

    def read(
        self, statement: str, parameters: Mapping[str, Any] | None = None, *, limit_seconds: float | None = None
    ) -> list[Row]:
        """Run a read-only statement."""
        sent, given = self._work.sent(statement, parameters)
        return self._work.received(self.inner.read(statement, sent, limit_seconds=limit_seconds), given)

    def query(self, statement: str, parameters: Mapping[str, Any] | None = None, *, limit_seconds: float) -> list[Row]:
        """Run a user's read-only statement as it is: it sees envelopes."""
        return self.inner.query(statement, parameters, limit_seconds=limit_seconds)

    def write(self, statement: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        """Run one writing statement as a transaction of its own."""
        if self._work.needs_transaction(statement, parameters):
            with self.transaction() as transaction:
                return transaction.run(statement, parameters)
        sent, given = self._work.sent(statement, parameters)
        return self._work.received(self.inner.write(statement, sent), given)

    def define(self, statement: str) -> None:
        """Run one schema statement."""
        self.inner.define(statement)

    def define_all(self, statements: Sequence[str]) -> None:
        """Run schema statements one after another."""
        self.inner.define_all(statements)

    @property
    def scrub_promised(self) -> bool:
        """Return whether a scrub was promised and has not been done."""
        return self.inner.scrub_promised

    def promise_scrub(self) -> None:
        """Promise to scrub the files."""
        self.inner.promise_scrub()

    def scrub(self) -> None:
        """Rewrite the store's files."""
        self.inner.scrub()

    def close(self) -> None:
        """Release the store."""
        self.inner.close()

    # --- Destroying keys --------------------------------------------------------------------------------------------

    def subject_key(self, name: str) -> DataKey | None:
        """Return the key of a subject, if there is one."""
        return self.vault.find(self.vault.subject(name))

    def settle(self, keys: Sequence[DataKey]) -> bool:
        """Destroy those of ``keys`` under which the graph holds nothing any more; returns whether that is all of them.

        The others live on: the transaction that was to remove what is under them did not come about.
        """
        used = [key for key in keys if self._is_used(key)]
        self.vault.doom(used, really=False)
        self._destroy([key for key in keys if key not in used])
        return not used

    def _destroy(self, keys: Sequence[DataKey]) -> None:
        if keys:
            self.vault.destroy(keys)
            self.vault.note_reached(self._inner("load_tenant", {"tenant": self._tenant})[0]["tenant"]["sequence"])

    def _is_used(self, key: DataKey) -> bool:
        low, high = f"{self._tenant}|", f"{self._tenant}}}"
        if key.owner.sort != SUBJECT:
            ref = codec.ref(self._tenant, self.vault.ident_of(key.owner))
            return bool(self._inner("load_entities", {"refs": [ref]}))
        about = {"low": low, "high": high, "subject": self.vault.subject_digest(key.owner), "handle": "", "limit": 1}
        if self._inner("about_subject", about):
            return True
        while page := self._inner("preferences_page", {"low": low, "high": high, "limit": _PAGE}):
            if any(key.id in keys_of(value) for row in page for value in row["node"].values()):
                return True
            low = f"{page[-1]['ref']}\x00"
        return False

    # --- What is under destroyed keys -------------------------------------------------------------------------------

    def bereft(self, name: str, nodes: Callable[[list[str]], list[Row]]) -> Iterator[str]:
        """Yield the ids of the nodes that have something under a key that was destroyed.

        Args:
            name: the statement that pages through their references.
            nodes: what reads them by their references, as they are stored.
        """
        destroyed = self.vault.destroyed()
        for page in pages(lambda where: self._inner(name, where), self._tenant, _PAGE):
            for node in nodes([row["ref"] for row in page]):
                if any(not destroyed.isdisjoint(keys_of(value)) for value in node.values()):
                    yield node["id"]

    @contextmanager
    def as_if_empty(self) -> Iterator[None]:
        """Let what is under destroyed keys be read as if it said nothing: to be erased again, and for nothing else."""
        self._work.destroyed = self.vault.destroyed()
        try:
            yield
        finally:
            self._work.destroyed = frozenset()

    def _inner(self, name: str, parameters: Mapping[str, Any]) -> list[Row]:
        return self.inner.read(statement(name, self.name), parameters)


def is_encrypted(engine: Engine) -> bool:
    """Return whether what is stored through ``engine`` is encrypted."""
    return isinstance(engine, EncryptedEngine)


def vault_of(engine: Engine) -> Path | None:
    """Return the folder of the keys that contents are encrypted under; None where they are in clear."""
    return engine.vault.folder if isinstance(engine, EncryptedEngine) else None


def refuse_in_clear(engine: Engine, what: str, instead: str) -> None:
    """Refuse what would write contents of an encrypted tenant to files in clear.

    Raises:
        NotPermitted: the tenant's contents are encrypted.
    """
    if is_encrypted(engine):
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

    def __init__(self, inner: Transaction, work: _Translator) -> None:
        self._inner = inner
        self._work = work
        self.removed: list[str] = []

    def run(
        self, statement: str, parameters: Mapping[str, Any] | None = None, *, limit_seconds: float | None = None
    ) -> list[Row]:
        """Run one statement inside the open transaction."""
        self.removed += self._work.removed(statement, parameters)
        sent, given = self._work.sent(statement, parameters, self._inner)
        return self._work.received(self._inner.run(statement, sent, limit_seconds=limit_seconds), given)


class _Translator:
    """Puts parameters into envelopes and takes rows out of them."""

    def __init__(self, engine: str, tenant: str, vault: Vault) -> None:
        self._tenant = tenant
        self._vault = vault
        self._envelopes = Envelopes(vault, tenant)
        self._lookups = {statement(name, engine): rule for name, rule in _LOOKUPS.items()}
        self._load = statement("read_memories", engine)
        self._remove = statement("delete_entities", engine)
        self._update_entities = statement("update_entities", engine)
        #: Keys under which a value is read as if it said nothing.
        self.destroyed: frozenset[bytes] = frozenset()

    # --- What goes in -----------------------------------------------------------------------------------------------

    def removed(self, text: str, parameters: Mapping[str, Any] | None) -> list[str]:
        """Return the references of the entities that a statement removes."""
        return list((parameters or {})["refs"]) if text == self._remove else []

    def needs_transaction(self, text: str, parameters: Mapping[str, Any] | None) -> bool:
        """Return whether a statement has to be prepared by reading in the transaction that it runs in."""
        return text == self._remove or any(
            _changes(row).keys() & MEMORY for row in _maps(parameters or {}) if "id" not in row
        )

    def sent(
        self, text: str, parameters: Mapping[str, Any] | None, transaction: Transaction | None = None
    ) -> tuple[Mapping[str, Any] | None, dict[str, str]]:
        """Return the parameters as the engine gets them, and what the digests among them stand for."""
        if not parameters:
            return parameters, {}
        rule = self._lookups.get(text)
        if rule is not None:
            return self._looked_up(parameters, *rule)
        maps = list(_maps(parameters))
        stored = self._stored(maps, text, transaction)
        owners = {id(row): self._owners(row, text, stored) for row in maps}
        keys = self._vault.ids_for(one for one in owners.values() if one)
        done = {
            id(row): self._closed(row, text, keys[group], stored) if (group := owners[id(row)]) else self._digested(row)
            for row in maps
        }
        return {name: _replaced(value, done) for name, value in parameters.items()}, {}

    def _looked_up(
        self, parameters: Mapping[str, Any], name: str, domain: str
    ) -> tuple[Mapping[str, Any], dict[str, str]]:
        value = parameters[name]
        values = value if isinstance(value, list) else [value]
        digests = {self._digest(domain, one): one for one in values}
        return {**parameters, name: list(digests) if isinstance(value, list) else next(iter(digests))}, digests

    def _digest(self, domain: str, text: str) -> str:
        """Return a value with its last part digested: what is before are a tenant's name and an id."""
        if domain in {"subject", "source"}:
            return self._vault.digest(domain, text)
        # Neither a tenant's name nor an id has a bar.
        *head, tail = text.split("|", 2 if domain == "bearer" else 1)
        return "|".join((*head, self._vault.digest("word" if domain == "bearer" else domain, tail)))

    def _stored(self, maps: list[Mapping[str, Any]], text: str, transaction: Transaction | None) -> dict[str, Row]:
        """Return what is stored, as it is, of the memories of which only some encrypted properties are set."""
        if text == self._update_entities:
            return {}
        refs = sorted(row["ref"] for row in maps if "id" not in row and _changes(row).keys() & MEMORY)
        if not refs or transaction is None:
            return {}
        rows = transaction.run(self._load, {"refs": refs})
        return {row["node"]["ref"]: row["node"] for row in rows}

    def _owners(self, row: Mapping[str, Any], text: str, stored: Mapping[str, Row]) -> tuple[Owner, ...]:
        """Return whose keys the encrypted properties of a map are under; none where it has none."""
        if "core" in row or "details" in row:
            return self._vault.owners_of(())
        if "wordKey" in row or "ref" not in row:
            return ()
        if "nameKey" in row or text == self._update_entities:
            return (self._vault.entity(row["ref"].rpartition("|")[2]),)
        if "preferenceRule" in row:
            return self._vault.owners_of([row["dataSubject"]] if row.get("dataSubject") else ())
        changes = _changes(row)
        if "kind" in row and "id" in row:
            return self._vault.owners_of(row.get("subjects") or ())
        if not any(changes.get(name) is not None for name in MEMORY):
            return ()
        if changes.get("subjects") is not None:
            return self._vault.owners_of(changes["subjects"])
        node = stored.get(row["ref"], {})
        held = node.get("subjects")
        return self._vault.owners_of(self._envelopes.open(row["ref"], held[0], "subjects") if held else ())

    def _closed(
        self, row: Mapping[str, Any], text: str, keys: tuple[bytes, ...], stored: Mapping[str, Row]
    ) -> dict[str, Any]:
        """Return a map with its encrypted properties in envelopes."""
        ref = row["ref"]
        secret = ENTITY if text == self._update_entities else _fields(row)
        if "set" not in row:
            return self._map(ref, row, secret, keys)
        changes = dict(row["set"])
        if changes.get("subjects") is not None:
            # Whom it is about changed, and so did the keys: everything of it is put into new envelopes.
            node = self.opened(dict(stored.get(ref, {})))
            changes = {name: value for name, value in node.items() if name in secret} | changes
        return {**row, "set": self._map(ref, changes, secret, keys)}

    def _map(
        self, ref: str, properties: Mapping[str, Any], secret: frozenset[str], keys: tuple[bytes, ...]
    ) -> dict[str, Any]:
        done = self._digested(properties)
        for name in secret & properties.keys():
            value = properties[name]
            if value is not None:
                done[name] = self._envelopes.make(ref, name, value, keys)
        if properties.get("subjects"):
            # By which what is about somebody is found.
            done["subjects"] = [
                *done["subjects"],
                *(self._vault.digest("subject", one) for one in properties["subjects"]),
            ]
        if properties.get("sourceRef") is not None:
            done[_SOURCE] = self._vault.digest("source", properties["sourceRef"])
        return done

    def _digested(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        """Return a map in which the values that things are looked up by are digests."""
        done = dict(properties)
        for name, domain in _KEYS.items():
            if done.get(name) is not None:
                done[name] = self._digest(domain, done[name])
        if "wordKey" in done:
            done["ref"] = self._digest("bearer", done["ref"])
        if "sourceRef" in done and done["sourceRef"] is None:
            done[_SOURCE] = None
        if isinstance(done.get("set"), dict):
            done["set"] = self._digested(done["set"])
        return done

    # --- What comes out ---------------------------------------------------------------------------------------------

    def received(self, rows: list[Row], given: Mapping[str, str]) -> list[Row]:
        """Return the rows as they would be of a tenant in clear."""
        known: dict[str, Any] = {}
        for row in rows:
            ref = row.get("ref")
            if not isinstance(ref, str):
                ref = f"{self._tenant}|{row['id']}" if isinstance(row.get("id"), str) else None
            for name, value in row.items():
                if isinstance(value, dict):
                    row[name] = self.opened(value, known)
                elif isinstance(value, str) and value in given:
                    row[name] = given[value]
                elif _sealed(value) and name not in _CLEAR:
                    row[name] = self._value(ref, _ALIASES.get(name, name), value, known)
        return rows

    def opened(self, node: Row, known: dict[str, Any] | None = None) -> Row:
        """Return the properties of a node as they would be of a tenant in clear."""
        ref = node.get("ref")
        secret = _fields(node)
        for name, value in node.items():
            if name in secret and _sealed(value):
                node[name] = self._value(ref, name, value, {} if known is None else known)
        node.pop(_SOURCE, None)
        # What a unit of work compares with what it would write.
        if node.get("slotKey") is not None:
            node["slotKey"] = codec.slot_key(self._tenant, node.get("subjects") or (), node.get("key") or "")
        if node.get("sessionKey") is not None:
            node["sessionKey"] = codec.session_key(self._tenant, node.get("session"))
        if node.get("nameKey") is not None:
            node["nameKey"] = codec.name_key(self._tenant, node["name"])
        return node

    def _value(self, ref: str | None, name: str, value: Any, known: dict[str, Any]) -> Any:
        text = value[0] if isinstance(value, list) else value
        if text not in known:
            if ref is None:
                msg = (
                    f"the contents of tenant {self._tenant!r} are encrypted, and {name[:40]!r} of a statement cannot "
                    "be read without the memory that it is of: return m.id AS id as well"
                )
                raise QueryRefused(msg)
            if self.destroyed.isdisjoint(keys_of(text)):
                known[text] = self._envelopes.open(ref, text, name if name in _ALL else None)
            else:
                known[text] = "" if name in _NEEDED else None
        found = known[text]
        return list(found) if isinstance(found, list) else found


#: What no memory and no entity is without.
_NEEDED: Final = frozenset({"content", "name"})
_ALL: Final = MEMORY | ENTITY | PREFERENCE | RECORD


def _sealed(value: object) -> bool:
    return is_envelope(value) or (isinstance(value, list) and bool(value) and is_envelope(value[0]))


def _fields(row: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the properties that are encrypted in a map of this sort."""
    if "core" in row or "details" in row:
        return RECORD
    if "preferenceRule" in row:
        return PREFERENCE
    if "nameKey" in row:
        return ENTITY
    return MEMORY


def _changes(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a map sets."""
    found = row.get("set")
    return found if isinstance(found, dict) else row


def _maps(parameters: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the maps of properties among the parameters of a statement, each of one node."""
    for value in parameters.values():
        for one in value if isinstance(value, list) else (value,):
            if isinstance(one, dict):
                if "ref" in one:
                    yield one
                else:
                    yield from (part for part in one.values() if isinstance(part, dict) and "ref" in part)


def _replaced(value: Any, done: Mapping[int, Any]) -> Any:
    if isinstance(value, list):
        return [_replaced(one, done) for one in value]
    if isinstance(value, dict):
        if id(value) in done:
            return done[id(value)]
        return {name: done.get(id(part), part) if isinstance(part, dict) else part for name, part in value.items()}
    return value
