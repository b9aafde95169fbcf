"""What git 49f5ff0 wrote to an encrypted tenant is read, and equal values are found by the digests that it wrote.

``encrypted_49f5ff0.json`` holds the keys of a tenant, the encrypted and digested properties of some of its nodes as
they lay in the store, and the same in clear, both written by that version.
"""

from __future__ import annotations

import json
from base64 import b64decode
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from marskg.ontology.fields import Protection
from marskg.ontology.protection import Sort, of_class
from marskg.store.crypto.field_encryption import FieldEncryption
from marskg.store.crypto.keyring import DataKeyring
from marskg.store.statements.handling import Changes, LookUp, Nodes, Statement, handled

OLD: dict[str, Any] = json.loads(Path(__file__).with_name("encrypted_49f5ff0.json").read_text("utf-8"))


@pytest.fixture
def fields(tmp_path: Path) -> FieldEncryption:
    for name, data in (("tenant.key", OLD["tenantKey"]), ("data.keys", OLD["dataKeys"])):
        path = tmp_path / name
        path.write_bytes(b64decode(data))
        path.chmod(0o600)
    return FieldEncryption(OLD["tenant"], DataKeyring(tmp_path, OLD["tenant"]))


def reading(sort: Sort) -> Statement:
    return Statement("", "reading", handled(found={"node": Nodes(sort)}))


def writing(sort: Sort) -> Statement:
    return Statement("", "writing", handled(rows=Nodes(sort)))


@pytest.mark.parametrize("sort", [Sort.MEMORY, Sort.ENTITY, Sort.PREFERENCE, Sort.RECORD])
def test_what_it_wrote_is_read(fields: FieldEncryption, sort: Sort) -> None:
    rows = [{"node": node} for node in deepcopy(OLD["stored"][sort])]
    found = [row["node"] for row in fields.received(reading(sort), {}, rows)]
    assert found == OLD["clear"][sort]
    assert found, "there are some"


@pytest.mark.parametrize("sort", [Sort.MEMORY, Sort.ENTITY, Sort.PREFERENCE, Sort.RECORD])
def test_the_same_is_written_but_for_what_is_chance(fields: FieldEncryption, sort: Sort) -> None:
    (sent,) = fields.sent(writing(sort), {"rows": deepcopy(OLD["clear"][sort])}).values()
    secret = of_class(sort, Protection.ENCRYPTED)
    for new, old in zip(sent, OLD["stored"][sort], strict=True):
        assert new.keys() == old.keys()
        for name, value in new.items():
            if name not in secret:
                assert value == old[name], name
            else:
                one, other = (part if isinstance(part, list) else [part] for part in (value, old[name]))
                assert one[1:] == other[1:], "digests stand after the envelope"
                assert one[0][: one[0].rindex(":")] == other[0][: other[0].rindex(":")]
                assert len(one[0]) == len(other[0])


def test_the_words_of_names_are_the_same(fields: FieldEncryption) -> None:
    stored = OLD["stored"][Sort.WORD]
    name = OLD["clear"][Sort.ENTITY][0]["name"].casefold()
    bearer = OLD["clear"][Sort.ENTITY][0]["ref"]
    rows = [
        {"ref": f"{bearer}|{word}", "wordKey": f"{OLD['tenant']}|{word}", "tenant": OLD["tenant"], "bearer": bearer}
        for word in ("quince", name.partition(" ")[0])
    ]
    (sent,) = fields.sent(writing(Sort.WORD), {"rows": rows}).values()
    known = {(row["ref"], row["wordKey"]) for row in stored}
    assert any((row["ref"], row["wordKey"]) in known for row in sent)
    found = Statement("", "finding", handled(keys=LookUp("word")))
    assert set(fields.sent(found, {"keys": [rows[0]["wordKey"]]})["keys"]) <= {row["wordKey"] for row in stored}


@pytest.mark.parametrize(
    ("domain", "name", "place"), [("source", "sourceRef", "sourceDigest"), ("subject", "subjects", "subjects")]
)
def test_what_is_looked_up_is_found(fields: FieldEncryption, domain: str, name: str, place: str) -> None:
    told, stored = OLD["clear"][Sort.MEMORY][0], OLD["stored"][Sort.MEMORY][0]
    value = told[name][0] if isinstance(told[name], list) else told[name]
    finding = Statement("", "finding", handled(value=LookUp(domain)))
    assert fields.sent(finding, {"value": value})["value"] in stored[place]


# --- Whose keys a change is under -----------------------------------------------------------------------------------


def stored(refs: list[str]) -> list[dict[str, Any]]:
    return [node for node in deepcopy(OLD["stored"][Sort.MEMORY]) if node["ref"] in refs]


def changed(fields: FieldEncryption, number: int, **changes: Any) -> dict[str, Any]:
    """Return what a change of a memory sends, read again as a tenant in clear would have it."""
    ref = OLD["clear"][Sort.MEMORY][number]["ref"]
    changing = Statement("", "changing", handled(rows=Changes(Sort.MEMORY)))
    (row,) = fields.sent(changing, {"rows": [{"ref": ref, "set": changes}]}, stored)["rows"]
    assert row["ref"] == ref
    (found,) = fields.received(reading(Sort.MEMORY), {}, [{"node": {"ref": ref, **row["set"]}}])
    return dict(found["node"])


def test_a_change_is_under_the_keys_of_those_whom_the_memory_is_about(fields: FieldEncryption) -> None:
    found = changed(fields, 0, content="another text", weight=3)
    assert (found["content"], found["weight"]) == ("another text", 3)
    assert "subjects" not in found


@pytest.mark.parametrize("subjects", [["carl"], ["bea", "carl"], None])
def test_whom_it_is_about_changes_all_envelopes(fields: FieldEncryption, subjects: list[str] | None) -> None:
    told = OLD["clear"][Sort.MEMORY][0]
    found = changed(fields, 0, subjects=subjects)
    assert found["subjects"] == subjects
    assert found["content"] == told["content"]
    assert found["salt"] == told["salt"]


def test_what_loses_its_content_needs_no_key(fields: FieldEncryption) -> None:
    found = changed(fields, 0, content=None, subjects=None, sourceRef=None, salt=None, tier="tombstone")
    assert [name for name, value in found.items() if value is not None] == ["ref", "tier"]
