"""Whether a command printed what its page shows, where ids, keys, hashes and times differ from run to run.

A token of the page stands for a token of the same class. Ids, keys and hashes are bound: the same one on the page means
the same one in the run, and two never mean one; commands further down are rewritten with what was bound. A line of one
``…`` stands for any lines, and runs of blanks and rules of tables count as one.
"""

from __future__ import annotations

import re

_B58 = "[1-9A-HJ-NP-Za-km-z]"
#: Classes of tokens whose values are bound.
_BOUND = {
    "uuid": r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    "key": rf"z6Mk{_B58}{{44}}",
    "proof": rf"z{_B58}{{80,90}}",
    "hash": r"\bu[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])",
    "hex": r"\b[0-9a-f]{64}\b",
    "reading": r"(?<=#)\d+-[0-9a-f]{8}\b",
    "digest": r"(?<=digest )[0-9a-f]{16}\b",
}
#: Classes of tokens of which any one stands for any other.
_FREE = {
    "span": r"\b[\d.]+ (?:days|hours|minutes|seconds?)\b",
    "time": r"\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?",
    "milliseconds": r"\b1[6-9]\d{11}\b",
    "bytes": r"\b[\d,]+(?= bytes)",
    "seconds": r"\b[\d.]+(?= seconds)",
    "days": r"\b[\d.]+(?:e-\d+)?(?= days)",
}
_TOKEN = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in {**_BOUND, **_FREE}.items()))
_BLANKS = re.compile(r"[ \t]+")
_RULES = re.compile("─[─ ]*")
ELISION = "…"


class Bindings:
    """What the bound tokens of a page stand for in this run."""

    def __init__(self) -> None:
        """Bind nothing yet."""
        self.actual: dict[str, str] = {}
        self._page: dict[str, str] = {}

    def rewrite(self, text: str) -> str:
        """Return ``text`` with the page's tokens replaced by those of the run."""
        return _TOKEN.sub(lambda found: self.actual.get(found[0], found[0]), text)

    def unwrite(self, text: str) -> str:
        """Return ``text`` with the run's tokens replaced by those that the page has for them."""
        return _TOKEN.sub(lambda found: self._page.get(found[0], found[0]), text)

    def match(self, expected: str, printed: str) -> bool:
        """Return whether ``printed`` is what the page shows, and keep the bindings if it is."""
        chunks: list[list[str]] = [[]]
        for line in _lines(expected):
            if line == ELISION:
                chunks.append([])
            else:
                chunks[-1].append(line)
        bound = self._match_chunks(chunks, _lines(printed))
        if bound is None:
            return False
        self.actual.update(bound)
        self._page.update({value: name for name, value in bound.items()})
        return True

    def _match_chunks(self, chunks: list[list[str]], lines: list[str]) -> dict[str, str] | None:
        position, bound = 0, dict[str, str]()
        for number, chunk in enumerate(chunks):
            last = len(lines) - len(chunk)
            first = last if number == len(chunks) - 1 and number > 0 else position
            stop = position if number == 0 else last
            for start in range(max(first, position), stop + 1):
                new = self._match_lines(chunk, lines[start : start + len(chunk)], bound)
                if new is not None:
                    position, bound = start + len(chunk), new
                    break
            else:
                return None
        return bound if position == len(lines) else None

    def _match_lines(self, expected: list[str], lines: list[str], bound: dict[str, str]) -> dict[str, str] | None:
        if len(expected) != len(lines):
            return None
        new = dict(bound)
        for wanted, found in zip(expected, lines, strict=True):
            if _TOKEN.sub(_class, wanted) != _TOKEN.sub(_class, found):
                return None
            for ours, theirs in zip(_TOKEN.finditer(wanted), _TOKEN.finditer(found), strict=True):
                if ours.lastgroup in _BOUND and not self._bind(ours[0], theirs[0], new):
                    return None
        return new

    def _bind(self, name: str, value: str, new: dict[str, str]) -> bool:
        known = self.actual.get(name, new.get(name))
        if known is not None:
            return known == value
        if value in self._page or value in new.values():
            return False
        new[name] = value
        return True


def tokens(text: str) -> list[tuple[str, str]]:
    """Return the class and text of the bound tokens in ``text``."""
    return [(str(found.lastgroup), found[0]) for found in _TOKEN.finditer(text) if found.lastgroup in _BOUND]


def _class(found: re.Match[str]) -> str:
    return f"<{found.lastgroup}>"


def _lines(text: str) -> list[str]:
    plain = (_BLANKS.sub(" ", _RULES.sub("─", line)).strip() for line in text.splitlines())
    return [line for line in plain if line]
