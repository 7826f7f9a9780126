"""Whether the papers answer a question at all: a probability, and what is said where it is low.

A logistic regression on the scores of the first stage, their distance to the others, the question's
words that the best passages have or lack, and, where passages were read again, on what the reranker
thought of the best. Fitted on questions with and without an answer over several collections:
``tools/training/answers``. Questions off the topic of the papers are recognised, of those near it
a fifth to a half.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from citeloom.domain.projects.project import DEFAULT_POLICY

from .answers import ReadPassages
from .fusion import Mode, ParsedQuestion, Scored, is_one_word, relevance
from .wants import Want

#: A question is said not to be answered where the probability that it is lies below this.
UNLIKELY: Final = 0.2
# The best passages, whose words count.
_BEST: Final = 5
# Other candidates, to whose mean the best is compared.
_OTHERS: Final = 19
_NAMED: Final = 3
# A question whose nearest sentence is farther than this is about something else.
_APART: Final = 0.45
# In larger libraries a word that nothing has says no more than this.
_MOST_LACKING: Final = 8.0

# A question whether something is so has words like those of passages that do not say it.
_WHETHER: Final = re.compile(r"\W*(?:do|does|did|is|are|was|were|can|has|have)\b", re.I)

#: Learned by ``tools/training/answers``, by mode; a search by meaning has no scores of words.
WEIGHTS: Final[Mapping[Mode, Mapping[str, float]]] = {
    Mode.HYBRID: {
        "always": -6.044, "relevance": 5.815, "sentence": 3.273, "dense_margin": 3.787,
        "sentence_margin": 2.586, "words": 2.408, "missing": -2.31, "unseen": -0.155,
    },
    Mode.DENSE: {
        "always": -4.589, "sentence": 6.507, "dense_margin": 5.82, "sentence_margin": 1.866,
        "words": 2.402, "missing": -2.716, "unseen": -0.318,
    },
}  # fmt: skip
#: Those of questions whose best passages were read again, in any mode.
READ_AGAIN: Final[Mapping[str, float]] = {
    "always": 0.859, "relevance": -0.411, "sentence": 2.172, "dense_margin": 3.915,
    "sentence_margin": 1.434, "words": -0.572, "missing": -0.818, "unseen": -0.873,
    "log_odds": 0.823, "lacks": -0.236, "length": 0.268, "number": -0.73, "apart": -9.983,
    "whether": -1.007,
}  # fmt: skip
# Between these it is open whether anything answers, and sentences are read.
_OPEN: Final = (0.05, 0.7)
#: What counts where they were: the log-odds without them, and those of the best.
SENTENCES_READ: Final[Mapping[str, float]] = {"always": 0.637, "without": 0.881, "sentence": 0.712}


class Judged(NamedTuple):
    """What a second reading says: the ``log_odds`` that the best of the passages read to the end is
    relevant; of the question's words that the document of the best of the first passages ``lacks``
    the rarity (``answers.rarity``) of the rarest, 0 if none. ``sentence``: the log-odds that the
    best of the nearest sentences answers, None where none was read."""

    log_odds: float
    lacks: float
    sentence: float | None = None


def signals(
    candidates: Sequence[Scored], read: ReadPassages, judged: Judged | None = None
) -> Mapping[str, float]:
    """What speaks for an answer among the candidates of a search, by name."""
    dense = sorted((one.dense or 0.0 for one in candidates), reverse=True)
    nearest = sorted(
        ((one.dense if one.sentence is None else one.sentence) or 0.0 for one in candidates),
        reverse=True,
    )
    stems = read.words.stems
    best = read.passages[:_BEST]
    return {
        "always": 1.0,
        "log_odds": judged.log_odds if judged else 0.0,
        "lacks": min(_MOST_LACKING, judged.lacks) if judged else 0.0,
        "length": float(len(stems)),
        "number": float(read.asked.want is Want.NUMBER),
        "whether": float(_WHETHER.match(read.question) is not None),
        "apart": max(0.0, _APART - nearest[0]),
        "relevance": max(relevance(one, Mode.HYBRID, DEFAULT_POLICY) for one in candidates),
        "sentence": nearest[0],
        "dense_margin": _margin(dense),
        "sentence_margin": _margin(nearest),
        "words": max(read.share(one.covered) for one in best),
        "missing": min(1 - len(one.covered) / len(stems) for one in best) if stems else 0.0,
        "unseen": len(unseen(read)) / len(stems) if stems else 0.0,
    }


def _margin(descending: Sequence[float]) -> float:
    """By how much the best is above the mean of those that follow it."""
    others = descending[1 : 1 + _OTHERS]
    return descending[0] - sum(others) / len(others) if others else 0.0


def unseen(read: ReadPassages) -> list[str]:
    """The question's words that none of the passages has that were read."""
    seen = set().union(*(one.covered for one in read.passages))
    return [read.words.written[one] for one in read.words.stems if one not in seen]


def chance(
    candidates: Sequence[Scored], read: ReadPassages, mode: Mode, judged: Judged | None = None
) -> float:
    """The probability that an answer is among the best passages."""
    found = signals(candidates, read, judged)
    weights = WEIGHTS[mode] if judged is None else READ_AGAIN
    total = sum(weight * found[name] for name, weight in weights.items())
    if judged and judged.sentence is not None:
        last = {"always": 1.0, "without": total, "sentence": judged.sentence}
        total = sum(weight * last[name] for name, weight in SENTENCES_READ.items())
    return 1 / (1 + math.exp(-total))


def is_certain(wording: ParsedQuestion, matched: bool) -> bool:
    """Whether what was found is what was asked for, whatever else there is: it was found by a
    phrase, or by the only word of the question."""
    return bool(wording.phrases) or (is_one_word(wording.text) and matched)


def is_open(probability: float | None) -> bool:
    """Whether a reader of sentences is to decide if anything answers."""
    return probability is not None and _OPEN[0] <= probability < _OPEN[1]


def is_doubtful(probability: float | None) -> bool:
    """Whether a question is said not to be answered."""
    return probability is not None and probability < UNLIKELY


def not_here(probability: float, read: ReadPassages) -> str:
    """What is said where an answer is unlikely."""
    words = " or ".join(f'"{word}"' for word in unseen(read)[:_NAMED])
    lacking = f"; none of the nearest passages has {words}" if words else ""
    return (
        f"probably not answered in these papers (probability of an answer {probability:.2f})"
        f"{lacking}"
    )
