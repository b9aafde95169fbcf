"""ForgetEval's adversarial cases as they lie on the disk: Python files, which are read and never run.

Guarantees: a case that is returned has every field with its type; the first that has not is named by file and line, and
no message quotes a text. Nothing of a file is used but what stands literally in its calls of ``GeneratedCase``.
Source: deeplethe/lethe (MIT), ``bench/forgeteval/adversarial.py`` and ``adversarial_generated.py``; arXiv 2606.15903.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from marskg.errors import InvalidDocument
from marskg.sources import fields
from marskg.sources.fields import BadField

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping
    from pathlib import Path

#: The benchmark's words for a change, and how many texts each has.
SUPERSEDE: Final = "supersede"
_TEXTS: Final = {SUPERSEDE: 2, "release": 1, "purge": 1}
_CALL: Final = "GeneratedCase"
_ID: Final = re.compile(r"adv_(?P<kind>\w+)_[0-9]+", re.ASCII)
#: Far above the benchmark's 130 kB; what is larger is something else.
_MAX_BYTES: Final = 16 << 20
_WAY_OUT: Final = "name ForgetEval's adversarial.py and adversarial_generated.py"


@dataclass(frozen=True, slots=True)
class Change:
    """What is asked for: ``words`` name what is to go; ``text`` takes its place, empty where nothing does."""

    op: str
    words: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """What is told, what is asked to change, and what an answer to ``question`` must and must not say after that."""

    id: str
    facts: tuple[str, ...]
    changes: tuple[Change, ...]
    question: str
    wanted: tuple[str, ...]
    forbidden: tuple[str, ...]

    @property
    def kind(self) -> str:
        """The attack, such as ``prefix_collision``."""
        found = _ID.fullmatch(self.id)
        return found["kind"] if found else "other"


def read_cases(files: Iterable[Path]) -> list[Case]:
    """Return the cases of ``files``, in their order.

    Raises:
        InvalidDocument: a file cannot be read, breaks the layout, or has the id of a case that was there before.
    """
    found: dict[str, Case] = {}
    for file in files:
        before = len(found)
        for line, values in _calls(file):
            try:
                case = _case(values, found)
            except BadField as error:
                msg = f"{file}, line {line}: {error}; {_WAY_OUT}"
                raise InvalidDocument(msg) from error
            found[case.id] = case
        if len(found) == before:
            msg = f"{file} holds no case; {_WAY_OUT}"
            raise InvalidDocument(msg)
    return list(found.values())


def digest(cases: Iterable[Case]) -> str:
    """Return the SHA-256 of what the cases say, whatever the order and the comments of their files."""
    ordered = [asdict(case) for case in sorted(cases, key=lambda case: case.id)]
    return hashlib.sha256(json.dumps(ordered, ensure_ascii=False).encode()).hexdigest()


def _calls(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the line and the fields of each case; a field that is no literal is left out."""
    try:
        with file.open("rb") as stream:
            content = stream.read(_MAX_BYTES + 1)
        tree = ast.parse(content) if len(content) <= _MAX_BYTES else None
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        msg = f"{file} cannot be read ({type(error).__name__}); {_WAY_OUT}"
        raise InvalidDocument(msg) from error
    if tree is None:
        msg = f"{file} has more than {_MAX_BYTES >> 20} MB, far more than a file of cases; {_WAY_OUT}"
        raise InvalidDocument(msg)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == _CALL:
            yield node.lineno, {one.arg: _literal(one.value) for one in node.keywords if one.arg}


def _literal(node: ast.expr) -> Any:  # noqa: ANN401 - any literal; callers check its type
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def _case(values: Mapping[str, Any], known: Container[str]) -> Case:
    ident = fields.as_text(fields.required(values, "id"), "id")
    if ident in known:
        msg = '"id" is that of another case; name each file once'
        raise BadField(msg)
    changes = fields.as_list(fields.required(values, "mutations"), "mutations")
    wanted, forbidden = _texts(values, "must_contain"), _texts(values, "must_not_contain")
    if not wanted and not forbidden:
        msg = '"must_contain" and "must_not_contain" are empty; a case needs one of them'
        raise BadField(msg)
    return Case(
        id=ident,
        facts=_texts(values, "setup_facts"),
        changes=tuple(_change(one) for one in changes),
        question=fields.as_text(fields.required(values, "final_query"), "final_query"),
        wanted=wanted,
        forbidden=forbidden,
    )


def _texts(values: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return tuple(fields.as_text(one, name) for one in fields.as_list(fields.required(values, name), name))


def _change(value: object) -> Change:
    op, *texts = value if isinstance(value, tuple) else ("",)
    if _TEXTS.get(op) != len(texts):
        msg = f'"mutations" are tuples of one of {", ".join(_TEXTS)} and its texts; one is not'
        raise BadField(msg)
    return Change(op, *(fields.as_text(text, "mutations") for text in texts))
