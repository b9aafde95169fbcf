"""What the signs count by which a turn is known that asks not to be kept.

    python -m scripts.not_kept [--write] [CONVERSATIONS ...]

Learned on the turns of ``tests/data/not_kept.tsv`` and ``tests/data/not_kept_others.json``, and on conversations
(lives, LoCoMo, BEAM, an archive of Memora), of whose turns none asks. Of a turn that asks, the sentence that is most
likely to is what is learned from. Prints for each writer of turns how many of theirs are told apart when theirs are not
learned from: by the frames alone, and by either.
"""

from __future__ import annotations

import argparse
import json
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from marskg.language.not_kept import wish_signs
from marskg.language.not_kept.reading import asked_by_frames, folded
from marskg.language.not_kept.wish_signs import LIKELY, Weights, signs_of
from scripts.newer import lives_of
from scripts.regression import regressed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_DATA: Final = Path(__file__).parents[1] / "tests" / "data"
_RIDGE: Final = 0.002
_ROUNDS: Final = 4
_DIGITS: Final = 2
_TALK: Final = "talk"
#: Memora's archives, where its conversations are, and who asks there.
_ARCHIVE: Final = ".tar.gz"
_CONVERSATIONS: Final = "/conversations/session"
_USER: Final = "user_agent"


class Turn(NamedTuple):
    """A turn of a writer, whether it asks, and the signs of each of its sentences."""

    writer: str
    asks: bool
    text: str
    signs: tuple[frozenset[str], ...]


def turns(conversations: Iterable[Path]) -> list[Turn]:
    """Return all that is learned from."""
    told = [line.split("\t") for line in (_DATA / "not_kept.tsv").read_text("utf-8").splitlines() if line[:1] != "#"]
    others = json.loads((_DATA / "not_kept_others.json").read_text("utf-8"))
    return [
        *(_turn("project", kind == "asks", text.replace("\\n", "\n")) for _, kind, _, text in told),
        *(_turn(one["writer"], one["asks"], one["text"]) for one in others),
        *(
            _turn(_TALK, asks=False, text=text)
            for file in conversations
            for text in (_of_archive(file) if file.name.endswith(_ARCHIVE) else _of_lives(file))
            if asked_by_frames(text) is None
        ),
    ]


def _of_lives(file: Path) -> Iterator[str]:
    return (turn["text"] for life in lives_of(file) for turn in life["turns"] if turn["role"] == "user")


def _of_archive(file: Path) -> Iterator[str]:
    """Yield what users say in an archive of Memora."""
    with tarfile.open(file) as archive:
        for member in archive:
            read = archive.extractfile(member) if _CONVERSATIONS in member.name and member.isfile() else None
            if read is not None:
                yield from (one["message"] for one in json.load(read)["conversation"] if one["speaker"] == _USER)


def _turn(writer: str, asks: bool, text: str) -> Turn:  # noqa: FBT001 - one field after the other
    return Turn(writer, asks, text, tuple(signs_of(folded(text))))


def learned(told: Sequence[Turn]) -> Weights:
    """Return the weights under which what asks is told apart best."""
    names = sorted({sign for turn in told for each in turn.signs for sign in each})
    rows = [(turn.asks, place, each) for place, turn in enumerate(told) for each in turn.signs]
    table = np.array([[sign in each for sign in names] for _, _, each in rows], dtype=np.float64)
    asks, owner = np.array([one for one, _, _ in rows]), np.array([place for _, place, _ in rows])
    chosen = np.ones(len(rows), dtype=np.bool_)
    for _ in range(_ROUNDS):
        weights, even = regressed(table[chosen], asks[chosen], np.ones(chosen.sum()), _RIDGE)
        total, chosen = table @ weights + even, ~asks
        for place in np.unique(owner[asks]):
            mine = np.flatnonzero(owner == place)
            chosen[mine[np.argmax(total[mine])]] = True
    rounded = {name: round(float(weight), _DIGITS) for name, weight in zip(names, weights, strict=True)}
    return Weights(rounded, round(even, _DIGITS))


def main() -> None:
    """Print how well it is told apart, and write the weights where asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--write", action="store_true", help="write wish_signs.json")
    parser.add_argument("conversations", nargs="*", type=Path)
    given = parser.parse_args()
    told = turns(given.conversations)
    print("not learned from: asks, by frames, by either; looks so, taken by frames, by either")
    for writer in sorted({turn.writer for turn in told}):
        weights = learned([turn for turn in told if turn.writer != writer])
        mine = [turn for turn in told if turn.writer == writer]
        print(writer, *(_found(weights, [turn for turn in mine if turn.asks is asks]) for asks in (True, False)))
    if given.write:
        weights = learned(told)
        path = Path(wish_signs.__file__).with_name("wish_signs.json")
        path.write_text(json.dumps({"even": weights.even, "signs": dict(weights.signs)}, indent=1) + "\n", "utf-8")


def _found(weights: Weights, told: Sequence[Turn]) -> str:
    by_frames = [asked_by_frames(turn.text) is not None for turn in told]
    likely = [max(map(weights.chance, turn.signs), default=0.0) >= LIKELY for turn in told]
    either = sum(one or other for one, other in zip(by_frames, likely, strict=True))
    return f"{len(told)}, {sum(by_frames)}, {either};"


if __name__ == "__main__":
    main()
