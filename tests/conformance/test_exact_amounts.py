"""Amounts keep all their digits: at every door, in clear and encrypted, out of the store and back, and gone whole."""

from __future__ import annotations

import json
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.answer import plain
from marskg.ontology.vocabulary import NS
from tests.support import picture as pictures
from tests.support import reading

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

#: What is given, and what it is in decimal digits.
GIVEN: Sequence[tuple[Any, str]] = (
    (1e-9, "0.000000001"),
    (-2.5e-6, "-0.0000025"),
    (Decimal("0.000000000000000001"), "0.000000000000000001"),
    (2**53 + 1, "9007199254740993"),
    (-(2**63), "-9223372036854775808"),
    ("9007199254740993.000000000000000001", "9007199254740993.000000000000000001"),
    (10**20, "100000000000000000000"),
    (123456789012.12346, "123456789012.12346"),
    (0.1 + 0.2, "0.3"),
    ("12.50", "12.5"),
    (1 / 300, "0.003333333333333334"),
    (-0.0, "0"),
)
#: Their sum in units of 1e-18, which are integers.
TOTAL = sum(int(Decimal(digits).scaleb(18, Context(prec=60))) for _, digits in GIVEN)
DIGITS = "MATCH (m {tenant: $tenant}) WHERE m.amountDigits IS NOT NULL RETURN m.amountDigits AS digits"
BEYOND_A_DOUBLE = 9
SUM = f"SELECT (SUM(?amount) AS ?sum) WHERE {{ ?entry <{NS}amount> ?amount }}"


def entered(stores: Stores, **settings: Any) -> AgentMemory:
    memory = stores.open(embedding__model="none", sensitivity__assess="off", **settings)
    for given, digits in GIVEN:
        memory.remember(
            f"A dose of {digits}", kind="semantic", key="dose/all", cardinality="append", subjects=["ann"],
            payload={"amount": given, "unit": "g"},
        )  # fmt: skip
    return memory


def kept(memory: AgentMemory) -> list[Decimal]:
    """Return the amounts that a tenant has, a float by the digits that Python shows."""
    found = [one.payload["amount"] for one in sorted(memory.memories(), key=lambda one: one.sequence)]
    return [Decimal(str(amount)) for amount in found]


@pytest.fixture(autouse=True)
def keyrings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARS_VAULTS", str(tmp_path / "vaults"))


@pytest.fixture(params=["clear", "encrypted"])
def settings(request: pytest.FixtureRequest) -> dict[str, Any]:
    return {} if request.param == "clear" else {"encryption": "subjects"}


def test_all_digits_are_kept_and_added_up(stores: Stores, settings: dict[str, Any]) -> None:
    memory = entered(stores, **settings)
    assert kept(memory) == [Decimal(digits) for _, digits in GIVEN]
    (total,) = memory.read_all(key_prefix="dose", sums=True).sums
    assert int(total.total.scaleb(18, Context(prec=60))) == TOTAL
    line = memory.retrieve("What is the total of all the doses?").complete
    assert line is not None
    assert f"total {total.total:f} g" in line.text
    assert reading.shut(memory, reading.SOUND) == []
    assert pictures.faults(pictures.take(memory.store.engine, memory.tenant)) == []


def test_they_leave_and_come_back_as_they_are(stores: Stores, tmp_path: Path) -> None:
    memory = entered(stores)
    for name in ("all.nq", "all.jsonld", "all.ttl"):
        path = tmp_path / name
        memory.export(path)
        other = stores.open(embedding__model="none")
        other.load(path)
        assert kept(other) == kept(memory), name
        assert other.validate(full=True).ok
    ((added,),) = memory.sparql(SUM).rows
    assert int(Decimal(str(added)).scaleb(18, Context(prec=60))) == TOTAL
    memory.snapshots.save(tmp_path / "all.mars")
    memory.remember("Something else", kind="semantic", payload={"amount": 1})
    memory.snapshots.load(tmp_path / "all.mars")
    assert kept(memory) == [Decimal(digits) for _, digits in GIVEN]
    shown = json.loads(json.dumps(plain(dict(next(iter(memory.memories())).payload))))
    assert shown == {"amount": 1e-9, "unit": "g"}


def test_they_go_with_the_content(stores: Stores) -> None:
    memory = entered(stores)
    assert len(memory.store.engine.read(DIGITS, {"tenant": memory.tenant})) == BEYOND_A_DOUBLE
    memory.erase(subject="ann")
    assert memory.store.engine.read(DIGITS, {"tenant": memory.tenant}) == []


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        ("twelve", 'must be a number, such as 12.5 or "12.5"'),
        (True, "must be a number"),
        (Decimal("NaN"), "must be a finite number, not NaN"),
        (10**20 + 1, r"is outside \[-10\^20, 10\^20\]; give it in a larger unit"),
        (10**4000, r"is outside \["),
        (1e300, r"is outside \["),
        (Decimal("1e-19"), "has more than 18 digits after the point; round it to 18"),
        (1 / 70000, "has more than 18 digits after the point"),
    ],
)
def test_what_would_be_another_amount_is_refused(stores: Stores, amount: Any, said: str) -> None:
    memory = stores.open(embedding__model="none")
    with pytest.raises(marskg.InvalidMemory, match=f"payload field 'amount' {said}"):
        memory.remember("A dose", kind="semantic", payload={"amount": amount})
    assert list(memory.memories()) == []


@pytest.mark.parametrize("digits", ["0.2", "one", "1e-9", ""])
def test_digits_that_are_not_those_of_the_amount_are_damage(stores: Stores, digits: str) -> None:
    memory = entered(stores)
    one = next(iter(memory.memories()))
    ref = f"{memory.tenant}|{one.id}"
    stores.engine.write("MATCH (m:Memory {ref: $ref}) SET m.amountDigits = $digits", {"ref": ref, "digits": digits})
    assert any(found.where == one.id for found in memory.verify().findings)


def test_a_query_that_says_no_number_gets_its_text(stores: Stores) -> None:
    memory = entered(stores)
    said = (("inf", "decimal"), ("1_000", "decimal"), ("1e3", "decimal"), ("1_000", "integer"), ("1_0.5", "double"))
    terms = " ".join(f'("{text}"^^xsd:{kind} AS ?v{place})' for place, (text, kind) in enumerate(said))
    (row,) = memory.sparql(f"SELECT {terms} {{}}").rows
    assert tuple(row) == tuple(text for text, _ in said)
