"""Free JSON as a value: its one canonical text, and what is refused."""

from __future__ import annotations

import copy
import json
import math
from typing import Any

import pytest
from hypothesis import given

from marskg.json_object import MAX_BYTES, MAX_DEPTH, JsonObject, UnfitJsonError
from tests.strategies import json_objects


def test_the_text_is_that_of_rfc_8785() -> None:
    # The example of RFC 8785 section 3.2.2, without its number beyond 2^53.
    given = {
        "numbers": [1e30 / 1e20, 4.50, 2e-3, 0.000000000000000000000000001, 5e-7, 1e-6, -0.0, 1.0],
        "string": "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/",
        "literals": [None, True, False],
    }
    assert JsonObject.of(given).text == (
        '{"literals":[null,true,false],"numbers":[10000000000,4.5,0.002,1e-27,5e-7,0.000001,0,1],'
        '"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )
    # Section 3.2.3: names are sorted by UTF-16 code units.
    names = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    assert list(json.loads(JsonObject.of(dict.fromkeys(names, 0)).text)) == [
        "\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33",
    ]  # fmt: skip


@given(json_objects())
def test_an_object_is_what_its_text_says(found: JsonObject) -> None:
    assert JsonObject.read(found.text).text == found.text
    assert found == json.loads(found.text)
    assert JsonObject.of(dict(found)) == found
    assert copy.deepcopy(found) == found


def test_what_is_read_from_it_is_ones_own() -> None:
    found = JsonObject.of({"tags": ["a"]})
    found["tags"].append("b")
    assert found["tags"] == ["a"]
    assert found != {"tags": ["a", "b"]}
    assert {found: 1}[JsonObject.of({"tags": ("a",)})] == 1


def _nested(levels: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for _ in range(levels - 1):
        made = {"a": made}
    return made


def _wide() -> list[Any]:
    made: list[Any] = []
    made.extend([made] * 10)
    return made


BAD: list[tuple[str, Any, str]] = [
    ("no object", ["secret"], "must be a JSON object"),
    ("a text", "secret", "must be a JSON object"),
    ("NaN", {"secret": math.nan}, "NaN or an infinity"),
    ("infinity", {"secret": [-math.inf]}, "NaN or an infinity"),
    ("a lone surrogate", {"secret": "\ud800"}, "lone surrogate U+D800"),
    ("one in a name", {"secret\udfff": 1}, "lone surrogate U+DFFF"),
    ("NUL", {"secret": "\0"}, "NUL"),
    ("a name that is no text", {1: "secret"}, "name that is no text but int"),
    ("too deep", _nested(MAX_DEPTH + 1), f"more than {MAX_DEPTH} levels"),
    ("in itself", {"secret": _wide()}, "levels"),
    ("too large", {"secret": "x" * MAX_BYTES}, f"larger than {MAX_BYTES:,} bytes"),
    ("too many", {f"secret{number}": number for number in range(5000)}, "larger than"),
    ("a large integer", {"secret": 2**53 + 1}, "outside [-2^53, 2^53]"),
    ("a huge integer", {"secret": 10**5000}, "outside [-2^53, 2^53]"),
    ("a set", {"secret": {1}}, "a value of type set"),
    ("bytes", {"secret": b"x"}, "a value of type bytes"),
]


@pytest.mark.parametrize(("value", "rule"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_what_is_no_json_is_refused_without_a_word_of_it(value: Any, rule: str) -> None:
    with pytest.raises(UnfitJsonError) as caught:
        JsonObject.of(value)
    assert rule in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "", "[1]", "1", "{", '{"a":1,"a":2}', '{"a":NaN}', '{"a":-Infinity}', '{"a":' * 30 + "1" + "}" * 30,
        "[" * 100_000, '{"a":' + "9" * 5000 + "}", '{"a":"\\ud800"}', " " * 200_000 + "{}",
    ],
)  # fmt: skip
def test_a_text_that_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(UnfitJsonError):
        JsonObject.read(text)


def test_the_limits_themselves_are_held() -> None:
    whole = JsonObject.of({"a": "é" * ((MAX_BYTES - 8) // 2)})
    assert len(whole.text.encode()) == MAX_BYTES
    assert JsonObject.of(_nested(MAX_DEPTH)).text.count("{") == MAX_DEPTH
