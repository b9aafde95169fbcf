"""Attempts with identifiers in disguise: what is stored is measured, hidden from readers, and taken out of outputs.

The two sides hold different identifiers of one sort in one disguise, so that whatever is shown of one differs.
"""

from __future__ import annotations

import base64
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from tests.redteam.attempt import Book

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from marskg.memory import AgentMemory
    from tests.redteam.stage import Side

_WORDS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
#: Two identifiers of each sort: one for the full side, one for the other.
SORTS: Final[Mapping[str, tuple[str, str]]] = {
    "card": ("4111111111111111", "4012888888881881"),
    "email": ("quilla.roo@example.com", "marlow.dee@example.com"),
    "account": ("GB82WEST12345698765432", "GB33BUKB20201555555555"),
    "token": ("AKIAIOSFODNN7EXAMPLE", "AKIAJ5TNQWERTYZXCVBN"),
}
_CYRILLIC: Final = str.maketrans("aceopxy", "\u0430\u0441\u0435\u043e\u0440\u0445\u0443")
DISGUISES: Final[Mapping[str, Callable[[str], str]]] = {
    "plain": lambda text: text,
    "zero width": "\u200b".join,
    "soft hyphens": "\u00ad".join,
    "full width": lambda text: "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in text),
    "base64": lambda text: base64.b64encode(f"it is {text}".encode()).decode(),
    "base64 of base64": lambda text: base64.b64encode(base64.b64encode(f"it is {text}".encode())).decode(),
    "hexadecimal": lambda text: f"it is {text}".encode().hex(),
    "percent": lambda text: "".join(f"%{ord(one):02x}" for one in text),
    "combining marks": "\u0301".join,
}
ONLY: Final[Mapping[str, Mapping[str, Callable[[str], str]]]] = {
    "card": {
        "spelled out": lambda text: " ".join(_WORDS[int(one)] for one in text),
        "other digits": lambda text: "".join(chr(0x0660 + int(one)) for one in text),
        "spaces and dashes": lambda text: " - ".join(text[at : at + 4] for at in range(0, 16, 4)),
    },
    "email": {"other letters": lambda text: text.translate(_CYRILLIC), "percent, part": quote},
}


def forms() -> list[tuple[str, str, Callable[[str], str]]]:
    """Return sort, disguise and how it is put on."""
    return [(sort, name, disguise) for sort in SORTS for name, disguise in {**DISGUISES, **ONLY.get(sort, {})}.items()]


def attempts() -> Book:
    book = Book()
    doors: Mapping[str, tuple[str, Callable[[Side, str], object]]] = {
        "get": ("nothing", lambda side, ident: _bot(side).get(ident)),
        "explain": ("UnknownMemory", lambda side, ident: _bot(side).explain(ident)),
    }
    for number, (sort, name, disguise) in enumerate(forms()):
        for door, (ends, ask) in doors.items():
            book.add(door, "reader", f"{sort} in disguise: {name}", ends, partial(_ask, ask, _ident(number)), words=())
        said = partial(_redacted, sort, disguise)
        book.add("privacy.redact", "reader", f"{sort} in disguise: {name}", "told", said, words=())
    whole: Mapping[str, Callable[[Any], object]] = {
        "retrieve": lambda bot: bot.retrieve("what is the number of Ann Lee?", k=100, token_budget=10_000),
        "read_all": lambda bot: bot.read_all(),
        "profile": lambda bot: bot.profile(),
        "memories": lambda bot: list(bot.memories()),
        "stats": lambda bot: bot.stats(),
        "entities.list": lambda bot: list(bot.entities.list()),
    }
    for door, look in whole.items():
        book.add(
            door,
            "reader",
            "identifiers in disguise, all",
            "nothing" if door in {"read_all", "memories", "retrieve", "entities.list"} else "told",
            partial(_look, look),
            words=(),
            server=door == "memories",
        )
    return book


def _ident(number: int) -> str:
    return f"urn:uuid:01999999-0000-7000-8000-{0xD15000 + number:012x}"


def _world(side: Side) -> AgentMemory:
    """Return the tenant with all identifiers, made when it is first asked for."""
    memory: AgentMemory | None = getattr(side, "disguised", None)
    if memory is None:
        memory = side.fresh(sensitivity__assess="on")
        for number, (sort, _, disguise) in enumerate(forms()):
            text = disguise(SORTS[sort][not side.full])
            memory.remember(f"The {sort} of hers is {text} as she told", kind="semantic", id=_ident(number))
        side.disguised = memory  # type: ignore[attr-defined]  # kept beside the shared tenant
    side.own = memory
    return memory


def _bot(side: Side) -> Any:
    return side.as_("reader:bot?ceiling=0.3", _world(side))


def _ask(ask: Callable[[Side, str], object], ident: str, side: Side) -> object:
    return ask(side, ident)


def _look(look: Callable[[Any], object], side: Side) -> object:
    return look(_bot(side))


def _redacted(sort: str, disguise: Callable[[str], str], side: Side) -> object:
    memory = side.as_("operator", _world(side))
    return memory.privacy.redact(f"She said: {disguise(SORTS[sort][not side.full])} and left").text
