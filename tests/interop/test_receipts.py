"""Receipts verify with Digital Bazaar's packages, and with none of the product's code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support import stores as support

if TYPE_CHECKING:
    from tests.interop.conftest import Node


@pytest.fixture(scope="module")
def receipts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Receipts of a memory that is kept, of one that was removed, and of an erasure."""
    opened = support.embedded(tmp_path_factory.mktemp("receipts") / "store")
    memory = opened.open()
    gone = memory.remember("The first to go", subjects=["bea"])
    kept = memory.remember("It stays for good", subjects=["carl"])
    memory.forget(memory.plan(policy="fifo", budget=kept.weight))
    found = {
        "kept": memory.audit.receipt(kept.id).document,
        "removed": memory.audit.receipt(gone.id).document,
        "erased": memory.erase(subject="carl").document,
    }
    opened.engine.close()
    return found


@pytest.mark.parametrize("name", ["kept", "removed", "erased"])
def test_receipts_verify_there(node: Node, receipts: dict[str, dict[str, Any]], name: str) -> None:
    assert node("verify", document=receipts[name]) == {"verified": True}


def test_a_receipt_that_was_changed_does_not_verify_there(node: Node, receipts: dict[str, dict[str, Any]]) -> None:
    changed = {**receipts["removed"], "erasureClaim": "bytes"}
    answer = node("verify", document=changed)
    assert not answer["verified"]
    assert "Invalid signature" in answer["error"]
