"""Attempts that take several steps in a store of their own: grants, private mode, erasure, consents, clocks, tenants.

On the full side a secret is stored, on the other nothing or something else that is hidden in the same way. Whoever
comes is told the same on both.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from marskg.errors import ErasedContentRefused
from tests.redteam.attempt import Book
from tests.redteam.stage import MINUTE, hidden_id

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from marskg.memory import AgentMemory
    from tests.redteam.stage import Side

WORD: Final = "zqsaffron"
OTHER: Final = "zqtamarind"
LONG: Final = "Bob Dahl keeps the zqsaffron in a locker by the old station"
DAY: Final = 86_400_000
BOT: Final = "reader:bot?ceiling=0.3"
_ANN: Final = "subject:Ann%20Lee?ceiling=0.3"


def attempts() -> Book:
    book = Book()
    _grants(book)
    _private_mode(book)
    _erased(book)
    _own_that_is_hidden(book)
    _consents(book)
    _clocks(book)
    _regions(book)
    _tenants(book)
    _use(book)
    _accounts(book)
    return book


def secret(side: Side) -> str:
    """Return what is hidden on this side: two words of equal length and weight."""
    return WORD if side.full else WORD[:2] + "".join(sorted(WORD[2:]))


def held(side: Side, **given: Any) -> AgentMemory:
    """Open a tenant with a hidden memory about Bob Dahl and one about Ann Lee."""
    memory = side.fresh(**given)
    fields: dict[str, Any] = {"kind": "semantic", "sensitivity": 0.9}
    memory.remember(f"Bob Dahl hides {secret(side)}", subjects=["Bob Dahl"], id=hidden_id("fact"), **fields)
    memory.remember("Ann Lee is ill", subjects=["Ann Lee"], id=hidden_id("turn"), **fields)
    memory.remember("Bob Dahl is here", kind="semantic", subjects=["Bob Dahl"], id=hidden_id("new"))
    return memory


# --- Grants -----------------------------------------------------------------------------------------------------------


def _grants(book: Book) -> None:
    def forged(change: Callable[[str], str], side: Side) -> object:
        memory = held(side)
        given = memory.privacy.grant("reader:bot", ceiling=0.95, calls=None)
        return side.as_(BOT, memory).retrieve("what does Bob Dahl hide?", grant=change(given.id))

    changes: Mapping[str, Callable[[str], str]] = {
        "last digit": lambda ident: ident[:-1] + ("0" if ident[-1] != "0" else "1"),
        "upper case": str.upper,
        "another record": lambda ident: f"{int(ident.partition('-')[0], 16) ^ 3:012x}-{ident.partition('-')[2]}",
        "no record": lambda ident: f"{'0' * 12}-{ident.partition('-')[2]}",
        "half": lambda ident: ident[:-16],
        "twice": lambda ident: f"{ident} {ident}",
        "nothing": lambda _: "",
        "full width": lambda ident: "".join(chr(ord(one) + 0xFEE0) if one.isdigit() else one for one in ident),
    }
    for name, change in changes.items():
        ends = "NotPermitted"
        book.add(
            "privacy.grant",
            "reader",
            "a grant altered",
            ends,
            partial(forged, change),
            words=(WORD,),
            server=name == "half",
        )

    def used(first: Callable[[Side, AgentMemory, str], object], side: Side) -> object:
        """Spend or outlast a grant that was good for one reading about Ann Lee in ten minutes."""
        memory = held(side)
        given = memory.privacy.grant("reader:bot", ceiling=0.95, subjects=["Ann Lee"])
        found = first(side, memory, given.id)
        return found, side.as_(BOT, memory).retrieve("what does Bob Dahl hide?", grant=given.id)

    def read(side: Side, memory: AgentMemory, ident: str) -> object:
        return side.as_(BOT, memory).retrieve("who is ill?", grant=ident)

    def wait(side: Side, memory: AgentMemory, _: str) -> object:
        return side.clock(memory).advance(10 * MINUTE)

    def back(side: Side, memory: AgentMemory, ident: str) -> object:
        wait(side, memory, ident)
        memory.remember("the clock is recorded", kind="semantic", id=hidden_id("old"))
        return side.clock(memory).advance(-10 * MINUTE)

    for technique, first in (("a grant used up", read), ("a grant that is over", wait), ("clock moved back", back)):
        book.add("privacy.grant", "reader", technique, "NotPermitted", partial(used, first), words=(WORD,), server=True)

    def limited(side: Side) -> object:
        memory = held(side)
        given = memory.privacy.grant("reader:bot", ceiling=0.95, subjects=["Ann Lee"], calls=None)
        bot = side.as_(f"{BOT}&grant={given.id}", memory)
        return [
            bot.retrieve("what does Bob Dahl hide?"),
            list(bot.memories()),
            bot.read_all(),
            bot.stats(),
            bot.get(hidden_id("fact")),
            bot.sparql("SELECT ?o { ?s mars:content ?o } ORDER BY ?o").rows,
        ]

    book.add("privacy.grant", "reader", "a grant about somebody else", "told", limited, words=(WORD,), server=True)

    def theirs(who: str, to: str, side: Side) -> object:
        memory = held(side)
        given = memory.privacy.grant(to, ceiling=0.95, calls=None)
        return side.as_(who, memory).retrieve("what does Bob Dahl hide?", grant=given.id)

    for who, to in (
        (BOT, "reader:other"),
        ("reader:Bot?ceiling=0.3", "reader:bot"),
        ("reader:bot%20?ceiling=0.3", "reader:bot"),
        ("subject:bot", "reader:bot"),
        ("reader?ceiling=0.3", "reader:bot"),
        ("controller:bot?ceiling=0.3", "reader:bot"),
    ):
        book.add(
            "privacy.grant", "reader", "somebody else's grant", "NotPermitted", partial(theirs, who, to), words=(WORD,)
        )

    def narrow(side: Side) -> object:
        memory = held(side)
        memory.remember(
            f"Ann Lee pays {secret(side)}",
            kind="semantic",
            sensitivity=0.9,
            purpose=["billing"],
            id=hidden_id("purpose"),
        )
        given = memory.privacy.grant("reader:bot", ceiling=1.0, calls=None)
        return side.as_("reader:bot?ceiling=0.3&subject=Ann%20Lee", memory).retrieve(
            "Ann Lee is ill and pays", grant=given.id
        )

    book.add("privacy.grant", "reader", "a purpose through a grant", "told", narrow, words=(WORD,))

    def of_a_subject(side: Side) -> object:
        memory = held(side)
        given = side.as_("subject:Ann%20Lee", memory).privacy.grant("reader:bot", ceiling=1.0, calls=None)
        return side.as_(BOT, memory).retrieve("what does Bob Dahl hide?", k=50, grant=given.id)

    book.add("privacy.grant", "subject", "a grant about somebody else", "told", of_a_subject, words=(WORD,))

    def of_two(who: str, side: Side) -> object:
        memory = held(side)
        memory.remember(
            f"Ann Lee and Bob Dahl share {secret(side)}",
            kind="semantic",
            sensitivity=0.9,
            subjects=["Ann Lee", "Bob Dahl"],
            id=hidden_id("needs"),
        )
        given = side.as_(who, memory).privacy.grant("reader:bot", ceiling=1.0, subjects=["Ann Lee"], calls=None)
        bot = side.as_(f"{BOT}&grant={given.id}", memory)
        return [
            bot.retrieve("what do they share?", k=50),
            list(bot.memories()),
            bot.get(hidden_id("needs")),
            bot.stats(),
        ]

    for role, who in (("subject", "subject:Ann%20Lee"), ("reader", "operator")):
        book.add("privacy.grant", role, "what is about others too", "told", partial(of_two, who), words=(WORD,))

    def by_digest(side: Side) -> object:
        memory = held(side)
        given = memory.privacy.grant("reader:bot", ceiling=1.0, calls=None)
        said = " ".join(text for record in memory.audit.records(log="accesses") for text in record.details)
        digest = said.split("grant.digest=")[1][:32]
        return side.as_(BOT, memory).retrieve("hide?", grant=f"{given.id.partition('-')[0]}-{digest}")

    book.add(
        "privacy.grant", "reader", "the digest in the log for the secret", "NotPermitted", by_digest, words=(WORD,)
    )


# --- Private mode -----------------------------------------------------------------------------------------------------


def _private_mode(book: Book) -> None:
    def after(door: Callable[[Any], object], end: str, side: Side) -> object:
        memory = side.fresh()
        memory.remember(f"Bob Dahl hides {secret(side)}", kind="semantic")
        mode = memory.privacy.private_mode("30m", keep=True)
        mode.remember(f"Bob Dahl also hides {secret(side)}", kind="semantic")
        if end == "closed":
            mode.close()
        else:
            side.clock(memory).advance((30 if end == "over" else 31) * MINUTE)
        if end == "clock back":
            memory.remember("the clock is recorded", kind="semantic", id=hidden_id("old"))
            side.clock(memory).advance(-31 * MINUTE)
        return door(mode)

    doors: Mapping[str, Callable[[Any], object]] = {
        "retrieve": lambda mode: mode.retrieve("what does Bob Dahl hide?"),
        "recall": lambda mode: mode.recall("Bob Dahl"),
        "read_all": lambda mode: mode.read_all(),
        "profile": lambda mode: mode.profile("Bob Dahl"),
        "get": lambda mode: mode.get(hidden_id("fact")),
        "history": lambda mode: mode.history(hidden_id("fact")),
        "explain": lambda mode: mode.explain(hidden_id("fact")),
        "remember": lambda mode: mode.remember("hush"),
    }
    for name, door in doors.items():
        for end in ("over", "closed", "clock back"):
            technique = {"over": "after its time", "closed": "after its end", "clock back": "clock moved back"}[end]
            book.add(
                "privacy.private_mode",
                "operator",
                technique,
                "NotPermitted",
                partial(after, door, end),
                words=(WORD,),
                server=name == "retrieve",
            )

    def kept(look: Callable[[AgentMemory], object], end: str, side: Side) -> object:
        """What was kept for the mode is gone when it is over, whoever looks."""
        memory = side.fresh()
        mode = memory.privacy.private_mode("30m", keep=True)
        for _ in range(2 if side.full else 0):
            mode.remember(f"Bob Dahl hides {WORD}", kind="semantic", subjects=["Bob Dahl"])
        if end == "closed":
            mode.close()
        else:
            side.clock(memory).advance(30 * MINUTE)
        return look(memory)

    looks: Mapping[str, Callable[[AgentMemory], object]] = {
        "retrieve": lambda memory: memory.retrieve("Bob Dahl", latent=True, superseded=True),
        "read_all": lambda memory: memory.read_all(latent=True, superseded=True, closed=True),
        "profile": lambda memory: memory.profile("Bob Dahl", latent=True, superseded=True, closed=True),
        "memories": lambda memory: memory.maintenance.expire() * 0 or [one.content for one in memory.memories()],
        "sparql": lambda memory: (
            memory.maintenance.expire() * 0 or memory.sparql("SELECT ?c { ?s mars:content ?c }").rows
        ),
    }
    for name, look in looks.items():
        for end in ("closed", "over"):
            technique = "what was kept, after its end" if end == "closed" else "what was kept, after its time"
            book.add(
                "privacy.private_mode",
                "operator",
                technique,
                "nothing",
                partial(kept, look, end),
                words=(WORD,),
                paired=name not in {"memories", "sparql"},
            )

    def outlasting(given: Mapping[str, Any], side: Side) -> object:
        memory = side.fresh()
        with memory.privacy.private_mode("30m", keep=True) as mode:
            return mode.remember(f"Bob Dahl hides {secret(side)}", **given)

    for given in (
        {"pin": True},
        {"ttl": "9d"},
        {"session": "s"},
        {"key": "k"},
        {"expires_at": 1 << 50},
        {"memory_class": "canonical"},
    ):
        book.add(
            "privacy.private_mode",
            "operator",
            "fields that outlast it",
            "NotPermitted",
            partial(outlasting, given),
            words=(WORD,),
        )


# --- What was erased --------------------------------------------------------------------------------------------------


def _erased(book: Book) -> None:
    def gone(memory: AgentMemory, side: Side) -> None:
        """Store the secret in many forms, and erase it."""
        if not side.full:
            memory.erase(session="s0")
            return
        first = memory.remember(LONG, subjects=["Bob Dahl"], session="s0", mentions=[WORD], key=f"locker/{WORD}")
        memory.remember(LONG, subjects=["Bob Dahl"], session="s0")
        memory.remember(f"So {WORD} is by the station", kind="semantic", derives_from=[first.id], session="s0")
        memory.erase(session="s0")

    looks: Mapping[str, Callable[[Side, AgentMemory], object]] = {
        "retrieve": lambda _, memory: memory.retrieve("locker by the station", latent=True, superseded=True, k=50),
        "nearest by meaning": lambda _, memory: memory.retrieve("a box for luggage at a train stop", latent=True),
        "read_all": lambda _, memory: memory.read_all(latent=True, superseded=True, closed=True, unaffirmed=True),
        "profile": lambda _, memory: memory.profile("Bob Dahl", latent=True, superseded=True, unaffirmed=True),
        "memories": lambda _, memory: [one.content for one in memory.memories()],
        "entities.list": lambda _, memory: [one.name for one in memory.entities.list()],
        "sparql": lambda _, memory: memory.sparql("SELECT ?o { ?s ?p ?o FILTER(isLiteral(?o)) } ORDER BY STR(?o)").rows,
        "cypher": lambda _, memory: (
            memory.cypher(
                "MATCH (n) WHERE n.ref STARTS WITH $t RETURN properties(n) AS p", {"t": f"{memory.tenant}|"}
            ).rows
        ),
        "audit.records": lambda _, memory: [
            (one.details, one.memories) for log in ("transitions", "accesses") for one in memory.audit.records(log=log)
        ],
        "export": lambda side, memory: _exported(side, memory, "out.jsonld", audit=True),
        "snapshots.save": _snapshot,
        "learning.review": lambda _, memory: memory.learning.review(),
        "privacy.report": lambda _, memory: memory.privacy.report("Bob Dahl"),
        "stats": lambda _, memory: {name: memory.stats()[name] for name in ("live", "latent", "weight", "by_kind")},
        "plan": lambda _, memory: memory.plan(policy="fifo", budget=0).actions,
    }
    for name, look in looks.items():

        def found(look: Callable[[Side, AgentMemory], object], side: Side) -> object:
            memory = side.fresh(entities__recognise="on", embedding__model="static")
            memory.remember("Ann Lee keeps a box at the station", kind="semantic", id=hidden_id("old"))
            gone(memory, side)
            return look(side, memory)

        compared = name in {"stats", "entities.list", "learning.review"}
        book.add(
            name.replace("nearest by meaning", "retrieve"),
            "operator",
            "what was erased",
            "told",
            partial(found, look),
            words=(WORD,),
            paired=compared,
            server=name in {"sparql", "cypher"},
        )

    def again(how: Callable[[Side, AgentMemory, str], object], side: Side) -> object:
        memory = side.fresh()
        first = memory.remember(LONG, subjects=["Bob Dahl"], kind="semantic")
        path = side.file("early.nq")
        memory.export(path)
        memory.erase(id=first.id)
        return how(side, memory, str(path))

    def probing(said: Mapping[str, Any], side: Side) -> object:
        """Ask whether something was erased, when that was told too often: on one side it was, on the other not."""
        memory = side.fresh(suppression__hits=2)
        first = memory.remember("What is erased for certain, and known by everybody here", kind="semantic")
        memory.remember(LONG if side.full else LONG.replace("old", "new"), kind="semantic", id=hidden_id("fact"))
        memory.remember("about her", subjects=["Orla Finch" if side.full else "Orla Winch"], id=hidden_id("about"))
        memory.erase(id=hidden_id("fact"))
        memory.erase(subject="Orla Finch" if side.full else "Orla Winch")
        memory.erase(id=first.id)
        for _ in range(2):
            with suppress(ErasedContentRefused):
                memory.remember(str(first.content), kind="semantic")
        return memory.remember(**{"kind": "semantic", **said})

    asked: tuple[dict[str, Any], ...] = (
        {"content": LONG},
        {"content": LONG.upper()},
        {"content": "hello", "subjects": ["Orla Finch"]},
        {"content": LONG, "subjects": ["Orla Finch"]},
    )
    for said in asked:
        book.add(
            "remember",
            "operator",
            "asking whether it was erased",
            "ProbingRefused",
            partial(probing, said),
            words=(),
            server=True,
        )
    ways: Mapping[str, tuple[Callable[[Side, AgentMemory, str], object], str]] = {
        "as it was": (lambda _, memory, __: memory.remember(LONG, subjects=["Bob Dahl"]), "ErasedContentRefused"),
        "upper case": (
            lambda _, memory, __: memory.remember(LONG.upper(), subjects=["Bob Dahl"]),
            "ErasedContentRefused",
        ),
        "spaces": (
            lambda _, memory, __: memory.remember(f"  {LONG.replace(' ', '  ')}\n", subjects=["Bob Dahl"]),
            "ErasedContentRefused",
        ),
        "zero width": (
            lambda _, memory, __: memory.remember(LONG.replace("zq", "z\u200bq"), subjects=["Bob Dahl"]),
            "ErasedContentRefused",
        ),
        "full width": (
            lambda _, memory, __: memory.remember(LONG.replace("z", "\uff5a"), subjects=["Bob Dahl"]),
            "ErasedContentRefused",
        ),
        "a new version": (_new_version, "ErasedContentRefused"),
        "an old export": (lambda _, memory, path: memory.load(path), "ErasedContentRefused"),
        "many": (lambda _, memory, __: _many(memory), "ErasedContentRefused"),
        "restored": (lambda _, memory, __: memory.restore(hidden_id("fact")), "UnknownMemory"),
    }
    for name, (how, ends) in ways.items():
        book.add(
            "remember"
            if name not in {"an old export", "restored"}
            else name.split()[-1].replace("restored", "restore").replace("export", "load"),
            "operator",
            f"erased, and stored again: {name}",
            ends,
            partial(again, how),
            words=(WORD,),
            server=name == "an old export",
        )


def _exported(side: Side, memory: AgentMemory, name: str, **given: Any) -> str:
    path = side.file(name)
    memory.export(path, **given)
    return path.read_text("utf-8")


def _snapshot(side: Side, memory: AgentMemory) -> object:
    """Restore a snapshot that was saved after the erasure into the tenant, and read all of it."""
    path = side.file("late.mars")
    memory.snapshots.save(path)
    memory.snapshots.load(path)
    return [one.content for one in memory.memories()], [one.name for one in memory.entities.list()]


def _new_version(_: Side, memory: AgentMemory, __: str) -> object:
    other = memory.remember("Bob Dahl is by the station", subjects=["Bob Dahl"], kind="semantic")
    return memory.update(other.id, LONG)


def _many(memory: AgentMemory) -> object:
    from marskg.drafts import Draft  # noqa: PLC0415
    from marskg.ontology.vocabulary import Kind  # noqa: PLC0415

    return memory.remember_many(
        [Draft(ref="one", kind=Kind.EPISODIC, content=LONG, at=memory.now(), subjects=("Bob Dahl",))], atomic=True
    )


# --- Consents ---------------------------------------------------------------------------------------------------------


def _own_that_is_hidden(book: Book) -> None:
    """Ask for what is about oneself, of which the limits of the credential hide some."""

    def theirs(side: Side) -> AgentMemory:
        memory = side.fresh(entities__recognise="on")
        given: dict[str, Any] = {"kind": "semantic", "subjects": ["Ann Lee"], "session": "s9", "source_ref": "file/9"}
        memory.remember("Ann Lee likes green tea", id=hidden_id("old"), **given)
        if side.full:
            first = memory.remember(f"Carl Zeiss treats {WORD}", id=hidden_id("fact"), sensitivity=0.9, **given)
            memory.remember(f"It is about {OTHER}", id=hidden_id("purpose"), purpose=["billing"], **given)
            memory.remember(f"So {OTHER} it is", id=hidden_id("new"), sensitivity=0.9, derives_from=[first.id])
        return memory

    def matched(given: Mapping[str, str], side: Side) -> object:
        return side.as_(_ANN, theirs(side)).privacy.match_erasure(**given)

    def erased(given: Mapping[str, str], side: Side) -> object:
        """Return what a receipt says, but for what is drawn or the time of this erasure."""
        ann = side.as_(_ANN, theirs(side))
        receipt = ann.erase(**given)
        drawn = {"id", "proof", "recordedAt"}
        document = {name: value for name, value in receipt.document.items() if name not in drawn}
        return replace(receipt, id="", recorded_at=0, document=document), ann.stats()

    for given in (
        {"subject": "Ann Lee"},
        {"session": "s9"},
        {"source": "file/9"},
        {"entity": "Carl Zeiss"},
        {"id": hidden_id("fact")},
    ):
        words = tuple(word for word in (WORD, OTHER, "carl", "zeiss") if word.title() not in str(given))
        for door, act in (("privacy.match_erasure", matched), ("erase", erased)):
            book.add(door, "subject", "one's own that is hidden", "told", partial(act, given), words=words)


def _consents(book: Book) -> None:
    def read(before: Callable[[Side, AgentMemory], object], who: str, side: Side) -> object:
        memory = side.fresh()
        memory.remember(
            f"Bob Dahl tells {secret(side)} for care",
            kind="semantic",
            subjects=["Bob Dahl"],
            purpose=["care"],
            id=hidden_id("fact"),
        )
        before(side, memory)
        return side.as_(who, memory).retrieve("what does Bob Dahl tell?", k=20)

    care = "reader:bot?ceiling=0.3&purpose=care"

    def ending(side: Side, memory: AgentMemory) -> None:
        memory.preferences.consent("Bob Dahl", "care", until=memory.now() + 60 * MINUTE)
        side.clock(memory).advance(60 * MINUTE)

    def ended(side: Side, memory: AgentMemory) -> None:
        ending(side, memory)
        memory.remember("the clock is recorded", kind="semantic", id=hidden_id("old"))
        side.clock(memory).advance(-30 * MINUTE)

    def withdrawn(_: Side, memory: AgentMemory) -> None:
        memory.preferences.consent("Bob Dahl", "care")
        memory.preferences.withdraw("Bob Dahl", "care")

    def whole(_: Side, memory: AgentMemory) -> None:
        memory.preferences.consent("Bob Dahl")
        memory.preferences.consent("Bob Dahl", "care")
        memory.preferences.withdraw("Bob Dahl", "care")

    def of_another(_: Side, memory: AgentMemory) -> None:
        memory.preferences.set("consent_required", "care", subject="Bob Dahl")
        memory.preferences.consent("Carl Moe", "care")
        memory.preferences.consent("bob dahl", "care")

    def for_another(_: Side, memory: AgentMemory) -> None:
        memory.preferences.set("consent_required", "care")
        memory.preferences.consent("Bob Dahl", "billing")

    def opted_out(_: Side, memory: AgentMemory) -> None:
        memory.preferences.consent("Bob Dahl", "care")
        memory.preferences.set("opt_out_purpose", "care", subject="Bob Dahl")

    cases: Mapping[str, Callable[[Side, AgentMemory], object]] = {
        "a consent that ended": ending,
        "clock moved back": ended,
        "a consent that was withdrawn": withdrawn,
        "a consent to anything for one that was withdrawn": whole,
        "somebody else's consent": of_another,
        "a consent for another purpose": for_another,
        "an opt-out beside a consent": opted_out,
    }
    for technique, before in cases.items():
        book.add("retrieve", "reader", technique, "nothing", partial(read, before, care), words=(WORD,), server=True)

    def erased(purposes: list[str], consent: str | None, side: Side) -> object:
        """Store about an erased subject, with a consent that is for something else."""
        memory = side.fresh()
        memory.remember(f"Bob Dahl hides {secret(side)}", subjects=["Bob Dahl"])
        memory.erase(subject="Bob Dahl")
        if consent is not None:
            memory.preferences.consent("Bob Dahl", consent, until=memory.now() + 60 * MINUTE)
        if consent == "ended":
            side.clock(memory).advance(61 * MINUTE)
        return memory.remember("Bob Dahl is here", subjects=["Bob Dahl"], purpose=purposes)

    for purposes, consent in (
        (["care"], None),
        (["care"], "billing"),
        ([], "care"),
        (["care", "billing"], "care"),
        (["ended"], "ended"),
    ):
        book.add(
            "remember",
            "operator",
            "consent replayed after erasure",
            "ConsentRequired",
            partial(erased, purposes, consent),
            words=(WORD,),
        )

    def hidden_by(rule: tuple[str, str | None, dict[str, Any]], who: str, side: Side) -> object:
        memory = side.fresh()
        name, target, given = rule
        memory.preferences.set(name, target, **given)
        memory.remember(
            f"Bob Dahl said {secret(side)}",
            kind="semantic",
            subjects=["Bob Dahl"],
            jurisdiction="EU",
            id=hidden_id("fact"),
        )
        bot = side.as_(who, memory)
        return [bot.retrieve("what was said?"), list(bot.memories()), bot.stats(), bot.read_all(subjects=["Bob Dahl"])]

    rules: tuple[tuple[str, tuple[str, str | None, dict[str, Any]], str], ...] = (
        ("a private entity", ("private_entity", "Bob Dahl", {"level": 0.9}), BOT),
        ("a reading region", ("reading_regions", "EU", {"regions": ["EU"]}), f"{BOT}&jurisdiction=US"),
        (
            "a reading region",
            ("reading_regions", "EU", {"regions": ["EU"], "subject": "Bob Dahl"}),
            f"{BOT}&jurisdiction=US",
        ),
        ("an opt-out of all", ("opt_out_purpose", "care", {}), care),
        ("consent that is required", ("consent_required", "care", {"subject": "Bob Dahl"}), care),
    )
    for technique, rule, who in rules:
        book.add("preferences.list", "reader", technique, "told", partial(hidden_by, rule, who), words=(WORD,))


# --- Clocks, tenants, use ---------------------------------------------------------------------------------------------


def _clocks(book: Book) -> None:
    def past(look: Callable[[Side, AgentMemory], object], side: Side) -> object:
        memory = side.fresh()
        if side.full:
            memory.remember(f"Bob Dahl holds {WORD} for a minute", kind="semantic", ttl="1m", id=hidden_id("expired"))
        memory.remember("Ann Lee is here", kind="semantic", id=hidden_id("old"))
        side.clock(memory).advance(MINUTE)
        memory.maintenance.expire()
        side.clock(memory).advance(-2 * MINUTE)
        return look(side, memory)

    looks: Mapping[str, tuple[Callable[[Side, AgentMemory], object], str]] = {
        "retrieve": (lambda _, memory: memory.retrieve("what does Bob Dahl hold?", latent=True), "nothing"),
        "get": (lambda _, memory: memory.get(hidden_id("expired")), "nothing"),
        "read_all": (lambda side, memory: side.as_(BOT, memory).read_all(), "told"),
        "profile": (lambda side, memory: side.as_(BOT, memory).profile("Bob Dahl"), "told"),
        "memories": (lambda side, memory: list(side.as_(BOT, memory).memories()), "told"),
        "explain": (lambda side, memory: side.as_(BOT, memory).explain(hidden_id("expired")), "UnknownMemory"),
        "stats": (lambda side, memory: side.as_(BOT, memory).stats(), "told"),
    }
    for name, (look, ends) in looks.items():
        book.add(name, "reader", "clock moved back over an end", ends, partial(past, look), words=(WORD,))


def _regions(book: Book) -> None:
    def nowhere(principal: str, side: Side) -> object:
        memory = side.fresh()
        memory.preferences.apply("gdpr")
        memory.remember(f"the safe holds {secret(side)}", kind="semantic", jurisdiction="EU", id=hidden_id("fact"))
        memory.remember("the safe is in the cellar", kind="semantic", id=hidden_id("old"))
        bot = side.as_(principal, memory)
        return [
            bot.retrieve("what does the safe hold?", k=50),
            list(bot.memories()),
            bot.get(hidden_id("fact")),
            bot.stats(),
            bot.sparql("SELECT ?o { ?s mars:content ?o } ORDER BY ?o").rows,
        ]

    for name in ("reader:bot", "reader:bot?jurisdiction=US", "reader:bot?ceiling=1", "reader:bot?purpose=care"):
        book.add("retrieve", "reader", "from nowhere or elsewhere", "told", partial(nowhere, name), words=(WORD,))


def _tenants(book: Book) -> None:
    def beside(look: Callable[[Side, AgentMemory], object], side: Side) -> object:
        other = side.fresh()
        other.remember(
            f"Bob Dahl hides {secret(side)}", kind="semantic", id=hidden_id("fact"), key="k/x", subjects=["Bob Dahl"]
        )
        memory = side.fresh()
        memory.remember("Ann Lee is here", kind="semantic", id=hidden_id("old"))
        side._names[other.tenant] = "OTHER"
        return look(side, memory)

    looks: Mapping[str, tuple[Callable[[Side, AgentMemory], object], str, str]] = {
        "retrieve": (lambda _, memory: memory.retrieve("what does Bob Dahl hide?", latent=True), "operator", "nothing"),
        "get": (lambda _, memory: memory.get(hidden_id("fact")), "operator", "nothing"),
        "history": (lambda _, memory: memory.history(hidden_id("fact")), "operator", "nothing"),
        "explain": (lambda _, memory: memory.explain(hidden_id("fact")), "operator", "UnknownMemory"),
        "link": (
            lambda _, memory: memory.link(next(memory.memories()).id, "partOf", hidden_id("fact")),
            "operator",
            "ClosureViolation",
        ),
        "update": (lambda _, memory: memory.update(hidden_id("fact"), "x"), "operator", "UnknownMemory"),
        "restore": (lambda _, memory: memory.restore(hidden_id("fact")), "operator", "UnknownMemory"),
        "erase": (lambda _, memory: memory.erase(subject="Bob Dahl").matched, "operator", "told"),
        "audit.who_saw": (lambda _, memory: memory.audit.who_saw(hidden_id("fact")), "operator", "UnknownMemory"),
        "audit.receipt": (lambda _, memory: memory.audit.receipt(hidden_id("fact")), "operator", "UnknownMemory"),
        "privacy.report": (lambda _, memory: memory.privacy.report("Bob Dahl"), "operator", "told"),
        "sparql": (lambda _, memory: memory.sparql("SELECT ?c { ?s mars:content ?c }").rows, "operator", "told"),
        "export": (lambda side, memory: _exported(side, memory, "out.nq", audit=False), "operator", "told"),
        "settings.subscribe": (
            lambda side, memory: memory.settings.subscribe(_other(side)),
            "operator",
            "NotPermitted",
        ),
        "read_all": (
            lambda side, memory: side.as_(BOT, memory).read_all(subjects=["*", "%", ""]),
            "reader",
            "nothing",
        ),
    }
    for name, (look, who, ends) in looks.items():
        book.add(
            name,
            who,
            "another tenant",
            ends,
            partial(beside, look),
            words=(WORD,),
            paired=name not in {"privacy.report", "export"},
            server=name in {"retrieve", "get"},
        )


def _other(side: Side) -> str:
    return next(name for name, shown in side._names.items() if shown == "OTHER")


def _use(book: Book) -> None:
    def judged(side: Side) -> object:
        memory = held(side)
        shown = memory.retrieve("Bob Dahl", max_sensitivity=0.3)
        return memory.feedback(str(shown.id), used=[hidden_id("fact")])

    book.add("feedback", "operator", "naming what was not shown", "InvalidInput", judged, words=(WORD,))

    def twice(side: Side) -> object:
        memory = side.fresh()
        memory.remember(f"the code is {secret(side)}", kind="semantic", use_bound=True, id=hidden_id("fact"))
        bot = side.as_(BOT, memory)
        first = bot.get(hidden_id("fact"))
        assert first is not None
        return [bot.get(hidden_id("fact")), bot.retrieve("what is the code?"), bot.read_all(), list(bot.memories())]

    book.add("get", "reader", "reading twice what is for one use", "told", twice, words=(WORD,))

    def quarantined(side: Side) -> object:
        memory = side.fresh(policy__review="all")
        memory.remember(f"Bob Dahl hides {secret(side)}", kind="semantic", sensitivity=0.9, id=hidden_id("fact"))
        memory.remember("Ann Lee is here", kind="semantic", id=hidden_id("old"))
        memory.forget(memory.plan(policy="fifo", budget=0))
        bot = side.as_(BOT, memory)
        return [bot.retrieve("Bob Dahl", latent=True), bot.stats(), list(bot.memories()), bot.read_all(latent=True)]

    book.add("retrieve", "reader", "what waits for a person", "told", quarantined, words=(WORD,))

    def aside(side: Side) -> object:
        memory = side.fresh()
        memory.settings.set(None, {"policy.evict_to": "latent"})
        memory.remember(f"Bob Dahl left {secret(side)}", kind="semantic", id=hidden_id("latent"))
        memory.forget(memory.plan(policy="fifo", budget=0))
        return side.as_(BOT, memory).retrieve("what did Bob Dahl leave?")

    book.add("retrieve", "reader", "what was put aside", "nothing", aside, words=(WORD,), server=True)

    def shown(side: Side) -> object:
        """Show a text that came in before anything was measured; what it holds is measured when it is shown."""
        memory = side.fresh()
        number = "4111 1111 1111 1111" if side.full else "4012 8888 8888 1881"
        memory.remember(f"Ann Lee pays by {number}", kind="semantic", metadata={"card": number}, id=hidden_id("fact"))
        bot = side.as_(BOT, memory)
        guesses: tuple[Any, ...] = (
            {"card": "4111 1111 1111 1111"},
            {"card": {"$lt": "4012"}},
            {"card": {"$lt": "4112"}},
        )
        return [
            bot.retrieve("how does Ann Lee pay?"),
            bot.get(hidden_id("fact")),
            bot.explain(hidden_id("fact")),
            list(bot.memories()),
            *(bot.retrieve("how does Ann Lee pay?", metadata=guess) for guess in guesses),
        ]

    book.add("retrieve", "reader", "redacted when it is shown", "told", shown, words=(WORD,), server=True)

    def summarised(side: Side) -> object:
        memory = side.fresh()
        memory.remember(f"Bob Dahl hides {secret(side)}", kind="semantic", sensitivity=0.9, id=hidden_id("fact"))
        memory.remember(
            "In short, he hides something", kind="semantic", derives_from=[hidden_id("fact")], id=hidden_id("about")
        )
        bot = side.as_(BOT, memory)
        return [bot.retrieve("what does he hide?"), bot.get(hidden_id("about")), bot.edges(hidden_id("about"))]

    book.add("retrieve", "reader", "through what derives from it", "told", summarised, words=(WORD,))


def _accounts(book: Book) -> None:
    def shared(look: Callable[[AgentMemory], object], side: Side) -> object:
        memory = side.fresh()
        memory.remember("Ann Lee dances", kind="semantic", subjects=["Ann Lee"], id=hidden_id("old"))
        memory.remember(
            f"Ann Lee and Bob Dahl share {secret(side)}",
            kind="semantic",
            subjects=["Ann Lee", "Bob Dahl"],
            source_ref=f"file/{secret(side)}",
            key=f"k/{secret(side)}",
            id=hidden_id("about"),
        )
        memory.remember(
            f"Bob Dahl alone has {secret(side)}", kind="semantic", subjects=["Bob Dahl"], id=hidden_id("fact")
        )
        memory.retrieve("what is shared?")
        return look(memory)

    looks: Mapping[str, Callable[[AgentMemory], object]] = {
        "privacy.report": lambda memory: memory.privacy.report("Ann Lee"),
        "audit.who_saw": lambda memory: memory.audit.who_saw(hidden_id("about")),
        "audit.receipt": lambda memory: memory.audit.receipt(hidden_id("about")),
        "erase": lambda memory: memory.erase(subject="Bob Dahl"),
        "verify": lambda memory: memory.verify(),
        "validate": lambda memory: memory.validate(full=True),
        "audit.records": lambda memory: [
            (one, one.details) for log in ("transitions", "accesses") for one in memory.audit.records(log=log)
        ],
        "audit.heads": lambda memory: [memory.audit.sign_head(), memory.audit.heads()],
        "audit.seal": lambda memory: memory.audit.seal(sequence=1),
        "stats": lambda memory: memory.stats(),
        "plan": lambda memory: memory.plan(policy="fifo", budget=3),
        "policy.explain": lambda memory: memory.policy.explain(),
    }

    def above(side: Side) -> object:
        """Read, as a controller with a ceiling, the reasons and numbers of what became of a hidden memory."""
        memory = side.fresh()
        memory.settings.set(None, {"policy.evict_to": "latent"})
        memory.remember("Bob Dahl hides it", kind="semantic", id=hidden_id("fact"), sensitivity=0.9)
        memory.forget(memory.plan(policy="removal-priority", budget=0))
        officer = side.as_("controller", memory)
        return [one.details for one in officer.audit.records()][2:]

    book.add(
        "audit.records", "controller", "details above the ceiling", "told", above, words=("removalScore",), paired=False
    )
    for name, look in looks.items():
        book.add(
            name,
            "outsider",
            "texts in what is given away",
            "told",
            partial(shared, look),
            words=(WORD,),
            paired=False,
            server=name == "audit.records",
        )
