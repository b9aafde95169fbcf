"""``mars preferences`` with what is wrong: one line that says where, and nothing is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Outcome

HEAD = b"preferences:\n- {rule: opt_out_kind, target: social}\n"
#: By name: a file, and what the one line says besides the file's name.
FILES: dict[str, tuple[bytes, str]] = {
    "unknown rule": (HEAD + b"- {rule: hoard}\n", "line 3: rule 'hoard' is unknown; known are retention"),
    "unknown key": (HEAD + b"- {rule: retention, horizont: 1d}\n", "line 3: 'horizont' is no field of a rule"),
    "wrong unit": (
        HEAD + b"- {rule: retention, horizon: 30}\n- {rule: retention, horizon: 1 day}\n",
        "line 4: horizon",
    ),
    "contradiction": (
        HEAD + b"- {rule: consent, subject: ana, target: ads}\n- {rule: opt_out_purpose, subject: ana, target: ads}\n",
        "line 4: opt_out_purpose says the opposite of consent in line 3",
    ),
    "past": (
        HEAD + b"- {rule: consent, subject: ana, until: 2001-01-01T00:00:00Z}\n",
        "line 3: until of consent is past",
    ),
    "another tenant": (HEAD + b"- {rule: retention, horizon: 1d, tenant: other}\n", "line 3: 'tenant' is no field"),
    "key twice": (HEAD + b"- rule: retention\n  horizon: 1d\n  horizon: 2d\n", "line 5 is not valid YAML"),
    "alias": (HEAD + b"- &a {rule: retention, horizon: 1d}\n- *a\n", "line 4 is not valid YAML: aliases"),
    "latin-1": (HEAD + b"- {rule: blacklisted_entity, target: J\xf6rg}\n", "is not YAML in UTF-8"),
    "ten megabytes": (HEAD * 200_000, "is larger than 1,048,576 bytes"),
}


def held(here: Callable[..., Outcome], folder: Path) -> tuple[Any, ...]:
    """Return what a refused command must leave as it is: rules, numbers, and the whole store as it is exported."""
    path = folder / "held.nq"
    path.unlink(missing_ok=True)
    assert here("export", path, "--audit").status == 0
    # Each export signs a head of its own for its end.
    lines = sorted(line for line in path.read_text("utf-8").splitlines() if "#head-" not in line)
    return here("preferences", "list", "--json").json(), here("stats", "--json").json(), lines


def test_a_file_of_rules_that_is_wrong_is_refused_whole(here: Callable[..., Outcome], tmp_path: Path) -> None:
    before = held(here, tmp_path)
    path = tmp_path / "rules.yaml"
    for data, said in FILES.values():
        path.write_bytes(data)
        for more in ((), ("--dry-run",), ("--yes",)):
            outcome = here("preferences", "load", path, *more)
            assert (outcome.status, outcome.out) == (2, ""), outcome.err
            assert outcome.error.startswith(str(path))
            assert said in outcome.error
    assert held(here, tmp_path) == before
    assert here("verify").status == 0


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("preferences", "set", "hoard"), 2, "'hoard' is not one of"),
        (("preferences", "set", "retention", "dream", "--horizon", "1d"), 2, "a kind: one of episodic"),
        (("preferences", "set", "retention", "--horizon", "30"), 2, "no duration from 1 ms to 100 years"),
        (
            ("preferences", "set", "retention", "--horizon", "1d", "--subject", "ana", "--department", "x"),
            2,
            "not for both",
        ),
        (("preferences", "set", "private_entity", "Ana", "--level", "30"), 2, "level of private_entity"),
        (("preferences", "set", "sensitivity_ceiling", "hobby", "--level", "0.5"), 2, "a category: one of"),
        (("preferences", "set", "member_of", "care"), 2, "member_of needs a subject"),
        (("preferences", "consent", "ana", "--until", "2001-01-01T00:00:00Z"), 2, "until of consent is past"),
        (("preferences", "withdraw", "ana", "--purpose", "ads"), 2, "no such consent in force"),
        (("preferences", "remove", "urn:uuid:0190b0aa-0000-7000-8000-000000000000"), 1, "is no preference of tenant"),
        (("preferences", "load", "nowhere.yaml"), 2, "nowhere.yaml"),
        (("preferences", "apply", "atlantis"), 2, "no template 'atlantis'; there are ccpa"),
        (("preferences", "template", "../gdpr"), 2, "no template"),
        (("preferences", "unapply", "gdpr", "--department", "care"), 2, "is not applied to this department"),
        (("--as", "reader:bot", "preferences", "load", "RULES"), 1, "may not use preferences"),
        (("--as", "subject:ana", "preferences", "load", "RULES"), 1, "may not use preferences"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    here: Callable[..., Outcome], tmp_path: Path, arguments: tuple[str, ...], status: int, said: str
) -> None:
    path = tmp_path / "rules.yaml"
    path.write_bytes(HEAD)
    before = held(here, tmp_path)
    outcome = here(*(path if one == "RULES" else one for one in arguments))
    assert (outcome.status, outcome.out) == (status, ""), outcome.err
    assert said in outcome.error
    assert held(here, tmp_path) == before


def test_a_rule_about_a_name_is_shown_by_its_label_and_found_by_the_name(here: Callable[..., Outcome]) -> None:
    name = "Quennell Zyxbarrow"
    done = here("preferences", "set", "blacklisted_entity", name, "--label", "case 12")
    assert "set: blacklisted_entity case 12, for all" in done.out
    listed = here("preferences", "list", "--target", name.upper())
    assert "case 12" in listed.out
    assert "case 12" not in here("preferences", "list", "--target", "Somebody").out
    (rule,) = here("preferences", "list", "--json").json()["preferences"]
    assert rule["label"] == "case 12"
    shown = here("preferences", "show", rule["id"])
    refused = here("preferences", "set", "private_entity", name, "--label", "the Zyxbarrow file")
    assert (refused.status, "label of private_entity has the name" in refused.error) == (2, True)
    kept = here("remember", f"Lunch with {name}")
    assert kept.status == 1
    for outcome in (done, listed, shown, refused, kept, here("preferences", "effective")):
        assert not {"quennell", "zyxbarrow"} & set((outcome.out + outcome.err).casefold().split())
