"""What the scenes of the demo share: where they work, how they show things, and what of it held.

Guarantees: a claim is printed with a tick only if it was checked and holds; one that does not hold fails the demo.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict

from marskg.cli.output import console, safe

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console, RenderableType

    from marskg.memory import AgentMemory
    from marskg.sources.chat import ChatFile
    from marskg.sources.memora import Persona

_BAR = 40
#: Share of all that is said which the demo's budget holds.
SHARE = 0.4


class DemoStep(TypedDict):
    """What a step of the demo claimed, and whether it holds."""

    step: str
    ok: bool
    claim: str


@dataclass(slots=True)
class Stage:
    """One run of the demo."""

    store: str
    tenant: str
    folder: Path
    secret: str | None = None
    to_errors: bool = False
    results: list[DemoStep] = field(default_factory=list)
    _started: float = field(default_factory=time.monotonic)

    @property
    def ok(self) -> bool:
        """Return whether everything that was claimed so far holds."""
        return all(result["ok"] for result in self.results)

    @property
    def seconds(self) -> float:
        """Return how long the demo has taken."""
        return time.monotonic() - self._started

    @property
    def console(self) -> Console:
        """Return where to show things: standard output, unless a JSON document goes there."""
        return console(errors=self.to_errors)

    def open(self, *, budget: int | None = None, store: str | None = None) -> AgentMemory:
        """Open the demo's tenant, or that of a copy of its store."""
        from marskg.api.opening import open as open_memory
        from marskg.config.settings import IN_CLEAR

        # On a server too, as it asks in SPARQL and shows what is stored.
        return open_memory(
            store or self.store, tenant=self.tenant, budget=budget, encryption=IN_CLEAR, passphrase=self.secret
        )

    def scene(self, title: str, *lines: str) -> None:
        """Begin a scene."""
        from rich.rule import Rule
        from rich.text import Text

        self.console.print()
        self.console.print(Rule(Text(safe(title), style="bold"), align="left", style="dim"))
        for text in lines:
            self.console.print(Text(safe(text), style="dim"), soft_wrap=True)

    def show(self, *things: RenderableType) -> None:
        """Show tables and texts."""
        for thing in things:
            self.console.print(safe(thing) if isinstance(thing, str) else thing, soft_wrap=isinstance(thing, str))

    def claim(self, name: str, text: str, *, holds: bool) -> None:
        """Say that something is so, with a tick if it is and a cross if it is not."""
        from rich.text import Text

        self.results.append({"step": name, "ok": holds, "claim": text})
        mark = Text("✓ ", style="bold green") if holds else Text("✗ ", style="bold red")
        self.console.print(mark + Text(safe(text)), soft_wrap=True)

    def gauge(self, weight: int, budget: int, protected: int) -> None:
        """Show how full the budget is, and how much of it nothing may touch."""
        from rich.text import Text

        full, kept = round(_BAR * weight / budget), round(_BAR * protected / budget)
        bar = Text("▕").append("█" * kept, style="cyan").append("█" * (full - kept), style="green")
        bar.append("·" * (_BAR - full), style="dim").append("▏")
        bar.append(f" {weight:,} of {budget:,} tokens, {protected:,} of them protected")
        self.console.print(bar)


def read_source(path: Path) -> ChatFile | Persona:
    """Return the conversation in the file, or the Memora persona in the folder, at ``path``."""
    if path.is_dir():
        from marskg.sources.memora import read_persona

        return read_persona(path)
    from marskg.sources.chat import read_chat

    return read_chat(path)
