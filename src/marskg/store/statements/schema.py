"""The store's version and the migrations that lead to it.

Guarantees: a migration is a numbered file of statements, each of which may run twice; a store of a newer version is
refused before anything is read; the version is written only after the last statement of its migration. On a server that
another application shares, what it asks of nodes with our labels is named before anything else is defined: our nodes
would break it at some later write.
"""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING, NoReturn

from marskg.errors import EngineUnavailable, StoreTooNew
from marskg.late_regex import late_regex
from marskg.store.engine.protocol import Capability, Conflict
from marskg.store.rows.codec import decode_entity
from marskg.store.rows.name_cache import word_rows
from marskg.store.statements.catalogue import statement

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from marskg.store.engine.protocol import Engine, Row

_NAME = late_regex(r"^(\d{4})-[a-z0-9-]+\.(?:cypher|sql)$")
_DEFINES = late_regex(r"CREATE (?:CONSTRAINT|INDEX) (\w+) ")
#: How often a migration is begun again because another process defines the same schema at the same time.
MAX_ATTEMPTS = 20
#: The version from which on entities are found by words, and entities that are given theirs at once.
_WORDS_SINCE = 2
_OWN_DATABASE = "give it a database of its own with NEO4J_DATABASE"
_PAGE = 500
_COMMENT = late_regex(r"^\s*(?:--|//).*$", re.MULTILINE)


def migrations(engine: str, folder: Traversable | None = None) -> list[tuple[int, list[str]]]:
    """Return ``(version, statements)`` of each migration for ``engine``, in order."""
    root = (folder or files("marskg.store") / "migrations") / engine
    found = []
    for entry in root.iterdir():
        match = _NAME.match(entry.name)
        if match:
            text = _COMMENT.sub("", entry.read_text(encoding="utf-8"))
            found.append((int(match[1]), [part.strip() for part in text.split(";") if part.strip()]))
    return sorted(found)


def current_version(engine: Engine) -> int:
    """Return the version that the store says it has; 0 for an empty one.

    Raises:
        EngineUnavailable: it says none: the names of properties are lost.
    """
    rows = engine.read(statement("store_version", engine.name))
    version = rows[0]["version"] if rows else 0
    if not isinstance(version, int):
        msg = "the store's files are damaged; put back a copy of it, or load a snapshot into a new store"
        raise EngineUnavailable(msg)
    return version


def migrate(engine: Engine, folder: Traversable | None = None) -> tuple[int, int]:
    """Bring the store to the newest version; returns the versions before and after.

    Raises:
        StoreTooNew: the store was written by a newer version of this package.
        EngineUnavailable: another application's constraint or index is in the way, or other processes kept the schema
            locked for ``MAX_ATTEMPTS`` attempts.
    """
    # Neo4j answers two processes that define the schema of an empty server at once with a deadlock.
    why = ""
    for _ in range(MAX_ATTEMPTS):
        try:
            return _migrate(engine, folder)
        except Conflict as error:
            why = str(error)
    msg = (
        f"the schema cannot be made after {MAX_ATTEMPTS} attempts ({why}): other processes keep it locked, or nodes of "
        f"another application have one of our labels and the same ref; try again later, or {_OWN_DATABASE}"
    )
    raise EngineUnavailable(msg)


def _refuse_foreign(engine: Engine) -> None:
    """Refuse a new database in which others ask something of nodes with our labels, or index what we make unique.

    Raises:
        EngineUnavailable: names the first such constraint or index, and the ways out.
    """
    own = definitions(engine.name)
    unique = {_label(text) for name, text in own.items() if text.startswith("CREATE CONSTRAINT")}
    for row in engine.read(statement("schema_constraints", engine.name)):
        ours = unique.intersection(row["labels"] or ())
        same = row["properties"] == ["ref"] and row["type"] == "UNIQUENESS"
        if ours and not same and row["name"] not in own:
            _refuse("constraint", row, min(ours))
    for row in engine.read(statement("schema_indexes", engine.name)):
        ours = unique.intersection(row["labels"] or ())
        # That of a constraint of ours belongs to none while another process makes it.
        if ours and row["properties"] == ["ref"] and not row["constrains"] and row["name"] not in own:
            _refuse("index", row, min(ours))


def _label(text: str) -> str:
    """Return the label that the statement ``text`` constrains."""
    return text.partition("(n:")[2].partition(")")[0]


def _refuse(what: str, row: Row, label: str) -> NoReturn:
    msg = (
        f"the database has the {what} {row['name']} on (:{label} {{{', '.join(row['properties'])}}}) of another "
        f"application, and this one has nodes with that label too; nothing was changed: {_OWN_DATABASE}, or have it "
        f"dropped: DROP {what.upper()} {row['name']}"
    )
    raise EngineUnavailable(msg)


def _migrate(engine: Engine, folder: Traversable | None) -> tuple[int, int]:
    steps = migrations(engine.name, folder)
    newest = steps[-1][0]
    before = current_version(engine)
    if before > newest:
        msg = f"the store has version {before}, this program knows up to {newest}; upgrade marskg to open it"
        raise StoreTooNew(msg)
    if Capability.EXCLUSIVE_FILES not in engine.capabilities and before < newest:
        _refuse_foreign(engine)
    if not before:
        _define_version(engine, steps)
    for version, statements in steps:
        if version > before:
            engine.define_all(statements)
            if before and version == _WORDS_SINCE:
                _fill_words(engine)
            engine.write(statement("set_store_version", engine.name), {"version": version})
    return before, newest


def define_again(engine: Engine) -> None:
    """Make the types and indexes of all versions that are missing; what is there stays."""
    for _, statements in migrations(engine.name):
        engine.define_all(statements)


def definitions(engine: str) -> dict[str, str]:
    """Return the statements of the migrations for ``engine`` that make a constraint or an index, by its name."""
    return {
        found[1]: text for _, statements in migrations(engine) for text in statements if (found := _DEFINES.match(text))
    }


def _fill_words(engine: Engine) -> None:
    """Give the entities of a store of version 1 the words by which they are found."""
    after = ""
    while True:
        page = engine.read(statement("entity_names", engine.name), {"after": after, "limit": _PAGE})
        if not page:
            return
        rows = [row for found in page for row in word_rows(decode_entity(found["node"])).values()]
        # The migration may run twice.
        engine.write(statement("delete_words", engine.name), {"refs": [row["ref"] for row in rows]})
        engine.write(statement("create_words", engine.name), {"rows": rows})
        after = page[-1]["ref"]


def _define_version(engine: Engine, steps: list[tuple[int, list[str]]]) -> None:
    """Make the version's own type or constraint, before all others."""
    for text in steps[0][1]:
        if "StoreVersion" in text:
            engine.define(text)
