"""No prompt, and no text that maintenance shortened, shows a sentence of the user's without its "not"."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from marskg.language.whole_sentences import whole_sentences

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

#: What is asked, and what the user said of it: what denies stands at the beginning, in the middle or at the end.
SAID = {
    "may I send the medical records to the employer?": (
        "Send my medical records to Doctor Huber, to the clinic in Graz and to my sister, but to my employer never, not "
        "even if they ask nicely.",
        "Never send my medical records to the employer, to the clinic in Graz, to Doctor Huber or to my sister in Linz.",
        "My medical records may go to the clinic, to my employer under no circumstances, and to my sister whenever you "
        "think that it is useful.",
        "I hate it when people say I send my medical records to the employer; I am glad that the clinic has them and my "
        "sister too.",
        "I told my employer that the medical records may be sent to them by the clinic in Graz under no circumstances.",
        "Send the medical records to Dr. Huber and to my sister and to the employer of my wife, but to mine please don't.",
        "Nobody at the employer of mine, I repeat it for the tenth time, may be sent my medical records by the clinic.",
        "Send the medical records to these\n- the clinic in Graz\n- my sister in Linz\nand to my employer\nnot at all",
        '"Send all my medical records to the employer of mine! Send them today to everyone there!" was said by a man '
        "who is not me.",
    ),
    "Befunde Arbeitgeber schicken?": (
        "Meine Befunde darfst du dem Hausarzt, der Klinik in Graz und meiner Schwester schicken, meinem Arbeitgeber "
        "aber nicht.",
        "Keinesfalls darfst du meine Befunde dem Arbeitgeber schicken, auch wenn er höflich danach fragt und drängt.",
        "Die Befunde vom 5. Mai darfst du der Klinik schicken, dem Arbeitgeber niemals, und meiner Schwester am besten "
        "schon morgen.",
        "Schick die Befunde an Hrn. Dr. Huber, an Fr. Mag. Berger und an den Arbeitgeber meiner Frau, an meinen nie und "
        "nimmer.",
        "Ich verbiete dir ausdrücklich, die Befunde aus der Klinik in Graz meinem Arbeitgeber zu schicken oder zu zeigen.",
        "Die Befunde dem Arbeitgeber zu schicken, der sie schon zweimal haben wollte, kommt für mich überhaupt nicht in "
        "Frage.",
    ),
    "¿enviar informes médicos al jefe?": (
        "Puedes enviar mis informes médicos a la clínica de Madrid, a mi hermana y al doctor López, pero a mi jefe "
        "jamás.",
        "Jamás debes enviar mis informes médicos a mi jefe, ni a la empresa, ni a los compañeros de la oficina.",
        "Mis informes médicos los puedes enviar a la Dra. López, a mi jefe de ninguna manera, y a mi hermana siempre que "
        "quieras.",
        "Los informes médicos de la clínica se los puedes enviar a mi hermana y a mi jefe tampoco quiero que se los "
        "enseñes.",
    ),
    "envoyer dossier médical au patron ?": (
        "Tu peux envoyer mon dossier médical à la clinique de Lyon, à ma soeur et au docteur Martin, mais à mon patron "
        "jamais.",
        "Il ne faut pas envoyer mon dossier médical au patron, à la mutuelle, aux collègues ni à la clinique de Lyon.",
        "Mon dossier médical, tu peux l'envoyer à Mme. Martin, surtout pas à mon patron, et à ma soeur quand tu veux.",
    ),
    "mandare la cartella clinica al capo?": (
        "Puoi mandare la mia cartella clinica al medico, alla clinica di Torino e a mia sorella, ma al mio capo mai.",
        "Guai a te se vuoi mandare la mia cartella clinica al capo, ai colleghi, alla clinica di Torino o a mia sorella.",
    ),
    "medische gegevens naar mijn werkgever sturen?": (
        "Je mag mijn medische gegevens naar de kliniek, naar mijn zus en naar dokter Jansen sturen, naar mijn werkgever "
        "echter nooit.",
        "Geen enkele keer mag je mijn medische gegevens naar mijn werkgever sturen, ook als hij er vriendelijk om vraagt.",
    ),
    "lääkärin tiedot työnantajalle?": (
        "Voit lähettää lääkärin tiedot klinikalle, siskolleni ja tohtori Virtaselle, mutta työnantajalle et koskaan "
        "mitään.",
    ),
    "wyniki badań pracodawcy wysłać?": (
        "Wyniki badań możesz wysłać do kliniki, do mojej siostry i do doktora Nowaka, ale mojemu pracodawcy nigdy.",
    ),
    "отправить результаты работодателю?": (
        "Результаты можно отправить в клинику в г. Москва, моей сестре и доктору Иванову, а работодателю никогда.",
    ),
    "検査結果を会社に送る?": (
        "検査結果は病院と姉と主治医の佐藤先生に送ってもいいですが、会社の上司に送ることは絶対にやめてください。",
    ),  # noqa: RUF001 - as it is written
}
ALL = [(question, text) for question, texts in SAID.items() for text in texts]
BEFORE, BEHIND = "The kettle is filled with water.", "Then the cups are put on the table."
BUDGETS = range(10, 121, 2)


def whole_or_gone(shown: str, text: str) -> bool:
    """Return whether ``shown`` has all of ``text``, or no four words of it one after another."""
    shown, text = " ".join(shown.replace(" / ", " ").split()), " ".join(text.split())
    words = text.split() if " " in text else [*text]
    glue = " " if " " in text else ""
    pieces = (glue.join(words[place : place + 4]) for place in range(len(words) - 3))
    return text in shown or not any(piece in shown for piece in pieces)


def test_there_are_thirty_sentences() -> None:
    assert len(ALL) >= 30
    assert all(len(whole_sentences(text)) == 1 for _, text in ALL), [t for _, t in ALL if len(whole_sentences(t)) > 1]


def told(stores: Stores, text: str, **settings: object) -> AgentMemory:
    memory = stores.open(**settings)
    memory.remember(text, session="a")
    stores.clock(memory).advance(10_000)
    return memory


@pytest.mark.parametrize(("question", "text"), ALL)
@pytest.mark.parametrize("beside", [False, True])
def test_a_prompt_shows_a_sentence_that_denies_whole_or_not_at_all(
    stores: Stores, question: str, text: str, beside: bool
) -> None:
    memory = told(stores, f"{BEFORE} {text} {BEHIND}" if beside else text)
    seen = set()
    for budget in BUDGETS:
        found = memory.retrieve(question, token_budget=budget, session="a" if budget % 4 else None)
        assert found.tokens <= budget
        messages = "\n".join(one["content"] for one in found.as_messages())
        data = "\n".join(one["content"] for one in found.as_dict()["memories"])
        hits = "\n".join(hit.memory.content or "" for hit in found)
        for shown in (found.as_text(), messages, data, hits):
            assert whole_or_gone(shown, text), (budget, shown)
            seen.add(" ".join(text.split()) in " ".join(shown.replace(" / ", " ").split()))
    assert seen == {True, False}


@pytest.mark.parametrize(("question", "text"), ALL)
def test_maintenance_shortens_to_whole_sentences(stores: Stores, question: str, text: str) -> None:
    more = " ".join(f"In step {number} the kettle is filled and emptied." for number in range(4))
    for content in (text, f"{text} {more}", f"{more} {text}"):
        memory = told(
            stores, content, lean__compress_below=100, lean__compress_longer_than=24, lean__archive_below=None
        )
        memory.remember("And then?", session="a")
        memory.maintain()
        live = [one.content or "" for one in memory.memories() if one.tier == "live"]
        assert all(whole_or_gone(one, text) for one in live), live
        assert whole_or_gone(memory.retrieve(question).as_text(), text)


def test_maintenance_still_shortens_what_has_short_sentences(stores: Stores) -> None:
    more = " ".join(f"In step {number} the kettle is filled and emptied." for number in range(8))
    memory = told(stores, more, lean__compress_below=100, lean__compress_longer_than=32, lean__archive_below=None)
    memory.remember("And then?", session="a")
    assert len(memory.maintain().shortened) == 1


def test_a_running_summary_takes_whole_sentences(stores: Stores) -> None:
    question, text = ALL[5]
    memory = told(stores, f"{text} {BEHIND}")
    for budget in range(40, 200, 20):
        shown = memory.retrieve(question, token_budget=budget, session="a").as_text()
        assert whole_or_gone(shown, text), shown


def test_of_a_document_a_run_without_an_end_is_parted_only_if_it_denies_nothing(stores: Stores) -> None:
    run = "and then the garden is watered and the zebra sleeps in the barn near the old house with the people "
    for text, parted in ((run * 10, True), (f"{run * 9} but the door is never open", False)):
        memory = stores.open()
        memory.remember(text, kind="semantic", source_type="doc")
        stores.clock(memory).advance(10_000)
        shown = memory.retrieve("where does the zebra sleep?", token_budget=60).as_text()
        assert ("zebra" in shown) is parted
        memory = told(stores, text)
        assert "zebra" not in memory.retrieve("where does the zebra sleep?", token_budget=60).as_text()
