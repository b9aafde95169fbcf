"""The source keeps the rules of the house, and each rule finds the break that it is for."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.architecture import rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "marskg"
BENCHES = ROOT / "bench" / "src"
LONG = "def long():\n    '''Say why.'''\n" + "    x = 1\n" * (rules.LONGEST_FUNCTION + 1)
FITTING = "def fitting():\n    '''Say why.'''\n" + "    x = 1\n" * rules.LONGEST_FUNCTION

#: rule, path below src/marskg, source, how many findings it deserves
PLANTED = [
    (rules.short_functions, "a.py", LONG, 1),
    (rules.short_functions, "a.py", FITTING, 0),
    (
        rules.short_functions,
        "a.py",
        f"class A:\n{''.join(f'    {line}' for line in LONG.splitlines(keepends=True))}",
        1,
    ),
    (rules.documented_modules, "a.py", "X = 1", 1),
    (rules.documented_modules, "a.py", "'''Guarantees: X is 1.'''\nX = 1", 0),
    (rules.documented_modules, "__init__.py", "", 0),
    (rules.narrow_excepts, "store/a.py", "try:\n    f()\nexcept Exception:\n    pass", 1),
    (
        rules.narrow_excepts,
        "store/a.py",
        "try:\n    f()\nexcept (KeyError, BaseException) as error:\n    raise X from error",
        1,
    ),
    (rules.narrow_excepts, "store/a.py", "try:\n    f()\nexcept:\n    pass", 1),
    (rules.narrow_excepts, "store/a.py", "try:\n    f()\nexcept BaseException:\n    undo()\n    raise", 0),
    (rules.narrow_excepts, "store/a.py", "try:\n    f()\nexcept KeyError:\n    pass", 0),
    (rules.narrow_excepts, "cli/main.py", "try:\n    f()\nexcept Exception:\n    pass", 0),
    (rules.parameters_in_cypher, "store/a.py", "tx.run(f'MATCH (m:{label}) RETURN m')", 2),
    (rules.parameters_in_cypher, "store/a.py", "engine.read('MATCH (m {id: ' + id + '}) RETURN m')", 1),
    (rules.parameters_in_cypher, "store/a.py", "engine.write('MATCH (m:%s) RETURN m' % label)", 1),
    (rules.parameters_in_cypher, "cli/a.py", "tx.run(TEMPLATE.format(label=label))", 1),
    (rules.parameters_in_cypher, "store/a.py", "query = f'UNWIND $rows AS row CREATE (m:{label})'", 1),
    (rules.parameters_in_cypher, "store/a.py", "tx.run(statements['remember'], {'id': id})", 0),
    (rules.parameters_in_cypher, "exporters/a.py", "stream.write(f'{line} .')", 0),
    (rules.parameters_in_cypher, "config/yaml_file.py", "stream.read(LIMIT + 1)", 0),
    (rules.parameters_in_cypher, "exporters/a.py", "text = f'DELETE {{ ?s ?p ?o }} WHERE {{ {values} ?s ?p ?o }}'", 0),
    (rules.parameters_in_cypher, "errors.py", "message = f'SET the budget to {n}'", 0),
    (rules.injected_time_and_chance, "store/a.py", "import time\nx = time.time()", 1),
    (rules.injected_time_and_chance, "store/a.py", "from time import time_ns as now\nx = now()", 1),
    (rules.injected_time_and_chance, "store/a.py", "from datetime import datetime, UTC\nx = datetime.now(UTC)", 1),
    (rules.injected_time_and_chance, "store/a.py", "import random\nx = random.random()", 1),
    (rules.injected_time_and_chance, "store/a.py", "from secrets import token_bytes\nx = token_bytes(3)", 1),
    (rules.injected_time_and_chance, "store/a.py", "import uuid\nx = uuid.uuid4()", 1),
    (rules.injected_time_and_chance, "store/a.py", "import numpy as np\nx = np.random.default_rng()", 1),
    (
        rules.injected_time_and_chance,
        "audit/a.py",
        "from c import Ed25519PrivateKey\nk = Ed25519PrivateKey.generate()",
        1,
    ),
    (rules.injected_time_and_chance, "clock.py", "import time\nx = time.time()", 0),
    (rules.injected_time_and_chance, "bench/a.py", "import time\nx = time.perf_counter()", 0),
    (rules.injected_time_and_chance, "store/a.py", "from uuid import UUID\nx = UUID(int=1)", 0),
    (rules.libraries_at_home, "memory.py", "import neo4j", 1),
    (rules.libraries_at_home, "memory.py", "def f():\n    from arcadedb_embedded.jvm import start_jvm", 1),
    (rules.libraries_at_home, "store/engine/bolt.py", "from neo4j import GraphDatabase", 0),
    (rules.engines_by_capability, "store/commit/a.py", "if self.engine.name != other:\n    x = 1", 1),
    (rules.engines_by_capability, "memory.py", "x = kind in ('arcadedb', 'other')", 1),
    (rules.engines_by_capability, "memory.py", "match kind:\n    case 'neo4j':\n        x = 1", 1),
    (rules.engines_by_capability, "memory.py", "x = statement('slot', self.engine.name)", 0),
    (rules.engines_by_capability, "store/engine/bolt.py", "x = kind == 'neo4j'", 0),
]


def source() -> Iterator[rules.Module]:
    for root in (SOURCE, BENCHES):
        for file in sorted(root.rglob("*.py")):
            yield rules.parse(file.relative_to(root).as_posix(), file.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("rule", "path", "text", "expected"), PLANTED)
def test_each_rule_finds_its_planted_break_and_nothing_else(
    rule: Callable[[rules.Module], Iterator[str]], path: str, text: str, expected: int
) -> None:
    assert len(list(rule(rules.parse(path, text)))) == expected


def test_every_rule_was_seen_failing() -> None:
    assert {rule for rule, _, _, expected in PLANTED if expected} == set(rules.RULES)


def test_the_source_keeps_the_rules() -> None:
    broken = [f"{module.path}:{finding}" for module in source() for rule in rules.RULES for finding in rule(module)]
    assert not broken, "\n".join(broken)


EXCEPTIONS = {*rules.OUTERMOST_DOORS, *rules.TIME_AND_CHANCE, *chain.from_iterable(rules.LIBRARY_HOMES.values())}


@pytest.mark.parametrize("path", sorted(EXCEPTIONS))
def test_no_exception_outlives_its_file(path: str) -> None:
    assert (SOURCE / path).is_file()
