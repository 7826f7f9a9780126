"""Training groups: a query, one passage that answers it, several that do not.

Here those of SciFact's training claims; ``general.py`` has the others. Negatives are what the
first stage ranks high, since those are what a reranker has to tell apart.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from corpus import Corpus

# Set once and not searched: small shares, so that the plain case prevails.
WITHOUT_TITLE = 0.1
PERTURBED = 0.1
# Negatives are drawn from so many of the first, about half of them from the first HARDEST.
DEPTH, HARDEST = 20, 8


@dataclass(frozen=True)
class Group:
    """``passages[0]`` is the answer; ``scores`` are the first stage's (0..1), if known."""

    query: str
    passages: list[str]
    scores: list[float] | None = None


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
        passages = [document, *chosen]
        first = dict(zip(query.documents, query.scores, strict=True))
        groups.append(
            Group(
                text,
                [corpus.text(query, d, titled) for d in passages],
                [first.get(d, 0.0) for d in passages],
            )
        )
    return groups
