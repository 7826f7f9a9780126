"""Training groups: a query, one passage that answers it, several that do not.

*Claims*: SciFact's training claims with their documents. For the general stage, which knows no
claim of SciFact: *titles* and *sentences* of the corpus as queries for their own documents
(inverse cloze, Lee et al. 2019), and FEVER's claims with their evidence. Negatives are what
some first stage ranks high, since those are what a reranker has to tell apart.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpus import Corpus, read
from lexical import Lexicon, words

# Set once and not searched: small shares, so that the plain case prevails.
WITHOUT_TITLE = 0.15
PERTURBED = 0.20
# Negatives are drawn from so many of the first, about half of them from the first HARDEST.
DEPTH, HARDEST = 20, 8


@dataclass(frozen=True)
class Group:
    """``passages[0]`` is the answer."""

    query: str
    passages: list[str]


def dropped(text: str, share: float, rng: random.Random) -> str:
    """The text without a share of its words, at least three words left."""
    kept = [word for word in text.split() if rng.random() >= share]
    return " ".join(kept) if len(kept) > 2 else text


def claims(
    corpus: Corpus, queries: Sequence[int], negatives: int, rng: random.Random
) -> list[Group]:
    """One group for each relevant pair of these queries, drawn anew at each call."""
    pairs = [(q, d) for q in queries for d in sorted(corpus.queries[q].relevant)]
    rng.shuffle(pairs)
    groups = []
    for number, document in pairs:
        query = corpus.queries[number]
        hard = [d for d in query.documents if d not in query.relevant][:DEPTH]
        chosen = rng.sample(hard[:HARDEST], (negatives + 1) // 2)
        left = [d for d in hard if d not in chosen]
        chosen += rng.sample(left, negatives - len(chosen))
        titled = rng.random() >= WITHOUT_TITLE
        text = dropped(query.text, 0.2, rng) if rng.random() < PERTURBED else query.text
        groups.append(Group(text, [corpus.text(query, d, titled) for d in [document, *chosen]]))
    return groups


class General:
    """The groups of the general stage; ``data`` has ``scifact/`` and ``claims/``."""

    def __init__(self, data: Path, rng: random.Random) -> None:
        self._rng = rng
        self._documents = [
            (row["title"].strip(), [row["text"][a:b].strip() for a, b in row["sentence_spans"]])
            for row in read(data / "scifact" / "corpus.jsonl")
        ]
        self._lexicon = Lexicon([" ".join([title, *all]) for title, all in self._documents])
        self._fever = data / "claims" / "fever_pairs.jsonl"

    def groups(self, titles: int, sentences: int, fever: int) -> list[Group]:
        long = [n for n, (title, all) in enumerate(self._documents) if title and len(all) > 4]
        numbers = self._rng.sample(long, titles + sentences)
        found = [self._by_title(number) for number in numbers[:titles]]
        found += [self._by_sentence(number) for number in numbers[titles:]]
        found += self._claims(fever)
        self._rng.shuffle(found)
        return found

    def _by_title(self, number: int) -> Group:
        title = self._documents[number][0]
        near = self._near(title, number)
        texts = [self._text(title, other, titled=False) for other in [number, *near]]
        return Group(dropped(title, 0.15 if self._rng.random() < 0.7 else 0.35, self._rng), texts)

    def _by_sentence(self, number: int) -> Group:
        """The last sentence, a conclusion as a rule, or any; in most cases taken out."""
        rng = self._rng
        title, sentences = self._documents[number]
        place = len(sentences) - 1 if rng.random() < 0.5 else rng.randrange(len(sentences))
        parts = sentences[place].split()
        if len(parts) > 24:
            start = rng.randrange(len(parts) - 20)
            parts = parts[start : start + 20]
        query = " ".join(parts)
        near = self._near(f"{query} {title}", number)
        titled = rng.random() < 0.5
        rest = list(sentences)
        if rng.random() < 0.75:
            del rest[place]
        own = self._lexicon.evidence(query, title if titled else "", rest)
        return Group(dropped(query, 0.3, rng), [own, *(self._text(query, n, titled) for n in near)])

    def _near(self, text: str, without: int) -> list[int]:
        near = [
            number
            for number in self._lexicon.near(text, 25)
            if number != without and len(self._documents[number][1]) > 1
        ]
        return self._rng.sample(near[:HARDEST], 2) + self._rng.sample(near[HARDEST:DEPTH], 1)

    def _text(self, query: str, number: int, titled: bool) -> str:
        title, sentences = self._documents[number]
        return self._lexicon.evidence(query, title if titled else "", sentences)

    def _claims(self, count: int) -> Iterator[Group]:
        """The negatives are other claims' evidence that BM25 finds."""
        pairs = [pair for pair in read(self._fever) if len(pair["evidence"]) < 350]
        evidence = [set(words(pair["evidence"])) for pair in pairs]
        lexicon = Lexicon([pair["evidence"] for pair in pairs])
        for number in self._rng.sample(range(len(pairs)), count):
            texts = {
                pairs[other]["evidence"]: None
                for other in lexicon.near(pairs[number]["claim"], 60)
                if _overlap(evidence[other], evidence[number]) < 0.5
            }
            if len(texts) >= 4:
                near = list(texts)
                chosen = self._rng.sample(near[:12], 4) if len(near) >= 12 else near[:4]
                yield Group(pairs[number]["claim"], [pairs[number]["evidence"], *chosen])


def _overlap(left: set[str], right: set[str]) -> float:
    """Shared words by the smaller text: evidence that contains other evidence is the same."""
    return len(left & right) / max(1, min(len(left), len(right)))
