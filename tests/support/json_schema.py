"""JSON Schema 2020-12 as another implementation than ours reads it: the package jsonschema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

if TYPE_CHECKING:
    from collections.abc import Mapping


def check_schema(schema: Mapping[str, Any]) -> None:
    """Refuse what is no schema."""
    Draft202012Validator.check_schema(schema)


def faults(document: object, schema: Mapping[str, Any]) -> list[str]:
    """Return where a document is not as a schema says, and how."""
    return [
        f"{'/'.join(map(str, fault.absolute_path)) or 'the document'}: {fault.message[:300]}"
        for fault in Draft202012Validator(schema).iter_errors(document)
    ]
