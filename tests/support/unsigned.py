"""Tenants as versions wrote them that signed no row (:mod:`marskg.store.commit.signed_state`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from marskg.store.tenant import creation

if TYPE_CHECKING:
    import pytest

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

_SIGNED: Final = ("signedState", "stateProof", "heads", "suppressionHash")


def open_unsigned(stores: Stores, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> AgentMemory:
    """Open a new tenant whose log does not say that its row is signed."""
    with monkeypatch.context() as patch:
        patch.setattr(creation, "MARK", "opened=before")
        return stores.open(**settings)


def unsign(stores: Stores, memory: AgentMemory, *more: str) -> None:
    """Take from the row what it is signed with, and the properties ``more``."""
    values = dict.fromkeys((*_SIGNED, *more))
    text = "MATCH (t:Tenant {ref: $tenant}) SET t += $values"
    stores.engine.write(text, {"tenant": memory.tenant, "values": values})
