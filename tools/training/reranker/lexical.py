"""What BM25 finds near a text, for the negatives of the general stage."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

K1, B = 1.2, 0.75
_WORD = re.compile(r"[a-z0-9\-]{2,}")


def words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


class Lexicon:
    """BM25 (Robertson & Zaragoza 2009) over some texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        counted = [Counter(words(text)) for text in texts]
        lengths = np.array([found.total() for found in counted])
        self._count = len(texts)
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, found in enumerate(counted):
            for word, times in found.items():
                postings[word].append((number, times))
        self._idf: dict[str, float] = {}
        self._postings = {}
        for word, found in postings.items():
            numbers, times = np.array(found).T
            idf = math.log(1 + (self._count - len(found) + 0.5) / (len(found) + 0.5))
            norm = K1 * (1 - B + B * lengths[numbers] / lengths.mean())
            self._idf[word] = idf
            self._postings[word] = numbers, idf * (K1 + 1) * times / (times + norm)

    def scores(self, text: str) -> NDArray[np.float64]:
        found = np.zeros(self._count)
        for word in set(words(text)) & self._postings.keys():
            numbers, weights = self._postings[word]
            found[numbers] += weights
        return found

    def near(self, text: str, count: int) -> list[int]:
        return [int(n) for n in np.argsort(-self.scores(text), kind="stable")[:count]]
