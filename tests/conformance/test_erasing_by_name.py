"""Erasing by a name takes whom it names, lists what it may name, leaves its namesakes, and says so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import marskg
from marskg.privacy.principals import Principal, Role
from tests.support.name_cases import GROUPS, IS, NEAR, OTHER

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores


@pytest.mark.parametrize("group", GROUPS)
def test_the_table_of_names_through_the_door(stores: Stores, group: str) -> None:
    memory, cases = stores.open(), GROUPS[group]
    stored = {text: memory.remember(text, kind="semantic").id for text in sorted({text for _, text, _ in cases})}
    wrong = []
    for name in sorted({name for name, _, _ in cases}):
        found = memory.erase(entity=name, dry_run=True)
        matched, near, namesakes = ({one.id for one in some} for some in (found.memories, found.near, found.namesakes))
        for _, text, verdict in (case for case in cases if case[0] == name):
            taken, listed = stored[text] in matched, stored[text] in near
            told = listed or stored[text] in namesakes
            missed = {OTHER: taken, IS: not taken, NEAR: taken or not told}.get(verdict, not (taken or listed))
            if missed:
                wrong.append((name, text, verdict, taken, listed))
    assert wrong == []
    assert len(list(memory.memories())) == len(stored)


def test_a_dry_run_tells_what_the_erasure_does_and_changes_nothing(stores: Stores) -> None:
    memory = stores.open()
    said = memory.remember("Nora Berg keeps bees behind the old mill")
    derived = memory.remember("There are bees at the mill", kind="semantic", derives_from=[said.id])
    memory.remember("Anna-Nora Berg-Dahl keeps geese", kind="semantic")
    before = list(memory.audit.records())
    dry = memory.erase(entity="Nora Berg", dry_run=True)
    assert (dry.outcome, dry.claim, dry.document, dry.id) == ("dry run", "", {}, "")
    assert [one.id for one in dry.memories] == [said.id]
    assert list(memory.audit.records()) == before
    assert {one.id for one in memory.memories()} >= {said.id, derived.id}
    done = memory.erase(entity="Nora Berg")
    assert done.outcome == "erased"
    for name in ("by", "matched", "descendants", "entities", "shortened", "blocked", "slots", "forms", "near"):
        assert getattr(done, name) == getattr(dry, name), name
    assert memory.audit.check_receipt(done.document).findings == ()


def test_what_may_be_meant_is_left_and_listed_in_plan_and_receipt(stores: Stores) -> None:
    memory = stores.open()
    memory.remember("Nora likes figs")
    hyphened = memory.remember("Nora-Lynn likes plums", kind="semantic", mentions=["Nora-Lynn"])
    address = memory.remember("Write to nora@fjord.no", kind="semantic")
    dry = memory.erase(entity="Nora", dry_run=True)
    done = memory.erase(entity="Nora")
    assert {one.id for one in done.near} == {hyphened.id, address.id}
    assert dry.near == done.near
    assert all(one.reason for one in done.near)
    assert done.document["nearMemories"] == 2
    assert "memories that may have the name" in done.document["uncovered"]
    assert "nora" not in json.dumps(done.document).casefold()
    assert {one.id for one in memory.memories()} == {hyphened.id, address.id}


def test_a_longer_address_is_a_namesake_and_stays(stores: Stores) -> None:
    memory = stores.open()
    ours = memory.remember("Write to nora@fjord.no about the boat")
    theirs = memory.remember("Write to nora@fjord.no.uk about the boat")
    done = memory.erase(entity="nora@fjord.no")
    assert (done.matched, [one.id for one in done.namesakes]) == (1, [theirs.id])
    assert {one.id for one in memory.memories()} == {theirs.id}
    assert ours.id not in {one.id for one in memory.memories()}


def test_a_receipt_of_a_name_that_matched_nothing_says_so(stores: Stores) -> None:
    memory = stores.open()
    memory.remember("Nora likes figs")
    for request in ({"entity": "Hexolt"}, {"subject": "Hexolt"}, {"session": "hexolt"}, {"source": "hexolt"}):
        done = memory.erase(**request)  # type: ignore[arg-type]
        assert done.outcome == "nothing matched"
        assert done.document["erasureOutcome"] == "nothing matched"
        assert memory.audit.check_receipt(done.document).findings == ()


def test_a_subject_is_one_in_every_form_that_looks_the_same(stores: Stores) -> None:
    memory = stores.open()
    memory.remember("He plays chess on Mondays", subjects=["Jose\u0301"])
    assert memory.erase(subject="Jos\u00e9").matched == 1
    with pytest.raises(marskg.ConsentRequired):
        memory.remember("He plays go on Tuesdays", subjects=["Jos\u00e9"])


def test_a_text_that_names_a_subject_and_is_not_filed_so_is_listed(stores: Stores) -> None:
    memory = stores.open()
    filed = memory.remember("She ordered three books", subjects=["王芳"])
    named = memory.remember("王芳的订单已发货")
    done = memory.erase(subject="王芳")
    assert (done.matched, [one.id for one in done.near]) == (1, [named.id])
    assert filed.id not in {one.id for one in memory.memories()}
    by_name = memory.erase(entity="王芳")
    assert (by_name.matched, by_name.near) == (1, ())


def test_what_others_told_of_a_subject_stays_and_the_receipt_says_how_much(stores: Stores) -> None:
    memory = stores.open()
    own = memory.remember("I live in Oslo", subjects=["Hermine Ek"])
    named = [
        memory.remember("Hermine Ek is allergic to nuts", subjects=["Ana"]),
        memory.remember("My sister keeps bees", kind="semantic", mentions=["Hermine Ek"]),
    ]
    part = memory.remember("Hermine sings", subjects=["Bo"])
    memory.remember("The well is deep", subjects=["Ana"])
    dry, done = memory.erase(subject="Hermine Ek", dry_run=True), memory.erase(subject="Hermine Ek")
    for receipt in (dry, done):
        assert receipt.matched == 1
        assert {one.id for one in receipt.near} == {part.id, *(one.id for one in named)}
        (notice,) = receipt.notices
        assert notice.startswith("memories that others told of them, which stay: 2; ")
    assert own.id not in {one.id for one in memory.memories()}
    taken = memory.erase(entity="Hermine Ek")
    assert (taken.matched, taken.notices) == (2, ())
    assert memory.erase(subject="Ana").notices == ()


def test_a_subject_learns_nothing_of_what_others_told_of_them(stores: Stores) -> None:
    memory = stores.open()
    memory.remember("I live in Oslo", subjects=["Hermine"])
    memory.remember("Hermine is allergic to nuts", subjects=["Ana"])
    herself = stores.open_as(memory, Principal(Role.SUBJECT, "Hermine"))
    for dry_run in (True, False):
        told = herself.erase(subject="Hermine", dry_run=dry_run)
        assert (told.matched, told.near, told.notices) == (1, (), ())


def test_a_rule_about_a_name_takes_whom_an_erasure_takes(stores: Stores) -> None:
    memory = stores.open()
    memory.preferences.set("blacklisted_entity", "nora@fjord.no")
    with pytest.raises(marskg.PreferenceRefused):
        memory.remember("Write to nora@fjord.no today")
    assert memory.remember("Write to nora@fjord.no.uk today").notices == ()
    memory.preferences.set("blacklisted_entity", "王芳")
    with pytest.raises(marskg.PreferenceRefused):
        memory.remember("王芳的订单已发货")
    near = memory.remember("王芳芳的订单已发货")
    assert [notice for notice in near.notices if notice.startswith("near: ")]
    assert not any("王芳" in notice for notice in near.notices)


def shown(memory: AgentMemory, question: str) -> set[str]:
    return {hit.memory.id for hit in memory.retrieve(question, k=5)}


def test_a_wish_names_exactly_whom_it_names_and_shows_it_first(stores: Stores) -> None:
    memory = stores.open()
    berg = memory.remember("Dr. Berg moved the appointment to Monday")
    dahl = memory.remember("Dr. Dahl moved the appointment to Friday")
    ours = memory.remember("The invoice goes to nora@fjord.no every month")
    theirs = memory.remember("The invoice goes to nora@fjord.no.uk every month")
    number = memory.remember("The boat yard is at 0475/555.219 in the mornings")
    (dry,) = memory.learning.wish("Forget about Dr. Berg.", dry_run=True)
    assert dry.about == (berg.id,)
    assert memory.stats()["live"] == 5
    assert berg.id in shown(memory, "when is the appointment?")
    (done,) = memory.learning.wish("Forget about Dr. Berg.")
    assert done.about == (berg.id,)
    assert shown(memory, "when is the appointment?") & {berg.id, dahl.id} == {dahl.id}
    assert memory.learning.wish("Forget everything about nora@fjord.no")[0].about == (ours.id,)
    assert shown(memory, "where does the invoice go?") & {ours.id, theirs.id} == {theirs.id}
    assert memory.learning.wish("Stop mentioning 0475 555 219")[0].about == (number.id,)
    assert number.id not in shown(memory, "what is the number of the boat yard?")


#: What somebody asks to forget, what is offered to be erased, and what is not.
ASKED = {
    "the mail to lena@post.example": (
        ["The mail for lena@post.example bounced", "The mail for lena+news@post.example came"],
        ["The mail for lena@post.example.org came", "The mail for magdalena@post.example came"],
    ),
    "mobile 0171 2345678": (
        ["The mobile is 0171 2345678", "From abroad it is +49 171 2345678"],
        ["Another mobile is 0171 2345679"],
    ),
    "handle @pix_el": (["She is @pix_el", "On the forum she is pix_el"], ["He is @pix_el_2"]),
    "member 412": (["The member has number 00412", "Member 412 paid"], ["Member 4120 paid"]),
    "the release on 2026-02-17": (
        ["The release is on 2026-02-17", "February 17, 2026 was chosen"],
        ["The review is on 2026-02-18"],
    ),
    "ticket HELP-77": (["The ticket is HELP-77", "It was filed as HELP77"], ["The ticket was HELP-770"]),
    "device token f3a9c2d1": (
        ["The device token is f3a9c2d1-77aa-4b0e", "In one piece: f3a9c2d177aa4b0e"],
        ["The device token was f3a9c2d2-77aa-4b0e"],
    ),
    "everything about Rose from payroll": (["Rose joined in May"], ["The rose bush needs water"]),
    "everything about April the captain": (["April leads the crew"], ["In April the crew rests"]),
    "Wi-Fi code of the cabin": (["The WiFi code of the cabin is kept by Ann"], ["The code of the cabin door is new"]),
    "everything about tenant no. 4": (["The tenant no. 4 pays late"], ["The tenant no. 5 pays late"]),
    "service billing ownership": (
        ["Service billing has its ownership with Ines"],
        ["Service billing-export has its ownership with Tom"],
    ),
}


@pytest.mark.parametrize("asked", ASKED)
def test_what_is_asked_to_be_forgotten_is_offered_however_it_is_written(stores: Stores, asked: str) -> None:
    memory = stores.open()
    meant, others = ASKED[asked]
    stored = {memory.remember(text).id: text for text in (*meant, *others)}
    (found,) = memory.learning.wish(f"Forget {asked}.")
    assert sorted(stored[ident] for ident in found.about) == sorted(meant)


def test_a_shortened_token_that_two_begin_with_is_neither(stores: Stores) -> None:
    memory = stores.open()
    memory.remember("The device token is f3a9c2d1-77aa-4b0e")
    memory.remember("The device token was f3a9c2d1-88bb-4b0e")
    (found,) = memory.learning.wish("Forget device token f3a9c2d1")
    assert found.about == ()


def test_other_writings_are_offered_for_forgetting_alone_and_nothing_of_them_is_hidden(stores: Stores) -> None:
    memory = stores.open()
    tagged = memory.remember("The newsletter goes to lena+news@post.example")
    assert memory.learning.wish("Remember less about lena@post.example")[0].about == ()
    assert memory.learning.wish("Forget lena@post.example")[0].about == (tagged.id,)
    assert tagged.id in shown(memory, "where does the newsletter go?")


def test_an_account_is_erased_by_its_number_whatever_word_is_before_it(stores: Stores) -> None:
    memory = stores.open()
    taken = [
        memory.remember("She pays from DE89 3704 0044 0532 0130 00", kind="semantic").id,
        memory.remember("The rent: iban DE89370400440532013000.", kind="semantic").id,
    ]
    memory.remember("He pays from DE75 5121 0800 1245 1261 99", kind="semantic")
    dry = memory.erase(entity="IBAN DE89370400440532013000", dry_run=True)
    assert sorted(one.id for one in dry.memories) == sorted(taken)
    memory.erase(entity="IBAN DE89370400440532013000")
    with pytest.raises(marskg.ErasedContentRefused):
        memory.remember("The rent: iban DE89370400440532013000.", kind="semantic")
