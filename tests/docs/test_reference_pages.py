"""What is written by hand in the reference leaves out nothing that the code has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from marskg.ontology.fields import (
    ENTITY_FIELDS,
    MEMORY_FIELDS,
    NODE_DETAIL_FIELDS,
    PAYLOAD_FIELDS,
    RECORD_DETAIL_FIELDS,
)
from marskg.ontology.vocabulary import Cardinality, EdgeType, Kind, MemoryClass, Operation, SourceType, TaskStatus
from marskg.policies.registry import POLICY_NAMES
from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable

REFERENCE = ROOT / "docs" / "reference"
VERIFIER = (ROOT / "src" / "marskg" / "audit" / "verify.py").read_text(encoding="utf-8")
PAYLOADS = [field.local for fields in PAYLOAD_FIELDS.values() for field in fields]
#: The classes are on the page of their lives, the rest is here.
EXPECTED = {
    "audit.md": [
        *(field.local for field in (*RECORD_DETAIL_FIELDS, *NODE_DETAIL_FIELDS)),
        *Operation,
        *sorted(set(re.findall(r'_find\(\s*"([a-z-]+)"', VERIFIER))),
    ],
    "data-model.md": [
        *(field.local for field in (*MEMORY_FIELDS, *ENTITY_FIELDS)),
        *PAYLOADS,
        *Kind,
        *EdgeType,
        *Cardinality,
        *SourceType,
        *TaskStatus,
    ],
    "policies.md": [*POLICY_NAMES, "low_water", "spare_margin", "evict_to", "grace"],
    "defaults.md": [f"lives.{life}" for life in MemoryClass],
}


def missing(page: str, names: Iterable[str]) -> list[str]:
    """Return the ``names`` that ``page`` does not show as code."""
    prose = re.sub(r"^```.*?^```", "", page, flags=re.DOTALL | re.MULTILINE)
    shown = set(re.findall(r"[\w.-]+", " ".join(re.findall(r"`([^`]+)`", prose))))
    return [name for name in names if name not in shown and not any(item.endswith(f".{name}") for item in shown)]


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_nothing_is_left_out(name: str) -> None:
    assert not missing((REFERENCE / name).read_text(encoding="utf-8"), EXPECTED[name])


def test_what_is_left_out_is_found() -> None:
    assert missing("`one`, two, `a.three`", ["one", "two", "three"]) == ["two"]
