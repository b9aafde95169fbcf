"""A new field of a memory is one row of the field table: tried by adding one to a copy of the package.

Beside the row stand what Python and RDF need of any name: the typed attributes, the term and the shape. Nothing else is
touched, and the field is checked, stored, kept by new versions, exported and loaded, encrypted, validated, searched for
personal data and for names, compared with what was erased, redacted, reported, and goes with the content.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "marskg"
ROW = '    Field("mood", _S, _SAID, given=True, label=Label.TAG),\n    Field("mood_at", _T, _TIME, given=True),\n'
ATTRIBUTE = "    mood: str | None = None\n    mood_at: int | None = None\n"
PARAMETERS = "        mood: str | None = None,\n        mood_at: GivenTime | None = None,\n"
TERM = """
mars:mood a owl:DatatypeProperty , owl:FunctionalProperty ;
    rdfs:label "mood"@en ;
    rdfs:domain mars:Memory ;
    rdfs:range xsd:string ;
    rdfs:isDefinedBy <https://w3id.org/mars-kg/ns> .
"""
SHAPE = """
shape:Memory-mood a sh:PropertyShape ;
    sh:targetSubjectsOf mars:mood ;
    sh:path mars:mood ;
    sh:datatype xsd:string ;
    sh:maxCount 1 ;
    sh:name "mood" ;
    sh:message "mars:mood takes at most one xsd:string. Correct the value." ;
    dcterms:identifier "range" ;
    rdfs:isDefinedBy <https://w3id.org/mars-kg/shapes> .
"""
#: What a user of the copy does; the copy's own folder is the first argument.
USE = """
import sys
from pathlib import Path

import marskg
from marskg.drafts import Draft
from marskg.errors import ErasedContentRefused, InvalidMemory
from marskg.privacy.sensitivity import Assessor
from marskg.weight import TokenCounter

folder, mood = Path(sys.argv[1]), "gladder than ever"


def opened(tenant, **more):
    (folder / "c.yaml").write_text("encryption: subjects\\n" if more else "", encoding="utf-8")
    return marskg.open(folder / tenant, tenant=tenant, embedding="none", budget=1000, config=folder / "c.yaml")


def remembered(memory, **fields):
    memory.remember_many([Draft(ref="a", kind="semantic", content="Ann won", at=memory.now(), **fields)])
    return next(one for one in memory.memories() if one.content == "Ann won")


def held(folder, said):
    return any(said in path.read_bytes() for path in folder.rglob("*") if path.is_file())


memory = opened("plain")
assert memory.remember("Eve won", mood="calm").mood == "calm"
stored = remembered(memory, mood=mood, subjects=("Ann",))
assert memory.get(stored.id).mood == mood
for wrong in ("", "a\\ud800", "x" * 5000, 7):
    try:
        remembered(memory, mood=wrong)
    except InvalidMemory as error:
        assert "mood" in str(error)
    else:
        raise AssertionError(wrong)
for suffix in ("jsonld", "nq", "trig", "ttl"):
    memory.export(folder / f"e.{suffix}")
    other = opened(suffix)
    other.load(folder / f"e.{suffix}")
    assert other.get(stored.id).mood == mood, suffix
    other.close()
newer = memory.update(stored.id, "Ann won twice")
assert newer.mood == mood
report = memory.privacy.report("Ann")
assert {one.get("mood") for one in report.document["reportMemory"]} == {mood}
assert memory.validate(full=True).ok
memory.remember_many([Draft(ref="b", kind="semantic", content="so", at=memory.now(), mood="ann@example.org")])
assert next(one for one in memory.memories() if one.content == "so").sensitivity > stored.sensitivity
# It is a text of the memory: searched for names, compared with what was erased, and redacted, by its row alone.
told = "Olga Brandt hid the zyxquartz key under the third pot by the door of the old mill"
remembered(memory, mood="with Ida Falk")
assert memory.erase(entity="Ida Falk").matched == 1
memory.erase(id=memory.remember(told).id)
try:
    remembered(memory, mood=f"as she said: {told}")
except ErasedContentRefused:
    pass
else:
    raise AssertionError("an erased text came back in the new field")
card = memory.remember("so", mood="card 4111 1111 1111 1111")
shown = Assessor().redactor(memory.settings.current.sensitivity).as_shown(card, 0.1, TokenCounter())
assert "4111" not in shown.mood
memory.erase(subject="Ann")
assert all(one.mood != mood for one in memory.memories())
memory.export(folder / "after.nq")
assert not held(folder / "after.nq", mood.encode()) and mood not in (folder / "after.nq").read_text()
memory.close()

memory = opened("secret", encryption="subjects")
stored = remembered(memory, mood=mood, subjects=("Ann",))
assert memory.get(stored.id).mood == mood
memory.close()
assert held(folder / "plain", b"ann@example.org") and not held(folder / "secret", mood.encode())
print("held")
"""
#: And on the command line.
USE_COMMAND = "from marskg.cli.main import main; main()"
#: The same of a payload.
USE_PAYLOAD = """
import sys, marskg
memory = marskg.open(sys.argv[1], embedding="none")
one = memory.remember("Ann won", kind="semantic", payload={"mood": "glad"})
print(memory.get(one.id).payload)
memory.close()
"""


def put(path: Path, after: str, new: str) -> None:
    """Put ``new`` behind the only place where ``after`` stands in a file."""
    text = path.read_text("utf-8")
    assert text.count(after) == 1, path.name
    path.write_text(text.replace(after, after + new), "utf-8")


def timed(said: str) -> str:
    """Return a term or a shape of the text as that of the time."""
    return said.replace("mood", "moodAt").replace("xsd:string", "xsd:dateTime")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of the package, in a folder of its own."""
    made = tmp_path / "src" / "marskg"
    shutil.copytree(PACKAGE, made)
    return made


def run(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python on the copy of the package."""
    env = {**os.environ, "PYTHONPATH": str(copy.parent)}
    return subprocess.run(
        [sys.executable, *arguments], env=env, cwd=copy.parents[1], capture_output=True, text=True, check=False
    )


def test_a_new_field_is_one_row(copy: Path, tmp_path: Path) -> None:
    put(
        copy / "ontology" / "fields.py",
        '    Field("key", _S, _SAID, given=True, label=Label.NAME, reads=texts_of_key, rewrites=rewritten_key),\n',
        ROW,
    )
    memory = "    payload: Mapping[str, Value] = field(default_factory=lambda: _EMPTY)\n"
    put(copy / "records.py", memory, ATTRIBUTE)
    put(copy / "drafts.py", memory, ATTRIBUTE)
    put(copy / "memory.py", '        source_type: str = "chat_user",\n', PARAMETERS)
    with (copy / "ontology" / "mars.ttl").open("a", encoding="utf-8") as stream:
        stream.write(TERM + timed(TERM))
    with (copy / "shapes" / "memory.ttl").open("a", encoding="utf-8") as stream:
        stream.write(SHAPE + timed(SHAPE))
    made = run(copy, "-m", "marskg.ontology.context")
    assert made.returncode == 0, made.stderr
    (tmp_path / "stores").mkdir()
    used = run(copy, "-c", USE, str(tmp_path / "stores"))
    assert used.stdout.endswith("held\n"), used.stderr
    said = ("--mood", "glad", "--mood-at", "1970-01-01T01:00:01+01:00", "--json")
    told = run(copy, "-c", USE_COMMAND, "--store", str(tmp_path / "s"), "remember", "Ann won", *said)
    shown = json.loads(told.stdout)
    assert (shown["mood"], shown["mood_at"]) == ("glad", 1_000), told.stderr


def test_a_field_of_a_payload_is_one_row_and_nothing_beside_it(copy: Path, tmp_path: Path) -> None:
    put(
        copy / "ontology" / "fields.py",
        '        Field("concept", _S, _PAYLOAD),\n',
        '        Field("mood", _S, _PAYLOAD),\n',
    )
    assert run(copy, "-c", USE_PAYLOAD, str(tmp_path / "store")).stdout == "{'mood': 'glad'}\n"
