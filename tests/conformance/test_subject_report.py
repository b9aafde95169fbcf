"""The report on one subject: everything that is theirs, nothing that is others', in three forms that hold."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyshacl
import pytest
from rdflib import Graph, Literal, Namespace, URIRef

import marskg
from tests.support.consolidating import consolidated, line, summary_of

if TYPE_CHECKING:
    from marskg import SubjectReport
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

MARS = Namespace("https://w3id.org/mars-kg/ns#")
HOUR = 3_600_000
SECRET = "zyxquartz"


def loaded(report: SubjectReport) -> Graph:
    return Graph().parse(data=json.dumps(report.document), format="json-ld")


def faults(graph: Graph) -> str:
    """Return what the report's own shape finds."""
    shape = Graph().parse(data=(resources.files("marskg.privacy") / "subject_report.ttl").read_text("utf-8"))
    sound, _, text = pyshacl.validate(graph, shacl_graph=shape, inference="none")
    return "" if sound else text


def everywhere(report: SubjectReport) -> list[str]:
    """Return the report in all its forms, and as the records of Python."""
    return [json.dumps(report.document), report.as_html(), report.as_markdown(), repr(report.holdings)]


class Page(HTMLParser):
    """What a program for blind readers makes of a page: the order of headings, tables with captions, open elements."""

    def __init__(self) -> None:
        super().__init__()
        self.headings: list[str] = []
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.first_in_table: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.open and self.open[-1] == "table":
            self.first_in_table.append(tag)
        self.tags.append(tag)
        self.attributes += attrs
        if tag in {"h1", "h2", "h3"}:
            self.headings.append(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page(report: SubjectReport) -> Page:
    found = Page()
    found.feed(report.as_html())
    found.close()
    assert not found.open
    return found


def a_life(stores: Stores) -> tuple[AgentMemory, dict[str, str]]:
    """A subject with something in every tier, and others beside them."""
    memory = stores.open(policy__evict_to="latent")
    made = {
        "old": memory.remember("Bea was ill last year", subjects=["bea"], ttl="1h").id,
    }
    made["derived"] = memory.remember(
        "Bea needs rest", kind="semantic", subjects=["bea"], derives_from=[made["old"]], purpose=["care"]
    ).id
    made["turn"] = memory.remember(
        "Bea moved to Porto", subjects=["bea"], session="s1", source_ref="chat/7", mentions=["Bea"], sensitivity=0.4
    ).id
    made["named"] = memory.remember("Somebody saw her at the lake", mentions=["Bea"]).id
    made["both"] = memory.remember(
        f"Bea and Carl share the word {SECRET}",
        subjects=["bea", "carl"],
        source_ref=f"chat/{SECRET}",
        key=SECRET,
        kind="semantic",
    ).id
    made["carl"] = memory.remember(f"Carl told nobody of {SECRET} but Dora", subjects=["carl"], mentions=["Bea"]).id
    made["else"] = memory.remember("The moon is full").id
    memory.retrieve("Porto", purpose="support", k=5, token_budget=200)
    memory.retrieve("Porto", purpose="support", k=5, token_budget=200)
    stores.clock(memory).advance(HOUR)
    memory.maintenance.expire()
    return memory, made


def test_all_of_it_in_every_tier_and_nothing_of_others(stores: Stores) -> None:
    memory, made = a_life(stores)
    report = memory.privacy.report("bea")
    held = {one.memory.id: one for one in report.held}
    assert set(held) == {made[name] for name in ("old", "derived", "turn", "named", "both", "carl")}
    assert {name: held[made[name]].memory.tier.value for name in ("old", "turn")} == {
        "old": "tombstone",
        "turn": "live",
    }
    assert {name for name, ident in made.items() if ident in held and held[ident].withheld} == {"both", "carl"}
    assert {name for name, ident in made.items() if ident in held and not held[ident].filed} == {"named", "carl"}
    for text in everywhere(report):
        assert SECRET not in text
        assert "Dora" not in text
        assert "moon" not in text
        assert "Bea moved to Porto" in text or "Bea moved to Porto".replace(" ", "") in text
    whole = memory.privacy.report("bea", shared=True)
    assert all(SECRET in text for text in everywhere(whole))
    assert report.withheld == 2
    assert whole.withheld == 0


def test_sources_showings_reasons_and_names(stores: Stores) -> None:
    memory, made = a_life(stores)
    report = memory.privacy.report("bea")
    held = {one.memory.id: one for one in report.held}
    (shown,) = held[made["turn"]].shown
    assert (shown.by, shown.purpose, shown.call, shown.times) == ("operator", "support", "retrieve", 2)
    assert shown.first < shown.last
    assert held[made["derived"]].sources == (made["old"],)
    expired = held[made["old"]].done[-1]
    assert (expired.operation.value, expired.rule, expired.automated) == ("expire", "expiry", True)
    assert not held[made["turn"]].done[0].automated
    assert [one.name for one in report.holdings.names] == ["Bea"]
    for text in (report.as_html(), report.as_markdown()):
        assert "15 (1) (h)" in text.replace("\\", "")
        assert "chat/7" in text
        assert "its time to live ended" in text
        assert "support" in text


def test_it_loads_and_holds_to_its_shape(stores: Stores) -> None:
    memory, made = a_life(stores)
    report = memory.privacy.report("bea")
    graph = loaded(report)
    assert faults(graph) == ""
    (subject,) = graph.objects(None, MARS.reportSubject)
    assert subject == Literal("bea")
    assert graph.value(URIRef(made["turn"]), MARS.content) == Literal("Bea moved to Porto")
    assert (URIRef(made["both"]), MARS.content, None) not in graph
    # The shape finds what it is there for.
    for change in (
        (URIRef(made["both"]), MARS.content, Literal(SECRET)),
        (URIRef(made["turn"]), MARS.tier, MARS.live_or_not),
        (URIRef(report.holdings.id), MARS.reportSubject, Literal("carl")),
    ):
        graph.add(change)
        assert faults(graph), change
        graph.remove(change)
    assert faults(graph) == ""


def test_the_page_reads_without_a_network_and_without_eyes(stores: Stores) -> None:
    memory, _ = a_life(stores)
    found = page(memory.privacy.report("bea"))
    assert found.headings[0] == "h1"
    assert found.headings.count("h1") == 1
    levels = [int(name[1]) for name in found.headings]
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert set(found.first_in_table) <= {"caption", "thead", "tbody"}
    assert found.first_in_table.count("caption") == found.tags.count("table")
    assert not {"script", "img", "link", "iframe", "object"} & set(found.tags)
    assert not {"src", "href", "onclick", "style"} & {name for name, _ in found.attributes}
    assert ("lang", "en") in found.attributes


def test_what_a_memory_says_is_never_markup(stores: Stores) -> None:
    memory = stores.open()
    nasty = '<script>alert(1)</script> <img src=x onerror="1"> [link](http://x) | a | \u202egnirts\x1b[31m\n# heading'
    memory.remember(nasty, subjects=["<b>bea</b>"])
    report = memory.privacy.report("<b>bea</b>")
    assert "script" not in page(report).tags
    assert "img" not in page(report).tags
    assert "b" not in page(report).tags
    assert "<script>" not in report.as_html()
    for text in (report.as_html(), report.as_markdown()):
        assert "\u202e" not in text
        assert "\x1b" not in text
    assert "\\[link\\]\\(http" in report.as_markdown()
    assert "\n# heading" not in report.as_markdown()
    assert faults(loaded(report)) == ""


def test_lines_of_a_shared_summary_that_are_theirs_alone(stores: Stores) -> None:
    memory = stores.open()
    both: dict[str, Any] = {"subjects": ["bea", "carl"], "kind": "episodic", "session": "s"}
    ids = [memory.remember(text, **both).id for text in ("They met at noon in the old town", "They had soup together")]
    summary = consolidated(memory, summary_of(ids, line("They met.", ids[0]), line("They ate.", ids[1])))
    held = {one.memory.id: one for one in memory.privacy.report("bea").held}
    assert held[summary.id].withheld
    assert held[summary.id].lines == ()
    assert "They met" not in memory.privacy.report("bea").as_markdown()


def test_handing_it_out_is_recorded_and_changes_nothing_else(stores: Stores) -> None:
    memory, made = a_life(stores)
    before = {one.id: (one.access_count, one.last_access) for one in memory.memories()}
    memory.privacy.report("bea", purpose="art 15")
    assert {one.id: (one.access_count, one.last_access) for one in memory.memories()} == before
    last = memory.audit.who_saw(made["turn"]).seen[-1]
    assert (last.call, last.purpose) == ("subject_report", "art 15")
    assert [one.call for one in memory.privacy.report("bea").held[2].shown] == ["retrieve", "subject_report"]
    assert memory.verify().findings == ()


def test_a_report_of_many_memories_is_recorded_in_several(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("marskg.store.upkeep.access_log.DISCLOSED", 2)
    memory = stores.open()
    made = [memory.remember(f"Fact number {place}", subjects=["bea"]).id for place in range(5)]
    before = memory.stats()["access_seq"]
    assert len(memory.privacy.report("bea").held) == 5
    assert memory.stats()["access_seq"] == before + 3
    assert all(len(memory.audit.who_saw(ident).seen) == 1 for ident in made)


def test_nobody_and_whoever_was_erased(stores: Stores) -> None:
    memory, _ = a_life(stores)
    nobody = memory.privacy.report("nobody")
    assert (nobody.held, nobody.holdings.suppressed) == ((), False)
    assert faults(loaded(nobody)) == ""
    assert "Nothing is held" in nobody.as_html()
    memory.erase(subject="bea")
    erased = memory.privacy.report("bea")
    assert erased.holdings.suppressed
    assert {one.filed for one in erased.held} <= {False}
    assert "nothing new is stored without consent" in erased.as_markdown()
    for wrong in ("", " ", 7, "a\x00b"):
        with pytest.raises(marskg.InvalidInput):
            memory.privacy.report(wrong)  # type: ignore[arg-type]  # bad input on purpose


def test_a_report_by_another_spelling_is_refused_and_names_the_right_one(stores: Stores) -> None:
    memory, made = a_life(stores)
    before = [memory.audit.who_saw(ident).seen for ident in made.values()]
    for name in ("BEA", " bea\u200b", "b\u0435a"):
        with pytest.raises(marskg.InvalidInput, match="exactly as it is written; there is 'bea'"):
            memory.privacy.report(name)
    assert [memory.audit.who_saw(ident).seen for ident in made.values()] == before, "no showing is recorded"
    assert memory.privacy.report("bea").held


def test_another_tenant_is_another_world(stores: Stores) -> None:
    memory, other = stores.open(), stores.open()
    memory.remember("Mine about Bea", subjects=["bea"])
    assert other.privacy.report("bea").held == ()


def test_every_value_is_given_in_its_own_form(stores: Stores) -> None:
    memory = stores.open()
    memory.remember(
        "Met at the lake",
        subjects=["bea"],
        payload={"participants": ["bea"], "timestamp": 1_772_323_200_000, "emotional_valence": 0.25},
        jurisdiction="EU",
        pin=True,
        valid_to=1_999_999_999_999,
    )
    task = memory.remember("Ring Bea", kind="task", subjects=["bea"], status="open", priority=3)
    report = memory.privacy.report("bea")
    assert faults(loaded(report)) == ""
    node: dict[str, Any] = next(one for one in report.document["reportMemory"] if one["id"] == task.id)
    assert node["status"] == "https://w3id.org/mars-kg/ns#open"
    assert "participants bea" in report.as_markdown()


def test_it_tells_what_the_subject_asked_for_and_consented_to_and_nobody_elses(stores: Stores) -> None:
    memory = stores.open()
    memory.remember("Bea likes tea", kind="semantic", subjects=["bea"])
    memory.preferences.set("retention", "episodic", subject="bea", horizon="30d")
    memory.preferences.consent("bea", "research")
    memory.preferences.consent("carl", SECRET)
    memory.preferences.withdraw("bea", "research")
    report = memory.privacy.report("bea")
    graph = loaded(report)
    assert faults(graph) == ""
    told = set(graph.objects(predicate=MARS.reportPreference))
    assert {str(rule).rpartition("#")[2] for one in told for rule in graph.objects(one, MARS.preferenceRule)} == {
        "retention",
        "consent",
    }
    assert len(list(graph.objects(predicate=MARS.withdrawnAt))) == 1
    for text in (report.as_html(), report.as_markdown()):
        assert "withdrawn" in text
        assert "30 days" in text
    assert not any(SECRET in text for text in everywhere(report))
