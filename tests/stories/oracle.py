"""What has to be so after a story's steps, by plain rules over what the story says of itself.

Guarantees: nothing of the product decides here, and no text is read: whom a text names, and how, is part of the step.
A memory is ``here`` and has to be found; ``gone``, and no door may tell of it; ``absent`` where it was never stored or
is not held to anything any more; or ``open`` where either is right. The rules of erasing an entity:

- what names the person by a given name, or was linked to them by the caller, is gone, and what rests on it;
- what has a shorter form of the name stays, and a first name alone is told as near;
- what names somebody else stays, and so does what only has the word.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.stories.steps import Said, Step


@dataclass
class Held:
    """One text, and what is to be so of it."""

    said: Said
    state: str = "here"
    #: Its value ended, or a newer one took its place: it is kept, and need not be shown.
    ended: bool = False
    #: Whether a joined name is all that it was erased by: then to be told of it is enough.
    joined: bool = False


@dataclass
class Oracle:
    """What was told so far."""

    held: dict[str, Held] = field(default_factory=dict)
    #: Pairs of given names of one person, with the label of what joined them.
    joined: list[tuple[str, str, str]] = field(default_factory=list)
    #: What was erased, by what it was asked by.
    erased: dict[str, set[str]] = field(default_factory=dict)
    saved: dict[str, dict[str, str]] = field(default_factory=dict)
    #: Words of erased texts that came back: reported once.
    back: set[str] = field(default_factory=set)

    def state(self, label: str) -> str:
        """Return what is to be so of a text."""
        return self.held[label].state if label in self.held else "absent"

    def here(self) -> list[Said]:
        """Return what has to be found."""
        return [one.said for one in self.held.values() if one.state == "here"]

    def users(self) -> list[Said]:
        """Return the user's own words that have to be found."""
        return [one for one in self.here() if one.by == "user" and one.sort == "turn"]

    def gone(self) -> list[Said]:
        """Return what no door may tell of."""
        return [one.said for one in self.held.values() if one.state == "gone"]

    def gone_words(self) -> set[str]:
        """Return the words that only erased texts had, but for those that are known to have come back."""
        words = {word for one in self.gone() for word in (one.mark, *(one.names if one.by == "user" else ()))}
        told = [one.said.text for one in self.held.values() if one.state != "gone"]
        return {word for word in words - self.back if not any(word in text for text in told)}

    def agents_names(self) -> list[Said]:
        """Return what agents stored to give an entity a name."""
        return [one.said for one in self.held.values() if one.said.by == "agent" and one.said.names]

    def let_go(self, label: str) -> None:
        """Hold the store to nothing more about a text."""
        self.held[label].state = "absent"

    # --- Steps ------------------------------------------------------------------------------------------------------

    def did(self, step: Step) -> None:
        """Take note of a step that was done."""
        for given in step.said:
            said = self._as_the_old(step, given)
            if said.key:
                self._end(said.key)
            self.held[said.label] = Held(said)
        match step.does:
            case "marry":
                self.joined.append((step.facts["who"], step.facts["new"], step.said[0].label))
            case "correct" if step.facts["old"] in self.held:
                self.held[step.facts["old"]].ended = True
            case "end":
                self._end(step.facts["key"])
            case "learn":
                self._move(step)
            case "save":
                self.saved[step.facts["file"]] = {label: one.state for label, one in self.held.items()}
            case "restore":
                self._restore(step.facts["file"])
            case _:
                pass

    def _as_the_old(self, step: Step, said: Said) -> Said:
        """Return what was said with what a new version takes over from the old one."""
        old = self.held.get(str(step.facts.get("old")))
        if old is None:
            return said
        kept = {name: getattr(old.said, name) for name in ("subjects", "linked", "session", "source", "key", "where")}
        return replace(said, **kept)

    def _end(self, key: str) -> None:
        for one in self.held.values():
            if one.said.key == key:
                one.ended = True

    def _move(self, step: Step) -> None:
        """A newer home of the same person ends the older one, and nobody else's."""
        for one in self.held.values():
            if one.said.about == step.said[0].about and one.said.label != step.said[0].label:
                one.ended = True

    def _restore(self, file: str) -> None:
        """The tenant is as it was, but for what was erased since."""
        then = self.saved.get(file, {})
        for label, one in self.held.items():
            if one.state != "gone":
                one.state = then.get(label, "absent")

    # --- Erasing ----------------------------------------------------------------------------------------------------

    def erase(self, by: str, what: str) -> list[Said]:
        """Take note of an erasure; returns what has to be told as near, as it may be meant and stays."""
        self.erased.setdefault(by, set()).add(what)
        verdicts = {label: self._verdict(one, by, what) for label, one in self.held.items()}
        near = []
        before = [label for label, one in self.held.items() if one.state == "here"]
        for label, one in self.held.items():
            if one.state not in {"here", "open"}:
                continue
            if verdicts[label] in {"gone", "joined"} or any(verdicts.get(base) == "gone" for base in one.said.rests_on):
                one.joined = verdicts[label] == "joined"
                one.state = "gone"
            elif verdicts[label] == "open":
                one.state = "open"
            elif verdicts[label] == "near":
                near.append(one.said)
        # Of a name that nothing had, nothing may be told as near.
        return near if "gone" in (verdicts[label] for label in before) else []

    def _verdict(self, one: Held, by: str, what: str) -> str:
        said = one.said
        match by:
            case "id":
                return "gone" if said.label == what else "stays"
            case "session":
                return "gone" if said.session == what else "stays"
            case "source":
                return "gone" if said.source == what else "stays"
            case "subject":
                return "gone" if what in said.subjects else "stays"
        return self._verdict_of_name(said, what)

    def _verdict_of_name(self, said: Said, what: str) -> str:
        if what in said.subjects or (what in said.linked and said.by == "user"):
            return "gone"
        if what in said.linked:
            # Only an agent linked it: what is right is the operator's to say.
            return "open"
        others = self._other_names(what)
        if others & {*said.subjects, *said.linked}:
            return "joined"
        found = [self._named(how, who, what, others) for who, how in said.about]
        linked = bool(said.subjects or said.linked)
        for verdict in ("gone", "joined", "open"):
            if verdict in found:
                return verdict
        return "near" if "near" in found and not linked else "stays"

    def _named(self, how: str, who: str, what: str, others: set[str]) -> str:
        if who in others:
            by_other = how == "full" or (how.startswith("called ") and self._gives(how.removeprefix("called "), who))
            return "joined" if by_other else "stays"
        if who != what:
            return "stays"
        if how.startswith("called "):
            return "gone" if self._gives(how.removeprefix("called "), who) else "open"
        return {"full": "gone", "first": "near", "listed": "open"}.get(how, "stays")

    def _other_names(self, what: str) -> set[str]:
        pairs = [pair for *pair, label in self.joined if self.state(label) == "here"]
        return {one for pair in pairs if what in pair for one in pair} - {what}

    def _gives(self, name: str, who: str) -> bool:
        return any(name in said.names and who in said.linked for said in self.here() if said.by == "user")

    # --- Of refusals ------------------------------------------------------------------------------------------------

    def may_be_refused(self, step: Step) -> bool:
        """Return whether what a step stores may be refused: it touches what was erased, or is no user's plain text."""
        gone = {one for names in self.erased.values() for one in names}
        for said in step.said:
            named: set[Any] = {said.session, said.source, *said.subjects, *said.linked, *(who for who, _ in said.about)}
            if said.by != "user" or said.sort != "turn" or named & gone:
                return True
        return not (step.does == "remember" and step.calls[0].who == "m")
