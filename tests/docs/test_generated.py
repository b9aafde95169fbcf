"""Pages and types that are made from the source are what the source gives now."""

from __future__ import annotations

import runpy

import pytest

from tests.docs.pages import ROOT


@pytest.mark.parametrize(
    "name",
    ["shapes_reference", "python_reference", "operations_reference", "jurisdictions_reference", "awaited_stub"],
)
def test_the_page_is_the_generated_one(name: str) -> None:
    script = f"scripts/{name}.py"
    generator = runpy.run_path(str(ROOT / script))
    assert generator["PAGE"].read_text(encoding="utf-8") == generator["render"](), f"run: python {script}"
