"""What cannot be meant, or must not be: each with its exit status and a message that says the way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Outcome

NOBODY = "urn:uuid:01890000-0000-7000-8000-000000000000"
#: (arguments, with {name} for the id of a seeded memory; exit status; part of the message)
CASES = [
    (["remember"], 2, "Missing argument 'TEXT'"),
    (["remember", ""], 2, "empty or blank"),
    (["remember", " \n\t "], 2, "empty or blank"),
    (["remember", "x" * (1 << 20) + "y"], 2, "longer than"),
    (["remember", "a \udcff b"], 2, "surrogate"),
    (["remember", "nul \x00 here"], 2, "NUL"),
    (["remember", "x", "--kind", "dream"], 2, "'dream' is not one of"),
    (["remember", "x", "--sensitivity", "nan"], 2, "finite"),
    (["remember", "x", "--sensitivity", "1.5"], 2, "outside"),
    (["remember", "x", "--sensitivity", "much"], 2, "not a valid float"),
    (["remember", "x", "--payload", '{"mood": "good"}'], 2, "'mood' is unknown"),
    (["remember", "x", "--payload", '{"event": 5}'], 2, "event"),
    (["remember", "x", "--payload", "{"], 2, "not JSON"),
    (["remember", "x", "--payload", "[1]"], 2, "one object"),
    (["remember", "x", "--payload", '{"event": "a", "event": "b"}'], 2, "twice"),
    (["remember", "x", "--at", "yesterday"], 2, "2026-03-01T09:30:00Z"),
    (["remember", "x", "--at", "2026-03-01T09:30:00"], 2, "with a zone"),
    (["remember", "x", "--at", "1960-03-01T09:30:00Z"], 2, "between 1970"),
    (["remember", "x", "--ttl", "soon"], 2, "no duration"),
    (["remember", "x", "--ttl", "-3d"], 2, "no duration"),
    (["remember", "x", "--id", "example.org/1"], 2, "is no id"),
    (["remember", "x", "--id", "https://example.org/1"], 2, "urn:uuid:"),
    (["remember", "x", "--id", "{flat}"], 1, "already exists"),
    (["remember", "x", "--derives-from", NOBODY], 1, "no memory of tenant"),
    (["remember", "x", "--depends-on", NOBODY], 1, "no memory of tenant"),
    (["remember", "x", "--requires", "{flat}"], 2, "task"),
    (["remember", "x", "--edge", "temporalNext", "{flat}"], 2, "'temporalNext' is not one of"),
    (["remember", "word " * 500], 1, "budget"),
    (["remember", "word " * 395, "--pin"], 1, "protected"),
    (["get", "flat"], 2, "is no id"),
    (["link", "{flat}", "likes", "{rent}"], 2, "'likes' is not one of"),
    (["link", "{flat}", "dependsOn", NOBODY], 1, "no memory of tenant"),
    (["restore", "{flat}"], 1, "latent"),
    (["budget", "0"], 2, "not in the range"),
    (["budget", "5"], 1, "protected"),
    (["budget", "many"], 2, "not a valid int"),
    (["forget", "--budget", "-1"], 2, "not in the range"),
    (["forget", "--policy", "best"], 2, "there is no policy 'best'"),
    (["forget", "--policy", "best.cypher"], 2, "best.cypher"),
    (["forget", "--budget", "2"], 1, "protected"),
    (["import", "chat", "nowhere.jsonl"], 2, "does not exist"),
    (["import", "memora", "nowhere"], 2, "does not exist"),
    (["load", "nowhere.jsonld"], 2, "does not exist"),
    (["export", "out.doc"], 2, "out.doc"),
    (["export", "out.nq", "--profile", "disclosure"], 2, "write it as that reader"),
    (["export", "out.nq", "--format", "xml"], 2, "'xml' is not one of"),
    (["verify", "--export", "nowhere.nq"], 2, "does not exist"),
    (["audit", "show", "0"], 2, "not in the range"),
    (["audit", "show", "99999"], 2, "no record 99999"),
    (["audit", "prove", "99999"], 2, "99999"),
    (["ontology", "check", "nowhere.ttl"], 2, "does not exist"),
    (["policy", "check", "nowhere.cypher"], 2, "does not exist"),
    (["bench", "nothing"], 2, "there is no bench"),
    (["--tenant", "a|b", "stats"], 2, "tenant"),
    (["clock"], 2, "Missing command"),
]


@pytest.mark.parametrize(("arguments", "status", "said"), CASES, ids=[" ".join(case[0])[:40] for case in CASES])
def test_it_is_refused_with_its_status_and_a_way_out(
    here: Callable[..., Outcome],
    ids: dict[str, str],
    arguments: list[str],
    status: int,
    said: str,
    tmp_path: object,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(str(tmp_path))
    before = None
    if arguments[0] not in {"ontology", "policy", "bench", "clock"}:
        before = here("stats", "--json").out
    outcome = here(*(ids.get(text[1:-1], text) for text in arguments))
    assert said in outcome.error, outcome.err
    assert outcome.status == status, outcome.err
    assert outcome.out == ""
    if before is not None:
        assert here("stats", "--json").out == before, "a refused command changed the store"


def test_no_message_repeats_what_was_to_be_remembered(here: Callable[..., Outcome]) -> None:
    outcome = here("remember", "my secret is 1234", "--sensitivity", "7")
    assert outcome.status == 2
    assert "secret" not in outcome.err
