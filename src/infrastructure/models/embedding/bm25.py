"""Sparse vectors: BM25F with stemmers and stop words by language.

Term weights are those of Robertson & Zaragoza (2009), "The Probabilistic Relevance Framework",
section 3.6: the frequencies of a term in body, headings and title are weighted and added before
saturation. k1 is 1.2 and b 0.75, for the body alone: headings and titles differ little in length.
The inverse document frequency is computed by the index.

A term is the Snowball stem of a form from ``domain.text.words``, without accents; its id is
abs(murmur3_32(stem)), as in Qdrant's BM25. A word with accents has two: stemmers need the accents
(French *étudiée*), and readers leave them out (*Poincare*), which gives another stem; where it
gives the same one, the second term is the word as it is spelled. So a word is found both ways, and
the same spelling comes first; the weights of the two add up to that of a word without accents. The
weights of fields and of variants were tuned on SciFact's training claims.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Final

from citeloom.application.ports.index import SparseVector
from citeloom.application.ports.models import SparseText
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.text.words import (
    MAX_PARTS_FOR_ALL_RUNS,
    STOP_WORDS,
    forms,
    matching_spans,
    without_accents,
    words,
)

K1: Final = 1.2
B: Final = 0.75
TITLE: Final = 1.5
HEADINGS: Final = 1.5
# Weight of variants of a question's words, relative to 1 for the words themselves.
VARIANT_WEIGHT: Final = 0.5
# Changes when terms or weights of the same text change.
_VERSION: Final = 5
# Weight of the second term of a question's word with accents: of the stem without them, by which
# texts without them are found; of the word with them, by which texts with them come first.
_BARE: Final = 0.4
_MARKED: Final = 0.1
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
    "da": "danish",
    "no": "norwegian",
    "fi": "finnish",
    "hu": "hungarian",
    "ro": "romanian",
    "tr": "turkish",
    "el": "greek",
    "ar": "arabic",
}
# Cached words for each language.
_CACHED_WORDS: Final = 100_000
# Shorter parts of a compound are highlighted only within it.
_MIN_HIGHLIGHTED: Final = 3


class Bm25Embedder:
    """BM25F weights; the language of a text selects stemmer and stop words."""

    def __init__(self, default_language: str = "en") -> None:
        self._default = default_language

    @property
    def name(self) -> str:
        fields = f"title{TITLE:g}-headings{HEADINGS:g}"
        return f"bm25f-v{_VERSION}:k{K1:g}-b{B:g}-{fields}:{self._default}"

    def embed(
        self, texts: Iterable[SparseText], language: str | None, average_length: float
    ) -> Iterator[SparseVector]:
        terms = _terms(self._supported(language))
        return (_weighted(text, terms, average_length) for text in texts)

    def length(self, body: str, language: str | None = None) -> int:
        terms = _terms(self._supported(language))
        return sum(len(terms.of(word.text)[0]) for word in words(body))

    def embed_query(self, text: str, languages: Sequence[str] = ()) -> SparseVector:
        weights: dict[int, float] = {}
        for language in self._languages(languages):
            terms = _terms(language)
            for word in words(text):
                parts, variants = terms.of(word.text)
                accented = terms.accented(word.text)
                for term in {*variants} - {second for second, _ in accented.values()}:
                    weights.setdefault(term, VARIANT_WEIGHT)
                weights |= dict.fromkeys(parts, 1.0)
                for term, (second, weight) in accented.items():
                    weights[term] = 1.0 - weight
                    weights.setdefault(second, weight)
        return _vector(weights)

    def keys(self, text: str, languages: Sequence[str] = ()) -> list[SparseVector]:
        # Also the default, which applies to documents of unknown language.
        analyzers = [_terms(language) for language in self._languages([*languages, self._default])]
        keys = []
        for word in words(text):
            required = [analyzer.required(word.text) for analyzer in analyzers]
            if all(required):
                keys.append(_vector(dict.fromkeys(set().union(*required), 1.0)))
        return keys

    def matches(self, question: str, text: str, language: str | None = None) -> list[CharSpan]:
        terms = _terms(self._supported(language))
        asked = terms.asked(question)
        spans = matching_spans(text, lambda word: not all(map(asked.isdisjoint, terms.of(word))))
        return [CharSpan(start=start, end=end) for start, end in spans]

    def _supported(self, language: str | None) -> str:
        return language if language in _STEMMERS else self._default

    def _languages(self, languages: Sequence[str]) -> list[str]:
        return sorted({self._supported(language) for language in languages} or {self._default})


class _Terms:
    """Term ids of words in one language."""

    def __init__(self, language: str) -> None:
        import mmh3
        from py_rust_stemmers import SnowballStemmer

        self._stemmer = SnowballStemmer(_STEMMERS[language])
        self._hash = mmh3.hash
        self._stop = STOP_WORDS[language]
        self.of = lru_cache(_CACHED_WORDS)(self._of)
        self.asked = lru_cache(64)(self._asked)

    def _of(self, word: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Term ids of the parts except stop words, in order; and of the variants and of words
        with accents."""
        parts, variants = forms(word)
        part_ids = tuple(self._id(part) for part in parts if part not in self._stop)
        others = [self._id(variant) for variant in variants]
        if not word.isascii():
            others += [self._second(form)[0] for form in self._with_accents(word)]
        return part_ids, tuple(others)

    def accented(self, word: str) -> dict[int, tuple[int, float]]:
        """For each part with accents, by its term, its second term and the weight of that."""
        if word.isascii():
            return {}
        parts = set(forms(word).parts)
        return {
            self._id(form): self._second(form) for form in self._with_accents(word) if form in parts
        }

    def _with_accents(self, word: str) -> list[str]:
        """The forms that have accents, but stop words; the Russian й is a letter of its own."""
        parts, variants = forms(word)
        return [
            form
            for form in dict.fromkeys((*parts, *variants))
            if form.isalpha()
            and form not in self._stop
            and without_accents(bare := form.replace("й", "")) != bare
        ]

    def _second(self, form: str) -> tuple[int, float]:
        stem: str = self._stemmer.stem_word(form)
        bare = self._bare(form)
        if bare != without_accents(stem):
            return abs(self._hash(bare)), _BARE
        return abs(self._hash(form)), _MARKED

    def _asked(self, question: str) -> set[int]:
        return {term for word in words(question) for term in self._highlighted(word.text)}

    def _highlighted(self, word: str) -> set[int]:
        """The terms to highlight for a word of the question: a compound as a whole and its words,
        but not the 6 of IL-6."""
        parts, variants = forms(word)
        if len(parts) == 1:
            seconds = (second for second, _ in self.accented(word).values())
            return {*self.of(word)[0], *seconds}
        content_parts = (p for p in parts if len(p) >= _MIN_HIGHLIGHTED and p not in self._stop)
        return {self._id(term) for term in chain(content_parts, variants)}

    def required(self, word: str) -> set[int]:
        """Terms of which every text with this word, hyphenated or not, with or without accents,
        has at least one: its longest part, or parts of it run together. Empty for stop words."""
        parts, variants = forms(word)
        content_parts = [part for part in parts if part not in self._stop]
        if not content_parts:
            return set()
        longest = [max(content_parts, key=len)]
        few = len(parts) <= MAX_PARTS_FOR_ALL_RUNS
        required = [*(longest if few else content_parts), *(variants if len(parts) > 1 else ())]
        bare = (self._bare(one) for one in required if one.isalpha())
        return {*map(self._id, required), *(abs(self._hash(stem)) for stem in bare)}

    def _bare(self, form: str) -> str:
        """The stem of a form that is typed without accents; Turkish stems add a dotless i."""
        return without_accents(self._stemmer.stem_word(without_accents(form)))

    def _id(self, term: str) -> int:
        stem: str = self._stemmer.stem_word(term) if term.isalpha() else term
        return abs(self._hash(without_accents(stem)))


_terms = cache(_Terms)


def _weighted(text: SparseText, terms: _Terms, average_length: float) -> SparseVector:
    body_terms: list[int] = []
    length = 0
    for word in words(text.body):
        parts, variants = terms.of(word.text)
        body_terms += parts
        body_terms += variants
        length += len(parts)
    norm = 1 - B + B * length / average_length
    weights = {term: count / norm for term, count in Counter(body_terms).items()}
    for field, weight in ((text.headings, HEADINGS), (text.title, TITLE)):
        for word in words(field):
            for term in chain(*terms.of(word.text)):
                weights[term] = weights.get(term, 0.0) + weight
    return _vector({term: w * (K1 + 1) / (w + K1) for term, w in weights.items()})


def _vector(weights: Mapping[int, float]) -> SparseVector:
    ids = sorted(weights)
    return SparseVector(indices=ids, values=[weights[id] for id in ids])
