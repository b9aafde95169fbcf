"""Calibrates what similarity and words say of whether a store holds anything on a question, for each bundled model.

Run: ``python scripts/relevance_floors.py`` (``--model minilm`` for the other; no other data are needed). It prints what
:data:`marskg.retrieval.query.relevance.CALIBRATED` holds. The facts and the questions are written for this script and
come from no benchmark: five people or teams, eight facts of each as they are told, and six talks with an assistant of
five exchanges each, two of a kind, with questions in other words. A question is asked of stores of 2 to 32 facts, or
exchanges, drawn at random: once with what answers it among strangers', once without.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from marskg.embedding.registry import load_model
from marskg.retrieval.index.lexical import Lexical
from marskg.retrieval.query.relevance import COVERAGE, Among, Calibration
from marskg.text import passages, terms

if TYPE_CHECKING:
    import numpy.typing as npt

    from marskg.embedding.model import EmbeddingModel

Facts = tuple[tuple[str, str], ...]

WORLDS: Final[tuple[Facts, ...]] = (
    (
        ("Marek: I keep bees behind the garage, four hives since spring", "How many beehives are there?"),
        ("Marek: my knee was operated on in February, I still limp", "Which surgery did he have?"),
        ("Marek: we named the boat Halina, after grandmother", "What is the boat called?"),
        ("Marek: the roof leaks above the kitchen whenever it storms", "Where does water come into the house?"),
        ("Marek: I swapped coffee for chicory because of my stomach", "Why did he stop drinking coffee?"),
        ("Marek: our daughter starts at the conservatory with the cello", "Which instrument does the daughter play?"),
        ("Marek: the tax office wants 1,240 zloty by Friday", "How much is owed to the tax office?"),
        ("Marek: I cannot stand opera, but folk songs make me cry", "What kind of singing does he like?"),
    ),
    (
        ("Leila teaches chemistry at the evening school on Tuesdays", "Which subject does Leila teach?"),
        ("Leila's passport runs out in November", "When must the passport be renewed?"),
        ("Leila never flies; she takes the night train to her sister in Graz", "How does she travel to her sister?"),
        ("Leila won second prize with a photograph of a heron", "What did she photograph for the contest?"),
        ("Leila is lactose intolerant and carries tablets", "What can she not digest?"),
        ("Leila's landlord raised the rent to 910 euros", "How much does the flat cost a month?"),
        ("Leila runs along the river before breakfast", "What exercise does she do in the morning?"),
        ("Leila wants to learn Portuguese before the summer", "Which language is she going to study?"),
    ),
    (
        ("The deploy key of the staging server was rotated on 3 May", "When was the staging key changed?"),
        ("Nightly backups go to the bucket in Frankfurt", "Where are backups stored?"),
        ("The login page must load in under 800 milliseconds", "How fast does the login page have to be?"),
        ("Priya reviews every change to the payment module", "Who checks payment code?"),
        ("We decided against Kafka, a table as a queue is enough", "Why is there no Kafka?"),
        ("The customer in Oslo asked for invoices in Norwegian", "Which language do Oslo's invoices need?"),
        ("Flaky test: the calendar import fails in leap years", "Which test is unreliable?"),
        ("The office router's password is on the note in the safe", "Where can I find the password of the router?"),
    ),
    (
        ("Tomás: I burned the paella again, the pan is too thin", "Why does the paella go wrong?"),
        ("Tomás: grandpa's clock stopped at ten past four the day he died", "What happened to the old clock?"),
        ("Tomás: I have adopted a three-legged greyhound, Rayo", "What kind of dog did Tomás get?"),
        ("Tomás: on Sundays I referee boys' football in the park", "What does he do at weekends?"),
        ("Tomás: the wedding is moved to the vineyard in September", "Where will they marry?"),
        ("Tomás: I sleep badly since the bar below has live music", "What keeps him awake?"),
        ("Tomás: I sold the motorbike to pay for the course", "How did he finance the training?"),
        ("Tomás: my best tomatoes are the black ones from Crimea", "Which vegetables grow well for him?"),
    ),
    (
        ("Yuki: my thesis is on how octopuses solve mazes", "What is her research about?"),
        ("Yuki: I lost my umbrella on bus 42 yesterday", "Where did the umbrella go missing?"),
        ("Yuki: mother's blood pressure is finally normal", "How is her mother's health?"),
        ("Yuki: I paint with ink, colours confuse me", "What does she use for painting?"),
        ("Yuki: the scholarship ends in March, then I need a job", "Until when does the funding last?"),
        ("Yuki: my neighbour practises the trumpet at midnight", "Who makes noise at night?"),
        ("Yuki: I gave up sugar for Lent and kept to it", "What did she do without during Lent?"),
        ("Yuki: we hiked to the crater lake and met a bear", "Which animal did they run into?"),
    ),
)


#: Talks with an assistant, whose texts have several passages each.
TALKS: Final = Path(__file__).with_name("relevance_talks.txt")
#: The default of retrieval.min_confidence.
LEAST: Final = 0.5
SIZES: Final = (2, 4, 8, 16, 32)
DRAWS: Final = 3


class Told(NamedTuple):
    """What was said, in passages, in the world of which somebody tells, and the questions that it answers."""

    world: int
    passages: list[str]
    questions: list[str]


def facts() -> list[Told]:
    """Return the facts above, each a passage."""
    return [Told(place, [text], [question]) for place, world in enumerate(WORLDS) for text, question in world]


def talks() -> list[Told]:
    """Return the exchanges of the talks: what the user said and the assistant answered."""
    found: list[Told] = []
    world = -1
    for line in TALKS.read_text(encoding="utf-8").splitlines():
        mark, _, text = line.partition(" ")
        if mark == "##":
            world += 1
        elif mark == "U:":
            found.append(Told(world, passages(text), []))
        elif mark == "A:":
            found[-1].passages.extend(passages(text))
        elif mark == "Q:":
            found[-1].questions.append(text)
    return found


class Measured:
    """What texts of one sort say for the questions, by one model."""

    def __init__(self, model: EmbeddingModel, told: list[Told]) -> None:
        """Embed everything once."""
        self._spans, end = [], 0
        for one in told:
            self._spans.append(range(end, end + len(one.passages)))
            end += len(one.passages)
        self.worlds = np.array([one.world for one in told])
        #: The text that answers each question.
        self.answers = [place for place, one in enumerate(told) for _ in one.questions]
        asked = [question for one in told for question in one.questions]
        parts = [part for one in told for part in one.passages]
        self._terms, self._asked = [terms(part) for part in parts], [terms(question) for question in asked]
        self._cosines = model.embed(parts).astype(np.float64) @ model.embed(asked).astype(np.float64).T

    def evidence(self, texts: npt.NDArray[np.intp], question: int) -> tuple[int, float]:
        """Return of how many passages ``texts`` are, and what the best says for a question, as the product takes it."""
        rows = [row for text in texts.tolist() for row in self._spans[text]]
        lexical = Lexical()
        for place, row in enumerate(rows):
            lexical.add(place, self._terms[row])
        covered = lexical.coverage(self._asked[question], np.ones(len(rows), dtype=np.bool_))
        return len(rows), float((self._cosines[rows, question] + COVERAGE * covered).max())

    def drawn(self, draw: np.random.Generator) -> npt.NDArray[np.float64]:
        """Return a row for each store: is the answer there (1, 0), its passages, the evidence, several each (1, 0)."""
        rows = []
        several = float(max(map(len, self._spans)) > 1)
        for question, answer in enumerate(self.answers):
            strangers = np.flatnonzero(self.worlds != self.worlds[answer])
            for size in SIZES * DRAWS:
                if size <= len(strangers):
                    others = draw.choice(strangers, size, replace=False)
                    rows.append((0, *self.evidence(others, question), several))
                    rows.append((1, *self.evidence(np.append(others[1:], answer), question), several))
        return np.array(rows)


def fitted(rows: npt.NDArray[np.float64]) -> tuple[float, ...]:
    """Return middle, growth, width and length of the logistic function of evidence that tells the two apart."""
    there, values = rows[:, 0], np.stack([rows[:, 2], np.log(rows[:, 1]), np.ones(len(rows)), rows[:, 3]], axis=1)
    weights = np.array([10.0, 0.0, -3.0, 0.0])
    for _ in range(50):  # Newton's method
        chance = 1 / (1 + np.exp(-values @ weights))
        gradient = values.T @ (chance - there)
        curve = (values * (chance * (1 - chance))[:, None]).T @ values
        weights -= np.linalg.solve(curve + 1e-4 * np.eye(4), gradient)
    slope, growth, offset, length = weights.tolist()
    return -offset / slope, -growth / slope, 1 / slope, -length / slope


def main() -> None:
    """Print the figures for one model."""
    parser = argparse.ArgumentParser(description="Calibrate the relevance floors.")
    parser.add_argument("--model", default="static")
    model = load_model(parser.parse_args().model)
    if model is None:
        parser.error("choose a model that makes vectors")
    sorts = {
        name: Measured(model, told).drawn(np.random.default_rng(1))
        for name, told in (("facts", facts()), ("talks", talks()))
    }
    calibration = Calibration(*fitted(np.concatenate([*sorts.values()])))
    print(f"{model.name}: {calibration}")
    for name, rows in sorts.items():
        for least in (1, 4, 16, 64):
            some = rows[(rows[:, 1] >= least) & (rows[:, 1] < 4 * least)]
            if not len(some):
                continue
            sure = np.concatenate([calibration.confidence(row[2:3], Among(int(row[1]), row[3])) for row in some])
            own, strange = sure[some[:, 0] == 1], sure[some[:, 0] == 0]
            auroc = float((own[:, None] > strange[None, :]).mean())
            answered, empty = 100 * (own >= LEAST).mean(), 100 * (strange < LEAST).mean()
            print(
                f"  {name}, {least} to {4 * least - 1} passages: AUROC {auroc:.3f}, {answered:.0f} % of own answered, "
                f"{empty:.0f} % of others' not"
            )


if __name__ == "__main__":
    main()
