"""The texts of the packaged ``.cypher`` files, without their comments.

Guarantees: an engine that needs a text of its own has a file of the same name in its own folder, which is taken.
"""

from __future__ import annotations

from importlib.resources import files


def cypher_text(name: str, engine: str | None = None, *, package: str = "marskg.store") -> str:
    """Return the lines of the statement ``name`` of ``package``; of ``engine`` where it has a text of its own."""
    shared = files(package) / "cypher"
    own = None if engine is None else shared / engine / f"{name}.cypher"
    text = (own if own is not None and own.is_file() else shared / f"{name}.cypher").read_text(encoding="utf-8")
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))
