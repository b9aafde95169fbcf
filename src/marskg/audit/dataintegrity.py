"""W3C Data Integrity proofs of the cryptosuite ``eddsa-rdfc-2022`` over bytes that are canonical already.

Guarantees: :class:`Signer` gives the same ``proofValue`` as a signer that goes through JSON-LD and RDFC-1.0, because
the core that it signs is canonical N-Quads and the canonical form of its proof options is a fixed template. A private
key never leaves its signer. Whole JSON-LD documents are signed and verified in :mod:`marskg.audit.linkeddata`.
Sources: W3C vc-di-eddsa 1.0 section 3.2 (algorithms), Controlled Identifiers 1.0 section 2.2.2 (Multikey),
did:key 0.9, RFC 8032 (Ed25519).
"""

from __future__ import annotations

import hashlib
import re
from binascii import a2b_base64, b2a_base64
from typing import TYPE_CHECKING, Final, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from marskg.audit.merkle import leaf_hash
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Callable

CRYPTOSUITE: Final = "eddsa-rdfc-2022"
#: Multicodec prefix of an Ed25519 public key in a Multikey (0xed as varint).
_ED25519_PUB: Final = b"\xed\x01"
_KEY_SIZE: Final = 32
_SIGNATURE_SIZE: Final = 64
_ALPHABET: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_DIGITS: Final = {letter: value for value, letter in enumerate(_ALPHABET)}
#: Two base58 digits at a time, out of ten that fit a machine word: dividing large numbers is what encoding costs.
_PAIRS: Final = [a + b for a in _ALPHABET for b in _ALPHABET]
_PAIR: Final = 58**2
_WORD: Final = 58**10
_TO_URL: Final = bytes.maketrans(b"+/", b"-_")
_FROM_URL: Final = bytes.maketrans(b"-_", b"+/")
_CREATED: Final = late_regex(r"[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z", re.ASCII)


class Signed(NamedTuple):
    """A proof: its value, and the leaf that it adds to the Merkle log (hash data, then signature)."""

    proof_value: str
    leaf_data: bytes

    @property
    def leaf_hash(self) -> bytes:
        """Return the RFC 9162 hash of the leaf."""
        return leaf_hash(self.leaf_data)


# --- Encodings -----------------------------------------------------------------------------------------------------


def base58btc(data: bytes) -> str:
    """Return ``data`` in the base58 alphabet of Bitcoin, without a multibase prefix."""
    number = int.from_bytes(data, "big")
    out: list[str] = []
    while number:
        number, word = divmod(number, _WORD)
        word, fifth = divmod(word, _PAIR)
        word, fourth = divmod(word, _PAIR)
        word, third = divmod(word, _PAIR)
        first, second = divmod(word, _PAIR)
        out.append(_PAIRS[first] + _PAIRS[second] + _PAIRS[third] + _PAIRS[fourth] + _PAIRS[fifth])
    digits = "".join(reversed(out)).lstrip("1")
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + digits


def from_base58btc(text: str) -> bytes:
    """Return the bytes of a base58btc ``text``.

    Raises:
        ValueError: a letter is outside the alphabet.
    """
    number = 0
    try:
        for letter in text:
            number = number * 58 + _DIGITS[letter]
    except KeyError:
        msg = "a base58btc value has a letter outside its alphabet"
        raise ValueError(msg) from None
    zeros = len(text) - len(text.lstrip("1"))
    return b"\0" * zeros + number.to_bytes((number.bit_length() + 7) // 8, "big")


def multibase_url(data: bytes) -> str:
    """Return ``data`` as multibase base64url without padding: ``u`` and the text."""
    return "u" + b2a_base64(data, newline=False).translate(_TO_URL, b"=").decode("ascii")


def from_multibase_url(text: str) -> bytes:
    """Return the bytes of a ``u…`` multibase value.

    Raises:
        ValueError: ``text`` is not what :func:`multibase_url` writes.
    """
    try:
        data = a2b_base64(text[1:].encode("ascii").translate(_FROM_URL) + b"=" * (-len(text[1:]) % 4))
    except ValueError as error:
        msg = "a value is not base64url without padding"
        raise ValueError(msg) from error
    if multibase_url(data) != text:
        msg = "a value is not multibase base64url: it begins with u and has no padding"
        raise ValueError(msg)
    return data


def multikey(key: Ed25519PublicKey) -> str:
    """Return a public key as Multikey ``publicKeyMultibase``: ``z6Mk…``."""
    return "z" + base58btc(_ED25519_PUB + key.public_bytes(Encoding.Raw, PublicFormat.Raw))


def verification_method(public_key: str) -> str:
    """Return the did:key verification method of a Multikey: ``did:key:z6Mk…#z6Mk…``."""
    return f"did:key:{public_key}#{public_key}"


def public_key_of(method: str) -> Ed25519PublicKey:
    """Return the key that a did:key verification method names.

    Raises:
        ValueError: ``method`` is not the did:key of an Ed25519 key.
    """
    did, _, fragment = method.partition("#")
    if did != f"did:key:{fragment}" or not fragment.startswith("z"):
        msg = "a verification method is not did:key:z…#z… with twice the same key"
        raise ValueError(msg)
    raw = from_base58btc(fragment[1:])
    if not raw.startswith(_ED25519_PUB) or len(raw) != len(_ED25519_PUB) + _KEY_SIZE:
        msg = "a verification method does not name an Ed25519 key"
        raise ValueError(msg)
    key = Ed25519PublicKey.from_public_bytes(raw[2:])
    if multikey(key) != fragment:
        msg = "a verification method does not write its key in the one canonical way"
        raise ValueError(msg)
    return key


# --- Proofs --------------------------------------------------------------------------------------------------------


def proof_options(method: str, created: str) -> bytes:
    """Return the canonical N-Quads of the proof options (vc-di-eddsa section 3.2.5, the same for every document)."""
    return (
        f'_:c14n0 <http://purl.org/dc/terms/created> "{created}"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n'
        "_:c14n0 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://w3id.org/security#DataIntegrityProof> .\n"
        f'_:c14n0 <https://w3id.org/security#cryptosuite> "{CRYPTOSUITE}"'
        "^^<https://w3id.org/security#cryptosuiteString> .\n"
        "_:c14n0 <https://w3id.org/security#proofPurpose> <https://w3id.org/security#assertionMethod> .\n"
        f"_:c14n0 <https://w3id.org/security#verificationMethod> <{method}> .\n"
    ).encode()


class Signer:
    """Holds one Ed25519 private key and signs canonical cores with it."""

    __slots__ = ("_last", "_sign", "public_key", "verification_method")

    def __init__(self, key: Ed25519PrivateKey) -> None:
        """Sign with ``key``, named by its did:key."""
        self._sign: Callable[[bytes], bytes] = key.sign
        self.public_key: str = multikey(key.public_key())
        self.verification_method: str = verification_method(self.public_key)
        self._last = ("", b"")

    def sign(self, core: bytes, created: str) -> Signed:
        """Sign ``core``, canonical N-Quads, as of ``created``, a date-time in whole seconds and UTC.

        Records come in bursts within one second, so the hash of the last second's options is kept: in one tuple with
        its second, so that threads cannot see one without the other.
        """
        last, options_hash = self._last
        if created != last:
            options_hash = hashlib.sha256(proof_options(self.verification_method, created)).digest()
            self._last = (created, options_hash)
        hash_data = options_hash + hashlib.sha256(core).digest()
        signature = self._sign(hash_data)
        return Signed("z" + base58btc(signature), hash_data + signature)


def decode_signature(proof_value: str) -> bytes:
    """Return the signature of a ``proofValue``.

    Raises:
        ValueError: it is not base58btc multibase of 64 bytes, written in the one canonical way.
    """
    if not proof_value.startswith("z"):
        msg = "a proofValue begins with z (base58btc)"
        raise ValueError(msg)
    signature = from_base58btc(proof_value[1:])
    if len(signature) != _SIGNATURE_SIZE or base58btc(signature) != proof_value[1:]:
        msg = "a proofValue holds 64 bytes"
        raise ValueError(msg)
    return signature


def verify(core: bytes, proof_value: str, created: str, method: str) -> bool:
    """Return whether ``proof_value`` is a proof over the canonical ``core`` by the did:key ``method``.

    An empty core is never verified: a signature over nothing proves nothing.
    """
    if not core or not _CREATED.fullmatch(created):
        return False
    try:
        key = public_key_of(method)
        signature = decode_signature(proof_value)
        key.verify(signature, hashlib.sha256(proof_options(method, created)).digest() + hashlib.sha256(core).digest())
    except (ValueError, InvalidSignature):
        return False
    return True
