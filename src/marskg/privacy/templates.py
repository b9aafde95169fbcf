"""Templates of rules for jurisdictions: engineering defaults, each rule with the clause that it goes back to.

Guarantees: every packaged template is read by the same table as a user's rules, and each of its rules names a clause;
reading one needs no store and no network. They are no legal advice: which law applies, and whether a number here is the
right one, is for whoever answers for the data. Source: the YAML files in ``jurisdictions``, each with its sources.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from typing import Final

from marskg.config import read_marked_yaml
from marskg.errors import InvalidConfig, InvalidInput
from marskg.privacy.rules import Rule, rules_of

ADVICE: Final = "Engineering defaults, not legal advice: which law applies is for whoever answers for the data."
_HEAD: Final = ("name", "title", "law", "region", "source")


@dataclass(frozen=True, slots=True)
class Template:
    """The rules of one jurisdiction; ``region`` is what memories under it have as their ``jurisdiction``."""

    name: str
    title: str
    law: str
    region: str
    source: str
    rules: tuple[Rule, ...]
    #: Why each rule is there, in the order of the rules.
    why: tuple[str, ...]


@cache
def template_names() -> tuple[str, ...]:
    """Return the names of the packaged templates, in order."""
    folder = files("marskg.privacy") / "jurisdictions"
    return tuple(sorted(entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml")))


@cache
def load_template(name: str) -> Template:
    """Return the packaged template called ``name``.

    Raises:
        InvalidInput: there is none.
        InvalidConfig: the file is damaged.
    """
    if name not in template_names():
        msg = f"there is no template {name[:40]!r}; there are {', '.join(template_names())}"
        raise InvalidInput(msg)
    with as_file(files("marskg.privacy") / "jurisdictions" / f"{name}.yaml") as path:
        document = read_marked_yaml(path)
        missing = [field for field in _HEAD if not isinstance(document.get(field), str)]
        if missing:
            msg = f"{path}: a template has {', '.join(_HEAD)} and rules; {missing[0]} is missing"
            raise InvalidConfig(msg)
        rules = rules_of(document, "rules", path)
        why = tuple(str(item.get("why") or "") for item in document["rules"])
        for rule, item in zip(rules, document["rules"], strict=True):
            if rule.clause is None or rule.data_subject is not None or rule.department is not None:
                msg = f"{path} line {item.line}: a rule of a template has a clause, and neither subject nor department"
                raise InvalidConfig(msg)
    head = {field: document[field] for field in _HEAD}
    return Template(**head, rules=rules, why=why)
