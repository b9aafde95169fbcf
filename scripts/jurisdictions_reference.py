"""Writes docs/reference/jurisdictions.md from the packaged templates: ``python scripts/jurisdictions_reference.py``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from marskg.cli.setting_text import written
from marskg.ontology.vocabulary import PreferenceRule
from marskg.privacy.rules import FORMS, MUST, NOT
from marskg.privacy.templates import load_template, template_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.privacy.rules import Form, Rule

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "jurisdictions.md"
HEAD = """\
# Reference: preferences and jurisdictions

<!-- made by scripts/jurisdictions_reference.py -->
These templates are **engineering defaults, not legal advice**: which law applies to you, and whether a number here is
the right one, is for whoever answers for the data. Where a law names no number, the reason says that the number is
ours. How to use them: [Preferences](../how-to/preferences.md).

## The rules

| rule | about | takes | means |
|---|---|---|---|
"""


def rules_table() -> Iterator[str]:
    """Yield a row for each rule."""
    for rule in PreferenceRule:
        form = FORMS[rule]
        about = "" if form.target == NOT else form.names + ("" if form.target == MUST else ", or none")
        yield f"| `{rule}` | {about} | {', '.join(_taken(form))} | {form.meaning} |"


def _taken(form: Form) -> list[str]:
    names = (("subject", form.subject), ("horizon", form.horizon), ("level", form.level), ("regions", form.regions))
    found = [f"`{name}`" for name, wanted in (*names, ("until", form.ends_at)) if wanted == MUST]
    optional = [f"`{name}`?" for name, wanted in (*names[1:], ("until", form.ends_at)) if wanted not in {MUST, NOT}]
    return found + optional


def value(rule: Rule) -> str:
    """Return what a rule sets, as a reader would write it."""
    if rule.horizon is not None:
        return written(f"{rule.horizon}ms")
    if rule.level is not None:
        return f"{rule.level:g}"
    return ", ".join(rule.regions)


def template_tables() -> Iterator[str]:
    """Yield a section for each template."""
    for name in template_names():
        found = load_template(name)
        yield f"\n## `{name}`: {found.title}\n"
        yield f"{found.law}; region `{found.region}`; text: <{found.source}>\n"
        yield "| rule | about | value | clause | why |\n|---|---|---|---|---|"
        for rule, why in zip(found.rules, found.why, strict=True):
            yield f"| `{rule.preference_rule}` | {rule.target or ''} | {value(rule)} | {rule.clause} | {why} |"


def render() -> str:
    """Return the page."""
    return HEAD + "\n".join([*rules_table(), *template_tables()]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
