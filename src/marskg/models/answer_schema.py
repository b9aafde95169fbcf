"""What a language model is asked for, as JSON Schema, and whether what it answered is that.

Guarantees: pure; an answer is an object with one list of objects, so that a wrong entry can be left out without the
others; text around the object, which small models like to write, is passed over. Only the part of JSON Schema that the
product's own schemas use is known here; any other word in a schema is an error of this package, not of the model.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

Schema: TypeAlias = Mapping[str, Any]

_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}


@dataclass(frozen=True, slots=True)
class Listing:
    """A question for a list called ``name``, each entry with exactly the ``fields`` of these schemas."""

    name: str
    fields: Mapping[str, Schema]

    @property
    def item(self) -> Schema:
        """Return the schema of an entry."""
        return {
            "type": "object",
            "additionalProperties": False,
            "required": list(self.fields),
            "properties": dict(self.fields),
        }

    @property
    def schema(self) -> Schema:
        """Return the schema of the whole answer."""
        listed = {"type": "array", "items": self.item}
        return {
            "type": "object",
            "additionalProperties": False,
            "required": [self.name],
            "properties": {self.name: listed},
        }

    def read(self, content: str) -> list[dict[str, Any]] | None:
        """Return the entries of an answer as they came; None where it is no such object.

        Whether an entry is of its schema is for :func:`fits`: one that is not does not spoil the others.
        """
        found = _object(content)
        entries = found.get(self.name) if isinstance(found, dict) else None
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            return None
        return entries


def fits(value: object, schema: Schema) -> bool:
    """Return whether a JSON value is of a schema of ``type``, ``enum``, ``properties``, ``required`` and ``items``.

    >>> fits(["a"], {"type": "array", "items": {"type": "string"}}), fits(True, {"type": ["integer", "null"]})
    (True, False)
    """
    wanted = schema["type"]
    names = [wanted] if isinstance(wanted, str) else wanted
    known = any(isinstance(value, _TYPES[name]) for name in names) and not isinstance(value, bool)
    if not known or (isinstance(value, float) and not math.isfinite(value)):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if isinstance(value, list):
        return all(fits(one, schema["items"]) for one in value)
    if isinstance(value, dict):
        fields = schema["properties"]
        return set(schema["required"]) <= set(value) <= set(fields) and all(
            fits(one, fields[name]) for name, one in value.items()
        )
    return True


def _object(content: str) -> Any:  # noqa: ANN401 - JSON
    """Return the JSON of a text: the whole of it, or what stands between its first and its last brace."""
    for part in (content, content[content.find("{") : content.rfind("}") + 1]):
        try:
            return json.loads(part)
        except (ValueError, RecursionError):
            continue
    return None
