"""The sentence of a passage that answers a question best.

A search compares meaning and words; here the best of its passages are read. A sentence that answers
has the question's words (a rare one counts more), has what the question wants and does not just
announce it. The weights are learned from questions with marked answers: ``tools/training/answers``.
Where several sentences of a passage are close, a reranker that reads them has its say too.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, Self

from citeloom.domain.documents.spans import CharSpan, Chunk, ChunkKind
from citeloom.domain.text.terms import stem, terms
from citeloom.domain.text.words import UNSPACED, unspaced_pairs, words

from .table_rows import best_row
from .wants import NO_NUMBER, Want, Wanted, stems_of_asking, wanted

#: So many of the best passages are read.
READ: Final = 20
# Of a passage, so many sentences nearest to the question are looked at, by cosine and words.
_LOOKED_AT: Final = 4
_WORDS: Final = 0.5
# Characters of a heading or fragment.
_SHORT: Final = 40
# Sentences whose scores lie within this of the best are close; so many are read again.
_CLOSE: Final = 0.75
_READ_AGAIN: Final = 3
# Of the log-odds of a reranker, beside the score. From 0.3 to 1 questions hardly differ.
_RERANKER: Final = 0.5
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_A_WORD: Final = re.compile(rf"[^\W\d_]{{3}}|[{UNSPACED}]")
# The weight of a word that all passages have.
_LEAST_WEIGHT: Final = 0.2

#: Learned by ``tools/training/answers`` (see there for the questions and the figures), but for
#: ``contrary``, of which the questions have too few.
SENTENCE_WEIGHTS: Final[Mapping[str, float]] = {
    "cosine": 1.66, "words": 1.14, "in_context": 1.07, "contrary": -0.6,
    "short": -0.43, "has_number": 1.08, "has_definition": 0.74, "has_reason": 0.75,
    "has_method": 0.46, "has_finding": 0.44,
}  # fmt: skip


class AskedWords:
    """The content words of a question, by stem, and as written; of scripts without spaces pairs of
    characters."""

    def __init__(self, question: str) -> None:
        pairs = {pair: pair for word in words(question) for pair in unspaced_pairs(word.text)}
        found = [one for one in terms(question) if not unspaced_pairs(one.stem)]
        self.written: Final = pairs | {
            one.stem: question[one.start : one.end] for one in reversed(found)
        }
        self.stems: Final = (*dict.fromkeys(one.stem for one in found), *pairs)
        longest_first = sorted(map(re.escape, self.stems), key=len, reverse=True)
        self._pattern = re.compile(rf"(?<![^\W_])(?:{'|'.join(longest_first)})\w*", re.I)
        self._pairs = re.compile(rf"(?=({'|'.join(pairs)}))") if pairs else None

    def places(self, text: str) -> list[tuple[int, str]]:
        """The positions of the words in a text, each with its stem."""
        if not self.stems:
            return []
        spaced = _UNSPACED.sub(" ", text)
        found = [(one.start(), stem(one[0].casefold())) for one in self._pattern.finditer(spaced)]
        if self._pairs:
            found += ((one.start(), one[1]) for one in self._pairs.finditer(text))
        return [(at, its_stem) for at, its_stem in found if its_stem in self.written]


class ReadSentence(NamedTuple):
    """A sentence of a passage with what speaks for it, by name."""

    span: CharSpan
    features: Mapping[str, float]

    @property
    def score(self) -> float:
        return sum(SENTENCE_WEIGHTS.get(name, 0.0) * value for name, value in self.features.items())

    def has(self, want: Want) -> bool:
        return bool(self.features.get(f"has_{want}"))


class ReadPassage(NamedTuple):
    """A passage. ``best`` is the sentence that answers best, None without sentences; ``covered``
    are the question's words that it and its headings have; ``cell``: the share of
    the question in the heads and the row (its best sentence) of a table that has the asked number;
    else 0. ``close`` are the sentences that may be the best, in the order of their scores."""

    id: str
    document: str
    best: ReadSentence | None
    covered: Set[str]
    cell: float = 0.0
    close: Sequence[ReadSentence] = ()

    def read_again(self, log_odds: Sequence[float]) -> Self:
        """The passage with the best of ``close``; ``log_odds`` are those of a reranker for each."""
        read = zip(self.close, log_odds, strict=True)
        best, _ = max(read, key=lambda one: one[0].score + _RERANKER * one[1])
        return self._replace(best=best)


@dataclass(frozen=True, slots=True)
class Readable:
    """A passage to read: its title, spans of its sentences, their cosines to the question."""

    chunk: Chunk
    title: str
    sentences: Sequence[CharSpan]
    cosines: Sequence[float]


@dataclass(frozen=True, slots=True)
class ReadPassages:
    """The passages that were read, in the order of the first stage, and the shares of the
    question's words in their weight, by stem."""

    question: str
    asked: Wanted
    words: AskedWords
    shares: Mapping[str, float]
    passages: Sequence[ReadPassage] = ()

    def best_of(self, id: str) -> CharSpan | None:
        """The sentence of a passage that answers best; None for one that was not read."""
        found = self.of(id)
        return found.best.span if found and found.best else None

    def of(self, id: str) -> ReadPassage | None:
        return next((one for one in self.passages if one.id == id), None)

    def undecided(self, ids: Sequence[str]) -> list[ReadPassage]:
        """Those of the passages ``ids`` in which several sentences are close."""
        return [one for one in self.passages if one.id in ids and len(one.close) > 1]

    def decided(self, passages: Sequence[ReadPassage]) -> Self:
        """With these in the places of those of their ids."""
        by_id = {one.id: one for one in passages}
        return replace(self, passages=[by_id.get(one.id, one) for one in self.passages])

    def lacking(self, id: str) -> list[str]:
        """The question's words, as written, that no passage has that was read of the document
        of passage ``id``."""
        document = next((one.document for one in self.passages if one.id == id), None)
        found = set().union(*(one.covered for one in self.passages if one.document == document))
        return [self.words.written[one] for one in self.words.stems if one not in found]

    def cells(self) -> list[str]:
        """The passages of tables that have the asked number, the surest first."""
        found = [one for one in self.passages if one.cell]
        return [one.id for one in sorted(found, key=lambda one: -one.cell)]

    def share(self, stems: Set[str]) -> float:
        """The share of the weight of the question's words that these have, 0..1."""
        return sum(self.shares[one] for one in stems)


def read_passages(question: str, readable: Sequence[Readable]) -> ReadPassages:
    """Read passages for a question."""
    words = AskedWords(question)
    places = [words.places(one.chunk.text) for one in readable]
    having = Counter(its_stem for found in places for its_stem in {each for _, each in found})
    weights = {one: rarity(having[one], len(readable)) for one in words.stems}
    weights |= dict.fromkeys(stems_of_asking(question) & set(words.stems), _LEAST_WEIGHT)
    shares = {one: weight / sum(weights.values()) for one, weight in weights.items()}
    read = ReadPassages(question, wanted(question), words, shares)
    passages = [_read(read, one, found) for one, found in zip(readable, places, strict=True)]
    return replace(read, passages=passages)


def rarity(having: int, passages: int) -> float:
    """The weight of a word that so many of the passages have (Robertson & Zaragoza 2009)."""
    return max(_LEAST_WEIGHT, math.log(1 + (passages - having + 0.5) / (having + 0.5)))


def _read(read: ReadPassages, one: Readable, places: Sequence[tuple[int, str]]) -> ReadPassage:
    headings = " ".join((one.title, *one.chunk.section_path))
    around = {its_stem for _, its_stem in read.words.places(headings)}
    covered = {its_stem for _, its_stem in places} | around
    if one.chunk.kind is ChunkKind.TABLE or "\n|" in one.chunk.text:
        table = _read_table(read, one.chunk, covered)
        if table.cell or one.chunk.kind is ChunkKind.TABLE:
            return table
    sentences = _sentences(read, one, places, around)
    text = one.chunk.text
    told = [each for each in sentences if not _answers_nothing(text, each.span)] or sentences
    scored = sorted(((each.score, each) for each in told), key=lambda one: -one[0])
    close = [each for score, each in scored if scored[0][0] - score <= _CLOSE][:_READ_AGAIN]
    best = close[0] if close else None
    return ReadPassage(one.chunk.id, one.chunk.doc_id, best, covered, close=close)


def _read_table(read: ReadPassages, chunk: Chunk, covered: Set[str]) -> ReadPassage:
    row = best_row(
        read.question,
        chunk,
        set(read.words.stems),
        lambda text: {its_stem for _, its_stem in read.words.places(text)},
    )
    if row is None:
        return ReadPassage(chunk.id, chunk.doc_id, None, covered)
    wants_number = read.asked.want is Want.NUMBER and not NO_NUMBER.match(read.question)
    cell = row.share if row.is_cell and wants_number else 0.0
    return ReadPassage(chunk.id, chunk.doc_id, ReadSentence(row.span, {}), covered, cell)


def _answers_nothing(text: str, span: CharSpan) -> bool:
    """Whether a sentence is a question, announces what follows, or has symbols alone."""
    sentence = text[span.start : span.end].rstrip("\"'”’) ")
    return sentence.endswith(("?", ":")) or not _A_WORD.search(sentence)


def _sentences(
    read: ReadPassages, one: Readable, places: Sequence[tuple[int, str]], around: Set[str]
) -> list[ReadSentence]:
    """The sentences nearest to the question."""
    if len(one.sentences) != len(one.cosines):
        return []
    found = []
    for span, cosine in zip(one.sentences, one.cosines, strict=True):
        stems = {its_stem for at, its_stem in places if span.start <= at < span.end}
        share = read.share(stems)
        found.append((cosine + _WORDS * share, cosine, share, stems, span))
    found.sort(key=lambda near: -near[0])
    text = one.chunk.text
    return [
        ReadSentence(
            span, _features(read, text[span.start : span.end], cosine, share, stems, around)
        )
        for _, cosine, share, stems, span in found[:_LOOKED_AT]
    ]


def _features(
    read: ReadPassages, text: str, cosine: float, share: float, stems: Set[str], around: Set[str]
) -> Mapping[str, float]:
    return {
        "cosine": cosine,
        "words": share,
        "in_context": read.share(stems | around),
        f"has_{read.asked.want}": float(read.asked.is_in(text)),
        "contrary": float(read.asked.is_contrary(text)),
        "short": float(len(text) < _SHORT),
    }
