"""Parameters of the store's statements with their properties encrypted, and rows with them decrypted.

Guarantees: what a statement sends is made by its declared handling (:mod:`marskg.store.statements.handling`) and the
table of properties (:mod:`marskg.ontology.protection`) alone; a statement without a handling, a parameter that it does
not name and a property without a class are refused before anything is sent. Values are opened for the node and the
property that they stand at, and for no other.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from marskg.errors import KeyUnusable, NotPermitted, QueryRefused
from marskg.ontology.fields import Protection
from marskg.ontology.protection import Sort, classes, of_class
from marskg.store.crypto.envelopes import Envelopes, beginning, field_of, is_envelope, keys_of
from marskg.store.rows import codec
from marskg.store.statements.handling import Beginning, Changes, Clear, Echo, LookUp, Nodes, Parts, Removed, Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from marskg.store.crypto.keyring import DataKeyring, Owner
    from marskg.store.engine.protocol import Row
    from marskg.store.statements.handling import Given, Handling

_ENCRYPTED: Final = {sort: of_class(sort, Protection.ENCRYPTED) for sort in Sort}
_ALLOWED: Final = {sort: frozenset(classes(sort)) - of_class(sort, Protection.REFUSED) for sort in Sort}
#: Properties that the store looks things up by, and the domain of the digest that stands in their place.
_DIGESTS: Final = {
    Sort.MEMORY: {"slotKey": "slot", "sessionKey": "session"},
    Sort.ENTITY: {"nameKey": "name"},
    Sort.WORD: {"ref": "bearer", "wordKey": "word"},
}
#: A digest that is made of an encrypted property, and stands beside it.
_SOURCE: Final = "sourceDigest"
_FIELDS: Final = frozenset().union(*_ENCRYPTED.values())
#: Properties in clear, some of which hold what a caller chose: an envelope in them is not ours.
_CHOSEN: Final = frozenset().union(*(of_class(sort, Protection.CLEAR) for sort in Sort))
#: What no memory and no entity is without.
_NEEDED: Final = frozenset({"content", "name"})
#: Reads memories as they lie in the store, by their references, in the transaction of the statement.
Stored: TypeAlias = "Callable[[list[str]], list[Row]]"


class _Write(NamedTuple):
    """The properties that one row sets, and whose keys they are under; none where nothing of it is encrypted."""

    sort: Sort
    ref: str
    properties: Mapping[str, Any]
    owners: tuple[Owner, ...]


class FieldEncryption:
    """Encrypts and decrypts what one tenant's statements say."""

    def __init__(self, tenant: str, keyring: DataKeyring, unreadable: dict[str, str] | None = None) -> None:
        """Use the keys of ``keyring``.

        What cannot be decrypted is an error, or goes into ``unreadable`` by the id of its node and says nothing.
        """
        self._tenant = tenant
        self._unreadable = unreadable
        self._keyring = keyring
        self._envelopes = Envelopes(keyring, tenant)
        #: Keys under which a value is read as if it said nothing.
        self._destroyed: frozenset[bytes] = frozenset()

    @contextmanager
    def as_if_empty(self, destroyed: frozenset[bytes]) -> Iterator[None]:
        """Read what is under the keys ``destroyed`` as if it said nothing."""
        self._destroyed = destroyed
        try:
            yield
        finally:
            self._destroyed = frozenset()

    # --- Parameters -------------------------------------------------------------------------------------------------

    def sent(
        self, statement: str, parameters: Mapping[str, Any] | None, stored: Stored | None = None
    ) -> Mapping[str, Any]:
        """Return the parameters as the engine gets them.

        Raises:
            NotPermitted: nobody declared how the statement, a parameter or a property is to be handled.
        """
        handling, given = handling_of(statement), parameters or {}
        if handling.own:
            return given
        forms = {name: _form(statement, handling, name) for name in given}
        rows = [pair for name, form in forms.items() for pair in _rows(form, given[name])]
        writes = self._writes(rows, stored)
        keys = self._keyring.ids_for(write.owners for write in writes.values() if write.owners)
        done = {place: self._encrypted(write, keys.get(write.owners, ())) for place, write in writes.items()}
        return {name: self._value(form, given[name], done) for name, form in forms.items()}

    def needs_stored(self, statement: str, parameters: Mapping[str, Any] | None) -> bool:
        """Return whether :meth:`sent` has to read what is stored of memories that change."""
        given = handling_of(statement).given
        values = (parameters or {}).items()
        rows = (pair for name, value in values if name in given for pair in _rows(given[name], value))
        return any(_goes_by_stored(form, _changes(form, row)) for form, row in rows)

    def _writes(self, rows: list[tuple[Nodes | Changes, Row]], stored: Stored | None) -> dict[int, _Write]:
        """Return what is to be written for each row, by the identity of the row."""
        changes = {id(row): _checked(form.sort, _changes(form, row)) for form, row in rows}
        wanted = sorted({row["ref"] for form, row in rows if _goes_by_stored(form, changes[id(row)])})
        before: dict[str, Row] = {}
        if wanted:
            if stored is None:
                message = "a change of encrypted properties needs a transaction"
                raise RuntimeError(message)
            before = {node["ref"]: node for node in stored(wanted)}
        return {id(row): self._write(form.sort, row, changes[id(row)], before) for form, row in rows}

    def _write(self, sort: Sort, row: Row, properties: Mapping[str, Any], before: Mapping[str, Row]) -> _Write:
        ref = row.get("ref", "")
        node = before.get(ref, {})
        if node and "subjects" in properties:
            # Whom it is about changes, and with it the keys: all of it is put into new envelopes.
            whole = self._node(sort, dict(node), {})
            properties = {name: whole[name] for name in _ENCRYPTED[sort] & whole.keys()} | {**properties}
        if all(properties[name] is None for name in _ENCRYPTED[sort] & properties.keys()):
            return _Write(sort, ref, properties, ())
        if sort is Sort.ENTITY:
            return _Write(sort, ref, properties, (self._keyring.entity(ref.rpartition("|")[2]),))
        about: Iterable[str] = ()
        if sort is Sort.PREFERENCE:
            about = [properties["dataSubject"]] if properties.get("dataSubject") else ()
        elif sort is Sort.MEMORY and "subjects" in properties:
            about = properties["subjects"] or ()
        elif node.get("subjects"):
            about = self._envelopes.open(ref, node["subjects"][0], "subjects")
        return _Write(sort, ref, properties, self._keyring.owners_of(about))

    def _encrypted(self, write: _Write, keys: tuple[bytes, ...]) -> dict[str, Any]:
        """Return the properties as they lie in the store."""
        sort, ref, properties, _ = write
        done = dict(properties)
        for name in _ENCRYPTED[sort] & properties.keys():
            if properties[name] is not None:
                done[name] = self._envelopes.make(ref, name, properties[name], keys)
        for name, domain in _DIGESTS.get(sort, {}).items():
            if done.get(name) is not None:
                done[name] = self.digest(domain, done[name])
        if sort is not Sort.MEMORY:
            return done
        if properties.get("subjects"):
            # By which what is about somebody is found.
            digests = (self._keyring.digest("subject", one) for one in properties["subjects"])
            done["subjects"] = [*done["subjects"], *digests]
        if "sourceRef" in properties:
            source = properties["sourceRef"]
            done[_SOURCE] = None if source is None else self._keyring.digest("source", source)
        return done

    def _value(self, form: Given, value: Any, done: Mapping[int, dict[str, Any]]) -> Any:
        """Return one parameter as the engine gets it."""
        if isinstance(form, Clear | Removed):
            return value
        if isinstance(form, Beginning):
            return beginning(form.name, value)
        if isinstance(form, LookUp):
            values = value if isinstance(value, list) else [value]
            digests = list(dict.fromkeys(self.digest(form.domain, one) for one in values))
            return digests if isinstance(value, list) else digests[0]
        if isinstance(value, list):
            return [self._value(form, one, done) for one in value]
        if isinstance(form, Parts):
            return {name: self._value(form.forms[name], part, done) for name, part in value.items()}
        if isinstance(form, Changes):
            changed = done[id(value)]
            return {"ref": value["ref"], **(changed if form.inline else {"set": changed})}
        return done[id(value)]

    def digest(self, domain: str, text: str) -> str:
        """Return a value with its last part digested: what is before are a tenant's name and an id."""
        if domain in {"subject", "source"}:
            return self._keyring.digest(domain, text)
        # Neither a tenant's name nor an id has a bar.
        *head, tail = text.split("|", 2 if domain == "bearer" else 1)
        return "|".join((*head, self._keyring.digest("word" if domain == "bearer" else domain, tail)))

    # --- Rows -------------------------------------------------------------------------------------------------------

    def received(self, statement: str, parameters: Mapping[str, Any] | None, rows: list[Row]) -> list[Row]:
        """Return the rows as they would be of a tenant in clear.

        Raises:
            KeyUnusable: a value was changed or moved, or is under a key that is not there.
            QueryRefused: a user's own statement asks for a value without the memory that it is of.
        """
        handling = handling_of(statement)
        known: dict[tuple[str, str, str], Any] = {}
        if handling.own:
            return [self._own(row, known) for row in rows]
        if not handling.found:
            return rows
        echoes = self._echoes(handling, parameters or {})
        for row in rows:
            for column, found in handling.found.items():
                value = row.get(column)
                if value is None:
                    continue
                if isinstance(found, Nodes):
                    self._node(found.sort, value, known)
                elif isinstance(found, Echo):
                    row[column] = echoes[value]
                else:
                    row[column] = self._opened(self._ref(row), found.name, value, known)
        return rows

    def _echoes(self, handling: Handling, parameters: Mapping[str, Any]) -> dict[str, str]:
        """Return what the digests of values that were looked up stand for."""
        if not any(isinstance(found, Echo) for found in handling.found.values()):
            return {}
        return {
            self.digest(form.domain, one): one
            for name, form in handling.given.items()
            if isinstance(form, LookUp)
            for one in parameters[name]
        }

    def _ref(self, row: Row) -> str:
        """Return the reference of the node that a row is about."""
        ref = row.get("ref")
        return ref if isinstance(ref, str) else codec.ref(self._tenant, row["id"])

    def _node(self, sort: Sort, node: Row, known: dict[tuple[str, str, str], Any]) -> Row:
        """Turn the properties of a node, as they lie in the store, into those of a tenant in clear."""
        for name in _ENCRYPTED[sort] & node.keys():
            if node[name] is not None:
                node[name] = self._opened(node["ref"], name, node[name], known)
        if sort is Sort.MEMORY:
            node.pop(_SOURCE, None)
            # What a unit of work compares with what it would write.
            if node.get("slotKey") is not None:
                slot = codec.slot_key(self._tenant, node.get("subjects") or (), node.get("key") or "")
                node["slotKey"] = self._looked_up(sort, "slotKey", node["slotKey"], slot)
            if node.get("sessionKey") is not None:
                session = codec.session_key(self._tenant, node.get("session"))
                node["sessionKey"] = self._looked_up(sort, "sessionKey", node["sessionKey"], session)
        elif sort is Sort.ENTITY and node.get("nameKey") is not None and isinstance(node.get("name"), str):
            name = codec.name_key(self._tenant, node["name"])
            node["nameKey"] = self._looked_up(sort, "nameKey", node["nameKey"], name)
        return node

    def _looked_up(self, sort: Sort, name: str, stored: str, value: str) -> str:
        """Return the ``value`` of which a digest is stored; a digest of anything else is given as it is."""
        return value if stored == self.digest(_DIGESTS[sort][name], value) else stored

    def _opened(self, ref: str, name: str, value: Any, known: dict[tuple[str, str, str], Any]) -> Any:
        """Return the encrypted property ``name`` of the node ``ref``."""
        text = value[0] if isinstance(value, list) and value else value
        # An erasure leaves empty texts in the slots of a record, in no envelope.
        if not is_envelope(text):
            return value
        # A node comes once for each of its edges.
        place = (ref, name, text)
        if place not in known:
            nothing = "" if name in _NEEDED else None
            readable = not self._destroyed or self._destroyed.isdisjoint(keys_of(text))
            known[place] = self._decrypted(ref, text, name, nothing) if readable else nothing
        opened = known[place]
        return list(opened) if isinstance(opened, list) else opened

    def _decrypted(self, ref: str, text: str, name: str, nothing: str | None) -> Any:
        try:
            return self._envelopes.open(ref, text, name)
        except KeyUnusable as error:
            if self._unreadable is None:
                raise
            self._unreadable[ref.partition("|")[2]] = f"{name} cannot be decrypted: {error}"
            return nothing

    def _own(self, row: Row, known: dict[tuple[str, str, str], Any]) -> Row:
        """Open what a user's own statement returned in envelopes, which name their fields themselves."""
        ref = row.get("ref")
        if not isinstance(ref, str) and isinstance(row.get("id"), str):
            ref = codec.ref(self._tenant, row["id"])
        for column, value in row.items():
            if isinstance(value, dict):
                row[column] = {name: self._own_value(value.get("ref"), name, one, known) for name, one in value.items()}
            else:
                row[column] = self._own_value(ref, column, value, known)
        return row

    def _own_value(self, ref: str | None, column: str, value: Any, known: dict[tuple[str, str, str], Any]) -> Any:
        field = field_of(value[0] if isinstance(value, list) and value else value)
        if field not in _FIELDS or column in _CHOSEN:
            return value
        if ref is None:
            msg = (
                f"the contents of tenant {self._tenant!r} are encrypted, and {column[:40]!r} of a statement cannot "
                "be read without the memory that it is of: return m.id AS id as well"
            )
            raise QueryRefused(msg)
        return self._opened(ref, column if column in _FIELDS else field, value, known)


def handling_of(statement: str) -> Handling:
    """Return how a statement is handled.

    Raises:
        NotPermitted: nobody declared it.
    """
    handling = statement.handling if isinstance(statement, Statement) else None
    if handling is None:
        name = statement.name if isinstance(statement, Statement) else "without a name"
        msg = (
            f"the contents of this tenant are encrypted, and nobody declared how the statement {name!r} is handled "
            "there; nothing was sent: declare it in "
            "marskg.store.statements.handling"
        )
        raise NotPermitted(msg)
    return handling


def removed_entities(statement: str, parameters: Mapping[str, Any] | None) -> list[str]:
    """Return the references of the entities that a statement removes."""
    given = handling_of(statement).given
    return [ref for name, refs in (parameters or {}).items() if isinstance(given.get(name), Removed) for ref in refs]


def _form(statement: str, handling: Handling, name: str) -> Given:
    form = handling.given.get(name)
    if form is None:
        msg = (
            f"the contents of this tenant are encrypted, and the parameter {name[:40]!r} of the statement "
            f"{getattr(statement, 'name', '')!r} is not declared; nothing was sent: declare it in "
            "marskg.store.statements.handling"
        )
        raise NotPermitted(msg)
    return form


def _part(form: Parts, name: str) -> Given:
    found = form.forms.get(name)
    if found is None:
        msg = (
            f"the contents of this tenant are encrypted, and {name[:40]!r} of a row is not declared; nothing was sent: "
            "declare it in "
            "marskg.store.statements.handling"
        )
        raise NotPermitted(msg)
    return found


def _checked(sort: Sort, properties: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return properties of a node of ``sort``, each of which may be written.

    Raises:
        NotPermitted: one has no class, or is never stored.
    """
    if properties.keys() <= _ALLOWED[sort]:
        return properties
    names = sorted(properties.keys() - _ALLOWED[sort])
    why = "has no class in marskg.ontology.protection" if names[0] not in classes(sort) else "is never stored in one"
    msg = (
        f"the contents of this tenant are encrypted, and the property {names[0][:40]!r} of a node ({sort}) {why}; "
        "nothing was written: give it a class there, or leave it out"
    )
    raise NotPermitted(msg)


def _rows(form: Given, value: Any) -> Iterator[tuple[Nodes | Changes, Row]]:
    """Yield the rows of a parameter that hold properties of nodes, with their forms."""
    if isinstance(form, Clear | LookUp | Beginning | Removed):
        return
    for one in value if isinstance(value, list) else (value,):
        if isinstance(form, Parts):
            for name, part in one.items():
                yield from _rows(_part(form, name), part)
        else:
            yield form, one


def _changes(form: Nodes | Changes, row: Row) -> Mapping[str, Any]:
    """Return the properties that a row sets."""
    if isinstance(form, Nodes):
        return row
    if not form.inline:
        return row["set"]  # type: ignore[no-any-return]  # rows are of any type
    return {name: value for name, value in row.items() if name != "ref"}


def _goes_by_stored(form: Nodes | Changes, changes: Mapping[str, Any]) -> bool:
    """Return whether the keys of what changes follow from what is stored of a memory."""
    if isinstance(form, Nodes) or form.sort is not Sort.MEMORY:
        return False
    if "subjects" in changes:
        # With its content goes everything that is encrypted.
        return changes.get("content", "") is not None
    return any(changes[name] is not None for name in _ENCRYPTED[form.sort] & changes.keys())
