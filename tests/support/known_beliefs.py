"""Beliefs, questions and a session in PrecisionMemBench's layout, written for tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

COOK, SAIL, EVERYWHERE = "domain:kitchen", "domain:boat", "user:universal"


def belief(ident: str, content: str, *, scope: str = COOK, names: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    """Return a belief of the user who is asked for, unless ``more`` says whose it is."""
    return {
        "_id": ident,
        "user_id": "test-user",
        "type": "preference",
        "canonical_name": ident.replace("-", "_"),
        "aliases": list(names),
        "content": content,
        "why_it_matters": "",
        "scope": [scope],
        "pinned": False,
        "resolved_at": None,
        "superseded_by": None,
        "created_at": "2026-01-05T00:00:00Z",
        **more,
    }


def case(name: str, query: str, only: tuple[str, ...], *, scope: str = COOK, **more: Any) -> dict[str, Any]:
    """Return a question and what alone is to be found; ``expect`` in ``more`` says the rest."""
    expect = {"relevantBeliefs": {"shouldOnlyInclude": list(only)}, **more.pop("expect", {})}
    given = {"caseId": name, "category": "Alias resolution", "scope": [scope], "query": query}
    return {**given, **more, "expect": expect}


BELIEFS = (
    belief("stove", "Cooks on a wood stove, never on gas.", names=("range",)),
    belief("bread", "Bakes rye bread with a sourdough that is older than the house."),
    belief("oven-old", "Used an electric oven.", created_at="2025-01-05T00:00:00Z", superseded_by="oven"),
    belief("oven", "Uses a clay oven in the yard.", pinned=True),
    belief("knife-question", "Steel or ceramic knives? Not decided.", type="open_question", pinned=True),
    belief("pan-question", "Which pan? Copper.", type="open_question", pinned=True, resolved_at="2026-02-01T00:00:00Z"),
    belief("mast", "The mast of the dinghy is spruce.", scope=SAIL),
    belief("rigging", "The rigging hangs on the mast.", scope=SAIL, type="relation", participants=["mast"]),
    belief("manner", "Wants plain answers.", scope=EVERYWHERE),
    belief("stranger", "Cooks on gas.", user_id="other-user", pinned=True),
)
CASES = (
    case("by-name", "What about the range?", ("stove",), expect={"personaPrelude": {"contains": ["plain"]}}),
    case("replaced", "Is the oven electric?", (), expect={"pinnedFacts": {"mustInclude": ["oven"]}}),
    case("asked-open", "", (), expect={"openQuestions": {"mustInclude": ["knife-question"], "mustExclude": ["mast"]}}),
    case("resolved", "", (), expect={"openQuestions": {"mustInclude": ["pan-question"]}}),
    case("related", "How does the rigging hang?", ("rigging", "mast"), scope=SAIL),
    case("nobody", "Who cooks?", (), userId="nobody", expect={"personaPrelude": {"isNull": True}}),
    case("wanted-in-vain", "What bread is baked with sourdough?", ("mast",)),
)
SESSIONS = (
    {
        "caseId": "morning",
        "turns": [
            {
                "userMessage": "What bread is baked?",
                "scope": [COOK],
                "createBeliefAtTurn": belief("jam", "Cooks plum jam in September."),
                "expect": {"relevantBeliefs": {"shouldOnlyInclude": ["bread"]}},
            },
            {
                "userMessage": "When is plum jam cooked?",
                "scope": [COOK],
                "updateBeliefAtTurn": {"beliefId": "jam", "addAliases": ["Powidl"]},
                "expect": {"relevantBeliefs": {"mustInclude": ["jam"]}, "noiseCheck": {"mustNotSurface": ["bread"]}},
            },
            {
                "userMessage": "And the powidl?",
                "scope": [COOK],
                "expect": {"relevantBeliefs": {"shouldOnlyInclude": ["jam"]}},
            },
        ],
    },
)


def write(folder: Path, beliefs: Any = BELIEFS, cases: Any = CASES, sessions: Any = SESSIONS) -> Path:
    """Write the three files below ``folder`` and return it."""
    place = folder / "fixtures"
    place.mkdir(parents=True)
    names = ("beliefs.seed.json", "retrieval.cases.json", "session-retrieval.cases.json")
    for name, values in zip(names, (beliefs, cases, sessions), strict=True):
        (place / name).write_text(json.dumps(values), encoding="utf-8")
    return folder
