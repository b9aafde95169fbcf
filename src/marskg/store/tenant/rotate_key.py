"""Changing the key that signs a tenant's logs.

Guarantees: a rotation is announced by the old key in both logs before the new one signs anything; a lost key is
replaced by one that announces itself, which the verifier reports; no step leaves a log that nobody can sign.
Source: semantics section 8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.ontology.vocabulary import Operation
from marskg.store.commit.signed_state import sign_anew

if TYPE_CHECKING:
    from marskg.audit.dataintegrity import Signer
    from marskg.audit.keys import Keyring
    from marskg.store.commit.writer import Writer
    from marskg.store.tenant.opening import SignerBox
    from marskg.store.unit.unit_of_work import Unit


def rotate(writer: Writer, keyring: Keyring, box: SignerBox) -> str:
    """Rotate to a new key, announced by the old one; returns the new public key."""
    box()  # without the old key none is made
    new = _new_key(writer, keyring)
    return _change(writer, box, Operation.ROTATE_KEY, new)


def replace_lost(writer: Writer, keyring: Keyring, box: SignerBox) -> str:
    """Replace a lost key by a new one that announces itself; returns the new public key."""
    new = _new_key(writer, keyring)
    return _change(writer, box, Operation.REPLACE_KEY, new)


def _new_key(writer: Writer, keyring: Keyring) -> Signer:
    """Return a key that the tenant never announced: a source that begins again must not bring an old one back."""
    announced = {row["key"]["publicKey"] for row in writer.read("keys", {"tenant": writer.tenant})}
    new = keyring.create(writer.services.source)
    while new.public_key in announced:
        new = keyring.create(writer.services.source)
    return new


def _change(writer: Writer, box: SignerBox, operation: Operation, new: Signer) -> str:
    """Announce ``new`` in both logs and in the tenant's row, in one transaction."""

    def work(unit: Unit) -> None:
        if operation is Operation.REPLACE_KEY:
            # Here and not before: whoever reads the row lets the box expect the key that the row names.
            box.use(new)
        unit.audit.note(operation, public_key=new.public_key)
        unit.audit.note_access(operation, public_key=new.public_key)
        unit.audit.announced.append(
            {
                "ref": f"{unit.state.name}|{new.public_key}",
                "tenant": unit.state.name,
                "publicKey": new.public_key,
                "announcedAt": unit.now,
            }
        )
        if operation is Operation.REPLACE_KEY:
            sign_anew(unit)
        unit.change_key(new)

    with writer.alone():
        before = writer.state.signing_key
        try:
            writer.run(work)
        except BaseException:
            box.expect(before)
            raise
        box.use(new)
    return new.public_key
