"""The two files of a user's policy: one ``.cypher`` statement, and YAML of the same name beside it.

Guarantees: the statement only reads (:mod:`marskg.store.statements.cypher_guard`), keeps to its tenant and reads no
content (:mod:`marskg.policies.custom.cypher_sandbox`), asks neither a clock nor chance, returns the columns that a
policy needs and has a value for each of its parameters; the YAML has no unknown key. All of this is known without a
store.
"""

from __future__ import annotations

import hashlib
import math
import re
from dataclasses import dataclass, field, replace
from string import Template
from typing import TYPE_CHECKING, Any, TypeAlias

from marskg.config import read_yaml
from marskg.errors import InvalidConfig, QueryRefused
from marskg.late_regex import late_regex
from marskg.policies.custom.cypher_sandbox import check_scope
from marskg.store.statements.cypher_guard import changing_call, check_read_only, parameter_names

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

#: A parameter in the YAML file.
Parameter: TypeAlias = "str | int | float | bool"

#: Parameters that every statement is given.
GIVEN = frozenset({"tenant", "now", "low", "high", "limit"})
#: What a name of a parameter or a column may be.
WORD = late_regex(r"^[A-Za-z_]\w{0,63}\Z")
_KEYS = ("description", "parameters", "reason", "reasons")
#: Columns that every statement returns.
REQUIRED = ("id", "score")
_DEFAULT_REASON = "lowest score of all that may go by this policy: $score"
_MIN_REASON = 10
_MAX_FILE = 100_000
_NAME = late_regex(r"^[a-z][a-z0-9-]{0,63}\Z")


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """What a user's two files say."""

    name: str
    path: Path
    statement: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    reason: Template = field(default_factory=lambda: Template(_DEFAULT_REASON))
    reasons: Mapping[str, Template] = field(default_factory=dict)

    @property
    def pages(self) -> bool:
        """Return whether the statement asks for its rows page by page."""
        return "$limit" in self.statement

    def described(self) -> tuple[str, ...]:
        """Return the statement's digest and the parameters as the audit records them."""
        digest = hashlib.sha256(self.statement.encode()).hexdigest()
        return (
            f"statement=sha256:{digest}",
            *(f"parameters.{name}={value}" for name, value in self.parameters.items()),
        )


def read_policy_file(path: Path) -> PolicyFile:
    """Return what ``path`` and the YAML file beside it say.

    Raises:
        InvalidConfig: one of them cannot be read, does more than read the graph, or has an unknown key.
    """
    if not _NAME.match(path.stem):
        msg = f"{path}: name it in lower-case letters, digits and hyphens, such as stale-notes.cypher"
        raise InvalidConfig(msg)
    statement = _read_text(path)
    try:
        check_read_only(statement)
        changing = changing_call(statement)
        if changing is not None:
            msg = f"{path}: {changing} changes between two plans of one store; use $now, and properties of the memories"
            raise InvalidConfig(msg)
        check_scope(statement)
    except QueryRefused as error:
        msg = f"{path}: {error}"
        raise InvalidConfig(msg) from error
    for column in REQUIRED:
        if not re.search(rf"\bAS\s+{column}\b", statement, re.IGNORECASE):
            msg = f"{path}: the statement returns no column {column!r}; end with: RETURN m.id AS id, … AS score"
            raise InvalidConfig(msg)
    beside = path.with_suffix(".yaml")
    settings = read_yaml(beside) if beside.is_file() else {}
    policy = _with_settings(PolicyFile(path.stem, path, statement), beside, settings)
    undefined = sorted(parameter_names(statement) - GIVEN - set(policy.parameters))
    if undefined:
        msg = f"{path}: ${undefined[0][:80]} has no value; give it one under parameters: in {beside.name}"
        raise InvalidConfig(msg)
    return policy


def _read_text(path: Path) -> str:
    try:
        if path.exists() and not path.is_file():
            msg = f"{path} is no regular file; name one that holds the statement"
            raise InvalidConfig(msg)
        with path.open("rb") as stream:
            data = stream.read(_MAX_FILE + 1)
        if len(data) > _MAX_FILE:
            msg = f"{path} is larger than {_MAX_FILE:,} bytes; a policy is one statement"
            raise InvalidConfig(msg)
        return data.decode()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        msg = f"{path} cannot be read ({why}); name a readable .cypher file"
        raise InvalidConfig(msg) from error


def _with_settings(policy: PolicyFile, beside: Path, settings: Mapping[str, Any]) -> PolicyFile:
    unknown = sorted(str(key) for key in settings if key not in _KEYS)
    if unknown:
        msg = f"{beside}: unknown key {unknown[0][:80]!r}; allowed there are {', '.join(_KEYS)}"
        raise InvalidConfig(msg)
    parameters = _section(beside, settings, "parameters")
    for name, value in parameters.items():
        number = isinstance(value, int | float) and math.isfinite(value)
        if not WORD.match(str(name)) or name in GIVEN or not (number or isinstance(value, str | bool)):
            msg = (
                f"{beside}: parameter {str(name)[:80]!r} must be a word other than {', '.join(sorted(GIVEN))}, "
                "with a text, a number, true or false"
            )
            raise InvalidConfig(msg)
    reasons = {str(code): _template(beside, text) for code, text in _section(beside, settings, "reasons").items()}
    reason = _template(beside, settings["reason"]) if "reason" in settings else policy.reason
    return replace(policy, parameters=parameters, reason=reason, reasons=reasons)


def _section(beside: Path, settings: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = settings.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        msg = f"{beside}: {name} takes one entry a line, each with a name"
        raise InvalidConfig(msg)
    return value


def _template(beside: Path, text: object) -> Template:
    template = Template(text) if isinstance(text, str) else None
    if template is None or not template.is_valid() or not _MIN_REASON <= len(template.template) <= 500:  # noqa: PLR2004
        msg = f"{beside}: a reason is a text of {_MIN_REASON} to 500 characters, with numbers written as $importance"
        raise InvalidConfig(msg)
    return template
