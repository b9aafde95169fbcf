"""``mars audit receipt``, ``mars verify --receipt`` and ``mars audit who-saw`` on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Outcome

NOBODY = "urn:uuid:01920000-0000-7000-8000-0000000000ff"


def test_a_receipt_is_written_and_verified(
    here: Callable[..., Outcome], mars: Callable[..., Outcome], ids: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "receipt.jsonld"
    told = here("audit", "receipt", ids["tea"], "--output", file)
    assert told.status == 0
    assert "dpv:Store" in told.out
    assert "tea" not in told.out, "no content"
    assert here("verify", "--receipt", file).status == 0
    alone = mars("verify", "--receipt", file, "--json").json()
    assert alone["ok"]
    assert not alone["held_against_store"]
    document = json.loads(file.read_text("utf-8"))
    assert here("audit", "receipt", 3, "--json").json()["document"]["type"] == document["type"]
    file.write_text(json.dumps({**document, "erasureClaim": "bytes"}), "utf-8")
    found = mars("verify", "--receipt", file, "--json")
    assert found.status == 1
    assert [finding["code"] for finding in found.json()["findings"]] == ["bad-signature"]


def test_what_is_no_receipt_is_refused(here: Callable[..., Outcome], tmp_path: Path) -> None:
    file = tmp_path / "receipt.jsonld"
    for text in ("[]", "{", '{"type": "AuditRecord"}', "\x00", '{"type": "ErasureReceipt", "proof": 7}'):
        file.write_text(text, "utf-8")
        assert here("verify", "--receipt", file).status == 2, text
    assert "leave --export" in here("verify", "--receipt", file, "--export", file).error
    assert here("audit", "receipt", NOBODY).status == 1
    assert here("audit", "receipt", 0).status == 2
    assert here("audit", "receipt", "no-id").status == 2


def test_who_saw(here: Callable[..., Outcome], ids: dict[str, str]) -> None:
    assert "shown 0 times" in here("audit", "who-saw", ids["tea"]).out
    here("retrieve", "tea", "--purpose", "support")
    found = here("audit", "who-saw", ids["tea"], "--json").json()
    assert [(item["call"], item["purpose"], item["by"]) for item in found["seen"]] == [
        ("retrieve", "support", "operator")
    ]
    assert "support" in here("audit", "who-saw", ids["tea"]).out
    assert "nothing was ever erased" in here("audit", "who-saw", NOBODY).error
    here("erase", "--id", ids["tea"], "--yes")
    assert "the log forgot it then" in here("audit", "who-saw", ids["tea"]).out
