"""What an attempt is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from marskg.api.operations import operations
from marskg.privacy.principals import Role, right_to
from tests.redteam.stage import SENTINELS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.redteam.stage import Side


#: What somebody may come in by: the operations, what is no method of the memory, and the interfaces beside Python.
DOORS: Final = frozenset(
    (*(one.name for one in operations()), "settings.current", "store", "weight", "command line", "mcp")
)


@dataclass(frozen=True)
class Attempt:
    """One thing that somebody tries.

    ``act`` makes it on one side of a pair and returns what they are given. ``ends`` is how it has to end: an error's
    class, ``told`` if it is answered, ``nothing`` if the answer is empty; an attempt that ends otherwise tries
    something else than it says. ``words`` must not be told. With ``paired`` both sides must be told the same.
    """

    id: str
    door: str
    who: str
    technique: str
    ends: str
    act: Callable[[Side], object]
    words: tuple[str, ...] = tuple(SENTINELS.values())
    paired: bool = True
    #: Whether it is made on the Neo4j server as well.
    server: bool = False


@dataclass
class Book:
    """Attempts as they are written down."""

    found: list[Attempt] = field(default_factory=list)

    def add(self, door: str, who: str, technique: str, ends: str, act: Callable[[Side], object], **more: Any) -> None:
        """Write down one attempt; attempts with the same door, technique and principal are numbered."""
        assert door in DOORS, door
        stem = f"{door}/{technique}/{who}".replace(" ", "-")
        number = 1 + sum(one.id.rpartition("/")[0] == stem for one in self.found)
        self.found.append(Attempt(f"{stem}/{number}", door, who, technique, ends, act, **more))

    def ask(
        self, door: str, who: str, technique: str, ends: str, question: Callable[[Any], object], **more: Any
    ) -> None:
        """Write down a question to the tenant that attempts share, as ``who`` has it.

        What a reader asks, an agent with the same limits asks as well, where it is a door for both.
        """
        self.add(door, who, technique, ends, lambda side: question(side.as_(who)), **more)
        if who == "reader" and right_to(Role.READER, door) is right_to(Role.AGENT, door):
            self.add(door, "agent", technique, ends, lambda side: question(side.as_("agent")), **more)

    def __iter__(self) -> Iterator[Attempt]:
        """Yield the attempts."""
        return iter(self.found)
