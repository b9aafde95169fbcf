"""Precision and recall on Memora do not fall under what was measured; the measure itself can fail."""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING

import pytest

from marskg.entities import EntityType, Recognised, Recogniser
from marskg_bench.entities import entity_quality

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.entities import Known


@pytest.fixture(scope="module")
def memora(shared_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with the periods of Memora."""
    target = tmp_path_factory.mktemp("memora")
    with tarfile.open(shared_folder / "data" / "memora-open.tar.gz") as archive:
        archive.extractall(target, filter="data")
    return target / "memora"


#: Recall and precision (a lower bound of it) that were measured, less two hundredths: docs/explanation/entities.md.
FLOORS = {
    ("weekly", EntityType.PERSON): (0.93, 0.81),
    ("weekly", EntityType.PLACE): (0.98, 0.86),
    ("monthly", EntityType.PERSON): (0.95, 0.85),
    ("monthly", EntityType.PLACE): (0.90, 0.52),
}


@pytest.mark.parametrize("period", ["weekly", "monthly"])
def test_people_and_places_of_memora(memora: Path, period: str) -> None:
    measured = entity_quality(memora / period, Recogniser())
    for (name, type_), (recall, precision) in FLOORS.items():
        if name == period:
            assert measured[type_].expected > 20
            assert measured[type_].recall >= recall, measured[type_].missed
            assert measured[type_].precision >= precision, measured[type_].wrong


def test_a_recogniser_that_finds_nothing_fails_the_floors(memora: Path) -> None:
    class Blind:
        def find(
            self, text: str, *, speaker: object = None, payload: object = None, known: Known | None = None
        ) -> Recognised:
            del text, speaker, payload, known
            return Recognised()

    measured = entity_quality(memora / "weekly", Blind())
    assert measured[EntityType.PERSON].recall == measured[EntityType.PERSON].precision == 0.0
    assert measured[EntityType.PERSON].expected > 100
