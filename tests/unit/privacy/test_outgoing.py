"""What goes to a model that runs elsewhere, by what a server received: redacted, refused, permitted."""

# ruff: noqa: RUF001 - digits that look like others are what is tested

from __future__ import annotations

import json
from datetime import UTC
from typing import TYPE_CHECKING, Any

import pytest

from marskg.audit.keys import Handles
from marskg.config import Settings
from marskg.drafts import Draft
from marskg.extraction.by_rules import RuleExtractor
from marskg.extraction.model import ModelExtractor
from marskg.extraction.proposal import Turn
from marskg.models.asking import Asking, load_model
from marskg.models.roles import READING
from marskg.ontology.vocabulary import Kind, MemoryClass, PreferenceRule, SourceType
from marskg.privacy.outgoing import PURPOSE, Outgoing
from marskg.privacy.sensitivity import Assessor
from marskg.records import Preference
from marskg.store.rows.name_rules import NameDigests, NameSearch
from marskg.store.unit.preference_rules import PreferenceSet
from marskg.weight import TokenCounter
from tests.support.chat_server import chat_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.extraction.model_reading import Reading
    from tests.support.chat_server import ChatServer

AT = 1_764_590_400_000
SAID = "The garden needs water on Monday."
SECRETS = {
    "password": ("My password is hunter2, and the garden needs water.", "hunter2"),
    "address": ("Write to ana@example.org about the garden.", "ana@example.org"),
    "card": ("My card is 4111 1111 1111 1111, order the seeds.", "4111"),
    "illness": ("I was diagnosed with epilepsy. The garden needs water.", "epilepsy"),
    "iban": ("Pay DE89 3704 0044 0532 0130 00 for the seeds.", "3704"),
    "spelt out": ("Write to ana (at) example (dot) org about the garden.", "ana (at) example"),
    "in another alphabet": ("My card is ４１１１ １１１１ １１１１ １１１１, order the seeds.", "１１１１"),
}  # fmt: skip


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        running.model = lambda _: {"facts": []}
        yield running


def _rule(rule: PreferenceRule, target: str | None = None, subject: str | None = None, **more: Any) -> Preference:
    return Preference(f"urn:p:{rule}", "t", AT, 1, rule, subject, target=target, **more)


def _outgoing(settings: Settings, rules: PreferenceSet) -> Outgoing:
    search = NameSearch(NameDigests(Handles(bytes(32)), "t"), rules.naming, rules.sought)
    return Outgoing(settings, rules, Assessor(), AT, names=search, setting="models.extract")


def _read(server: ChatServer, draft: Draft, *rules: Preference, **values: Any) -> Reading:
    named = {"models.extract": f"openai:m@{server.url}", "sensitivity.presidio": "off"}
    settings = Settings().with_values(named | {name.replace("__", "."): value for name, value in values.items()})
    chat = load_model(READING, settings.models, TokenCounter(), {})
    assert chat is not None
    outgoing = _outgoing(settings, PreferenceSet(rules))
    asking = Asking(chat, settings.models, lambda: AT)
    reader = ModelExtractor(asking, RuleExtractor(), UTC, lambda *_: outgoing.shown(draft))
    return reader.extract([Turn(draft.content, AT, "Ana", session=draft.session)])


def _draft(content: str = SAID, **fields: Any) -> Draft:
    return Draft(ref="1", kind=Kind.EPISODIC, content=content, at=AT, **fields)


def _received(server: ChatServer) -> str:
    return json.dumps([request for _, _, request in server.requests], ensure_ascii=False)


def test_an_ordinary_turn_goes_out_as_it_is(server: ChatServer) -> None:
    _read(server, _draft(subjects=("Ana",)))
    assert server.texts == [SAID]


@pytest.mark.parametrize("name", SECRETS)
def test_what_weighs_more_than_the_limit_does_not_go_out(server: ChatServer, name: str) -> None:
    text, secret = SECRETS[name]
    _read(server, _draft(text))
    assert secret not in _received(server)
    assert secret.casefold() not in _received(server).casefold()


def test_the_rest_of_a_redacted_turn_goes_out(server: ChatServer) -> None:
    _read(server, _draft(SECRETS["password"][0]))
    assert "the garden needs water" in _received(server)


def test_what_the_limit_allows_goes_out(server: ChatServer) -> None:
    text, secret = SECRETS["address"]
    _read(server, _draft(text), models__max_sensitivity=1.0)
    assert secret in _received(server)


@pytest.mark.parametrize(
    "fields", [{"sensitivity": 0.9}, {"memory_class": MemoryClass.PRIVATE}, {"purpose": ("care",), "sensitivity": 0.4}]
)
def test_what_its_caller_made_sensitive_does_not_go_out_at_all(server: ChatServer, fields: dict[str, Any]) -> None:
    found = _read(server, _draft(**fields))
    assert server.requests == []
    assert "not sent to the model" in found.notices[0]


REFUSING: dict[str, tuple[Preference, dict[str, Any]]] = {
    "a blacklisted conversation": (_rule(PreferenceRule.BLACKLISTED_CONVERSATION, "s1"), {"session": "s1"}),
    "a blacklisted name": (_rule(PreferenceRule.BLACKLISTED_ENTITY, "garden"), {}),
    "an opt-out of the source": (
        _rule(PreferenceRule.OPT_OUT_SOURCE, SourceType.CHAT_USER, "Ana"), {"subjects": ("Ana",)},
    ),
    "an opt-out of the kind": (_rule(PreferenceRule.OPT_OUT_KIND, Kind.EPISODIC, "Ana"), {"subjects": ("Ana",)}),
    "an opt-out of models": (_rule(PreferenceRule.OPT_OUT_PURPOSE, PURPOSE, "Ana"), {"subjects": ("Ana",)}),
    "a consent that is required": (_rule(PreferenceRule.CONSENT_REQUIRED, PURPOSE, "Ana"), {"subjects": ("Ana",)}),
    "a consent that ended": (
        _rule(PreferenceRule.CONSENT, PURPOSE, "Ana", withdrawn_at=AT - 1), {"subjects": ("Ana",)},
    ),
    "a private entity": (_rule(PreferenceRule.PRIVATE_ENTITY, "garden", level=0.8), {}),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSING)
def test_what_a_preference_refuses_does_not_go_out(server: ChatServer, name: str) -> None:
    rule, fields = REFUSING[name]
    found = _read(server, _draft(**fields), rule)
    assert server.requests == []
    assert "not sent to the model" in found.notices[0]
    assert "garden" not in found.notices[0]


def test_the_preferences_of_others_keep_nothing_back(server: ChatServer) -> None:
    _read(server, _draft(subjects=("Ben",)), _rule(PreferenceRule.OPT_OUT_PURPOSE, PURPOSE, "Ana"))
    assert server.texts == [SAID]


def test_who_consents_is_read(server: ChatServer) -> None:
    rules = [_rule(PreferenceRule.CONSENT_REQUIRED, PURPOSE, "Ana"), _rule(PreferenceRule.CONSENT, PURPOSE, "Ana")]
    _read(server, _draft(subjects=("Ana",)), *rules)
    assert server.texts == [SAID]


def test_an_encrypted_tenant_needs_a_permission_of_its_own(server: ChatServer) -> None:
    found = _read(server, _draft(), encryption="subjects")
    assert server.requests == []
    assert "models.encrypted" in found.notices[0]
    _read(server, _draft(), encryption="subjects", models__encrypted=True)
    assert server.texts == [SAID]


def test_nothing_goes_out_where_no_model_is_named() -> None:
    shown = _outgoing(Settings(), PreferenceSet()).shown(_draft())
    assert (shown.text, shown.why) == (None, "models.extract names none")
