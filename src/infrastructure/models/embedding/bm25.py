"""Sparse vectors: BM25F, with stemmers and stop words by language.

Term weights are those of Robertson & Zaragoza (2009), "The Probabilistic Relevance
Framework", section 3.6: the frequencies of a term in body, headings and title are weighted
and added before they saturate. k1 is 1.2 and b 0.75, for the body alone: headings and titles
differ little in length. The inverse document frequency is the index's part.

A term is the Snowball stem of what ``domain.words`` gives, without accents; its id is
abs(murmur3_32(stem)), as in Qdrant's own BM25. Weights of fields and of other ways of
writing were chosen on SciFact's training claims.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Final

from citeloom.application.ports.index import SparseVector
from citeloom.application.ports.models import SparseText
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.text.language import STOP_WORDS
from citeloom.domain.text.words import ALL_RUNS, forms, spans_of, without_accents, words

K1: Final = 1.2
B: Final = 0.75
TITLE: Final = 1.5
HEADINGS: Final = 1.5
# What a question's other ways of writing count, where its words as they stand count 1.
OTHERS: Final = 0.5
# Changes when the same text gets other terms or weights.
_VERSION: Final = 2
_STEMMERS: Final = {
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
# Words a language whose terms are kept in memory.
_REMEMBERED: Final = 100_000
# Shorter parts of a compound are marked only within it.
_WORD_LENGTH: Final = 3


class Bm25Embedder:
    """BM25F weights; the language of a text chooses stemmer and stop words."""

    def __init__(self, default_language: str = "en") -> None:
        self._default = default_language

    @property
    def name(self) -> str:
        fields = f"title{TITLE:g}-headings{HEADINGS:g}"
        return f"bm25f-v{_VERSION}:k{K1:g}-b{B:g}-{fields}:{self._default}"

    def embed(
        self, texts: Iterable[SparseText], language: str | None, average_length: float
    ) -> Iterator[SparseVector]:
        terms = _terms(self._known(language))
        return (_weighed(text, terms, average_length) for text in texts)

    def length(self, body: str, language: str | None = None) -> int:
        terms = _terms(self._known(language))
        return sum(len(terms.of(word.text)[0]) for word in words(body))

    def embed_query(self, text: str, languages: Sequence[str] = ()) -> SparseVector:
        weights: dict[int, float] = {}
        for language in self._languages(languages):
            terms = _terms(language)
            for word in words(text):
                parts, others = terms.of(word.text)
                for term in others:
                    weights.setdefault(term, OTHERS)
                weights |= dict.fromkeys(parts, 1.0)
        return _vector(weights)

    def keys(self, text: str, languages: Sequence[str] = ()) -> list[SparseVector]:
        # Also the default: documents in a language that nobody knows are read by it.
        known = [_terms(one) for one in self._languages([*languages, self._default])]
        keys = []
        for word in words(text):
            needed = [terms.needed(word.text) for terms in known]
            if all(needed):
                keys.append(_vector(dict.fromkeys(set().union(*needed), 1.0)))
        return keys

    def matches(self, question: str, text: str, language: str | None = None) -> list[CharSpan]:
        terms = _terms(self._known(language))
        asked = {term for word in words(question) for term in terms.meant(word.text)}
        spans = spans_of(text, lambda word: not asked.isdisjoint(chain(*terms.of(word))))
        return [CharSpan(start=start, end=end) for start, end in spans]

    def _known(self, language: str | None) -> str:
        return language if language in _STEMMERS else self._default

    def _languages(self, languages: Sequence[str]) -> list[str]:
        return sorted({self._known(language) for language in languages} or {self._default})


class _Terms:
    """The term ids of words in one language."""

    def __init__(self, language: str) -> None:
        import mmh3
        from py_rust_stemmers import SnowballStemmer

        self._stemmer = SnowballStemmer(_STEMMERS[language])
        self._hash = mmh3.hash
        self._stop = STOP_WORDS[language]
        self.of = lru_cache(_REMEMBERED)(self._of)

    def _of(self, word: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Of its parts but for stop words, in order; and of other ways to write it."""
        parts, others = forms(word)
        counted = tuple(self._id(part) for part in parts if part not in self._stop)
        return counted, tuple(self._id(other) for other in others)

    def meant(self, word: str) -> set[int]:
        """Which terms a reader of the question expects to see marked: a compound as a whole
        and its words, but not the 6 of IL-6."""
        parts, others = forms(word)
        if len(parts) == 1:
            return set(self.of(word)[0])
        said = (p for p in parts if len(p) >= _WORD_LENGTH and p not in self._stop)
        return {self._id(term) for term in chain(said, others)}

    def needed(self, word: str) -> set[int]:
        """Terms of which every text has one that has this word, hyphenated or not: its
        longest part, or parts of it run together. Empty for stop words."""
        parts, others = forms(word)
        counted = [part for part in parts if part not in self._stop]
        if not counted:
            return set()
        if len(parts) == 1:
            return {self._id(parts[0])}
        some = [max(counted, key=len)] if len(parts) <= ALL_RUNS else counted
        return {self._id(term) for term in (*some, *others)}

    def _id(self, term: str) -> int:
        stem: str = self._stemmer.stem_word(term) if term.isalpha() else term
        return abs(self._hash(without_accents(stem)))


@cache
def _terms(language: str) -> _Terms:
    return _Terms(language)


def _weighed(text: SparseText, terms: _Terms, average_length: float) -> SparseVector:
    found: list[int] = []
    length = 0
    for word in words(text.body):
        parts, others = terms.of(word.text)
        found += parts
        found += others
        length += len(parts)
    norm = 1 - B + B * length / average_length
    weights = {term: count / norm for term, count in Counter(found).items()}
    for field, weight in ((text.headings, HEADINGS), (text.title, TITLE)):
        for word in words(field):
            for term in chain(*terms.of(word.text)):
                weights[term] = weights.get(term, 0.0) + weight
    return _vector({term: w * (K1 + 1) / (w + K1) for term, w in weights.items()})


def _vector(weights: Mapping[int, float]) -> SparseVector:
    ids = sorted(weights)
    return SparseVector(indices=ids, values=[weights[id] for id in ids])
