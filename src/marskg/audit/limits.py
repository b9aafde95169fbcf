"""The one list of what verification cannot show; SECURITY.md, README.md and the verifier's own output quote it.

Guarantees: each sentence names one change that leaves no finding, and who or what shows it instead. A test holds the
documents equal to this list, and another makes each change of the store that the list allows.
"""

from __future__ import annotations

from typing import Final

#: What no check of a store, or of an export, finds by itself.
LIMITS: Final = (
    "A store, export or log put back to an older state, or another in its place: only a kept head of it shows that.",
    "A history rewritten or continued by whoever holds the signing key: only a witness with a signed head shows it.",
    "Who replaced a lost key: the replacement is a warning for ever, and only its owner knows whether it was theirs.",
    "Whether a recorded time was the true time: it is the writer's clock, put back only by a record.",
    "Scores, access statistics, ranks, where snapshots lie, order of entities, preferences, Random-Drop: in no record.",
    "Vectors and search indexes: they are derived from the memories; make them anew with mars maintenance reembed.",
    "What is left of forgotten memories but ids and edges, words of look-ups, kept answers of models.",
    "Whose log an export is: its first record says so itself; name the key or the log that you expect (--key, --log).",
    "In an export, what is said of the memories: only mars verify on the store holds them against the log.",
)
