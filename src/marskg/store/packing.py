"""How Neo4j packs short texts into its property records, so that they are found there.

Guarantees: of a text that Neo4j 5's record formats (``aligned``, ``standard``) keep inside a property record of two to
four blocks, every form that it may have there is returned; the first two of its blocks, sixteen bytes. The three bytes
5 to 7 hold the number of the property's name and are zero here. Forms that another writer would not choose may be among
them; that a form is missing is what the tests look for on a real server. Taken from the format as Neo4j 5.26.30 writes
it: a header of 39 bits (24 name, 4 type, 5 table, 6 length), then the characters, little end first, blocks big end
first.
"""

from __future__ import annotations

from typing import Final

#: What a text shorter than this leaves is too little to be told from anything else.
_LEAST: Final = 8
_HEADER: Final = 39
_NAME_BITS: Final = 24
_TABLE_SHIFT: Final = 28
_LENGTH_SHIFT: Final = 33
#: The type of a short text.
_SHORT: Final = 11
_BLOCK_BITS: Final = 64
_BLOCKS: Final = 4
_LATIN1: Final = 10
_UTF8: Final = 0
_LOWER: Final = "abcdefghijklmnopqrstuvwxyz"
_UPPER: Final = _LOWER.upper()
_FOLDED: Final = f"{_UPPER}01234_{_LOWER}56789"
#: By its number: bits of a character, and the characters in the order of their codes. Codes below a table's later
#: characters are never written, so that of two equal ones the last is meant.
_TABLES: Final = {
    1: (4, "0123456789 .-+,'"),
    2: (4, "0123456789 -:/+,"),
    3: (5, f" {_UPPER}_.-:/"),
    4: (5, f" {_LOWER}_.-:/"),
    5: (5, f",{_LOWER}_.-+@"),
    6: (6, f" {_LOWER}+,-./0123456789_.-:/+,'@|;*?&%#()$<>="),
    7: (6, f" {_FOLDED}"),
    8: (6, f" {_UPPER}_.-:/;{_LOWER}+,'@|"),
    9: (
        7,
        "".join(chr(code) for code in range(0xC0, 0xD7)) + "." + "".join(chr(code) for code in range(0xD8, 0xF7))
        + "-" + "".join(chr(code) for code in range(0xF8, 0x100)) + f" {_FOLDED}",
    ),
    11: (4, f"0123456789{_LOWER[:6]}"),
    12: (4, f"0123456789{_UPPER[:6]}"),
}  # fmt: skip
_CODES: Final = {
    number: (bits, {character: code for code, character in enumerate(characters)})
    for number, (bits, characters) in _TABLES.items()
}
#: The longest text that four blocks can hold, in any table.
_LONGEST: Final = (_BLOCKS * _BLOCK_BITS - _HEADER) // 4


def packed_forms(text: str) -> list[bytes]:
    """Return the first two blocks, 16 bytes, of each form that ``text`` may have inside a property record.

    None for one that is too short to be told from others, or too long to be packed.
    """
    if not _LEAST <= len(text) <= _LONGEST:
        return []
    forms = []
    for number, (bits, codes) in _CODES.items():
        if all(character in codes for character in text):
            forms.append(_packed(number, len(text), bits, [codes[character] for character in text]))
    latin = text.encode("latin-1", "ignore")
    if len(latin) == len(text):
        forms.append(_packed(_LATIN1, len(latin), 8, latin))
    wide = text.encode("utf-8", "surrogatepass")
    forms.append(_packed(_UTF8, len(wide), 8, wide))
    return [form for form in forms if form]


def _packed(number: int, length: int, bits: int, codes: list[int] | bytes) -> bytes:
    """Return two blocks, or nothing where the text does not fit, or fits into one."""
    size = _HEADER + bits * length
    if not _BLOCK_BITS < size <= _BLOCKS * _BLOCK_BITS:
        return b""
    value = _SHORT << _NAME_BITS | number << _TABLE_SHIFT | length << _LENGTH_SHIFT
    for place, code in enumerate(codes):
        value |= code << (_HEADER + bits * place)
    mask = (1 << _BLOCK_BITS) - 1
    return (value & mask).to_bytes(8, "big") + (value >> _BLOCK_BITS & mask).to_bytes(8, "big")
