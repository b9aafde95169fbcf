"""What an export looks like, and what is left of it when something goes wrong."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyoxigraph as ox
import pytest
import rdflib

from marskg.errors import InvalidInput, InvalidMemory, StoreUnwritable
from marskg.exporters.rdf.formats import Format, format_of
from marskg.exporters.rdf.jsonld import packaged_context
from marskg.exporters.rdf.writer import Content, Counts, write_export
from tests.support.exports import FORMATS, episodes, lines_of, parsed, parsed_lines, signed_log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.records import Edge, Memory

AUDITED = (3, *signed_log(3))


def content(count: int = 5) -> Content:
    return Content(list(episodes(count)), (), *AUDITED[1:])


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_syntax_says_what_the_mapping_and_the_audit_say(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"out{suffix}"
    write_export(path, content())
    assert parsed(path) == parsed_lines(lines_of(content()))


def test_counts_say_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "out.nq"
    counts = write_export(path, content())
    assert counts == Counts(memories=5, entities=0, edges=5, records=3, heads=1, size=path.stat().st_size)


def test_json_ld_without_audit_is_one_object_and_with_audit_two(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonld"
    write_export(path, Content(episodes(2)))
    alone = json.loads(path.read_bytes())
    write_export(path, content(2))
    memories, audit = json.loads(path.read_bytes())
    assert alone["@graph"] == memories["@included"]
    assert {"@context", "@included"} == set(memories) == set(audit)
    assert memories["@context"] == packaged_context()
    assert [node["@type"] for node in audit["@included"]] == ["AuditRecord"] * 3 + ["TreeHead"]


def test_an_empty_store_is_a_document_too(tmp_path: Path) -> None:
    for suffix in FORMATS:
        path = tmp_path / f"empty{suffix}"
        write_export(path, Content(records=()))
        assert len(parsed(path)) == 0


def test_rdflib_reads_the_json_ld_without_the_network(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonld"
    write_export(path, content())
    graph = rdflib.Dataset(default_union=True).parse(path, format="json-ld")
    assert len(graph) == len(lines_of(content()))


def test_turtle_is_readable(tmp_path: Path) -> None:
    path = tmp_path / "out.ttl"
    write_export(path, Content(episodes(1)))
    text = path.read_text("utf-8")
    assert "\n<urn:uuid:" in text
    assert ' a mars:Memory, mars:Episodic ;\n    mars:content "I water the tomatoes in bed 0 \\"twice\\"' in text
    assert "mars:sensitivity 0 ;" not in text, "a bare 0 would be an integer"
    assert "mars:weight 20 ;" in text
    assert "mars:reliability 0.9 ;" in text
    assert "mars:tier mars:live ;" in text


@pytest.mark.parametrize("suffix", FORMATS)
def test_memory_use_does_not_grow_with_the_store(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"out{suffix}"

    def peak(count: int) -> int:
        tracemalloc.start()
        write_export(path, Content(episodes(count)))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(10)
    # Twenty times the memories; the writers' bounded caches may still fill.
    assert peak(2000) < peak(100) + 1_000_000


def test_the_format_is_named_or_known_by_its_suffix() -> None:
    assert format_of(Path("a.JSONLD")) is Format.JSONLD
    assert format_of(Path("a.txt"), "turtle") is Format.TURTLE
    with pytest.raises(InvalidInput, match=r"a\.txt has none of the suffixes .*\.trig"):
        format_of(Path("a.txt"))
    with pytest.raises(InvalidInput, match="unknown format 'xml'; use one of jsonld, nquads"):
        format_of(Path("a.nq"), "xml")


# --- Whole or not at all ---------------------------------------------------------------------------------------------


def broken_off(error: BaseException) -> Iterator[tuple[Memory, tuple[Edge, ...]]]:
    yield from episodes(3)
    raise error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("the engine went away")])
def test_an_export_that_is_broken_off_leaves_the_old_file_and_no_part(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "out.nq"
    path.write_text("old")
    with pytest.raises(type(error)):
        write_export(path, Content(broken_off(error)))
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


KILLED = """
import os, signal, sys
from pathlib import Path
from marskg.exporters.atomic import AtomicFile

with AtomicFile(Path(sys.argv[1])) as file:
    file.write(b"what somebody said" * 100_000)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_leaves_the_old_file_and_no_part(tmp_path: Path) -> None:
    (tmp_path / "out.nq").write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "out.nq")], check=False)
    assert done.returncode == -signal.SIGKILL
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"out.nq": b"old"}


def test_a_full_disk_is_store_unwritable_and_leaves_nothing(tmp_path: Path) -> None:
    # A limit on the size of files is the nearest thing to a full disk that needs no rights.
    code = f"""
import resource, signal
from pathlib import Path
from marskg.errors import StoreUnwritable
from marskg.exporters.rdf.writer import Content, write_export
from tests.support.exports import episodes
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, {resource.RLIM_INFINITY}))
try:
    write_export(Path({str(tmp_path / "out.nq")!r}), Content(episodes(2000)))
except StoreUnwritable as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"cannot write {tmp_path / 'out.nq'}: File too large; free some space" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    a_file = tmp_path / "file"
    a_file.touch()
    for path in (tmp_path / "missing/out.nq", a_file / "out.nq", Path("/proc/out.nq")):
        with pytest.raises(StoreUnwritable, match=r"cannot write .*out\.nq: .*choose another folder"):
            write_export(path, Content(episodes(1)))


def test_what_is_no_regular_file_is_not_replaced(tmp_path: Path) -> None:
    for path in (tmp_path, Path("/dev/null")):
        with pytest.raises(StoreUnwritable, match="not a regular file"):
            write_export(path, Content(episodes(1)), "nquads")


def test_a_symbolic_link_keeps_pointing_where_it_points(tmp_path: Path) -> None:
    target, link = tmp_path / "target.nq", tmp_path / "link.nq"
    target.touch()
    link.symlink_to(target)
    write_export(link, Content(episodes(1)))
    assert link.is_symlink()
    assert len(parsed(target)) > 10


def test_an_export_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "out.nq"
    write_export(path, Content(episodes(1)))
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_lone_surrogate_names_its_memory_and_nothing_is_written(tmp_path: Path, suffix: str) -> None:
    ((memory, edges),) = episodes(1)
    bad = replace(memory, content="half \ud83c of a pair")
    with pytest.raises(InvalidMemory, match=f"{memory.id} holds a lone surrogate") as caught:
        write_export(tmp_path / f"out{suffix}", Content([(bad, edges)]))
    assert "half" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_pyoxigraph_streams_our_json_ld(tmp_path: Path) -> None:
    """Context first, then @id and @type: a streaming processor needs no look-ahead."""
    path = tmp_path / "out.jsonld"
    write_export(path, Content(episodes(3)))
    streaming = ox.RdfFormat.from_media_type('application/ld+json;profile="http://www.w3.org/ns/json-ld#streaming"')
    assert streaming is not None
    assert ox.Dataset(ox.parse(path=str(path), format=streaming)) == parsed(path)
