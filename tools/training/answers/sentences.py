"""Weights of ``domain.search.answerable.SENTENCES_READ``.

usage: python tools/training/answers/sentences.py WORKSPACE PROJECT=FILE[:HALF]... [--keep 0.98]

Asks the questions of FILE (as for ``benchmarks/questions.py``) and fits, on those where it is open
whether anything answers, a logistic regression on the log-odds without the sentences and on those
of the best sentence. The constant is such that of the answered questions the share ``--keep`` is
not said to be unanswered. Prints the weights, and how many are said, by project.
"""

import argparse
from collections import Counter
from pathlib import Path

import numpy as np

from citeloom.application.search.hits import SearchQuestion
from citeloom.domain.search.answerable import UNLIKELY, chance, is_doubtful, is_open
from citeloom.domain.search.filters import Filter
from citeloom.domain.search.fusion import Mode, parse_question
from citeloom.domain.search.ranking import log_odds
from train import Library, fit, read


def asked(library: Library, text: str) -> tuple[float, float | None] | None:
    """The probability without the sentences, and the log-odds of the best one that was read."""
    wording = parse_question(text)
    question = SearchQuestion(
        text=wording.text, mode=Mode.HYBRID, filter=Filter(), depth=10, wording=wording,
        for_reader=True,
    )  # fmt: skip
    with library.application.search.searcher.search([library.project], question) as hits:
        if hits.read is None or hits.judged is None:
            return None
        without = hits.judged._replace(sentence=None)
        return chance(hits.candidates, hits.read, question.mode, without), hits.judged.sentence


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("workspace", type=Path)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--keep", type=float, default=0.98)
    options = parser.parse_args()
    names, found, answered = [], [], []
    for each in options.sets:
        name, _, rest = each.partition("=")
        file, _, half = rest.partition(":")
        library = Library(options.workspace, name)
        for question in read([Path(file)], half or "all", name):
            if (one := asked(library, question.text)) is not None:
                names.append(name)
                found.append(one)
                answered.append(bool(question.marks))
    without = np.array([one for one, _ in found])
    is_read = np.array([is_open(one) and odds is not None for one, odds in found])
    rows = np.array([[1.0, log_odds(one), odds or 0.0] for one, odds in found])
    right = np.array(answered)
    weights = fit(rows[is_read], right[is_read].astype(float), np.ones(is_read.sum()),
                  np.array([0.0, 1.0, 1.0]), np.zeros(3))  # fmt: skip
    total = rows @ weights
    most = round((1 - options.keep) * right.sum())
    limit = np.sort(total[is_read & right])[most]
    weights[0] += log_odds(UNLIKELY) - limit
    print(dict(zip(("always", "without", "sentence"), weights.round(3).tolist(), strict=True)))
    said = np.where(is_read, total < limit, [is_doubtful(one) for one in without])
    counts = Counter(zip(names, answered, said.tolist(), strict=True))
    for name in dict.fromkeys(names):
        for one in (True, False):
            print(f"{name}: {'answered' if one else 'not answered'} "
                  f"{counts[name, one, True] + counts[name, one, False]}, "
                  f"said {counts[name, one, True]}")  # fmt: skip


if __name__ == "__main__":
    main()
