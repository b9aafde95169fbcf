"""Prints precision and recall of entity recognition on Memora: ``python scripts/entity_quality.py FOLDER``.

``FOLDER`` holds the periods, such as ``memora/weekly``; ``--misses N`` lists the N most frequent misses and doubtful
claims of each type, ``--spacy MODEL`` measures an installed spaCy model instead. The gold: ``marskg_bench.entities``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from marskg.entities import Recogniser, SpacyRecogniser
from marskg_bench.entities import entity_quality

if TYPE_CHECKING:
    from marskg.entities import Recognising


def main() -> int:
    """Measure each period of the folder and print one line for each type."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--misses", type=int, default=0)
    parser.add_argument("--spacy")
    options = parser.parse_args()
    recogniser: Recognising = SpacyRecogniser(options.spacy) if options.spacy else Recogniser()
    print("period   type      gold  recall  typed  claimed  precision (lower bound)")
    for period in sorted(path for path in options.folder.iterdir() if path.is_dir()):
        for type_, quality in entity_quality(period, recogniser).items():
            print(
                f"{period.name:8} {type_:8} {quality.expected:5}  {quality.recall:6.3f} {quality.typed_recall:6.3f}"
                f"  {quality.claimed:7}  {quality.precision:.3f}"
            )
            if options.misses:
                print("   missed:", quality.missed.most_common(options.misses))
                print("   not in the gold:", quality.wrong.most_common(options.misses))
    return 0


if __name__ == "__main__":
    sys.exit(main())
