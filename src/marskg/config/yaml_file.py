"""YAML files, read strictly: a mapping without repeated keys, without aliases and of a page's size.

Guarantees: what cannot be read is refused with :class:`~marskg.errors.InvalidConfig`, which names the file, the line
and the way out; no object but plain values is built.
"""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import yaml

from marskg.errors import InvalidConfig

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

MAX_FILE_BYTES = 1 << 20


class _StrictLoader(yaml.SafeLoader):
    """YAML without repeated keys and without aliases, which can blow a small file up."""

    def compose_node(self, parent: Any, index: Any) -> Any:  # noqa: ANN401 - PyYAML's own types
        if self.check_event(yaml.events.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.constructor.ConstructorError(None, None, "aliases are not allowed", mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.value in seen:
                message = f"the key {str(key.value)[:80]!r} is there twice or is no word"
                raise yaml.constructor.ConstructorError(None, None, message, key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


class Marked(dict[str, Any]):
    """A mapping of a YAML file that knows its lines: ``line`` is where it begins, ``lines`` where each key stands."""

    line: int = 1
    lines: Mapping[str, int] = MappingProxyType({})


class _MarkedLoader(_StrictLoader):
    """The strict loader, whose mappings are :class:`Marked`."""


def _marked(loader: _MarkedLoader, node: yaml.MappingNode) -> Marked:
    found = Marked({str(key): value for key, value in loader.construct_mapping(node, deep=True).items()})
    found.line = node.start_mark.line + 1
    found.lines = {key.value: key.start_mark.line + 1 for key, _ in node.value}
    return found


_MarkedLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _marked)


def read_marked_yaml(path: str | Path) -> Marked:
    """Return the mapping that a YAML file holds, each mapping in it with its lines; empty for an empty file.

    Raises:
        InvalidConfig: as :func:`read_yaml`.
    """
    found = read_yaml(path, _MarkedLoader)
    return found if isinstance(found, Marked) else Marked(found)


def read_yaml(path: str | Path, loader: type[_StrictLoader] = _StrictLoader) -> dict[str, Any]:
    """Return the mapping that a YAML file holds, empty for an empty file.

    Raises:
        InvalidConfig: the file cannot be read, is too large, is no YAML, or holds something else.
    """
    try:
        # A pipe that nobody writes into would be waited for.
        if Path(path).exists() and not Path(path).is_file():
            msg = f"{path} is not a regular file; name a readable YAML file"
            raise InvalidConfig(msg)
        with Path(path).open("rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            msg = f"{path} is larger than {MAX_FILE_BYTES:,} bytes; a configuration is a page of text"
            raise InvalidConfig(msg)
        # Bandit's rule is about loaders that build objects; this one is a SafeLoader.
        loaded = yaml.load(data.decode(), Loader=loader)  # noqa: S506
    except OSError as error:
        msg = f"{path} cannot be read ({error.strerror}); name a readable YAML file"
        raise InvalidConfig(msg) from error
    # Of dates, numbers and tags that make no sense the loader says so in exceptions of Python's.
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        if isinstance(error, InvalidConfig):
            raise
        what = f"{path} is not YAML in UTF-8, or has a value that is none"
        msg = f"{what}; write one setting a line, for example: budget: 8000"
        raise InvalidConfig(msg) from error
    except yaml.YAMLError as error:
        raise InvalidConfig(_yaml_message(path, error)) from error
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        msg = f"{path} holds no mapping; write one setting a line, for example: budget: 8000"
        raise InvalidConfig(msg)
    return loaded


def _yaml_message(path: str | Path, error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "it cannot be parsed"
    where = f" line {mark.line + 1}" if mark is not None else ""
    return f"{path}{where} is not valid YAML: {problem}; correct that line"
