"""What is worked out before a transaction is not worked out while others wait, and comes to the same."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from marskg.drafts import Draft
from marskg.errors import ErasedContentRefused
from marskg.language import text_forms
from marskg.language.en import topics
from marskg.ontology.vocabulary import Kind
from marskg.store.graph import amend, recognition, validation
from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

RECOGNISE: dict[str, Any] = {"entities__recognise": "on", "embedding__model": "none", "sensitivity__assess": "off"}
#: Long enough to be read for entities outside of every lock, with names at its ends.
LONG = "Maria Silva met Tom Okafor in Porto. " + "They talked about the garden and the tomatoes for long. " * 60


class Held:
    """A recogniser that waits when it has read a long text, until it is let go."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.reached, self.go_on = threading.Event(), threading.Event()
        self.read: list[str] = []

    def find(self, text: str, **asked: Any) -> Any:
        self.read.append(text)
        found = self.inner.find(text, **asked)
        if text.startswith("Maria") and not self.go_on.is_set():
            self.reached.set()
            assert self.go_on.wait(HANGS_S)
        return found


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    load = recognition.load_recogniser
    made = Held(None)

    def loaded(settings: Any) -> Any:
        made.inner = load(settings)
        return made

    monkeypatch.setattr(recognition, "load_recogniser", loaded)
    yield made
    made.go_on.set()


def names(memory: AgentMemory) -> list[str]:
    return sorted(entity.name for entity in memory.entities.list())


@pytest.mark.parametrize("way", ["remember", "remember_many", "update"])
def test_reading_a_long_text_holds_up_no_other_writer(stores: Stores, held: Held, way: str) -> None:
    memory = stores.open(**RECOGNISE)
    first = memory.remember("A short note", kind="semantic")
    ways = {
        "remember": lambda: memory.remember(LONG, kind="semantic"),
        "remember_many": lambda: memory.remember_many(
            [Draft(ref="long", kind=Kind.SEMANTIC, content=LONG, at=memory.now())]
        ),
        "update": lambda: memory.update(first.id, LONG),
    }
    slow = threading.Thread(target=ways[way])
    slow.start()
    try:
        assert held.reached.wait(HANGS_S)
        quick = threading.Thread(target=lambda: memory.remember("Somebody else's note", kind="semantic"))
        quick.start()
        quick.join(HANGS_S)
        assert not quick.is_alive(), "a writer waits for another one's text to be read"
    finally:
        held.go_on.set()
        slow.join(HANGS_S)
    assert {"Maria Silva", "Tom Okafor", "Porto"} <= set(names(memory))
    assert memory.validate(full=True).ok


def test_presidio_reads_two_texts_at_once(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = pytest.importorskip("presidio_analyzer").AnalyzerEngine
    inside = engine.analyze
    reached, go_on = threading.Event(), threading.Event()

    def analyze(self: Any, text: str, **asked: Any) -> Any:
        if text.startswith("Maria"):
            reached.set()
            assert go_on.wait(HANGS_S)
        return inside(self, text=text, **asked)

    monkeypatch.setattr(engine, "analyze", analyze)
    memory = stores.open(embedding__model="none", sensitivity__assess="on", sensitivity__presidio="on")
    # An identifier that nobody but presidio may know makes it read the text.
    slow = threading.Thread(target=lambda: memory.remember(f"{LONG} Her number is RB123456789X.", kind="semantic"))
    slow.start()
    try:
        assert reached.wait(HANGS_S)
        quick = threading.Thread(target=lambda: memory.remember("Its number is RB123456780X.", kind="semantic"))
        quick.start()
        quick.join(HANGS_S)
        assert not quick.is_alive(), "a writer waits for another one's text to be read"
    finally:
        go_on.set()
        slow.join(HANGS_S)
    assert memory.stats()["live"] == 2


def test_topics_are_sought_before_the_lock(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = stores.open(**RECOGNISE)
    first = memory.remember("A short note", kind="semantic")
    lock: Any = memory._writer.shared.lock
    inside = getattr(topics, "terms")  # noqa: B009 - what the module imports is none of its names to mypy
    held: list[bool] = []

    def terms(text: str) -> Any:
        held.append(lock._is_owned())
        return inside(text)

    monkeypatch.setattr(topics, "terms", terms)
    stored = memory.remember(LONG, kind="semantic")
    memory.remember_many([Draft(ref="long", kind=Kind.SEMANTIC, content=f"{LONG}!", at=memory.now())])
    later = memory.update(first.id, LONG + " Porto has trains and hotels.")
    assert stored.intent_tags == ("topic:gardening",), stored.intent_tags
    assert "topic:travel" in later.intent_tags, later.intent_tags
    assert held
    assert not any(held)


def test_digests_of_a_text_are_made_before_the_lock(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = stores.open(**RECOGNISE)
    first = memory.remember("A short note", kind="semantic")
    gone = memory.remember(f"Once. {LONG}", kind="semantic", subjects=["ada"])
    memory.erase(id=gone.id)
    lock: Any = memory._writer.shared.lock
    inside = text_forms.form_of
    held: list[bool] = []

    def form_of(text: str) -> text_forms.Form:
        if len(text) > 2_000:
            held.append(lock._is_owned())
        return inside(text)

    monkeypatch.setattr(text_forms, "form_of", form_of)
    memory.remember(LONG, kind="semantic", subjects=["ada"])
    memory.remember_many([Draft(ref="long", kind=Kind.SEMANTIC, content=f"{LONG}!!", at=memory.now())])
    memory.update(first.id, f"Two. {LONG}")
    with pytest.raises(ErasedContentRefused):
        memory.remember(f"Once. {LONG}", kind="semantic", subjects=["ada"])
    other = memory.remember("Another note", kind="semantic")
    with pytest.raises(ErasedContentRefused):
        memory.update(other.id, f"Once. {LONG}")
    assert held
    assert not any(held)


def test_the_words_of_a_text_are_found_while_nobody_waits_for_names(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = stores.open(**RECOGNISE)
    lock: Any = memory._writer.shared.caches.names._lock
    inside: Any = getattr(recognition, "words_looked_up")  # noqa: B009 - as above
    held: list[bool] = []

    def words_looked_up(text: str) -> Any:
        held.append(lock._is_owned())
        return inside(text)

    monkeypatch.setattr(recognition, "words_looked_up", words_looked_up)
    memory.remember(LONG, kind="semantic")
    assert held
    assert not any(held)


def test_a_new_version_does_not_look_for_names_in_a_long_text_while_others_wait(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = stores.open(**RECOGNISE)
    first = memory.remember(LONG, kind="semantic")
    inside = amend.words_of
    read: list[int] = []

    def words_of(text: str) -> str:
        read.append(len(text))
        return inside(text)

    # What is prepared has the function by a name of its own.
    monkeypatch.setattr(amend, "words_of", words_of)
    later = memory.update(first.id, LONG.replace("Tom Okafor", "Nobody"))
    linked = {edge.target for edge in memory.edges(later.id)}
    known = {entity.id: entity.name for entity in memory.entities.list()}
    assert {known[one] for one in linked if one in known} >= {"Maria Silva", "Porto"}
    assert "Tom Okafor" not in {known.get(one) for one in linked}
    assert read
    assert max(read) < 100, "only the names themselves"


def test_what_changed_meanwhile_is_read_again(stores: Stores, held: Held) -> None:
    memory = stores.open(**RECOGNISE)
    slow = threading.Thread(target=lambda: memory.remember(LONG, kind="semantic"))
    slow.start()
    assert held.reached.wait(HANGS_S)
    # The first name alone now finds somebody, and Maria Silva has another name.
    person = memory.entities.mention(memory.remember("A word", kind="semantic").id, "Maria da Silva")
    memory.entities.add_alias(person.id, "Maria Silva")
    held.go_on.set()
    slow.join(HANGS_S)
    assert "Maria Silva" not in names(memory), "the alias was given before the text was written"
    (long,) = [one for one in memory.memories() if one.content == LONG]
    assert person.id in {edge.target for edge in memory.edges(long.id)}
    assert held.read.count(LONG) == 2


def test_no_long_text_is_read_while_others_wait(stores: Stores, held: Held) -> None:
    held.go_on.set()
    memory = stores.open(**RECOGNISE)
    lock: Any = memory._writer.shared.lock
    inside: list[bool] = []
    find = held.find

    def seen(text: str, **asked: Any) -> Any:
        if len(text) > 2_000:
            inside.append(lock._is_owned())
        return find(text, **asked)

    held.find = seen  # type: ignore[method-assign]
    # Each names people for the first time whom the next one names too.
    texts = [f"{number}. {LONG.replace('Tom', first)}" for number, first in enumerate(("Tom", "Tim", "Ted"))]
    drafts = [Draft(ref=text[:1], kind=Kind.SEMANTIC, content=text, at=memory.now()) for text in texts]
    memory.remember_many(drafts)
    assert "Maria Silva" in names(memory)
    assert len(inside) >= len(texts)
    assert not any(inside)


@pytest.mark.parametrize("way", ["remember", "remember_many", "update"])
def test_no_long_text_is_read_while_others_wait_although_they_never_leave_off(
    stores: Stores, held: Held, way: str
) -> None:
    held.go_on.set()
    memory = stores.open(**RECOGNISE)
    first = memory.remember("A short note", kind="semantic")
    lock: Any = memory._writer.shared.lock
    inside: list[bool] = []
    find = held.find

    def seen(text: str, **asked: Any) -> Any:
        found = find(text, **asked)
        if text == LONG:
            inside.append(lock._is_owned())
            if not lock._is_owned():
                # Each has a longer name than those before, so that the text may say more.
                memory.entities.mention(first.id, "Tom" + " Boe" * len(inside))
        return found

    held.find = seen  # type: ignore[method-assign]
    if way == "remember":
        memory.remember(LONG, kind="semantic")
    elif way == "update":
        memory.update(memory.remember("Another note", kind="semantic").id, LONG)
    else:
        memory.remember_many([Draft(ref="long", kind=Kind.SEMANTIC, content=LONG, at=memory.now())])
    assert inside == [False] * 5
    assert {"Maria Silva", "Tom Okafor", "Porto"} <= set(names(memory))
    assert memory.validate(full=True).ok


def test_who_is_erased_while_a_text_is_read_does_not_come_back_by_the_name_that_was_known(
    stores: Stores, held: Held
) -> None:
    held.go_on.set()
    memory = stores.open(**RECOGNISE)
    find = held.find

    def seen(text: str, **asked: Any) -> Any:
        # Somebody is known by a name that the text says, until the text was read.
        if text == LONG and not memory._writer.shared.lock._is_owned():  # type: ignore[attr-defined]
            note = memory.remember("A short note", kind="semantic")
            person = memory.entities.mention(note.id, "Maria Silva Vasconcelos")
            memory.entities.add_alias(person.id, "Maria Silva")
            found = find(text, **asked)
            memory.erase(entity=person.id)
            return found
        return find(text, **asked)

    held.find = seen  # type: ignore[method-assign]
    memory.remember(LONG, kind="semantic")
    assert "Maria Silva" in names(memory)
    assert "Maria Silva Vasconcelos" not in names(memory)


def test_a_new_version_is_read_again_outside_of_the_lock(stores: Stores, held: Held) -> None:
    memory = stores.open(**RECOGNISE)
    first = memory.remember("A short note", kind="semantic")
    lock: Any = memory._writer.shared.lock
    slow = threading.Thread(target=lambda: memory.update(first.id, LONG))
    slow.start()
    assert held.reached.wait(HANGS_S)
    inside: list[bool] = []
    find = held.find

    def seen(text: str, **asked: Any) -> Any:
        if text == LONG:
            inside.append(lock._is_owned())
        return find(text, **asked)

    held.find = seen  # type: ignore[method-assign]
    memory.entities.mention(memory.remember("A word", kind="semantic").id, "Maria Silva")
    held.go_on.set()
    slow.join(HANGS_S)
    assert inside == [False]


def test_what_did_not_change_is_read_once(stores: Stores, held: Held) -> None:
    held.go_on.set()
    memory = stores.open(**RECOGNISE)
    memory.remember(LONG, kind="semantic")
    memory.remember_many([Draft(ref="long", kind=Kind.SEMANTIC, content=LONG, at=memory.now())])
    assert held.read.count(LONG) == 2, "once each"


def test_a_batch_links_what_single_writes_link(stores: Stores) -> None:
    texts = [LONG, "Maria Silva likes tea", "Silva and Okafor like tea", f"Tom Okafor again. {LONG}", "Porto is wet"]
    single, batch = stores.open(**RECOGNISE), stores.open(**RECOGNISE)
    for text in texts:
        single.remember(text, kind="semantic")
    batch.remember_many(
        Draft(ref=str(place), kind=Kind.SEMANTIC, content=text, at=batch.now()) for place, text in enumerate(texts)
    )
    linked = []
    for memory in (single, batch):
        found = {entity.id: entity.name for entity in memory.entities.list()}
        linked.append(
            {
                one.content: sorted(found[edge.target] for edge in memory.edges(one.id) if edge.target in found)
                for one in memory.memories()
            }
        )
    assert linked[0] == linked[1]
    assert names(single) == names(batch)


def test_each_draft_is_checked_once(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str] = []
    mentions = validation._check_mentions

    def counted(draft: Draft) -> None:
        checked.append(draft.content)
        mentions(draft)

    monkeypatch.setattr(validation, "_check_mentions", counted)
    memory = stores.open(**RECOGNISE)
    memory.remember("By itself")
    memory.remember_many(
        [Draft(ref="", kind=Kind.SEMANTIC, content=f"number {place}", at=memory.now()) for place in range(3)]
    )
    assert checked == ["By itself", "number 0", "number 1", "number 2"]
