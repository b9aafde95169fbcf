"""PyLD, the reference JSON-LD processor, kept offline and strict: the only way in which this package uses it.

Guarantees: nothing is fetched, as the one document loader is the caller's, which knows its contexts by heart; a term
that no context defines is handed to the caller, where processors drop it in silence; relative IRIs can be told from
absolute ones; PyLD's own errors become :class:`~marskg.errors.InvalidDocument` without a word of the document.
Source: W3C JSON-LD 1.1 Processing Algorithms sections 5.1 (expansion) and 8.1 (deserialisation to RDF).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from marskg.errors import InvalidDocument, MarsError
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_Result = TypeVar("_Result")
#: A statement as PyLD has it: subject, predicate and object, each with its type and value.
Quad: TypeAlias = "Mapping[str, Mapping[str, str]]"
#: Gives the document of an IRI, or refuses it.
Contexts: TypeAlias = "Callable[[str], Mapping[str, Any]]"

#: Base that no document has: PyLD resolves relative IRIs against some base in any case, so they are known by this one.
_NO_BASE = "x-relative-iri://refused/"
_ABSOLUTE = late_regex(r"(?!x-relative-iri:)[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|\\^`]*")


class Processor:
    """Runs PyLD on documents of one ``subject``, as messages call it, with the contexts that ``contexts`` knows."""

    def __init__(self, subject: str, contexts: Contexts) -> None:
        """Take a resolver of our own: PyLD's is shared by the process, and may have been given anything."""
        # Only here: it brings an HTTP client, and every opening imports this module.
        from pyld import jsonld  # noqa: PLC0415
        from pyld.context_resolver import ContextResolver  # noqa: PLC0415

        def load(url: str, _options: Mapping[str, Any] | None = None) -> dict[str, Any]:
            document = contexts(url)
            return {"contentType": "application/ld+json", "contextUrl": None, "documentUrl": url, "document": document}

        self._jsonld = jsonld
        self._subject = subject
        self._options: dict[str, Any] = {
            "documentLoader": load,
            "contextResolver": ContextResolver({}, load),
            "base": _NO_BASE,
        }

    def expand(
        self, document: object, *, dropped: Callable[[object], None], context: Mapping[str, Any] | None = None
    ) -> list[Any]:
        """Return the expanded ``document``; ``dropped`` is called with each term that no context defines.

        Raises:
            InvalidDocument: it is no JSON-LD.
        """
        options = self._options if context is None else {**self._options, "expandContext": dict(context)}
        return list(self._run(lambda: self._jsonld.expand(document, options, on_property_dropped=dropped)))

    def dataset(self, expanded: list[Any]) -> dict[str, list[Quad]]:
        """Return the statements of an expanded document by the graph that they are in."""
        return dict(self._run(lambda: self._jsonld.to_rdf(expanded, self._options)))

    def canonical(self, expanded: list[Any]) -> str:
        """Return the RDFC-1.0 canonical N-Quads of an expanded document."""
        options = {**self._options, "algorithm": "URDNA2015", "format": "application/n-quads"}
        return str(self._run(lambda: self._jsonld.normalize(expanded, options)))

    def framed(self, document: object, frame: Mapping[str, Any]) -> dict[str, Any]:
        """Return ``document`` in the form of ``frame``."""
        return dict(self._run(lambda: self._jsonld.frame(document, frame, {**self._options, "omitGraph": True})))

    def _run(self, step: Callable[[], _Result]) -> _Result:
        """Run one step of PyLD and say its errors in our words, without the document's content."""
        try:
            return step()
        except MarsError:  # our own refusals, from the loader and of dropped terms
            raise
        except self._jsonld.JsonLdError as error:
            cause: BaseException | None = error
            while cause is not None:
                if isinstance(cause, MarsError):
                    raise cause from None
                cause = cause.__cause__
            msg = f"{self._subject} is not valid JSON-LD 1.1: {error.code or error.type}"
            raise InvalidDocument(msg) from None
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
            msg = f"{self._subject} is not valid JSON-LD 1.1: {type(error).__name__} while reading it"
            raise InvalidDocument(msg) from None


def broken_names(item: Mapping[str, Any]) -> Iterator[str]:
    """Yield the IRIs of one expanded object that are relative or broken, as the document wrote them.

    Blank node identifiers are among them; they begin with ``_:``.
    """
    names = [name for name in item if not name.startswith("@")]
    for key in ("@id", "@type"):
        value = item.get(key, [])
        names += value if isinstance(value, list) else [value]
    for name in names:
        if not (_ABSOLUTE.fullmatch(name) or name == "@json"):
            yield name.removeprefix(_NO_BASE)
