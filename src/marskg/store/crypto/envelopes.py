"""Values of the store as envelopes: what one looks like, and whose key it is under.

Guarantees: an envelope is one string that names its field and the keys it is under, and holds the value, as JSON or as
bytes, under AES-256-GCM with a nonce of its own. The node's reference, the field and its label are bound to it, so that
one that was moved to another node or field, or changed in a bit, is refused and never taken for a value. What must be
found by equality is a digest under the tenant's key (:meth:`marskg.store.crypto.keyring.DataKeyring.digest`): equal
values can be seen to be equal, no more. Which properties are encrypted is said in :mod:`marskg.ontology.protection`.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode, urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from typing import TYPE_CHECKING, Any, Final

from cryptography.exceptions import InvalidTag

from marskg.errors import KeyUnusable
from marskg.store.crypto.keyring import ID_SIZE

if TYPE_CHECKING:
    from marskg.store.crypto.keyring import DataKeyring

#: What every envelope begins with; no text that a caller gives is mistaken for one, as it stands inside another one.
PREFIX: Final = "mars:envelope:"
_NONCE: Final = 12
#: Bytes that say how many keys an envelope is under.
_COUNT: Final = 2
#: Fields whose values begin with a label that stays in clear, up to a colon: which model made a vector.
_LABELLED: Final = frozenset({"embedding"})
#: What the bytes of a value in base64 stand behind; no JSON begins so.
_BYTES: Final = b"\0"


class Envelopes:
    """Makes and opens the envelopes of one tenant."""

    def __init__(self, keyring: DataKeyring, tenant: str) -> None:
        """Use the keys of ``keyring``."""
        self._keyring = keyring
        self._tenant = tenant

    def make(self, ref: str, field: str, value: Any, keys: tuple[bytes, ...]) -> Any:
        """Return what stands in the store for ``value``, of the type that the property has there: text, or a list."""
        label, colon, rest = value.partition(":") if field in _LABELLED else ("", "", value)
        if colon:
            field, value = f"{field}:{label}", rest
        nonce = self._keyring.nonce()
        plain = (_from_base64(value) if colon else None) or _from_json(value)
        closed = self._keyring.cipher(keys).encrypt(nonce, plain, _bound(ref, field))
        head = len(keys).to_bytes(_COUNT, "big") + b"".join(keys)
        text = f"{PREFIX}{field}:{urlsafe_b64encode(head + nonce + closed).decode()}"
        return [text] if isinstance(value, list) else text

    def open(self, ref: str, text: str, expected: str | None = None) -> Any:
        """Return the value in the envelope ``text``, which was made for the node ``ref`` and the field ``expected``.

        Raises:
            KeyUnusable: it was changed or moved, or is under a key that is not there.
        """
        named, _, body = text[len(PREFIX) :].rpartition(":")
        field, colon, label = named.partition(":")
        try:
            data = urlsafe_b64decode(body)
            if urlsafe_b64encode(data).decode() != body:  # the decoder passes over what it does not know
                raise _changed(ref)
            keys = _keys(data)
            start = _COUNT + len(keys) * ID_SIZE
            if expected is not None and field != expected:
                raise _changed(ref)
            closed = data[start + _NONCE :]
            plain = self._keyring.cipher(keys).decrypt(data[start : start + _NONCE], closed, _bound(ref, named))
        except (InvalidTag, ValueError, NotBase64) as error:
            raise _changed(ref) from error
        if plain.startswith(_BYTES):
            value = b64encode(plain[len(_BYTES) :]).decode()
        else:
            value = json.loads(plain.decode("utf-8", "surrogatepass"))
        return f"{label}:{value}" if colon else value


def beginning(field: str, label: str) -> str:
    """Return what the envelopes of a field begin with whose value begins with ``label``, its colon included."""
    return f"{PREFIX}{field}:{label}"


def _from_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _from_base64(text: str) -> bytes | None:
    """Return what a text in base64 says, a quarter shorter; None of what is not written as this package would."""
    try:
        said = b64decode(text, validate=True)
    except ValueError:
        return None
    return _BYTES + said if b64encode(said).decode() == text else None


def keys_of(value: Any) -> tuple[bytes, ...]:
    """Return the ids of the keys that an envelope is under, none of what is no envelope."""
    text = value[0] if isinstance(value, list) and value else value
    if not is_envelope(text):
        return ()
    try:
        return _keys(urlsafe_b64decode(text.rpartition(":")[2]))
    except (ValueError, NotBase64):
        return ()


def field_of(value: object) -> str:
    """Return the field that an envelope says it is of, none of what is no envelope."""
    return str(value)[len(PREFIX) :].partition(":")[0] if is_envelope(value) else ""


def is_envelope(value: object) -> bool:
    """Return whether a property of the store is one."""
    return isinstance(value, str) and value.startswith(PREFIX)


def _keys(data: bytes) -> tuple[bytes, ...]:
    count = int.from_bytes(data[:_COUNT], "big")
    end = _COUNT + count * ID_SIZE
    ids = tuple(data[start : start + ID_SIZE] for start in range(_COUNT, end, ID_SIZE))
    if not ids or len(data) < end + _NONCE:
        message = "too short"
        raise ValueError(message)
    return ids


def _bound(ref: str, field: str) -> bytes:
    return f"{ref}\x1f{field}".encode()


def _changed(ref: str) -> KeyUnusable:
    return KeyUnusable(
        f"an encrypted value of {ref.rpartition('|')[2]} was changed behind the product's back, or moved there from "
        "elsewhere; nothing of it is shown: restore the store and its keys from backups of the same time"
    )
