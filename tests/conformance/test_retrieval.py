"""What a reader gets back, the same on every engine: within the budget, through the gate, recorded, explained."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from marskg.drafts import Draft
from marskg.errors import EmbeddingMismatch, InvalidInput, UnknownMemory
from marskg.ontology.vocabulary import Kind, Operation
from marskg.store.statements.catalogue import statement
from marskg.weight import TokenCounter
from tests.support.stores import START

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

DAY = 86_400_000


def contents(found: Any) -> list[str]:
    return [hit.memory.content for hit in found]


def gardening(stores: Stores, **settings: Any) -> AgentMemory:
    memory = stores.open(**settings)
    memory.remember("Tomatoes need six to eight hours of sun daily", kind="semantic", source_type="doc")
    memory.remember("Water tomatoes deeply two or three times a week", kind="semantic", source_type="doc")
    memory.remember("The train to Bergen leaves from platform nine", kind="episodic", session="travel")
    return memory


# --- Finding -----------------------------------------------------------------------------------------------------


def test_what_answers_comes_first(stores: Stores) -> None:
    memory = gardening(stores)
    found = memory.retrieve("how often should I water the tomatoes?", token_budget=100)
    assert contents(found)[0] == "Water tomatoes deeply two or three times a week"
    assert found[0].why["similarity"] > found[1].why["similarity"]
    assert found.tokens <= 100


def test_a_budget_is_never_exceeded(stores: Stores) -> None:
    memory = gardening(stores)
    count = TokenCounter().count
    for budget in (0, 1, 2, 5, 9, 10, 15, 25, 40, 63, 64, 65, 100, 1000):
        found = memory.retrieve("water the tomatoes in the sun", token_budget=budget, k=1000)
        assert sum(map(count, contents(found))) <= found.tokens <= budget
        assert count(found.as_text()) <= budget


def test_what_does_not_fit_is_named_with_its_tokens_and_a_pin_never_in_silence(stores: Stores) -> None:
    memory = stores.open()
    texts = [f"Bed {n} of the garden has beans and the roses of grandmother in it" for n in range(3)]
    beds = [memory.remember(text, kind="semantic") for text in texts]
    pinned = memory.remember("The garden key lies under the third pot " * 8, kind="semantic", pin=True)
    hits = memory.retrieve("Where is the garden key, and what is in the garden?", token_budget=25)
    assert pinned.id not in {hit.memory.id for hit in hits}
    left = {one.id: (one.tokens, one.pinned) for one in hits.left_out}
    assert left[pinned.id] == (pinned.weight, True)
    assert all(left[one.id] == (one.weight, False) for one in beds if one.id in left)
    (notice,) = hits.notices
    assert f"{pinned.id}, {pinned.weight} tokens; raise token_budget" in notice
    assert memory.retrieve("Where is the garden key?", token_budget=400).notices == ()


def test_k_is_the_most_that_is_shown(stores: Stores) -> None:
    memory = gardening(stores)
    assert [len(memory.retrieve("tomatoes", k=k)) for k in (1, 2, 3)] == [1, 2, 3]
    assert len(memory.retrieve("tomatoes", k=1_000_000, token_budget=1_000_000)) == 3


def test_a_short_answer_brings_the_question_right_before_it_and_no_other_turn(stores: Stores) -> None:
    memory = stores.open()
    said = ("Did Tim get there?", "Yes, Tim saw the harbour of Oslo last summer!", "Shall we have soup?")
    whales = "Whales came into the harbour of Oslo, and Tim went on deck to see them"
    memory.remember(whales, session="trip", at=1_740_000_000_000)
    for number, text in enumerate(said):
        memory.remember(text, session="talk", at=1_750_000_000_000 + number)
    shown = contents(memory.retrieve("when did Tim see the harbour of Oslo?", k=2))
    assert sorted(shown) == sorted(said[:2])


def test_budgets_too_small_for_anything_give_nothing_and_no_number_of_memories_is_refused(stores: Stores) -> None:
    memory = stores.open()
    memory.remember("Ann likes green tea with a little honey", kind="semantic")
    for budget in (0, 1, 2):
        found = memory.retrieve("what does Ann like?", token_budget=budget)
        assert (len(found), found.as_text(), found.as_messages(), found.tokens, found.id) == (0, "", [], 0, None)
        assert [one.reason for one in found.left_out] == ["it does not fit into what is left of the budget"]
    for k in (0, -1):
        with pytest.raises(InvalidInput, match=r"\bk\b"):
            memory.retrieve("what does Ann like?", k=k)


def test_what_depends_comes_with_what_it_depends_on(stores: Stores) -> None:
    memory = stores.open()
    base = memory.remember("The greenhouse stands behind the barn", kind="semantic")
    memory.remember("It has forty tomato plants", kind="semantic", depends_on=base.id)
    found = memory.retrieve("how many tomato plants?", token_budget=200)
    assert "The greenhouse stands behind the barn" in contents(found)
    assert "It has forty tomato plants" not in contents(memory.retrieve("how many tomato plants?", k=1))


def test_what_depends_comes_with_all_that_it_depends_on(stores: Stores) -> None:
    memory = stores.open()
    barn = memory.remember("The barn burned down", kind="semantic")
    house = memory.remember("Then the greenhouse moved", kind="semantic", depends_on=barn.id)
    memory.remember("It has forty tomato plants", kind="semantic", depends_on=house.id)
    assert "It has forty tomato plants" not in contents(memory.retrieve("how many tomato plants?", k=2))
    assert len(memory.retrieve("how many tomato plants?", k=3)) == 3


def test_an_access_between_reading_and_recording_is_counted(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = stores.open()
    tea = memory.remember("Ann likes tea", kind="semantic")
    memory.retrieve("tea")
    found = memory._reading._search._reader.rows
    shown: list[int] = []

    def overtaken(ids: Any) -> Any:
        nodes = found(ids)
        shown.append(nodes[tea.id]["accessCount"])
        memory.control.record_access([tea.id])
        return nodes

    monkeypatch.setattr(memory._reading._search._reader, "rows", overtaken)
    memory.retrieve("tea")
    monkeypatch.undo()
    after = memory.get(tea.id)
    assert after is not None
    assert (len(shown), after.access_count) == (1, 3)
    assert memory.retrieve("tea")[0].memory.access_count == 3


def test_what_is_shown_is_read_once(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = gardening(stores)
    memory.retrieve("tomatoes")
    engine, asked = memory._writer.engine, []
    read = engine.read

    def counted(text: str, parameters: Any = None) -> Any:
        asked.append(text)
        return read(text, parameters)

    monkeypatch.setattr(engine, "read", counted)
    assert len(memory.retrieve("tomatoes in the sun")) == 3
    assert asked.count(statement("read_memories", engine.name)) == 1
    assert not {statement(name, engine.name) for name in ("load_memories", "access_state")}.intersection(asked)


def test_the_index_follows_every_change(stores: Stores) -> None:
    memory = stores.open()
    old = memory.remember("The budget of the trip is 400 euros", kind="semantic", key="budget/trip")
    assert contents(memory.retrieve("budget of the trip")) == [old.content]
    memory.remember("The budget of the trip is 700 euros", kind="semantic", key="budget/trip")
    assert contents(memory.retrieve("budget of the trip")) == ["The budget of the trip is 700 euros"]
    gone = memory.remember("The trip takes nine days", kind="episodic", ttl="1h")
    assert gone.content in contents(memory.retrieve("how long does the trip take?"))
    stores.clock(memory).advance(2 * 3_600_000)
    assert gone.content not in contents(memory.retrieve("how long does the trip take?"))


def test_another_opening_of_the_tenant_sees_what_was_written(stores: Stores) -> None:
    memory = gardening(stores)
    assert len(memory.retrieve("tomatoes")) == 3
    other = stores.open(memory.tenant)
    other.remember("Tomatoes like warm soil", kind="semantic")
    assert "Tomatoes like warm soil" in contents(memory.retrieve("warm soil for tomatoes"))


def test_the_answers_are_the_same_whatever_happened_in_between(stores: Stores) -> None:
    memory = gardening(stores)
    first = memory.retrieve("watering")
    for number in range(5):
        memory.remember(f"note {number} about nothing in particular", kind="episodic", session="notes", ttl="1h")
    stores.clock(memory).advance(2 * 3_600_000)
    memory.maintenance.expire()
    fresh = stores.open(memory.tenant)
    assert contents(memory.retrieve("watering")) == contents(first) == contents(fresh.retrieve("watering"))


# --- The gate ----------------------------------------------------------------------------------------------------


def test_what_a_reader_may_not_see_changes_nothing_of_the_answer(stores: Stores) -> None:
    def answers(*, hidden: bool) -> list[Any]:
        memory = stores.open()
        memory.remember("Ann waters the tomatoes", kind="episodic", mentions=["Ann"])
        memory.remember("The tomatoes are ripe", kind="episodic")
        if hidden:
            secret = "Ann Smith told the doctor about the tomatoes and the water"
            memory.remember(secret, kind="episodic", mentions=["Ann Smith"], sensitivity=0.9, intent_tags=["health"])
        found = memory.retrieve("Ann Smith, water and tomatoes: health", max_sensitivity=0.5, explain=True)
        stages = {name: value for name, value in found.stages.items() if name != "entities"}
        return [[(hit.memory.content, hit.score, dict(hit.why)) for hit in found], found.as_text(), stages]

    assert answers(hidden=True) == answers(hidden=False)


def test_purpose_and_jurisdiction_limit_what_is_seen(stores: Stores) -> None:
    memory = stores.open()
    memory.remember("The invoice address is 5 Elm Street", kind="semantic", purpose=["billing"], jurisdiction="EU")
    assert contents(memory.retrieve("address")) == []
    assert contents(memory.retrieve("address", purpose="marketing")) == []
    assert len(memory.retrieve("address", purpose="billing")) == 1
    assert len(memory.retrieve("address", purpose="billing", jurisdiction="EU")) == 1
    assert contents(memory.retrieve("address", purpose="billing", jurisdiction="US")) == []


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"kinds": ["episodic"]}, ["episode"]),
        ({"subjects": ["ann"]}, ["fact"]),
        ({"sessions": ["s1"]}, ["episode"]),
        ({"tags": "garden"}, ["fact"]),
        ({"sources": ["doc"]}, ["fact"]),
        ({"classes": "canonical"}, ["fact"]),
        ({"key_prefix": "garden"}, ["fact"]),
        ({"key_prefix": "gard"}, []),
    ],
)
def test_a_filter_leaves_only_what_it_names(stores: Stores, filters: dict[str, Any], expected: list[str]) -> None:
    memory = stores.open()
    memory.remember("episode", kind="episodic", session="s1", subjects=["bob"])
    memory.remember(
        "fact", kind="semantic", subjects=["ann"], intent_tags=["garden"], source_type="doc",
        memory_class="canonical", key="garden/plan",
    )  # fmt: skip
    assert sorted(contents(memory.retrieve("episode or fact", **filters))) == expected


def test_as_of_answers_with_what_was_valid_then(stores: Stores) -> None:
    memory = stores.open(step_ms=0)
    now = memory.now()
    memory.remember("The meeting is on Monday", kind="semantic", key="meeting", at=now - 10 * DAY, ttl="900d")
    memory.remember("The meeting is on Friday", kind="semantic", key="meeting", at=now - 5 * DAY)
    assert contents(memory.retrieve("meeting")) == ["The meeting is on Friday"]
    assert contents(memory.retrieve("meeting", as_of=now - 7 * DAY)) == ["The meeting is on Monday"]
    assert contents(memory.retrieve("meeting", as_of=now - 20 * DAY)) == []


def test_latent_memories_are_found_when_asked_for_and_rank_lower(stores: Stores) -> None:
    memory = stores.open(policy__evict_to="latent")
    memory.remember("The boat is red", kind="episodic")
    memory.forget(memory.plan(policy="fifo", budget=0))
    memory.remember("A red boat came in today", kind="episodic")
    assert contents(memory.retrieve("red boat")) == ["A red boat came in today"]
    assert contents(memory.retrieve("red boat", latent=True)) == ["A red boat came in today", "The boat is red"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"query": ""}, "empty"),
        ({"query": "   "}, "empty"),
        ({"query": 5}, "must be a string"),
        ({"query": "x" * 1_000_000}, "bytes"),
        ({"query": "x", "k": 0}, "outside"),
        ({"query": "x", "k": -1}, "outside"),
        ({"query": "x", "token_budget": -1}, "outside"),
        ({"query": "x", "token_budget": 1.5}, "must be an integer"),
        ({"query": "x", "as_of": 4_000_000_000_000}, "future"),
        ({"query": "x", "color": "red"}, "retrieve takes no 'color'; it takes query, "),
        ({"query": "x", "kinds": ["dream"]}, "dream"),
        ({"query": "x", "since": START, "until": START}, "nothing lies between"),
        ({"query": "x", "max_sensitivity": 2}, "outside"),
        ({"query": "x", "latent": "yes"}, "True or False"),
        ({"query": "x", "profile": "best"}, "fused"),
    ],
)
def test_bad_questions_are_refused_with_the_way_out(stores: Stores, arguments: dict[str, Any], words: str) -> None:
    memory = gardening(stores)
    before = memory.stats()["access_seq"]
    with pytest.raises(InvalidInput, match=words):
        memory.retrieve(**arguments)
    assert memory.stats()["access_seq"] == before


# --- Everything --------------------------------------------------------------------------------------------------


def test_everything_of_a_ledger_is_read_counted_and_summed(stores: Stores) -> None:
    memory = stores.open()
    for number in range(40):
        memory.remember(
            f"Spent {number}.10 euros on lunch", kind="semantic", key="expenses/food", cardinality="append",
            payload={"amount": number + 0.1, "unit": "EUR"},
        )  # fmt: skip
    memory.remember("Spent something on books", kind="semantic", key="expenses/books", cardinality="append")
    found = memory.read_all(key_prefix="expenses", sums=True)
    assert (found.count, len(found), found.complete) == (41, 41, True)
    assert [(item.key, float(item.total), item.count, item.without) for item in found.sums] == [
        ("expenses/food", 784.0, 40, 0),
        ("expenses/books", 0.0, 0, 1),
        ("expenses/*", 784.0, 40, 1),
    ]
    cut = memory.read_all(key_prefix="expenses", sums=True, token_budget=50)
    assert cut.count == 41
    assert cut.sums == found.sums
    assert len(cut) + len(cut.cut) == 41
    assert cut.tokens <= 50
    assert not cut.complete


def test_ledgers_are_summed_by_prefix_and_never_across_units(stores: Stores) -> None:
    memory = stores.open()
    for key, amount, unit in (
        ("expense/travel/train", 10.1, "EUR"), ("expense/travel/train", 0.2, "EUR"),
        ("expense/travel/hotel", 90, "USD"), ("expense/food", 7, "EUR"), ("expensed", 1000, "EUR"), ("steps", 5, ""),
    ):  # fmt: skip
        memory.remember(
            f"{amount} {unit} for {key}", kind="semantic", key=key, cardinality="append",
            payload={"amount": amount, "unit": unit} if unit else {"amount": amount},
        )  # fmt: skip
    sums = {
        (one.key, one.unit): (str(one.total), one.count)
        for one in memory.read_all(key_prefix="expense", sums=True).sums
    }
    assert sums == {
        ("expense/food", "EUR"): ("7", 1),
        ("expense/travel/hotel", "USD"): ("90", 1),
        ("expense/travel/train", "EUR"): ("10.3", 2),
        ("expense/*", "EUR"): ("17.3", 3),
        ("expense/*", "USD"): ("90", 1),
        ("expense/travel/*", "EUR"): ("10.3", 2),
        ("expense/travel/*", "USD"): ("90", 1),
    }
    assert memory.read_all(key_prefix="expense/travel/*").count == 3
    assert memory.read_all(key_prefix="steps/*").count == 0


def test_everything_about_an_entity_or_in_a_period(stores: Stores) -> None:
    memory = stores.open(step_ms=0)
    now = memory.now()
    memory.remember("Ann moved to Oslo", kind="episodic", mentions=["Ann", "Oslo"], at=now - 3 * DAY)
    memory.remember("Ann has a cat", kind="semantic", mentions=["Ann"], at=now - DAY)
    memory.remember("Bob has a dog", kind="semantic", mentions=["Bob"], at=now - 2 * DAY)
    assert contents(memory.read_all(entity="ann")) == ["Ann moved to Oslo", "Ann has a cat"]
    assert contents(memory.read_all(since=now - 2 * DAY, until=now - DAY)) == ["Bob has a dog"]
    with pytest.raises(UnknownMemory, match="Carol"):
        memory.read_all(entity="Carol")


# --- Recall and explain ------------------------------------------------------------------------------------------


def test_recall_grows_from_an_entity_along_the_graph(stores: Stores) -> None:
    memory = stores.open()
    memory.remember("Ann planted the tomatoes", kind="episodic", mentions=["Ann", "tomatoes"])
    memory.remember("Tomatoes need sun", kind="semantic", mentions=["tomatoes"])
    memory.remember("The train is late", kind="episodic", mentions=["train"])
    memory.remember("Ann is shy", kind="social", mentions=["Ann"])
    assert set(contents(memory.recall("tomatoes"))) == {"Ann planted the tomatoes", "Tomatoes need sun"}
    assert "Ann is shy" in contents(memory.recall("tomatoes", social="all"))
    assert "Ann is shy" in contents(memory.recall("Ann"))
    memory.remember("Ask Ann for seeds", kind="task", mentions=["Ann"])
    assert "Ann is shy" in contents(memory.recall("tomatoes"))
    with pytest.raises(UnknownMemory, match="potatoes"):
        memory.recall("potatoes")
    with pytest.raises(InvalidInput, match="not both"):
        memory.recall("Ann", goal="urn:uuid:x")


def test_reading_names_the_one_entity_or_goal_that_is_unknown(stores: Stores) -> None:
    memory = stores.open()
    memory.remember("Ann has a cat", kind="semantic", mentions=["Ann"])
    spade = memory.remember("Buy a spade", kind="task", status="done", key="shopping/garden")
    edge = memory.remember("The spade costs 20", kind="semantic", key="expenses", attaches_to_goal=spade.id)
    hidden = memory.remember("Plan the surprise", kind="task", sensitivity=0.9)
    with pytest.raises(UnknownMemory, match="mentions 'Zorro';"):
        memory.read_all(entity=["Ann", "Zorro"])
    assert contents(memory.read_all(goal=spade.id, key_prefix="expenses")) == [edge.content]
    for goal in ("urn:uuid:0198a000-0000-7000-8000-000000000000", edge.id):
        with pytest.raises(UnknownMemory, match=f"goal {goal} is no task"):
            memory.read_all(goal=[spade.id, goal])
    with pytest.raises(UnknownMemory, match="is no task that may be read"):
        memory.read_all(goal=hidden.id, max_sensitivity=0.5)
    assert contents(memory.read_all(goal=hidden.id)) == []


@pytest.mark.parametrize(
    ("ask", "named"),
    [
        (lambda memory: memory.recall(goal=5), "goal must be a string, not int"),
        (lambda memory: memory.explain(5), "id must be a string, not int"),
        (lambda memory: memory.entities.rename(5, "Ann"), "id must be a string, not int"),
        (lambda memory: memory.entities.merge("urn:uuid:x", 5), "other must be a string, not int"),
        (lambda memory: memory.entities.unmention(5, "urn:uuid:x"), "memory_id must be a string, not int"),
        (lambda memory: memory.entities.relate("urn:uuid:x", "worksAt", None), "target must be a string, not NoneType"),
        (lambda memory: memory.read_all(entity=5), "entity must be a string, or a list of strings, not int"),
        (lambda memory: memory.read_all(goal=[5]), "goal: item 1 must be a string, not int"),
        (lambda memory: memory.privacy.retention("private", 5), "older_than must be a string, not int"),
    ],
)
def test_what_is_no_text_is_refused_by_name(stores: Stores, ask: Callable[[Any], object], named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        ask(stores.open())


def test_recall_starts_from_a_goal(stores: Stores) -> None:
    memory = stores.open()
    seeds = memory.remember("The seeds are in the shed", kind="semantic")
    goal = memory.remember("Plant the tomatoes", kind="task", requires=seeds.id)
    memory.remember("Buy a spade first", kind="episodic", attaches_to_goal=goal.id)
    memory.remember("The train is late", kind="episodic")
    found = contents(memory.recall(goal=goal.id))
    assert {"The seeds are in the shed", "Buy a spade first"} <= set(found)
    assert "The train is late" not in found
    with pytest.raises(UnknownMemory, match="no task"):
        memory.recall(goal=seeds.id)


def test_an_explanation_survives_what_it_explains(stores: Stores) -> None:
    memory = stores.open()
    fact = memory.remember("The boat is crimson", kind="semantic", source_ref="page 5")
    shown = memory.retrieve("boat").id
    found = memory.explain(fact.id)
    assert [event.operation for event in found.events] == [Operation.REMEMBER, Operation.ACCESS]
    assert str(shown).startswith(f"{found.events[1].record}-")
    assert any(number.startswith("similarity=") for number in found.events[1].numbers)
    assert "page 5" in found.as_text()
    memory.forget(memory.plan(policy="fifo", budget=0))
    gone = memory.explain(fact.id)
    assert gone.state.startswith("gone: it was evicted")
    assert [event.operation for event in gone.events] == [Operation.REMEMBER, Operation.ACCESS, Operation.EVICT]
    assert "crimson" not in gone.as_text()
    with pytest.raises(UnknownMemory, match="never was"):
        memory.explain("urn:uuid:01a1ffd4-deb4-7194-8ab3-0faa5b1eef8a")


def test_an_explanation_says_what_keeps_a_memory(stores: Stores) -> None:
    memory = stores.open()
    base = memory.remember("The boat is red", kind="semantic", pin=True)
    top = memory.remember("It floats", kind="semantic", depends_on=base.id)
    task = memory.remember("Paint the boat", kind="task", requires=base.id)
    assert memory.explain(base.id).held_by == (
        "its pin",
        f"the active task {task.id}, which requires it",
        f"{top.id}, which depends on it",
    )


# --- The log, the file, the model ---------------------------------------------------------------------------------


def test_what_was_shown_is_in_the_access_log_without_the_question(stores: Stores) -> None:
    memory = gardening(stores)
    found = memory.retrieve("tomatoes by the kilo", k=2)
    record = list(memory.audit.records(log="accesses"))[-1]
    assert found.id == f"{record.iri}-{record.leaf[:8]}"
    assert list(record.memories) == [hit.memory.id for hit in found]
    assert "kilo" not in "".join(record.details)
    assert "Tomatoes" not in "".join(record.details)
    assert memory.get(found[0].memory.id).access_count == 1  # type: ignore[union-attr]  # it is there
    assert memory.verify().ok
    assert memory.validate(full=True).ok


def test_the_index_is_kept_and_a_damaged_one_is_built_anew(
    stores: Stores, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("marskg.retrieval.index.view.LEAST_SAVED", 1)
    memory = gardening(stores)
    expected = contents(memory.retrieve("sun for the tomatoes"))
    memory.stats()  # writes what was shown: an index is of what is stored
    memory._reading.close()
    file: Path | None = memory._reading.view._file
    assert file is not None
    assert file.stat().st_mode & 0o777 == 0o600
    assert b"Bergen" not in file.read_bytes()
    again = stores.open(memory.tenant)
    assert contents(again.retrieve("sun for the tomatoes")) == expected
    again.stats()
    again._reading.close()
    file.write_bytes(file.read_bytes()[:-100])
    with caplog.at_level(logging.WARNING):
        damaged = stores.open(memory.tenant)
        assert contents(damaged.retrieve("sun for the tomatoes")) == expected
    assert "damaged" in caplog.text


def test_vectors_of_two_models_never_meet(stores: Stores) -> None:
    memory = gardening(stores)
    memory._components.vectoriser._load = lambda _: Other()
    memory._components.vectoriser._loaded = None
    with pytest.raises(EmbeddingMismatch, match=r"static:.* Other"):
        memory.retrieve("tomatoes")
    with pytest.raises(EmbeddingMismatch, match="mars maintenance reembed"):
        memory.remember("More tomatoes", kind="semantic")


class Other:
    """A model of another name and dimension."""

    name = "Other"
    dimension = 3
    late = False

    def embed(self, texts: Any) -> Any:
        import numpy as np  # noqa: PLC0415 - only here

        return np.ones((len(texts), 3), dtype=np.float32) / 3**0.5


def test_what_was_done_is_history(stores: Stores) -> None:
    memory = stores.open(step_ms=0)
    task = memory.remember("Paint the fence", kind="task")
    past = memory.remember("Fence party", kind="task", deadline=memory.now() - 8 * DAY)
    late = memory.remember("Order fence posts", kind="task", deadline=memory.now() - DAY)
    assert set(contents(memory.retrieve("fence"))) == {task.content, late.content}
    memory.tasks.amend(task.id, status="done")
    assert contents(memory.retrieve("fence")) == [late.content]
    assert set(contents(memory.retrieve("fence", closed=True))) == {task.content, late.content, past.content}


def test_what_was_true_for_a_known_time_is_history_afterwards(stores: Stores) -> None:
    memory = stores.open(step_ms=0)
    now = memory.now()
    concert = memory.remember("The concert is on Friday", kind="semantic", key="concert", valid_to=now + DAY)
    assert contents(memory.retrieve("concert")) == [concert.content]
    stores.clock(memory).advance(DAY)
    assert contents(memory.retrieve("concert")) == []
    assert contents(memory.retrieve("concert", as_of=now)) == [concert.content]
    memory.remember("The concert is on Sunday", kind="semantic", key="concert")
    assert contents(memory.retrieve("concert")) == ["The concert is on Sunday"]
    assert memory.get(concert.id).superseded_at is not None  # type: ignore[union-attr]  # it is there
    with pytest.raises(InvalidInput, match="valid_to"):
        memory.remember("nonsense", valid_to=now - DAY)
    assert memory.validate(full=True).ok


def test_that_what_was_to_go_is_gone_can_be_shown(stores: Stores) -> None:
    memory = stores.open(step_ms=0)
    now = memory.now()
    memory.remember("a note", memory_class="ephemeral", at=now - 40 * DAY, ttl="1h")
    kept = memory.remember("another note", memory_class="ephemeral", at=now - 40 * DAY, ttl="90d")
    memory.remember("a fact", kind="semantic", memory_class="factual", at=now - 40 * DAY)
    stores.clock(memory).advance(3_600_000)
    left = memory.privacy.retention("ephemeral", "30d")
    assert [finding.where for finding in left.findings] == [kept.id]
    assert left.removed_of_any_class == {"expire": 1}
    assert not left.ok
    assert memory.privacy.retention("ephemeral", "50d").ok
    with pytest.raises(InvalidInput, match="30d"):
        memory.privacy.retention("ephemeral", "a month")


def test_the_index_is_built_when_it_is_asked_for(stores: Stores) -> None:
    memory = gardening(stores)
    told: list[int] = []
    assert memory.maintenance.prepare(progress=told.append) == 3
    assert told == [3]
    assert memory.maintenance.prepare(progress=told.append) == 3
    assert told == [3]


# --- What the first attack found ------------------------------------------------------------------------------------


def test_a_value_for_later_leaves_the_current_one_in_place_until_then(stores: Stores) -> None:
    memory = stores.open()
    memory.remember("Ann pays 900 rent", kind="semantic", key="rent")
    memory.remember("Ann pays 1000 rent", kind="semantic", key="rent", at=memory.now() + 30 * DAY)
    assert contents(memory.retrieve("rent")) == contents(memory.read_all(key_prefix="rent")) == ["Ann pays 900 rent"]
    stores.clock(memory).advance(31 * DAY)
    memory.maintenance.expire()
    assert contents(memory.retrieve("rent")) == contents(memory.read_all(key_prefix="rent")) == ["Ann pays 1000 rent"]


def conversation(stores: Stores) -> tuple[AgentMemory, str]:
    memory = stores.open(embedding__model="none")
    first = memory.remember("The garden fence needs paint", session="c", use_bound=True)
    for number in range(12):
        memory.remember(f"Filler number {number} about weather and garden", session="c")
    return memory, first.id


def test_what_stands_in_the_summary_was_shown(stores: Stores) -> None:
    memory, first = conversation(stores)
    found = memory.retrieve("weather", conversation="c", token_budget=150, k=1)
    assert first not in {hit.memory.id for hit in found}
    assert "The garden fence" in found.as_text()
    assert memory.explain(first).shown == 1
    # It was bound to one use, and this was one.
    assert memory.get(first) is None
    assert "The garden fence" not in memory.retrieve("weather", conversation="c", token_budget=150, k=1).as_text()


def test_what_is_bound_to_one_use_is_shown_to_one_of_two_readers(stores: Stores) -> None:
    memory = stores.open()
    memory.retrieve("anything")
    for number in range(6):
        memory.remember(f"The one-time code number {number}", kind="semantic", use_bound=True)
        together = threading.Barrier(2)

        def read(number: int = number, together: threading.Barrier = together) -> list[str]:
            together.wait()
            return contents(memory.retrieve(f"one-time code number {number}", k=1))

        with ThreadPoolExecutor(2) as pool:
            found = [done.result() for done in [pool.submit(read), pool.submit(read)]]
        assert sorted(map(len, found)) == [0, 1]


def test_hidden_turns_leave_the_conversation_as_it_is(stores: Stores) -> None:
    shown = []
    for hidden in (0, 205):
        memory = stores.open(embedding__model="none")
        memory.remember("We water the tomatoes", session="c", sensitivity=0.1)
        memory.remember_many(
            Draft(ref=f"d{n}", kind=Kind.EPISODIC, content=f"Secret {n}", at=memory.now(), session="c", sensitivity=0.9)
            for n in range(hidden)
        )
        shown.append(memory.retrieve("what?", conversation="c", max_sensitivity=0.3).as_text())
    assert shown[0] == shown[1]
    assert "Recent turns" in shown[0]


def test_a_reader_who_may_not_see_all_learns_of_no_hidden_memory_from_an_explanation(stores: Stores) -> None:
    told = []
    for hidden in (False, True):
        memory = stores.open(embedding__model="none")
        if hidden:
            memory.remember("Something that nobody may know", kind="semantic", sensitivity=0.9)
        base = memory.remember("The pump is in the shed", kind="semantic", sensitivity=0.1)
        if hidden:
            memory.remember("Mend the pump", kind="task", status="open", sensitivity=0.9, requires=[base.id])
        found = memory.explain(base.id, max_sensitivity=0.3)
        assert (found.held_by, found.edges, found.incoming) == ((), (), ())
        assert found.memory is not None
        told.append((found.state, found.memory.sequence, [event.what for event in found.events]))
        hits = memory.retrieve("pump", max_sensitivity=0.3)
        assert [hit.memory.sequence for hit in hits] == [0]
        assert [hit.memory.sequence for hit in memory.retrieve("pump", max_sensitivity=0.3)] == [0]
    assert told[0] == told[1]
    assert len(memory.explain(base.id).incoming) == 1


def test_what_is_hidden_is_explained_as_what_never_was(stores: Stores) -> None:
    memory = stores.open(embedding__model="none")
    hidden = memory.remember("Something that nobody may know", kind="semantic", sensitivity=0.9)
    with pytest.raises(UnknownMemory, match="it never was, or it was erased"):
        memory.explain(hidden.id, max_sensitivity=0.3)
    assert memory.explain(hidden.id, max_sensitivity=1.0).memory is not None
    memory.erase(id=hidden.id)
    with pytest.raises(UnknownMemory, match="it never was, or it was erased"):
        memory.explain(hidden.id)


def test_what_a_wish_keeps_out_comes_neither_as_a_base_nor_as_a_turn(stores: Stores) -> None:
    memory = stores.open(embedding__model="none")
    trip = memory.remember("The trip to Bali is booked for May", session="c")
    memory.remember("Insurance number 7 covers Dana", kind="semantic", depends_on=[trip.id])
    memory.learning.wish("forget about the Bali trip")
    assert contents(memory.retrieve("insurance of Dana")) == ["Insurance number 7 covers Dana"]
    assert "Bali" not in memory.retrieve("insurance of Dana", conversation="c").as_text()
