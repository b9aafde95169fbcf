"""What the rules read out of English, through the door that takes turns."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from marskg.extraction.by_rules import RuleExtractor
from marskg.extraction.proposal import Proposal, ProposalOperation, Turn
from marskg.ontology.vocabulary import Cardinality, EdgeType

#: A Wednesday.
NOW = int(datetime(2025, 3, 12, 9, tzinfo=UTC).timestamp() * 1000)


def read(text: str, *, role: str = "user", speaker: str | None = "Ana") -> list[Proposal]:
    return list(RuleExtractor().extract([Turn(text, NOW, speaker, role)]))


def one(text: str) -> Proposal:
    (found,) = read(text)
    return found


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("I'm allergic to peanuts.", "profile/allergies", "peanuts"),
        ("Hi! These days I live in Ghent, by the river.", "profile/home", "Ghent"),
        ("By the way, my name is Ana Lund.", "profile/name", "Ana Lund"),
        ("I'm 34 years old.", "profile/age", "34"),
        ("My birthday is on May 3rd.", "profile/birthday", "May 3rd"),
        ("I work as a nurse.", "profile/job", "nurse"),
        ("I speak Greek and Turkish.", "profile/languages", "Greek and Turkish"),
        ("I'm vegetarian.", "profile/diet", "vegetarian"),
        ("I'm studying marine biology at Lund.", "profile/studies", "marine biology"),
    ],
)
def test_a_profile_has_slots(text: str, key: str, value: str) -> None:
    found = one(text)
    assert (found.key, found.payload["concept"], found.subjects) == (key, value, ("Ana",))
    assert found.operation is ProposalOperation.ADD


def test_a_move_names_the_old_home_and_the_words_that_say_it() -> None:
    text = "Guess what: I moved from Oslo to Malmö, finally."
    found = one(text)
    assert found.operation is ProposalOperation.UPDATE
    assert (found.key, found.old, found.content) == ("profile/home", "Oslo", "Ana lives in Malmö")
    assert found.span.of([Turn(text, NOW)]) == "I moved from Oslo to Malmö"


def test_an_employer_is_a_relation() -> None:
    found = one("I work for Northwind.")
    assert [(relation.source, relation.type, relation.target) for relation in found.relations] == [
        ("Ana", EdgeType.WORKS_AT, "Northwind")
    ]


def test_liking_and_going_off_the_same_thing_have_one_key() -> None:
    liked, left = one("I really love listening to Nina Simone!"), one("I don't enjoy Nina Simone anymore.")
    assert liked.key == left.key
    assert (liked.operation, left.operation) == (ProposalOperation.ADD, ProposalOperation.END)
    assert left.old == "Nina Simone"


def test_a_change_of_taste_says_what_ended_and_what_began() -> None:
    left, liked = read("I used to love tea, but now I prefer coffee.")
    assert (left.operation, left.old) == (ProposalOperation.END, "tea")
    assert (liked.operation, liked.payload["concept"]) == (ProposalOperation.ADD, "coffee")


def test_who_used_to_dislike_what_they_like_now_likes_it() -> None:
    for text in (
        "I used to hate olives, but now I love them.",
        "I used to dislike olives but lately I find them charming.",
    ):
        assert [(found.key, found.payload["relations"]) for found in read(text)] == [("preference/oliv", ("likes",))]
    for text in ("I used to hate olives, but I would never love them.", "I used to hate olives."):
        assert not [found for found in read(text) if (found.key or "").startswith("preference/")]
    assert [found.key for found in read("I've grown tired of jazz.")] == ["preference/jazz"]
    assert one("I love books that deal with the sea.").key == one("I love books about the sea.").key == "preference/sea"


def test_a_dislike_is_no_like() -> None:
    assert one("I can't stand coriander.").payload["relations"] == ("dislikes",)
    assert one("I don't really like opera.").payload["relations"] == ("dislikes",)


def test_what_was_spent_is_an_entry_of_a_ledger() -> None:
    found = one("I spent $1,012.50 on groceries yesterday.")
    assert (found.key, found.cardinality) == ("ledger/expenses/food/groceri", Cardinality.APPEND)
    assert (found.payload["amount"], found.payload["unit"]) == (1012.5, "USD")
    assert found.valid_from is not None
    assert datetime.fromtimestamp(found.valid_from / 1000, UTC).date().isoformat() == "2025-03-11"


def test_what_was_run_is_an_entry_of_a_ledger() -> None:
    found = one("I ran 5 km this morning!")
    assert (found.key, found.payload["amount"], found.payload["unit"]) == ("ledger/run/km", 5, "km")


@pytest.mark.parametrize(
    ("text", "key", "goal"),
    [
        ("My budget is 300 euros a month.", "goal/budget", "at most 300 EUR per month"),
        ("I want to keep my taxi spending under $40 per week.", "goal/taxi", "at most 40 USD on taxi per week"),
        ("I'm trying to walk 9,000 steps every day.", "goal/step", "9000 steps per day"),
    ],
)
def test_a_goal_has_an_amount_and_a_period(text: str, key: str, goal: str) -> None:
    found = one(text)
    assert found.key == key
    assert goal in str(found.payload["goal"])


def test_a_task_is_closed_by_the_words_that_opened_it() -> None:
    opened, closed = one("I need to prepare the tax return."), one("I finished preparing the tax return.")
    assert opened.key == closed.key
    assert (opened.operation, closed.operation) == (ProposalOperation.ADD, ProposalOperation.CLOSE)


def test_a_reminder_ends_when_its_day_ends() -> None:
    found = one("Please remind me to call the dentist tomorrow.")
    assert found.valid_to is not None
    assert datetime.fromtimestamp(found.valid_to / 1000, UTC).date().isoformat() == "2025-03-13"


@pytest.mark.parametrize(
    "text",
    [
        "Do I like tea?",
        "If I lived in Rome I'd learn Italian.",
        "She said I hate tea.",
        'The sign read "I love Berlin" in red.',
        "Yeah right, I love waiting in line.",
        "I love Mondays... just kidding.",
        "I wonder whether I like opera.",
        "It's not that I hate jazz.",
        "",
        "   \n ",
    ],
)
def test_what_is_asked_supposed_reported_or_jest_is_not_read(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize("role", ["assistant", "tool", "doc"])
def test_nobody_else_speaks_for_the_user(role: str) -> None:
    assert read("I live in Oslo and I love tea. Remind me to call Bo.", role=role) == []


@pytest.mark.parametrize(
    ("text", "key", "action"),
    [
        ('When I say "status", answer with one line.', "rule/status", "answer with one line"),
        ("Always answer in metric units.", "rule/answer metric unit", "answer in metric units"),
        ("Please use British spelling from now on.", "rule/use british spell", "use British spelling"),
        ("I'd like you to never use emojis.", "rule/use emoji", "use emojis"),
    ],
)
def test_a_user_gives_rules(text: str, key: str, action: str) -> None:
    found = one(text)
    assert found.operation is ProposalOperation.RULE
    assert (found.key, found.payload["relations"]) == (key, (action,))


@pytest.mark.parametrize(
    "text",
    [
        'She told me: "always answer in French."',
        "If I say yes, it means no.",
        "I always call my mother.",
        "Never give up!",
    ],
)
def test_what_only_sounds_like_a_rule_is_none(text: str) -> None:
    assert not [found for found in read(text) if found.operation is ProposalOperation.RULE]


def test_a_wish_to_forget_names_what() -> None:
    found = one("Please forget what I said about my divorce.")
    assert (found.operation, found.old) == (ProposalOperation.WISH, "my divorce")
    assert one("Forget that.").operation is ProposalOperation.WISH


def test_a_correction_names_the_value_that_was_wrong() -> None:
    for text in ("I live in Ghent, not Bruges.", "I don't live in Bruges but in Ghent."):
        found = one(text)
        assert (found.operation, found.payload["concept"], found.old) == (ProposalOperation.UPDATE, "Ghent", "Bruges")
    meant = one("Actually, it's Thursday, not Friday.")
    assert (meant.operation, meant.old) == (ProposalOperation.UPDATE, "Friday")


def test_contradictory_statements_of_a_turn_are_read_in_their_order() -> None:
    first, second = read("I live in Ghent. And now I live in Bruges.")
    assert (first.key, second.key) == ("profile/home", "profile/home")
    assert (first.payload["concept"], second.payload["concept"]) == ("Ghent", "Bruges")


def test_an_appointment_is_kept_moved_and_called_off_under_one_key() -> None:
    kept = one("I have a dentist appointment on May 3rd.")
    moved = one("My dentist appointment has been moved to next Tuesday.")
    dropped = one("I had to cancel my dentist appointment.")
    assert kept.key == moved.key == dropped.key == "calendar/dentist appoint"
    assert [one.operation for one in (kept, moved, dropped)] == [
        ProposalOperation.ADD,
        ProposalOperation.UPDATE,
        ProposalOperation.CLOSE,
    ]
    assert kept.valid_to is not None
    assert datetime.fromtimestamp(kept.valid_to / 1000, UTC).date().isoformat() == "2025-05-03"


@pytest.mark.parametrize(
    "text",
    [
        'I no longer need to track "Prepare the tax return".',
        "Please remove 'Prepare the tax return' from my to-do list.",
        "I've already prepared the tax return.",
    ],
)
def test_a_task_is_closed_in_many_words(text: str) -> None:
    found = one(text)
    assert (found.operation, found.key) == (ProposalOperation.CLOSE, "todo/prepar tax return")


@pytest.mark.parametrize("text", ["I have to run now, bye!", "I need to get going.", "I must say that's true."])
def test_leaving_is_no_task(text: str) -> None:
    assert read(text) == []


def test_the_fields_of_a_record_have_its_name_in_their_keys() -> None:
    turns = [
        Turn("I need to fill in the project proposal titled 'Lighthouse Garden'.", NOW, session="s"),
        Turn("The budget is $5,000.", NOW + 1, session="s"),
        Turn("The stakeholders include the City Council, the Harbour Trust, and two schools.", NOW + 2, session="s"),
        Turn("Please remove 'City Council' from the stakeholders.", NOW + 3, session="s"),
        Turn("The budget is $7.", NOW + 4, session="another"),
    ]
    budget, *names, gone, elsewhere = RuleExtractor().extract(turns)
    assert (budget.key, budget.payload["amount"]) == ("document/lighthous garden/budget", 5000)
    assert [name.content.split(": ")[1] for name in names] == ["City Council", "Harbour Trust", "two schools"]
    assert {name.key for name in names} == {gone.key}
    assert (gone.operation, gone.old) == (ProposalOperation.END, "City Council")
    assert elsewhere.key == "document/budget"


def test_a_labelled_field_is_read() -> None:
    found = one("Title: A quiet year")
    assert (found.key, found.payload["relations"]) == ("document/titl", ("A quiet year",))


def test_an_event_is_told_of_the_speaker_without_padding() -> None:
    found = one("Hey Bo! So, I joined a pottery class at the community school last week - it was so much fun!")
    assert found.content == "Ana joined a pottery class at the community school last week"
    assert found.subjects == ("Ana",)
    assert found.valid_from is not None
    assert found.valid_from < NOW


def test_a_subject_left_out_is_the_speaker() -> None:
    assert one("Just finished my first novel for the writing course yesterday!").content.startswith(
        "Ana finished their first novel"
    )


def test_a_taste_points_back_to_what_was_named() -> None:
    assert [found.key for found in read("I saw Nina Simone on stage. I really love her music!")][
        -1
    ] == "preference/nina simon"
    assert [found.key for found in read("I really love her music!")] == []


@pytest.mark.parametrize(
    ("text", "key", "content"),
    [
        (
            "Please remove 'A short film.' from the deliverables.",
            "document/deliver",
            "Deliverables no longer: A short film",
        ),
        ("Yes, add 'Bo Lind' to the `recipient_list`.", "document/recipi", "Recipients: Bo Lind"),
        ("Please remove 'Bo Lind' from the 'key_points' field.", "document/point", "Points no longer: Bo Lind"),
        ("Please revert the budget to $17,500.", "document/budget", "Budget: $17,500"),
        ("The email needs to go to the treasurer.", "document/recipi", "Recipients: treasurer"),
        (
            "The meeting was about the Spring Fair Review.",
            "document/spring fair review/titl",
            "Title: Spring Fair Review",
        ),
        ("This post is for LinkedIn.", "document/platform", "Platform: LinkedIn"),
        ("It's a product update, sharing what is new.", "document/content type", "Content type: product update"),
        ("Let's go with #slowfood.", "document/hashtag", "Hashtags: #slowfood"),
    ],
)
def test_fields_are_named_in_many_words(text: str, key: str, content: str) -> None:
    assert (key, content) in [(found.key, found.content.rstrip(".")) for found in read(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Is this post for LinkedIn?",
        "If this post is for LinkedIn, make it short.",
        "She said this post is for LinkedIn.",
        "It's not a product update.",
        "Should the email go to the treasurer?",
        "Everything needs to go to the dump.",
    ],
)
def test_what_is_asked_or_denied_of_a_document_is_no_field(text: str) -> None:
    assert [found.key for found in read(text) if (found.key or "").startswith("document/")] == []
