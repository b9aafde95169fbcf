"""A rule about a name has a digest of it and a label, and is no leak itself: on every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.drafts import EntityRef
from marskg.errors import InvalidConfig, InvalidDocument, InvalidInput, PreferenceRefused
from tests.support.residue import residue

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

NAME = "Quennell Zyxbarrow"
#: Of whom no other test has anything stored in the same files.
NOWHERE, NOWHERE_EITHER = "Vharlow Kestrizzle", "Ottorix Blenquarst"
#: A name, texts that have it, and texts of somebody else.
NAMED: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "a name": (NAME, (f"Lunch with {NAME}", f"{NAME.upper()}'s coat", "quennell\u00a0 zyxbarrow"), ("Zyxbarrows",)),
    "one word": ("Nora", ("I saw Nora", "NORA!", "N\u200bora"), ("Noras Hund", "the minora", "eleonora")),
    "a title": ("Dr. Berg", ("Dr Berg called", "dr. berg"), ("Mr Berg called",)),
    "address": ("nora@fjord.no", ("to nora@fjord.no.", '"nora"@fjord.no'), ("to nora@fjord.no.uk", "a.nora@fjord.no")),
    "host": ("10.0.0.1", ("at 10.0.0.1, and on", "at 010.000.000.001"), ("at 10.0.0.11", "at 110.0.0.1")),
    "telephone": ("+47 901 23 456", ("on +4790123456", "on 0047 901-23-456"), ("on +47 901 23 4567",)),
    "card": ("4111 1111 1111 1111", ("4111-1111-1111-1111",), ("4111 1111 1111 1112",)),
    "account": ("GB29 NWBK 6016 1331 9268 19", ("GB29NWBK60161331926819",), ("GB29NWBK60161331926818",)),
    "ticket": ("AB-1234567", ("of AB1234567", "of ab 1234567"), ("of AB12345678",)),
    "short ticket": ("TCK-00912", ("of TCK-00912", "of tck00912"), ("of TCK-009123",)),
    "Chinese": ("王芳", ("王芳的订单已发货", "昨天见了王芳"), ("王方的订单",)),
    "Arabic": ("سارة", ("وسارة هنا",), ("سار هنا",)),
    "Korean": ("박지민", ("박지민은 왔다",), ("박지성은 왔다",)),
    "Russian": ("Мария", ("Мария пришла",), ("Маринад готов",)),
}


def rows(memory: AgentMemory) -> list[Any]:
    return [
        *memory.sparql("SELECT ?s ?p ?o { ?s ?p ?o }").rows,
        *memory.cypher("MATCH (p:Preference) RETURN p").rows,
        *memory.preferences.list(),
        memory.preferences.effective(),
    ]


@pytest.mark.parametrize(("name", "texts", "others"), NAMED.values(), ids=NAMED)
def test_it_holds_for_whom_the_name_means(
    stores: Stores, name: str, texts: tuple[str, ...], others: tuple[str, ...]
) -> None:
    memory = stores.open(sensitivity__assess="off")
    stored = memory.remember(texts[0])
    gone = memory.preferences.set("blacklisted_entity", name, label="case 12")
    assert gone.expired == (stored.id,)
    for text in texts:
        with pytest.raises(PreferenceRefused):
            memory.remember(text)
        with pytest.raises(PreferenceRefused):
            memory.remember("Somebody came", mentions=[name])
        with pytest.raises(PreferenceRefused):
            memory.remember("Somebody came", subjects=[name])
    for text in others:
        memory.remember(text)
    (rule,) = memory.preferences.list()
    memory.preferences.remove(rule.id)
    assert memory.remember(texts[0]).content == texts[0]
    private = memory.preferences.set("private_entity", name, level=0.7)
    assert len(private.amended) == 1
    assert [memory.remember(text).sensitivity for text in texts] == [0.7] * len(texts)
    assert [memory.remember(text, key="other").sensitivity for text in others] == [0.0] * len(others)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Zoë Berg", "I met Zoe Berg"),
        ("Nora Berg", "I met Berg Nora"),
        ("Nora Berg", "I met N. Berg"),
        ("王芳", "王芳芳的订单已发货"),
        ("nora@fjord.no", "Write to nora+bills@fjord.no"),
        ("+47 901 23 456", "Call 0 901 23 456"),
        ("0901 23 456", "Call +47 901 23 456"),
        ("Мария Иванова", "Встретил Марией Ивановой"),
        ("Will", "She will come"),
        ("+1 415 555 2671", "Call 415-555-2671"),
        ("415-555-2671", "Call +14155552671"),
        ("王芳", "王 芳喜欢园艺"),
        ("Piotr", "Byłem z Piotrem"),
        ("Kovács Éva", "Kovács Évának adtam"),
    ],
)
def test_what_may_be_the_name_is_told_of(stores: Stores, name: str, text: str) -> None:
    memory = stores.open()
    (rule,) = memory.preferences.set("blacklisted_entity", name).preferences
    (told,) = [notice for notice in memory.remember(text).notices if notice.startswith("near: ")]
    assert told.endswith(rule.id)
    assert name not in told


def test_it_holds_for_the_other_names_of_who_bears_it_now_and_later(stores: Stores) -> None:
    memory = stores.open()
    memory.remember("The shop opened", mentions=[EntityRef("Acme Corporation", aliases=("ACM",))])
    memory.preferences.set("blacklisted_entity", "ACM", subject="ada")
    with pytest.raises(PreferenceRefused):
        memory.remember("We went to acme corporation", subjects=["ada"])
    memory.preferences.set("private_entity", NAME, level=0.8)
    later = memory.remember("Somebody is there")
    named = memory.entities.mention(later.id, NAME)
    assert memory.get(later.id).sensitivity == 0.8  # type: ignore[union-attr]  # it is there
    memory.entities.unmention(later.id, named.id)
    assert memory.remember("Q-Z left").sensitivity < 0.8
    said = memory.remember("Somebody left", mentions=[NAME])
    (entity,) = [one for one in memory.entities.list() if one.name == NAME]
    memory.entities.add_alias(entity.id, "Q-Z")
    assert memory.remember("Q-Z left again").sensitivity == 0.8
    memory.entities.remove_alias(entity.id, "Q-Z")
    assert memory.remember("Q-Z left for good").sensitivity < 0.8
    derived = memory.remember("It was late", kind="semantic", derives_from=[said.id])
    assert derived.sensitivity == 0.8
    memory.erase(entity=NAME)
    assert memory.preferences.list(rule="private_entity") == ()
    assert memory.remember("Q-Z came back").sensitivity < 0.8


@pytest.mark.parametrize("entity", [EntityRef("Q", entity_type=NAME), EntityRef("Q", same_as=("https://q.example/7",))])
def test_it_holds_for_whatever_an_entity_is_called(stores: Stores, entity: EntityRef, tmp_path: Path) -> None:
    other, memory = stores.open(), stores.open()
    for name in (NAME, "https://q.example/7"):
        memory.preferences.set("blacklisted_entity", name)
    with pytest.raises(PreferenceRefused):
        memory.remember("Somebody left", mentions=[entity])
    other.remember("Somebody left", mentions=[entity])
    other.export(tmp_path / "mentioned.nq")
    lines = (tmp_path / "mentioned.nq").read_text().splitlines(keepends=True)
    (tmp_path / "alone.nq").write_text("".join(one for one in lines if "ns#mentions>" not in one))
    for name in ("mentioned", "alone"):
        with pytest.raises(PreferenceRefused, match="of the document"):
            memory.load(tmp_path / f"{name}.nq")
    assert list(memory.entities.list()) == []
    assert memory.remember("Q left", mentions=[EntityRef("Q", entity_type="person")]).notices == ()


def test_the_name_stands_nowhere(stores: Stores, files: Path, tmp_path: Path) -> None:
    memory = stores.open()
    memory.remember("They met at the garden")
    memory.preferences.set("blacklisted_entity", NOWHERE, label="case 12")
    memory.preferences.set("private_entity", NOWHERE, subject="ada", level=0.5)
    written = [tmp_path / f"all.{suffix}" for suffix in ("jsonld", "nq", "ttl")]
    for path in written:
        memory.export(path, audit=True)
    memory.snapshots.save(tmp_path / "all.mars")
    report = memory.privacy.report("ada")
    told = [*rows(memory), *memory.audit.records(), report.document, report.as_html(), report.as_markdown()]
    with pytest.raises(PreferenceRefused) as caught:
        memory.remember(f"With {NOWHERE}")
    told += [caught.value, *memory.preferences.set("blacklisted_entity", NOWHERE, dry_run=True).preferences]
    for part in (NOWHERE, *NOWHERE.split()):
        assert part.casefold() not in " ".join(map(repr, told)).casefold()
    assert residue(tmp_path, NOWHERE.split()) == []
    assert residue(files, NOWHERE.split()) == []
    assert memory.validate(full=True).findings == ()
    assert memory.verify().findings == ()


def test_one_rule_for_one_name_with_a_label_to_know_it_by(stores: Stores) -> None:
    memory = stores.open()
    prefs = memory.preferences
    (rule,) = prefs.set("private_entity", NAME, level=0.5).preferences
    assert rule.label == f"private_entity {rule.id[-8:]}"
    (same,) = prefs.set("private_entity", f" {NAME.upper()}", level=0.6).preferences
    assert (same.id, same.label, same.level) == (rule.id, rule.label, 0.6)
    (named,) = prefs.set("private_entity", NAME, label="case 12", level=0.6).preferences
    assert (named.id, named.label, named.target) == (rule.id, "case 12", rule.target)
    assert prefs.list(target=NAME.casefold()) == prefs.list(target=rule.target) == (named,)
    assert prefs.list(target="Somebody") == ()
    assert prefs.get(rule.id) == named


@pytest.mark.parametrize("label", [NAME, f"the {NAME.lower()} file", "Zyxbarrow", "quennell-file", "Quennell, Z."])
def test_a_label_with_the_name_is_refused(stores: Stores, label: str, tmp_path: Path) -> None:
    memory = stores.open()
    with pytest.raises(InvalidInput, match="label of blacklisted_entity has the name"):
        memory.preferences.set("blacklisted_entity", NAME, label=label)
    with pytest.raises(InvalidInput, match="retention takes no label"):
        memory.preferences.set("retention", horizon="1d", label="mine")
    path = tmp_path / "rules.yaml"
    path.write_text(f"preferences:\n- {{rule: blacklisted_entity, target: {NAME}, label: '{label}'}}\n")
    with pytest.raises(InvalidConfig, match="line 2: label of blacklisted_entity has the name"):
        memory.preferences.load(path)
    assert memory.preferences.list() == ()


def test_a_file_gives_labels(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open()
    path = tmp_path / "rules.yaml"
    path.write_text(
        f"preferences:\n- {{rule: blacklisted_entity, target: {NAME}, label: case 12}}\n"
        f"- {{rule: blacklisted_entity, target: {NAME.upper()}, label: case 13}}\n"
    )
    memory.preferences.load(path)
    assert [rule.label for rule in memory.preferences.list()] == ["case 13"]
    with pytest.raises(PreferenceRefused):
        memory.remember(f"With {NAME}")


def test_a_rule_of_another_tenant_is_loaded_by_nobody_in_silence(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open()
    memory.remember("They met at the garden")
    memory.preferences.set("blacklisted_entity", NAME, label="case 12")
    path = tmp_path / "all.nq"
    memory.export(path)
    other = stores.open()
    with pytest.raises(InvalidDocument, match="blacklisted_entity 'case 12'"):
        other.load(path)
    assert list(other.memories()) == []
    other.preferences.set("blacklisted_entity", NAME, label="case 12")
    assert other.load(path) == 1
    with pytest.raises(PreferenceRefused):
        other.remember(f"With {NAME}")
    # Put there by hand, or under another secret: nothing is stored until somebody looks at it.
    (rule,) = other.preferences.list()
    (theirs,) = memory.preferences.list()
    stores.engine.write(
        "MATCH (p:Preference {ref: $ref}) SET p.target = $target",
        {"ref": f"{other.tenant}|{rule.id}", "target": theirs.target},
    )
    again = stores.apart().open(other.tenant)
    with pytest.raises(PreferenceRefused, match=f"another store's secret.*mars preferences remove {rule.id}"):
        again.remember("Tea is green")


def test_a_checkpoint_puts_it_back(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open()
    memory.preferences.set("blacklisted_entity", NAME, label="case 12")
    memory.snapshots.save(tmp_path / "all.mars")
    before = memory.preferences.list()
    memory.preferences.remove(before[0].id)
    memory.snapshots.load(tmp_path / "all.mars")
    assert memory.preferences.list() == before
    with pytest.raises(PreferenceRefused):
        memory.remember(f"With {NAME}")


def test_in_an_encrypted_tenant_label_and_digests_are_encrypted(
    stores: Stores, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARS_VAULTS", str(tmp_path / "vaults"))
    memory = stores.open(encryption="subjects")
    memory.preferences.set("blacklisted_entity", NOWHERE_EITHER, label="zyxlabel twelve")
    (rule,) = memory.preferences.list()
    with pytest.raises(PreferenceRefused):
        memory.remember(f"With {NOWHERE_EITHER}")
    assert residue(files, [*NOWHERE_EITHER.split(), "zyxlabel", rule.target or ""]) == []
