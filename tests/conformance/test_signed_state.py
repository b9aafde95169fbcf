"""The signed state of a tenant's row: old stores get one, a key that replaces a lost one begins anew."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from marskg.clock import SeededSource
from marskg.drafts import Draft
from marskg.memory import AgentMemory
from marskg.ontology.vocabulary import Kind
from marskg.store.commit import signed_state
from marskg.store.tenant.opening import attach
from tests.support.stores import START, Apart
from tests.support.unsigned import open_unsigned, unsign

if TYPE_CHECKING:
    import pytest

    from tests.support.stores import Stores

SCRIPT = Path(__file__).parents[2] / "examples" / "verify" / "verify_audit.py"


def again(stores: Stores, memory: AgentMemory) -> AgentMemory:
    """Open the tenant as another process would."""
    opened, _ = attach(
        Apart(stores.engine),  # type: ignore[arg-type]  # an engine by all that it has
        stores.location,
        memory.tenant,
        memory.settings.current,
        clock=stores.clocks[memory.tenant],
        source=SeededSource(7),
        actor="operator",
    )
    return AgentMemory(opened)


def set_row(stores: Stores, memory: AgentMemory, **values: object) -> None:
    text = "MATCH (t:Tenant {ref: $tenant}) SET t += $values"
    stores.engine.write(text, {"tenant": memory.tenant, "values": values})


def as_before(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> AgentMemory:
    """A tenant as a version wrote it that signed no row."""
    memory = open_unsigned(stores, monkeypatch, head_interval=3)
    for number in range(4):
        memory.remember(f"Something that Quentin said on day {number} of the year", subjects=["quentin"])
    memory.erase(subject="quentin")
    memory.remember("What is left")
    unsign(stores, memory)
    return memory


def codes(memory: AgentMemory) -> list[str]:
    return [finding.code for finding in memory.verify().findings]


def test_a_tenant_from_before_is_signed_when_it_is_opened_under_a_record(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = as_before(stores, monkeypatch)
    last = old._writer.state.sequence
    opened = again(stores, old)
    assert codes(opened) == []
    assert opened._writer.state.sequence == last + 1
    assert opened._writer.state.heads[0] == len(opened.audit.heads()) > 0
    assert signed_state.says_signed(next(opened.audit.records(first=last + 1)))
    opened.remember("It goes on")
    assert codes(again(stores, old)) == []
    assert again(stores, old)._writer.state.sequence == last + 2


def test_a_row_that_was_signed_is_not_signed_again_by_opening_it(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = as_before(stores, monkeypatch)
    opened = again(stores, old)
    set_row(stores, opened, signedState=None, stateProof=None, budget=7)
    after = again(stores, old)
    assert codes(after) == ["state-missing"]
    after.remember("An honest write")
    assert codes(again(stores, old)) == ["state-missing"]


def test_a_key_that_replaces_a_lost_one_signs_what_is_there_and_stays_a_warning(stores: Stores) -> None:
    memory = stores.open()
    memory.remember("Something to keep")
    set_row(stores, memory, budget=777)
    changed = again(stores, memory)
    assert codes(changed) == ["state-mismatch"]
    changed.remember("An honest write")
    assert codes(again(stores, memory)) == ["state-changed"]
    after = again(stores, memory)
    after.audit.replace_key()
    assert {finding.severity for finding in again(stores, memory).verify().findings} == {"warning"}
    after.remember("It goes on")
    assert set(codes(again(stores, memory))) == {"lost-key"}


def test_keys_that_are_changed_one_directly_after_the_other_are_followed_here_and_outside(
    stores: Stores, tenant: str, tmp_path: Path
) -> None:
    memory, other = (stores.open(tenant, seed=seed) for seed in (1, 2))
    memory.remember("Something to keep")
    (opened,) = {log.key for log in memory.verify().logs}
    trusted = [
        opened,
        memory.audit.rotate_key(),
        memory.audit.replace_key(),
        other.audit.rotate_key(),
        memory.audit.replace_key(),
    ]
    trusted.append(memory.audit.rotate_key())
    other.remember("It goes on")
    memory.retrieve("on")
    assert set(codes(again(stores, memory))) == {"lost-key"}
    memory.export(tmp_path / "out.nq", audit=True)
    named = [word for key in trusted for word in ("--key", key)]
    outside = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path / "out.nq"), *named], capture_output=True, text=True, check=False
    )
    assert outside.returncode == 0, outside.stdout


def test_a_head_that_is_signed_while_units_are_written_in_the_background_is_counted(stores: Stores) -> None:
    memory = stores.open(head_interval=7)
    drafts = (Draft(ref=f"d{n}", kind=Kind.SEMANTIC, content=f"Line {n} of many", at=START + n) for n in range(1, 600))
    memory.remember_many(drafts)
    assert len(memory.audit.heads()) > 1
    assert memory._writer.state.heads[0] == len(memory.audit.heads())
    assert codes(again(stores, memory)) == []
