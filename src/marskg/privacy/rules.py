"""Rules as people write them: checked by one table, from Python, the command line and YAML files alike.

Guarantees: a rule that comes out of here has exactly the fields that its kind takes, each of the right type and within
its range; what is not is refused by the name of the rule and of the field, in a file with its line, before anything of
the file is applied. Nobody's name is repeated in an error.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Final

from marskg.config import duration_ms, read_marked_yaml
from marskg.errors import InvalidConfig, InvalidInput
from marskg.given_time import Moment, why_asked
from marskg.ontology.vocabulary import Kind, PreferenceRule, SourceType
from marskg.store.graph.validation import check_name, check_number, check_text
from marskg.store.rows.name_rules import NAMING, has_part_of
from marskg.store.unit.preference_rules import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from marskg.config import Marked
    from marskg.store.rows.name_rules import NameDigests

MUST, MAY, NOT = "must", "may", "not"
#: The longest horizon, in milliseconds: a hundred years.
_LONGEST: Final = 36_525 * 86_400_000


@dataclass(frozen=True, slots=True)
class Form:
    """What one rule takes: whom it may be for, what its target is, and which of the other fields it needs.

    ``words`` are the only targets that there are; empty where any text is one.
    """

    meaning: str
    subject: str = MAY
    target: str = NOT
    names: str = ""
    words: tuple[str, ...] = ()
    label: str = NOT
    horizon: str = NOT
    level: str = NOT
    regions: str = NOT
    ends_at: str = NOT


_R = PreferenceRule
FORMS: Final[Mapping[PreferenceRule, Form]] = {
    _R.RETENTION: Form(
        "memories of a kind, or of any, are kept for the horizon at most, from when they were stored",
        target=MAY, names="a kind", words=tuple(Kind), horizon=MUST),
    _R.OPT_OUT_KIND: Form(
        "memories of a kind are not stored, and those that are there go", target=MUST, names="a kind",
        words=tuple(Kind)),
    _R.OPT_OUT_SOURCE: Form(
        "memories from a type of source are not stored, and those that are there go", target=MUST, names="a source",
        words=tuple(SourceType)),
    _R.OPT_OUT_PURPOSE: Form(
        "memories are neither stored nor read for a purpose; where it was their last they go", target=MUST,
        names="a purpose"),
    _R.PRIVATE_ENTITY: Form(
        "what names it, and all that derives from that, has at least the sensitivity level, 1 if left out",
        target=MUST, names="a name", label=MAY, level=MAY),
    _R.BLACKLISTED_ENTITY: Form(
        "what names it is never stored, and what is there goes", target=MUST, names="a name", label=MAY),
    _R.BLACKLISTED_CONVERSATION: Form(
        "nothing of a conversation is stored, and what is there goes", target=MUST, names="a session"),
    _R.CONSENT: Form(
        "a person allows a purpose, or any, until it ends or is withdrawn", subject=MUST, target=MAY,
        names="a purpose", ends_at=MAY),
    _R.CONSENT_REQUIRED: Form(
        "a purpose needs the consent of everybody whom a memory is about", target=MUST, names="a purpose"),
    _R.SOCIAL_HORIZON: Form(
        "social memories that were not used over the horizon are put aside, and go a quarter of it later",
        horizon=MUST),
    _R.SENSITIVITY_CEILING: Form(
        "memories of a category above the level are shown only for a purpose to which their subjects consent",
        target=MUST, names="a category", words=CATEGORIES, level=MUST),
    _R.READING_REGIONS: Form(
        "memories of a region are read from there and from the regions listed only", target=MUST, names="a region",
        regions=MAY),
    _R.ERASURE_DEADLINE: Form("an erasure that somebody asks for has to be done within the horizon", horizon=MUST),
    _R.MEMBER_OF: Form("a person belongs to a department", subject=MUST, target=MUST, names="a department"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule before it is a preference of a tenant; fields as :class:`~marskg.records.Preference` has them."""

    preference_rule: PreferenceRule
    data_subject: str | None = None
    department: str | None = None
    target: str | None = None
    likenesses: tuple[str, ...] = ()
    label: str | None = None
    horizon: int | None = None
    level: float | None = None
    regions: tuple[str, ...] = ()
    ends_at: int | None = None
    clause: str | None = None
    #: Where it stands, as errors name it: file and line; empty if it is from no file.
    where: str = field(default="", compare=False)

    def values(self) -> dict[str, Any]:
        """Return the fields by name, but for where the rule stands."""
        return {item.name: getattr(self, item.name) for item in fields(self) if item.name != "where"}

    def without_name(self, digests: NameDigests) -> Rule:
        """Return the rule with digests in the place of a name that it is about.

        Raises:
            InvalidInput: its label has the name, or a part of it.
        """
        if self.preference_rule not in NAMING or self.target is None:
            return self
        if self.label is not None and has_part_of(self.target, self.label):
            msg = (
                f"label of {self.preference_rule} has the name that the rule is about, or a part of it, and whoever "
                "lists the rules sees it; choose one that says nothing of the name, such as a number of the case"
            )
            raise InvalidInput(msg)
        return replace(self, target=digests.target(self.target), likenesses=digests.likenesses(self.target))

    @property
    def place(self) -> tuple[object, ...]:
        """Return what no two rules of one origin share: a rule for the same replaces it."""
        return self.preference_rule, self.data_subject, self.department, self.target


#: Names in files and on the command line, by the field's name here.
_WRITTEN: Final = {
    "rule": "preference_rule",
    "subject": "data_subject",
    "department": "department",
    "target": "target",
    "label": "label",
    "horizon": "horizon",
    "level": "level",
    "regions": "regions",
    "until": "ends_at",
    "clause": "clause",
}
#: Read and passed over: for whoever reads the file.
_REMARKS: Final = frozenset({"why"})


def checked(given: Mapping[str, Any], *, department: str | None = None) -> Rule:
    """Return the rule that ``given`` describes in the words of a file.

    Args:
        given: ``rule``, ``subject``, ``department``, ``target``, ``label``, ``horizon``, ``level``, ``regions``,
            ``until``, ``clause``; what is None counts as left out.
        department: for whom it is, where the file does not say.

    Raises:
        InvalidInput: the rule or one of its fields is unknown, missing, too much, or out of range.
    """
    unknown = sorted(set(given) - set(_WRITTEN) - _REMARKS)
    if unknown:
        msg = f"{unknown[0][:40]!r} is no field of a rule; known are {', '.join(_WRITTEN)}"
        raise InvalidInput(msg)
    rule = _rule(given.get("rule"))
    values = {name: given.get(written) for written, name in _WRITTEN.items() if name != "preference_rule"}
    if values["department"] is None and values["data_subject"] is None and FORMS[rule].subject == MAY:
        values["department"] = department
    found = {name: _READERS[name](rule, value) for name, value in values.items() if value is not None}
    _complete(rule, found)
    return Rule(rule, **found)


def _rule(value: object) -> PreferenceRule:
    known = ", ".join(PreferenceRule)
    if value is None:
        msg = f"a preference without a rule; give one of {known}"
        raise InvalidInput(msg)
    try:
        return PreferenceRule(str(value))
    except ValueError:
        msg = f"rule {str(value)[:40]!r} is unknown; known are {known}"
        raise InvalidInput(msg) from None


def _complete(rule: PreferenceRule, found: Mapping[str, object]) -> None:
    form = FORMS[rule]
    if "data_subject" in found and "department" in found:
        msg = f"{rule} is for a subject or for a department, not for both; make it two rules"
        raise InvalidInput(msg)
    if "department" in found and form.subject == MUST:
        msg = f"{rule} is for one subject and not for a department; give its subject"
        raise InvalidInput(msg)
    asked = {"data_subject": form.subject, **{name: getattr(form, name) for name in _OPTIONAL}}
    written = {name: word for word, name in _WRITTEN.items()}
    for name, wanted in asked.items():
        if wanted == MUST and name not in found:
            what = f" ({form.names})" if name == "target" else ""
            msg = f"{rule} needs a {written[name]}{what}, and has none"
            raise InvalidInput(msg)
        if wanted == NOT and name in found:
            msg = f"{rule} takes no {written[name]}; leave it out"
            raise InvalidInput(msg)


_OPTIONAL: Final = ("target", "label", "horizon", "level", "regions", "ends_at")


def _text(name: str) -> Any:  # noqa: ANN401 - a reader of the table below
    return lambda rule, value: check_name(f"{name} of {rule}", value)


def _target(rule: PreferenceRule, value: object) -> str:
    text = check_name(f"target of {rule}", value)
    words = FORMS[rule].words
    if words and text not in words:
        msg = f"target of {rule} must be {FORMS[rule].names}: one of {', '.join(words)}"
        raise InvalidInput(msg)
    return text


def _horizon(rule: PreferenceRule, value: object) -> int:
    found = value if isinstance(value, int) and not isinstance(value, bool) else duration_ms(str(value))
    if found is None or not 1 <= found <= _LONGEST:
        msg = f"horizon of {rule} is no duration from 1 ms to 100 years; write for example 30d or 24h"
        raise InvalidInput(msg)
    return found


def _level(rule: PreferenceRule, value: object) -> float:
    return check_number(f"level of {rule}", value, 0, 1)


def _regions(rule: PreferenceRule, value: object) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        msg = f"regions of {rule} must be a list of jurisdictions, such as [EU, CH]"
        raise InvalidInput(msg)
    return tuple(sorted({check_text(f"a region of {rule}", item) for item in value}))


def _moment(rule: PreferenceRule, value: object) -> int:
    try:
        found = value if isinstance(value, int) and not isinstance(value, bool) else Moment.parse(str(value))
    except InvalidInput as error:
        msg = f"until of {rule}: {error}"
        raise InvalidInput(msg) from None
    if why_asked(found) is not None:
        msg = f"until of {rule} is no time in milliseconds from 1990 to 2100; write it as 2027-03-01T09:30:00Z"
        raise InvalidInput(msg)
    return int(found)


_READERS: Final[Mapping[str, Any]] = {
    "data_subject": _text("subject"),
    "department": _text("department"),
    "target": _target,
    "label": _text("label"),
    "horizon": _horizon,
    "level": _level,
    "regions": _regions,
    "ends_at": _moment,
    "clause": _text("clause"),
}


def read_rules(path: Path, *, department: str | None = None) -> tuple[Rule, ...]:
    """Return the rules of a YAML file, which are a list under ``preferences``.

    Raises:
        InvalidConfig: the file cannot be read, or one of its rules is wrong; the message names its line.
    """
    found = read_marked_yaml(path)
    extra = sorted(set(found) - {"preferences"})
    if extra:
        msg = f"{path} line {found.lines[extra[0]]}: {extra[0][:40]!r} is unknown here; rules are a list: preferences:"
        raise InvalidConfig(msg)
    return rules_of(found, "preferences", path, department=department)


def rules_of(document: Marked, name: str, path: object, *, department: str | None = None) -> tuple[Rule, ...]:
    """Return the rules that stand as a list under ``name``.

    Raises:
        InvalidConfig: one of them is wrong, stands there twice, or says the opposite of another one; the message names
            its line.
    """
    listed = document.get(name) or []
    if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
        msg = f"{path} line {document.lines.get(name, 1)}: {name} is a list of rules; write each as - rule: …"
        raise InvalidConfig(msg)
    found: dict[tuple[object, ...], Rule] = {}
    for item in listed:
        try:
            rule = checked(item, department=department)
        except InvalidInput as error:
            msg = f"{path} line {item.line}: {error}"
            raise InvalidConfig(msg) from error
        if rule.place in found:
            msg = f"{path} line {item.line}: {rule.preference_rule} for the same is there twice; keep one"
            raise InvalidConfig(msg)
        found[rule.place] = replace(rule, where=f"{path} line {item.line}")
        _refuse_opposite(found, rule.place)
    return tuple(found.values())


#: What one person cannot say of the same purpose in one breath. Between files, the stricter holds.
_OPPOSITES: Final = {_R.CONSENT: _R.OPT_OUT_PURPOSE, _R.OPT_OUT_PURPOSE: _R.CONSENT}


def _refuse_opposite(found: Mapping[tuple[object, ...], Rule], place: tuple[object, ...]) -> None:
    rule = found[place]
    opposite = _OPPOSITES.get(rule.preference_rule)
    other = None if opposite is None or rule.data_subject is None else found.get((opposite, *place[1:]))
    if other is not None:
        msg = (
            f"{rule.where}: {rule.preference_rule} says the opposite of {other.preference_rule} in "
            f"{other.where.removeprefix(rule.where.rpartition(' line ')[0]).strip()}, for the same person and purpose; "
            "keep one"
        )
        raise InvalidConfig(msg)


def written(rules: Iterable[Rule]) -> list[dict[str, Any]]:
    """Return rules in the words of a file, for display."""
    names = {name: word for word, name in _WRITTEN.items()}
    return [
        {names[name]: value for name, value in rule.values().items() if value is not None and value != ()}
        for rule in rules
    ]
