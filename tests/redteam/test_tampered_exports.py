"""Every way of tampering with an exported audit is found by ``mars verify --export`` and by the outsider's script."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyoxigraph as ox
import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st

from marskg.audit import exported, verify
from marskg.audit import statements as statements_module
from marskg.audit import verify_export as verify_exports
from marskg.audit.document import signed_head
from marskg.audit.verify_export import verify_export
from marskg.errors import InvalidDocument, InvalidInput
from tests.redteam.tampered_json import JSON, backwards
from tests.redteam.tampered_lines import LINES
from tests.redteam.tampering import HARMLESS, LIMIT, Evidence, Way, evidence, statements
from tests.support import stores as support
from tests.support.proof import some

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from tests.support.stores import Stores

SCRIPT = Path(__file__).parents[2] / "examples" / "verify" / "verify_audit.py"
SYNTAX = {".nq": ox.RdfFormat.N_QUADS, ".jsonld": ox.RdfFormat.JSON_LD}


def load_script() -> Any:
    """Load the outsider's script as a module: a process for each way would cost its imports."""
    spec = importlib.util.spec_from_file_location("verify_audit", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


OUTSIDER = load_script()


@pytest.fixture(scope="session")
def keys_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """Give a store whose signing keys no other test has rotated: equal seeds would give equal keys."""
    opened = support.embedded(tmp_path_factory.mktemp("exports") / "store")
    yield opened
    opened.engine.close()


@pytest.fixture(scope="session")
def lines(keys_of_its_own: Stores, tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    """Give the export as N-Quads."""
    return evidence(keys_of_its_own, tmp_path_factory.mktemp("lines"), ".nq")


@pytest.fixture(scope="session")
def objects(keys_of_its_own: Stores, tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    """Give the export as JSON-LD."""
    return evidence(keys_of_its_own, tmp_path_factory.mktemp("objects"), ".jsonld")


def codes_of_mars(path: Path) -> set[str]:
    """Return what ``mars verify --export`` finds, by code; a file that it refuses by the error's class."""
    try:
        return {finding.code for finding in verify_export(path).findings}
    except InvalidDocument:
        return {InvalidDocument.__name__}


def found_outside(path: Path, capsys: pytest.CaptureFixture[str]) -> bool:
    """Return whether the outsider's script finds something, and says what."""
    capsys.readouterr()
    rdflib.NORMALIZE_LITERALS = False  # as the script has it in a process of its own; pyshacl turns it on again
    status = OUTSIDER.main([str(path)])
    told = capsys.readouterr().out
    assert (status == 0) == told.endswith("records, 0 findings\n"), told
    return bool(status)


def judge(way: Way, audit: Evidence, path: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return what is wrong with the verdicts on a tampered copy of an export."""
    text = way.run(audit)
    path.write_bytes(text.encode())
    codes, outside = codes_of_mars(path), found_outside(path, capsys)
    wrong = [] if text != audit.text else ["nothing is changed"]
    if way.code == HARMLESS and not same(audit, text, path.suffix):
        wrong.append("it says something else")
    if way.code in {LIMIT, HARMLESS}:
        return wrong + [f"{name} finds {what}" for name, what in (("mars", codes), ("the script", outside)) if what]
    if way.code not in codes:
        wrong.append(f"mars finds {codes or 'nothing'}, not {way.code}")
    # An RDF processor, as the script is one, need not see what says the same.
    return wrong if outside or same(audit, text, path.suffix) else [*wrong, "the script finds nothing"]


@pytest.mark.parametrize("way", some(LINES, 3, attrgetter("name")))
def test_tampering_with_lines_is_found(
    way: Way, lines: Evidence, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert judge(way, lines, tmp_path / "export.nq", capsys) == []


@pytest.mark.parametrize("way", some(JSON, 3, attrgetter("name")))
def test_tampering_with_json_is_found(
    way: Way, objects: Evidence, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert judge(way, objects, tmp_path / "export.jsonld", capsys) == []


#: Ways whose file is JSON that can be written in another order, and is found by what it says.
SAYING = [way for way in JSON if way.code not in {LIMIT, HARMLESS, InvalidDocument.__name__}]


@pytest.mark.parametrize("way", some(SAYING, 3, attrgetter("name")))
def test_tampering_is_found_in_another_order(
    way: Way, objects: Evidence, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(audit: Evidence) -> str:
        return json.dumps(backwards(json.loads(way.run(audit))))

    assert judge(Way(way.name, run, way.code), objects, tmp_path / "export.jsonld", capsys) == []


@given(seed=st.randoms(use_true_random=False))
def test_an_export_in_any_order_is_sound(
    seed: random.Random, objects: Evidence, lines: Evidence, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("order")
    document, whole = objects.document, lines.text.splitlines()
    for part in document:
        seed.shuffle(part["@included"])
        for node in part["@included"]:
            seed.shuffle(node.get("slot", []))
    seed.shuffle(document)
    seed.shuffle(whole)
    for name, text in (("export.jsonld", json.dumps(document)), ("export.nq", "\n".join(whole) + "\n")):
        (folder / name).write_text(text, encoding="utf-8")
        assert codes_of_mars(folder / name) == set()
        with contextlib.redirect_stdout(io.StringIO()):
            assert OUTSIDER.main([str(folder / name)]) == 0


def test_a_log_of_many_accesses_is_sound(engine: Stores, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was read says nothing of what a change found, whichever of the logs is the longer one."""
    memory = engine.open("read-often")
    clock = engine.clock(memory)
    drink = memory.remember("Bea drinks coffee", kind="semantic", key="drink", subjects=["bea"], ttl="900d")
    memory.remember("The kettle is on", ttl="900d")
    clock.advance(86_400_000)
    moment = memory.now()
    clock.advance(86_400_000)
    memory.remember("Bea drinks tea", kind="semantic", key="drink", subjects=["bea"], ttl="900d")
    for _ in range(12):
        memory.control.record_access([drink.id])
    memory.audit.seal(before=moment)
    for suffix in SYNTAX:
        path = tmp_path / f"export{suffix}"
        memory.export(path, audit=True)
        assert codes_of_mars(path) == set()
        assert not found_outside(path, capsys)


def same(audit: Evidence, text: str, suffix: str) -> bool:
    """Return whether an RDF processor reads the same statements as in the export."""
    try:
        return statements(text, SYNTAX[suffix]) == statements(audit.text, SYNTAX[suffix])
    except SyntaxError:
        return False


@pytest.mark.parametrize("suffix", SYNTAX)
def test_the_export_is_sound(
    suffix: str, lines: Evidence, objects: Evidence, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"export{suffix}"
    path.write_text((lines if suffix == ".nq" else objects).text, encoding="utf-8")
    assert codes_of_mars(path) == set()
    assert not found_outside(path, capsys)


def test_the_logs_of_somebody_else_are_told_from_ones_own(
    lines: Evidence, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own, foreign = tmp_path / "own.nq", tmp_path / "foreign.nq"
    own.write_text(lines.text, encoding="utf-8")
    foreign.write_text(lines.foreign, encoding="utf-8")
    for expected, arguments, code in (
        ({"tenant": "full-nq"}, ["--tenant", "full-nq"], "wrong-log"),
        ({"logs": [lines.log]}, ["--log", lines.log], "missing-log"),
        ({"trusted_keys": [key_of(lines)]}, ["--key", key_of(lines)], "unknown-key"),
    ):
        assert verify_export(own, **expected).ok
        assert code in {finding.code for finding in verify_export(foreign, **expected).findings}
        assert OUTSIDER.main([str(own), *arguments]) == 0
        assert OUTSIDER.main([str(foreign), *arguments]) == 1
    told = capsys.readouterr().out
    assert (
        f"log {lines.log} of tenant 'full-nq', opened by {key_of(lines)}: {lines.records[-1].sequence} records" in told
    )
    assert {log.tenant for log in verify_export(foreign).logs} == {"other-nq"}


def key_of(audit: Evidence) -> str:
    return audit.records[0].signing_key.partition("#")[2]


def test_a_witness_shows_what_is_cut_to_a_head(
    lines: Evidence, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, kept = tmp_path / "cut.nq", tmp_path / "heads.json"
    (cut,) = (way for way in LINES if way.name == "log cut to its last stored head")
    path.write_text(cut.run(lines), encoding="utf-8")
    assert verify_export(path).ok
    assert OUTSIDER.main([str(path)]) == 0
    newest = lines.newest
    assert "missing-tail" in {finding.code for finding in verify_export(path, witness=[newest]).findings}
    for heads, says in (
        ([signed_head(newest)], "the witness saw"),
        (
            [signed_head(newest), {**signed_head(newest), "rootHash": signed_head(lines.heads[0])["rootHash"]}],
            "two heads",
        ),
        ([{**signed_head(lines.heads[0]), "recordedAt": "2020-01-01T00:00:00Z"}], "signature is not over"),
        ([signed_head(lines.forged_head(list(lines.records)))], "a key that the log never had"),
    ):
        kept.write_text(json.dumps(heads), encoding="utf-8")
        capsys.readouterr()
        assert OUTSIDER.main([str(path), str(kept)]) == 1
        assert says in capsys.readouterr().out


def test_a_witness_follows_the_log_by_consistency_proofs(
    engine: Stores, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    memory = engine.open("witnessed")
    kept, proof = tmp_path / "heads.json", tmp_path / "proof.json"
    heads = []
    for number in range(9):
        memory.remember(f"It rained on day {number}")
        heads.append(signed_head(memory.audit.sign_head()))
    kept.write_text(json.dumps(heads), encoding="utf-8")
    for head in heads:
        given = memory.audit.prove_consistency(int(head["treeSize"]))
        assert given["head"] == heads[-1]
        proof.write_text(json.dumps(given), encoding="utf-8")
        assert OUTSIDER.main(["--consistency", str(proof), str(kept)]) == 0
    given = memory.audit.prove_consistency(5)
    other = {**heads[2], "treeSize": "5", "@id": heads[2]["@id"].replace("#head-4", "#head-5")}
    capsys.readouterr()
    for changed, known, says in (
        ({**given, "firstTreeSize": 4}, heads, "does not begin"),
        ({**given, "consistencyPath": given["consistencyPath"][1:]}, heads, "does not begin"),
        ({**given, "consistencyPath": ["00" * 32, *given["consistencyPath"][1:]]}, heads, "does not begin"),
        ({**given, "head": {**given["head"], "rootHash": heads[0]["rootHash"]}}, heads, "signature is not over"),
        (given, [other], "signature is not over"),
        (given, heads[-1:], "not among those"),
    ):
        proof.write_text(json.dumps(changed), encoding="utf-8")
        kept.write_text(json.dumps(known), encoding="utf-8")
        assert OUTSIDER.main(["--consistency", str(proof), str(kept)]) == 1
        assert says in capsys.readouterr().out
    for size in (0, 99):
        with pytest.raises(InvalidInput):
            memory.audit.prove_consistency(size)


# --- The checks of the checks ----------------------------------------------------------------------------------------

NOTHING: tuple[Any, ...] = ()
#: Holes in ``mars verify --export``: what is planted, where, and a way that it lets through.
IN_MARS = [
    (verify._Check, "_keys", lambda *_: None, "a record more"),
    (verify._Check, "_signature", lambda _, record: bytes.fromhex(record.leaf), "proof"),
    (verify._Check, "_slots", lambda _, __, ___, values: [None] * len(values), "tier"),
    (verify._Check, "_erasure", lambda *_: None, "erased details"),
    (verify._Check, "_sequence", lambda *_: True, "a record"),
    (verify._Check, "_head", lambda *_, **__: False, "head's root"),
    (verify_exports, "_whose", lambda *_: NOTHING, "accesses"),
    (verify_exports, "_open_ends", lambda *_: NOTHING, "last record"),
    (exported.ExportedAudit, "strays", lambda *_: [], "of a term"),
    (exported.ExportedAudit, "_memory", lambda *_: None, "a memory with a leaf"),
    (exported, "_terms", lambda context, _: frozenset(context or ()), "an operation means another"),
    (statements_module.Strays, "check", lambda *_: None, "copy under a foreign name"),
]
#: Holes in the outsider's script.
OUTSIDE = [
    (OUTSIDER.Verification, "follow_keys", lambda *_: None, "a record more"),
    (OUTSIDER.Verification, "entry", lambda *_: None, "a reason more"),
    (OUTSIDER.Verification, "own_heads", lambda *_: None, "last record"),
    (OUTSIDER.Verification, "belonging", lambda *_: None, "accesses"),
    (OUTSIDER.Verification, "slots", lambda *_: {}, "tier"),
    (OUTSIDER.Node, "plain", lambda node, _, name, __="": "".join(node.values[name][:1]), "salt in a language"),
    (OUTSIDER, "pretends", lambda *_: False, "copy under a foreign name"),
    (OUTSIDER, "leaf_data", lambda *_, **__: b"", "operation"),
]


@pytest.mark.parametrize("hole", IN_MARS, ids=[hole[1] for hole in IN_MARS])
def test_a_hole_in_mars_is_found(
    hole: tuple[Any, str, Any, str], lines: Evidence, objects: Evidence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    way, path = tampered(hole[3], lines, objects, tmp_path)
    honest = untouched(lines, tmp_path)
    assert way.code in codes_of_mars(path)
    monkeypatch.setattr(*hole[:3])
    assert way.code not in codes_of_mars(path) or codes_of_mars(honest)


@pytest.mark.parametrize("hole", OUTSIDE, ids=[hole[1] for hole in OUTSIDE])
def test_a_hole_in_the_script_is_found(
    hole: tuple[Any, str, Any, str],
    lines: Evidence,
    objects: Evidence,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, path = tampered(hole[3], lines, objects, tmp_path)
    honest = untouched(lines, tmp_path)
    assert found_outside(path, capsys)
    monkeypatch.setattr(*hole[:3])
    assert not found_outside(path, capsys) or found_outside(honest, capsys)


def untouched(audit: Evidence, folder: Path) -> Path:
    """Return the export as it was made: a hole may also show in that it is accused."""
    path = folder / "honest.nq"
    path.write_text(audit.text, encoding="utf-8")
    return path


def tampered(name: str, lines: Evidence, objects: Evidence, folder: Path) -> tuple[Way, Path]:
    """Return a way by its name, with the file that it makes."""
    way = next(way for way in (*LINES, *JSON) if way.name == name)
    audit, path = (lines, folder / "export.nq") if way in LINES else (objects, folder / "export.jsonld")
    path.write_bytes(way.run(audit).encode())
    return way, path


# --- Ways that nobody thought of -------------------------------------------------------------------------------------


@given(data=st.data())
def test_a_random_change_of_a_line_is_found(
    data: st.DataObject, lines: Evidence, tmp_path_factory: pytest.TempPathFactory
) -> None:
    whole = lines.text.splitlines()
    audit = [place for place, line in enumerate(whole) if line.startswith((f"<{lines.log}", f"<{lines.accesses}"))]
    place = data.draw(st.sampled_from(audit), label="line")
    line = whole[place]
    at = data.draw(st.integers(0, len(line) - 1), label="at")
    letter = data.draw(
        st.sampled_from(['"', "<", ">", "#", ".", " ", "\\", "0", "a", "_", "@", "^", ""]), label="letter"
    )
    other = data.draw(st.sampled_from(audit), label="other line")
    whole[place] = data.draw(
        st.sampled_from([line[:at] + letter + line[at + 1 :], "", line[:at] + whole[other][at:]]), label="into"
    )
    assert_found_or_the_same(lines, "\n".join(whole) + "\n", tmp_path_factory.mktemp("line") / "export.nq")


@given(data=st.data())
def test_a_random_change_of_an_entry_is_found(
    data: st.DataObject, objects: Evidence, tmp_path_factory: pytest.TempPathFactory
) -> None:
    document = json.loads(objects.text)
    entries = document[1]["@included"]
    target = data.draw(st.sampled_from(entries), label="entry")
    if "slot" in target and data.draw(st.booleans(), label="of a slot"):
        target = data.draw(st.sampled_from(target["slot"]), label="slot")
    name = data.draw(st.sampled_from(sorted({*target, "reason", "@graph", "id", "@context"})), label="name")
    values = st.sampled_from(
        [None, 1, True, "", "x", "\ud800", [], {}, ["x"], {"@id": f"{objects.log}#4"}, target.get(name)]
    )
    target[name] = data.draw(values, label="value")
    text = json.dumps(document)
    assert_found_or_the_same(objects, text, tmp_path_factory.mktemp("entry") / "export.jsonld")


def assert_found_or_the_same(audit: Evidence, text: str, path: Path) -> None:
    """A change is found by both, or an RDF processor reads the same; neither verifier breaks on it."""
    path.write_text(text, encoding="utf-8")
    with contextlib.redirect_stdout(io.StringIO()):
        outside = OUTSIDER.main([str(path)])
    mars = codes_of_mars(path)
    assert (mars and outside) or same(audit, text, path.suffix)
