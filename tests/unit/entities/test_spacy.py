"""The optional spaCy recogniser: what it adds, and how it refuses; spaCy itself is not needed here."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from marskg.drafts import EntityRef
from marskg.entities import SpacyRecogniser
from marskg.errors import EnvironmentFailure


def install(monkeypatch: pytest.MonkeyPatch, **ents: str) -> None:
    """Put a module in spaCy's place whose model finds ``ents`` (name → label)."""

    def load(model: str) -> Any:
        if model == "missing":
            msg = "[E050] Can't find model"
            raise OSError(msg)
        found = [SimpleNamespace(text=text.replace("_", " "), label_=label) for text, label in ents.items()]
        return lambda _: SimpleNamespace(ents=found)

    module = ModuleType("spacy")
    module.load = load  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "spacy", module)


def test_the_models_types_go_before_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, Santorini="GPE")
    found = SpacyRecogniser().find("I love Santorini.")
    assert found.mentions == (EntityRef("Santorini", "place"),)
    assert found.spans == ((7, 16, "Santorini"),)


def test_names_in_small_letters_and_relations_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, priya_rao="PERSON")
    found = SpacyRecogniser().find("my manager priya rao called", speaker="Alice")
    assert [(r.source, r.target) for r in found.relations] == [("Alice", "priya rao")]


def test_dates_and_amounts_are_no_entities(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, today="DATE", ten_dollars="MONEY")
    assert SpacyRecogniser().find("i paid ten dollars today").mentions == ()


def test_without_spacy_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(EnvironmentFailure, match=r"marskg\[spacy\]"):
        SpacyRecogniser()


def test_without_the_model_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    with pytest.raises(EnvironmentFailure, match="'missing' is not installed"):
        SpacyRecogniser("missing")
