"""HermiT, run through owlready2 in a process of its own.

``python -m marskg.ontology.hermit`` reads a question on standard input and writes its answers on standard output, one
JSON object a line. Guarantees: this module alone imports owlready2, and only in the process that asks it; nothing is
fetched, because ``owl:imports`` never reaches it; the first line of the answer is the verdict; a second one, if the
statements contradict each other, names a small set of them that already does. Whoever starts the process may kill it
at any time: what was written until then holds.
Sources: OWL 2 Direct Semantics; Glimm et al. 2014 (HermiT).
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from marskg.errors import EngineUnavailable
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

#: Exit status of the process where Java is missing or does not run.
UNAVAILABLE = 3

_OWL = "http://www.w3.org/2002/07/owl#"
_RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_LITERAL = "http://www.w3.org/2000/01/rdf-schema#Literal"
_PROBE = "urn:marskg:probe:"
_QUOTED = late_regex(r'literal ".*"\^\^', re.IGNORECASE | re.DOTALL)
#: For a run of about a second: compile lightly, collect simply.
_SHORT_RUN = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@dataclass(frozen=True, slots=True)
class Question:
    """What to judge: ``base`` is taken as true, ``statements`` are under suspicion; all are N-Triples.

    ``properties`` are the IRIs to test for emptiness, by kind (``object``, ``data``); ``seconds`` bounds the search
    for the cause of a contradiction.
    """

    java: str
    base: str
    statements: tuple[str, ...] = ()
    object_properties: tuple[str, ...] = ()
    data_properties: tuple[str, ...] = ()
    seconds: float = 0.0

    def to_json(self) -> str:
        """Return the question as the text that the process reads."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Question:
        """Return the question that :meth:`to_json` wrote as ``text``."""
        fields = json.loads(text)
        return cls(
            java=fields["java"],
            base=fields["base"],
            statements=tuple(fields["statements"]),
            object_properties=tuple(fields["object_properties"]),
            data_properties=tuple(fields["data_properties"]),
            seconds=fields["seconds"],
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What HermiT says: ``refused`` is its own message where it cannot read the ontology as OWL 2 DL.

    ``because`` holds the indices of statements that together contradict the base; empty while unknown.
    """

    consistent: bool
    unsatisfiable: tuple[str, ...] = ()
    refused: str | None = None
    because: tuple[int, ...] = ()

    def to_json(self) -> str:
        """Return the verdict as one line of the answer."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Verdict:
        """Return the verdict that :meth:`to_json` wrote as ``line``."""
        fields = json.loads(line)
        return cls(fields["consistent"], tuple(fields["unsatisfiable"]), fields["refused"], tuple(fields["because"]))


def check_installed() -> None:
    """Refuse to go on where there is no reasoner.

    Raises:
        EngineUnavailable: the library that brings it is not installed.
    """
    if importlib.util.find_spec("owlready2") is None:
        msg = "the reasoner HermiT comes with owlready2, which is not installed; pip install 'marskg[reasoner]'"
        raise EngineUnavailable(msg)


def find_java(environment: Mapping[str, str], package: str = "arcadedb_embedded") -> str:
    """Return a Java program: the one in the wheel of ``package``, that of JAVA_HOME, or the first on the PATH.

    Raises:
        EngineUnavailable: there is none.
    """
    spec = importlib.util.find_spec(package)
    roots = [Path(spec.origin).parent / "jre"] if spec and spec.origin else []
    if home := environment.get("JAVA_HOME"):
        roots.append(Path(home))
    name = "java.exe" if os.name == "nt" else "java"
    for root in roots:
        if os.access(root / "bin" / name, os.X_OK):
            return str(root / "bin" / name)
    found = shutil.which("java", path=environment.get("PATH", os.defpath))
    if found is None:
        msg = (
            "the reasoner HermiT needs Java, and there is none under JAVA_HOME or on the PATH; install one with: "
            "pip install 'marskg[reasoner]', or set JAVA_HOME to a Java runtime of version 8 or later"
        )
        raise EngineUnavailable(msg)
    return found


def smallest_cause(count: int, contradicts: Callable[[Sequence[int]], bool], in_time: Callable[[], bool]) -> list[int]:
    """Return indices below ``count`` that still contradict, with as many left out as there is time for.

    ``contradicts`` must be monotone and hold for all indices together. Given time, no index can be left out of the
    answer, and it takes about k log2(count) questions for an answer of k: the last index of the shortest prefix that
    contradicts belongs to a cause, and what comes after it does not matter.
    """
    found: list[int] = []
    rest = list(range(count))
    while rest:
        low, high = 0, len(rest)
        while low < high:
            if not in_time():
                return sorted(found + rest[:high])
            middle = (low + high) // 2
            if contradicts(found + rest[:middle]):
                high = middle
            else:
                low = middle + 1
        if high == 0:
            break
        found.append(rest[high - 1])
        rest = rest[: high - 1]
    return sorted(found)


def judge(java: str, ntriples: str) -> Verdict:
    """Return HermiT's verdict on ``ntriples``.

    Raises:
        EngineUnavailable: Java does not start.
    """
    import owlready2  # noqa: PLC0415 - slow to import and full of global state: only where it is used

    owlready2.JAVA_EXE = java
    world = owlready2.World()
    try:
        with world.get_ontology(f"{_PROBE}ontology#").load(fileobj=io.BytesIO(ntriples.encode())):
            owlready2.sync_reasoner_hermit(world, debug=0)
    except owlready2.OwlReadyInconsistentOntologyError:
        return Verdict(consistent=False)
    except owlready2.base.OwlReadyJavaError as error:
        return Verdict(consistent=False, refused=_complaint(str(error)))
    except owlready2.OwlReadyOntologyParsingError:
        return Verdict(consistent=False, refused="a number or date is not written as its datatype asks")
    except OSError as error:
        msg = f"{java} does not start ({error.strerror or error}); set JAVA_HOME to a working Java runtime"
        raise EngineUnavailable(msg) from error
    else:
        empty = (entity.iri for entity in world.inconsistent_classes() if entity is not owlready2.Nothing)
        return Verdict(consistent=True, unsatisfiable=tuple(sorted(empty)))
    finally:
        world.close()


def contradictory(java: str, ntriples: str) -> bool:
    """Return whether HermiT finds ``ntriples`` inconsistent: a quicker question than :func:`judge` asks."""
    import owlready2  # noqa: PLC0415 - as in judge

    jars = Path(owlready2.__file__).parent / "hermit"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ontology.nt"
        file.write_text(ntriples, "utf-8")
        command = [java, "-cp", os.pathsep.join([str(jars), str(jars / "HermiT.jar")])]
        command += ["org.semanticweb.HermiT.cli.CommandLine", "-k", "-I", file.as_uri()]
        run = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - Java on our own file
    return "InconsistentOntologyException" in run.stderr


def _complaint(output: str) -> str:
    """Return HermiT's own sentence from Java's ``output``.

    Raises:
        EngineUnavailable: the output is the virtual machine's, not HermiT's.
    """
    head, found, rest = output.partition('Exception in thread "main" ')
    if not found or "OutOfMemoryError" in rest or "Error:" in rest.split(maxsplit=1)[0]:
        msg = f"Java cannot run HermiT: {' '.join((rest or head).split())[:300]}; set JAVA_HOME to another Java runtime"
        raise EngineUnavailable(msg)
    sentence = rest.split("\n\tat ", 1)[0].partition(": ")[2]
    # The literal may be somebody's memory.
    return " ".join(_QUOTED.sub("literal of ", sentence).split())


def _probes(question: Question) -> dict[str, tuple[str, str]]:
    """Return, by class IRI, a property and the class of whatever has a value of it: empty if the property is."""
    pairs = [(iri, f"{_OWL}Thing") for iri in question.object_properties]
    pairs += [(iri, _LITERAL) for iri in question.data_properties]
    return {f"{_PROBE}{number}": pair for number, pair in enumerate(pairs)}


def _probe_lines(probes: Mapping[str, tuple[str, str]]) -> str:
    """Return the probes as N-Triples."""
    lines = []
    for number, (iri, (name, filler)) in enumerate(probes.items()):
        node = f"_:probe{number}"
        lines += [
            f"<{iri}> <{_RDF_TYPE}> <{_OWL}Class> .",
            f"<{iri}> <{_OWL}equivalentClass> {node} .",
            f"{node} <{_RDF_TYPE}> <{_OWL}Restriction> .",
            f"{node} <{_OWL}onProperty> <{name}> .",
            f"{node} <{_OWL}someValuesFrom> <{filler}> .",
        ]
    return "".join(f"{line}\n" for line in lines)


def answer(question: Question, say: Callable[[Verdict], None]) -> None:
    """Tell the verdict on ``question`` and then, if it is a contradiction, its cause as far as time allows."""
    deadline = time.monotonic() + question.seconds
    probes = _probes(question)
    verdict = judge(question.java, question.base + "".join(question.statements) + _probe_lines(probes))
    named = tuple(probes[iri][0] if iri in probes else iri for iri in verdict.unsatisfiable)
    verdict = Verdict(verdict.consistent, tuple(sorted(set(named))), verdict.refused)
    say(verdict)
    if verdict.consistent or verdict.refused or not question.statements:
        return

    def contradicts(indices: Sequence[int]) -> bool:
        return contradictory(question.java, question.base + "".join(question.statements[index] for index in indices))

    def in_time() -> bool:
        return time.monotonic() < deadline

    cause = smallest_cause(len(question.statements), contradicts, in_time)
    say(Verdict(consistent=False, because=tuple(cause)))


def main() -> None:
    """Answer the question on standard input."""
    question = Question.from_json(sys.stdin.read())
    # owlready2 passes no options on; a Java of version 8, which does not know the variable, is only slower. Those that
    # are set already stay alone: a second collector beside ours would keep Java from starting.
    os.environ.setdefault("JDK_JAVA_OPTIONS", _SHORT_RUN)

    def say(verdict: Verdict) -> None:
        sys.stdout.write(verdict.to_json() + "\n")
        sys.stdout.flush()

    try:
        answer(question, say)
    except EngineUnavailable as error:
        sys.stderr.write(str(error))
        sys.exit(UNAVAILABLE)


if __name__ == "__main__":
    main()
