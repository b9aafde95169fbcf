"""Regular expressions that are compiled at their first use: as compiled ones, and none of the product's is faulty."""

from __future__ import annotations

import importlib
import pickle
import pkgutil
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.late_regex import LateRegex, late_regex

if TYPE_CHECKING:
    from collections.abc import Mapping


def test_it_finds_what_a_compiled_one_finds() -> None:
    for text, flags in ((r"(\w+)@(?P<where>\w+)", 0), ("ANN", re.IGNORECASE), (r"\s*,\s*", 0)):
        late, compiled = late_regex(text, flags), re.compile(text, flags)
        for said in ("ann@home , bea@work", "", "Ann"):
            assert [found.span() for found in late.finditer(said)] == [
                found.span() for found in compiled.finditer(said)
            ]
            assert late.findall(said) == compiled.findall(said)
            assert late.sub("-", said) == compiled.sub("-", said)
            assert late.split(said) == compiled.split(said)
            assert bool(late.match(said)) == bool(compiled.match(said))
            assert bool(late.search(said, 1)) == bool(compiled.search(said, 1))
            assert bool(late.fullmatch(said)) == bool(compiled.fullmatch(said))
        assert (late.pattern, late.flags, late.groups) == (compiled.pattern, compiled.flags, compiled.groups)
        assert dict(late.groupindex) == dict(compiled.groupindex)


def test_it_is_compiled_once_and_not_before() -> None:
    late = late_regex("(")
    assert repr(late) == "late_regex('(')"
    assert late.pattern == "("
    with pytest.raises(re.error):
        late.search("(")
    sound = late_regex("a")
    sound.search("a")
    assert vars(sound)["search"] == re.compile("a").search


def test_it_goes_to_another_process_and_has_nothing_else() -> None:
    assert pickle.loads(pickle.dumps(late_regex("a", re.IGNORECASE))).search("A")  # noqa: S301 - what was just dumped
    with pytest.raises(AttributeError):
        late_regex("a").searches  # type: ignore[attr-defined]  # noqa: B018 - there is none


def _late_ones(module: Mapping[str, Any]) -> list[LateRegex]:
    """Return those that a module holds by name, or in its tables."""
    found: list[LateRegex] = []
    waiting, seen = list(module.values()), set()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, LateRegex):
            found.append(value)
        elif isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, (list, tuple, set, frozenset)):
            waiting += value
    return found


def test_all_of_the_product_can_be_compiled() -> None:
    ones: list[LateRegex] = []
    for module in pkgutil.walk_packages(marskg.__path__, "marskg."):
        if "__main__" not in module.name:
            ones += _late_ones(vars(importlib.import_module(module.name)))
    assert len(ones) > 900
    for one in ones:
        assert one.flags  # compiled by this


def test_a_short_command_compiles_few() -> None:
    script = (
        "import re, sys; import re._compiler as c; made = []; kept = c.compile\n"
        "c.compile = lambda *given: (made.append(given), kept(*given))[1]\n"
        "import marskg.memory; print(len(made))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 250
