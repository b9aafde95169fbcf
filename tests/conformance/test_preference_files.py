"""Files of preferences that are wrong: each is refused by file, line, rule and way out, and nothing of it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.errors import ConsentRequired, InvalidConfig, InvalidInput, MarsError
from tests.support import picture as pictures

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

QUICK: dict[str, Any] = {"sensitivity__assess": "off", "embedding__model": "none"}
#: In each file that is wrong there is this right rule as well: it must not be kept.
RIGHT = "- {rule: opt_out_source, target: api_result}\n"
HEAD = f"preferences:\n{RIGHT}"

#: By name: a file, and what the refusal says. Each begins after two lines.
WRONG: dict[str, tuple[str, str]] = {
    # Keys and rules that there are not.
    "unknown rule": ("- rule: retain\n  horizon: 1d\n", r"line 3.*'retain' is unknown; known are retention"),
    "rule of another case": ("- rule: Retention\n  horizon: 1d\n", r"line 3.*'Retention' is unknown"),
    "rule that is no text": ("- rule: [retention]\n  horizon: 1d\n", r"line 3.*is unknown; known are"),
    "no rule": ("- target: episodic\n  horizon: 1d\n", r"line 3.*without a rule; give one of"),
    "unknown key": ("- rule: retention\n  horizont: 1d\n", r"line 3.*'horizont' is no field.*known are rule"),
    "unknown kind": ("- {rule: retention, target: dream, horizon: 1d}\n", r"line 3.*a kind: one of episodic"),
    "unknown source": ("- {rule: opt_out_source, target: mail}\n", r"line 3.*a source: one of doc"),
    "unknown category": ("- {rule: sensitivity_ceiling, target: hobby, level: 0.5}\n", r"line 3.*a category: one of"),
    # Values.
    "number without a unit": ("- {rule: retention, horizon: '30'}\n", r"line 3.*no duration.*30d or 24h"),
    "unknown unit": ("- {rule: retention, horizon: 3 fortnights}\n", r"line 3.*no duration"),
    "negative horizon": ("- {rule: retention, horizon: -1d}\n", r"line 3.*no duration"),
    "fraction": ("- {rule: retention, horizon: 1.5}\n", r"line 3.*no duration"),
    "no time at all": ("- {rule: retention, horizon: 0d}\n", r"line 3.*no duration from 1 ms"),
    "more than a hundred years": ("- {rule: retention, horizon: 36526d}\n", r"line 3.*to 100 years"),
    "horizon that is true": ("- {rule: retention, horizon: true}\n", r"line 3.*no duration"),
    "level in percent": ("- {rule: private_entity, target: Bob, level: 30}\n", r"line 3.*level of private_entity"),
    "level that is a text": ("- {rule: private_entity, target: Bob, level: high}\n", r"line 3.*level of private_ent"),
    "level that is no number": (
        "- {rule: private_entity, target: Bob, level: .nan}\n",
        r"line 3.*level of private_ent",
    ),
    "level without end": ("- {rule: private_entity, target: Bob, level: .inf}\n", r"line 3.*level of private_entity"),
    "time without a zone": ("- {rule: consent, subject: ada, until: '2027-03-01T00:00:00'}\n", r"line 3.*with a zone"),
    "past": (
        "- {rule: consent, subject: ada, until: 2020-01-01T00:00:00Z}\n",
        r"line 3.*past.*later time, or withdraw",
    ),
    "time after all times": ("- {rule: consent, subject: ada, until: 99999999999999999}\n", r"line 3.*no time"),
    "regions that are no list": ("- {rule: reading_regions, target: EU, regions: CH}\n", r"line 3.*list of jurisdict"),
    "region that is no text": ("- {rule: reading_regions, target: EU, regions: [NO]}\n", r"line 3.*region of reading"),
    "empty name": ("- {rule: blacklisted_entity, target: ''}\n", r"line 3.*target of blacklisted_entity"),
    "name of spaces": ("- {rule: blacklisted_entity, target: '  '}\n", r"line 3.*target of blacklisted_entity"),
    "name that is a number": ("- {rule: blacklisted_entity, target: 7}\n", r"line 3.*target of blacklisted_entity"),
    "endless name": (
        f"- {{rule: blacklisted_entity, target: {'x' * 5000}}}\n",
        r"line 3.*target of blacklisted_entity",
    ),
    "clause that is a list": ("- {rule: retention, horizon: 1d, clause: [Art. 5]}\n", r"line 3.*clause of retention"),
    # Rules that do not go together.
    "too much": ("- {rule: opt_out_kind, target: task, horizon: 1d}\n", r"line 3.*takes no horizon; leave it out"),
    "too little": ("- {rule: social_horizon}\n", r"line 3.*social_horizon needs a horizon"),
    "somebody and a department": (
        "- {rule: retention, horizon: 1d, subject: ada, department: care}\n",
        r"line 3.*not for both; make it two rules",
    ),
    "consent of a department": ("- {rule: consent, department: care, target: x}\n", r"line 3.*for one subject"),
    "two for the same": (
        "- {rule: retention, target: task, horizon: 1d}\n- {rule: retention, target: task, horizon: 2d}\n",
        r"line 4.*there twice; keep one",
    ),
    "consent that is needed and forbidden": (
        "- {rule: opt_out_purpose, subject: ada, target: sales}\n- {rule: consent, subject: ada, target: sales}\n",
        r"line 4.*consent.*opt_out_purpose.*line 3.*keep one",
    ),
    # For whom it cannot be.
    "another tenant": ("- {rule: retention, horizon: 1d, tenant: other}\n", r"line 3.*'tenant' is no field"),
    # YAML.
    "key twice": ("- rule: retention\n  horizon: 1d\n  horizon: 2d\n", r"line 5.*'horizon' is there twice"),
    "alias": ("- &one {rule: retention, horizon: 1d}\n- *one\n", r"line 4.*aliases are not allowed"),
    "merge": ("- &one {rule: retention, horizon: 1d}\n- <<: *one\n", r"line 4.*aliases are not allowed"),
    "bomb": (
        "- &a [x, x, x, x, x, x, x, x, x, x]\n- &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n",
        r"line 4.*aliases are not allowed",
    ),
    "object": ("- !!python/object/apply:os.system ['true']\n", r"line 3.*not valid YAML"),
    "rule that is a text": ("- retention\n", r"preferences is a list of rules; write each as - rule"),
    "rule that is nothing": ("-\n", r"preferences is a list of rules"),
    "key that is a list": ("- ? [rule]\n  : retention\n", r"line 3.*twice or is no word"),
    "tab": ("- rule: retention\n\thorizon: 1d\n", r"line 4.*not valid YAML"),
    "second document": ("---\npreferences: []\n", r"line 3.*not valid YAML"),
    "deep nesting": (f"- {'[' * 3000}{']' * 3000}\n", r"not YAML in UTF-8|list of rules"),
    "second list": ("preferences: []\n", r"line 3.*'preferences' is there twice"),
    "unknown beside": ("settings: {budget: 1}\n", r"line 3.*'settings' is unknown here; rules are a list: preferences"),
    "control character": ('- {rule: blacklisted_entity, target: "a\\u0000b"}\n', r"line 3.*target of blacklisted"),
}


def filled(stores: Stores) -> AgentMemory:
    memory = stores.open(**QUICK)
    memory.remember("Ada grows tomatoes", subjects=["ada"], source_type="api_result")
    memory.preferences.set("retention", "task", horizon="90d")
    return memory


def state_of(stores: Stores, memory: AgentMemory) -> tuple[Any, ...]:
    """Return all that a refused file must leave as it is: the graph, the book, both logs."""
    return (
        pictures.take(stores.engine, memory.tenant),
        memory.preferences.list(),
        [record.leaf for log in ("transitions", "accesses") for record in memory.audit.records(log=log)],
        memory._writer.fresh_state().sequence,
    )


def assert_refused(
    stores: Stores, memory: AgentMemory, path: Path, said: str, error: type[MarsError] = InvalidConfig
) -> str:
    """Hold a file to be refused, in earnest and on trial, and to have changed nothing; returns what was said."""
    before = state_of(stores, memory)
    texts = []
    for dry_run in (True, False):
        with pytest.raises(error, match=said) as caught:
            memory.preferences.load(path, dry_run=dry_run)
        texts.append(str(caught.value))
    assert state_of(stores, memory) == before
    assert texts[0] == texts[1]
    assert len(texts[0]) < 1_000
    assert memory.get(next(memory.memories()).id) is not None
    return texts[0]


#: These are refused when the preferences that are there are known; all others before the engine is asked.
LATE = ("consent that is needed and forbidden", "past", "two for the same")


@pytest.mark.parametrize("name", sorted(WRONG.keys() - set(LATE)))
def test_a_file_that_is_wrong_is_refused_whole(embedded_stores: Stores, tmp_path: Path, name: str) -> None:
    refuse_wrong(embedded_stores, tmp_path, name)


@pytest.mark.parametrize("name", LATE)
def test_a_file_that_is_wrong_here_is_refused_whole(stores: Stores, tmp_path: Path, name: str) -> None:
    refuse_wrong(stores, tmp_path, name)


def refuse_wrong(stores: Stores, tmp_path: Path, name: str) -> None:
    """Hold a file that has a right rule and a wrong one to be refused by its name, and without anybody's."""
    text, said = WRONG[name]
    path = tmp_path / "rules.yaml"
    path.write_text(HEAD + text, encoding="utf-8")
    told = assert_refused(stores, filled(stores), path, said)
    assert "Bob" not in told
    assert told.startswith(str(path))


def bad_files(folder: Path) -> dict[str, tuple[Path, str]]:
    """Return files that are no text that could have a line, with what is said of each."""
    contents = {
        "latin-1": (b"preferences:\n- {rule: blacklisted_entity, target: J\xf6rg}\n", "not YAML in UTF-8"),
        "utf-16": (HEAD.encode("utf-16"), "not YAML in UTF-8"),
        "binary": (bytes(range(256)), "not YAML in UTF-8|not valid YAML"),
        "surrogates": (b"preferences:\n- {rule: blacklisted_entity, target: \xed\xa0\x80}\n", "not YAML in UTF-8"),
        "ten megabytes": (HEAD.encode() + RIGHT.encode() * (10_000_000 // len(RIGHT)), "is larger than"),
        "a list": (b"- rule: retention\n", "holds no mapping"),
        "a word": (b"retention\n", "holds no mapping"),
    }
    found = {}
    for name, (data, said) in contents.items():
        path = folder / f"{name.replace(' ', '-')}.yaml"
        path.write_bytes(data)
        found[name] = path, said
    return found | {
        "nothing there": (folder / "none.yaml", "cannot be read"),
    }


def test_files_that_are_no_yaml_are_refused(embedded_stores: Stores, tmp_path: Path) -> None:
    memory = filled(embedded_stores)
    for path, said in bad_files(tmp_path).values():
        told = assert_refused(embedded_stores, memory, path, said)
        assert str(path) in told
        assert "example" in told or "page of text" in told or "readable" in told
    assert_refused(embedded_stores, memory, tmp_path, "is a folder; name a file", InvalidInput)


def test_an_empty_file_changes_nothing(embedded_stores: Stores, tmp_path: Path) -> None:
    memory = filled(embedded_stores)
    before = state_of(embedded_stores, memory)
    for text in ("", "# nothing\n", "preferences:\n", "preferences: []\n", "\ufeffpreferences: []\n"):
        path = tmp_path / "empty.yaml"
        path.write_text(text, encoding="utf-8")
        assert memory.preferences.load(path).preferences == ()
    assert state_of(embedded_stores, memory) == before


def test_a_file_for_somebody_who_was_erased_is_refused_whole(stores: Stores, tmp_path: Path) -> None:
    memory = filled(stores)
    memory.remember("Bea plays chess", subjects=["bea"])
    memory.erase(subject="bea")
    path = tmp_path / "rules.yaml"
    path.write_text(f"{HEAD}- {{rule: retention, subject: bea, horizon: 1d}}\n", encoding="utf-8")
    told = assert_refused(stores, memory, path, "consent", ConsentRequired)
    assert "bea" not in told
    path.write_text(
        f"{HEAD}- {{rule: retention, subject: bea, horizon: 1d}}\n- {{rule: consent, subject: bea}}\n", encoding="utf-8"
    )
    assert_refused(stores, memory, path, "consent", ConsentRequired)


def test_a_rule_for_a_department_is_for_its_members_and_for_this_tenant(stores: Stores, tmp_path: Path) -> None:
    memory, other = filled(stores), filled(stores)
    path = tmp_path / "rules.yaml"
    path.write_text(
        "preferences:\n"
        "- {rule: opt_out_kind, department: care, target: social}\n"
        "- {rule: member_of, subject: bea, target: care}\n",
        encoding="utf-8",
    )
    before = state_of(stores, other)
    memory.preferences.load(path)
    with pytest.raises(MarsError, match="opt_out_kind"):
        memory.remember("Bea knows Carl", kind="social", subjects=["bea"])
    memory.remember("Ada knows Carl", kind="social", subjects=["ada"])
    assert state_of(stores, other) == before
    other.remember("Bea knows Carl", kind="social", subjects=["bea"])
