"""Calibrates what similarity and words say of whether a store holds anything on a question, for each bundled model.

Run: ``python scripts/relevance_floors.py`` (``--model minilm`` for the other; no other data are needed). It prints what
:data:`marskg.retrieval.query.relevance.CALIBRATED` holds. The facts and the questions are written for this script and
come from no benchmark: five people or teams, eight facts of each as they are told, and six talks with an assistant of
five exchanges each, two of a kind, with questions in other words. A question is asked of stores of 2 to 32 facts, or
exchanges, drawn at random: once with what answers it among strangers', once without.

Below that it prints what a share of the best one's evidence lets through, as ``BESIDE_BEST`` there: five notebooks with
questions that several facts bear on, some of them two questions in one, each asked of its notebook alone and among
strangers, beside the questions to the facts. F2 counts what is missing four times as much as what is too much.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from marskg.embedding.registry import load_model
from marskg.retrieval.index.lexical import Lexical
from marskg.retrieval.query.relevance import CALIBRATED, COVERAGE, FILLING, Among, Calibration
from marskg.text import passages, terms

if TYPE_CHECKING:
    from collections.abc import Iterator

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


#: Notebooks: facts, and questions with the places of all that bears on each.
NOTEBOOKS: Final[tuple[tuple[tuple[str, ...], tuple[tuple[str, tuple[int, ...]], ...]], ...]] = (
    (
        (
            "We grow tomatoes along the south wall",
            "The pumpkins need water twice a day in August",
            "There are beans on the old fence, the climbing kind",
            "The apple tree was grafted by grandfather in 1962",
            "Slugs ate all the lettuce last spring",
            "The compost heap stands behind the shed",
            "The shed roof is made of corrugated iron and leaks",
            "Our neighbour Olek lends us his rotary tiller",
            "We owe Olek two jars of honey for the tiller",
            "Frost comes as late as the middle of May here",
            "The well is nine metres deep and never ran dry",
            "The greenhouse heater runs on bottled gas",
            "Roses get pruned in the first week of March",
            "Hanka is stung by wasps easily and swells up",
        ),
        (
            ("Which vegetables do we grow?", (0, 1, 2, 4)),
            ("What do we have to do with Olek?", (7, 8)),
            ("What should I know about the shed?", (5, 6)),
            ("Which crops were damaged, and by what?", (4,)),
            ("When is the last frost?", (9,)),
            ("How deep is the well?", (10,)),
            ("What fuel does the greenhouse use?", (11,)),
            ("Who planted or grafted our fruit trees?", (3,)),
            ("What grows in the garden?", (0, 1, 2, 3, 4, 12)),
            ("Where do I get water from?", (10,)),
            ("Is Hanka allergic to anything?", (13,)),
            ("When are the roses cut?", (12,)),
            ("How do the greenhouse and the well get through a cold winter?", (10, 11)),
            ("Before Olek comes with the tiller, is the compost or the shed in the way?", (5, 6, 7, 8)),
        ),
    ),
    (
        (
            "Dr. Amari sees children on Monday and Thursday",
            "Dr. Amari speaks Farsi and French",
            "Dr. Boyle is on leave until the tenth",
            "Dr. Boyle does the knee and hip operations",
            "The ultrasound machine is booked through the blue calendar",
            "Flu shots are given without an appointment before noon",
            "Travel vaccinations need a week's notice",
            "Parking behind the building is for staff only",
            "The wheelchair ramp is on Mill Street",
            "The printer at the desk jams on thick paper",
            "Prescriptions are sent to the pharmacy across the square",
            "The fire drill is on the first Friday of each quarter",
            "Blood samples leave with the courier at 15:30",
            "The coffee machine was a present from Mrs. Tran",
        ),
        (
            ("What do we know about Dr. Amari?", (0, 1)),
            ("Which languages does Dr. Amari speak?", (1,)),
            ("Is Dr. Boyle in this week, and what does he do?", (2, 3)),
            ("Which vaccinations do we offer and when?", (5, 6)),
            ("When do samples go out?", (12,)),
            ("How do patients in wheelchairs get in?", (8,)),
            ("Where can visitors park?", (7,)),
            ("Which doctors work here?", (0, 1, 2, 3)),
            ("Which machines do we have?", (4, 9, 13)),
            ("Who gave us the coffee machine?", (13,)),
            ("Where do patients pick up their medicine?", (10,)),
            ("When is the next fire drill?", (11,)),
            ("Can somebody in a wheelchair get a flu shot today, and who parks where?", (5, 7, 8)),
            ("The courier is here and the printer jams while Dr. Boyle is away, what now?", (2, 9, 12)),
        ),
    ),
    (
        (
            "We shoot on the Lumen X2, rented from Parallax",
            "Lenses: three primes, 24, 35 and 50 millimetres",
            "The drone pilot is Ilse; her licence covers nights",
            "Sound is recorded separately by Teo with two lavaliers",
            "Catering has to be vegan on set, no exceptions",
            "The harbour scene is shot at dawn on pier 4",
            "The police permit for pier 4 runs from 4 to 7 am",
            "Colour grading goes to Ines in Bilbao",
            "Rough cuts are shared as proxies, never as masters",
            "The lead actor cannot swim",
            "The score is for string quartet only, no synthesizers",
            "Insurance does not cover rain damage to the drone",
            "Final delivery is a DCP in 4K by the end of October",
            "We dropped the dream sequence after the first test screening",
        ),
        (
            ("Which camera gear do we use?", (0, 1)),
            ("What do I need to know for the harbour shoot?", (5, 6)),
            ("What about the drone?", (2, 11)),
            ("Who is in the team and does what?", (2, 3, 7)),
            ("What must caterers look out for?", (4,)),
            ("What kind of music is it going to be?", (10,)),
            ("How do we deliver the film?", (12,)),
            ("May I send a master file?", (8,)),
            ("Why is there no dream sequence any more?", (13,)),
            ("Who does the colours?", (7,)),
            ("Where do we have permits for filming?", (6,)),
            ("Which stunts can the lead not do?", (9,)),
            ("Does the drone fly at the pier if it rains, and may the actor jump into the harbour?", (2, 5, 6, 9, 11)),
            ("Who gets the proxies, Ines or Teo?", (3, 7, 8)),
        ),
    ),
    (
        (
            "I like my tea black and very strong",
            "I never drink coffee after lunch",
            "Spicy food is fine, but no coriander",
            "I sing bass in the choir at St. Anne's",
            "The choir meets on Wednesday evenings",
            "My favourite novel is The Leopard",
            "I read on paper, e-readers tire my eyes",
            "My brother Janis lives in Riga with two sons",
            "My sister-in-law Zane is a vet",
            "I go to Riga every year over midsummer",
            "I am saving for a sailing boat",
            "Heights make me dizzy, so no mountain huts",
            "I work from home on Fridays",
            "My bicycle is a green Diamant from 1984",
        ),
        (
            ("What do I like to drink?", (0, 1)),
            ("What do I eat and drink?", (0, 1, 2)),
            ("Tell me about my family", (7, 8)),
            ("When is choir practice and what do I sing?", (3, 4)),
            ("What do I read, and how?", (5, 6)),
            ("Everything about Riga", (7, 9)),
            ("What am I putting money aside for?", (10,)),
            ("Which holidays would not suit me?", (11,)),
            ("Where am I on Fridays?", (12,)),
            ("What bike do I ride?", (13,)),
            ("What are my hobbies?", (3, 4, 5, 10)),
            ("What should a cook know about me?", (2,)),
            ("Could I sail with Zane and the choir on a Friday, or cycle?", (3, 4, 8, 10, 12, 13)),
            ("Is coriander or black tea served at the choir?", (0, 2, 3, 4)),
        ),
    ),
    (
        (
            "Invoices are approved by Farida up to 5,000 euros",
            "Above 5,000 euros Mr. Okafor signs as well",
            "The warehouse counts its stock on the last Friday of the month",
            "Pallets from Gdansk arrive on Tuesdays",
            "Pallets from Porto arrive every second Thursday",
            "Returns go to hall C, never to the front dock",
            "Forklift 3 has a weak battery; charge it overnight",
            "Forklift drivers renew their badge each January",
            "The label printer takes 60 by 40 millimetre rolls",
            "We use Sendo for parcels below 20 kilos",
            "Freight above 20 kilos goes with Baltrans",
            "The alarm code is changed by Farida each quarter",
            "Hall C has no heating",
            "The customs broker is Agnes at Molo 7",
        ),
        (
            ("Who approves invoices?", (0, 1)),
            ("When do pallets arrive?", (3, 4)),
            ("Which carriers do we ship with?", (9, 10)),
            ("What is there to know about hall C?", (5, 12)),
            ("What about the forklifts?", (6, 7)),
            ("What is Farida responsible for?", (0, 11)),
            ("When is the stock counted?", (2,)),
            ("Which rolls does the label printer need?", (8,)),
            ("Who clears customs?", (13,)),
            ("Where do returned goods go?", (5,)),
            ("Which deliveries come from abroad?", (3, 4)),
            ("How do I send a small parcel?", (9,)),
            ("Can forklift 3 unload the pallets from Gdansk into hall C?", (3, 5, 6, 12)),
            (
                "Sendo lost a parcel that Agnes cleared and Farida paid, whom do I ask about the invoice?",
                (0, 9, 11, 13),
            ),
        ),
    ),
)

#: Talks with an assistant, whose texts have several passages each.
TALKS: Final = Path(__file__).with_name("relevance_talks.txt")
#: The default of retrieval.min_confidence.
LEAST: Final = 0.5
SIZES: Final = (2, 4, 8, 16, 32)
DRAWS: Final = 3
SHARES: Final = (0.0, 0.4, 0.5, 0.6, 0.7, 0.8)
#: Strangers' facts beside a notebook.
STRANGERS: Final = (0, 14, 56)


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


class Asked(NamedTuple):
    """A question to a store: what each of its facts says for it, and which of them bear on it."""

    evidence: npt.NDArray[np.float64]
    right: npt.NDArray[np.bool_]


def asked(model: EmbeddingModel, draw: np.random.Generator) -> Iterator[Asked]:
    """Yield the questions to each notebook and to each of ``WORLDS``, alone and among strangers."""
    stores = [(facts, questions) for facts, questions in NOTEBOOKS]
    stores += [
        (tuple(fact for fact, _ in world), tuple((question, (place,)) for place, (_, question) in enumerate(world)))
        for world in WORLDS
    ]
    for facts, questions in stores:
        strangers = [fact for others, _ in stores if others is not facts for fact in others]
        for count in STRANGERS:
            texts = [*facts, *draw.choice(strangers, count, replace=False).tolist()]
            lexical = Lexical()
            for row, text in enumerate(texts):
                lexical.add(row, terms(text))
            vectors = model.embed(texts).astype(np.float64)
            for question, right in questions:
                covered = lexical.coverage(words := terms(question), np.ones(len(texts), dtype=np.bool_))
                said = covered + (covered > 1 - 1e-9) * (len(set(words)) > 1)
                similar = np.maximum(0.0, vectors @ model.embed([question])[0].astype(np.float64))
                yield Asked(similar + COVERAGE * said, np.isin(np.arange(len(texts)), right))


def let_through(found: list[Asked], share: float, calibration: Calibration) -> tuple[float, float, float]:
    """Return recall, precision and F2, means over the questions, of what has this share of the best one's evidence."""
    figures = []
    for evidence, right in found:
        kept = (evidence >= share * evidence.max()) & (
            calibration.confidence(evidence, Among(len(evidence))) >= FILLING
        )
        hits = (kept & right).sum()
        recall, precision = hits / right.sum(), hits / max(1, kept.sum())
        figures.append((recall, precision, 5 * precision * recall / (4 * precision + recall) if hits else 0.0))
    recall, precision, both = np.mean(figures, axis=0).tolist()
    return recall, precision, both


def fitted(rows: npt.NDArray[np.float64]) -> tuple[float, float, float]:
    """Return middle, growth and width of the logistic function of evidence that tells the two apart."""
    there, values = rows[:, 0], np.stack([rows[:, 2], np.log(rows[:, 1]), np.ones(len(rows))], axis=1)
    weights = np.array([10.0, 0.0, -3.0])
    for _ in range(50):  # Newton's method
        chance = 1 / (1 + np.exp(-values @ weights))
        gradient = values.T @ (chance - there)
        curve = (values * (chance * (1 - chance))[:, None]).T @ values
        weights -= np.linalg.solve(curve + 1e-4 * np.eye(3), gradient)
    slope, growth, offset = weights.tolist()
    return -offset / slope, -growth / slope, 1 / slope


def lengthened(rows: npt.NDArray[np.float64], middle: float, growth: float, width: float) -> float:
    """Return what to add to the middle for ``rows`` of long texts, by halving: as many as are right are sure."""
    low, high = -1.0, 1.0
    for _ in range(50):
        length = (low + high) / 2
        chance = 1 / (1 + np.exp((middle + growth * np.log(rows[:, 1]) + length - rows[:, 2]) / width))
        low, high = (length, high) if chance.sum() > rows[:, 0].sum() else (low, length)
    return low


def _answered(found: Asked, calibration: Calibration) -> bool:
    return float(calibration.confidence(found.evidence, Among(len(found.evidence))).max()) >= LEAST


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
    plain = fitted(sorts["facts"])
    calibration = Calibration(*plain, lengthened(sorts["talks"], *plain))
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

    used = CALIBRATED.get(model.name, calibration)
    found = [one for one in asked(model, np.random.default_rng(1)) if _answered(one, used)]
    one, many = ([ask for ask in found if (ask.right.sum() > 1) == several] for several in (False, True))
    for share in SHARES:
        parts = (
            "{}: recall {:.2f}, precision {:.2f}, F2 {:.3f}".format(name, *let_through(group, share, used))
            for name, group in (("one", one), ("many", many))
        )
        print(f"  share {share:.1f}  {'; '.join(parts)}")


if __name__ == "__main__":
    main()
