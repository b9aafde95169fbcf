"""Keys that look alike are one key at every door, and no others are; items of an adapter stay apart by every letter."""

from __future__ import annotations

import random
import unicodedata
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.adapters.langgraph import MarsStore
from marskg.drafts import Draft
from marskg.errors import InvalidDocument, InvalidMemory, NotPermitted
from marskg.ontology.vocabulary import Kind
from marskg.text import as_key
from tests.integration.test_mcp import asked, call
from tests.integration.test_serve import keep, served

if TYPE_CHECKING:
    from pathlib import Path

    from mcp import Client

    from marskg.memory import AgentMemory

#: Ways to write one key, as people and attackers find them.
CITY = (
    "city", "City", "CITY", "city ", " city", "city\u200b", "ci\u00adty", "c\u2060ity", "city\ufe0f", "ci\u034fty",
    "\u0441ity", "\u0421ity", "\u0441it\u0443", "c\u0456ty", "/city", "city/", "//city", "/ city /",
    "\uff43\uff49\uff54\uff59", "\U0001d41c\U0001d422\U0001d42d\U0001d432",
    "C\u0130TY", "c\u0131ty", "\tcity\n", "\u00a0city", "city\x07", "\u202ecity",
)  # fmt: skip
#: Keys that people tell apart.
APART = (
    "city", "home/city", "home city", "homecity", "home_city", "home-city", "city/home", "cities", "c", "café", "cafe",
    "город", "города", "城市", "城", "مدينة", "مدن", "שלום", "नगर", "नगरी", "도시", "πόλη",
    "\u0441\u043e\u0441\u043e", "coco", "ssh://ann@host/a",
    "person/мама/age", "person/mama/age", "budget/2025", "budget/2026", "a+", "a", "c++", "c#", "50%", "50",
)  # fmt: skip


def opened(path: Path, principal: str = "operator") -> AgentMemory:
    """Return the tenant ``t`` of a store."""
    budget = 50_000 if principal == "operator" else None
    return marskg.open(path, tenant="t", budget=budget, principal=principal)


def current(memory: AgentMemory, key: str) -> list[str]:
    """Return the contents that hold now of what ``key`` is asked for."""
    return [hit.memory.content or "" for hit in memory.read_all(key_prefix=key).hits]


def disguised(key: str, chance: random.Random) -> str:
    """Return a key that looks like ``key``."""
    latin = {"a": "\u0430", "c": "\u0441", "e": "\u0435", "o": "\u043e", "p": "\u0440", "y": "\u0443", "i": "\u0456"}
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(key))
        parts = key.split("/")
        ways = [
            key.upper() if key.upper().lower() == key else key,
            key.title(),
            f" {key}\t",
            f"/{key}//",
            " / ".join(parts),
            "//".join(parts),
            key.replace(" ", "  "),
            f"{key[:at]}\u200b{key[at:]}",
            f"{key}\ufeff",
            unicodedata.normalize("NFD", key),
            "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in key),
        ]
        whole = key.isascii() and key[at] in latin and key[max(0, at - 1) : at + 2].strip(key[at]).isalpha()
        key = chance.choice([*ways, key[:at] + latin[key[at]] + key[at + 1 :]] if whole else ways)
    return key


def test_every_way_to_write_a_key_names_one_slot_at_every_door(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        for number, key in enumerate(CITY):
            kept = memory.remember(f"Ann lives in place {number}", kind="semantic", key=key, subjects=["Ann"])
            assert kept.key == "city", repr(key)
        last = f"Ann lives in place {len(CITY) - 1}"
        for key in CITY:
            # With a slash at its end it is asked for what lies below it.
            wanted = [] if key.rstrip().endswith("/") else [last]
            assert current(memory, key) == wanted, repr(key)
            found = memory.retrieve("Where does Ann live?", key_prefix=key, min_confidence=0)
            assert [hit.memory.content for hit in found] == wanted, repr(key)
        assert len(memory.history(kept.id)) == len(CITY)
        assert memory.verify().ok
        assert memory.retract("\u0421ITY", subjects=["Ann"])
        assert current(memory, "city") == []
        at = memory.now()
        drafts = [
            Draft(ref="a", kind=Kind.TASK, content="Call the bank", at=at, key="Todo/Bank"),
            Draft(ref="b", kind=Kind.SEMANTIC, content="Ann likes tea", at=at, key="TASTE "),
        ]
        memory.remember_many(drafts)
        memory.remember_many(
            [
                Draft(ref="c", kind=Kind.TASK, content="", at=at, key="todo//bank", action="close_task"),
                Draft(ref="d", kind=Kind.SEMANTIC, content="", at=at, key="t\u0430ste", action="retract"),
            ]
        )
        assert current(memory, "todo") == current(memory, "taste") == []


def test_keys_that_look_alike_are_one_and_others_are_two(tmp_path: Path) -> None:
    chance = random.Random(53)
    with opened(tmp_path) as memory:
        said = {}
        for place in range(4):
            for key in chance.sample(APART, len(APART)):
                written = key if place == 0 else disguised(key, chance)
                assert as_key(written) == as_key(key), (key, written)
                said[key] = memory.remember(f"value {place} of {key}", kind="semantic", key=written).content
        shown = {one.key: one.content for one in memory.memories() if one.current}
        assert len(shown) == len(APART)
        assert set(shown.values()) == set(said.values())
        for key, content in said.items():
            assert shown[as_key(key)] == content


def test_an_agent_puts_nothing_beside_the_users_word_under_a_key_that_looks_like_its(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember("Ann lives in Graz", kind="semantic", key="city")
    with opened(tmp_path, "agent:bot") as agent:
        for key in CITY:
            with pytest.raises(NotPermitted, match="may not overrule"):
                agent.remember("Ann lives in Rome", kind="semantic", key=key)
            with pytest.raises(NotPermitted, match="may not overrule"):
                agent.retract(key)
    with opened(tmp_path) as memory:
        assert current(memory, "city") == ["Ann lives in Graz"]


def test_what_is_learned_and_what_is_told_with_its_key_in_another_writing_are_one(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.learn("I live in Graz.")
        key = next(one.key for one in memory.memories() if one.key is not None)
        subjects = next(one.subjects for one in memory.memories() if one.key is not None)
        memory.remember("The user lives in Linz", kind="semantic", key=f"/{key.upper()}/ ", subjects=subjects)
        assert current(memory, key) == ["The user lives in Linz"]
        assert memory.retrieve(f"{key.title()}?")[0].memory.content == "The user lives in Linz"


def test_http_and_mcp_have_the_slot_of_every_writing(tmp_path: Path) -> None:
    with served(tmp_path) as client:
        for number, key in enumerate(CITY):
            told = keep(client, f"place {number}", kind="semantic", key=key)
            assert client.get(told.headers["location"]).json()["key"] == "city"

    async def script(client: Client) -> Any:
        for number, key in enumerate(CITY):
            told = await call(client, "remember", content=f"mcp {number}", kind="semantic", key=key)
        return (await call(client, "get_memory", id=told["id"], history=True))["versions"]

    assert {one["key"] for one in asked(tmp_path, "agent:bot", script)} == {"city"}
    with opened(tmp_path) as memory:
        assert current(memory, "city") == [f"mcp {len(CITY) - 1}"]


def test_items_of_an_adapter_are_apart_by_every_letter(tmp_path: Path) -> None:
    names = (
        "Olga", "olga", "OLGA", "olga ", "\uff4flga", "\u043elga", "\u00e9", "e\u0301", "\u00c9", "a/b", "a//b", "a",
        "%41", "A", "ß", "ss", "\u0130", "i", "\u0131", "I", "\u2019", "'", "\u2013", "-", "\u200b", "x\u200b", "x",
        "=x",
    )  # fmt: skip
    with opened(tmp_path) as memory:
        store = MarsStore(memory)
        for first in names:
            store.put(("users", first), "k", {"text": f"namespace {first!r}"})
            store.put(("users",), first, {"text": f"item {first!r}"})
        for first in names:
            for namespace, name, what in ((("users", first), "k", "namespace"), (("users",), first, "item")):
                found = store.get(namespace, name)
                assert found is not None
                assert found.value == {"text": f"{what} {first!r}"}
            assert [one.namespace for one in store.search(("users", first))] == [("users", first)]
        assert set(store.list_namespaces(prefix=("users",), limit=100)) == {
            ("users",),
            *(("users", one) for one in names),
        }
        store.delete(("users", "Olga"), "k")
        assert store.get(("users", "Olga"), "k") is None
        assert store.get(("users", "olga"), "k") is not None
        keys = [one.key for one in memory.memories() if one.key is not None]
        assert all(as_key(key) == key for key in keys)


def test_a_document_with_a_key_in_another_writing_is_refused_and_told_how_it_is_written(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as memory:
        memory.remember("Ann lives in Graz", kind="semantic", key="zqcity")
        memory.export(tmp_path / "one.jsonld")
    text = (tmp_path / "one.jsonld").read_text()
    assert '"zqcity"' in text
    for number, key in enumerate(("ZQcity", " zqcity", "/zqcity", "zq\u0441ity", "zqcity\u200b")):
        changed = tmp_path / f"{number}.jsonld"
        changed.write_text(text.replace('"zqcity"', f'"{key}"'))
        with opened(tmp_path / "b") as memory:
            with pytest.raises(InvalidDocument, match="it is written 'zqcity'; nothing was loaded"):
                memory.load(changed)
            assert list(memory.memories()) == []
    with opened(tmp_path / "b") as memory:
        memory.load(tmp_path / "one.jsonld")
        assert current(memory, "ZQCITY") == ["Ann lives in Graz"]


def test_a_key_of_nothing_that_is_seen_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        for key in ("", " ", "/", "//", "\u200b", "\u200b/\u2060", "\x07"):
            with pytest.raises(InvalidMemory, match="key"):
                memory.remember("Ann rows", kind="semantic", key=key)
        for key in ("x" * 1001, "城" * 334, "\ufdfa" * 333, "\ufdfa" * 40):
            with pytest.raises(InvalidMemory, match="longer than 1000 bytes"):
                memory.remember("Ann rows", kind="semantic", key=key)
        with pytest.raises(InvalidMemory, match="review"):
            memory.remember("Ann rows", kind="semantic", key=" /Proposed//x")
        assert list(memory.memories()) == []
