"""The reference page is what the ontology gives, and the extension that it shows is a good one."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from marskg.ontology.check import check_files
from tests.support.waiting import HANGS_S

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "reference" / "ontology.md"


def test_the_page_is_the_generated_one() -> None:
    generator = runpy.run_path(str(ROOT / "scripts" / "ontology_reference.py"))
    assert PAGE.read_text("utf-8") == generator["render"](), "run: python scripts/ontology_reference.py"


@pytest.mark.slow
def test_the_extension_on_the_page_passes(tmp_path: Path) -> None:
    found = re.search(r"```turtle\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert found is not None
    (tmp_path / "farm.ttl").write_text(found[1], "utf-8")
    report = check_files([tmp_path / "farm.ttl"], seconds=HANGS_S)
    assert report.ok, report.findings
    assert report.warnings == ()
