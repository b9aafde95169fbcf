"""Rules of the house that no linter knows, each a function from one module's syntax tree to what breaks it.

A finding is ``line: what is wrong and what to do``. The tables below name the few files that a rule lets through, each
with its reason.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

#: Lines of code of the longest function, from its first statement: options and their docstring are not counted.
LONGEST_FUNCTION = 60


class Module(NamedTuple):
    """One source file: its path below ``src/marskg``, its syntax tree, and all nodes of that tree."""

    path: str
    tree: ast.Module
    nodes: tuple[ast.AST, ...]


def parse(path: str, source: str) -> Module:
    """Return ``source`` as the module at ``path``."""
    tree = ast.parse(source)
    return Module(path, tree, tuple(ast.walk(tree)))


# --- Shape -----------------------------------------------------------------------------------------------------------


def short_functions(module: Module) -> Iterator[str]:
    """No function is longer than :data:`LONGEST_FUNCTION` lines."""
    for node in module.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[bool(ast.get_docstring(node)) :][:1] or node.body
            length = (node.end_lineno or node.lineno) - first[0].lineno + 1
            if length > LONGEST_FUNCTION:
                yield f"{node.lineno}: {node.name} has {length} lines, {LONGEST_FUNCTION} are allowed: divide it"


def documented_modules(module: Module) -> Iterator[str]:
    """A module that holds anything starts with what it guarantees."""
    if module.tree.body and not ast.get_docstring(module.tree):
        yield "1: no module docstring: start with what the module guarantees"


# --- Errors ----------------------------------------------------------------------------------------------------------

#: The outermost doors, where an unknown failure is turned into a message and an exit status.
OUTERMOST_DOORS: Mapping[str, str] = {
    "cli/main.py": "the command line's last resort",
    "server/boundary.py": "the HTTP server's last resort: the server's library would log what was said",
    "server/tools.py": "the tools' last resort: the protocol's library would log what was said",
    "policies/custom/plugins.py": "the door of other people's code: whatever it raises is theirs, and is named",
}
_BROAD = {"Exception", "BaseException"}


def narrow_excepts(module: Module) -> Iterator[str]:
    """Only an outermost door catches everything; others may clean up after everything, and raise it again."""
    if module.path in OUTERMOST_DOORS:
        return
    for node in module.nodes:
        if isinstance(node, ast.ExceptHandler):
            caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            broad = any(name is None or _dotted(name) in _BROAD for name in caught)
            if broad and not _raises_again(node):
                yield f"{node.lineno}: a broad except: name the errors that you can handle"


def _raises_again(handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


# --- Cypher ----------------------------------------------------------------------------------------------------------

#: Methods of an engine or a transaction whose first argument is a statement.
_STATEMENT_METHODS = {"run", "read", "write", "define", "command", "query", "execute_query"}
#: Below these folders ``write`` is the engine's; elsewhere it may be a file's.
_STATEMENT_FOLDERS = ("store/", "policies/", "erasure/", "learning/", "privacy/", "reflection/", "shapes/", "memory.py")
_CYPHER = re.compile(r"\b(?:(?:MATCH|MERGE|CREATE)\s*\(|UNWIND\s+[\[$\w])")


def parameters_in_cypher(module: Module) -> Iterator[str]:
    """No statement is put together from text: values are parameters, names come from the vocabulary."""
    for node in module.nodes:
        if isinstance(node, ast.Call) and _runs_statement(module, node) and node.args and _composed(node.args[0]):
            yield f"{node.lineno}: a statement put together from text: use a .cypher file and parameters"
        if isinstance(node, ast.JoinedStr) and _is_cypher(node):
            yield f"{node.lineno}: Cypher in an f-string: use a .cypher file and parameters"


def _runs_statement(module: Module, call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _STATEMENT_METHODS:
        return False
    return call.func.attr != "write" or module.path.startswith(_STATEMENT_FOLDERS)


def _composed(node: ast.expr) -> bool:
    if isinstance(node, ast.JoinedStr):
        return True
    if isinstance(node, ast.BinOp):
        return any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in ast.walk(node))
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in {"format", "replace"}
    )


def _is_cypher(node: ast.JoinedStr) -> bool:
    # The clauses that SPARQL and English do not have.
    text = " ".join(
        part.value for part in node.values if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )
    return _CYPHER.search(text) is not None


# --- Determinism (semantics I9) --------------------------------------------------------------------------------------

#: What reads the wall clock or the system's randomness.
UNDETERMINED = frozenset(
    {
        "datetime.date.today",
        "datetime.datetime.now",
        "datetime.datetime.today",
        "datetime.datetime.utcnow",
        "os.getrandom",
        "os.urandom",
        "time.gmtime",
        "time.localtime",
        "time.strftime",
        "time.time",
        "time.time_ns",
        "uuid.uuid1",
        "uuid.uuid4",
    }
)
_UNDETERMINED_MODULES = ("random", "secrets", "numpy.random")
#: Key classes whose ``generate`` asks the operating system.
_GENERATES = re.compile(r"PrivateKey\.generate$")

#: Where chance and time may come from.
TIME_AND_CHANCE: Mapping[str, str] = {
    "clock.py": "the one place that reads both; all else is handed a Clock and a Source",
}


def injected_time_and_chance(module: Module) -> Iterator[str]:
    """Time and randomness are injected, so that equal inputs give equal stores."""
    if module.path in TIME_AND_CHANCE:
        return
    names = _imported_names(module)
    for node in module.nodes:
        if isinstance(node, ast.Attribute | ast.Name):
            used = _resolve(node, names)
            if used in UNDETERMINED or used.startswith(tuple(f"{name}." for name in _UNDETERMINED_MODULES)):
                yield f"{node.lineno}: {used} is not injected: take a marskg.clock Clock or Source"
            elif _GENERATES.search(used):
                yield f"{node.lineno}: {used} asks the system: make the key from a marskg.clock Source"


def _imported_names(module: Module) -> dict[str, str]:
    """Return what each imported name stands for, for example ``now`` → ``datetime.datetime``."""
    names: dict[str, str] = {}
    for node in module.nodes:
        if isinstance(node, ast.Import):
            names |= {(alias.asname or alias.name): alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {(alias.asname or alias.name): f"{node.module}.{alias.name}" for alias in node.names}
    return names


def _resolve(node: ast.expr, names: Mapping[str, str]) -> str:
    head, _, rest = _dotted(node).partition(".")
    known = names.get(head)
    if known is None:
        return ""
    return f"{known}.{rest}" if rest else known


def _dotted(node: ast.expr | None) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


# --- Libraries -------------------------------------------------------------------------------------------------------

#: The files that may import a library which the rest of the package must not depend on.
LIBRARY_HOMES: Mapping[str, tuple[str, ...]] = {
    "arcadedb": ("store/engine/native.py",),
    "arcadedb_embedded": ("store/engine/jvm.py",),
    "jpype": ("store/engine/jvm.py",),
    "neo4j": ("store/engine/bolt.py",),
    "tokenizers": ("weight.py", "embedding/weights.py"),
    "safetensors": ("embedding/weights.py",),
    "sentence_transformers": ("embedding/transformers.py",),
    "torch": ("embedding/transformers.py",),
    "owlready2": ("ontology/hermit.py",),
    "pyld": ("ontology/processor.py",),
    "yaml": ("config/yaml_file.py",),
    "langgraph": ("adapters/langgraph.py",),
    "opendp": ("policies/builtin/noise.py",),
    "presidio_analyzer": ("privacy/sensing/presidio.py",),
}


def libraries_at_home(module: Module) -> Iterator[str]:
    """A library that could be exchanged is imported in one place."""
    for node in module.nodes:
        imported: list[str] = []
        if isinstance(node, ast.Import):
            imported = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imported = [node.module]
        for name in imported:
            library = name.partition(".")[0]
            homes = LIBRARY_HOMES.get(library)
            if homes is not None and module.path not in homes:
                yield f"{getattr(node, 'lineno', 1)}: {library} belongs to {', '.join(homes)}: ask that module"


# --- Engines ---------------------------------------------------------------------------------------------------------

_ENGINES = {"arcadedb", "neo4j"}
#: Folders that may ask which engine it is.
ENGINE_FOLDERS: Mapping[str, str] = {
    "store/engine/": "the engines themselves",
    "marskg_bench/": "it reports on engines by their names",
}


def engines_by_capability(module: Module) -> Iterator[str]:
    """Nobody above an engine asks for its name, but for what it can do; the name chooses a folder of statements."""
    if module.path.startswith(tuple(ENGINE_FOLDERS)):
        return
    for node in module.nodes:
        if isinstance(node, ast.Compare | ast.match_case) and any(map(_names_engine, ast.walk(node))):
            line = node.lineno if isinstance(node, ast.Compare) else node.pattern.lineno
            yield f"{line}: an engine's name is asked for: ask for a Capability of store/engine/protocol.py"


def _names_engine(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == "name" and _dotted(node.value).rpartition(".")[2].lstrip("_") == "engine"
    return isinstance(node, ast.Constant) and node.value in _ENGINES


RULES: tuple[Callable[[Module], Iterator[str]], ...] = (
    short_functions,
    documented_modules,
    narrow_excepts,
    parameters_in_cypher,
    injected_time_and_chance,
    libraries_at_home,
    engines_by_capability,
)
