"""Prints how well sensitive things are found in data not written here: the table of docs/how-to/sensitivity.md.

Run ``python scripts/sensitivity_quality.py FOLDER`` with a folder that holds ``synth_dataset_v2.json`` of
microsoft/presidio-research, ``presidio-analyzer/tests`` of microsoft/presidio, ``data_full.json`` of clinc/oos-eval and
``TREC-2017-LiveQA-Medical-Test.xml`` of abachaa/LiveQA_MedicalTask_TREC2017. The floors were committed before anything
was measured: ``sensitivity_floors.yaml``. Status 1 if one is missed. ``--without-presidio``: what an
ordinary installation finds. With the folder ``memora`` of the unpacked data as a second one, two more tables show what
was held out: halves of which no misses were read, and how often a topic is found in ordinary conversation.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import sys
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml

from marskg.config import Settings
from marskg.privacy.sensing.detector import Detector
from marskg.privacy.sensing.model import Category
from marskg.weight import TokenCounter
from marskg_bench.common.memora import BenchPersona, personas

if TYPE_CHECKING:
    from collections.abc import Iterator

FLOORS: Final = Path(__file__).with_name("sensitivity_floors.yaml")
#: Presidio's tests of what identifies a person; plates, firms and post codes are not among them.
PERSONAL: Final = (  # noqa: SIM905 - as many short words as read best in lines
    "au_medicare au_tfn ca_sin de_fuehrerschein de_health_insurance de_id_card de_passport de_social_security de_tax_id"
    " es_nie es_nif es_passport fi_personal_identity_code in_aadhaar in_pan in_passport in_voter it_driver_license"
    " it_fiscal_code it_identity_card it_passport kr_driver_license kr_frn kr_passport kr_rrn ng_nin ph_tin pl_pesel"
    " se_personnummer sg_fin th_tnin tr_national_id uk_driving_licence uk_nhs uk_nino uk_passport us_driver_license"
    " us_itin us_mbi us_npi us_passport us_ssn za_id_number"
).split()
#: Requests of clinc that are about somebody's money; those of the second line are about neither one nor the other.
MONEY: Final = {
    "transfer",
    "transactions",
    "balance",
    "freeze_account",
    "pay_bill",
    "bill_balance",
    "bill_due",
    "interest_rate",
    "routing",
    "min_payment",
    "order_checks",
    "pin_change",
    "report_fraud",
    "account_blocked",
    "spending_history",
    "credit_score",
    "report_lost_card",
    "credit_limit",
    "rewards_balance",
    "new_card",
    "application_status",
    "card_declined",
    "international_fees",
    "apr",
    "redeem_rewards",
    "credit_limit_change",
    "damaged_card",
    "replacement_card_duration",
    "improve_credit_score",
    "expiration_date",
    "payday",
    "taxes",
    "w2",
    "income",
    "rollover_401k",
    "direct_deposit",
}
UNDECIDED: Final = {"insurance", "insurance_change", "exchange_rate", "vaccines", "calories", "nutrition_info"}


@dataclass
class Tally:
    """What was to be found, what of it was, what was found in all, and what of that was right."""

    wanted: int = 0
    hit: int = 0
    found: int = 0
    right: int = 0
    missed: list[str] = field(default_factory=list)

    def add(self, *, wanted: bool, found: bool, text: str = "") -> None:
        """Count one text."""
        self.wanted += wanted
        self.found += found
        self.hit += wanted and found
        self.right += wanted and found
        if wanted and not found:
            self.missed.append(text)

    @property
    def recall(self) -> float:
        """Return the share of what was to be found."""
        return self.hit / self.wanted if self.wanted else 1.0

    @property
    def precision(self) -> float:
        """Return the share of what was found that is right."""
        return self.right / self.found if self.found else 1.0


def spans(folder: Path, detector: Detector, categories: dict[Category, set[str]]) -> dict[Category, Tally]:
    """Return the tallies of marked spans by category."""
    tallies: dict[Category, Tally] = defaultdict(Tally)
    for sample in json.loads((folder / "synth_dataset_v2.json").read_text(encoding="utf-8")):
        text, marked = sample["full_text"], sample["spans"]
        findings = detector.surface(text)
        for category, types in categories.items():
            tally = tallies[category]
            wanted = [(one["start_position"], one["end_position"]) for one in marked if one["entity_type"] in types]
            mine = [(one.start, one.end) for one in findings if one.category is category]
            everything = [(one.start, one.end) for one in findings]
            for span in wanted:
                tally.wanted += 1
                if any(_overlap(span, other) for other in mine):
                    tally.hit += 1
                else:
                    tally.missed.append(
                        f"{text[span[0] : span[1]]!r} of {text[:100]!r}, {'other' if everything else 'nothing'}"
                    )
            tally.found += len(mine)
            tally.right += sum(any(_overlap(one, span) for span in wanted) for one in mine)
    return tallies


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def examples(folder: Path) -> Iterator[tuple[str, str, bool]]:
    """Yield country and kind, text, and whether presidio's own recogniser finds something in it."""
    for name in PERSONAL:
        path = folder / "presidio-analyzer" / "tests" / f"test_{name}_recognizer.py"
        seen = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Tuple) and len(node.elts) >= 2):  # noqa: PLR2004 - a text and a number
                continue
            try:
                text, wanted = ast.literal_eval(node.elts[0]), ast.literal_eval(node.elts[1])
            except ValueError:
                continue
            if isinstance(text, str) and type(wanted) is int and text not in seen:
                seen.add(text)
                yield name, text, wanted > 0


def of_tests(folder: Path, detector: Detector) -> tuple[Tally, dict[str, Tally]]:
    """Return the tally of presidio's examples, and that of each of its tests."""
    total = Tally()
    by_test: dict[str, Tally] = defaultdict(Tally)
    for name, text, wanted in examples(folder):
        found = any(one.category is Category.NATIONAL_ID for one in detector.surface(text))
        for tally in (total, by_test[name]):
            tally.add(wanted=wanted, found=found, text=f"{name}: {text}")
    return total, by_test


def topics(folder: Path, detector: Detector) -> dict[Category, Tally]:
    """Return the tallies of what texts are about."""
    tallies: dict[Category, Tally] = defaultdict(Tally)
    for text, intent in requests(folder, "test"):
        found = {one.category for one in detector.topics(text)}
        tallies[Category.FINANCE].add(wanted=intent in MONEY, found=Category.FINANCE in found, text=text)
        tallies[Category.HEALTH].add(wanted=False, found=Category.HEALTH in found)
    xml = (folder / "TREC-2017-LiveQA-Medical-Test.xml").read_text(encoding="utf-8")
    for question in re.findall(r"<MESSAGE>(.*?)</MESSAGE>", xml, re.DOTALL):
        found = {one.category for one in detector.topics(question)}
        tallies[Category.HEALTH].add(wanted=True, found=Category.HEALTH in found, text=question)
    for sample in json.loads((folder / "synth_dataset_v2.json").read_text(encoding="utf-8")):
        found = {one.category for one in detector.topics(sample["full_text"])}
        wanted = any(one["entity_type"] == "NRP" for one in sample["spans"])
        tallies[Category.PROTECTED].add(wanted=wanted, found=Category.PROTECTED in found, text=sample["full_text"])
    return tallies


def is_held_out(text: str) -> bool:
    """Return whether a text belongs to the half of which no misses were read."""
    return hashlib.sha256(text.encode()).digest()[-1] % 2 == 1


def held_out(folder: Path, detector: Detector) -> dict[str, Tally]:
    """Return the tallies over the halves of the sets that were held out."""
    found: dict[str, Tally] = {name: Tally() for name in ("national_id_tests", "protected", "health", "finance")}
    for _, text, wanted in examples(folder):
        if is_held_out(text):
            hit = any(one.category is Category.NATIONAL_ID for one in detector.surface(text))
            found["national_id_tests"].add(wanted=wanted, found=hit)
    for sample in json.loads((folder / "synth_dataset_v2.json").read_text(encoding="utf-8")):
        text = sample["full_text"]
        if is_held_out(text):
            hit = any(one.category is Category.PROTECTED for one in detector.topics(text))
            found["protected"].add(wanted=any(one["entity_type"] == "NRP" for one in sample["spans"]), found=hit)
    xml = (folder / "TREC-2017-LiveQA-Medical-Test.xml").read_text(encoding="utf-8")
    for question in re.findall(r"<MESSAGE>(.*?)</MESSAGE>", xml, re.DOTALL):
        if is_held_out(question):
            hit = any(one.category is Category.HEALTH for one in detector.topics(question))
            found["health"].add(wanted=True, found=hit)
    for text, intent in requests(folder, "test"):
        found["finance"].add(
            wanted=intent in MONEY, found=any(one.category is Category.FINANCE for one in detector.topics(text))
        )
    return found


def requests(folder: Path, split: str) -> list[tuple[str, str]]:
    """Return the requests of clinc with their intents, but for those that are left undecided."""
    pairs = json.loads((folder / "data_full.json").read_text(encoding="utf-8"))[split]
    return [(text, intent) for text, intent in pairs if intent not in UNDECIDED]


def turns(memora: Path, places: slice) -> list[str]:
    """Return what personas of Memora and their assistants said in a week, each text once."""
    counter = TokenCounter()
    said = (BenchPersona(place, counter) for place in list(personas(memora, "weekly", ()))[places])
    return sorted({turn.message for persona in said for session in persona.sessions for turn in session.turns})


def ordinary(folder: Path, memora: Path, detector: Detector) -> dict[str, dict[str, tuple[int, int]]]:
    """Return by category and set in how many of how many ordinary texts a topic is found."""
    sets = {
        "memora": turns(memora, slice(3, None)),
        "clinc": [text for text, intent in requests(folder, "test") if intent not in MONEY],
    }
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for name, texts in sets.items():
        seen = [{one.category for one in detector.topics(text)} for text in texts]
        for category in (Category.HEALTH, Category.FINANCE, Category.PROTECTED):
            found.setdefault(category.value, {})[name] = (sum(category in one for one in seen), len(texts))
    return found


def shown_held_out(folder: Path, memora: Path, detector: Detector) -> int:
    """Print the tables of what was held out; return how many floors are missed."""
    floors: dict[str, Any] = yaml.safe_load(FLOORS.read_text(encoding="utf-8"))
    below = 0
    print("\n| held out | recall | floor | precision | floor |\n|---|---|---|---|---|")
    for name, tally in held_out(folder, detector).items():
        cells = []
        for measure, value, of in (
            ("recall", tally.recall, f"{tally.hit}/{tally.wanted}"),
            ("precision", tally.precision, f"{tally.right}/{tally.found}"),
        ):
            wanted = floors["held_out"][name].get(measure)
            below += wanted is not None and value < wanted
            mark = "" if wanted is None else f"{wanted:.2f}" + (" **missed**" if value < wanted else "")
            cells.append(f"{value:.3f} ({of}) | {mark}")
        print(f"| `{name}` | {' | '.join(cells)} |")
    print("\n| found in ordinary texts | memora | at most | clinc | at most |\n|---|---|---|---|---|")
    for name, sets in ordinary(folder, memora, detector).items():
        cells = []
        for which, (count, size) in sets.items():
            most = floors["ordinary"][name][which]
            below += count > most * size
            cells.append(
                f"{count / size:.4f} ({count}/{size}) | {most}" + (" **missed**" if count > most * size else "")
            )
        print(f"| `{name}` | {' | '.join(cells)} |")
    return below


def main(arguments: list[str]) -> int:
    """Print one line for each floor, and one for each of presidio's tests."""
    folders = [one for one in arguments if not one.startswith("-")]
    if len(folders) not in {1, 2} or not {one for one in arguments if one.startswith("-")} <= {
        "--missed",
        "--without-presidio",
    }:
        print("usage: sensitivity_quality.py [--missed] [--without-presidio] FOLDER [MEMORA]", file=sys.stderr)
        return 2
    folder = Path(folders[0])
    presidio = "off" if "--without-presidio" in arguments else "on"
    detector = Detector(replace(Settings().sensitivity, presidio=presidio))
    floors: dict[str, dict[str, Any]] = yaml.safe_load(FLOORS.read_text(encoding="utf-8"))["floors"]
    named = {
        Category(name): set(one["types"])
        for name, one in floors.items()
        if one["data"] == "synth" and name != "protected"
    }
    tallies: dict[str, Tally] = {category.value: tally for category, tally in spans(folder, detector, named).items()}
    tallies |= {category.value: tally for category, tally in topics(folder, detector).items()}
    tallies["national_id_tests"], by_test = of_tests(folder, detector)
    below = 0
    print("| what | data | recall | floor | precision | floor |\n|---|---|---|---|---|---|")
    for name, floor in floors.items():
        tally = tallies[name]
        cells = []
        for measure, value, shown in (
            ("recall", tally.recall, f"{tally.hit}/{tally.wanted}"),
            ("precision", tally.precision, f"{tally.right}/{tally.found}"),
        ):
            wanted = floor.get(measure)
            below += wanted is not None and value < wanted
            mark = "" if wanted is None else f"{wanted:.2f}" + (" **missed**" if value < wanted else "")
            cells.append(f"{value:.3f} ({shown}) | {mark}")
        print(f"| {name} | {floor['data']} | {' | '.join(cells)} |")
    print()
    for name, tally in sorted(by_test.items()):
        print(
            f"{name:28} recall {tally.hit}/{tally.wanted}, found where presidio finds none: {tally.found - tally.right}"
        )
    if len(folders) > 1:
        below += shown_held_out(folder, Path(folders[1]), detector)
    if "--missed" in arguments:
        for name, tally in tallies.items():
            print(f"\n{name}", *tally.missed[:140], sep="\n  ")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
