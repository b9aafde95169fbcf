"""LangGraph's store over a tenant: values come back, and delete, time to live, budget and gate mean what they say."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from langgraph.store.base import GetOp, InvalidNamespaceError, ListNamespacesOp, MatchCondition, PutOp, SearchOp

from marskg.adapters.langgraph import MarsStore
from marskg.errors import ErasedContentRefused, InvalidInput, MarsError, NotPermitted
from marskg.ontology.vocabulary import Operation
from tests.support.stores import START

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

TEA = {"text": "Ann likes green tea in the morning", "cups": 3, "deep": {"a": [1, 2.5, {"b": None}], "ok": True}}
MINUTE = 60_000


@pytest.fixture
def memory(stores: Stores) -> AgentMemory:
    return stores.open(budget=10_000)


def values(memory: AgentMemory, **asked: Any) -> list[str | None]:
    """Return the texts of all that is at the store's keys."""
    return [hit.memory.content for hit in memory.read_all(key_prefix="langgraph", **asked)]


def test_a_value_comes_back_as_it_was_put_under_any_name(memory: AgentMemory) -> None:
    store = MarsStore(memory)
    names = ["k", "K", "", "a/b", "=k", "%2F", "*", "ключ", "with blank ", "…/*"]
    for place, name in enumerate(names):
        store.put(("users", "Ann/=*"), name, {**TEA, "place": place})
    store.put(("users",), "empty", {})
    assert [store.get(("users", "Ann/=*"), name).value for name in names] == [  # type: ignore[union-attr]
        {**TEA, "place": place} for place in range(len(names))
    ]
    assert store.get(("users",), "empty").value == {}  # type: ignore[union-attr]
    assert store.get(("users", "Ann"), "k") is None
    assert [one.key for one in store.search(("users", "Ann/=*"), limit=99)] == names
    assert store.list_namespaces() == [("users",), ("users", "Ann/=*")]


def test_a_second_put_supersedes_and_the_first_stays_in_the_history(memory: AgentMemory) -> None:
    store = MarsStore(memory, fields=["text"])
    store.put(("u",), "tea", {"text": "Ann likes green tea"})
    store.put(("u",), "tea", {"text": "Ann likes black tea"})
    (hit,) = memory.read_all(key_prefix="langgraph")
    assert [one.content for one in memory.history(hit.memory.id)] == ["Ann likes green tea", "Ann likes black tea"]
    assert store.get(("u",), "tea").value == {"text": "Ann likes black tea"}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"cups": 3}, ["a"]),
        ({"cups": {"$gte": 3}}, ["a", "b"]),
        ({"cups": {"$gt": 3, "$lt": 9}}, ["b"]),
        ({"cups": {"$ne": 3}}, ["b", "c"]),
        ({"deep": {"ok": True}}, ["a"]),
        ({"deep": {"a": [1, 2.5, {"b": None}]}}, ["a"]),
        ({"cups": {"$lte": "many"}}, []),
        ({"missing": None}, ["a", "b", "c"]),
    ],
)
def test_a_filter_goes_by_the_value(memory: AgentMemory, wanted: dict[str, Any], found: list[str]) -> None:
    store = MarsStore(memory)
    for name, value in (("a", TEA), ("b", {"cups": 5}), ("c", {"text": "nothing of the kind"})):
        store.put(("u",), name, value)
    assert [one.key for one in store.search(("u",), filter=wanted)] == found
    # With a query they are the same, in another order.
    assert {one.key for one in store.search(("u",), query="green tea", filter=wanted)} == set(found)


def test_a_query_ranks_and_what_is_not_indexed_follows_without_a_score(memory: AgentMemory) -> None:
    store = MarsStore(memory, fields=["text"])
    store.put(("u",), "hidden", {"text": "Ann likes green tea"}, index=False)
    store.put(("u",), "of no field", {"text": "Ann likes green tea"}, index=[])
    store.put(("u",), "other", {"text": "The train to Ghent leaves at nine", "note": "green tea"})
    store.put(("u",), "tea", {"text": "Ann likes green tea"})
    store.put(("u",), "none", {"note": "green tea"})
    found = store.search(("u",), query="what tea does Ann like?")
    assert found[0].key == "tea"
    assert found[0].score is not None
    unscored = {"hidden", "of no field", "none"}
    assert {one.key: one.score for one in found if one.key in unscored} == dict.fromkeys(unscored)
    assert [one.key for one in store.search(("u",), query="what tea does Ann like?", limit=1)] == ["tea"]
    assert [one.key for one in store.search(("u",), query="what tea does Ann like?", offset=1)] == [
        one.key for one in found[1:]
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 12, 30])
@pytest.mark.parametrize("wanted", [None, {"half": 0}])
def test_pages_show_each_item_once(memory: AgentMemory, size: int, wanted: dict[str, Any] | None) -> None:
    store = MarsStore(memory, fields=["text"])
    for number in range(12):
        store.put(("test",), f"doc{number}", {"text": f"test document number {number}", "half": number % 2})
    for number in range(5):
        # Equal texts, and one that no question finds.
        store.put(("test", "more"), f"again{number}", {"text": "test document", "half": 0}, index=number != 3 and None)
    count = 17 if wanted is None else 11
    pages = [
        [one.key for one in store.search(("test",), query="test", filter=wanted, limit=size, offset=offset)]
        for offset in range(0, count, size)
    ]
    walked = [name for page in pages for name in page]
    assert len({*walked}) == len(walked) == count
    assert walked == [one.key for one in store.search(("test",), query="test", filter=wanted, limit=99)]


def test_a_filter_names_what_it_means(memory: AgentMemory) -> None:
    store = MarsStore(memory)
    store.put(("u",), "hyphen", {"access-level": "public", "user": {"access-level": "nested"}})
    store.put(("u",), "digit", {"123abc": "ok", "user": {"123abc": "ok2"}})
    store.put(("u",), "dot", {"user.name": "as it is written", "user": {"name": "inside"}})
    store.put(("u",), "deep", {"a": {"b.c": {"d": 7}}})
    for wanted, found in (
        ({"access-level": "public"}, ["hyphen"]),
        ({"user.access-level": "nested"}, ["hyphen"]),
        ({"123abc": "ok"}, ["digit"]),
        ({"user.123abc": "ok2"}, ["digit"]),
        ({"user.name": "as it is written"}, ["dot"]),
        ({"user": {"name": "inside"}}, ["dot"]),
        ({"user.name": "inside"}, []),
        ({"a.b.c.d": {"$gte": 7}}, ["deep"]),
        ({"a": {"b.c.d": 7}}, ["deep"]),
        ({"user..name": "inside"}, []),
    ):
        assert [one.key for one in store.search(("u",), filter=wanted)] == found, wanted


def test_a_filter_may_name_what_no_value_is(memory: AgentMemory) -> None:
    store = MarsStore(memory)
    for name, price in (("a", 10), ("b", 20)):
        store.put(("u",), name, {"price": price})
    for wanted, found in (
        ({"price": {"$lt": float("inf")}}, ["a", "b"]),
        ({"price": {"$gt": float("-inf"), "$lt": 15}}, ["a"]),
        ({"price": {"$eq": float("nan")}}, []),
        ({"price": float("inf")}, []),
        ({"price": {"$lt": 10**100}}, ["a", "b"]),
        ({"price": {"$lt": 10**400}}, []),
        ({"price": "1\0"}, []),
    ):
        assert [one.key for one in store.search(("u",), filter=wanted)] == found, wanted


def test_a_filter_on_what_no_item_has_says_so_in_the_log(memory: AgentMemory, caplog: pytest.LogCaptureFixture) -> None:
    store = MarsStore(memory)
    store.put(("u",), "a", {"price": 10})
    assert store.search(("u",), filter={"access-level": "public"}) == []
    assert [one.getMessage() for one in caplog.records] == ["filter: no item here has the key 'access-level'"]
    caplog.clear()
    assert store.search(("u",), filter={"price": 11}) == store.search(("nobody",), filter={"price": 11}) == []
    assert not caplog.records


def test_a_search_shows_no_more_than_it_returns(memory: AgentMemory) -> None:
    store = MarsStore(memory)
    for place in range(12):
        store.put(("u",), f"k{place}", {"text": f"the {place}th room has {place * 7} chairs"})
    assert len(store.search(("u",), query="which room has chairs?", limit=3)) == 3
    shown = [one.access_count for one in memory.memories()]
    assert sum(shown) == 3
    assert [one.score for one in store.search(("u",), query="which room has chairs?", limit=0)] == []


def test_a_deletion_retracts_and_leaves_the_history(memory: AgentMemory) -> None:
    store = MarsStore(memory)
    store.put(("u",), "tea", TEA)
    store.delete(("u",), "tea")
    store.delete(("u",), "never")
    assert store.get(("u",), "tea") is None
    assert store.search(("u",)) == store.list_namespaces() == []
    assert len(values(memory, superseded=True)) == 1
    store.put(("u",), "tea", TEA)
    assert store.get(("u",), "tea").value == TEA  # type: ignore[union-attr]


def test_a_deletion_that_erases_takes_all_that_the_key_ever_had(memory: AgentMemory) -> None:
    store = MarsStore(memory, delete="erase")
    for cups in (1, 2):
        store.put(("u",), "tea", {**TEA, "cups": cups}, ttl=cups)
    store.put(("u", "tea"), "below", {"text": "it stays"})
    store.put(("u",), "tea2", {"text": "it stays too"})
    store.delete(("u",), "tea")
    store.delete(("u",), "never")
    assert values(memory, superseded=True) == ["text: it stays", "text: it stays too"]
    assert not [one for one in memory.memories() if one.content and "green" in one.content]
    with pytest.raises(ErasedContentRefused):
        store.put(("u",), "tea", {**TEA, "cups": 2})
    assert store.get(("u",), "tea") is None


def test_an_item_ends_with_its_time_and_each_put_decides_anew(stores: Stores) -> None:
    memory = stores.open("lives" + stores.engine.name, budget=10_000)
    clock = stores.clocks["lives" + stores.engine.name]
    store = MarsStore(memory, default_ttl=10)
    for name, given in (("short", {}), ("long", {"ttl": 60}), ("ever", {"ttl": None})):
        store.put(("u",), name, {"n": name}, **given)
    clock.advance(5 * MINUTE)
    store.put(("u",), "short", {"n": "short"})  # the same value again: a life from now on
    store.put(("u",), "long", {"n": "long"}, ttl=None)
    store.get(("u",), "ever", refresh_ttl=True)
    clock.advance(9 * MINUTE)
    assert [one.key for one in store.search(("u",))] == ["ever", "short", "long"]
    clock.advance(2 * MINUTE)
    assert store.get(("u",), "short") is None
    clock.advance(600 * MINUTE)
    assert [one.key for one in store.search(("u",))] == ["ever", "long"]


def test_a_pin_stays_with_a_put_but_where_a_time_to_live_is_in_it(memory: AgentMemory) -> None:
    store = MarsStore(memory)
    pinned = []
    for cups, ttl in ((1, None), (2, None), (3, 9)):
        store.put(("u",), "tea", {**TEA, "cups": cups}, ttl=ttl)
        (hit,) = memory.read_all(key_prefix="langgraph").hits
        pinned.append(hit.memory.pinned)
        memory.policy.pin(hit.memory.id)
    assert pinned == [False, True, False]


@pytest.mark.parametrize("ttl", [0, -1, float("nan"), float("inf"), True])
def test_a_time_to_live_that_is_none_is_refused(memory: AgentMemory, ttl: float) -> None:
    with pytest.raises(InvalidInput, match="above 0"):
        MarsStore(memory).put(("u",), "k", {"a": 1}, ttl=ttl)
    with pytest.raises(InvalidInput, match=r"above 0|default_ttl must be"):
        MarsStore(memory, default_ttl=ttl)


def test_what_the_budget_evicts_is_gone_from_the_store(stores: Stores) -> None:
    memory = stores.open(budget=60)
    store = MarsStore(memory)
    for place in range(30):
        store.put(("u",), f"k{place}", {"text": f"the number of the {place}th room is {place * 7}"})
    kept = store.search(("u",), limit=99)
    assert 0 < len(kept) < 30
    assert store.get(("u",), "k29") is not None
    assert memory.weight <= 60


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"a": "x" * 17_000}, "larger than 16,384 bytes"),
        ({"a": {1, 2}}, "a value of type set"),
        ({"a": float("nan")}, "NaN"),
        ({1: "a"}, "names of JSON are strings"),
    ],
)
def test_a_value_that_cannot_be_kept_is_refused_and_nothing_of_its_batch_is_done(
    memory: AgentMemory, value: dict[Any, Any], why: str
) -> None:
    store = MarsStore(memory)
    with pytest.raises(InvalidInput, match=why):
        store.batch([PutOp(("u",), "good", {"a": 1}), PutOp(("u",), "bad", value)])
    with pytest.raises(MarsError, match="longer than 1000 bytes"):
        store.batch([PutOp(("u",), "good", {"a": 1}), PutOp(("u" * 990,), "k" * 20, {"a": 1})])
    with pytest.raises(InvalidNamespaceError):
        store.batch([PutOp(("u",), "good", {"a": 1}), GetOp(("u.v",), "k")])
    assert store.search(()) == []


def test_what_cannot_be_asked_is_refused(memory: AgentMemory) -> None:
    store = MarsStore(memory)
    store.put(("u",), "k", {"a": 1})
    with pytest.raises(InvalidInput, match=r"\$in.*known are \$eq"):
        store.search(("u",), filter={"a": {"$in": [1]}})
    with pytest.raises(InvalidInput, match="0 or more"):
        store.search(("u",), limit=-1)
    with pytest.raises(InvalidInput, match="match_type"):
        store.batch([ListNamespacesOp((MatchCondition("infix", ("u",)),))])  # type: ignore[arg-type]  # on purpose
    with pytest.raises(InvalidInput, match="one of retract, erase"):
        MarsStore(memory, delete="shred")  # type: ignore[arg-type]  # on purpose


def test_a_batch_reads_what_was_before_it_and_keeps_the_last_put(memory: AgentMemory) -> None:
    store = MarsStore(memory)
    store.put(("u",), "k", {"n": 0})
    first, *none, listed, found = store.batch(
        [
            GetOp(("u",), "k"),
            PutOp(("u",), "k", {"n": 1}),
            PutOp(("u",), "k", None),
            PutOp(("u",), "k", {"n": 2}),
            PutOp(("v",), "k", {"n": 3}),
            ListNamespacesOp(),
            SearchOp(()),
        ]
    )
    assert first.value == {"n": 0}  # type: ignore[union-attr]
    assert none == [None] * 4
    assert listed == [("u",)]
    assert [one.value for one in found] == [{"n": 0}]  # type: ignore[union-attr]
    assert [one.value for one in store.search(())] == [{"n": 2}, {"n": 3}]
    # The puts in between left no trace.
    assert len(values(memory, superseded=True)) == 3


def test_the_loop_goes_on_beside_it(memory: AgentMemory) -> None:
    store = MarsStore(memory)

    async def script() -> list[Any]:
        await asyncio.gather(*(store.aput(("u",), f"k{place}", {"n": place}) for place in range(8)))
        await store.adelete(("u",), "k0")
        return [await store.aget(("u",), "k7"), await store.asearch(("u",), limit=99), await store.alist_namespaces()]

    got, found, listed = asyncio.run(script())
    assert got.value == {"n": 7}
    assert sorted(one.key for one in found) == [f"k{place}" for place in range(1, 8)]
    assert listed == [("u",)]


def test_the_people_of_a_namespace_are_erased_with_their_items(memory: AgentMemory) -> None:
    store = MarsStore(memory, subjects=lambda namespace: namespace[1])
    for who in ("Ann", "Bob"):
        store.put(("users", who), "tea", {**TEA, "who": who})
        store.put(("users", who), "tea", {**TEA, "who": who, "cups": 9})
    store.delete(("users", "Bob"), "tea")
    store.put(("users", "Bob"), "tea", {"text": "Bob likes tea"})
    memory.erase(subject="Ann")
    assert [one.namespace for one in store.search(("users",))] == [("users", "Bob")]
    assert len(values(memory, superseded=True)) == 3


def test_an_agent_reads_through_the_gate_and_erases_nothing(stores: Stores, memory: AgentMemory) -> None:
    MarsStore(memory).put(("u",), "card", {"text": "the card of Ann is 4111 1111 1111 1111"})
    agent = stores.open_as(memory, "agent:desk?ceiling=0.5")
    store = MarsStore(agent)
    store.put(("u",), "tea", TEA)
    assert [one.key for one in store.search(("u",))] == ["tea"]
    assert [one.key for one in store.search(("u",), query="the card of Ann")] == ["tea"]
    assert store.get(("u",), "card") is None
    with pytest.raises(NotPermitted):
        store.put(("u",), "card", {"text": "another card"})
    with pytest.raises(NotPermitted, match="not for the role agent"):
        MarsStore(agent, delete="erase")
    store.delete(("u",), "tea")
    assert store.get(("u",), "tea") is None
    with pytest.raises(NotPermitted):
        MarsStore(stores.open_as(memory, "reader:desk")).put(("u",), "tea", TEA)


def test_what_others_keep_under_such_keys_is_no_item(memory: AgentMemory) -> None:
    memory.remember("a note of mine", kind="semantic", key="langgraph/u/note")
    memory.remember("another", kind="semantic", key="langgraph")
    store = MarsStore(memory)
    assert store.search(()) == store.list_namespaces() == []
    assert store.get(("u",), "note") is None


def test_each_put_and_deletion_is_in_the_audit(memory: AgentMemory) -> None:
    store = MarsStore(memory)
    store.put(("u",), "tea", TEA)
    store.delete(("u",), "tea")
    found = [record.operation for record in memory.audit.records()]
    assert found.count(Operation.RETRACT) == 1
    assert memory.verify().ok
    assert not any("green tea" in record.core for record in memory.audit.records())


def test_the_time_of_an_item_is_that_of_its_put(memory: AgentMemory) -> None:
    store = MarsStore(memory)
    store.put(("u",), "tea", TEA)
    item = store.get(("u",), "tea")
    assert item is not None
    assert START <= item.created_at.timestamp() * 1000 < START + MINUTE
    assert item.created_at == item.updated_at


# --- One item of one name ---------------------------------------------------------------------------------------------

DIET = {"text": "no nuts, allergic"}
NUTS = {"text": "loves nuts"}
PLACE = ("users", "Ann")
KEY = "langgraph/users/%41nn/=diet"
ABOUT: list[tuple[tuple[str, ...], tuple[str, ...]]] = [
    ((), ("x",)),
    (("Ann",), ()),
    (("Ann",), ("Zed",)),
    (("Ann", "Bob"), ("Ann",)),
]


def about(*people: str) -> dict[str, Any]:
    return {"subjects": lambda _: people}


def are_the_users(store: MarsStore) -> None:
    """Check that the one item is what the user's own store has, by every way to read it."""
    found = store.get(PLACE, "diet")
    assert found is not None
    assert found.value == DIET
    asked: list[dict[str, Any]] = [{}, {"query": "nuts"}, {"query": "who loves nuts?", "limit": 1}, {"filter": {}}]
    for one in (*asked, {"query": "loves nuts", "filter": {"text": {"$ne": "x"}}}):
        assert [item.value for item in store.search(PLACE, **one)] == [DIET]
    assert store.search(PLACE, filter=NUTS) == []
    assert store.list_namespaces() == [PLACE]


@pytest.mark.parametrize(("first", "second"), ABOUT)
@pytest.mark.parametrize("principal", ["agent:bot", "agent:bot?subject=Zed", "agent:bot?ceiling=0.5"])
def test_no_agent_puts_over_an_item_of_the_users_about_whomever(
    stores: Stores, memory: AgentMemory, first: tuple[str, ...], second: tuple[str, ...], principal: str
) -> None:
    store = MarsStore(memory, **about(*first))
    store.put(PLACE, "diet", DIET)
    agent = stores.open_as(memory, principal)
    theirs = MarsStore(agent, **about(*second))
    calls: list[Callable[[], object]] = [
        lambda: theirs.put(PLACE, "diet", NUTS),
        lambda: theirs.put(PLACE, "diet", NUTS, ttl=5),
        lambda: theirs.batch([PutOp(("b",), "other", NUTS), PutOp(PLACE, "diet", NUTS)]),
        lambda: theirs.delete(PLACE, "diet"),
        lambda: agent.remember("loves nuts", kind="semantic", key=KEY, subjects=second, metadata=NUTS),
        lambda: agent.remember("loves nuts", kind="semantic", key=KEY.upper().lower(), subjects=["z"], metadata=NUTS),
        lambda: agent.remember("loves nuts", key=KEY, cardinality="set", subjects=["z"], metadata=NUTS),
    ]
    for call in calls:
        with pytest.raises(NotPermitted, match=r"may not overrule|is not for this agent"):
            call()
    are_the_users(store)
    assert len(memory.read_all(key_prefix="langgraph")) == 1
    assert memory.verify().findings == ()


@pytest.mark.parametrize(("first", "second"), ABOUT)
def test_of_two_items_of_one_name_what_is_worth_more_is_shown(
    stores: Stores, memory: AgentMemory, first: tuple[str, ...], second: tuple[str, ...]
) -> None:
    agent = stores.open_as(memory, "agent:bot")
    theirs = MarsStore(agent, **about(*second))
    theirs.put(PLACE, "diet", NUTS)
    # By another door both are there.
    memory.remember(DIET["text"], kind="semantic", key=KEY, subjects=first, metadata=DIET)
    store = MarsStore(memory, **about(*first))
    are_the_users(store)
    are_the_users(theirs)
    # A put ends what else has its name, and so does a deletion.
    store.put(PLACE, "diet", DIET)
    assert len(memory.read_all(key_prefix="langgraph")) == 1
    agent_first = MarsStore(agent, **about(*second))
    agent_first.put(PLACE, "drink", NUTS)
    memory.remember("tea", kind="semantic", key=KEY.replace("diet", "drink"), subjects=first, metadata=DIET)
    store.delete(PLACE, "drink")
    assert store.get(PLACE, "drink") is None
    assert memory.verify().findings == ()
