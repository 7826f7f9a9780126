"""Training groups: a query, one passage that answers it, several that do not.

Three kinds. *Claims*: SciFact's training claims with their documents. *Generated*: a title, or
a sentence with words dropped, as the query for its own document (inverse cloze, Lee et al.
2019). *General*: FEVER's claims with their evidence. Negatives are what some first stage ranks
high, since those are what a reranker has to tell apart.
"""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rank_bm25 import BM25Okapi

from citeloom.domain.reranking import SENTENCES, evidence_text
from corpus import Corpus

# Rates are guesses that were not tuned: a fifth to a third, so that the plain case prevails.
WITHOUT_TITLE = 0.25
PERTURBED = 0.30
RATIONALE_SURE = 0.25
WRONG_SENTENCES = 0.25
WORDS_DROPPED = 0.30


@dataclass(frozen=True)
class Group:
    """``passages[0]`` is the answer."""

    query: str
    passages: list[str]


def dropped(text: str, share: float, rng: random.Random) -> str:
    """The text without a share of its words, at least two words left."""
    words = text.split()
    kept = [word for word in words if rng.random() >= share]
    return " ".join(kept) if len(kept) >= 2 else text


class ClaimGroups:
    """SciFact's claims; ``rationales`` maps (claim id, document id) to sentence places."""

    def __init__(
        self, corpus: Corpus, rationales: dict[tuple[str, str], list[int]], negatives: int
    ) -> None:
        self._corpus = corpus
        self._rationales = rationales
        self._negatives = negatives

    def epoch(self, queries: Sequence[int], rng: random.Random) -> Iterator[Group]:
        """One group for each relevant pair of these queries, drawn anew at each call."""
        pairs = [(q, d) for q in queries for d in sorted(self._corpus.queries[q].relevant)]
        rng.shuffle(pairs)
        for query, document in pairs:
            yield self._group(query, document, rng)

    def _group(self, query: int, document: int, rng: random.Random) -> Group:
        corpus = self._corpus
        asked = corpus.queries[query]
        vector = corpus.query_vectors[query]
        titled = rng.random() >= WITHOUT_TITLE
        rationale = self._rationales.get((asked.id, corpus.documents[document].id), [])

        def text(number: int, similarities: np.ndarray, title: bool) -> str:
            about = corpus.documents[number]
            return evidence_text(about.title if title else "", about.sentences, list(similarities))

        similarities = corpus.sentence_scores(vector, document)
        sure = similarities.copy()
        if rng.random() < RATIONALE_SURE:
            sure[[place for place in rationale if place < len(sure)]] += 2.0
        passages = [text(document, sure, titled)]
        others = len(similarities) - len(rationale)
        if rationale and others >= SENTENCES and rng.random() < WRONG_SENTENCES:
            wrong = similarities.copy()
            wrong[[place for place in rationale if place < len(wrong)]] = -2.0
            passages.append(text(document, wrong, title=False))
        for number in self._hard(query, rng)[: self._negatives + 1 - len(passages)]:
            scores = corpus.sentence_scores(vector, number)
            passages.append(text(number, scores, titled))
        asking = asked.text
        if rng.random() < PERTURBED:
            asking = dropped(asking, 0.2, rng)
        return Group(asking, passages)

    def _hard(self, query: int, rng: random.Random) -> list[int]:
        """More than half from the fused first 30, the others from one side's first 20."""
        corpus = self._corpus
        relevant = corpus.queries[query].relevant
        vector = corpus.query_vectors[query]
        fused = _top(corpus.first_stage(query), 30, relevant)
        lexical = _top(corpus.bm25[query], 20, relevant)
        dense = _top(corpus.passages @ vector, 20, relevant)
        many = self._negatives - 2
        drawn = rng.sample(fused[:12], k=many // 2) + rng.sample(fused, k=many)
        drawn = [*drawn[:many], rng.choice(lexical), rng.choice(dense), *rng.sample(fused, k=many)]
        return list(dict.fromkeys(drawn))


class GeneratedGroups:
    """Titles and clipped sentences of the corpus as queries for their own documents."""

    def __init__(self, corpus: Corpus, negatives: int) -> None:
        self._corpus = corpus
        self._negatives = negatives

    def draw(self, count: int, rng: random.Random) -> Iterator[Group]:
        enough = [n for n, d in enumerate(self._corpus.documents) if len(d.sentences) > SENTENCES]
        for number in rng.sample(enough, k=count):
            by_title = bool(self._corpus.documents[number].title) and rng.random() < 0.5
            yield self._by_title(number, rng) if by_title else self._by_sentence(number, rng)

    def _by_title(self, number: int, rng: random.Random) -> Group:
        vector = self._corpus.passages[number]
        title = self._corpus.documents[number].title
        near = self._near(number, vector, rng)
        texts = [self._text(other, vector, titled=False) for other in [number, *near]]
        return Group(dropped(title, WORDS_DROPPED / 2, rng), texts)

    def _by_sentence(self, number: int, rng: random.Random) -> Group:
        document = self._corpus.documents[number]
        place = rng.randrange(len(document.sentences))
        vector = self._corpus.sentences[self._corpus.starts[number] + place]
        titled = rng.random() >= 0.5
        hidden = place if rng.random() < 0.7 else None
        near = self._near(number, vector, rng)
        texts = [self._text(number, vector, titled, hidden)]
        texts += [self._text(other, vector, titled) for other in near]
        return Group(dropped(document.sentences[place], WORDS_DROPPED, rng), texts)

    def _near(self, number: int, vector: np.ndarray, rng: random.Random) -> list[int]:
        near = _top(self._corpus.passages @ vector, 40, frozenset({number}))
        return rng.sample(near, k=self._negatives)

    def _text(
        self, number: int, vector: np.ndarray, titled: bool, hidden: int | None = None
    ) -> str:
        document = self._corpus.documents[number]
        scores = list(self._corpus.sentence_scores(vector, number))
        sentences = list(document.sentences)
        if hidden is not None:
            del sentences[hidden], scores[hidden]
        return evidence_text(document.title if titled else "", sentences, scores)


class GeneralGroups:
    """FEVER's claims; the negatives are other claims' evidence that BM25 finds."""

    def __init__(self, path: Path, negatives: int) -> None:
        with path.open(encoding="utf-8") as stream:
            self._pairs = [json.loads(line) for line in stream]
        self._negatives = negatives

    def draw(self, count: int, rng: random.Random) -> Iterator[Group]:
        pairs = [pair for pair in self._pairs if len(pair["evidence"]) < 1500]
        pairs = rng.sample(pairs, k=min(len(pairs), 5 * count))
        evidence = [set(_words(pair["evidence"])) for pair in pairs]
        ranker = BM25Okapi([_words(pair["evidence"]) for pair in pairs])
        for number in range(count):
            scores = ranker.get_scores(_words(pairs[number]["claim"]))
            near = [
                int(other)
                for other in np.argsort(-scores, kind="stable")[:40]
                if _overlap(evidence[int(other)], evidence[number]) < 0.5
            ]
            if len(near) >= self._negatives:
                chosen = rng.sample(near[: 3 * self._negatives], k=self._negatives)
                texts = [pairs[other]["evidence"] for other in [number, *chosen]]
                yield Group(pairs[number]["claim"], texts)


def _words(text: str) -> list[str]:
    return [word.strip(".,;:()'\"`").casefold() for word in text.split()]


def _overlap(left: set[str], right: set[str]) -> float:
    """Shared words by the smaller text: evidence that contains other evidence is the same."""
    return len(left & right) / max(1, min(len(left), len(right)))


def _top(scores: np.ndarray, count: int, without: frozenset[int]) -> list[int]:
    order = np.argsort(-scores, kind="stable")[: count + len(without)]
    return [int(number) for number in order if int(number) not in without][:count]
