"""A name or a keyword that there is not: the error says what was meant, and is the one that Python raises."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.api.operations import operations
from marskg.meant import KEYWORDS, OPERATIONS
from marskg.store.tenant.opening import without_credentials
from tests.support import hostile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from marskg.memory import AgentMemory

TABLE = {one.name: one for one in operations()}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentMemory]:
    folder = tmp_path_factory.mktemp("meant")
    with marskg.open(folder / "store", tenant="a", budget=2_000, embedding="none") as opened:
        # What is shown is written before the next call is refused.
        opened.settings.set(None, {"audit.access": "strict"})
        yield opened


# --- What there is ----------------------------------------------------------------------------------------------------


def test_the_package_lists_what_there_is_and_nothing_else() -> None:
    assert dir(marskg) == sorted([*marskg.__all__, "__version__"])
    assert all(getattr(marskg, name) is not None for name in dir(marskg))


def test_other_products_words_lead_to_what_there_is() -> None:
    assert {*OPERATIONS.values()} <= TABLE.keys()
    assert not OPERATIONS.keys() & {name for name in TABLE if "." not in name}
    parameters = {name for one in TABLE.values() for name in one.parameters}
    assert {one for several in KEYWORDS.values() for one in several} <= parameters


# --- Attributes -------------------------------------------------------------------------------------------------------


def refusal(owner: object, name: str) -> str:
    with pytest.raises(AttributeError) as refused:
        getattr(owner, name)
    return str(refused.value)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("retreive", "retrieve"),
        ("search", "retrieve"),
        ("find", "retrieve"),
        ("serach", "retrieve"),
        ("add", "remember"),
        ("delete", "erase"),
        ("get_all", "read_all"),
        ("merge", "mem.entities.merge"),
        ("pinn", "mem.policy.pin"),
        ("merge_entites", "mem.entities.merge"),
        ("polcy", "policy"),
    ],
)
def test_a_name_that_a_memory_has_not_says_what_was_meant(memory: AgentMemory, name: str, meant: str) -> None:
    assert refusal(memory, name) == f"'AgentMemory' object has no attribute {name!r}; did you mean {meant!r}?"


def test_so_do_the_package_the_namespaces_and_the_private_mode(memory: AgentMemory) -> None:
    assert refusal(marskg, "opne") == "module 'marskg' has no attribute 'opne'; did you mean 'open'?"
    assert refusal(memory.entities, "mrge").endswith("; did you mean 'merge'?")
    assert refusal(memory.entities, "pin").endswith("; did you mean 'mem.policy.pin'?")
    assert refusal(memory.preferences, "witdraw").endswith("; did you mean 'withdraw'?")
    assert refusal(memory.privacy.private_mode(), "retreive").endswith("; did you mean 'retrieve'?")
    assert refusal(memory.store.location, "zq") == "'str' object has no attribute 'zq'", "what is not ours stays so"


def test_every_operation_is_found_by_a_slip_of_its_name(memory: AgentMemory) -> None:
    for name in TABLE:
        way, _, last = name.rpartition(".")
        if name != "open" and "(" not in name and len(last) > 4:
            wrong = f"{last[:2]}{last[3]}{last[2]}{last[4:]}"
            if wrong != last:
                said = refusal(getattr(memory, way) if way else memory, wrong)
                assert last in said.partition("did you mean")[2], said


def test_what_python_and_notebooks_look_for_is_not_there_and_said_plainly(memory: AgentMemory) -> None:
    for owner in (marskg, memory, memory.entities, memory.preferences):
        for name in ("_repr_html_", "__deepcopy__", "__array__", "_retrieve", "_open", "_merge", "_withdraw"):
            assert not hasattr(owner, name)
            assert "did you mean" not in refusal(owner, name)
        assert not hasattr(owner, "search_all_of_it")
    assert refusal(memory, "zzzzzz") == "'AgentMemory' object has no attribute 'zzzzzz'"
    # An object that is only made, and has nothing in it yet, asks itself for nothing.
    assert "did you mean 'retrieve'" in refusal(marskg.AgentMemory.__new__(marskg.AgentMemory), "retreive")
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(memory)


def test_what_is_there_and_fails_says_itself_why(memory: AgentMemory) -> None:
    class Grown(marskg.AgentMemory):
        @property
        def size(self) -> Any:
            return self.weight.nothing  # type: ignore[attr-defined]  # the case

    grown = Grown(memory.store)
    assert refusal(grown, "size") == "'int' object has no attribute 'nothing'"


# --- Keywords ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operation", "given", "named", "said"),
    [
        ("retrieve", ["x"], {"limit": 5}, "retrieve takes no 'limit'; did you mean 'k'?"),
        ("retrieve", ["x"], {"top_k": 5}, "retrieve takes no 'top_k'; did you mean 'k'?"),
        ("retrieve", ["x"], {"threshold": 1}, "retrieve takes no 'threshold'; did you mean 'min_confidence'?"),
        ("retrieve", ["x"], {"max_tokens": 1}, "retrieve takes no 'max_tokens'; did you mean 'token_budget'?"),
        ("retrieve", ["x"], {"user_id": "a"}, "retrieve takes no 'user_id'; did you mean 'subjects'?"),
        ("erase", [], {"user_id": "a"}, "erase takes no 'user_id'; did you mean 'subject'?"),
        ("remember", ["x"], {"sesion": "a"}, "remember takes no 'sesion'; did you mean 'session'?"),
        ("get", ["x"], {"qqq": 1}, "get takes no 'qqq'; it takes id"),
        ("stats", [], {"qqq": 1}, "stats takes no 'qqq'; it takes nothing"),
        ("entities.merge", [], {"into": 1}, "entities.merge takes no 'into'; it takes keep, other"),
        ("retrieve", [], {}, "retrieve needs query: call retrieve(query=…)"),
        ("link", ["a"], {}, "link needs type: call link(source=…, type=…, target=…)"),
        ("retrieve", ["x"], {"query": "y"}, "retrieve got query by its place and by its name; give it once"),
        ("stats", [1], {}, "stats takes no arguments; leave out what follows"),
        ("settings.set_budget", [1, 2], {}, "settings.set_budget takes budget alone; leave out what follows"),
    ],
)
def test_a_call_that_there_is_not_says_what_was_meant(
    memory: AgentMemory, operation: str, given: list[Any], named: dict[str, Any], said: str
) -> None:
    way, _, name = operation.rpartition(".")
    call = getattr(getattr(memory, way) if way else memory, name)
    for caught in (TypeError, marskg.InvalidInput, marskg.InvalidCall):
        with pytest.raises(caught) as refused:
            call(*given, **named)
        assert str(refused.value) == said


def test_what_is_given_by_its_place_and_takes_a_name_is_told_which(memory: AgentMemory) -> None:
    with pytest.raises(marskg.InvalidCall, match=r"^erase takes keywords: subject=…, id=…, entity=…, session=…, "):
        memory.erase("ann")  # type: ignore[call-arg]  # the case
    with pytest.raises(marskg.InvalidCall, match=r"^retrieve takes query, then keywords: token_budget=…, k=…, .*, …$"):
        memory.retrieve("x", 5)  # type: ignore[call-arg]  # the case
    with pytest.raises(marskg.InvalidCall, match=r"^open takes no 'tennant'; did you mean 'tenant'\?$"):
        marskg.open("never", tennant="a")  # type: ignore[call-arg]  # the case


def test_every_operation_refuses_a_keyword_that_it_has_not(memory: AgentMemory, tmp_path: Path) -> None:
    tenant = hostile.Tenant(memory, tmp_path)
    for one in TABLE.values():
        if one.name != "open":
            said = hostile.fault(memory, hostile.Call(one, {**hostile.base(one, tenant), "zq": 1}, one.name))
            assert said is None, said
    before = hostile.facts(memory)
    with pytest.raises(marskg.InvalidCall, match=r"^remember takes no 'zq'; "):
        memory.privacy.private_mode(keep=True).remember("x", zq=1)
    assert hostile.facts(memory) == before


def test_whoever_has_limits_is_told_the_same_and_may_name_a_grant(memory: AgentMemory) -> None:
    reader = marskg.open(memory.store.location, tenant="a", principal="reader:bot?ceiling=0.5")
    with pytest.raises(marskg.InvalidCall, match="did you mean 'k'"):
        reader.retrieve("x", limit=5)  # type: ignore[call-arg]  # the case
    with pytest.raises(marskg.NotPermitted, match="this grant allows nothing"):
        reader.retrieve("x", grant="none")
    with pytest.raises(marskg.InvalidInput, match="there is no filter 'grant'"):
        memory.retrieve("x", grant="none")
    assert "did you mean 'retrieve'" in refusal(reader, "search")
    assert repr(reader) == f"RestrictedMemory(tenant='a', store={memory.store.location!r}, principal='reader:bot')"
    reader.close()


# --- What a memory is -------------------------------------------------------------------------------------------------


def test_a_memory_says_what_it_is_open_or_closed(tmp_path: Path) -> None:
    where = str(tmp_path / "store")
    opened = marskg.open(where, tenant="ines", budget=2_000, embedding="none")
    assert repr(opened) == f"AgentMemory(tenant='ines', store={where!r}, principal='operator')"
    opened.close()
    assert repr(opened) == f"AgentMemory(tenant='ines', store={where!r}, principal='operator', closed=True)"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("bolt://neo4j:s3cret@host:7687", "bolt://host:7687"),
        ("neo4j+s://a:p?w@x@host/db?token=s3cret", "neo4j+s://host/db"),
        ("bolt://host:7687", "bolt://host:7687"),
        ("/home/a@b/store?", "/home/a@b/store?"),
    ],
)
def test_an_address_is_shown_without_what_opens_it(given: str, shown: str) -> None:
    assert without_credentials(given) == shown
