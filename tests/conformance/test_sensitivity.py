"""Sensitivity in the store: measured at every door, inherited, measured anew, and taken out of what readers get."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.answer import plain
from marskg.drafts import Draft
from marskg.errors import InvalidConfig, InvalidInput
from marskg.ontology.mapping import time_lexical
from marskg.ontology.vocabulary import EdgeType, Kind, MemoryClass, Operation

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from marskg.records import Memory, Stored
    from tests.support.stores import Stores

CARD = "The number is 4111 1111 1111 1111"
MAIL = "Write to ann@example.com"
SICK = "I was diagnosed with diabetes last spring"
HARMLESS = "The tomatoes need water twice a week"
DAY = 86_400_000


def opened(stores: Stores, **settings: Any) -> AgentMemory:
    memory = stores.open(**settings)
    memory.settings.set(None, {"entities.recognise": "off"})
    return memory


def read(memory: AgentMemory, ident: str) -> Memory:
    found = memory.get(ident)
    assert found is not None
    return found


def test_what_is_remembered_is_measured(stores: Stores) -> None:
    memory = opened(stores)
    stored = memory.remember(CARD)
    assert stored.sensitivity == pytest.approx(0.9)
    assert stored.sensitivity_reasons == ("a payment card: 0.9",)
    assert stored.memory_class is MemoryClass.PRIVATE
    assert stored.expires_at == stored.created + 7 * DAY
    assert any("class private" in notice for notice in stored.notices)
    assert read(memory, stored.id).sensitivity_reasons == stored.sensitivity_reasons
    assert memory.remember(HARMLESS).sensitivity == 0
    assert memory.validate(full=True).ok
    assert memory.verify().ok


def test_many_are_measured_too(stores: Stores) -> None:
    memory = opened(stores)
    memory.remember_many(
        Draft(ref=str(place), kind=Kind.EPISODIC, content=text, at=memory.now(), session="s")
        for place, text in enumerate((CARD, HARMLESS, MAIL))
    )
    assert sorted(one.sensitivity for one in memory.memories()) == pytest.approx([0.0, 0.4, 0.9])


@pytest.mark.parametrize(
    "fields",
    [
        {"key": "card/4111111111111111"},
        {"session": "4111-1111-1111-1111"},
        {"source_ref": "mailto:ann@example.com?pw=hunter2"},
        {"intent_tags": ["ssn:078-05-1123"]},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_what_it_is_called_and_where_it_is_from_is_measured(stores: Stores, fields: dict[str, Any]) -> None:
    memory = opened(stores)
    memory.settings.set(None, {"sensitivity.assess": "off"})
    old = memory.remember("Another note", kind="semantic", **fields)
    assert old.sensitivity == 0
    memory.settings.set(None, {"sensitivity.assess": "on"})
    now = read(memory, old.id)
    new = memory.remember("A further note", kind="semantic", **fields)
    assert now.sensitivity == new.sensitivity >= 0.9
    assert now.memory_class is new.memory_class is MemoryClass.PRIVATE
    assert not [one for one in memory.read_all(max_sensitivity=0.3) if "note" in str(plain(one))]
    assert not memory.retrieve("note", max_sensitivity=0.3)
    assert read(memory, new.id).sensitivity_reasons == new.sensitivity_reasons
    assert memory.verify().ok
    assert memory.validate(full=True).ok


def test_whom_it_is_about_is_no_finding(stores: Stores) -> None:
    stored = opened(stores).remember("A note", kind="semantic", subjects=["ann@example.com"])
    assert stored.sensitivity == 0


@pytest.mark.parametrize("said", [SICK, MAIL], ids=["health", "sensitivity of the caller's"])
def test_what_is_sensitive_and_no_secret_stays(stores: Stores, said: str) -> None:
    memory = opened(stores)
    stored = memory.remember(said, sensitivity=0.9)
    assert (stored.memory_class, stored.expires_at, stored.notices) == (MemoryClass.FACTUAL, None, ())
    assert stored.sensitivity >= 0.9
    memory.settings.set(None, {"sensitivity.weights.health": 1.0, "sensitivity.weights.email": 1.0})
    assert read(memory, stored.id).sensitivity == pytest.approx(1.0)
    assert (read(memory, stored.id).memory_class, read(memory, stored.id).expires_at) == (MemoryClass.FACTUAL, None)


def test_code_that_only_means_a_secret_is_not_private(stores: Stores) -> None:
    memory = opened(stores)
    code = memory.remember("Read it so: `password = request.form['password']`, and `key = os.environ.get('API_KEY')`")
    assert (code.memory_class, code.expires_at) == (MemoryClass.FACTUAL, None)
    assert memory.remember("Read it so: `password = 'hunter2'`").memory_class is MemoryClass.PRIVATE


def test_whoever_writes_what_is_private_is_told_its_end(stores: Stores) -> None:
    memory = opened(stores)
    for stored in (memory.remember(CARD), memory.remember("I feel low", memory_class="private")):
        assert stored.expires_at is not None
        (notice,) = stored.notices
        assert time_lexical(stored.expires_at) in notice
    endless = opened(stores, lives__private=None).remember("I feel low", memory_class="private")
    assert endless.notices == ("it has the class private: it has no end",)


def test_whoever_writes_many_is_told_how_many_are_private_and_when_the_first_ends(stores: Stores) -> None:
    def many(memory: AgentMemory) -> Stored:
        drafts = [
            Draft(ref=str(place), kind=Kind.SEMANTIC, content=text, at=memory.now(), memory_class=given)
            for place, (text, given) in enumerate([
                (CARD, None), ("I feel low", MemoryClass.PRIVATE), ("The lift is out of order", None)
            ])
        ]  # fmt: skip
        return memory.remember_many(drafts)

    memory = opened(stores)
    found = many(memory)
    assert found == 3
    first = min(one.expires_at for one in memory.memories() if one.expires_at is not None)
    (notice,) = found.notices
    assert notice.startswith("private is the class of 2, 1 of them because they hold a secret")
    assert f"the first ends at {time_lexical(first)}" in notice
    assert CARD not in notice
    (endless,) = many(opened(stores, lives__private=None)).notices
    assert "none of them has an end" in endless


def test_a_class_that_the_caller_gives_stands(stores: Stores) -> None:
    stored = opened(stores).remember(CARD, memory_class="canonical")
    assert (stored.memory_class, stored.expires_at) == (MemoryClass.CANONICAL, None)


def test_what_derives_from_it_is_no_less_sensitive(stores: Stores) -> None:
    memory = opened(stores)
    card = memory.remember(CARD)
    one = memory.remember("A note about that", kind="semantic", derives_from=[card.id])
    two = memory.remember("A note about the note", kind="semantic", derives_from=[one.id])
    assert [one.sensitivity, two.sensitivity] == pytest.approx([0.9, 0.9])
    assert two.sensitivity_reasons == ("inherited from what it derives from: 0.9",)
    assert two.memory_class is not MemoryClass.PRIVATE  # only what itself holds such a thing


def test_an_edge_drawn_later_passes_it_on(stores: Stores) -> None:
    memory = opened(stores)
    card, note = memory.remember(CARD), memory.remember("A note", kind="semantic")
    child = memory.remember("A note on the note", kind="semantic", derives_from=[note.id])
    memory.link(note.id, EdgeType.DERIVES_FROM, card.id)
    assert [read(memory, one.id).sensitivity for one in (note, child)] == pytest.approx([0.9, 0.9])
    assert memory.verify().ok


def test_an_equal_value_that_merges_raises_it(stores: Stores) -> None:
    memory = opened(stores)
    first = memory.remember("blue", kind="semantic", key="colour")
    merged = memory.remember("blue", kind="semantic", key="colour", sensitivity=0.6)
    assert merged.id == first.id
    assert read(memory, first.id).sensitivity == pytest.approx(0.6)
    memory.remember("blue", kind="semantic", key="colour", sensitivity=0.1)
    assert read(memory, first.id).sensitivity == pytest.approx(0.6)


def test_a_new_text_is_measured_and_keeps_the_floor(stores: Stores) -> None:
    memory = opened(stores)
    note = memory.remember(HARMLESS, sensitivity=0.3)
    grave = memory.update(note.id, CARD)
    assert grave.sensitivity == pytest.approx(0.9)
    assert (grave.memory_class, grave.expires_at) == (MemoryClass.PRIVATE, grave.created + 7 * DAY)
    light = memory.update(grave.id, HARMLESS + " now")
    assert light.sensitivity == pytest.approx(0.3)
    assert memory.verify().ok


def test_changed_settings_measure_anew_and_each_change_is_recorded(stores: Stores) -> None:
    memory = opened(stores)
    mail = memory.remember(MAIL)
    given = memory.remember(MAIL + " or ring", sensitivity=0.5)
    derived = memory.remember("A note", kind="semantic", derives_from=[mail.id])
    before = memory.stats()["audit_seq"]
    memory.settings.set(None, {"sensitivity.weights.email": 0.1})
    assert [read(memory, one.id).sensitivity for one in (mail, given, derived)] == pytest.approx([0.1, 0.5, 0.1])
    amended = [one for one in memory.audit.records(first=before + 1) if one.operation is Operation.AMEND]
    assert {ident for one in amended for ident in one.memories} == {mail.id, given.id, derived.id}
    assert not [text for one in amended for text in one.details if "example" in text]
    memory.settings.set(None, {"sensitivity.weights.email": 0.8})
    now = read(memory, mail.id)
    assert now.sensitivity == pytest.approx(0.8)
    assert (now.memory_class, now.expires_at) == (MemoryClass.FACTUAL, None)
    assert memory.maintenance.rescore() == 0
    assert memory.verify().ok
    assert memory.validate(full=True).ok


def test_what_was_stored_unmeasured_is_found_later(stores: Stores) -> None:
    memory = opened(stores)
    memory.settings.set(None, {"sensitivity.assess": "off"})
    stored = memory.remember(CARD)
    assert stored.sensitivity == 0
    with pytest.raises(InvalidInput, match=r"sensitivity\.assess is off"):
        memory.maintenance.rescore()
    memory.settings.set(None, {"sensitivity.assess": "on"})
    assert read(memory, stored.id).sensitivity == pytest.approx(0.9)


def test_a_model_that_there_is_not_is_refused_when_it_is_set(stores: Stores) -> None:
    memory = opened(stores)
    with pytest.raises(InvalidConfig, match=r"sensitivity\.model"):
        memory.settings.set(None, {"sensitivity.model": "gpt-4"})
    assert memory.settings.current.sensitivity.model == "none"


def unmeasured(memory: AgentMemory, *texts: str) -> list[str]:
    """Store texts as a store of before does: they pass a ceiling that they should not."""
    memory.settings.set(None, {"sensitivity.assess": "off"})
    return [memory.remember(text, session="s").id for text in texts]


def test_a_reader_with_a_ceiling_gets_no_more_than_it_on_every_door(stores: Stores) -> None:
    memory = opened(stores)
    unmeasured(memory, "Tomatoes: pay by 4111 1111 1111 1111, or ask ann@example.com about the tomatoes")
    gated: dict[str, Any] = {"max_sensitivity": 0.3}
    hits = memory.retrieve("tomatoes", token_budget=60, conversation="s", **gated)
    everything = memory.read_all(**gated)
    recalled = memory.retrieve("4111 1111 1111 1111", **gated)
    shown = [
        hits.as_text(),
        str(hits.as_messages()),
        str(hits.as_dict()),
        str(everything.to_dicts()),
        str(recalled.to_dicts()),
    ]
    for text in shown:
        assert "4111" not in text
        assert "ann@" not in text
    assert hits[0].memory.content == "Tomatoes: pay by [CARD], or ask [EMAIL] about the tomatoes"
    assert hits.tokens <= 60
    assert "4111" in memory.retrieve("tomatoes").as_text()  # the operator's own door


def test_what_a_reader_gets_does_not_depend_on_what_is_hidden(stores: Stores) -> None:
    texts = []
    for hidden in ("Ann earns 85,000 a year", "Bob earns nothing at all"):
        memory = opened(stores)
        memory.remember("Tomatoes are what Ann earns 85,000 a year with", memory_class="canonical")
        memory.remember(hidden, sensitivity=0.9)
        texts.append(memory.retrieve("tomatoes", max_sensitivity=0.5).as_text())
    assert texts[0] == texts[1]


def test_an_output_does_not_repeat_what_is_hidden(stores: Stores) -> None:
    memory = opened(stores)
    memory.remember("Ann earns a salary of 85,000 euros at Acme", sensitivity=0.8)
    memory.remember(HARMLESS)
    memory.remember("The treatment of Ann's knee starts in May", purpose=["care"])
    said = f"{HARMLESS}. Ann's salary at Acme is 85,000. Write to ann@example.com! Ignore the ceiling."
    found = memory.privacy.redact(said, max_sensitivity=0.5)
    assert found.text == f"{HARMLESS}. [WITHHELD] Write to ann@example.com! Ignore the ceiling."
    assert [one.why for one in found.replaced] == ["withheld"]
    assert memory.privacy.redact(said, max_sensitivity=0.3).text.count("[EMAIL]") == 1
    assert memory.privacy.redact(said, max_sensitivity=0.5, hold=True).held
    assert memory.privacy.redact(said, max_sensitivity=1).text == said
    knee = "The treatment of Ann's knee starts in May."
    assert memory.privacy.redact(knee, purpose="billing").text == "[WITHHELD]"
    assert memory.privacy.redact(knee, purpose="care").text == knee
    disguised = "\u200b".join("Ann earns a salary at Acme of 85,000 euros")
    assert memory.privacy.redact(disguised, max_sensitivity=0.5).text == "[WITHHELD]"
    with pytest.raises(InvalidInput, match="max_sensitivity"):
        memory.privacy.redact(said, max_sensitivity=2)
