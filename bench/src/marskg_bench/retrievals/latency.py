"""How long one retrieval takes, beside other products on the same texts and vectors in the same run.

Guarantees: every system answers the same questions by turns, so that a busy machine falls on all of them alike; the
peers get the vectors of texts and questions, and no question is asked twice, so that no cache answers. The product
retrieves to a budget of tokens with all governance on, and makes its questions' vectors itself, by the same model,
``static``: what that takes is in its figure. It stands beside it, and so does what the usual model takes, which would
be there in its place. The peers return as many items as the budget holds.
"""

from __future__ import annotations

import tempfile
import time
import tracemalloc
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, cast

import numpy as np

import marskg
from marskg.clock import ManualClock
from marskg.drafts import Draft
from marskg.embedding.model import question_vectors
from marskg.embedding.registry import STATIC, load_model, usual
from marskg.embedding.static import StaticEmbedding
from marskg.ontology.vocabulary import Kind
from marskg.retrieval.index.storage import load
from marskg.weight import TokenCounter
from marskg_bench.common.sentences import Sentences
from marskg_bench.common.timing import interleaved
from marskg_bench.retrievals.peers import PEERS, Corpus, PeerUnusable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from marskg.embedding.model import EmbeddingModel
    from marskg.memory import AgentMemory
    from marskg_bench.common.progress import Say
    from marskg_bench.common.timing import Arm

#: What is timed: gives what answers a question.
Timed: TypeAlias = "Callable[[str], Sequence[object]]"
#: What a retrieval may return, in tokens.
BUDGET: Final = 1000
_ROUNDS: Final = 60
#: Questions before those that are timed: a JVM works fast on what it has done often, as in a process that lives.
_WARMUP: Final = 60
_SESSION: Final = 25
_START: Final = 1_750_000_000_000
_MINUTE: Final = 60_000
_TENANT: Final = "bench"
_AMPLE: Final = 1_000_000_000
_DEEP: Final = 200


def run(sizes: Sequence[int], *, seed: int, say: Say, with_product: bool = True) -> dict[str, Any]:
    """Return, by size and system, ``p50_ms``, ``p95_ms`` and the mean number of ``items``, or a ``note`` why not.

    Raises:
        EngineUnavailable: the embedded engine cannot be opened.
    """
    model, counter = StaticEmbedding(), TokenCounter()
    found: dict[str, Any] = {}
    for size in sizes:
        say(f"{size:,} sentences and their vectors")
        corpus = _corpus(size, seed, model)
        sample = counter.count_many(corpus.texts[:1000])
        k = max(1, round(BUDGET * len(sample) / sum(sample)))
        found[str(size)] = _measure(corpus, k, say, with_product=with_product)
    return found


def _corpus(size: int, seed: int, model: StaticEmbedding) -> Corpus:
    sentences = Sentences(seed)
    texts, questions = sentences.take(size), sentences.questions(_ROUNDS + _WARMUP)
    return Corpus(texts, model.embed(texts), questions, model.embed(questions), model)


def _measure(corpus: Corpus, k: int, say: Say, *, with_product: bool) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    searches: dict[str, Timed] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="marskg-bench-")))
        if with_product:
            say(f"marskg: {len(corpus.texts):,} memories")
            _fill(folder, corpus)
            figures["index"] = _index(folder)
            searches["marskg"] = stack.enter_context(_product(folder, corpus))
        for peer in PEERS:
            say(f"{peer.name}: {len(corpus.texts):,} memories")
            try:
                peer.check()
                place = folder / peer.name
                place.mkdir()
                searches[peer.name] = stack.enter_context(peer.opened(place, corpus, k))
            except PeerUnusable as error:
                figures[peer.name] = {"note": str(error)}
        say("questions by turns")
        figures |= timed(searches, corpus.questions, rounds=_ROUNDS, warmup=_WARMUP)
    encoding = {
        f"{spec} encoding": _encoding(model, corpus)
        for spec in dict.fromkeys((STATIC, usual({})))
        if (model := load_model(spec)) is not None
    }
    names = ("marskg", *(peer.name for peer in PEERS), *encoding, "index")
    figures |= encoding
    return {name: figures[name] for name in names if name in figures}


def _encoding(model: EmbeddingModel, corpus: Corpus) -> dict[str, Any]:
    """Return what the vector of a question takes; of the peers' figures it is no part."""
    asked = corpus.questions
    spent = interleaved(_ROUNDS, {"": lambda n: lambda: question_vectors(model, [asked[n]])}, warmup=_WARMUP)[""]
    return {"p50_ms": _percentile(spent, 50), "p95_ms": _percentile(spent, 95), "note": "of one question"}


def timed(searches: Mapping[str, Timed], questions: Sequence[str], *, rounds: int, warmup: int) -> dict[str, Any]:
    """Return the figures of ``searches``, asked by turns; there is a question for each round and warm-up."""
    counts: dict[str, list[int]] = {name: [] for name in searches}

    def arm(name: str, search: Timed) -> Arm:
        def prepared(number: int) -> Callable[[], object]:
            return lambda: counts[name].append(len(search(questions[number])))

        return prepared

    seconds = interleaved(rounds, {name: arm(name, search) for name, search in searches.items()}, warmup=warmup)
    return {
        name: {
            "p50_ms": _percentile(spent, 50),
            "p95_ms": _percentile(spent, 95),
            "items": round(sum(counts[name]) / len(counts[name]), 1),
        }
        for name, spent in seconds.items()
    }


def _percentile(seconds: Sequence[float], share: int) -> float:
    return round(float(np.percentile(seconds, share)) * 1000, 3)


class _Retrieving(Protocol):
    def retrieve(self, question: str, *, token_budget: int | None, k: int) -> Sequence[object]: ...


def _opened(folder: Path, corpus: Corpus) -> AgentMemory:
    clock = ManualClock(_START + len(corpus.texts) * _MINUTE)
    return marskg.open(folder / "store", tenant=_TENANT, budget=_AMPLE, clock=clock, embedding=STATIC)


def _fill(folder: Path, corpus: Corpus) -> None:
    """Store the texts as a conversation's turns, default settings with room for all."""
    with _opened(folder, corpus) as memory:
        memory.remember_many(_turns(corpus.texts))
        memory.maintenance.prepare()


def _index(folder: Path) -> dict[str, Any]:
    """Return what reading the retrieval index from its file takes, in seconds, and its bytes for each memory."""
    file = folder / "store" / "index" / f"{_TENANT}.index"
    if not file.exists():
        return {"note": "so few are read from the store"}
    start = time.perf_counter()
    load(file)
    seconds = time.perf_counter() - start
    tracemalloc.start()
    index, _ = load(file)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    each = round(size / len(index))
    return {"seconds": round(seconds, 2), "bytes_each": each, "note": f"read in {seconds:.2f} s, {each:,} B a memory"}


@contextmanager
def _product(folder: Path, corpus: Corpus) -> Iterator[Timed]:
    """Give the product's retrieval."""
    with _opened(folder, corpus) as memory:
        retrieve = cast("_Retrieving", memory).retrieve
        yield lambda question: retrieve(question, token_budget=BUDGET, k=_DEEP)


def _turns(texts: Sequence[str]) -> Iterator[Draft]:
    for number, content in enumerate(texts):
        yield Draft(
            ref=f"turn-{number}",
            kind=Kind.EPISODIC,
            content=content,
            at=_START + number * _MINUTE,
            session=f"session-{number // _SESSION}",
            subjects=("alice",),
            source_ref=f"chat/{number}",
        )
