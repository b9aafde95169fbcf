"""What is denied is not said, what holds no longer ends, what was done is closed, and what others say is theirs."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from marskg.extraction.by_rules import RuleExtractor
from marskg.extraction.proposal import Proposal, ProposalOperation, Turn
from marskg.ontology.vocabulary import Kind
from tests.unit.extraction.test_people_and_days import SAID

#: A Wednesday.
NOW = int(datetime(2025, 3, 12, 9, tzinfo=UTC).timestamp() * 1000)
#: What the rules read, beside the sentences of other tests.
STATES = [
    *SAID,
    "I'm allergic to peanuts.",
    "I have a severe allergy to latex.",
    "I'm a vegetarian.",
    "I live in Oslo.",
    "I'm from Ghent.",
    "I have a dog.",
    "We have two cats.",
    "I have two children.",
    "I work as a nurse.",
    "I'm a teacher.",
    "I speak Greek.",
    "I'm fluent in Turkish.",
    "I'm married.",
    "I'm scared of spiders.",
    "I'm studying marine biology at Lund.",
    "I have asthma.",
    "I take insulin.",
    "I'm self-employed.",
    "I volunteer at the shelter.",
    "I play tennis.",
    "My sister is a nurse.",
    "My brother lives in Turin.",
    "Tom has asthma.",
    "Our neighbour is vegan.",
]
#: How each is denied: behind a helper, with "do", and in the words that deny by themselves.
_HELPER = re.compile(r"(?<=[\w'])(?: (?:am|are|is|was|has|have)|'m|'re|'ve|(?<=I)'s)\b", re.IGNORECASE)
_VERB = re.compile(r"(?<=\bI )(?!am\b)[a-z]+|(?<=\bwe )(?!are\b)[a-z]+", re.IGNORECASE)
DENIALS = ("not", "never", "no longer", "hardly")


def read(text: str) -> list[Proposal]:
    return list(RuleExtractor().extract([Turn(text, NOW, "Ana", "user")]))


def denied(text: str) -> list[str]:
    """Return the sentence in its negated forms."""
    found = []
    for word in DENIALS:
        found += [f"{text[: m.end()]} {word}{text[m.end() :]}" for m in [_HELPER.search(text)] if m]
        found += [f"{text[: m.start()]}{word} {text[m.start() :]}" for m in [_VERB.search(text)] if m]
    found += [f"{text[: m.start()]}don't {text[m.start() :]}" for m in [_VERB.search(text)] if m]
    found += [f"{text[: m.start()]}do not {text[m.start() :]}" for m in [_VERB.search(text)] if m]
    found += [re.sub(r"\b(is|has|have|was|are)\b", r"\1n't", text, count=1), f"I don't think {text}"]
    return [one for one in found if one != text]


NEGATED = [(text, one) for text in STATES for one in denied(text)]


def affirmed(text: str) -> set[tuple[str | None, str]]:
    """Return what is said to hold, without what is told with its denial."""
    return {
        (one.key, one.content)
        for one in read(text)
        if one.operation in {ProposalOperation.ADD, ProposalOperation.UPDATE} and one.kind is not Kind.TASK
    }


@pytest.mark.parametrize(("text", "negated"), NEGATED, ids=[negated for _, negated in NEGATED])
def test_no_denied_sentence_says_what_the_sentence_says(text: str, negated: str) -> None:
    said = affirmed(text)
    # Whom somebody is called stays so, whatever they are not.
    kept = {(key, content) for key, content in said if re.fullmatch(r"person/[a-z]+", key or "")}
    assert not (affirmed(negated) & said) - kept
    assert not [one for one in affirmed(negated) - kept if (one[0] or "").startswith("profile/") and not denies(one[1])]


def denies(content: str) -> bool:
    return re.search(r"\b(?:not|never|no longer|hardly|avoids?)\b|n't", content) is not None


@pytest.mark.parametrize(
    "text",
    [
        "I have no children.",
        "I have no allergy to peanuts.",
        "I'm allergic to nothing.",
        "I have no pets.",
        "My sister isn't a nurse.",
        "I'm not allergic to peanuts, and I was never vegan.",
    ],
)
def test_what_is_denied_in_other_words_is_no_fact(text: str) -> None:
    assert not [one for one in read(text) if one.key]


@pytest.mark.parametrize(
    ("text", "key", "old"),
    [
        ("I'm not allergic to peanuts anymore.", "profile/allergies", "peanuts"),
        ("I am not allergic to peanuts any longer.", "profile/allergies", "peanuts"),
        ("I am no longer allergic to peanuts.", "profile/allergies", "peanuts"),
        ("I'm no longer a vegetarian.", "profile/diet", "vegetarian"),
        ("I don't play the cello any more.", "profile/hobbies", "the cello"),
        ("I do not play the cello anymore.", "profile/hobbies", "the cello"),
        ("I'm no longer taking metformin.", "profile/medication", "metformin"),
        ("I'm not a nurse anymore.", "profile/job", "nurse"),
        ("I'm no longer scared of spiders.", "profile/fears", "spiders"),
        ("We no longer have a dog.", "profile/pets", "dog"),
        ("We don't have a dog anymore.", "profile/pets", "dog"),
        ("I live in Oslo no more.", "profile/home", "Oslo"),
        ("My sister is no longer a nurse.", "person/sister/job", "nurse"),
        ("My sister doesn't live in Turin anymore.", "person/sister/home", "Turin"),
        ("Tom isn't allergic to nuts any more.", "person/tom/allergies", "nuts"),
        ("I no longer run every morning before work.", None, "run every morning before work"),
        ("I don't run every morning before work anymore.", None, "run every morning before work"),
        ("I'm not training for a marathon anymore.", None, "training for a marathon"),
        ("I never smoke any more.", None, "smoke"),
    ],
)
def test_what_holds_no_longer_ends_by_its_words(text: str, key: str | None, old: str) -> None:
    (found,) = read(text)
    assert (found.operation, found.key, found.old) == (ProposalOperation.END, key, old)
    assert denies(found.content) or "no more" in found.content
    assert text[found.span.start : found.span.end].strip(".") in text


def test_what_is_said_beside_an_end_stays() -> None:
    ended, holds = read("I'm no longer a vegetarian, but I'm allergic to cats.")
    assert (ended.operation, ended.key) == (ProposalOperation.END, "profile/diet")
    assert (holds.operation, holds.key) == (ProposalOperation.ADD, "profile/allergies")


@pytest.mark.parametrize(
    "text",
    [
        "If I'm no longer allergic to nuts, I'll eat them.",
        "She said I'm no longer allergic to nuts.",
        "Am I no longer allergic to nuts?",
        "I don't know anymore.",
        "I can't do this anymore.",
        "I'm not a fan anymore.",
        "The stairs and I are no longer friends.",
        "I no longer run every morning, she said.",
    ],
)
def test_what_only_sounds_like_an_end_is_none(text: str) -> None:
    assert ProposalOperation.END not in {one.operation for one in read(text)}


def test_what_one_no_longer_has_to_do_is_a_task() -> None:
    for text in ("I no longer need to renew my passport.", "I'm no longer renewing my passport."):
        (found,) = read(text)
        assert (found.operation, found.key) == (ProposalOperation.CLOSE, "todo/renew passport")


@pytest.mark.parametrize(
    ("todo", "done"),
    [
        ("I need to call the dentist.", "I called the dentist."),
        ("I need to call the dentist tomorrow.", "Ok, I've called the dentist this morning."),
        ("I have to pay the electricity bill.", "I paid the electricity bill yesterday."),
        ("I must send the parcel.", "I finally sent the parcel!"),
        ("Remind me to buy a gift for Bo.", "I bought a gift for Bo."),
        ("I need to write the report.", "I wrote the report."),
        ("I need to pick up my suit.", "Done, I picked up my suit today."),
        ("I need to take the bins out.", "I took the bins out."),
    ],
)
def test_a_deed_closes_the_task_of_its_words(todo: str, done: str) -> None:
    (opened,) = read(todo)
    (closed,) = [one for one in read(done) if one.operation is ProposalOperation.CLOSE]
    assert closed.key == opened.key


def test_each_deed_of_a_sentence_closes_its_task() -> None:
    text = "I called the dentist and I've paid the rent."
    closed = [one for one in read(text) if one.operation is ProposalOperation.CLOSE]
    assert [one.key for one in closed] == ["todo/call dentist", "todo/pay rent"]
    assert [text[one.span.start : one.span.end] for one in closed] == ["I called the dentist", "I've paid the rent"]


@pytest.mark.parametrize(
    "text",
    [
        "I called the dentist last year.",
        "I called the dentist but nobody answered.",
        "I haven't called the dentist.",
        "I almost called the dentist, she said.",
        "Once I called the dentist every week.",
        "Have I called the dentist?",
        "I called the dentist. Just kidding.",
        "I called the dentist. No wait, I didn't.",
        "I've already called the dentist. Well, I didn't.",
        "I wish I had called the dentist.",
        "I called it a day.",
        "I loved the concert.",
        "I made up my mind.",
        "My sister called the dentist.",
        "I ran into an old friend.",
    ],
)
def test_what_is_no_deed_closes_nothing(text: str) -> None:
    assert ProposalOperation.CLOSE not in {one.operation for one in read(text)}


@pytest.mark.parametrize(
    ("text", "stance", "things"),
    [
        ("I like tea, coffee and jam but not milk.", "likes", ["tea", "coffe", "jam"]),
        ("I don't like tea, coffee or jam.", "dislikes", ["tea", "coffe", "jam"]),
        ("I love red wine, ripe pears, and fried rice!", "likes", ["red wine", "ripe pear", "fri rice"]),
        ("I'm a big fan of Bach, Handel and Telemann.", "likes", ["bach", "handel", "telemann"]),
        ("I no longer like tea, coffee or jam.", "likes", ["tea", "coffe", "jam"]),
        ("I do not like coffee.", "dislikes", ["coffe"]),
        ("I don't like tea or coffee.", "dislikes", ["tea", "coffe"]),
        ("I don't like coffee.", "dislikes", ["coffe"]),
        ("I like fish and chips.", "likes", ["fish chip"]),
        ("I love hiking, and it's great.", "likes", ["hike"]),
        ("I love pizza, went there and ate.", "likes", ["pizza"]),
        ("I like neither tea nor coffee.", "likes", []),
    ],
)
def test_a_list_of_tastes_is_one_for_each(text: str, stance: str, things: list[str]) -> None:
    found = [one for one in read(text) if (one.key or "").startswith("preference/")]
    assert [one.key for one in found] == [f"preference/{thing}" for thing in things]
    assert {one.payload["relations"] for one in found} <= {(stance,)}


@pytest.mark.parametrize(
    "text",
    [
        "I live in Oslo. No wait, I live in Bergen.",
        "I live in Oslo. Sorry, I live in Bergen.",
        "I live in Oslo with two friends from school by the river. No wait, I live in Bergen.",
        "I live in Oslo. Scratch that, I live in Bergen.",
        "I live in Oslo. Actually, I live in Bergen.",
    ],
)
def test_what_is_taken_back_at_once_was_not_said(text: str) -> None:
    (found,) = read(text)
    assert (found.payload["concept"], found.old) == ("Bergen", "Oslo")


@pytest.mark.parametrize(
    "text",
    [
        "I hate tea, she said.",
        "I hate tea, said Bo.",
        "I live in Oslo, says my brother.",
        "I live in Oslo, everyone assumes.",
        "Everyone assumes I live in Oslo.",
        "My mother thinks I like tea.",
        "My colleagues all believe that I am vegan.",
        "Bo told people that I work at Acme.",
        "The whole family supposes we live in Rome.",
        "I live in Oslo, not.",
        "I love Mondays... not.",
        "Oh great, I love waiting in line. Not.",
    ],
)
def test_what_others_say_or_a_jest_says_is_nobodys(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize("text", ["I think I like tea.", "My sister knows I like tea.", "I like tea, I said."])
def test_what_the_speaker_thinks_is_said(text: str) -> None:
    assert [one.key for one in read(text)] == ["preference/tea"]


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("From March 2030 I live in Lund.", "2030-03-01"),
        ("I live in Lund from 1 June on.", "2025-06-01"),
        ("Starting next month, I work at Acme.", "2025-04-01"),
        ("As of June, I'm vegetarian.", "2025-06-01"),
        ("I live in Lund from 2019.", "2019-01-01"),
        ("I'm from Oslo.", "2025-03-12"),
        ("I moved from Oslo to Lund in May.", "2025-03-12"),
    ],
)
def test_a_state_begins_when_it_is_said_to(text: str, since: str) -> None:
    (found,) = read(text)
    assert found.valid_from is not None
    assert datetime.fromtimestamp(found.valid_from / 1000, UTC).date().isoformat() == since
    assert found.valid_to is None


@pytest.mark.parametrize(
    "text",
    [
        "I'm not allergic to peanuts any more than you are.",
        "I no longer live in Oslo during the week.",
        "I no longer take metformin with breakfast.",
        "I'm no longer vegan at parties.",
        "I'm no longer vegan, except at home.",
        "I don't speak French any more with my mother",
        "I'm not married to this idea any more.",
        "My other sister no longer lives in Rome.",
        "I don't have cats any more in the bedroom.",
        "I no longer work at Nokia's old office.",
        "Soon I no longer live in Oslo.",
        "In 2030 I'm no longer vegan.",
        "In ten years I no longer live in Oslo.",
        "Some days I'm no longer allergic to nuts.",
        "Sometimes I no longer like coffee.",
        "It feels like I no longer live in Oslo.",
        "Apparently I'm no longer allergic to nuts.",
        "I don't like coffee any more than tea.",
    ],
)
def test_what_is_over_in_part_only_or_not_yet_has_not_ended(text: str) -> None:
    assert ProposalOperation.END not in {one.operation for one in read(text)}


@pytest.mark.parametrize(
    "text",
    [
        "I don't live in Oslo anymore since May.",
        "As of today I'm no longer vegan.",
        "I don't play tennis anymore because of my knee.",
        "I'm no longer married to Bob.",
    ],
)
def test_a_plain_time_or_a_reason_behind_an_end_leaves_it_so(text: str) -> None:
    assert [one.operation for one in read(text)] == [ProposalOperation.END]


@pytest.mark.parametrize(
    "text",
    [
        "Bob: I live in Rome.",
        "Bob: I live in Rome. I'm vegan.",
        "Bob: I'm no longer vegan.",
        "On Monday Bob wrote: I am allergic to penicillin.",
        "Can you proofread this? Dear Sir, I am a nurse in Leeds.",
        "Can you translate this? I live in Rome.",
        "Here's my cover letter: I am a nurse.",
        "My brother: I am vegan.",
        "Me: I live in Rome.",
        "user: I live in Rome.",
    ],
)
def test_somebody_elses_words_are_not_the_speakers(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    "text",
    ["Update: I live in Rome.", "PS: I live in Rome.", "Ana: I live in Rome.", "Bob: I'm vegan.\nI live in Rome."],
)
def test_what_stands_under_no_other_name_is_the_speakers(text: str) -> None:
    assert [one.key for one in read(text)] == ["profile/home"]


@pytest.mark.parametrize(
    "text",
    [
        "I feel like I'm 80.",
        "I look like I'm 20 years old.",
        "I'm 20 years old at heart.",
        "I'm married to my job.",
        "I'm divorced from reality.",
        "I'm single-handedly raising two kids.",
        "I'm a doctor in the game.",
        "I have two children in my class.",
    ],
)
def test_what_one_only_feels_or_plays_is_no_state(text: str) -> None:
    assert not [one for one in read(text) if one.key]


@pytest.mark.parametrize(
    "text",
    [
        "I almost moved to Rome.",
        "I almost bought a house.",
        "I had almost booked a flight to Rome.",
        "Had I bought a house, I would live in Rome.",
    ],
)
def test_what_almost_happened_did_not(text: str) -> None:
    assert read(text) == []
