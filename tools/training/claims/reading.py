"""What is read with a claim of a document, and what becomes of the readings.

The claim is read with each of its nearest sentences and with these sentences together.
"""

from collections.abc import Sequence

import numpy as np

from labelled import Labelled

NEAREST = 3
READ = NEAREST + 1


def premises(row: Labelled, scores: np.ndarray) -> list[str]:
    """``READ`` texts; where a document has fewer sentences, the last is repeated."""
    nearest = np.argsort(-scores, kind="stable")[:NEAREST].tolist()
    texts = [row.sentences[place].strip() for place in nearest]
    texts += texts[-1:] * (NEAREST - len(texts))
    return [*texts, " ".join(row.sentences[place].strip() for place in sorted(nearest))]


def joined(readings: np.ndarray) -> np.ndarray:
    """Probabilities of NEI, SUPPORT, CONTRADICT of each pair, from pairs x ``READ`` x 3: the
    reading least likely to be NEI among the single ones, averaged with that of all sentences."""
    single = readings[:, :NEAREST]
    best = single[:, :, 0].argmin(1)
    telling: np.ndarray = single[np.arange(len(single)), best]
    return (telling + readings[:, NEAREST]) / 2


def asked(rows: Sequence[Labelled], scores: Sequence[np.ndarray]) -> list[tuple[str, str]]:
    """Of each pair its ``READ`` pairs of claim and text, one after the other."""
    return [
        (row.claim, text)
        for row, near in zip(rows, scores, strict=True)
        for text in premises(row, near)
    ]
