"""Other products' memories on the same vectors: mem0 on its local Qdrant, LangGraph's SQLite store, Chroma.

Guarantees: each is used as its documents say, with its own search; only the embedding is replaced by the vectors that
are given. Up to :data:`ADDED` memories go into mem0 by its ``add`` with ``infer=False``, which asks no language model;
more go in through its vector store, because ``add`` would take hours. Nothing is sent anywhere: telemetry is off and no
key is set; but mem0 tries to fetch a model of spaCy for its search by words, and goes on without where it cannot. What
is not installed, or cannot run on this Python, is named with the way out (:class:`PeerUnusable`), never left out.
"""

from __future__ import annotations

import json
import os
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from marskg.embedding.model import EmbeddingModel, Vectors

#: Searches for a question of the corpus; returns what came back, best first.
Search: TypeAlias = "Callable[[str], Sequence[FoundText]]"
#: Memories up to which mem0 is told each by its own ``add``.
ADDED: Final = 2000

_USER: Final = "bench"
_CHUNK: Final = 1000


class FoundText(NamedTuple):
    """The place of a text in the corpus, and the peer's own score of it, higher for what is nearer."""

    place: int
    score: float


class PeerUnusable(Exception):
    """A peer cannot take part; the message says why and the way out."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Texts and questions with their vectors, and the model that made them."""

    texts: Sequence[str]
    vectors: Vectors
    questions: Sequence[str]
    question_vectors: Vectors
    model: EmbeddingModel

    def known(self) -> dict[str, list[float]]:
        """Return the vector of each text and question."""
        rows = [*self.vectors.tolist(), *self.question_vectors.tolist()]
        return dict(zip([*self.texts, *self.questions], rows, strict=True))


@contextmanager
def mem0(folder: Path, corpus: Corpus, k: int) -> Iterator[Search]:
    """Give mem0's search, default settings on Qdrant in a local folder."""
    os.environ["MEM0_TELEMETRY"] = "False"
    os.environ["MEM0_DIR"] = str(folder / "mem0")
    unused = {"provider": "openai", "config": {"api_key": "unused"}}
    dimension = corpus.vectors.shape[1]
    memory: Any = import_module("mem0").Memory.from_config(
        {
            "vector_store": {
                "provider": "qdrant",
                "config": {
                    "collection_name": _USER,
                    "path": str(folder / "qdrant"),
                    "embedding_model_dims": dimension,
                    "on_disk": True,
                },
            },
            "llm": unused,
            "embedder": unused,
            "history_db_path": str(folder / "history.db"),
        }
    )
    memory.embedding_model = _Embedder(corpus)
    (_add if len(corpus.texts) <= ADDED else _insert)(memory, corpus)

    def search(question: str) -> list[FoundText]:
        found = memory.search(question, filters={"user_id": _USER}, top_k=k)["results"]
        return [FoundText(one["metadata"]["place"], one["score"]) for one in found]

    try:
        yield search
    finally:
        memory.vector_store.client.close()


def _add(memory: Any, corpus: Corpus) -> None:  # noqa: ANN401 - mem0's, which is optional
    for place, text in enumerate(corpus.texts):
        memory.add(text, user_id=_USER, metadata={"place": place}, infer=False)


def _insert(memory: Any, corpus: Corpus) -> None:  # noqa: ANN401 - see _add
    for start in range(0, len(corpus.texts), _CHUNK):
        texts = corpus.texts[start : start + _CHUNK]
        memory.vector_store.insert(
            vectors=corpus.vectors[start : start + _CHUNK].tolist(),
            payloads=[
                {"data": text, "user_id": _USER, "hash": "", "place": start + place} for place, text in enumerate(texts)
            ],
            ids=[str(UUID(int=start + place)) for place in range(len(texts))],
        )


class _Embedder:
    """What mem0 asks for vectors: of what is in the corpus, and of parts of texts that it looks up by themselves."""

    def __init__(self, corpus: Corpus) -> None:
        self._known = corpus.known()
        self._model = corpus.model

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002 - mem0's interface
        if text not in self._known:
            found: list[float] = self._model.embed([text])[0].tolist()
            self._known[text] = found
        return self._known[text]

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        return [self.embed(text, memory_action) for text in texts]


@contextmanager
def langgraph(folder: Path, corpus: Corpus, k: int) -> Iterator[Search]:
    """Give the search of LangGraph's SQLite store with a vector index.

    Raises:
        PeerUnusable: this Python's SQLite cannot load sqlite-vec.
    """
    known = corpus.known()
    base, place = import_module("langgraph.store.base"), (_USER,)

    def embed(texts: Sequence[str]) -> list[list[float]]:
        # The store embeds a value whole, as JSON, and a query as it is.
        return [known[json.loads(text)["text"] if text.startswith("{") else text] for text in texts]

    with ExitStack() as stack:
        connection = _sqlite().connect(folder / "store.db", check_same_thread=False, isolation_level=None)
        stack.callback(connection.close)
        index = {"dims": corpus.vectors.shape[1], "embed": embed}
        store: Any = import_module("langgraph.store.sqlite").SqliteStore(connection, index=index)
        store.setup()
        for start in range(0, len(corpus.texts), _CHUNK):
            texts = corpus.texts[start : start + _CHUNK]
            store.batch([base.PutOp(place, str(start + n), {"text": text}) for n, text in enumerate(texts)])
        yield lambda question: [
            FoundText(int(one.key), one.score) for one in store.search(place, query=question, limit=k)
        ]


def _sqlite() -> Any:  # noqa: ANN401 - one of two modules with one interface
    """Return a SQLite that loads extensions: Python's own, if it was built so, or pysqlite3."""
    own = import_module("sqlite3")
    if hasattr(own.Connection, "enable_load_extension"):
        return own
    if find_spec("pysqlite3") is None:
        msg = "this Python's sqlite3 loads no extensions: pip install pysqlite3-binary"
        raise PeerUnusable(msg)
    return import_module("pysqlite3.dbapi2")


@contextmanager
def chroma(folder: Path, corpus: Corpus, k: int) -> Iterator[Search]:
    """Give the search of a Chroma collection on the disk, by cosine."""
    library: Any = import_module("chromadb")
    settings = library.config.Settings(anonymized_telemetry=False)
    client = library.PersistentClient(path=str(folder / "chroma"), settings=settings)
    collection = client.create_collection(_USER, metadata={"hnsw:space": "cosine"}, embedding_function=None)
    for start in range(0, len(corpus.texts), _CHUNK):
        texts = list(corpus.texts[start : start + _CHUNK])
        collection.add(
            ids=[str(start + place) for place in range(len(texts))],
            embeddings=corpus.vectors[start : start + _CHUNK],
            documents=texts,
        )
    vectors = dict(zip(corpus.questions, corpus.question_vectors, strict=True))

    def search(question: str) -> list[FoundText]:
        found = collection.query(query_embeddings=[vectors[question]], n_results=k)
        return [
            FoundText(int(ident), 1.0 - distance)
            for ident, distance in zip(found["ids"][0], found["distances"][0], strict=True)
        ]

    yield search


@dataclass(frozen=True, slots=True)
class Peer:
    """A product to compare with: its module, the packages to install, how it is opened and filled."""

    name: str
    module: str
    packages: str
    opened: Callable[[Path, Corpus, int], AbstractContextManager[Search]]

    def check(self) -> None:
        """Make sure that the peer is installed.

        Raises:
            PeerUnusable: it is not.
        """
        if any(find_spec(name) is None for name in _parents(self.module)):
            msg = f"not installed: pip install {self.packages}"
            raise PeerUnusable(msg)


def _parents(module: str) -> Iterator[str]:
    """Yield the packages around ``module``, outermost first, and the module."""
    parts = module.split(".")
    yield from (".".join(parts[: count + 1]) for count in range(len(parts)))


PEERS: Final = (
    Peer("mem0", "mem0", "mem0ai", mem0),
    Peer("langgraph", "langgraph.store.sqlite", "langgraph langgraph-checkpoint-sqlite", langgraph),
    Peer("chroma", "chromadb", "chromadb", chroma),
)
