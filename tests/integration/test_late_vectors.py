"""The better encoder as a user gets it: what is written is found at once, and its vector is made after the write."""

from __future__ import annotations

import threading
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.drafts import Draft
from marskg.embedding.e5 import E5
from marskg.errors import EmbeddingUnavailable, InvalidInput
from marskg.ontology.vocabulary import Kind
from marskg.store.unit.vectors import LATE_PAGE, own, tag
from marskg.store.upkeep import late_vectors
from marskg.store.upkeep.late_vectors import LateVectors
from marskg.store.upkeep.reembed import make_up

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from marskg.memory import AgentMemory

NAME = "e5:multilingual-e5-small-q4/384"
LIFE = (
    "I moved to Porto in spring",
    "My dentist is Dr Ruiz, two streets from here",
    "The tomatoes on the balcony want water twice a week",
    "Mein Bruder arbeitet als Gärtner in Kiel",
    "I cannot stand mushrooms",
    "Our standup is at nine now",
)
BEGAN = 1_780_000_000_000
PAGE = (
    "The tenancy began in May. " * 40 + "The deposit of two rents was paid to the notary. " + "It is quiet here. " * 40
)


@pytest.fixture(autouse=True)
def usual_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the choice of the model to what is installed, as a user does."""
    monkeypatch.delenv("MARS_EMBEDDING")


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., AgentMemory]:
    """Open one store, as often as it is asked for."""
    return lambda **given: marskg.open(tmp_path / "store", tenant="t", **given)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Hold back what is made after the writes, until it is let go."""

    class Held:
        kept: list[tuple[LateVectors, list[str]]] = []  # noqa: RUF012 - of one test
        free = False

        def add(self, late: LateVectors, ids: Any, found: dict[str, bool]) -> None:
            if self.free:
                real(late, ids, **found)
            else:
                self.kept.append((late, [*ids]))

        def go(self) -> None:
            self.free = True
            for late, ids in self.kept:
                real(late, ids)
                assert late.finish(60)

    real, held = LateVectors.add, Held()
    held.kept = []

    def add(late: LateVectors, ids: Any, **found: bool) -> None:
        held.add(late, ids, found)

    monkeypatch.setattr(LateVectors, "add", add)
    return held


def stored(memory: AgentMemory) -> list[str | None]:
    """Return the vectors that are stored."""
    rows = memory.store.engine.read("MATCH (m:Memory) WHERE m.content IS NOT NULL RETURN m.embedding AS found", {})
    return [row["found"] for row in rows]


def many(times: int) -> list[Draft]:
    """Return every text of a life so many times, each of them a little different."""
    told = [f"{text}, said {number} times" for text in LIFE for number in range(times)]
    return [
        Draft(ref=str(place), kind=Kind.EPISODIC, content=text, at=1_790_000_000_000) for place, text in enumerate(told)
    ]


def first(memory: AgentMemory, question: str) -> str:
    return next(iter(memory.retrieve(question, token_budget=2_000))).memory.content or ""


def test_a_new_tenant_has_the_better_encoder_and_keeps_it(
    opened: Callable[..., AgentMemory], monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened() as memory:
        assert memory.settings.current.embedding.model == "e5"
        assert "embedding.model=e5" in memory.settings.current.to_parameters()
    monkeypatch.setenv("MARS_EMBEDDING", "static")
    with opened() as memory:
        assert memory.settings.current.embedding.model == "e5"
        memory.settings.set(None, {"embedding.model": "auto"})
        assert memory.settings.current.embedding.model == "e5"


def test_without_the_weights_a_new_tenant_is_static(
    opened: Callable[..., AgentMemory], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("marskg.embedding.e5.installed", lambda: False)
    with opened() as memory:
        assert memory.settings.current.embedding.model == "static"


def test_who_asks_does_not_wait_for_quiet(opened: Callable[..., AgentMemory], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("marskg.store.upkeep.late_vectors._QUIET", 600.0)
    with opened() as memory:
        for text in LIFE:
            memory.remember(text, session="s")
        asked = 0
        while memory.stats()["without_vector"] and asked < 40:
            memory.retrieve("Who is my dentist?")
            asked += 1
        assert memory.stats()["without_vector"] == 0


def test_nobody_waits_where_much_is_still_to_be_made(
    opened: Callable[..., AgentMemory], monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = list[float]()
    finish = LateVectors.finish

    def counted(late: LateVectors, seconds: float, **owed: Any) -> bool:
        waited.append(seconds)
        return finish(late, seconds, **owed)

    monkeypatch.setattr(LateVectors, "finish", counted)
    monkeypatch.setattr(late_vectors, "_QUIET", 600.0)
    monkeypatch.setattr(late_vectors, "_FEW", 2)
    with opened() as memory:
        for count, text in enumerate(LIFE[:3], 1):
            memory.remember(text, session="s")
            waited.clear()
            late = memory._components.late.left
            memory.retrieve("Who is my dentist?")
            assert len(waited) == (late <= 2), count


def test_what_is_written_is_found_before_its_vector_is_made(opened: Callable[..., AgentMemory], held: Any) -> None:
    with opened() as memory:
        for text in LIFE:
            assert not memory.remember(text, session="s").notices
        assert memory.stats()["without_vector"] == len(LIFE)
        assert first(memory, "Who is my dentist?") == LIFE[1]
        held.go()
        assert memory.stats()["without_vector"] == 0
        assert all(own(one, tag(NAME)) for one in stored(memory))
        assert first(memory, "Where do I have to go with a toothache?") == LIFE[1]


def test_one_whose_vector_is_not_made_stands_among_those_that_have_one(
    opened: Callable[..., AgentMemory], held: Any
) -> None:
    with opened() as memory:
        for text in LIFE[:3]:
            memory.remember(text, session="s")
        held.go()
        held.free = False
        for text in LIFE[3:]:
            memory.remember(text, session="s")
        assert memory.stats()["without_vector"] == 3
        assert first(memory, "Do I like mushrooms?") == LIFE[4]
        assert first(memory, "Who is my dentist?") == LIFE[1]


def test_while_most_vectors_are_missing_it_ranks_as_a_static_store_does(
    opened: Callable[..., AgentMemory], held: Any, tmp_path: Path
) -> None:
    def told(memory: AgentMemory) -> list[str]:
        return [memory.remember(one, session="s", at=BEGAN + n).id for n, one in enumerate((*LIFE, PAGE, "Bye"))]

    def found(memory: AgentMemory, ids: list[str], asked: str) -> list[tuple[int, float]]:
        # A stored vector is rounded.
        return [(ids.index(one.memory.id), round(one.score, 3)) for one in memory.retrieve(asked, k=5)]

    questions = ("Where do I live now?", "What of the deposit?", "Wer arbeitet in Kiel?", "What do I dislike to eat?")
    with opened() as memory, marskg.open(tmp_path / "other", tenant="t", embedding="static") as other:
        ids, others = told(memory), told(other)
        for erased in (1, 2):
            memory.erase(id=ids[erased])
            other.erase(id=others[erased])
        for asked in questions:
            assert found(memory, ids, asked) == found(other, others, asked)
        # Some are made: two kinds of vectors side by side would rank worse than either.
        late, missing = held.kept[0][0], ids[3:5]
        make_up(late._writer, late._reader, E5(), missing)
        late._heard(missing)
        for asked in questions:
            assert found(memory, ids, asked) == found(other, others, asked)
        for one, held_by in ((memory, ids), (other, others)):
            held_by.append(one.remember("The cat is called Minka", session="s", at=BEGAN + 20).id)
        assert found(memory, ids, "What is my cat called?") == found(other, others, "What is my cat called?")
        held.go()
        assert any(found(memory, ids, asked) != found(other, others, asked) for asked in questions)


def test_who_opens_a_store_half_made_compares_all_of_it_by_the_same(
    opened: Callable[..., AgentMemory], held: Any, tmp_path: Path
) -> None:
    with opened() as memory, marskg.open(tmp_path / "other", tenant="t", embedding="static") as other:
        ids, others = ([one.remember(text, session="s").id for text in LIFE] for one in (memory, other))
        late = held.kept[0][0]
        make_up(late._writer, late._reader, E5(), ids[:3])
    with opened() as memory, marskg.open(tmp_path / "other", tenant="t") as other:
        assert memory.stats()["without_vector"] == 3
        for asked in ("Where do I live now?", "Wer arbeitet in Kiel?", "What do I dislike to eat?"):
            found, same = (
                [(known.index(hit.memory.id), round(hit.score, 3)) for hit in one.retrieve(asked, k=5)]
                for one, known in ((memory, ids), (other, others))
            )
            assert found == same


def test_the_passages_of_a_long_text_are_found_before_and_after(opened: Callable[..., AgentMemory], held: Any) -> None:
    with opened() as memory:
        memory.remember(PAGE, session="s")
        for text in LIFE:
            memory.remember(text, session="s")
        for _ in range(2):
            hits = memory.retrieve("Who holds the deposit?", token_budget=200)
            assert "notary" in str(hits.as_messages())
            held.go()


def test_a_text_that_is_erased_meanwhile_leaves_no_vector(opened: Callable[..., AgentMemory], held: Any) -> None:
    with opened() as memory:
        ids = [memory.remember(text, session="s").id for text in LIFE]
        memory.erase(id=ids[1])
        assert all(hit.memory.id != ids[1] for hit in memory.retrieve("Who is my dentist?"))
        held.go()
        assert len(stored(memory)) == len(LIFE) - 1
        assert memory.stats()["without_vector"] == 0
        assert memory.verify().ok


def test_no_record_tells_of_a_vector_and_the_next_opening_makes_what_is_missing(
    opened: Callable[..., AgentMemory], held: Any
) -> None:
    with opened() as memory:
        for text in LIFE:
            memory.remember(text, session="s")
        before = memory.stats()["audit_seq"]
    held.free = True
    with opened() as memory:
        assert memory.stats()["without_vector"] == len(LIFE)
        memory.retrieve("Who is my dentist?", token_budget=100)
        assert held.kept[0][0] is not memory._components.late
        assert memory._components.late.finish(60)
        assert memory.stats()["without_vector"] == 0
        assert memory.stats()["audit_seq"] == before


def test_closing_waits_for_what_is_missing_and_tells_how_far_it_is(
    opened: Callable[..., AgentMemory], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(late_vectors, "_HEARD", 0.01)
    monkeypatch.setattr(late_vectors, "LATE_PAGE", 2)
    told: list[int] = []
    memory = opened()
    for number in range(20):
        memory.remember(f"{LIFE[number % 6]}, said the {number}th time", session="s")
    memory._components.late.finish(60, told.append)
    memory.close()
    assert told
    assert all(one <= other for one, other in pairwise(told))
    with opened() as again:
        assert again.stats()["without_vector"] == 0


def test_a_text_that_the_model_refuses_keeps_back_no_other(
    opened: Callable[..., AgentMemory], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = E5.embed

    def embed(self: E5, texts: Any) -> Any:
        if any("dentist" in text for text in texts):
            msg = "not this one"
            raise InvalidInput(msg)
        return real(self, texts)

    monkeypatch.setattr(E5, "embed", embed)
    with opened() as memory:
        for text in LIFE:
            memory.remember(text, session="s")
        assert memory._components.late.finish(60)
        assert memory.stats()["without_vector"] == 1
        assert first(memory, "Who is my dentist?") == LIFE[1]


def test_an_encrypted_tenant_gets_its_vectors_too(opened: Callable[..., AgentMemory]) -> None:
    with opened(encryption="subjects") as memory:
        for text in LIFE:
            memory.remember(text, session="s", subjects=["Alex"])
        assert memory._components.late.finish(60)
        assert memory.stats()["without_vector"] == 0
        assert first(memory, "Where do I have to go with a toothache?") == LIFE[1]
        memory.erase(subject="Alex")
        assert not list(memory.retrieve("Who is my dentist?"))


def test_a_model_that_does_not_answer_for_a_while_is_asked_again(
    opened: Callable[..., AgentMemory], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real, down = E5.embed, [True]

    def embed(self: E5, texts: Any) -> Any:
        if down[0]:
            msg = "not now"
            raise EmbeddingUnavailable(msg)
        return real(self, texts)

    monkeypatch.setattr(E5, "embed", embed)
    monkeypatch.setattr("marskg.embedding.circuit_breaker.Rest.rests", lambda *_: False)
    with opened() as memory:
        memory.remember_many(many(20))
        for _ in range(2):
            assert memory._components.late.finish(60)
            assert memory.stats()["without_vector"] == 20 * len(LIFE)
            memory.retrieve("Who is my dentist?", token_budget=100)
        assert len([one for one in caplog.records if one.name == late_vectors.__name__]) == 1
        down[0] = False
        memory.retrieve("Who is my dentist?", token_budget=100)
        assert memory._components.late.finish(60)
        assert memory.stats()["without_vector"] == 0


def test_what_one_handle_has_made_the_other_does_not_make_again(
    opened: Callable[..., AgentMemory], held: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, made = E5.embed, [0]

    def embed(self: E5, texts: Any) -> Any:
        made[0] += len(texts)
        return real(self, texts)

    monkeypatch.setattr(E5, "embed", embed)
    with opened() as memory, opened() as other:
        for text in LIFE:
            memory.remember(text, session="s")
        other.retrieve("Who is my dentist?")
        assert {late for late, _ in held.kept} == {memory._components.late, other._components.late}
        held.go()
        assert made[0] == len(LIFE)
        assert first(other, "Where do I have to go with a toothache?") == LIFE[1]


def test_what_is_cut_out_of_a_text_meanwhile_is_in_no_vector(
    opened: Callable[..., AgentMemory], held: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, asked = E5.embed, []
    with opened() as memory:
        memory.remember("My pin is 4711 and my dog is called Odo")

        def embed(self: E5, texts: Any) -> Any:
            asked.append(list(texts))
            if len(asked) == 1:
                memory.store.engine.write("MATCH (m:Memory) SET m.content = 'My dog is called Odo'", {})
            return real(self, texts)

        monkeypatch.setattr(E5, "embed", embed)
        held.go()
        assert stored(memory) == [None]


def test_closing_waits_for_few_texts_of_a_page_that_takes_long(
    opened: Callable[..., AgentMemory], monkeypatch: pytest.MonkeyPatch
) -> None:
    real, asked, begun = E5.embed, [0], threading.Event()

    def embed(self: E5, texts: Any) -> Any:
        asked[0] += len(texts)
        begun.set()
        return real(self, texts)

    monkeypatch.setattr(E5, "embed", embed)
    monkeypatch.setattr(late_vectors, "_PATIENCE", 0.1)
    memory = opened()
    memory.remember("The tenancy began in May, and the rent is due on the third. " * 4_000)
    assert begun.wait(60)
    memory.close()
    assert asked[0] <= 4 * LATE_PAGE
    with opened() as again:
        assert again.stats()["without_vector"] == 1


def test_who_interrupts_a_program_waits_for_no_vectors(opened: Callable[..., AgentMemory]) -> None:
    drafts = many(8)

    def interrupted() -> None:
        with opened() as memory:
            memory.remember_many(drafts)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with opened() as again:
        left = again.stats()["without_vector"]
        assert left > len(drafts) / 2
        assert again.maintenance.reembed() == left
        assert again.stats()["without_vector"] == 0


def test_nobody_who_asks_waits_for_what_others_left(
    opened: Callable[..., AgentMemory], held: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However slow the machine is, none is begun unless somebody waits for it.
    monkeypatch.setattr(late_vectors, "_STAYS", 600.0)
    monkeypatch.setattr(late_vectors, "_QUIET", 600.0)
    monkeypatch.setattr(late_vectors, "_FEW", 2)  # what is missing here is more than a question waits for
    with opened() as memory:
        memory.remember_many(many(4))
    held.free = True
    asked = [0]

    def embed(self: E5, texts: Any) -> Any:
        asked[0] += len(texts) > 1
        return real(self, texts)

    real = E5.embed
    monkeypatch.setattr(E5, "embed", embed)
    with opened() as again:
        assert first(again, "Who is my dentist?")
        assert again._components.late.left == len(LIFE) * 4
        assert again._components.late.owed == 0
    assert not asked[0]
    # What is stored meanwhile is made first, and waited for.
    with opened() as again:
        again.retrieve("Who is my dentist?")
        again.remember("The gate creaks", session="s")
        assert again._components.late.owed == 1
    with opened() as again:
        assert again.stats()["without_vector"] == len(LIFE) * 4


def test_what_a_question_came_upon_first_is_waited_for_by_who_stored_it(
    opened: Callable[..., AgentMemory], held: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(late_vectors, "_STAYS", 600.0)
    monkeypatch.setattr(late_vectors, "_QUIET", 600.0)
    monkeypatch.setattr(late_vectors, "_FEW", 0)
    with opened() as memory:
        memory.remember(LIFE[1], session="s")
        [(late, ids)] = held.kept
        held.free = True
        # As another thread does, between the write and the moment at which the writer tells of it.
        late.add(ids, found=True)
        assert (late.left, late.owed) == (1, 0)
        late.add(ids)
        assert (late.left, late.owed) == (1, 1)
    with opened() as again:
        assert again.stats()["without_vector"] == 0


def test_who_stays_makes_what_others_left(
    opened: Callable[..., AgentMemory], held: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(late_vectors, "_FEW", 2)
    monkeypatch.setattr(late_vectors, "_STAYS", 0.01)
    with opened() as memory:
        memory.remember_many(many(4))
    held.free = True
    with opened() as again:
        again.retrieve("Who is my dentist?")
        until = threading.Event()
        for _ in range(600):
            if not again._components.late.left:
                break
            until.wait(0.1)
        assert again.stats()["without_vector"] == 0
