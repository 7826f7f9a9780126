"""Groups of the general stage, which sees none of SciFact's claims.

Inverse cloze (Lee et al. 2019): a *sentence* that tells a result, made short like a claim and as
a rule taken out of its document, asks for that document; so does a *title*. Beside these,
FEVER's claims with their evidence. Negatives are what words and vectors together rank high,
since those are what a reranker has to tell apart.
"""

import random
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citeloom.domain.search.ranking import evidence_text
from corpus import Corpus, read
from groups import Group, dropped
from lexical import Lexicon, words

NEGATIVES = 4
# Negatives are drawn from so many of the first, half of them from the first HARDEST.
DEPTH, HARDEST = 25, 8
# Dense scores below those of so many documents count as nothing.
DENSE = 200
MOST_WORDS, FEWEST_WORDS, CLIPPED = 20, 5, 15

_TELLS = re.compile(
    r"increas|decreas|associat|reduc|induc|inhibit|promot|requir|regulat|risk|effect|lead|caus|"
    r"improv|correlat|higher|lower|express|suggest|show|significant|activat|contribut|protect|"
    r"essential|role|result",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^(?:(?:here|in (?:conclusion|summary|contrast|addition|this study)|thus|therefore|moreover|"
    r"furthermore|finally|however|additionally|importantly|notably|conclusions?|results?|"
    r"interpretation|methods and findings|findings?|objective|background)\b[ ,:.]*|"
    r"(?:we|these (?:results|findings|data|studies|observations)|"
    r"our (?:results|data|findings|study|observations)|this study|"
    r"the (?:results|data|findings)|it) "
    r"(?:also |further |here |now |strongly |therefore |thus )*"
    r"(?:found|find|show(?:s|ed|n)?|demonstrate[sd]?|suggest(?:s|ed)?|report(?:s|ed)?|"
    r"indicate[sd]?|conclude[sd]?|identif(?:y|ied)|reveal(?:s|ed)?|observed?|provide evidence|"
    r"propose|establish|confirm(?:s|ed)?|support)(?: here)?(?: that)?\s*)+",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\([^)]*\)")
_CLAUSES = re.compile(r"[,;:] |\b(?:which|whereas|while|but|although|because|and that)\b")


class General:
    """``vectors`` is the ``sf.npz`` of ``features.py``; ``data`` has ``claims/``."""

    def __init__(self, corpus: Corpus, vectors: Path, data: Path, rng: random.Random) -> None:
        self._rng = rng
        self._titles = [title.strip() for title in corpus.titles]
        self._fever = data / "claims" / "fever_pairs.jsonl"
        saved = np.load(vectors)
        self._passages, self._documents = saved["passages"], saved["documents"]
        self._sentences: list[dict[str, NDArray[np.float32]]] = [{} for _ in self._titles]
        for text, document, vector in zip(
            saved["sentences"].tolist(), saved["told_by"], saved["vectors"], strict=True
        ):
            title = self._titles[document]
            if not (title and text.strip().startswith(title)):
                self._sentences[document][text] = vector
        self._lexicon = Lexicon(
            [" ".join([t, *s]) for t, s in zip(self._titles, self._sentences, strict=True)]
        )

    def groups(self, documents: int, titles: float, fever: int) -> list[Group]:
        """One of each of ``documents`` (fewer where a document tells nothing), a share of
        ``titles`` (0..1) asked by title, and ``fever``."""
        long = [n for n, all in enumerate(self._sentences) if self._titles[n] and len(all) > 4]
        found = []
        for number in self._rng.sample(long, min(len(long), documents)):
            by_sentence = self._rng.random() >= titles
            group = self._by_sentence(number) if by_sentence else self._by_title(number)
            found += [group] if group else []
        found += self._claims(fever)
        self._rng.shuffle(found)
        return found

    def _by_sentence(self, number: int) -> Group | None:
        """Results stand in the later part of an abstract as a rule."""
        rng, sentences = self._rng, self._sentences[number]
        late = 0.4 * len(sentences)
        telling = [
            text
            for place, text in enumerate(sentences)
            if _TELLS.search(text) and (place >= late or rng.random() < 0.3)
        ]
        if not telling:
            return None
        source = rng.choice(telling)
        query = self._claim(source)
        if len(query.split()) < FEWEST_WORDS:
            return None
        query = dropped(query, 0.2 if rng.random() < 0.6 else 0.0, rng)
        without = source if rng.random() < 0.85 else None
        return self._group(number, query, sentences[source], rng.random() < 0.75, without)

    def _by_title(self, number: int) -> Group:
        vector = self._passages[self._documents == number].mean(0)
        query = dropped(self._titles[number], 0.2, self._rng)
        return self._group(number, query, vector / np.linalg.norm(vector), False, None)

    def _group(
        self,
        number: int,
        query: str,
        vector: NDArray[np.float32],
        titled: bool,
        without: str | None,
    ) -> Group:
        near = self._near(query, vector, number)
        chosen = self._rng.sample(near[:HARDEST], 2)
        chosen += self._rng.sample(near[HARDEST : DEPTH - 5], NEGATIVES - 2)
        texts = [self._text(other, vector, titled, without) for other in [number, *chosen]]
        return Group(query, texts)

    def _claim(self, sentence: str) -> str:
        """Without its opening words and brackets; of a long one a clause, or some words."""
        text = _BRACKETS.sub("", _OPENING.sub("", sentence).strip()).strip()
        parts = text.split()
        if len(parts) > MOST_WORDS:
            clauses = [c for c in _CLAUSES.split(text) if 7 <= len(c.split()) <= MOST_WORDS]
            start = self._rng.randrange(len(parts) - CLIPPED)
            clipped = " ".join(parts[start : start + CLIPPED])
            text = self._rng.choice(clauses).strip() if clauses else clipped
        return text[:1].upper() + text[1:]

    def _near(self, text: str, vector: NDArray[np.float32], without: int) -> list[int]:
        dense = np.full(len(self._titles), -1.0)
        np.maximum.at(dense, self._documents, self._passages @ vector)
        floor = np.sort(dense)[-DENSE]
        mixed = _stretched(dense.clip(floor)) + _stretched(self._lexicon.scores(text))
        first = np.argsort(-mixed, kind="stable")[:DEPTH]
        return [int(n) for n in first if n != without and len(self._sentences[n]) > 1]

    def _text(
        self, number: int, vector: NDArray[np.float32], titled: bool, without: str | None
    ) -> str:
        told = {s: float(v @ vector) for s, v in self._sentences[number].items() if s != without}
        return evidence_text(self._titles[number] if titled else "", list(told), [*told.values()])

    def _claims(self, count: int) -> Iterator[Group]:
        """FEVER's; the negatives are other claims' evidence that BM25 finds."""
        pairs = [pair for pair in read(self._fever) if len(pair["evidence"]) < 350]
        evidence = [set(words(pair["evidence"])) for pair in pairs]
        lexicon = Lexicon([pair["evidence"] for pair in pairs])
        for number in self._rng.sample(range(len(pairs)), count):
            texts = {
                pairs[other]["evidence"]: None
                for other in lexicon.near(pairs[number]["claim"], 60)
                if _overlap(evidence[other], evidence[number]) < 0.5
            }
            if len(texts) >= NEGATIVES:
                chosen = self._rng.sample(list(texts)[:12], NEGATIVES)
                yield Group(pairs[number]["claim"], [pairs[number]["evidence"], *chosen])


def _overlap(left: set[str], right: set[str]) -> float:
    """Shared words by the smaller text: evidence that contains other evidence is the same."""
    return len(left & right) / max(1, min(len(left), len(right)))


def _stretched(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low + 1e-9)
