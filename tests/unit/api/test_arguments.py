"""The checks made from annotations: what fits goes in as it is, what does not is named and not repeated."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping  # noqa: TC003 - annotations that are read at run time
from datetime import UTC, datetime, timedelta, timezone
from inspect import isfunction
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

import pytest

from marskg.api.arguments import checked_call, checked_calls, rule_of
from marskg.api.operations import NAMESPACES, operation, operations, operations_of
from marskg.drafts import Draft, EntityRef
from marskg.errors import InvalidInput, InvalidMemory
from marskg.given_time import GivenTime, Moment
from marskg.memory import AgentMemory
from marskg.ontology.vocabulary import Kind
from marskg.privacy.principals import RIGHTS
from tests.support.stores import START

SURROGATE = "a\ud800b"
DRAFT = Draft(ref="d", kind=Kind.SEMANTIC, content="x", at=START)


class Filters(TypedDict, total=False):
    since: GivenTime | None


@checked_calls(Filters, errors={"named": InvalidMemory})
class Doors:
    """Public methods with parameters of every kind."""

    def text(self, text: str) -> str:
        return text

    def named(self, text: str) -> str:
        return text

    def flag(self, *, flag: bool = False) -> bool:
        return flag

    def whole(self, number: int | None = None) -> int | None:
        return number

    def time(self, *, at: GivenTime) -> GivenTime:
        return at

    def part(self, number: float) -> float:
        return number

    def many(self, names: Iterable[str] | str = ()) -> object:
        return names

    def pairs(self, pairs: Iterable[tuple[str, str]] = ()) -> object:
        return pairs

    def drafts(self, drafts: Iterable[Draft]) -> list[Draft]:
        return list(drafts)

    def mapping(self, values: Mapping[str, Any] | None = None) -> object:
        return values

    def path(self, path: str | Path) -> object:
        return path

    def function(self, progress: Callable[[int], None] | None = None) -> object:
        return progress

    def choice(self, way: Literal["up", "down"]) -> str:
        return way

    def filtered(self, **filters: Unpack[Filters]) -> object:
        return filters

    def entity(self, entity: EntityRef) -> object:
        return entity


def long_name() -> str:
    return "x" * 300


#: (method, a value that fits)
FITTING: list[tuple[str, Any]] = [
    ("text", "a"),
    ("text", ""),
    ("flag", True),
    ("whole", 3),
    ("whole", None),
    ("whole", 2**53),
    ("part", 0.5),
    ("part", 1),
    ("many", "ann"),
    ("many", ("a", "b")),
    ("mapping", {"a": object}),
    ("mapping", None),
    ("path", "a/b"),
    ("path", Path("a")),
    ("path", "caf\udce9"),
    ("function", print),
    ("choice", "up"),
    ("entity", EntityRef("Ann", aliases=("A",))),
]

#: (method, a value that does not fit, what is said)
REFUSED: list[tuple[str, Any, str]] = [
    ("text", 5, "text must be a string, not int"),
    ("text", None, "text must be a string, not NoneType"),
    ("text", b"a", "text must be a string, not bytes"),
    ("text", SURROGATE, r"text has a lone surrogate U\+D800 at position 1; decode the text as UTF-16"),
    ("text", "a\0", "text has a NUL character at position 1; remove it"),
    ("text", "ä\0", "text has a NUL character at position 1; remove it"),
    ("flag", "no", "flag must be True or False, not str"),
    ("flag", 1, "flag must be True or False, not int"),
    ("whole", True, "number must be an integer, not bool"),
    ("whole", 1.0, "number must be an integer, not float"),
    ("whole", 10**5000, "number is an integer of 16,610 bits"),
    ("part", math.nan, "number must be a finite number, not nan"),
    ("part", -math.inf, "number must be a finite number, not -inf"),
    ("part", 10**400, "number must be a finite number, not an integer of 1,329 bits"),
    ("part", "1", "number must be a number, not str"),
    ("many", 5, "names must be a list of strings, or a string, not int"),
    ("many", b"ab", "names must be a list of strings, or a string, not bytes"),
    ("many", {"a": 1}, "names must be a list of strings, or a string, not dict"),
    ("many", ["a", 5], "names: item 2 must be a string, not int"),
    ("many", ["a", SURROGATE], "names: item 2 has a lone surrogate"),
    ("pairs", ["ab"], "pairs: item 1 must be a tuple .a string, a string., not str"),
    ("pairs", [("a",)], "pairs: item 1 must be a tuple .a string, a string., not tuple"),
    ("pairs", [("a", 1)], "pairs: item 1 must be a string, not int"),
    ("drafts", [DRAFT, 5], "drafts: item 2 must be a Draft.ref=…, kind=…, content=…, at=…., not int"),
    ("drafts", 5, "drafts must be a list of items, each a Draft.*, not int"),
    ("mapping", [("a", 1)], "values must be a mapping with strings as keys, not list"),
    ("mapping", {1: 1}, "values has a key, which must be a string, not int"),
    ("path", 5, "path must be a path, not int"),
    ("path", "", "path is empty"),
    ("path", "a\0", "path has a NUL"),
    ("path", Path("a\0"), "path has a NUL"),
    ("path", SURROGATE, "path has a lone surrogate"),
    ("path", "x" * 256, "path is a path of 256 bytes"),
    ("path", "x/" * 3000, "path is a path of 6,000 bytes"),
    ("function", 5, "progress must be a function, not int"),
    ("choice", "left", "way must be one of up, down, not str"),
    ("entity", EntityRef(5), "entity has a field name that must be a string, not int"),  # type: ignore[arg-type]  # the case
    ("entity", EntityRef("a", aliases=(1,)), "entity has a field aliases that item 1 must be"),  # type: ignore[arg-type]  # the case
]


@pytest.mark.parametrize(("method", "value"), FITTING, ids=range(len(FITTING)))
def test_what_fits_goes_in_as_it_is(method: str, value: Any) -> None:
    name = next(iter(vars(Doors)[method].arguments.rules))
    assert getattr(Doors(), method)(**{name: value}) == value


@pytest.mark.parametrize(("method", "value", "said"), REFUSED, ids=range(len(REFUSED)))
def test_what_does_not_fit_is_named_and_not_repeated(method: str, value: Any, said: str) -> None:
    name = next(iter(vars(Doors)[method].arguments.rules))
    with pytest.raises(InvalidInput, match=f"^{said}") as refusal:
        getattr(Doors(), method)(**{name: value})
    assert len(str(refusal.value)) < 300


def test_arguments_by_place_are_checked() -> None:
    assert Doors().text("a") == "a"
    with pytest.raises(InvalidInput, match="text must be a string"):
        Doors().text(5)  # type: ignore[arg-type]  # the case


def test_an_operation_says_which_error_it_has() -> None:
    with pytest.raises(InvalidMemory):
        Doors().named(5)  # type: ignore[arg-type]  # the case


def test_what_can_be_read_once_is_read_once() -> None:
    assert Doors().many(name for name in "ab") == ("a", "b")


def test_a_stream_is_checked_as_it_is_taken() -> None:
    class Watched:
        taken = 0

        def __iter__(self) -> Any:
            for one in (DRAFT, DRAFT, 5, DRAFT):
                self.taken += 1
                yield one

    watched: Any = Watched()
    with pytest.raises(InvalidInput, match=r"drafts: item 3 must be a Draft.*, not int"):
        Doors().drafts(watched)
    assert watched.taken == 3


def test_the_fields_of_a_draft_are_checked_by_name() -> None:
    bad = Draft(ref="d", kind=Kind.SEMANTIC, content="x", at=START, pin="no")  # type: ignore[arg-type]  # the case
    with pytest.raises(InvalidInput, match="drafts: item 1 has a field pin that must be True or False, not str"):
        Doors().drafts([bad])


def test_keywords_of_a_typed_mapping_are_checked() -> None:
    assert Doors().filtered(since=START) == {"since": START}
    with pytest.raises(InvalidInput, match="since is no time with a zone"):
        Doors().filtered(since="3")


@pytest.mark.parametrize(
    ("time", "way_out"),
    [
        (1_795_000_000, "is in seconds, as it seems, .*: multiply it by 1,000"),
        (0, r"before 1990 .* marskg\.Moment\.of\("),
        (4_133_980_800_000, "after 2100"),
        (1_795_000_000_000_000, "after 2100"),
        (Moment(-1), "before 1970"),
    ],
)
def test_a_time_in_another_unit_is_asked_about(time: int, way_out: str) -> None:
    with pytest.raises(InvalidInput, match=f"^at .*{way_out}"):
        Doors().time(at=time)


@pytest.mark.parametrize("time", [631_152_000_000, 4_133_980_799_999, Moment(0), Moment.parse("9999-12-31T23:59:59Z")])
def test_a_time_that_is_meant_is_taken_as_a_plain_number(time: int) -> None:
    found = Doors().time(at=time)
    assert (found, type(found)) == (time, int)


WEST = timezone(-timedelta(hours=5))
NAIVE = datetime(2026, 3, 1)  # noqa: DTZ001 - the case


@pytest.mark.parametrize("when", [NAIVE, datetime(1969, 1, 1, tzinfo=UTC), datetime.max.replace(tzinfo=WEST), 5])
def test_a_moment_has_a_zone_and_can_be_written(when: Any) -> None:
    with pytest.raises(InvalidInput, match=r"write it as|must be a datetime"):
        Moment.of(when)


def test_what_is_overridden_takes_what_it_took() -> None:
    @checked_calls()
    class Below(Doors):
        def flag(self, **asked: Any) -> bool:
            return super().flag(**asked)

    with pytest.raises(InvalidInput, match="flag must be True or False, not str"):
        Below().flag(flag="no")


def test_a_function_of_a_module_is_checked() -> None:
    @checked_call
    def add(one: int, *, other: int = 0) -> int:
        return one + other

    assert add(1, other=2) == 3
    with pytest.raises(InvalidInput, match="other must be an integer, not bool"):
        add(1, other=True)


def test_what_makes_an_object_is_checked_and_called_by_its_class() -> None:
    class Made:
        @checked_call
        def __init__(self, one: int, *, other: int = 0) -> None:
            self.sum = one + other

    assert Made(1, other=2).sum == Made(one=1, other=2).sum == 3
    with pytest.raises(InvalidInput, match=r"^Made takes one, then keywords: other=…$"):
        Made(1, 2)  # type: ignore[call-arg]  # the case
    with pytest.raises(InvalidInput, match=r"^Made needs one: "):
        Made()  # type: ignore[call-arg]  # the case


def test_arguments_that_there_are_not_are_refused_as_python_refuses_them_and_as_input() -> None:
    for caught in (TypeError, InvalidInput):
        with pytest.raises(caught, match=r"^text takes no 'txt'; did you mean 'text'\?$"):
            Doors().text(txt="a")  # type: ignore[call-arg]  # the case
        with pytest.raises(caught, match=r"^text takes text alone; leave out what follows$"):
            Doors().text("a", "b")  # type: ignore[call-arg]  # the case
        with pytest.raises(caught, match=r"^text needs text: call text\(text=…\)$"):
            Doors().text()  # type: ignore[call-arg]  # the case
        with pytest.raises(caught, match=r"^text got text by its place and by its name; give it once$"):
            Doors().text("a", text="b")  # type: ignore[misc]  # the case


# --- The table -------------------------------------------------------------------------------------------------------


def test_every_public_operation_is_a_row_with_checked_parameters() -> None:
    table = {row.name: row for row in operations()}
    for owner, way in ((AgentMemory, ""), *((one, f"{one.NAME}.") for one in NAMESPACES)):
        public = {name for name in vars(owner) if not name.startswith("_")}
        assert {f"{way}{name}" for name in public if isfunction(getattr(owner, name))} <= set(table)
    assert {"open", "preferences.set", "privacy.private_mode().remember", "audit.seal"} <= set(table)
    assert table["remember"].required == ("content",)
    assert table["retrieve"].parameters["sessions"].expected == "a list of strings, or a string"


def test_a_planted_method_is_a_row_as_soon_as_it_has_rights() -> None:
    @checked_calls()
    class Grown(AgentMemory):
        def restore(self, id: str) -> Any:  # noqa: A002 - as the method has it
            return super().restore(id)

    assert "restore" in {row.name for row in operations_of(Grown)}


def test_a_method_without_rights_is_no_row() -> None:
    @checked_calls()
    class Grown(AgentMemory):
        def shout(self, text: str) -> str:
            return text

    with pytest.raises(TypeError, match=r"Grown\.shout has no row"):
        operations_of(Grown)


def test_a_method_without_annotations_or_without_checks_is_no_row() -> None:
    @checked_calls()
    class Bare:
        def get(self, id):  # type: ignore[no-untyped-def]  # noqa: A002, ANN001, ANN202 - the case
            return id

    with pytest.raises(TypeError, match="a parameter id without an annotation"):
        operation("get", Bare.get, RIGHTS[0])
    with pytest.raises(TypeError, match="does not check its arguments"):
        operation("long_name", long_name, RIGHTS[0])


def test_a_type_that_nobody_can_check_is_refused() -> None:
    with pytest.raises(TypeError, match="there is no check for values of the type"):
        rule_of(set[str])
