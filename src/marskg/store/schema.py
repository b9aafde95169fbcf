"""The store's version and the migrations that lead to it.

Guarantees: a migration is a numbered file of statements, each of which may run twice; a store of a newer version is
refused before anything is read; the version is written only after the last statement of its migration.
"""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING

from marskg.errors import EngineUnavailable, StoreTooNew
from marskg.store.codec import decode_entity
from marskg.store.engine import Conflict
from marskg.store.names import word_rows
from marskg.store.statements import statement

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from marskg.store.engine import Engine

_NAME = re.compile(r"^(\d{4})-[a-z0-9-]+\.(?:cypher|sql)$")
_DEFINES = re.compile(r"CREATE (?:CONSTRAINT|INDEX) (\w+) ")
#: How often a migration is begun again because another process defines the same schema at the same time.
MAX_ATTEMPTS = 20
#: The version from which on entities are found by words, and entities that are given theirs at once.
_WORDS_SINCE = 2
_PAGE = 500
_COMMENT = re.compile(r"^\s*(?:--|//).*$", re.MULTILINE)


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
    """Return the version that the store says it has; 0 for an empty one."""
    rows = engine.read(statement("store_version", engine.name))
    return int(rows[0]["version"]) if rows else 0


def migrate(engine: Engine, folder: Traversable | None = None) -> tuple[int, int]:
    """Bring the store to the newest version; returns the versions before and after.

    Raises:
        StoreTooNew: the store was written by a newer version of this package.
        EngineUnavailable: other processes kept the schema locked for ``MAX_ATTEMPTS`` attempts.
    """
    # Neo4j answers two processes that define the schema of an empty server at once with a deadlock.
    for _ in range(MAX_ATTEMPTS):
        try:
            return _migrate(engine, folder)
        except Conflict:
            continue
    msg = f"the schema stays locked by other processes after {MAX_ATTEMPTS} attempts; try again later"
    raise EngineUnavailable(msg)


def _migrate(engine: Engine, folder: Traversable | None) -> tuple[int, int]:
    steps = migrations(engine.name, folder)
    newest = steps[-1][0]
    # On a new ArcadeDB folder the type must exist before it can be matched.
    before = current_version(engine) if _has_version_type(engine, steps) else 0
    if before > newest:
        msg = f"the store has version {before}, this program knows up to {newest}; upgrade marskg to open it"
        raise StoreTooNew(msg)
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


def _has_version_type(engine: Engine, steps: list[tuple[int, list[str]]]) -> bool:
    """Make the version's own type or constraint, which every store has, and say that it can be asked now."""
    for text in steps[0][1]:
        if "StoreVersion" in text:
            engine.define(text)
    return True
