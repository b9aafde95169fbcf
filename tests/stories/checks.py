"""What is looked at while a story is told, and at its end; each check has a name, by which findings are counted.

``took another's``       a memory that the oracle knows to stay is gone
``flooded out``          the same by an agent's writes, though the user's memories weigh less than their share
``left of erased``       what an erasure had to take is there
``not near``             a first name alone is neither taken nor told to whoever erased
``erased is told``       a door tells a word of an erased text; ``name stays`` if the word is a name that only it gave
``bytes are left``       a word of an erased text is in the files after they were scrubbed
``taken back``           an erased text was stored again
``reader differs``       a reader with a ceiling, or an agent, is answered otherwise where something hidden happened
``word altered``         a prompt shows a part of a user's sentence; ``word hidden`` after an agent's step not even that
``two are one``          what was said of one person ended what was said of another
``alike keys``           keys that look alike have two current values
``bound by another``     what the user says of a key has an end, a purpose or the like that an agent gave it before
``name given later``     what is known by one name of a person is neither found by the other, nor told of
``spelled otherwise``    a person's memories are not found, in silence, as the subject is spelled in other letters
``refused wrongly``      a plain text that touches nothing erased is refused
``unsound``              ``verify`` or ``validate`` finds something
``crash``                anything but the product's own errors
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from marskg.errors import BudgetInfeasible, MarsError
from tests.stories.world import World, written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.stories.oracle import Oracle
    from tests.stories.steps import Said, Step, Story
    from tests.stories.world import Outcome

#: Letters that look like others, as far as stories use them.
_ALIKE: Final = str.maketrans({"\u0441": "c", "\u200b": None})
_LEARNED: Final = re.compile(r"My \w+ \S+ (?:lives in|moved to) ")
#: As sensitive as what an agent gives a key, and as nothing that a user says of one.
_HIGH: Final = 0.9
_COUNT: Final = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"


@dataclass(frozen=True)
class Finding:
    """What a check found: its name, at which step, and what it saw."""

    check: str
    number: int
    seen: str
    #: What sort of it, where a check has several.
    sort: str = ""

    def __str__(self) -> str:
        return f"step {self.number}: {self.check}: {self.seen}"


@dataclass
class Checks:
    """The checks of one telling."""

    story: Story
    world: World
    oracle: Oracle

    # --- Before and after a step ------------------------------------------------------------------------------------

    def before(self, step: Step) -> str:
        """Return what is to be compared after the step."""
        return self.world.shown() if step.does in {"span", "wish of an agent"} and not step.hidden else ""

    def after(self, step: Step, outcome: Outcome, before: str) -> Iterator[Finding]:
        """Look at what a step did."""
        for check in self._checks_after(step, outcome, before):
            yield from check

    def _checks_after(self, step: Step, outcome: Outcome, before: str) -> Iterator[Iterator[Finding]]:
        if outcome.broken is not None:
            yield iter([Finding("crash", step.number, f"{type(outcome.broken).__name__} by {step.does}")])
        if outcome.refused is not None:
            yield self._refused(step, outcome.refused)
        if before:
            yield self._hidden(step, before)
        if self.story.theme == "flood" and step.calls[0].method != "retrieve":
            yield self._flooded(step)
        if outcome.done:
            yield self._done(step)

    def _done(self, step: Step) -> Iterator[Finding]:
        if step.does == "retell":
            yield from self._taken_back(step)
        elif step.does == "learn":
            yield from self._two_are_one(step)
        elif step.does == "marry":
            yield from self._given_later(step)
        elif step.does in {"restore", "load"}:
            yield from self.present(step.number)
        elif any(said.key for said in step.said):
            yield from self._alike(step)
            if step.facts.get("second"):
                yield from self._bound(step)

    def _refused(self, step: Step, refusal: MarsError) -> Iterator[Finding]:
        if step.said and isinstance(refusal, BudgetInfeasible) and step.said[0].by == "user":
            yield Finding("flooded out", step.number, "the user's own word has no room")
        elif not self.oracle.may_be_refused(step):
            yield Finding("refused wrongly", step.number, f"{type(refusal).__name__}: {step.calls[0]!r}")

    def _hidden(self, step: Step, before: str) -> Iterator[Finding]:
        after = self.world.shown()
        for said in self.oracle.users():
            if said.text in before and said.text not in after:
                cut = said.mark in after
                seen = f"{said.text!r} by {step.does}"
                yield Finding("word altered" if cut else "word hidden", step.number, seen, step.does)

    def altered(self, number: int) -> Iterator[Finding]:
        """No user's sentence is shown in part."""
        lines = self.world.shown().splitlines()
        for said in self.oracle.users():
            if _LEARNED.match(said.text):
                continue
            for line in lines:
                if said.mark in line and "[…]" in line and said.text not in line:
                    yield Finding("word altered", number, f"{said.text!r} is shown as {line!r}", "span")

    def _flooded(self, step: Step) -> Iterator[Finding]:
        """What goes for an agent's writes while the user's weigh less than their share goes wrongly; else it may."""
        memories = list(self.world.m.memories())
        texts = {one.content for one in memories}
        lost = [said for said in self.oracle.here() if said.sort == "turn" and said.text not in texts]
        if step.does == "flood" and lost and self._users_weight <= self.story.budget / 2:
            kept = [said for said in lost if said.by == "user" and not self.oracle.held[said.label].ended]
            if kept:
                yield Finding("flooded out", step.number, f"{len(kept)} of the user's", step.facts["how"])
        for said in lost:
            self.oracle.let_go(said.label)
        own = {said.text for said in self.oracle.users()}
        self._users_weight = sum(one.weight for one in memories if one.content in own)

    _users_weight: int = 0
    turn: int = 0

    # --- Erasing ----------------------------------------------------------------------------------------------------

    def erased(self, step: Step, near: list[Said], receipt: Any) -> Iterator[Finding]:
        """Look at an erasure: what it took, what it left, and what it told."""
        told = {one.id for one in (*receipt.near, *receipt.namesakes)}
        rows = self.world.rows()
        blob = "\n".join(text for _, text in rows)
        for said in near:
            if self.world.ids.get(said.label) not in told and said.mark in blob:
                yield Finding("not near", step.number, f"{said.text!r} by {step.calls[0]!r}")
        yield from self.present(step.number, rows, notes=written(receipt.notices), told=told)

    def present(
        self, number: int, rows: list[tuple[str, str]] | None = None, notes: str = "", told: set[str] | None = None
    ) -> Iterator[Finding]:
        """What is to be there is there, and what is to be gone is not."""
        rows = self.world.rows() if rows is None else rows
        texts = {content for content, _ in rows}
        blob = "\n".join(text for _, text in rows)
        for said in self.oracle.here():
            if (said.text not in texts) if said.sort == "turn" else (said.mark not in blob):
                self.oracle.let_go(said.label)
                yield Finding("took another's", number, repr(said.text or said.about), self._why_wrong(said))
        for said in self.oracle.gone():
            if said.mark in self.oracle.back or said.mark not in blob:
                continue
            self.oracle.back.add(said.mark)
            if not self.oracle.held[said.label].joined:
                yield Finding("left of erased", number, repr(said.text or said.about), said.where)
            elif self.world.ids.get(said.label) not in (told or ()):
                yield Finding("name given later", number, f"{said.text!r} is left and not told of, {notes}")

    def _why_wrong(self, lost: Said) -> str:
        """Return by what name a text may have been taken for somebody else's."""
        asked = self.oracle.erased.get("entity", set())
        for said in self.oracle.agents_names():
            who, alias = said.linked[0], said.names[0]
            if (who in asked and any(word in lost.text for word in alias.split())) or (
                alias in asked and who in lost.linked + lost.subjects
            ):
                return "an agent's name"
        if any(name in lost.text for name in asked):
            return "longer"
        return lost.about[0][1].partition(" ")[0] if lost.about else "nobody"

    # --- Of single steps --------------------------------------------------------------------------------------------

    def _taken_back(self, step: Step) -> Iterator[Finding]:
        found = [text for _, text in self.world.rows() if step.facts["mark"] in text.lower()]
        names = [one.name for one in self.world.m.entities.list() if step.facts["mark"] in written(one).lower()]
        if found or names:
            self.oracle.back.add(step.facts["mark"])
            yield Finding("taken back", step.number, step.facts["how"], step.facts["how"])

    def _two_are_one(self, step: Step) -> Iterator[Finding]:
        """Of each person whose home was told and not told anew, one fact holds."""
        facts = [one for one in self.world.m.memories() if one.kind.value != "episodic"]
        for held in self.oracle.held.values():
            said = held.said
            if held.state != "here" or held.ended or not _LEARNED.match(said.text):
                continue
            own = [one for one in facts if said.mark in (one.content or "")]
            if own and all(one.superseded_at is not None or one.valid_to is not None for one in own):
                held.ended = True
                yield Finding("two are one", step.number, f"{said.text!r} ended by {step.said[0].text!r}")

    def _given_later(self, step: Step) -> Iterator[Finding]:
        old, new = step.facts["who"], step.facts["new"]
        of_old = [one for one in self.oracle.here() if old in one.linked and one.label != step.said[0].label]
        if not of_old:
            return
        for name, wanted in ((new, of_old), (old, [step.said[0]])):
            try:
                hits = self.world.m.recall(name, k=1_000, token_budget=100_000)
                text = hits.as_text() + written(hits.notices)
            except MarsError as error:
                text = str(error)
            if not any(said.mark in text for said in wanted) and not (old in text and new in text):
                yield Finding("name given later", step.number, f"recall({name!r}) knows nothing by the other name")

    def _alike(self, step: Step) -> Iterator[Finding]:
        current: dict[str, set[str]] = {}
        for one in self.world.m.memories():
            if one.key and one.current:
                current.setdefault(self.fold(one.key), set()).add(one.key)
        for said in step.said:
            alike = current.get(self.fold(said.key or ""), set())
            if len(alike) > 1:
                yield Finding("alike keys", step.number, f"{sorted(alike)!r} are current together")

    def _bound(self, step: Step) -> Iterator[Finding]:
        """What the user says of a key has nothing of what an agent gave it that came first."""
        one = self.world.m.get(self.world.ids[step.said[0].label])
        if one is None:
            return
        given = {
            "an end": one.expires_at is not None,
            "a purpose": bool(one.purpose),
            "a region": one.jurisdiction is not None,
            "a sensitivity": one.sensitivity >= _HIGH,
            "a cardinality": one.cardinality is None or one.cardinality.value != "single",
            "a class": one.memory_class.value == "private",
            "no hold": not one.current,
        }
        for what in (what for what, is_so in given.items() if is_so):
            yield Finding("bound by another", step.number, f"{step.said[0].text!r} has {what}", what)

    # --- At the end -------------------------------------------------------------------------------------------------

    def at_end(self, number: int) -> Iterator[Finding]:
        """Look at everything once more, by every door."""
        self.world.at(number, "end")
        yield from self.present(number)
        if self.story.seed % 3 == 0 or any(step.does == "span" for step in self.story.steps):
            yield from self.altered(number)
        yield from self._doors(number)
        yield from self._spelled(number)
        if self.story.seed % 12 == 0:
            for report in (self.world.m.verify(), self.world.m.validate()):
                if not report.ok:
                    yield Finding("unsound", number, written(report)[:300])

    def _doors(self, number: int) -> Iterator[Finding]:
        words = self.oracle.gone_words()
        if not words:
            return
        names = {word for said in self.oracle.gone() for word in said.names if said.by == "user"}
        search = re.compile("|".join(sorted(map(re.escape, words))), re.IGNORECASE)
        for self.turn, (door, ask) in enumerate(DOORS.items()):
            if (self.story.seed + self.turn) % EVERY.get(door, 1):
                continue
            try:
                text = ask(self)
            except MarsError as error:
                text = str(error)
            for word in sorted({word.lower() for word in search.findall(text)}):
                is_name = word.capitalize() in names
                yield Finding("name stays" if is_name else "erased is told", number, f"{word} by {door}")

    def _spelled(self, number: int) -> Iterator[Finding]:
        for who in sorted({name for said in self.oracle.here() for name in said.subjects})[:1]:
            hits = self.world.m.retrieve("What was said?", subjects=[who.upper()], min_confidence=0)
            if not len(hits) and not hits.notices:
                yield Finding("spelled otherwise", number, f"retrieve(subjects=[{who.upper()!r}]) is empty in silence")

    @staticmethod
    def fold(key: str) -> str:
        """Return what keys that look alike have in common."""
        return unicodedata.normalize("NFKC", key).translate(_ALIKE).strip(" /").casefold()

    def export(self) -> str:
        """Return the full export as a text."""
        path = self.world.files / "end.nq"
        self.world.m.export(path)
        text = path.read_text(encoding="utf-8")
        path.unlink()
        return text

    def gone_ids(self) -> list[str]:
        """Return the ids of what was erased."""
        return [self.world.ids[said.label] for said in self.oracle.gone() if said.label in self.world.ids]

    def each(self, ask: Callable[[str], object]) -> str:
        """Return what is told of each erased memory by its id."""
        found = []
        for ident in self.gone_ids():
            try:
                found.append(written(ask(ident)))
            except MarsError as error:
                found.append(str(error))
        return "\n".join(found)

    def asked(self) -> str:
        """Return what questions about everybody in the story are answered."""
        found = []
        for person in self.story.people[:3]:
            hits = self.world.m.retrieve(f"What about {person.full}?", min_confidence=0, superseded=True, latent=True)
            found += [hits.as_text(), written(hits)]
            try:
                found.append(self.world.m.recall(person.full).as_text())
            except MarsError as error:
                found.append(str(error))
        return "\n".join(found)


#: Doors that only one story in so many is asked by: they are slow.
EVERY: Final = {"sparql": 16, "cypher": 5, "retrieve": 2, "explain": 2, "history": 2}
#: Every way to look at a store, by name.
DOORS: Final[dict[str, Callable[[Checks], str]]] = {
    "memories": lambda one: "\n".join(text for _, text in one.world.rows()),
    "entities": lambda one: "\n".join(map(written, one.world.m.entities.list())),
    "export": lambda one: one.export(),
    "get": lambda one: one.each(one.world.m.get),
    "history": lambda one: one.each(one.world.m.history),
    "explain": lambda one: one.each(one.world.m.explain),
    "retrieve": lambda one: one.asked(),
    "preferences": lambda one: "\n".join(map(written, one.world.m.preferences.list())),
    "cypher": lambda one: written(one.world.m.cypher("MATCH (n) WHERE n:Memory OR n:Entity RETURN n")),
    "sparql": lambda one: written(one.world.m.sparql("SELECT ?s ?p ?o { ?s ?p ?o }")),
}


# --- Two stores that differ in what is hidden -------------------------------------------------------------------


def answers(story: Story, world: World, *, counted: bool) -> dict[str, str]:
    """Return what a reader with a ceiling, and an agent with one, are answered at the end of a story."""
    questions: dict[str, Callable[[Any], object]] = {
        "entities": lambda who: list(who.entities.list()),
        "memories": lambda who: list(who.memories()),
    }
    for name in sorted({name for one in story.people for name in (one.full, one.first)})[:3]:
        questions |= _about(name)
    questions["all"] = lambda who: _prompt(who.retrieve("What was said?", k=500, token_budget=90_000, min_confidence=0))
    if counted:
        questions["sparql"] = lambda who: who.sparql(_COUNT)
    found = {}
    for who in ("reader", "helper")[story.seed % 2 :][:1]:
        for number, (name, ask) in enumerate(questions.items()):
            world.at(len(story.steps) + 400, f"{who} {number}")
            try:
                found[f"{who}: {name}"] = _plainly(written(ask(world.as_(who))))
            except MarsError as error:
                found[f"{who}: {name}"] = f"{type(error).__name__}: {error}"
    return found


def _about(name: str) -> dict[str, Callable[[Any], object]]:
    return {
        f"recall {name}": lambda who: _prompt(who.recall(name)),
        f"retrieve {name}": lambda who: _prompt(who.retrieve(f"What of {name}?", min_confidence=0)),
    }


def _prompt(hits: Any) -> list[object]:
    return [hits, hits.as_text(), hits.notices]


def _plainly(text: str) -> str:
    return re.sub(r"urn:mars:showing:[0-9a-f]{32}", "SHOWING", text)


def differing(story: Story, full: dict[str, str], without: dict[str, str]) -> Iterator[Finding]:
    """Compare what is told of two stores."""
    for question, answer in full.items():
        other = without[question]
        if answer != other:
            at = next((n for n, pair in enumerate(zip(answer, other, strict=False)) if pair[0] != pair[1]), 0)
            seen = f"{question}: …{answer[max(0, at - 60) : at + 60]} against …{other[max(0, at - 60) : at + 60]}"
            yield Finding("reader differs", len(story.steps), seen)
