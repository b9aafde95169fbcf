"""Lives drawn by a seed: what people tell an assistant, what becomes of it, and who is asked to be forgotten.

Drawing is weighted, as chance alone seldom says the full name, then the first name, then a namesake's. Each story has
a theme that says which steps come more often; which those are is :data:`THEMES`.
"""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any, Final

from tests.stories.calls import Built, Call, File, Now, Ref
from tests.stories.cast import Person, cast, word_text
from tests.stories.steps import Said, Step, Story, mark

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_FULL: Final = {
    "latin": (
        "{} works at the bank on the square near the {mark} bridge",
        "{} told me about the {mark} fair at the end of June",
        "{} repairs bikes in a shop behind the {mark} station",
        "{} sings in a choir on Tuesdays with the {mark} people",
        "{} keeps bees on the roof of the {mark} library in town",
    ),
    "cyrillic": (
        "{} работает в банке на площади у моста, слово {mark}",
        "{} поёт в хоре по вторникам, слово на сегодня {mark}",
    ),
    "greek": ("{} δουλεύει στην τράπεζα της πλατείας, η λέξη είναι {mark}",),
}
_FIRST: Final = {
    "latin": (
        "{} called about the loan for the {mark} boat this morning",
        "{} was late again because of the {mark} train on Monday",
        "{} said that the {mark} soup was far too salty for her",
    ),
    "cyrillic": ("{} звонила вчера вечером по поводу лодки, слово {mark}",),
    "greek": ("{} τηλεφώνησε χθες το βράδυ για το σκάφος, η λέξη {mark}",),
}
_TITLED: Final = (
    "Mrs. {} sent flowers for the {mark} feast on Sunday evening",
    "Dr. {} said that the {mark} pills are to be taken twice a day",
)
_NEGATED: Final = (
    "Please do not ever send my {mark} records to my employer or to anybody",
    "I am not to be called before nine about the {mark} delivery",
    "Never ring the neighbours when the {mark} alarm goes off at night",
)
_KEYED: Final = ("city", "job", "diet", "bank")
_TOPICS: Final = ("calls", "trains", "loans", "records", "music")
_RELATIONS: Final = ("brother", "boss", "neighbour", "dentist", "colleague", "cousin")
#: What an agent gives the value of a key; the last binds nothing.
_BINDING: Final[tuple[dict[str, Any], ...]] = (
    {"ttl": "1h"}, {"purpose": ["billing"]}, {"cardinality": "set"}, {"cardinality": "append"},
    {"memory_class": "private"}, {"sensitivity": 0.95}, {"jurisdiction": "US"}, {},
)  # fmt: skip
_LENGTHS: Final = (20,) * 9 + (30,)
#: One story in so many is a long life.
_LONG: Final = 150

#: How often a step is drawn, by theme; what a theme does not name has the weight of ``base``.
_BASE: Final[Mapping[str, int]] = {
    "tell_full": 8, "tell_short": 7, "tell_word": 2, "tell_pair": 1, "tell_linked": 2, "tell_fact": 2, "tell_no": 1,
    "tell_alias": 1, "tell_called": 1, "tell_nested": 1, "tell_item": 1, "learn_home": 1, "correct": 1, "end": 1,
    "wish": 1, "agent_tell": 1, "agent_span": 0, "agent_name": 1, "agent_flood": 0, "agent_key": 1, "agent_wish": 1,
    "marry": 0, "read": 1, "erase_entity": 2, "erase_subject": 1, "erase_session": 1, "erase_source": 1, "erase_id": 1,
    "retell": 2, "save": 0, "restore": 0, "export": 0, "load": 0, "import_again": 1, "maintain": 1,
    "hide_short": 0, "hide_full": 0, "hide_span": 0, "hide_end": 0, "hide_alias": 0, "hide_erase": 0,
    "agent_first": 0, "tell_second": 0,
}  # fmt: skip
THEMES: Final[Mapping[str, Mapping[str, int]]] = {
    "names": {"tell_short": 10, "tell_word": 9, "erase_entity": 4, "marry": 1},
    "retold": {"retell": 10, "erase_id": 5, "erase_entity": 3, "import_again": 3, "tell_alias": 4},
    "agent": {"agent_span": 4, "agent_name": 5, "agent_key": 4, "agent_wish": 3, "tell_no": 5, "tell_fact": 4},
    "flood": {"agent_flood": 3, "tell_no": 4, "erase_entity": 1, "tell_fact": 3},
    "hidden": {
        "hide_short": 5, "hide_full": 2, "hide_span": 3, "hide_end": 3, "hide_alias": 2, "hide_erase": 1,
        "tell_fact": 3, "import_again": 0, "agent_name": 0, "agent_tell": 0, "agent_key": 0,
        "agent_wish": 0, "learn_home": 0, "retell": 0,
    },
    "facts": {"learn_home": 8, "marry": 3, "tell_fact": 4, "end": 3, "correct": 3, "tell_nested": 4, "tell_item": 4},
    "keys": {"agent_first": 8, "tell_second": 10, "agent_key": 3, "tell_fact": 3},
    "files": {"save": 2, "restore": 2, "export": 2, "load": 2, "erase_entity": 3, "tell_alias": 3, "retell": 3},
}  # fmt: skip
_THEMES: Final = ("names", "names", "names", "retold", "retold", "agent", "agent", "hidden", "facts", "facts")
#: What comes at a fixed place among the seeds, as it costs more.
_RARE: Final = {7: "flood", 17: "files", 18: "keys"}


class Teller:
    """Draws one story; what was said so far is all that it looks at."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.chance = Random(f"story {seed}")
        rare = _RARE.get(seed % 20)
        self.theme = rare or self.chance.choice(_THEMES)
        self.people = cast(self.chance)
        self.steps: list[Step] = []
        self.said: list[Said] = []
        #: Who was told of by the full name, in order.
        self.known: list[Person] = []
        self.marks = 0
        self.spans: list[str] = []
        self.homes: list[tuple[str, str]] = []
        #: Keys to which an agent came first, and the user did not come yet.
        self.firsts: list[str] = []

    def story(self) -> Story:
        """Draw the story."""
        length = self.chance.choice(_LENGTHS)
        if self.seed % _LONG == _LONG - 1:
            length = self.chance.choice((100, 150, 200))
        weights = {**_BASE, **THEMES[self.theme]}
        # Whoever is to be forgotten has lived first.
        lived = length // 2
        while len(self.steps) < length:
            early = len(self.steps) < lived
            names = [one for one in weights if not (early and one.startswith(("erase", "retell", "restore", "load")))]
            name = self.chance.choices(names, [weights[one] for one in names])[0]
            if (step := getattr(self, name)()) is not None:
                self.steps.append(step)
                self.said += step.said
        return Story(self.seed, self.theme, tuple(self.people), tuple(self.steps), self._budget())

    def _budget(self) -> int:
        return 1_000 if self.theme == "flood" else 20_000

    # --- What steps are made of -------------------------------------------------------------------------------------

    def mark(self) -> str:
        self.marks += 1
        return mark(self.seed, self.marks)

    def step(self, does: str, *calls: Call, said: tuple[Said, ...] = (), hidden: bool = False, **facts: Any) -> Step:
        return Step(len(self.steps), does, calls, said, hidden, facts)

    @property
    def label(self) -> str:
        return f"s{len(self.steps)}"

    def remember(self, said: Said, who: str = "m", *, hidden: bool = False, **given: Any) -> Step:
        """Return the step that stores a text; what the oracle knows of it is given to the call as well."""
        options: dict[str, Any] = {}
        if said.session:
            options["session"] = said.session
        if said.source:
            options["source_ref"] = said.source
        if said.subjects:
            options["subjects"] = list(said.subjects)
        if said.key:
            options |= {"key": said.key, "kind": "semantic"}
        if hidden:
            options["sensitivity"] = 0.9
        call = Call(who, "remember", (said.text,), {**options, **given}, said.label)
        return self.step("remember", call, said=(said,), hidden=hidden)

    def somewhere(self) -> dict[str, Any]:
        """Return a session or a source for a text, or neither."""
        found = self.chance.random()
        if found < 0.3:
            return {"session": self.chance.choice(("monday", "tuesday"))}
        return {"source": self.chance.choice(("notes/1", "notes/2"))} if found < 0.45 else {}

    def text(self, person: Person, templates: Mapping[str, tuple[str, ...]], name: str, word: str) -> str:
        return self.chance.choice(templates[person.script]).format(name, mark=word)

    # --- What the user tells ----------------------------------------------------------------------------------------

    def someone(self) -> Person:
        """Return one of the people, rather one of whom something was told."""
        if self.known and self.chance.random() < 0.5:
            return self.chance.choice(self.known)
        return self.chance.choice(self.people)

    def full(self, person: Person, **more: Any) -> Said:
        word = self.mark()
        if person not in self.known:
            self.known.append(person)
        text = self.text(person, _FULL, person.full, word)
        return Said(self.label, text, word, about=((person.full, "full"),), **more)

    def tell_full(self) -> Step:
        return self.remember(self.full(self.someone(), **self.somewhere()))

    def short(self) -> Said | None:
        if not self.known:
            return None
        person, word = self.chance.choice(self.known), self.mark()
        how = self.chance.choice(("first", "first", "first", "titled", "listed"))
        if how == "first" or person.script != "latin":
            text, how = self.text(person, _FIRST, person.first, word), "first"
        elif how == "titled":
            text = self.chance.choice(_TITLED).format(person.last, mark=word)
        else:
            text = f"Guests at the table: {person.inverted}, and two from the {word} club"
        return Said(self.label, text, word, about=((person.full, how),))

    def tell_short(self) -> Step | None:
        said = self.short()
        return None if said is None else self.remember(said)

    def tell_word(self) -> Step | None:
        found = [text for one in self.people if (text := word_text(one)) is not None]
        if not found:
            return None
        (template, sort), word = self.chance.choice(found), self.mark()
        return self.remember(Said(self.label, template.format(mark=word), word, about=(("", sort),)))

    def tell_pair(self) -> Step | None:
        if len(self.people) < 2:
            return None
        one, other = self.chance.sample(self.people, 2)
        word = self.mark()
        self.known += [who for who in (one, other) if who not in self.known]
        text = f"{one.full} met {other.full} at the {word} market on a cold Saturday"
        return self.remember(Said(self.label, text, word, about=((one.full, "full"), (other.full, "full"))))

    def tell_linked(self) -> Step:
        """Tell of somebody as their subject or with a mention, by name or without it."""
        person = self.someone()
        said = self.full(person, **self.somewhere())
        if self.chance.random() < 0.3:
            text = f"She keeps the spare {said.mark} key under the third pot on the left"
            said = Said(said.label, text, said.mark)
        if self.chance.random() < 0.5:
            return self.remember(Said(**{**vars_of(said), "subjects": (person.full,)}))
        return self.remember(Said(**{**vars_of(said), "linked": (person.full,)}), mentions=[person.full])

    def tell_fact(self) -> Step:
        word = self.mark()
        key = self.chance.choice(_KEYED)
        text = f"My {key} is the {word} one since the first of March, as I told you"
        return self.remember(Said(self.label, text, word, key=key))

    def tell_no(self) -> Step:
        word = self.mark()
        return self.remember(Said(self.label, self.chance.choice(_NEGATED).format(mark=word), word, session="friday"))

    def tell_alias(self) -> Step:
        """Give somebody a second name that nothing else gives."""
        person, word = self.someone(), self.mark()
        alias = self.mark().capitalize()
        if person not in self.known:
            self.known.append(person)
        said = Said(self.label, f"A note on the {word} matter from the meeting of last week", word,
                    linked=(person.full,), names=(alias,))  # fmt: skip
        return self.remember(said, mentions=[Built("EntityRef", {"name": person.full, "aliases": (alias,)})])

    def tell_called(self) -> Step | None:
        """Tell of somebody by a second name that an earlier text gave.

        No hidden one: an erasure takes what it named, too, and what is gone is gone for every reader.
        """
        hidden = {said.label for step in self.steps if step.hidden for said in step.said}
        given = [said for said in self.said if said.names and said.by == "user" and said.label not in hidden]
        named = [(who, said.names[0]) for said in given for who in said.linked]
        if not named:
            return None
        (who, alias), word = self.chance.choice(named), self.mark()
        text = f"{alias} called about the loan for the {word} boat this morning"
        return self.remember(Said(self.label, text, word, about=((who, f"called {alias}"),)))

    def tell_nested(self) -> Step:
        """Name somebody where nobody looks: as a key of an object in the metadata."""
        person, word = self.someone(), self.mark()
        if person not in self.known:
            self.known.append(person)
        inner: dict[str, Any] = {person.full: {"seat": 4}}
        for name in self.chance.sample(("guests", "tables", "plan"), self.chance.randrange(3)):
            inner = {name: self.chance.choice((inner, [inner]))}
        said = Said(self.label, f"The seats at the {word} dinner are settled at last", word,
                    about=((person.full, "full"),), where="metadata")  # fmt: skip
        return self.remember(said, metadata=inner)

    def tell_item(self) -> Step:
        """Keep something under somebody's name in LangGraph's store."""
        person, word = self.someone(), self.mark()
        if person not in self.known:
            self.known.append(person)
        place, name = (
            (("users", person.full), f"prefs{word}") if self.chance.random() < 0.5 else (("users",), person.full)
        )
        said = Said(self.label, "", word, about=((person.full, "full"),), sort="item", where="an item")
        return self.step("item", Call("items", "put", (place, name, {"note": f"likes {word} tea"})), said=(said,))

    def learn_home(self) -> Step:
        """Learn where somebody lives whom the user has a relation to, often of one first name with another."""
        first = self.chance.choice([one.first for one in self.people if one.script == "latin"] or ["Tom"])
        known = [one for one in self.homes if one[0] == first]
        taken = [one[1] for one in known]
        if known and self.chance.random() < 0.3:
            relation = self.chance.choice(taken)
        else:
            relation = self.chance.choice([one for one in _RELATIONS if one not in taken] or list(_RELATIONS))
        if (first, relation) not in self.homes:
            self.homes.append((first, relation))
        word = self.mark()
        verb = self.chance.choice(("lives in", "moved to"))
        text = f"My {relation} {first} {verb} {word.capitalize()}."
        said = Said(self.label, text, word.capitalize(), about=((f"{relation} {first}", "kin"),))
        turn = [{"role": "user", "content": text}]
        return self.step("learn", Call("m", "learn", (turn,)), said=(said,), home=(relation, first))

    def marry(self) -> Step | None:
        """Give somebody of whom something was told with a mention another surname."""
        once = {step.facts[name] for step in self.steps if step.does == "marry" for name in ("who", "new")}
        told = [one for one in self.people if one.script == "latin" and one.full not in once]
        told = [one for one in told if any(one.full in said.linked and said.by == "user" for said in self.said)]
        if not told:
            return None
        person, word = self.chance.choice(told), self.mark()
        new = Person(f"{person.first} {self.mark().capitalize()}", person.first, "")
        text = f"{person.full} married and is called {new.full} now, said the {word} priest"
        said = Said(self.label, text, word, about=((person.full, "full"),), linked=(person.full,))
        given = Built("EntityRef", {"name": new.full, "aliases": (person.full,)})
        call = Call("m", "remember", (text,), {"mentions": [given]}, self.label)
        self.known += [one for one in (person, new) if one not in self.known]
        return self.step("marry", call, said=(said,), who=person.full, new=new.full)

    def correct(self) -> Step | None:
        found = [one for one in self.said if one.by == "user" and one.sort == "turn" and one.about and not one.names]
        found = [
            one for one in found if one.about[0][1] == "full" and " lives in " not in one.text and "My " not in one.text
        ]
        if not found:
            return None
        old, word = self.chance.choice(found), self.mark()
        text = old.text.replace(old.mark, word)
        said = Said(self.label, text, word, about=old.about, subjects=old.subjects, linked=old.linked,
                    session=old.session, source=old.source, key=old.key)  # fmt: skip
        if text == old.text:
            return None
        return self.step(
            "correct", Call("m", "update", (Ref(old.label), text), {}, self.label), said=(said,), old=old.label
        )

    def end(self) -> Step | None:
        keyed = [one for one in self.said if one.key and one.by == "user"]
        if not keyed:
            return None
        key = self.chance.choice(keyed).key
        return self.step("end", Call("m", "retract", (key,)), key=key)

    def wish(self) -> Step:
        return self.step("wish", Call("m", "learning.wish", (f"remember more about {self.chance.choice(_TOPICS)}",)))

    def read(self) -> Step:
        name = self.someone().first
        return self.step("read", Call("reader", "retrieve", (f"What about {name}?",), {"min_confidence": 0}))

    def maintain(self) -> Step:
        return self.step("maintain", Call("m", "maintain"))

    # --- What an agent does -----------------------------------------------------------------------------------------

    def agent_tell(self) -> Step:
        said = self.full(self.someone())
        return self.remember(Said(**{**vars_of(said), "by": "agent"}), "agent")

    def _users(self) -> list[Said]:
        return [one for one in self.said if one.by == "user" and one.sort == "turn" and one.text]

    def agent_span(self) -> Step | None:
        """Say that words of the user's turn say the agent's fact, and end the fact."""
        turns = [one for one in self._users() if any(no in one.text for no in ("not ever ", "not to ", "Never "))]
        return self._span(turns, "agent", hidden=False)

    def _span(self, turns: list[Said], who: str, *, hidden: bool) -> Step | None:
        if not turns:
            return None
        turn = self.chance.choice(turns)
        words = next((no for no in ("not ever ", "not to ", "Never ") if no in turn.text), turn.text)
        if self.chance.random() < 0.3:
            words = turn.text
        at, key = turn.text.index(words), f"scratch/{len(self.steps)}"
        draft: dict[str, Any] = {
            "ref": "r", "kind": "semantic", "content": f"a scratch note on {self.mark()}", "at": Now(), "key": key,
            "derives_from": (Ref(turn.label),), "spans": (Ref(turn.label, f"#char={at},{at + len(words)}"),),
        }  # fmt: skip
        draft |= {"sensitivity": 0.9} if hidden else {"source_type": "chat_assistant"}
        calls = (Call(who, "remember_many", ([Built("Draft", draft)],)), Call(who, "retract", (key,)))
        return self.step("span", *calls, hidden=hidden)

    def agent_name(self) -> Step | None:
        """Give one person's entity the name of another, or the part of it that both have."""
        if len(self.people) < 2:
            return None
        one, other = self.chance.sample(self.people, 2)
        alias = self.chance.choice((one.last, one.first, other.full))
        word = self.mark()
        said = Said(self.label, f"Noted for the {word} folder and the week that comes", word, by="agent",
                    linked=(one.full,), names=(alias,))  # fmt: skip
        mention = Built("EntityRef", {"name": one.full, "aliases": (alias,)})
        return self.remember(said, "agent", mentions=[mention])

    def agent_flood(self) -> Step:
        """Fill the budget with writes that nobody asked for."""
        word, how = self.mark(), self.chance.choice(("plain", "plain", "score", "pin"))
        more: dict[str, Any] = {"score": 100} if how == "score" else {"pin": True} if how == "pin" else {}
        filler = (
            "a long scratch note that nobody has asked for and that says nothing of any use to anyone " * 2 + "number"
        )
        drafts = [
            Built("Draft", {"ref": f"r{n}", "kind": "episodic", "content": f"{filler} {word} {n}", "at": Now(),
                            "source_type": "chat_assistant", **more})
            for n in range(25)
        ]  # fmt: skip
        return self.step("flood", Call("agent", "remember_many", (drafts,)), how=how)

    def agent_key(self) -> Step | None:
        """Store a value beside the user's, under a key that looks like the user's."""
        keyed = [one for one in self._users() if one.key]
        if not keyed:
            return None
        key, word = str(self.chance.choice(keyed).key), self.mark()
        alike = self.chance.choice(
            (key.capitalize(), key + " ", key + "\u200b", "/" + key, key.replace("c", "\u0441"), key.upper())
        )
        who, by = self.chance.choice((("agent", "agent"), ("m", "user")))
        said = Said(self.label, f"The {word} one it is, by what was found in the files", word, by=by, key=alike)
        return self.remember(said, who)

    def agent_first(self) -> Step:
        """Come first to a key, with what an agent may give its value."""
        word, key = self.mark(), f"house/{len(self.steps)}"
        given = {"kind": "semantic", "key": key, **self.chance.choice(_BINDING)}
        self.firsts.append(key)
        call = Call("agent", "remember", (f"The {word} one it seems to be, by the files",), given)
        return self.step("agent first", call)

    def tell_second(self) -> Step | None:
        """Say what a key holds to which an agent came first."""
        if not self.firsts:
            return None
        key, word = self.firsts.pop(self.chance.randrange(len(self.firsts))), self.mark()
        step = self.remember(Said(self.label, f"Ours is the {word} one, as you know by now", word, key=key))
        return replace(step, facts={**step.facts, "second": True})

    def agent_wish(self) -> Step:
        words = [word for word in _TOPICS if any(word[:-1] in one.text for one in self._users())]
        topic = self.chance.choice(words or list(_TOPICS))
        return self.step("wish of an agent", Call("agent", "learning.wish", (f"forget about {topic}",)))

    # --- What a reader with a ceiling may not see -------------------------------------------------------------------

    def hide_short(self) -> Step | None:
        said = self.short()
        return None if said is None else self.remember(said, hidden=True)

    def hide_full(self) -> Step:
        person, word = self.chance.choice(self.people), self.mark()
        text = self.text(person, _FULL, person.full, word)
        said = Said(self.label, text, word, about=((person.full, "full"),), key=self.chance.choice((None, "h/secret")))
        return self.remember(said, hidden=True)

    def hide_alias(self) -> Step | None:
        step = self.tell_alias()
        call = step.calls[0]
        call = Call(call.who, call.method, call.args, {**call.given, "sensitivity": 0.9}, call.keeps)
        return Step(step.number, step.does, (call,), step.said, hidden=True)

    def hide_span(self) -> Step | None:
        return self._span([one for one in self._users() if not one.key and not one.names], "m", hidden=True)

    def hide_end(self) -> Step:
        return self.step("end", Call("m", "retract", ("h/secret",)), hidden=True, key="h/secret")

    def hide_erase(self) -> Step | None:
        hidden = [said for step in self.steps if step.hidden for said in step.said]
        if not hidden:
            return None
        label = self.chance.choice(hidden).label
        return self.step("erase", Call("m", "erase", (), {"id": Ref(label)}), hidden=True, by="id", what=label)

    # --- Forgetting, and what comes after ---------------------------------------------------------------------------

    def erase_entity(self) -> Step | None:
        if not self.known:
            return None
        who = self.chance.choice(self.known).full
        return self.step("erase", Call("m", "erase", (), {"entity": who}, "receipt"), by="entity", who=who, what=who)

    def erase_subject(self) -> Step | None:
        named = [who for said in self.said for who in said.subjects]
        if not named:
            return None
        who = self.chance.choice(named)
        return self.step("erase", Call("m", "erase", (), {"subject": who}), by="subject", who=who, what=who)

    def erase_session(self) -> Step | None:
        return self._erase("session", [said.session for said in self.said if said.session])

    def erase_source(self) -> Step | None:
        return self._erase("source", [said.source for said in self.said if said.source])

    def _erase(self, by: str, found: list[str]) -> Step | None:
        if not found:
            return None
        what = self.chance.choice(found)
        return self.step("erase", Call("m", "erase", (), {by: what}), by=by, what=what)

    def erase_id(self) -> Step | None:
        corrected = {step.facts["old"] for step in self.steps if step.does == "correct"}
        corrected |= {said.label for step in self.steps if step.does == "correct" for said in step.said}
        hidden = {said.label for step in self.steps if step.hidden for said in step.said}
        plain = [one for one in self.said if one.sort == "turn" and one.label not in corrected | hidden]
        plain = [one for one in plain if not any(" lives in " in one.text or " moved to " in one.text for _ in "1")]
        if not plain:
            return None
        named = [one for one in plain if one.names]
        label = self.chance.choice(named if named and self.chance.random() < 0.4 else plain).label
        return self.step("erase", Call("m", "erase", (), {"id": Ref(label)}), by="id", what=label)

    def retell(self) -> Step | None:
        """Tell an erased text once more, in another spelling or by another door; the oracle says if it was erased."""
        if not any(step.does == "erase" for step in self.steps):
            return None
        likely = [one for step in self.steps if step.does == "erase" for one in self.said if _meant(step, one)]
        told = [one for one in likely if one.sort == "turn" and one.text]
        if not told:
            return None
        one = self.chance.choice(told)
        how = self.chance.choice(sorted(RETOLD))
        call = RETOLD[how](one.text, self.mark())
        return self.step("retell", call, how=how, mark=one.mark, label=one.label)

    def import_again(self) -> Step:
        """Import a turn, or one of before, as a file of a conversation has it."""
        again = [step for step in self.steps if step.does == "import" and step.said]
        if again and self.chance.random() < 0.5:
            step = self.chance.choice(again)
            return self.step("import", *step.calls, said=(), again=step.said[0].label)
        said = self.full(self.someone(), session="chat/1")
        draft = {"ref": "r", "kind": "episodic", "content": said.text, "at": Now(), "session": "chat/1",
                 "identity": f"turn {said.mark}"}  # fmt: skip
        return self.step("import", Call("m", "remember_many", ([Built("Draft", draft)],)), said=(said,))

    def save(self) -> Step:
        name = f"save{len(self.steps)}.mars"
        return self.step("save", Call("m", "snapshots.save", (File(name),)), file=name)

    def restore(self) -> Step | None:
        saved = [step.facts["file"] for step in self.steps if step.does == "save"]
        if not saved:
            return None
        name = self.chance.choice(saved)
        return self.step("restore", Call("m", "snapshots.load", (File(name),)), file=name)

    def export(self) -> Step:
        name = f"export{len(self.steps)}.nq"
        return self.step("export", Call("m", "export", (File(name),)), file=name)

    def load(self) -> Step | None:
        saved = [step.facts["file"] for step in self.steps if step.does == "export"]
        if not saved:
            return None
        name = self.chance.choice(saved)
        return self.step("load", Call("m", "load", (File(name),)), file=name)


def vars_of(said: Said) -> dict[str, Any]:
    """Return the fields of what was said."""
    return {name: getattr(said, name) for name in Said.__dataclass_fields__}


def _meant(step: Step, said: Said) -> bool:
    """Return whether an erasure was likely about a text: what comes of it is the oracle's to say."""
    by, what = step.facts["by"], step.facts["what"]
    if by == "entity":
        return any(who == what and how == "full" for who, how in said.about) or what in said.linked
    return bool(what in said.subjects or what in {said.session, said.source, said.label})


def _put(text: str, word: str) -> Call:
    return Call("items", "put", (("notes",), word, {"t": text}))


#: Ways to tell a text again, each by name: other spellings of the content, other fields, other doors.
RETOLD: Final[Mapping[str, Callable[[str, str], Call]]] = {
    "as it was": lambda text, _: Call("m", "remember", (text,)),
    "in capitals": lambda text, _: Call("m", "remember", (text.upper(),)),
    "with other blanks": lambda text, _: Call("m", "remember", (text.replace(" ", "\u00a0 "),)),
    "with what is not seen": lambda text, _: Call("m", "remember", (text.replace("e", "e\u200b"),)),
    "with a speaker": lambda text, _: Call("m", "remember", (f"Ilse: {text}",)),
    "as an answer": lambda text, _: Call("m", "remember", (f"Re: {text}",)),
    "in markup": lambda text, _: Call("m", "remember", (f"<p>{text}</p>",)),
    "with a face": lambda text, _: Call("m", "remember", (f"{text} 🙂",)),
    "with marks": lambda text, _: Call("m", "remember", (f"{text}!!!",)),
    "learned": lambda text, _: Call("m", "learn", ([{"role": "user", "content": text}],)),
    "by the agent": lambda text, _: Call("agent", "remember", (text,)),
    "imported": lambda text, w: Call("m", "remember_many", (
        [Built("Draft", {"ref": "r", "kind": "episodic", "content": text, "at": Now(), "identity": w})],)),
    "in metadata": lambda text, w: Call("m", "remember", (f"harmless {w}",), {"metadata": {"t": text}}),
    "deep in metadata": lambda text, w: Call("m", "remember", (f"harmless {w}",), {"metadata": {"a": [{"b": text}]}}),
    "as a key of metadata": lambda text, w: Call("m", "remember", (f"harmless {w}",), {"metadata": {text: 1}}),
    "in the payload": lambda text, w: Call("m", "remember", (f"harmless {w}",), {"payload": {"event": text}}),
    "in the context": lambda text, w: Call("m", "remember", (f"harmless {w}",), {"payload": {"context": text}}),
    "as key": lambda text, w: Call("m", "remember", (f"harmless {w}",), {"key": text, "kind": "semantic"}),
    "as session": lambda text, w: Call("m", "remember", (f"harmless {w}",), {"session": text}),
    "as source": lambda text, w: Call("m", "remember", (f"harmless {w}",), {"source_ref": text}),
    "as tag": lambda text, w: Call("m", "remember", (f"harmless {w}",), {"intent_tags": [text]}),
    "as purpose": lambda text, w: Call("m", "remember", (f"harmless {w}",), {"purpose": [text]}),
    "as subject": lambda text, w: Call("m", "remember", (f"harmless {w}",), {"subjects": [text]}),
    "as a name": lambda text, w: Call("m", "remember", (f"harmless {w}",), {"mentions": [text]}),
    "as an alias": lambda text, w: Call("m", "remember", (f"harmless {w}",), {
        "mentions": [Built("EntityRef", {"name": f"Zed {w.capitalize()}", "aliases": (text,)})]}),
    "as a wish": lambda text, _: Call("m", "learning.wish", (f"remember more about {text}",)),
    "in an item": _put,
    "as an item's name": lambda text, w: Call("items", "put", (("notes",), text, {"t": w})),
    "as a namespace": lambda text, w: Call("items", "put", ((text.replace(".", ""),), w, {"t": w})),
}  # fmt: skip


def told(seed: int) -> Story:
    """Return the story of a seed."""
    return Teller(seed).story()


def as_json(story: Story) -> str:
    """Return a story's plain data, for whoever compares two drawings."""
    return json.dumps([story.seed, story.theme, story.told()], ensure_ascii=False)
