"""Prints the sizes of the house, and what architecture does not allow: ``python scripts/house.py``.

A line of code is a line that holds a token of Python other than a comment or a docstring, in source that the formatter
has laid out. What knows a language (``language/``), Cypher, YAML and the other texts that are not Python stand in a
column of their own, so that moving code there does not pass for writing less of it.

Guarantees: reads the source and runs none of it. No limit counts lines, files, importers or methods; circles, reaching
into others and restated defaults are held by ``tests/architecture/test_house.py``.
Source: docs/explanation/architecture.md, "Sizes".
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: Where operations are, and where other interfaces repeat their parameters.
OPERATIONS = ("memory", "api.namespaces.", "privacy.preferences")
INTERFACES = (*OPERATIONS, "api.restricted.", "api.private_mode", "cli.", "server.")
K = TypeVar("K")
SOURCE = Path(__file__).parents[1] / "src" / "marskg"
#: Counted apart: a language is one of many.
APART = ("language",)
#: What is not Python but is written by hand, by the end of its name. Word lists and tables of data are not counted.
TEXTS = (".cypher", ".sql", ".ttl", ".rq", ".jsonld", ".yaml", ".html")
_LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


@dataclass(frozen=True)
class House:
    """The sizes of one package, each mapping from its largest to its smallest."""

    lines: Mapping[str, int]
    texts: Mapping[str, int]
    folders: Mapping[str, int]
    importers: Mapping[str, int]
    methods: Mapping[tuple[str, str], int]
    namesakes: Mapping[str, Sequence[str]]
    circles: Sequence[Sequence[str]]
    #: ``module:line: object.attribute`` of what a module assigns on an object of another module's class.
    reached_into: Sequence[str]
    #: ``module: parameter=default`` of what an operation states and another interface states again.
    restated: Sequence[str]

    @property
    def product(self) -> int:
        """Lines of code without what is counted apart."""
        return sum(lines for part, lines in self.lines.items() if part not in APART)

    def sizes(self) -> dict[str, tuple[int, int]]:
        """Return what architecture limits, each with the limit and the figure now."""
        return {
            "circles of imports": (0, len(self.circles)),
            "attributes written from outside": (0, len(self.reached_into)),
            "defaults of operations stated again": (0, len(self.restated)),
        }


def measure(source: Path = SOURCE) -> House:
    """Return the sizes of the package at ``source``."""
    modules, lines, texts = {}, Counter[str](), Counter[str]()
    for path in sorted(source.rglob("*")):
        inner = path.relative_to(source)
        part = inner.parts[0] if len(inner.parts) > 1 else "marskg"
        if path.suffix == ".py":
            text = path.read_text(encoding="utf-8")
            name = ".".join(inner.with_suffix("").parts).removesuffix("__init__").rstrip(".")
            modules[name] = nodes = tuple(ast.walk(ast.parse(text)))
            lines[part] += code_lines(text, nodes)
        elif path.suffix in TEXTS:
            texts[path.suffix] += len(path.read_text(encoding="utf-8").splitlines())
    files = [path.relative_to(source) for path in sorted(source.rglob("*.py")) if path.name != "__init__.py"]
    named = defaultdict(list)
    for file in files:
        named[file.name].append(file.as_posix())
    imports = {name: set(imported(name, nodes, modules, source.name)) for name, nodes in modules.items()}
    return House(
        lines=_ranked(lines),
        texts=_ranked(texts),
        folders=_ranked(Counter(file.parent.as_posix() for file in files)),
        importers=_ranked(Counter(target for targets in imports.values() for target in targets)),
        methods=_ranked(Counter({(name, cls): n for name, nodes in modules.items() for cls, n in classes(nodes)})),
        namesakes={name: found for name, found in sorted(named.items()) if len(found) > 1},
        circles=circles(imports),
        reached_into=[f"{name}:{where}" for name, nodes in modules.items() for where in reached_into(nodes)],
        restated=list(restated(modules)),
    )


def code_lines(text: str, nodes: Sequence[ast.AST]) -> int:
    """Return how many lines of ``text``, whose syntax tree has ``nodes``, hold code."""
    held: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _LAYOUT:
            held.update(range(token.start[0], token.end[0] + 1))
    for node in nodes:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node, clean=False
        ):
            held.difference_update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(held)


def classes(nodes: Sequence[ast.AST]) -> Iterator[tuple[str, int]]:
    """Yield each class of a module with the number of its own methods, properties included."""
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            yield node.name, sum(isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef) for item in node.body)


def reached_into(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Yield ``line: object.attribute`` where a module assigns an attribute of an object that is not its own to change.

    Its own is ``self``, what the same function makes (the call of a class, of ``__new__`` or ``replace``), and an
    object of a class that the module defines, by the names of the attributes. A module that is imported is no object.
    """
    modules = {name.asname or name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    own = {name for node in nodes if isinstance(node, ast.ClassDef) for name in _attributes(node)}
    found: dict[ast.Attribute, bool] = {}
    for function in nodes:
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            made = {"self", "cls", *modules, *_made(function)}
            for target in _assigned(function):
                local = isinstance(target.value, ast.Name) and target.value.id in made
                found[target] = found.get(target, False) or local or target.attr in own
    yield from (f"{target.lineno}: {ast.unparse(target)}" for target, is_own in found.items() if not is_own)


def _attributes(cls: ast.ClassDef) -> Iterator[str]:
    for node in ast.walk(cls):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self":
            yield node.attr


def _assigned(function: ast.AST) -> Iterator[ast.Attribute]:
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
            yield node


def _made(function: ast.AST) -> Iterator[str]:
    """Yield the names that a function binds to what it makes itself."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            maker = ast.unparse(node.value.func).rpartition(".")[2]
            if maker in {"__new__", "replace"} or maker.lstrip("_")[:1].isupper():
                yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def restated(modules: Mapping[str, Sequence[ast.AST]]) -> Iterator[str]:
    """Yield each default that stands in an operation's signature and once more, in an override, option or body.

    None, truth values and what is empty say that something is left out, and are no values of anybody's choice.
    """
    own = Counter[tuple[str, str]]()
    for name, nodes in modules.items():
        if name.startswith(OPERATIONS):
            own.update(set(_defaults(nodes)))
    for name, nodes in modules.items():
        if name.startswith(INTERFACES):
            yield from (
                f"{name}: {parameter}={value}"
                for parameter, value in _defaults(nodes)
                if (parameter, value) in own and not name.startswith(OPERATIONS)
            )


def _defaults(nodes: Sequence[ast.AST]) -> Iterator[tuple[str, str]]:
    """Yield the defaults that parameters, fields of classes and options of commands state in so many words."""
    for node in nodes:
        found: list[tuple[str, ast.expr | None]] = []
        if isinstance(node, ast.FunctionDef):
            given, extra = [*node.args.posonlyargs, *node.args.args], node.args
            late = given[len(given) - len(extra.defaults) :]
            found = [(one.arg, value) for one, value in zip(late, extra.defaults, strict=True)]
            found += [(one.arg, value) for one, value in zip(extra.kwonlyargs, extra.kw_defaults, strict=True)]
        elif isinstance(node, ast.ClassDef):
            fields = (one for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name))
            found = [(ast.unparse(one.target), one.value) for one in fields]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "click.option":
            names = [one.value for one in node.args if isinstance(one, ast.Constant)]
            said = [one.value for one in node.keywords if one.arg == "default"]
            found = [(str(names[-1]).removeprefix("--").replace("-", "_"), one) for one in said if names]
        for name, value in found:
            if isinstance(value, ast.Constant) and value.value and value.value is not True:
                yield name, repr(value.value)


def imported(name: str, nodes: Sequence[ast.AST], known: Mapping[str, object], package: str) -> Iterator[str]:
    """Yield the modules of the package that a module imports anywhere, also for its types only."""
    for node in nodes:
        targets: list[str] = []
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            targets = [f"{node.module}.{alias.name}" for alias in node.names]
        for target in targets:
            if target.startswith(f"{package}."):
                inner = target.removeprefix(f"{package}.")
                found = inner if inner in known else inner.rpartition(".")[0]
                if found in known and found not in {name, ""}:
                    yield found


def circles(imports: Mapping[str, set[str]]) -> list[list[str]]:
    """Return each set of modules that reach one another by imports (its strongly connected components)."""
    reached = {name: _reached(name, imports) for name in imports}
    found = {frozenset(other for other in reached[name] if name in reached[other]) for name in imports}
    return sorted(sorted(circle) for circle in found if circle)


def _reached(name: str, imports: Mapping[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    pending = list(imports[name])
    while pending:
        target = pending.pop()
        if target not in seen:
            seen.add(target)
            pending.extend(imports[target] - seen)
    return seen


def table(house: House) -> str:
    """Return what architecture limits, the limit, and the figure now, with a mark where it is exceeded."""
    rows = [f"{'':48}{'limit':>8}{'now':>8}"]
    for name, (limit, now) in house.sizes().items():
        rows.append(f"{name:48}{limit:>8,}{now:>8,}{_mark(now > limit)}")
    return "\n".join(rows)


def details(house: House) -> Iterator[str]:
    """Yield the lines of each list behind the table."""
    yield "\nLines of code by package"
    for part, n in house.lines.items():
        yield f"  {part:46}{n:>8,}{'  apart' if part in APART else ''}"
    yield "\nApart from the product's Python"
    yield f"  {'language/':46}{house.lines.get('language', 0):>8,}"
    for suffix, n in house.texts.items():
        yield f"  {suffix:46}{n:>8,}"
    yield "\nModules by folder"
    for folder, n in house.folders.items():
        yield f"  {folder:46}{n:>8,}"
    yield "\nMost imported modules"
    for name, n in list(house.importers.items())[:12]:
        yield f"  {name:46}{n:>8,}"
    yield "\nLargest classes, by methods"
    for (name, cls), n in list(house.methods.items())[:12]:
        yield f"  {name + '.' + cls:46}{n:>8,}"
    yield "\nFile names that occur twice"
    for files in house.namesakes.values():
        yield f"  {', '.join(files)}"
    yield "\nAttributes written from outside the module of their class"
    for where in house.reached_into:
        yield f"  {where}"
    yield "\nDefaults of operations that are stated again"
    for where in house.restated:
        yield f"  {where}"
    yield "\nCircles of imports, those for types included"
    for circle in house.circles:
        yield f"  {', '.join(circle)}"


def _ranked(counted: Counter[K]) -> dict[K, int]:
    return dict(counted.most_common())


def _mark(over: object) -> str:
    return "  over" if over else ""


if __name__ == "__main__":
    found = measure()
    sys.stdout.write("\n".join((table(found), *details(found), "")))
