"""A dictionary of one's own: names with types and aliases, from a YAML file.

Guarantees: a file is checked whole before a name of it is used; what is malformed is refused with the file, the place
and what is allowed; no two entries share a name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.config import read_yaml
from marskg.drafts import EntityRef
from marskg.entities.payload import MAX_LETTERS, is_admissible
from marskg.errors import InvalidConfig
from marskg.language.mentions import EntityType, folded_name

if TYPE_CHECKING:
    from pathlib import Path

_FIELDS: Final = ("name", "type", "aliases")
_TYPES: Final = tuple(EntityType)
_EXAMPLE: Final = "write for example: entities: [{name: Robert Smith, type: person, aliases: [Bob]}]"


def load_dictionary(path: str | Path) -> tuple[EntityRef, ...]:
    """Return the entities of the YAML file ``path``: under ``entities`` a list of ``name``, ``type`` and ``aliases``.

    Raises:
        InvalidConfig: the file cannot be read, or an entry is not one.
    """
    given = read_yaml(path)
    entries = given.get("entities")
    if set(given) != {"entities"} or not isinstance(entries, list):
        msg = f"{path}: a dictionary is one list under the key entities; {_EXAMPLE}"
        raise InvalidConfig(msg)
    found: dict[str, EntityRef] = {}
    for place, entry in enumerate(entries, start=1):
        entity = _entity(f"{path}: entry {place}", entry)
        key = folded_name(entity.name)
        if key in found:
            msg = f"{path}: entry {place} has the name of an earlier one; give further names as aliases of one entry"
            raise InvalidConfig(msg)
        found[key] = entity
    return tuple(found.values())


def _entity(where: str, entry: object) -> EntityRef:
    if not isinstance(entry, dict) or not set(entry) <= set(_FIELDS) or "name" not in entry:
        msg = f"{where} must be a mapping with name, and if you like type and aliases; {_EXAMPLE}"
        raise InvalidConfig(msg)
    type_ = entry.get("type")
    if type_ is not None and type_ not in _TYPES:
        msg = f"{where}: its type is unknown; use one of {', '.join(_TYPES)}, or leave it out"
        raise InvalidConfig(msg)
    aliases = entry.get("aliases") or []
    if not isinstance(aliases, list):
        msg = f"{where}: aliases must be a list; {_EXAMPLE}"
        raise InvalidConfig(msg)
    name, *others = (_name(where, item) for item in (entry["name"], *aliases))
    return EntityRef(name, None if type_ is None else str(type_), tuple(sorted(set(others) - {name})))


def _name(where: str, value: object) -> str:
    name = " ".join(value.split()) if isinstance(value, str) else ""
    if not is_admissible(name):
        msg = f"{where}: a name must be a text of 1 to {MAX_LETTERS} letters that is no address, handle or number"
        raise InvalidConfig(msg)
    return name
