"""Names by which an agent gives feedback on what it was shown, without the numbers of the access log.

Guarantees: a name tells nothing of its record, as it is one block of AES-256 (FIPS 197) under a key of the tenant; a
name that was not given out names nothing. An agent's own number would count what others read as well (ADR 61).
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

if TYPE_CHECKING:
    from collections.abc import Callable

_PREFIX: Final = "urn:mars:showing:"
#: No subject has such a name, as texts with NUL are refused: its handle is published nowhere.
_PURPOSE: Final = "\0showings"
_NUMBER, _DIGITS, _BLOCK = 8, 4, 16


class ShowingNames:
    """The names of one tenant's access records."""

    def __init__(self, handle: Callable[[str], str], log: Callable[[], str]) -> None:
        """Make names under a key that ``handle``, the tenant's keyed digest, gives; ``log`` is the access log's IRI."""
        key = hashlib.sha256(handle(_PURPOSE).encode()).digest()
        # Each block is used once, as no two records have one number: nothing repeats that a mode would have to hide.
        self._cipher = Cipher(algorithms.AES256(key), modes.ECB())  # noqa: S305
        self._log = log

    def __call__(self, record: str) -> str:
        """Return the name of an access record, ``LOG#NUMBER`` or, before it is written, ``LOG#NUMBER-DIGITS``."""
        number, _, digits = record.rpartition("#")[2].partition("-")
        block = int(number).to_bytes(_NUMBER) + bytes.fromhex(digits).rjust(_DIGITS, b"\0") + bytes([bool(digits)])
        cipher = self._cipher.encryptor()
        return _PREFIX + (cipher.update(block.ljust(_BLOCK, b"\0")) + cipher.finalize()).hex()

    def record(self, name: str) -> str | None:
        """Return the access record that ``name`` was given to, None for what is no such name."""
        try:
            sealed = bytes.fromhex(name.removeprefix(_PREFIX))
        except ValueError:
            return None
        if len(sealed) != _BLOCK or not name.startswith(_PREFIX):
            return None
        cipher = self._cipher.decryptor()
        block = cipher.update(sealed) + cipher.finalize()
        number, digits, rest = block[:_NUMBER], block[_NUMBER : _NUMBER + _DIGITS], block[_NUMBER + _DIGITS :]
        if rest.rstrip(b"\0") not in {b"", b"\1"} or rest[1:].strip(b"\0"):
            return None
        return f"{self._log()}#{int.from_bytes(number)}" + (f"-{digits.hex()}" if rest[0] else "")
