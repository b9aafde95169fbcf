"""Ways of tampering with an audit exported as N-Quads, without the signing key."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

from marskg.audit.document import head_lines, record_lines
from marskg.audit.merkle import root_hash
from marskg.audit.record import build_head
from marskg.ontology.vocabulary import Operation
from tests.redteam.tampering import HARMLESS, LIMIT, Evidence, Way

if TYPE_CHECKING:
    from collections.abc import Callable

#: A record with all of its details; one whose details were sealed away; one that an erasure emptied; the last one.
WHOLE, SEALED, ERASED = "4", "2", "~erased"


def edit(pattern: str, into: str | Callable[[re.Match[str]], str], count: int = 1) -> Callable[[Evidence], str]:
    return lambda audit: audit.edit(pattern, into, count)


def drop(pattern: str) -> Callable[[Evidence], str]:
    return lambda audit: audit.without(pattern)


def add(*lines: str) -> Callable[[Evidence], str]:
    return lambda audit: audit.also(*lines)


def lines_of(text: str, subject: str) -> list[str]:
    found = [line for line in text.splitlines() if line.startswith((f"<{subject}>", f"<{subject}."))]
    assert found
    return found


def copy_as(subject: str, other: str) -> Callable[[Evidence], str]:
    """Copy a node under another name."""

    def run(audit: Evidence) -> str:
        old, new = subject.replace("@", audit.log), other.replace("@", audit.log)
        return audit.also(*(line.replace(f"<{old}", f"<{new}") for line in lines_of(audit.text, old)))

    return run


def last(audit: Evidence) -> int:
    return audit.records[-1].sequence


def without_last(audit: Evidence) -> str:
    return audit.without(rf"<@#({last(audit)}[.>]|head-{last(audit)}>)")


def cut(size: int, *, heads: bool = False) -> Callable[[Evidence], str]:
    """Cut the log after a number of records, with the heads that cover more or with all."""

    def run(audit: Evidence) -> str:
        gone = "|".join(str(number) for number in range(size + 1, last(audit) + 1))
        later = "|".join(str(head.size) for head in audit.heads if heads or head.size > size)
        return audit.without(rf"<@#(({gone})[.>]|head-({later}|{last(audit)})>)")

    return run


def cut_to_head(audit: Evidence) -> str:
    return cut(audit.heads[-1].size)(audit)


def cut_accesses(audit: Evidence) -> str:
    return audit.edit(rf"^<{audit.accesses}#([2-9]|head-\d+)[.>].*\n", "", count=0)


def moved_to_graph(audit: Evidence) -> str:
    return audit.edit(rf"^(<@#{WHOLE}[.>].*) \.$", r"\1 <urn:x:graph> .", count=0)


def swapped_slots(audit: Evidence) -> str:
    text = audit.edit(rf"^<@#{WHOLE}\.1> (.*reason|.*weight)", rf"<@#{WHOLE}.9> \1", count=0)
    return text.replace(f"#{WHOLE}.9>", f"#{WHOLE}.0>")


def renumbered(audit: Evidence) -> str:
    one, two, spare = (f"<{audit.log}#{number}" for number in (4, 5, 999))
    text = audit.text
    for old, new in ((one, spare), (two, one), (spare, two)):
        text = re.sub(rf"{re.escape(old)}(?=[.>])", new, text)
    return text


def put_back(number: str, slot: str = "") -> Callable[[Evidence], str]:
    """Put back the details that an erasure or a sealing let go."""

    def run(audit: Evidence) -> str:
        there = set(audit.text.splitlines())
        return audit.also(
            *(line for line in lines_of(audit.earlier, audit.named(f"@#{number}{slot}")) if line not in there)
        )

    return run


def strip(number: str, *slots: int) -> Callable[[Evidence], str]:
    return lambda audit: audit.without(rf"<@#{number}\.({'|'.join(map(str, slots))})> <(?!\S+commitment>)")


def take_over(audit: Evidence) -> str:
    key = audit.mallory.public_key
    return audit.continued(Operation.OPEN_LOG, Operation.EVICT, public_key=key, parameters=("tenant=full-nq",))


def take_over_and_strip(audit: Evidence) -> str:
    slots = ("4.0", "4.1", "6.0", "6.1")
    text = audit.continued(Operation.OPEN_LOG, public_key=audit.mallory.public_key, deleted_slots=slots)
    return re.sub(rf"^<{audit.log}#[46]\.[01]> <(?!\S+commitment>).*\n", "", text, flags=re.MULTILINE)


def list_pruned(operation: Operation, **details: tuple[str, ...]) -> Callable[[Evidence], str]:
    """Strip the details of a record, and list them in a forged record."""

    def run(audit: Evidence) -> str:
        text = audit.continued(operation, **details)
        return re.sub(rf"^<{audit.log}#{WHOLE}\.[01]> <(?!\S+commitment>).*\n", "", text, flags=re.MULTILINE)

    return run


def forged_head(audit: Evidence) -> str:
    head = audit.forged_head(list(audit.records))
    return audit.without(rf"<@#head-{head.size}>").replace("# marskg export ends", "\n".join([*head_lines(head), ""]))


def forged_head_over_less(audit: Evidence) -> str:
    head = audit.forged_head(list(audit.records[:6]))
    return cut(6, heads=True)(audit) + "\n".join(head_lines(head)) + "\n"


def other_log(audit: Evidence) -> str:
    """A record of the accesses in the place of a transition."""
    record = audit.shown[3]
    moved = "\n".join(record_lines(record)).replace(f"<{record.iri}", f"<{audit.log}#{WHOLE}")
    return audit.without(rf"<@#{WHOLE}[.>]") + moved + "\n"


def appended_foreign(audit: Evidence) -> str:
    return audit.text + audit.foreign


def only_foreign(audit: Evidence) -> str:
    return audit.foreign


def mixed_logs(audit: Evidence) -> str:
    """The transitions of one tenant with the accesses of another."""
    own = re.sub(rf"^<{audit.accesses}#.*\n", "", audit.text, flags=re.MULTILINE)
    log = re.findall(r"^<(urn:uuid:[^#]*)#1> <\S+log>", audit.foreign, flags=re.MULTILINE)[1]
    return own + "".join(f"{line}\n" for line in audit.foreign.splitlines() if line.startswith(f"<{log}#"))


def rewritten(audit: Evidence) -> str:
    """The first record, and a head over it, by another key: a log as short as can be."""
    opening = audit.forged(Operation.OPEN_LOG, 1, public_key=audit.mallory.public_key, parameters=("tenant=full-nq",))
    tree = root_hash([bytes.fromhex(opening.leaf)])
    head = build_head(tenant="", log=audit.log, size=1, root=tree, now=opening.recorded_at, signer=audit.mallory)
    return cut(0, heads=True)(audit) + "\n".join([*record_lines(opening), *head_lines(head)]) + "\n"


def escaped(audit: Evidence) -> str:
    """Write the number sign of a record, and a letter of a term, as escapes."""
    return audit.edit(
        rf"^<@#{WHOLE}> <\S+#o(?=peration)", lambda found: found[0].replace("#", r"\u0023", 1)[:-1] + r"\U0000006F"
    )


def shuffled(audit: Evidence) -> str:
    lines = audit.text.splitlines()
    random.Random(3).shuffle(lines)
    return "\n".join(lines) + "\n"


W = WHOLE
LINES = [
    # Statements of a record.
    Way("operation", edit(rf"^(<@#{W}> .*operation> )<\S+>", r"\1<$erase>"), "bad-signature"),
    Way("operation that is none", edit(rf"^(<@#{W}> .*operation> )<\S+>", r"\1<$forgive>"), "bad-document"),
    Way("time", edit(rf'^(<@#{W}> .*recordedAt> "20)26', r"\g<1>25"), "bad-core"),
    Way("number", edit(rf'^(<@#{W}> .*sequence> )"{W}"', r'\1"6"'), "bad-document"),
    Way("number with a zero", edit(rf'^(<@#{W}> .*sequence> )"{W}"', rf'\1"0{W}"'), "bad-document"),
    Way("number of another datatype", edit(rf"^(<@#{W}> .*sequence> .*XMLSchema#)integer", r"\1int"), "bad-document"),
    Way("name with a zero", edit(rf"^<@#{W}(?=[.>])", f"<@#0{W}", count=0), "bad-document"),
    Way("key", edit(rf"^(<@#{W}> .*signingKey> <did:key:)\S+>", r"\1z6Mk>"), "bad-document"),
    Way(
        "another key of the log",
        edit(r"^(<@#~seal> .*signingKey> )<\S+>", r"\1<did:key:z6MkuXAZ#z6MkuXAZ>"),
        "bad-signature",
    ),
    Way("log", edit(rf"^(<@#{W}> .*ns#log> )<\S+>", r"\1<urn:x:log>"), "bad-document"),
    Way("reason", edit(r'^(<@#\d+\.1> .*reason> )"', r'\1"not '), "slot-mismatch"),
    Way("tier", edit(rf"^(<@#{W}\.1> .*tierAfter> )<\S+>", r"\1<$gone>"), "slot-mismatch"),
    Way("memory", edit(rf"^(<@#{W}\.1> .*memory> <urn:uuid:)........", r"\g<1>00000000"), "slot-mismatch"),
    Way("actor", edit(rf'^(<@#{W}\.0> .*actor> )"operator"', r'\1"nobody"'), "slot-mismatch"),
    Way("salt", edit(rf'^(<@#{W}\.1> .*salt> "u).', r"\g<1>_"), "slot-mismatch"),
    Way(
        "salt in other letters",
        edit(rf"^(<@#{W}\.1> .*salt> .*)(\w)\"", lambda m: f'{m[1]}{chr(ord(m[2]) + 1)}"'),
        "slot-mismatch",
    ),
    Way("salt in a language", edit(rf'^(<@#{W}\.1> .*salt> "\S+")', lambda m: f"{m[1]}@en"), "bad-document"),
    Way("commitment", edit(rf'^(<@#{W}\.1> .*commitment> "u).', r"\g<1>_"), "bad-signature"),
    Way("leaf", edit(rf'^(<@#{W}> .*leafHash> ")..', r"\g<1>00"), "bad-leaf"),
    Way("leaf in capitals", edit(rf'^(<@#{W}> .*leafHash> )"(.*)"', lambda m: f'{m[1]}"{m[2].upper()}"'), "bad-leaf"),
    Way("leaf as a name", edit(rf'^(<@#{W}> .*leafHash> )"(.*)"', r"\1<urn:x:\2>"), "bad-document"),
    Way("leaf in a language", edit(rf'^(<@#{W}> .*leafHash> "\w+")', lambda m: f"{m[1]}@en"), "bad-document"),
    Way("proof", edit(rf'^(<@#{W}> .*proofValue> "z).', r"\g<1>2"), "bad-signature"),
    Way("proof with a zero", edit(rf'^(<@#{W}> .*proofValue> "z)', r"\g<1>1"), "bad-signature"),
    Way("proof's time", edit(rf'^(<@#{W}> .*proofCreated> "20)26', r"\g<1>25"), "bad-core"),
    Way("proof's time as a text", edit(rf'^(<@#{W}> .*proofCreated> "\S+")\^\^\S+', r"\1"), "bad-document"),
    Way("two slots' details swapped", swapped_slots, "bad-document"),
    Way("two records swapped", renumbered, "bad-document"),
    Way("record of the other log", other_log, "bad-document"),
    # Statements more.
    Way("a reason more", add(f'<@#{W}> <$reason> "Alice asked for it" .'), "bad-document"),
    Way("an unknown statement more", add(f"<@#{W}> <urn:x:p> <urn:x:o> ."), "bad-document"),
    Way("a second operation", add(f"<@#{W}> <$operation> <$erase> ."), "bad-document"),
    Way(
        "a second type", add(f"<@#{W}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <$TreeHead> ."), "bad-document"
    ),
    Way("a second salt", add(f'<@#{W}.1> <$salt> "u{"A" * 43}" .'), "bad-document"),
    Way("a second leaf", add(f'<@#{W}> <$leafHash> "{"0" * 64}" .'), "bad-document"),
    Way("a second commitment", add(f'<@#{W}.1> <$commitment> "u{"A" * 43}" .'), "bad-document"),
    Way("a second proof", add(f'<@#{W}> <$proofValue> "z1" .'), "bad-document"),
    Way("a second reason", add(f'<@#{W}.1> <$reason> "x" .'), "slot-mismatch"),
    Way("a reason of what was erased", add(f'<@#{ERASED}.1> <$reason> "x" .'), "bad-document"),
    Way(
        "a slot more", add(f"<@#{W}> <$slot> <@#{W}.2> .", f'<@#{W}.2> <$commitment> "u{"A" * 43}" .'), "bad-signature"
    ),
    Way("a slot that is not listed", add(f'<@#{W}.7> <$reason> "x" .'), "bad-document"),
    Way("a record of no number", add('<@#0> <$reason> "x" .'), "bad-document"),
    Way("a fragment of no record", add('<@#x> <$reason> "x" .'), "bad-document"),
    Way("of the log", add('<@> <$reason> "x" .'), "bad-document"),
    Way("of the key", add("<did:key:z6Mk#z6Mk> <http://www.w3.org/2002/07/owl#sameAs> <urn:x:k> ."), "bad-document"),
    Way("of a term", add("<$erase> <http://www.w3.org/2002/07/owl#sameAs> <$remember> ."), "bad-document"),
    Way("of a head", add('<@#head-4> <$reason> "x" .'), "bad-document"),
    # Copies.
    Way("copy of the next number", copy_as(f"@#{W}", "@#22"), "bad-document"),
    Way("copy of a far number", copy_as(f"@#{W}", "@#1000000"), "bad-document"),
    Way("copy of a huge number", copy_as(f"@#{W}", f"@#{'9' * 5000}"), "bad-document"),
    Way("copy under a foreign name", copy_as(f"@#{W}", "urn:x:record"), "bad-document"),
    Way("copy in no log", copy_as(f"@#{W}", "urn:uuid:01920000-0000-7000-8000-000000000001#4"), "bad-document"),
    Way("copy of a slot", copy_as(f"@#{W}.1", "urn:x:slot"), "bad-document"),
    Way("copy of a head", copy_as("@#head-4", "urn:x:head"), "bad-document"),
    Way(
        "copy without a name",
        lambda a: a.also(*(line.replace(f"<{a.log}#{W}>", "_:b") for line in lines_of(a.text, f"{a.log}#{W}"))),
        "bad-document",
    ),
    # Statements less.
    Way("last record", without_last, "missing-head"),
    Way("last record but not its head", lambda a: a.without(rf"<@#{last(a)}[.>]"), "missing-tail"),
    Way("a record", drop(rf"<@#{W}[.>]"), "sequence-gap"),
    Way("first record", drop(r"<@#1[.>]"), "sequence-gap"),
    Way("log cut to six records", cut(6), "missing-head"),
    Way("log cut to six records, with its heads", cut(6, heads=True), "missing-head"),
    Way("log cut to nothing", cut(0, heads=True), "missing-log"),
    Way("log cut to its last stored head", cut_to_head, LIMIT),
    Way("all heads", drop(r"<\S+#head-\d+>"), "missing-head"),
    Way("last head", lambda a: a.without(rf"<@#head-{last(a)}>"), "missing-head"),
    Way("accesses but the first", cut_accesses, "missing-head"),
    Way("accesses", lambda a: a.edit(rf"^<{a.accesses}#.*\n", "", count=0), "missing-log"),
    Way("type", drop(rf"<@#{W}> <\S+type>"), "bad-document"),
    Way("type of the last record", lambda a: a.without(rf"<@#{last(a)}> <\S+type>"), "bad-document"),
    Way("type of a head", drop(r"<@#head-4> <\S+type>"), "bad-document"),
    Way("operation gone", drop(rf"<@#{W}> <\S+operation>"), "bad-document"),
    Way("log gone", drop(rf"<@#{W}> <\S+#log>"), "bad-document"),
    Way("leaf gone", drop(rf"<@#{W}> <\S+leafHash>"), "bad-document"),
    Way("proof gone", drop(rf"<@#{W}> <\S+proofValue>"), "bad-document"),
    Way("proof's time gone", drop(rf"<@#{W}> <\S+proofCreated>"), "bad-document"),
    Way("commitment gone", drop(rf"<@#{W}\.1> <\S+commitment>"), "bad-document"),
    Way("salt gone", drop(rf"<@#{W}\.1> <\S+salt>"), "bad-document"),
    Way("slot gone from the list", drop(rf"<@#{W}> <\S+slot> <\S+\.1>"), "bad-document"),
    Way("details", strip(W, 1), "slot-deleted"),
    Way("details but the salt", drop(rf"<@#{W}\.1> <\S+(?<!commitment)(?<!salt)>"), "slot-mismatch"),
    Way("details of an erasure", strip("~erase", 0), "slot-deleted"),
    Way("details of a rotation", strip("~rotateKey", 0), "slot-deleted"),
    Way("details of the opening", strip("1", 0), "slot-deleted"),
    # What was let go is there.
    Way("erased details", put_back(ERASED), "erasure-undone"),
    Way("sealed details", put_back(SEALED), "seal-undone"),
    Way("an erasure lists less", edit(r"^<@#~erase\.0> .*deletedSlots> .*\n", ""), "slot-mismatch"),
    # Another key.
    Way("log opened anew", take_over, "key-announcement"),
    Way("log opened anew, details stripped", take_over_and_strip, "key-announcement"),
    Way(
        "a lost key replaced",
        lambda a: a.continued(Operation.REPLACE_KEY, Operation.EVICT, public_key=a.mallory.public_key),
        "lost-key",
    ),
    Way(
        "a rotation by the new key",
        lambda a: a.continued(Operation.ROTATE_KEY, public_key=a.mallory.public_key),
        "unknown-key",
    ),
    Way("a record more", lambda a: a.continued(Operation.EVICT), "unknown-key"),
    Way("an erasure of details", list_pruned(Operation.ERASE, deleted_slots=(f"{W}.0", f"{W}.1")), "unknown-key"),
    Way("a sealing of details", list_pruned(Operation.SEAL, sealed_slots=(f"{W}-{W}",)), "unknown-key"),
    Way("a head over all", forged_head, "unknown-key"),
    Way("a head over six", forged_head_over_less, "unknown-key"),
    Way("a log written anew, with the other left", rewritten, "wrong-log"),
    # Heads.
    Way("head's root", edit(r'^(<@#head-4> .*rootHash> "u).', r"\g<1>_"), "bad-head"),
    Way("head's size", edit(r'^(<@#head-4> .*treeSize> )"4"', r'\1"6"'), "bad-document"),
    Way("head's name", edit(r"^<@#head-4>", "<@#head-6>", count=0), "bad-document"),
    Way("head's time", edit(r'^(<@#head-4> .*recordedAt> "20)26', r"\g<1>25"), "bad-head"),
    Way("head's proof", edit(r'^(<@#head-4> .*proofValue> "z).', r"\g<1>2"), "bad-head"),
    Way("head of another size more", copy_as("@#head-4", "@#head-5"), "bad-document"),
    # Other spellings.
    Way("two blanks", add(f'<@#{W}>  <$reason>  "x" .'), "bad-document"),
    Way("a tab", add(f'<@#{W}>\t<$reason>\t"x"\t.'), "bad-document"),
    Way("no blanks", add(f'<@#{W}><$reason>"x".'), "bad-document"),
    Way("a blank before", add(f'  <@#{W}> <$reason> "x" .'), "bad-document"),
    Way("a comment behind", add(f'<@#{W}> <$reason> "x" . # honest'), "bad-document"),
    Way("an escape in the name", add(rf'<@\u0023{W}> <$reason> "x" .'), "bad-document"),
    Way("a long escape in the name", add(rf'<@\U00000023{W}> <$reason> "x" .'), "bad-document"),
    Way(
        "an escape in lower case", lambda a: a.also(rf'<\u0075rn\u003a{a.log[4:]}#{W}> <$reason> "x" .'), "bad-document"
    ),
    Way("an escape in the term", add(rf'<@#{W}> <$re\u0061son> "x" .'), "bad-document"),
    Way("an escape in a value", edit(rf'^(<@#{W}\.0> .*actor> )"operator"', r'\1"nobod\\u0079"'), "slot-mismatch"),
    Way("a named graph", add(f'<@#{W}> <$reason> "x" <urn:x:graph> .'), "bad-document"),
    Way("a record in a named graph", moved_to_graph, "bad-document"),
    Way("a comment that looks like a line", edit(rf"^(?=<@#{W}> .*leafHash)", "# "), "bad-document"),
    Way("honest in another spelling", edit(rf"^(<@#{W}> )(.*) \.$", r"  \1 \t\2. # so", count=0), HARMLESS),
    Way("honest with escapes", escaped, HARMLESS),
    Way(
        "honest with a datatype",
        edit(rf'^(<@#{W}> .*leafHash> "\w+")', r"\1^^<http://www.w3.org/2001/XMLSchema#string>"),
        HARMLESS,
    ),
    Way("lines in another order", shuffled, HARMLESS),
    Way("lines of another system", lambda a: a.text.replace("\n", "\r\n"), HARMLESS),
    # Broken files.
    Way("cut within a line", lambda a: a.text[: len(a.text) // 2], "InvalidDocument"),
    Way("no statement", add("nonsense"), "InvalidDocument"),
    Way("no letter", add(rf'<@#{W}> <$reason> "\ud800" .'), "InvalidDocument"),
    Way("a name with a blank", add(f'<@#{W} > <$reason> "x" .'), "InvalidDocument"),
    # Somebody else's.
    Way("another tenant's logs more", appended_foreign, "missing-log"),
    Way("another tenant's accesses", mixed_logs, "wrong-log"),
    Way("another tenant's logs instead", only_foreign, LIMIT),
]
