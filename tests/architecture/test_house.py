"""No circles, nobody who writes into others, no default stated twice; the sizes of the house are told, and no limit.

Guarantees: each figure of ``scripts/house.py`` that architecture limits has a ceiling here that may only go down.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from scripts.house import House, details, measure, table

if TYPE_CHECKING:
    from pathlib import Path

CEILINGS = {
    "circles of imports": 0,
    "attributes written from outside": 0,
    "defaults of operations stated again": 0,
}
NAMESAKES = 20


@pytest.fixture(scope="module")
def house() -> House:
    return measure()


def grown(house: House) -> dict[str, int]:
    return {name: now for name, (_, now) in house.sizes().items() if now > CEILINGS[name]}


def test_nothing_grows_past_what_was_reached(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        sys.stdout.write(f"\n{table(house)}\n")
    assert not grown(house), "\n".join(details(house))
    assert len(house.namesakes) <= NAMESAKES, house.namesakes


def test_a_ceiling_stands_for_each_limit(house: House) -> None:
    assert CEILINGS.keys() == house.sizes().keys()
    assert all(limit <= CEILINGS[name] for name, (limit, _) in house.sizes().items())


def plant(root: Path, **modules: str) -> Path:
    for name, source in {"memory": "", "errors": "", **modules}.items():
        path = root.joinpath(*name.split("__")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    return root


def test_what_breaks_a_limit_is_named(tmp_path: Path) -> None:
    root = plant(
        tmp_path / "planted",
        large="class Large:\n" + "".join(f"    def m{n}(self): ...\n" for n in range(41)),
        one="from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from planted import two\n",
        two="def late():\n    from planted.one import x\n",
        **{f"room__m{n}": "import planted.large\nimport planted.errors\n" for n in range(61)},
        other__m1="",
        api__namespaces__own="class Own:\n    def give(self, lasts='1d', calls=None): ...\n",
        api__restricted__less="class Less:\n    def give(self, *, lasts='1d', calls=None): ...\n",
        cli__give="@click.option('--lasts', default='1d')\ndef give(lasts): ...\n",
        server__body="class Given:\n    lasts: str = '1d'\n    calls: int = 3\n",
        owner="class Owner:\n    size: int = 0\n",
        reaching=(
            "def f(owner):\n    owner.size = 1\n    owner.part.size, x = 1, 2\n"
            "    made = Owner()\n    made.size = 1\n"
            "class Own:\n    def g(self, other: 'Own'):\n        self.mine = 1\n        other.mine = 2\n"
        ),
    )
    house = measure(root)
    assert house.methods["large", "Large"] == 41
    assert house.folders["room"] == 61
    assert house.importers["large"] == 61
    assert house.circles == [["one", "two"]]
    assert house.namesakes == {"m1.py": ["other/m1.py", "room/m1.py"]}
    assert house.reached_into == ["reaching:2: owner.size", "reaching:3: owner.part.size"]
    assert house.restated == [f"{name}: lasts='1d'" for name in ("api.restricted.less", "cli.give", "server.body")]
    assert grown(house) == {
        "circles of imports": 1,
        "attributes written from outside": 2,
        "defaults of operations stated again": 3,
    }
    assert "circles of imports                                     0       1  over" in table(house)


def test_a_line_of_code_is_neither_comment_nor_docstring(tmp_path: Path) -> None:
    source = '"""A.\n\nB."""\n\nX = 1  # why\n# why\nTEXT = """a\nb"""\n\n\ndef f():\n    """Say."""\n    return X\n'
    root = plant(tmp_path / "planted", counted=source, language__en="Y = 1\n")
    (root / "a.cypher").write_text("MATCH (n)\nRETURN n\n", encoding="utf-8")
    house = measure(root)
    assert house.lines["marskg"] == house.product == 5
    assert house.lines["language"] == 1
    assert house.texts == {".cypher": 2}
