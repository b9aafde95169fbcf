"""The report on one subject as a page to read: HTML in one file, or Markdown.

Guarantees: the HTML reaches for nothing outside of itself, neither a style nor a script nor a picture; it has one first
heading, sections in order, tables with captions and header cells, and reads without colours. Nothing that a memory says
can become markup: every text is escaped, and stands in its own direction. Both pages say the same, clause by clause of
GDPR Art. 15, and what the store cannot know is said to be for the controller to add.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Final, NamedTuple

from marskg.late_regex import late_regex
from marskg.ontology.mapping import time_lexical

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from marskg.privacy.report.gather import Held, Holdings
    from marskg.records import Preference

_MINUTE: Final = 16
_DAY_MS: Final = 86_400_000
_HOUR_MS: Final = 3_600_000
_MARKUP: Final = late_regex(r"([\\`*_{}\[\]()#+.!|<>~&-])")
#: What could reorder or hide the text around it.
_STEERING: Final = late_regex(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
h1, h2, h3 { line-height: 1.2; }
h3 { font-size: 1rem; margin-bottom: 0.25rem; overflow-wrap: anywhere; }
blockquote { margin: 0.5rem 0; padding: 0.25rem 1rem; border-left: 0.25rem solid; white-space: pre-wrap; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0 1rem; }
caption { text-align: left; font-weight: bold; padding: 0.25rem 0; }
th, td { border: 1px solid; padding: 0.25rem 0.5rem; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
article { border-top: 1px solid; padding-top: 0.5rem; }
@media print { article { break-inside: avoid; } }
"""


class _Table(NamedTuple):
    """A table: what it shows, the names of its columns, its rows."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class _Section(NamedTuple):
    """A section: heading, paragraphs, and a table."""

    heading: str
    said: tuple[str, ...]
    table: _Table | None = None


def as_html(found: Holdings) -> str:
    """Return the report as one HTML file."""
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>What is held about {_text(found.subject)}</title>",
        f"<style>{_STYLE}</style>",
        "</head>",
        "<body>",
        "<main>",
        f"<h1>What is held about <bdi>{_text(found.subject)}</bdi></h1>",
    ]
    for section in _before(found):
        parts += _html_section(section)
    parts.append("<section><h2>Everything that is held</h2>")
    parts += [part for place, one in enumerate(found.held, 1) for part in _html_held(place, one)]
    if not found.held:
        parts.append("<p>Nothing is held.</p>")
    parts.append("</section>")
    for section in _after(found):
        parts += _html_section(section)
    return "\n".join([*parts, "</main>", "</body>", "</html>", ""])


def as_markdown(found: Holdings) -> str:
    """Return the report as Markdown."""
    parts = [f"# What is held about {_marked(found.subject)}"]
    for section in _before(found):
        parts += _marked_section(section)
    parts.append("## Everything that is held")
    for place, one in enumerate(found.held, 1):
        parts.append(f"### {place}. {_marked(_title(one))}")
        parts += [f"> {_marked(line)}" if line else ">" for line in _content(one).split("\n")]
        parts += _marked_tables(one)
    if not found.held:
        parts.append("Nothing is held.")
    for section in _after(found):
        parts += _marked_section(section)
    return _joined(parts)


# --- What it says ----------------------------------------------------------------------------------------------------


def _before(found: Holdings) -> Iterator[_Section]:
    held = found.held
    live = sum(not one.forgotten for one in held)
    withheld = sum(one.withheld for one in held)
    yield _Section(
        "In short",
        (
            (
                f"Made on {_when(found.made)} (UTC) from the store's tenant {found.tenant}. Held: "
                f"{_count(len(held), 'memory')}, {live} in use, {len(held) - live} forgotten, archived or summarised. "
                f"Of {withheld} the text is withheld, as it is about other people too."
            ),
            _suppression(found),
            "That this report was made is recorded in the log of accesses.",
        ),
    )
    yield _Section("What the law asks, and where it stands here", (), _clauses(found))
    rows = tuple((one.name, ", ".join(one.aliases), one.entity_type or "") for one in found.names)
    if rows:
        yield _Section("Names", (), _Table("Names that the store keeps", ("Name", "Also", "Type"), rows))
    columns = ("Rule", "About", "Since", "Until", "State")
    wishes = tuple(_wish(item, found.made) for item in found.preferences)
    if wishes:
        yield _Section("What you asked for, and consented to", (), _Table("Rules and consents", columns, wishes))


def _wish(item: Preference, now: int) -> tuple[str, ...]:
    """Return a row for one rule or consent."""
    about = [item.label or item.target or "everything"]
    about += [f"for {_span(item.horizon)}"] if item.horizon is not None else []
    about += [f"level {item.level:g}"] if item.level is not None else []
    about += [f"in {', '.join(item.regions)}"] if item.regions else []
    ended = "withdrawn" if item.withdrawn_at is not None and item.withdrawn_at <= now else "ended"
    return (
        item.preference_rule.value.replace("_", " "),
        ", ".join(about),
        _when(item.created),
        "" if item.ends_at is None else _when(item.ends_at),
        "in force" if item.in_force(now) else ended,
    )


def _suppression(found: Holdings) -> str:
    if found.suppressed:
        return "An erasure was asked for earlier: nothing new is stored without consent."
    return "No erasure of everything was asked for: new memories may be stored."


def _clauses(found: Holdings) -> _Table:
    purposes = sorted({purpose for one in found.held for purpose in one.memory.purpose})
    kinds = sorted({one.memory.kind.value for one in found.held})
    reasons = sorted({reason for one in found.held for reason in one.memory.sensitivity_reasons})
    people = sorted({shown.by for one in found.held for shown in one.shown})
    sources = sorted({one.memory.source_type.value for one in found.held if one.memory.content is not None})
    decided = sum(done.automated for one in found.held for done in one.done)
    lives = ", ".join(f"{name} {_span(life)}" for name, life in found.lives.items())
    rows = (
        ("15 (1) (a) purposes", f"{_list(purposes, 'not limited to a purpose')}; at each memory"),
        ("15 (1) (b) categories", f"{_list(kinds, 'none')}; sensitive: {_list(reasons, 'nothing found')}"),
        ("15 (1) (c) recipients", f"{_list(people, 'nobody was shown any of it')}; at each memory"),
        ("15 (1) (d) how long", f"by class: {lives}; at each memory, where it ends"),
        (
            "15 (1) (e) your rights",
            "to have it corrected, erased or restricted, to object, and to take it with you; ask the controller",
        ),
        ("15 (1) (f) complaint", "to a supervisory authority, such as that of where you live"),
        ("15 (1) (g) source", f"{_list(sources, 'none')}; at each memory"),
        (
            "15 (1) (h), 22 automated decisions",
            (
                f"{decided} by rule, each with its reason below; the policy {found.policy} decides what is forgotten "
                "when there is no more room. Nothing else is decided about you by the store"
            ),
        ),
        ("15 (2) transfers", "the store records none; the controller adds what it knows"),
        ("15 (3) a copy", "this page, and the same in JSON-LD"),
        ("15 (4) others", "texts that are about other people too are withheld; the controller may release them"),
    )
    return _Table("GDPR Article 15, clause by clause", ("Clause", "Here"), rows)


def _after(found: Holdings) -> Iterator[_Section]:
    rows = tuple(
        (_title(one), one.memory.tier.value, _when(done.at), done.rule or "", done.reason or "")
        for one in found.held
        if one.forgotten
        for done in one.done[-1:]
    )
    yield _Section(
        "What was forgotten, and why",
        ("Nothing that is still held was forgotten.",) if not rows else (),
        _Table("Last step of each", ("Memory", "Now", "When", "Rule", "Why"), rows) if rows else None,
    )
    yield _Section(
        "What is not here",
        (
            (
                "What has left the store whole is in its log by number only, without whom it was about, so that it "
                "cannot be listed. What was erased is in neither."
            ),
            "Copies that somebody took out of the store (exports, snapshots, backups) are the controller's to list.",
        ),
    )


def _title(one: Held) -> str:
    words = [one.memory.kind.value, f"of {_when(one.memory.created)}"]
    if not one.filed:
        words.append("which mentions you")
    return " ".join(words)


def _content(one: Held) -> str:
    if one.withheld:
        said = f"(withheld: it is about {_count(one.others, 'other person', 'other people')} as well)"
        return "\n".join((said, *one.lines))
    return one.memory.content if one.memory.content is not None else "(its content is gone)"


def _facts(one: Held) -> _Table:
    memory = one.memory
    ends = [time for time in (memory.expires_at, memory.grace_until) if time is not None]
    payload = (
        f"{name} {', '.join(value) if isinstance(value, tuple) else value}" for name, value in memory.payload.items()
    )
    facts = (
        ("Number", memory.id),
        ("Where it stands", memory.tier.value),
        ("Key", memory.key or ""),
        ("Details", "; ".join(payload)),
        ("Class", memory.memory_class.value if memory.content is not None else ""),
        ("Valid", _valid(one)),
        ("Conversation", memory.session or ""),
        ("Source", f"{memory.source_type.value} {memory.source_ref or ''}".strip() if not _gone(one) else ""),
        ("Derived from", ", ".join(one.sources)),
        ("Purpose", ", ".join(memory.purpose)),
        ("Jurisdiction", memory.jurisdiction or ""),
        ("Sensitivity", _sensitivity(one)),
        ("Kept until", _when(min(ends)) if ends else ""),
        ("Pinned", "yes, on request" if memory.pinned else ""),
    )
    return _Table("What it is", ("Field", "Value"), tuple(fact for fact in facts if fact[1]))


def _gone(one: Held) -> bool:
    return one.memory.content is None and not one.withheld


def _valid(one: Held) -> str:
    memory = one.memory
    until = f" until {_when(memory.valid_to)}" if memory.valid_to is not None else ""
    return f"from {_when(memory.valid_from)}{until}" + ("; replaced by a newer one" if not memory.current else "")


def _sensitivity(one: Held) -> str:
    memory = one.memory
    if not memory.sensitivity:
        return ""
    return f"{memory.sensitivity:g}" + (
        f" ({', '.join(memory.sensitivity_reasons)})" if memory.sensitivity_reasons else ""
    )


def _tables(one: Held) -> Iterator[_Table]:
    yield _facts(one)
    if one.shown:
        rows = tuple(
            (
                shown.by,
                shown.purpose or "not stated",
                shown.call,
                str(shown.times),
                _when(shown.first),
                _when(shown.last),
            )
            for shown in one.shown
        )
        yield _Table("Who saw it", ("Who", "Purpose", "Call", "Times", "First", "Last"), rows)
    if one.done:
        steps = tuple(
            (
                _when(done.at),
                done.operation.value,
                "a rule" if done.automated else done.by or "",
                _why(done.rule, done.reason),
            )
            for done in one.done
        )
        yield _Table("What was done with it", ("When", "What", "Who or what decided", "Why"), steps)


def _why(rule: str | None, reason: str | None) -> str:
    return ": ".join(part for part in (rule, reason) if part)


def _when(moment: int) -> str:
    return time_lexical(moment)[:_MINUTE].replace("T", " ")


def _span(life: int | None) -> str:
    if life is None:
        return "without end"
    return _count(life // _DAY_MS, "day", "days") if life >= 2 * _DAY_MS else _count(life // _HOUR_MS, "hour")


def _list(items: list[str], without: str) -> str:
    return ", ".join(items) or without


def _count(number: int, noun: str, nouns: str | None = None) -> str:
    plural = nouns or (f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s")
    return f"{number:,} {noun if number == 1 else plural}"


# --- HTML ------------------------------------------------------------------------------------------------------------


def _text(text: str) -> str:
    return html.escape(_visible(text))


def _visible(text: str) -> str:
    """Return ``text`` with what could steer a reader's screen made visible."""
    return _STEERING.sub(lambda found: found[0] if found[0] in "\n\t" else f"\\u{ord(found[0]):04x}", text)


def _html_section(section: _Section) -> Iterator[str]:
    yield f"<section><h2>{_text(section.heading)}</h2>"
    yield from (f"<p>{_text(said)}</p>" for said in section.said)
    if section.table is not None:
        yield from _html_table(section.table)
    yield "</section>"


def _html_held(place: int, one: Held) -> Iterator[str]:
    yield f'<article aria-labelledby="memory-{place}">'
    yield f'<h3 id="memory-{place}">{place}. {_text(_title(one))}</h3>'
    yield f'<blockquote dir="auto">{_text(_content(one))}</blockquote>'
    for made in _tables(one):
        yield from _html_table(made)
    yield "</article>"


def _html_table(made: _Table) -> Iterator[str]:
    yield f'<div class="table" role="region" aria-label="{_text(made.caption)}" tabindex="0"><table>'
    yield f"<caption>{_text(made.caption)}</caption>"
    yield "<thead><tr>" + "".join(f'<th scope="col">{_text(name)}</th>' for name in made.columns) + "</tr></thead>"
    yield "<tbody>"
    for first, *rest in made.rows:
        cells = "".join(f'<td dir="auto">{_text(cell)}</td>' for cell in rest)
        yield f'<tr><th scope="row">{_text(first)}</th>{cells}</tr>'
    yield "</tbody></table></div>"


# --- Markdown --------------------------------------------------------------------------------------------------------


def _marked(text: str) -> str:
    return _MARKUP.sub(r"\\\1", _visible(text)).replace("\n", " ")


def _marked_section(section: _Section) -> Iterator[str]:
    yield f"## {section.heading}"
    yield from (_marked(said) for said in section.said)
    if section.table is not None:
        yield _marked_table(section.table)


def _marked_tables(one: Held) -> Iterator[str]:
    yield from (_marked_table(made) for made in _tables(one))


def _marked_table(made: _Table) -> str:
    lines = [f"**{_marked(made.caption)}**", "", _marked_row(made.columns), _marked_row("---" for _ in made.columns)]
    lines += [_marked_row(_marked(cell) for cell in row) for row in made.rows]
    return "\n".join(lines)


def _marked_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _joined(parts: Iterable[str]) -> str:
    """Return paragraphs a line apart, the lines of one quotation together."""
    text = ""
    quoting = False
    for part in parts:
        quote = part.startswith(">")
        text += ("\n" if quote and quoting else "\n\n" if text else "") + part
        quoting = quote
    return text + "\n"
