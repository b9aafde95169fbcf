"""Writes src/marskg/api/awaited/facade.pyi: the types of the awaitable facade, from those of the other one.

Guarantees: every method and property that the classes have is there with the parameters, defaults and result that its
source says, and each name in an annotation is imported from where that source has it; a test compares them. Run
``python scripts/awaited_stub.py`` after a change of a signature.
"""

from __future__ import annotations

import ast
import builtins
import sys
from functools import cache
from inspect import Parameter, getdoc, signature, unwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from marskg.api import opening
from marskg.api.awaited.making import BASES, CLASSES, WAYS, class_name, properties_of, result_of
from marskg.api.awaited.objects import Awaited
from marskg.api.operations import OWNERS, operations_of
from marskg.memory import AgentMemory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

PAGE = Path(__file__).parents[1] / "src" / "marskg" / "api" / "awaited" / "facade.pyi"
_WIDTH = 120
_HEAD = '''"""The types of the awaitable facade; made by ``scripts/awaited_stub.py`` from the source: change that."""
'''


class Names:
    """Where the names of the annotations come from."""

    def __init__(self) -> None:
        """Begin with what the awaitable facade says of its own."""
        self._found: dict[str, str] = {"AsyncGenerator": "collections.abc"}
        for one in (*set(BASES.values()), Awaited):
            self._found[one.__name__] = one.__module__
        self._found["Opening"] = Awaited.__module__

    def note(self, annotation: str, module: str) -> None:
        """Note what an annotation names that stands in ``module``.

        Raises:
            ValueError: the module does not say where a name comes from, or another has another of the same name.
        """
        for node in ast.walk(ast.parse(annotation, mode="eval")):
            if not isinstance(node, ast.Name) or hasattr(builtins, node.id):
                continue
            source = _imports(module).get(node.id)
            if source is None or self._found.setdefault(node.id, source) != source:
                message = f"{node.id} in an annotation of {module}: from {source}, and from {self._found.get(node.id)}"
                raise ValueError(message)

    def lines(self, used: str) -> Iterator[str]:
        """Yield the imports of the names that ``used`` has."""
        words = {node.id for node in ast.walk(ast.parse(used)) if isinstance(node, ast.Name)}
        by_module: dict[str, list[str]] = {}
        for name, module in self._found.items():
            if name in words:
                by_module.setdefault(module, []).append(name)
        own = {module for module in by_module if module.startswith("marskg")}
        for group in (sorted(by_module.keys() - own), sorted(own)):
            yield ""
            yield from (
                f"from {module} import {', '.join(sorted(by_module[module], key=str.lower))}" for module in group
            )


@cache
def _imports(module: str) -> dict[str, str]:
    """Return the modules of the names that a module imports or defines, those for type checkers included."""
    found: dict[str, str] = {}
    tree = ast.parse(Path(sys.modules[module].__file__ or "").read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found.update((one.asname or one.name, node.module or "") for one in node.names)
    found.update((node.name, module) for node in tree.body if isinstance(node, ast.ClassDef))
    return found


def render() -> str:
    """Return the file."""
    names = Names()
    body: list[str] = []
    for owner, way, same_as in reversed(OWNERS):
        body += ["", *_class(owner, way, same_as, names)]
    body += ["", *_function("aopen", opening.open, names, "def", class_name(AgentMemory))]
    text = "\n".join(body)
    public = [*sorted(CLASSES), "Opening", "aopen"]
    listed = ["", "__all__ = [", *(f'    "{name}",' for name in public), "]"]
    return "\n".join([_HEAD.rstrip(), *names.lines("\n".join((*public, text))), *listed, text, ""])


def _class(owner: type, way: str, same_as: str | None, names: Names) -> Iterator[str]:
    base = BASES.get(owner, Awaited)
    yield f"class {class_name(owner)}({base.__name__}):"
    if owner is AgentMemory:
        for attribute, namespace in WAYS.items():
            yield "    @property"
            yield f"    def {attribute}(self) -> {class_name(namespace)}: ..."
    for name, member, at_hand in properties_of(owner, way):
        if at_hand:
            yield "    @property"
        yield from _indented(_function(name, member.fget, names, "def" if at_hand else "async def"))  # type: ignore[arg-type]  # each can be read
    for row in operations_of(owner, way, same_as):
        awaited = result_of(row.result) == row.result
        yield from _indented(
            _function(row.name.rpartition(".")[2], row.function, names, "async def" if awaited else "def")
        )


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f"    {line}" for line in lines)


def _function(
    name: str, function: Callable[..., Any], names: Names, word: str, opened: str | None = None
) -> Iterator[str]:
    """Yield the lines of one function, on one line where that has room."""
    source = unwrap(function)
    found = signature(source)
    parameters = list(_parameters(found.parameters.values(), names, source.__module__))
    if opened is None:
        names.note(str(found.return_annotation).removeprefix("Iterator"), source.__module__)
    result = result_of(str(found.return_annotation))
    summary = (getdoc(function) or "").partition("\n")[0]
    head = f"{word} {name}({', '.join(parameters)}) -> {result}:"
    if len(head) + 4 <= _WIDTH:
        yield head
    else:
        yield f"{word} {name}("
        yield from (f"    {one}," for one in parameters)
        yield f") -> {result}:"
    yield f'    """{summary}"""'


def _parameters(parameters: Iterable[Parameter], names: Names, module: str) -> Iterator[str]:
    keywords = False
    for one in parameters:
        if one.name == "self":
            yield "self"
            continue
        if one.kind is Parameter.KEYWORD_ONLY and not keywords:
            keywords = True
            yield "*"
        names.note(one.annotation, module)
        stars = "**" if one.kind is Parameter.VAR_KEYWORD else ""
        default = "" if one.default is Parameter.empty else f" = {_literal(one.default)}"
        yield f"{stars}{one.name}: {one.annotation}{default}"


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
