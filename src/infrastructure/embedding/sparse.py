"""Sparse vectors: BM25 by fastembed, with stop words of our own, per language.

Term weights follow Robertson & Zaragoza (2009) with k1 1.2 and b 0.75; the inverse
document frequency is the index's part. ``AVERAGE_LENGTH`` is the mean number of words in
a chunk of research papers, fixed so that a document's weights never depend on the others.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.ports.index import SparseVector
from citeloom.domain.language import STOP_WORDS

if TYPE_CHECKING:
    from fastembed.sparse.bm25 import Bm25

AVERAGE_LENGTH = 120.0
_STEMMERS = {
    "en": "english",
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "it": "italian",
    "pt": "portuguese",
    "nl": "dutch",
    "sv": "swedish",
    "ru": "russian",
}
# Scripts that are written without spaces become single characters, so that parts of a
# phrase can be found.
_UNSPACED = re.compile(r"([぀-ヿ㐀-䶿一-鿿豈-﫿]|[฀-๿])")


class Bm25Embedder:
    """BM25 weights; the language of a text chooses stemmer and stop words."""

    def __init__(self, default_language: str = "en") -> None:
        self._default = default_language

    @cached_property
    def name(self) -> str:
        return f"bm25-v1:k1.2-b0.75-avg{AVERAGE_LENGTH:g}:{self._default}"

    def embed(self, texts: Iterable[str], language: str | None = None) -> Iterator[SparseVector]:
        model = _model(self._known(language))
        for text in texts:
            (embedding,) = model.raw_embed([_spaced(text)])
            order = embedding.indices.argsort()
            yield SparseVector(
                indices=embedding.indices[order].tolist(),
                values=embedding.values[order].tolist(),
            )

    def embed_query(self, text: str, languages: Sequence[str] = ()) -> SparseVector:
        known = {self._known(language) for language in languages} or {self._default}
        found: set[int] = set()
        for language in known:
            (embedding,) = _model(language).query_embed(_spaced(text))
            found.update(embedding.indices.tolist())
        indices = sorted(found)
        return SparseVector(indices=indices, values=[1.0] * len(indices))

    def _known(self, language: str | None) -> str:
        return language if language in _STEMMERS else self._default


def _spaced(text: str) -> str:
    return _UNSPACED.sub(r" \1 ", text)


@cache
def _model(language: str) -> "Bm25":
    from fastembed.sparse.bm25 import Bm25

    # Bm25 needs an existing folder for its files, and with stopwords= reads none of them.
    return Bm25(
        "Qdrant/bm25",
        specific_model_path=str(Path(__file__).parent),
        language=_STEMMERS[language],
        stopwords=set(STOP_WORDS[language]),
        avg_len=AVERAGE_LENGTH,
    )
