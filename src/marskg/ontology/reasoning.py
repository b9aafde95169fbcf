"""Asks the reasoner about triples, in a process of its own that is killed when its time is up.

Guarantees: a question gets an answer, or None when time is up; a contradiction is told with the statements that cause
it, as far as time allows to narrow them down; neither the reasoner nor its library runs in this process.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

from marskg.errors import EngineUnavailable
from marskg.ontology.documents import FILES
from marskg.ontology.hermit import UNAVAILABLE, Question, Verdict, check_installed, find_java
from marskg.ontology.statements import is_declaration, ntriples, properties, shorten, told, units, without_headers
from marskg.records import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.ontology.documents import Source
    from marskg.ontology.statements import Statement

#: A contradiction that needs more statements than this is told without listing them.
_SHOWN_STATEMENTS = 8


def reasoned(base: Sequence[Statement], sources: Sequence[Source], seconds: float) -> list[Finding]:
    """Return what HermiT finds in ``base`` and ``sources`` together.

    Raises:
        EngineUnavailable: there is no reasoner or no Java, or it does not run.
    """
    check_installed()
    own = [(source, unit) for source in sources for unit in units(source.statements)]
    verdict = ask(_question(base, [unit for _, unit in own], seconds), seconds)
    names = ", ".join(source.name for source in sources)
    if verdict is None:
        message = f"the reasoner found no answer in {seconds:g} s; check fewer files, or allow more time"
        return [Finding("undecided", names, message)]
    if verdict.refused is not None:
        return [Finding("not-owl-dl", names, f"not OWL 2 DL: {verdict.refused}")]
    if not verdict.consistent:
        return [_contradiction(names, [own[index] for index in verdict.because])]
    return [_unsatisfiable(iri, sources) for iri in verdict.unsatisfiable]


def _question(base: Sequence[Statement], own: Sequence[list[Statement]], seconds: float) -> Question:
    """Return the question whether ``own`` goes with ``base``; declarations are never the cause of a contradiction."""
    declarations = [each for unit in own for each in unit if is_declaration(each)]
    everything = [*base, *declarations]
    return Question(
        java=find_java(os.environ),
        base=ntriples(without_headers(everything)),
        statements=tuple(ntriples(unit) for unit in own),
        object_properties=properties(everything, "ObjectProperty"),
        data_properties=properties(everything, "DatatypeProperty"),
        seconds=seconds / 2,
    )


def _unsatisfiable(iri: str, sources: Sequence[Source]) -> Finding:
    """Return the finding on a class or property that can have no instance."""
    where = [source.name for source in sources if any(subject.value == iri for subject, _, _ in source.statements)]
    message = "can have no instance: what is said of it contradicts itself or the ontology; weaken one of its axioms"
    return Finding("unsatisfiable", f"{', '.join(where) or FILES[0]}: {shorten(iri)}", message)


def _contradiction(names: str, cause: Sequence[tuple[Source, list[Statement]]]) -> Finding:
    """Return the finding on statements that contradict each other or the ontology."""
    where = ", ".join(dict.fromkeys(source.name for source, _ in cause)) or names
    if 0 < len(cause) <= _SHOWN_STATEMENTS:
        shown = "; ".join(told(unit[0]) for _, unit in cause)
        message = f"contradicts the ontology or itself: {shown}; remove or correct one of these statements"
    else:
        message = (
            "contradicts the ontology or itself; time did not suffice to say by which statements: check less at once"
        )
    return Finding("inconsistent", where, message)


def ask(question: Question, seconds: float) -> Verdict | None:
    """Return HermiT's verdict on ``question``, or None if it gives none within ``seconds``.

    Raises:
        EngineUnavailable: Java does not run.
    """
    # -P: a module of the same name in the current folder must not be run instead.
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "marskg.ontology.hermit"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    ) as process:
        try:
            output, complaint = process.communicate(question.to_json(), timeout=seconds)
        except subprocess.TimeoutExpired:
            _kill(process)
            output, complaint = process.communicate()
        except BaseException:
            _kill(process)
            raise
    if lines := output.splitlines():
        return Verdict.from_json(lines[-1])
    if process.returncode <= 0:
        return None
    last = complaint.strip().rpartition("\n")[2]
    if process.returncode == UNAVAILABLE:
        raise EngineUnavailable(last)
    return Verdict(consistent=False, refused=f"the reasoner's library cannot take it in ({last.partition(':')[0]})")


def _kill(process: subprocess.Popen[str]) -> None:
    """End the reasoner and the Java program that it started."""
    if not hasattr(os, "killpg"):
        process.kill()
        return
    with contextlib.suppress(ProcessLookupError):  # it ended meanwhile
        os.killpg(process.pid, signal.SIGKILL)
