"""What was erased comes back by no door and in no spelling, and a person is found wherever her name stands.

The doors are all texts that a caller may give; the spellings are what programs and people put around a text and into
it. What says the same in other words is no spelling: those are listed here as they are in docs/how-to/erase.md.
"""

# ruff: noqa: RUF001 - letters that look like others are what is tested
from __future__ import annotations

import base64
import codecs
import json
import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus

import pytest

from marskg.adapters.langgraph import MarsStore
from marskg.drafts import Draft, EntityRef
from marskg.errors import ConsentRequired, ErasedContentRefused, InvalidMemory, PreferenceRefused
from marskg.json_object import told_in
from marskg.ontology.fields import every_text
from marskg.ontology.key_forms import item_key, item_of
from marskg.privacy.sensitivity import Assessor
from marskg.weight import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

    Door = Callable[[AgentMemory, str, Path], object]

#: Thirteen words that nobody says by chance.
T = "My sister Ilse keeps the zyxquartz key under the third pot by the door"
HARMLESS = "The weather is fine"


def opened(stores: Stores, tenant: str | None = None, **more: Any) -> AgentMemory:
    return stores.open(tenant, embedding__model="none", suppression__hits=None, **more)


def draft(memory: AgentMemory, **fields: Any) -> Draft:
    return Draft(**{"ref": "one", "kind": "semantic", "content": HARMLESS, "at": memory.now(), **fields})


def entity(memory: AgentMemory) -> str:
    memory.remember("Bob Dahl is here", mentions=["Bob Dahl"])
    return next(one.id for one in memory.entities.list() if one.name == "Bob Dahl")


def depth(levels: int, inside: Any) -> Any:
    for level in range(levels):
        inside = {f"level {level}": inside}
    return inside


def update(memory: AgentMemory, text: str, _: Path) -> object:
    return memory.update(memory.remember("It rains", kind="semantic").id, text)


DOORS: dict[str, Door] = {
    "content": lambda memory, text, _: memory.remember(text, kind="semantic"),
    "content of many": lambda memory, text, _: memory.remember_many([draft(memory, content=text)]),
    "a new version": update,
    "payload event": lambda memory, text, _: memory.remember(HARMLESS, payload={"event": text}),
    "payload list": lambda memory, text, _: memory.remember(HARMLESS, payload={"participants": ["Bea", text]}),
    "payload context": lambda memory, text, _: memory.remember(HARMLESS, payload={"context": f"They said: {text}"}),
    "key": lambda memory, text, _: memory.remember(HARMLESS, key=f"note/{text}"),
    "session": lambda memory, text, _: memory.remember(HARMLESS, session=text),
    "source": lambda memory, text, _: memory.remember(HARMLESS, source_ref=text),
    "source, an address": lambda memory, text, _: memory.remember(
        HARMLESS, source_ref=f"https://e.org/?q={quote(text)}"
    ),
    "tag": lambda memory, text, _: memory.remember(HARMLESS, intent_tags=[text]),
    "purpose": lambda memory, text, _: memory.remember(HARMLESS, purpose=[text]),
    "jurisdiction": lambda memory, text, _: memory.remember(HARMLESS, jurisdiction=text),
    "subject": lambda memory, text, _: memory.remember(HARMLESS, subjects=[text]),
    "mention": lambda memory, text, _: memory.remember(HARMLESS, mentions=[text]),
    "alias of a mention": lambda memory, text, _: memory.remember(
        HARMLESS, mentions=[EntityRef("Bob Dahl", aliases=(text,))]
    ),
    "the same elsewhere": lambda memory, text, _: memory.remember(
        HARMLESS, mentions=[EntityRef("Bob Dahl", same_as=(f"https://e.org/{quote(text)}",))]
    ),
    "type of a mention": lambda memory, text, _: memory.remember_many(
        [draft(memory, mentions=(EntityRef("Bob Dahl", entity_type=text),))]
    ),
    "reading that made it": lambda memory, text, _: memory.remember_many(
        [draft(memory, made_by=(f"urn:x:{quote(text)}",))]
    ),
    "reading, as if the store had": lambda memory, text, _: memory.remember_many(
        [draft(memory, made_by=(f"urn:mars:reading:{quote(text)}",))]
    ),
    "reading, its rule": lambda memory, text, _: memory.remember_many(
        [draft(memory, made_by=(f"urn:mars:reading:1f3a:rule:{text.replace(' ', '_')}",))]
    ),
    "reading, escaped twice": lambda memory, text, _: memory.remember_many(
        [draft(memory, made_by=(f"urn:mars:reading:1f3a:model:m:{quote(quote(text, safe=''), safe='')}:-",))]
    ),
    "metadata, a value": lambda memory, text, _: memory.remember(HARMLESS, metadata={"t": text}),
    "metadata, in a list, deep": lambda memory, text, _: memory.remember(HARMLESS, metadata=depth(14, [text])),
    "metadata, a name": lambda memory, text, _: memory.remember(HARMLESS, metadata={text: True}),
    "metadata, a name of an object": lambda memory, text, _: memory.remember(HARMLESS, metadata={text: {"x": 1}}),
    "metadata, a name, deep": lambda memory, text, _: memory.remember(HARMLESS, metadata=depth(14, {text: {}})),
    "wish": lambda memory, text, _: memory.learning.wish(f"remember more about {text}"),
    "task": lambda memory, text, _: memory.remember(f"Task: {text}", kind="task"),
    "task, its goal": lambda memory, text, _: memory.remember(HARMLESS, kind="task", payload={"goal": text}),
    "learn": lambda memory, text, _: memory.learn([{"role": "user", "content": text}]),
    "item's namespace": lambda memory, text, _: MarsStore(memory).put(("users", text.replace(".", "")), "k", {"a": 1}),
    "item's name": lambda memory, text, _: MarsStore(memory).put(("n",), text, {"a": 1}),
    "item's value": lambda memory, text, _: MarsStore(memory).put(("n",), "k", {"t": text}),
    "item's value, not indexed": lambda memory, text, _: MarsStore(memory).put(("n",), "k", {"t": text}, index=False),
    "new name of an entity": lambda memory, text, _: memory.entities.rename(entity(memory), text),
    "alias of an entity": lambda memory, text, _: memory.entities.add_alias(entity(memory), text),
    "mention added": lambda memory, text, _: memory.entities.mention(memory.remember(HARMLESS).id, text),
    "label of a rule": lambda memory, text, _: memory.preferences.set("blacklisted_entity", "Xaver", label=text),
    "target of a rule": lambda memory, text, _: memory.preferences.set("blacklisted_conversation", text),
    "department": lambda memory, text, _: memory.preferences.set("retention", department=text, horizon="9d"),
    "person of a rule": lambda memory, text, _: memory.preferences.set("retention", subject=text, horizon="9d"),
    "purpose of a consent": lambda memory, text, _: memory.preferences.consent("carl", text),
}


@pytest.mark.parametrize("door", DOORS)
def test_an_erased_text_comes_back_by_no_door(stores: Stores, tmp_path: Path, door: str) -> None:
    memory = opened(stores)
    # Before the erasure the door takes it: what is refused is refused for that alone.
    DOORS[door](opened(stores), T, tmp_path)
    memory.erase(id=memory.remember(T, kind="semantic").id)
    with pytest.raises(ErasedContentRefused):
        DOORS[door](memory, T, tmp_path)


@pytest.mark.parametrize("by", ["id", "entity", "session", "source", "subject"])
def test_whatever_it_was_erased_by_an_item_does_not_bring_it_back(stores: Stores, by: str) -> None:
    memory = opened(stores)
    first = memory.remember(T, kind="semantic", mentions=["Ilse"], session="s1", source_ref="chat/7", subjects=["ilse"])
    asked: dict[str, Any] = {"entity": "Ilse", "session": "s1", "source": "chat/7", "subject": "ilse", "id": first.id}
    memory.erase(**{by: asked[by]})
    store = MarsStore(memory)
    items: tuple[tuple[tuple[str, ...], str, dict[str, Any]], ...] = (
        (("n",), "k", {"t": T}),
        (("n",), "k", {"a": [{"b": T}], "c": 1}),
        (("n",), "k", {T: {"x": 1}}),
        ((T,), "k", {"x": 1}),
        (("n",), T, {"x": 1}),
    )
    for namespace, name, value in items:
        with pytest.raises(ErasedContentRefused):
            store.put(namespace, name, value)
    assert store.search(()) == []


def test_what_an_item_said_comes_back_neither_as_an_item_nor_as_a_text(stores: Stores) -> None:
    memory = opened(stores)
    store = MarsStore(memory, delete="erase")
    store.put(("n",), "k", {"t": T})
    store.delete(("n",), "k")
    with pytest.raises(ErasedContentRefused):
        store.put(("m",), "other", {"text": T})
    with pytest.raises(ErasedContentRefused):
        memory.remember(T)


def test_what_stood_beside_a_content_keeps_out_no_other_that_has_it_beside(stores: Stores) -> None:
    """Parts of one document have its title beside them: one that is erased keeps no other out."""
    memory = opened(stores)
    title = "The annual report of the company on the state of its seventeen gardens"
    first = memory.remember("Chapter one tells of roses and of the people who water them", metadata={"title": title})
    memory.erase(id=first.id)
    other = memory.remember("Chapter two tells of tulips and of the people who sell them", metadata={"title": title})
    assert other.metadata == {"title": title}
    with pytest.raises(ErasedContentRefused):
        memory.remember(f"It is called: {title}")
    with pytest.raises(ErasedContentRefused):
        memory.remember("A chapter", metadata={"was": first.content})


@pytest.mark.parametrize(
    "name",
    ["Χαράλαμπος Μητσοτάκης", "Bartholomäus Przybyszewski-Kowalczyk", "चन्द्रशेखर वेंकटरमन", "Всеволод Преображенский"],
)
def test_a_rare_name_that_stood_beside_a_content_is_said_again(stores: Stores, name: str) -> None:
    memory = stores.open(embedding__model="none")
    erased = memory.remember("The seats at the dinner are settled at last", metadata={"plan": [{name: {"seat": 4}}]})
    memory.erase(id=erased.id)
    assert memory.remember(f"{name} has a new bicycle").id


def test_a_document_and_a_snapshot_of_before_bring_nothing_back(stores: Stores, tmp_path: Path) -> None:
    memory = opened(stores)
    other = opened(stores)
    other.remember(HARMLESS, kind="semantic", metadata={"a": {T: 1}})
    other.export(tmp_path / "other.nq")
    first = memory.remember(T, kind="semantic")
    if stores.engine.name == "arcadedb":
        memory.snapshots.save(tmp_path / "before.snapshot")
    memory.export(tmp_path / "before.nq")
    memory.erase(id=first.id)
    for name in ("before.nq", "other.nq"):
        with pytest.raises(ErasedContentRefused):
            memory.load(tmp_path / name)
    if stores.engine.name == "arcadedb":
        memory.snapshots.load(tmp_path / "before.snapshot")
    assert all(one.content is None for one in memory.memories())


def test_an_innocent_text_is_stored(stores: Stores) -> None:
    memory = opened(stores)
    memory.erase(id=memory.remember(T, kind="semantic").id)
    words = T.split()
    for start in range(len(words)):
        # Without any one of its words it is another text.
        memory.remember(" ".join(words[:start] + words[start + 1 :]), kind="semantic")
    memory.remember(f"{T}bell", kind="semantic")
    memory.remember(f"Un{T}", kind="semantic")
    assert memory.stats()["live"] == len(words) + 2
    assert memory.verify().ok


def layered(text: str, way: Callable[[str], str], times: int) -> str:
    """Return a text that was escaped so many times."""
    for _ in range(times):
        text = way(text)
    return text


#: What is put around a text and into it by programs and people, and changes nothing of what it says.
SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it was": str,
    "capitals": str.upper,
    "small letters": str.lower,
    "wide letters": lambda text: "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in text),
    "blanks": lambda text: f"  {text.replace(' ', chr(0xA0) + '  ')}\n",
    "no blanks": lambda text: text.replace(" ", ""),
    "letters apart": lambda text: "  ".join(" ".join(word) for word in text.split()),
    "nothing to be seen": lambda text: text.replace("e", "e\u200b\u2060"),
    "letters that look alike": lambda text: text.replace("o", "\u043e").replace("e", "\u0435"),
    "mathematical letters": lambda text: "".join(
        chr(0x1D41A + ord(one) - 97) if "a" <= one <= "z" else one for one in text
    ),
    "other marks": lambda text: text.replace(" ", ", ", 3) + "!?",
    "repeated marks": lambda text: f"{text}!!!!!",
    "in quotes": lambda text: f"«{text}»",
    "in brackets": lambda text: f"([{text}])",
    "accents": lambda text: text.replace("e", "é").replace("o", "ö").replace("y", "ÿ"),
    "struck through": lambda text: "".join(f"{one}\u0336" for one in text),
    "who speaks": lambda text: f"Ilse: {text}",
    "when and who": lambda text: f"[10:01] Ilse Berg: {text}",
    "an answer": lambda text: f"Re: Fwd: AW: {text}",
    "quoted lines": lambda text: "> " + text.replace(" key", "\n> key").replace(" by", "\n> by"),
    "HTML": lambda text: f"<p class='x'>{text}</p>",
    "HTML inside": lambda text: text.replace("zyx", "<b>zyx</b>").replace(" under", "<br/>under"),
    "entities": lambda text: "".join(f"&#{ord(one)};" for one in text),
    "Markdown": lambda text: f"**{text}**",
    "Markdown inside": lambda text: text.replace("keeps", "`keeps`").replace("third", "[third](http://e.org/3)"),
    "a heading": lambda text: f"### {text}\n\nYes.",
    "a list": lambda text: f"1. bread\n2. {text}\n3. milk",
    "a list of its parts": lambda text: "- " + text.replace(" keeps", "\n- keeps").replace(" under", "\n- under"),
    "lines": lambda text: text.replace(" the", "\nthe"),
    "a word over two lines": lambda text: text.replace("quartz", "-\nquartz"),
    "emoji": lambda text: f"🙂 {text} 👍🏽".replace(" third", " 🌱\ufe0f third"),
    "twice": lambda text: f"{text} {text}",
    "within a longer one": lambda text: f"I know from her that {text}, and it will rain tomorrow",
    "within a sentence of Chinese": lambda text: f"她说{text}。很好",
    "JSON": lambda text: json.dumps({"a": [{"text": text}]}),
    "JSON of JSON": lambda text: json.dumps(json.dumps({"text": f"\t{text}\n\u00e9"})),
    "escaped": lambda text: "".join(f"\\u{ord(one):04x}" for one in text),
    "a query of an address": lambda text: f"https://e.org/?q={quote_plus(text)}&x=1",
    "quoted for an address": lambda text: quote(text, safe=""),
    "a field": lambda text: f"note = {text}; by = me",
    "a row of a table": lambda text: f"| 7 | {text} | yes |",
    "XML": lambda text: f"<?xml version='1.0'?><a><![CDATA[{text}]]></a>",
    "comment of a program": lambda text: f"x = 1  # {text}",
    "escaped HTML": lambda text: escape(f"<p>{text} & so on</p>"),
    "capitals of Cyrillic": lambda text: text.upper().translate(str.maketrans("BEHKMOPTX", "ВЕНКМОРТХ")),
    "those made small": lambda text: text.upper().translate(str.maketrans("BEHKMOPTX", "ВЕНКМОРТХ")).lower(),
    "capitals of Greek": lambda text: text.upper().translate(str.maketrans("ABEHIKMNOPTXYZ", "ΑΒΕΗΙΚΜΝΟΡΤΧΥΖ")),
    "small letters of Greek": lambda text: text.translate(str.maketrans("nuptz", "ηυρτζ")),
    "letters of phonetics": lambda text: text.translate(str.maketrans("aiy", "ɑıʏ")),
    "small capitals": lambda text: text.translate(str.maketrans("dekrt", "ᴅᴇᴋʀᴛ")),
    "letters of Armenian and Cherokee": lambda text: text.translate(str.maketrans("ouMT", "օսᎷᎢ")),
    "strokes": lambda text: text.translate(str.maketrans("dhlot", "đħłøŧ")),
    "apostrophes of letters": lambda text: text.replace("key", "\u02bckey\u02b9").replace("pot", "\u02bbpot\u02c8"),
    "dashes by other names": lambda text: text.replace(" by", "\u02d7by").replace(" the", " \u2043 the"),
    "stresses apart": lambda text: text.replace("third", "\u00b4third\u00b4"),
    "vowels and marks that show nothing": lambda text: text.replace("t", "t\u17b4").replace("p", "\u180bp\u180f"),
    "links with titles": lambda text: text.replace("third", '[third](http://e.org/3 "where (it) is")'),
    "links told elsewhere": lambda text: text.replace("third", "[third][2]").replace("pot", "[pot][]"),
    "footnotes": lambda text: text.replace("third", "third[^a1]") + "[^2]",
    "an address in brackets": lambda text: text.replace("third", "[third](http://e.org/x_(y)_z)"),
    "a style sheet inside": lambda text: text.replace(" third", "<style media='a'>td { color: red }</style> third"),
    "signs of tags in values": lambda text: text.replace("third", "<span data-x='1 > 0' title=\"a<b\">third</span>"),
    "quoted seven times": lambda text: layered(text, quote, 7),
    "entities of entities": lambda text: layered("".join(f"&#{ord(one)};" for one in text), escape, 8),
    "one in the other": lambda text: layered(text.replace(" ", "&#32;"), lambda one: quote(escape(one)), 5),
}
#: Those that have more in them than the text.
AROUND = {
    "within a longer one",
    "within a sentence of Chinese",
    "JSON",
    "JSON of JSON",
    "a query of an address",
    "a field",
    "a row of a table",
    "comment of a program",
    "escaped HTML",
    "a heading",
    "a list",
    "XML",
    "twice",
}
#: What says it in other words or in a code: docs/how-to/erase.md names them.
REWORDINGS: dict[str, Callable[[str], str]] = {
    "other words": lambda text: text.replace("keeps", "stores"),
    "another order": lambda text: re.sub(r"(.*) under (.*)", r"Under \2 \1", text),
    "a part of it": lambda text: text.replace(" by the door", ""),
    "a word more": lambda text: text.replace("third", "third blue"),
    "a typing error": lambda text: text.replace("sister", "sitser"),
    "another language": lambda _: "Meine Schwester Ilse hat den Schlüssel zyxquartz unter dem dritten Topf an der Tür",
    "numbers as digits": lambda text: text.replace("third", "3rd"),
    "digits for letters": lambda text: text.replace("e", "3").replace("o", "0"),
    "its letters backwards": lambda text: text[::-1],
    "its words backwards": lambda text: " ".join(reversed(text.split())),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "hexadecimal": lambda text: text.encode().hex(),
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "two halves apart": lambda text: text.replace(" keeps", ". So I heard. She keeps"),
}


@pytest.mark.parametrize("way", SPELLINGS)
def test_an_erased_text_comes_back_in_no_other_spelling(stores: Stores, way: str) -> None:
    memory = opened(stores)
    memory.erase(id=memory.remember(T, kind="semantic").id)
    again = SPELLINGS[way](T)
    with pytest.raises(ErasedContentRefused):
        memory.remember(again, kind="semantic")
    with pytest.raises(ErasedContentRefused):
        memory.remember(HARMLESS, metadata={"a": {"b": [again]}})


@pytest.mark.parametrize("way", SPELLINGS)
def test_what_was_erased_so_spelled_does_not_come_back(stores: Stores, way: str) -> None:
    memory = opened(stores)
    said = SPELLINGS[way](T)
    memory.erase(id=memory.remember(said, kind="semantic").id)
    with pytest.raises(ErasedContentRefused):
        memory.remember(said, kind="semantic")
    if way not in AROUND:
        # What a program put around it is off.
        with pytest.raises(ErasedContentRefused):
            memory.remember(T, kind="semantic")


#: Texts of other scripts, and the same as others write them: without accents, points and strokes, in capitals.
TURKISH = "Işık'ın yeğeni gümüş kolyeyi kırmızı çaydanlığın içine koydu ve kimseye söylemedi"
WRITTEN: tuple[tuple[str, str], ...] = (
    (TURKISH, TURKISH.upper()),
    (TURKISH, TURKISH.replace("i", "İ").upper()),
    (TURKISH, TURKISH.replace("ı", "i")),
    (
        "Тётя Алёна ещё вчера берёт зелёный ключ и идёт на берёзовый остров",
        "Тетя Алена еще вчера берет зеленый ключ и идет на березовый остров",
    ),
    (
        "Тётя Нина вчера взяла зелёный ключ и ушла на берёзовый остров",
        "ТЁТЯ НИНА ВЧЕРА ВЗЯЛА ЗЕЛЁНЫЙ КЛЮЧ И УШЛА НА БЕРЁЗОВЫЙ ОСТРОВ",
    ),
    (
        "Η θεία Ελένη κρύβει το χρυσό κλειδί κάτω από την τρίτη γλάστρα",
        "Η θεια Ελενη κρυβει το χρυσο κλειδι κατω απο την τριτη γλαστρα",
    ),
    (
        "Η θεία Νίκη κρύβει το χρυσό κλειδί κάτω από την τρίτη γλάστρα",
        "Η ΘΕΊΑ ΝΊΚΗ ΚΡΎΒΕΙ ΤΟ ΧΡΥΣΌ ΚΛΕΙΔΊ ΚΆΤΩ ΑΠΌ ΤΗΝ ΤΡΊΤΗ ΓΛΆΣΤΡΑ",
    ),
    (
        "דודה רותי שמה את המפתח הכחול מתחת לעציץ השלישי",
        "דּוֹדָה רוּתִי שָׂמָה אֶת הַמַּפְתֵּחַ הַכָּחוֹל מִתַּחַת לָעָצִיץ הַשְּׁלִישִׁי",
    ),
    (
        "خالتي ليلى تخبئ المفتاح الأزرق تحت الأصيص الثالث",
        "خَالَتِي لَيْلَى تُخَبِّئُ الْمِفْتَاحَ الْأَزْرَقَ تَحْتَ الْأَصِيصِ الثَّالِثِ",
    ),
    (
        "خالتي ليلى تخبئ المفتاح الأزرق تحت الأصيص الثالث",
        "خالتـي ليلـى تخبـئ المفتـاح الأزرق تحـت الأصيـص الثالـث",
    ),
    (
        "मौसी ने चाबी 4711 नंबर की अलमारी में तीसरे गमले के नीचे रखी",
        "मौसी ने चाबी ४७११ नंबर की अलमारी में तीसरे गमले के नीचे रखी",
    ),
)


@pytest.mark.parametrize(
    ("said", "again"), [*WRITTEN, *(pair[::-1] for pair in WRITTEN)], ids=map(str, range(2 * len(WRITTEN)))
)
def test_accents_points_and_capitals_of_no_script_bring_it_back(stores: Stores, said: str, again: str) -> None:
    memory = opened(stores)
    memory.erase(id=memory.remember(said, kind="semantic").id)
    with pytest.raises(ErasedContentRefused):
        memory.remember(again, kind="semantic")


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("桜さんは青い鍵を三番目の植木鉢の下にかくしています", "桜さんは青い鍵を三番目の植木鉢の下にがくしています"),
        ("The cellar of the house has -5 degrees every night", "The cellar of the house has 5 degrees every night"),
        ("मौसी ने नीली चाबी तीसरे गमले के नीचे रखी", "मौसा ने नीली चाबी तीसरे गमले के नीचे रखी"),
    ],
    ids=["Kana", "a sign", "a vowel"],
)
def test_a_mark_that_makes_another_letter_makes_another_text(stores: Stores, said: str, other: str) -> None:
    memory = opened(stores)
    memory.erase(id=memory.remember(said, kind="semantic").id)
    assert memory.remember(other, kind="semantic").content is not None


@pytest.mark.parametrize(
    "name", ["Bea\u17b4 Quill", "Bea Qu\u180bill", "\u180fBea Quill", "BEA QUILL\u17b5", "Bea\ufe0f Quill"]
)
def test_an_erased_person_does_not_come_back_with_what_is_not_seen(stores: Stores, name: str) -> None:
    memory = opened(stores)
    memory.remember("Bea Quill sings alto", subjects=["Bea Quill"])
    memory.erase(subject="Bea Quill")
    with pytest.raises(ConsentRequired):
        memory.remember(HARMLESS, subjects=[name])


@pytest.mark.parametrize("way", REWORDINGS)
def test_rewording_is_not_seen_and_the_page_says_so(stores: Stores, way: str) -> None:
    memory = opened(stores)
    memory.erase(id=memory.remember(T, kind="semantic").id)
    assert memory.remember(REWORDINGS[way](T), kind="semantic").content is not None
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "erase.md").read_text("utf-8")
    assert way in " ".join(page.split())


# --- Whom a name means, wherever it stands ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Olga Brandt", "李娜", "olga@brandt.example", "Zoë", "Anna-Lena / Weiss", "Olga"])
@pytest.mark.parametrize("said", ["{} sings", "nothing"])
def test_an_item_is_found_by_the_names_of_its_namespace_and_its_own(stores: Stores, name: str, said: str) -> None:
    memory = opened(stores)
    store = MarsStore(memory)
    if "." not in name:  # which LangGraph allows in no namespace
        store.put(("users", name), "prefs", {"diet": "vegan"})
    store.put(("users",), name, {"note": "likes tea"})
    store.put(("users", "Bob Dahl"), "prefs", {"diet": "meat"})
    memory.remember(said.format(name), mentions=[name])
    memory.erase(entity=name)
    assert [one.namespace for one in store.search(())] == [("users", "Bob Dahl")]


@pytest.mark.parametrize(
    "metadata",
    [
        {"Ida Falk": {"x": 1}},
        {"a": {"b": {"Ida Falk": {}}}},
        {"a": [{"Ida Falk": [{"x": "y"}]}]},
        {"a": [[[{"Ida Falk": None}]]]},
        {"a": [{"b": "Ida Falk"}, [["with Ida Falk"]]]},
        depth(14, {"Ida Falk": {"x": 1}}),
    ],
)
def test_a_name_in_free_json_is_found_at_any_depth(stores: Stores, metadata: dict[str, Any]) -> None:
    memory = opened(stores)
    memory.remember("Ida Falk sings", mentions=["Ida Falk"])
    beside = memory.remember(HARMLESS, metadata=metadata)
    stays = memory.remember(HARMLESS, metadata={"Ida": {"x": 1}, "b": {"Falk": 2}})
    receipt = memory.erase(entity="Ida Falk")
    assert receipt.matched == 2
    ids = {one.id for one in memory.memories()}
    assert stays.id in ids
    assert beside.id not in ids


def test_a_rule_finds_a_name_wherever_it_stands(stores: Stores) -> None:
    memory = opened(stores)
    memory.preferences.set("blacklisted_entity", "Ida Falk")
    store = MarsStore(memory)
    for put in (
        lambda: memory.remember(HARMLESS, metadata={"a": {"Ida Falk": {"x": 1}}}),
        lambda: store.put(("users", "Ida Falk"), "k", {"a": 1}),
        lambda: store.put(("users",), "Ida Falk", {"a": 1}),
        lambda: memory.remember(HARMLESS, purpose=["for Ida Falk"]),
    ):
        with pytest.raises(PreferenceRefused):
            put()


@pytest.mark.parametrize("levels", [60, 600, 900])
def test_names_deeper_than_json_may_be_are_refused_with_the_rule(stores: Stores, levels: int) -> None:
    memory = opened(stores)
    with pytest.raises(InvalidMemory, match="metadata is nested more than 16 levels deep"):
        memory.remember(HARMLESS, metadata=depth(levels, {"Ida Falk": {"x": 1}}))
    assert memory.stats()["live"] == 0


def test_the_walk_goes_as_deep_as_what_it_is_given() -> None:
    found = list(told_in(depth(5_000, {"Ida Falk": {"x": "y"}})))
    assert ("", "Ida Falk") in found
    assert ("x", "y") in found
    assert len(found) == 5_002


# --- How sensitive it is, and what is shown of it ---------------------------------------------------------------------

CARD = "4111 1111 1111 1111"
MAIL = "olga@brandt.example"


@pytest.mark.parametrize(
    "fields",
    [
        {"metadata": {f"card {CARD}": {"x": 1}}},
        {"metadata": {"a": {"b": [{CARD: True}]}}},
        {"metadata": {"a": {"b": [CARD]}}},
        {"payload": {"event": f"She said {CARD}"}},
        {"key": f"card/{CARD}"},
        {"source_ref": f"card {CARD}"},
        {"session": f"card {CARD}"},
        {"intent_tags": [f"card {CARD}"]},
        {"purpose": [f"card {CARD}"]},
        {"jurisdiction": f"card {CARD}"},
        {"key": f"note/the card {CARD} is hers"},
        {"key": item_key("langgraph", ("users", f"card {CARD}"), "k")},
        {"key": item_key("langgraph", ("users",), f"card {CARD}")},
    ],
)
def test_a_secret_in_any_text_raises_the_sensitivity_and_is_redacted(stores: Stores, fields: dict[str, Any]) -> None:
    memory = opened(stores)
    plain = memory.remember(f"Her card is {CARD}")
    beside = memory.remember(HARMLESS, **fields)
    assert beside.sensitivity >= plain.sensitivity > memory.remember(HARMLESS).sensitivity
    assert CARD not in str(beside.sensitivity_reasons)
    shown = Assessor().redactor(memory.settings.current.sensitivity).as_shown(beside, 0.1, TokenCounter())
    for one in every_text(shown):
        assert CARD not in one.whole, one
    assert shown.content == HARMLESS


@pytest.mark.parametrize("name", ["key", "session", "source_ref"])
def test_a_secret_told_in_words_is_one_in_a_name_too(stores: Stores, name: str) -> None:
    memory = opened(stores)
    fields: dict[str, Any] = {name: "my password is hunter2xQ9!"}
    found = memory.remember(HARMLESS, **fields)
    assert found.sensitivity == memory.remember("my password is hunter2xQ9!").sensitivity
    shown = Assessor().redactor(memory.settings.current.sensitivity).as_shown(found, 0.1, TokenCounter())
    assert "hunter2" not in str(shown)


def test_the_names_of_an_item_are_shown_redacted_in_the_form_that_they_have(stores: Stores) -> None:
    memory = opened(stores)
    MarsStore(memory).put(("users",), MAIL, {"diet": "vegan"})
    (one,) = memory.memories()
    shown = Assessor().redactor(memory.settings.current.sensitivity).as_shown(one, 0.1, TokenCounter())
    assert item_of("langgraph", shown.key or "") == (("users",), "[EMAIL]")
