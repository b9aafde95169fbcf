"""Looks for what was erased in the bytes of a folder, in every form in which it might have been written."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def forms(text: str) -> dict[str, bytes]:
    """Return the byte strings that ``text`` may have left: plain, wide, escaped, and inside any base64."""
    found = {
        "UTF-8": text.encode(),
        "UTF-16 little": text.encode("utf-16-le"),
        "UTF-16 big": text.encode("utf-16-be"),
        "JSON": json.dumps(text)[1:-1].encode(),
        "lower": text.casefold().encode(),
    }
    for offset in range(3):
        # Whatever stands before and after it shares the first and the last group with it.
        found[f"base64 at {offset}"] = base64.b64encode(b"\0" * offset + text.encode())[4:-4]
    return found


def residue(folder: Path, texts: Iterable[str], raw: Iterable[bytes] = (), *, stem: str = "") -> list[str]:
    """Return where in the files below ``folder`` something of ``texts``, or of the bytes ``raw``, is left.

    ``stem`` is what all ``texts`` begin with: a file in which no form of it is has none of them, which is soon seen.
    """
    every = [(form, data) for text in texts for form, data in forms(text).items()]
    first = forms(stem)
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            continue  # a running server has removed it since it was listed
        there = {form for form, sought in first.items() if sought in data}
        wanted = [*((form, sought) for form, sought in every if form in there), *(("raw", one) for one in raw)]
        found += [f"{path.relative_to(folder)}: {form} {sought[:40]!r}" for form, sought in wanted if sought in data]
    return found
