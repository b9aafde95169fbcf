"""Characters that show nothing: what takes words past a person who reads a prompt or a terminal.

Guarantees: the ranges are those of Unicode's property Default_Ignorable_Code_Point (DerivedCoreProperties.txt, the same
in versions 14 to 16), but for the joiners U+200C and U+200D, which scripts and emoji need, and with the anchors of
interlinear annotations, U+FFF9 to U+FFFB.
"""

from __future__ import annotations

from typing import Final

from marskg.late_regex import late_regex

#: The empty pattern of Braille: a sign to Unicode, a blank to whoever reads.
BRAILLE_BLANK: Final = "\u2800"
#: To stand between the brackets of a pattern.
UNSEEN: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
#: Half of a sign of two in UTF-16, alone: no Unicode text has it, and UTF-8 cannot write it.
SURROGATE: Final = late_regex("[\ud800-\udfff]")
