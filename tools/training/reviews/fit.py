"""Weights and limits of ``domain.review.evidence.answering``.

usage: python tools/training/reviews/fit.py WORKSPACE --keep SIGNALS [FILE:PART]...
       python tools/training/reviews/fit.py --from SIGNALS [--pull 3] [--raise 0.5]

The first form asks the marked questions of FILE (as for ``benchmarks/review_quotations.py``) as
reviews and keeps the signals of every sentence that was read with its question, and the probability
of an answer. The second prints, on kept signals, what the shipped weights and limits quote, then
the weights fitted again (logistic regression, pulled to 0; those in HAND stay as they are), and
what these quote, cross-validated by question in eight parts. Fitted weights quote more than the
shipped ones; ``--raise`` takes so much off their constant, so that like numbers compare.
Last, the shipped weights with other limits. A sentence without a mark counts as beside the point.
Second readings and both sides of a comparison are not looked at, so the figures are near those of
the benchmark, not the same.
"""

import argparse
import json
import math
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))
from review_quotations import folded

from citeloom.application.review import evidence_gathering, roles
from citeloom.application.review.requests import ReviewRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.review.evidence import answering
from citeloom.domain.review.evidence.answering import (
    WEIGHTS,
    QuoteCandidate,
    answer_probability,
    select_quotes,
)
from citeloom.domain.search.answerable import UNLIKELY
from citeloom.infrastructure.composition.application import open_application

HAND = ("denies", "others")
PARTS = 8
MOST = 8  # quotations of a step
Kept = dict[str, Any]
Weights = Mapping[str, float]


def level(question: Kept, text: str) -> int:
    """2 for a sentence that answers, 1 for a touch, 0 for others."""
    said = folded(text)
    for name, one in (("answers", 2), ("touches", 1)):
        if any(isinstance(words, str) and folded(words) in said for _, words in question[name]):
            return one
    return 0


def collected(workspace: Path, sources: Sequence[str]) -> list[Kept]:
    application = open_application(workspace)
    there = {str(one.id) for one in application.stores.catalogue.projects()}
    kept: list[Kept] = []
    for source in sources:
        file, _, part = source.rpartition(":")
        kept += [
            _asked(application, question)
            for question in json.loads(Path(file).read_text("utf-8"))
            if question["part"] == part and f"local/{question['library']}" in there
        ]
    application.close()
    return kept


def _asked(application: Any, question: Kept) -> Kept:
    steps: list[Kept] = []
    signals: list[Weights] = []
    gathering, relevance = evidence_gathering.EvidenceGathering, roles.SentenceRelevance
    find, chance, relevant = gathering.find, gathering._probability, relevance.relevances

    asking: list[Any] = []

    def found(self: Any, query: str, passages: int, sub: Any) -> Any:
        steps.append({"probability": None, "answers": -math.inf, "sentences": []})
        asking[:] = [self]
        return find(self, query, passages, sub)

    def judged(self: Any, hits: Any, asked: Any) -> Any:
        steps[-1]["probability"] = chance(self, hits, asked)
        return steps[-1]["probability"]

    def probability(*args: Any) -> float:
        signals.append(_weighed(args))
        return answer_probability(*args)

    def relevances(self: Any, *args: Any) -> Any:
        signals.clear()
        pairs = relevant(self, *args)
        steps[-1]["answers"] = max(steps[-1]["answers"], asking[0]._answers(args[0], pairs))
        for (one, _), values in zip(pairs, signals, strict=True):
            place = (one.passage.chunk.doc_id, *(one.paragraph.start + at for at in one.span))
            sentence = {"place": place, "text": one.quoted, "signals": values}
            steps[-1]["sentences"].append(sentence | {"level": level(question, one.quoted)})
        return pairs

    with (
        patch.object(gathering, "find", found),
        patch.object(gathering, "_probability", judged),
        patch.object(roles, "answer_probability", probability),
        patch.object(relevance, "relevances", relevances),
    ):
        project = ProjectId.parse(question["library"])
        application.research.review(
            ReviewRequest(project_id=project, question=question["question"])
        )
    answerable = question.get("answerable", True)
    return {"id": question["id"], "answerable": answerable, "steps": steps}


def _weighed(args: tuple[Any, ...]) -> Weights:
    """The value of each weighed signal; none for an expectation, which is never quoted."""
    found: dict[str, float] = {}
    for name in WEIGHTS:
        alone = {one: float(one == name) for one in WEIGHTS}
        with patch.object(answering, "WEIGHTS", alone):
            chance = answer_probability(*args)
        if not chance:
            return {}
        found[name] = math.log(chance / (1 - chance))
    return found


def fitted(asked: Sequence[Kept], pull: float) -> Weights:
    names = [name for name in WEIGHTS if name not in HAND]
    rows = [
        one
        for question in asked
        for step in question["steps"]
        for one in step["sentences"]
        if one["signals"]
    ]
    values = np.array([[one["signals"][name] for name in names] for one in rows])
    set_by_hand = np.array(
        [sum(WEIGHTS[name] * one["signals"][name] for name in HAND) for one in rows]
    )
    right = np.array([float(one["level"] > 0) for one in rows])
    pulls = np.array([1e-3 if name == "always" else pull for name in names])
    weights = np.zeros(len(names))
    for _ in range(40):
        chances = 1 / (1 + np.exp(-(values @ weights + set_by_hand)))
        slope = values.T @ (chances - right) + pulls * weights
        bend = (values * (chances * (1 - chances))[:, None]).T @ values + np.diag(pulls)
        weights -= np.linalg.solve(bend, slope)
    return dict(zip(names, map(float, weights), strict=True)) | {n: WEIGHTS[n] for n in HAND}


def quoted(question: Kept, weights: Weights) -> list[int]:
    """The levels of the sentences that a review quotes."""
    chosen: list[QuoteCandidate] = []
    levels: dict[object, int] = {}
    for step in question["steps"]:
        chance = step["probability"]
        if chance is not None and chance < UNLIKELY:
            continue
        candidates: list[QuoteCandidate] = []
        is_answered = step["answers"] >= answering.MIN_ANSWERED
        least = answering.MIN_FIRST if is_answered else answering.MIN_RELEVANCE
        for one in step["sentences"]:
            total = sum(weights[name] * value for name, value in one["signals"].items())
            share = 1 / (1 + math.exp(-total)) if one["signals"] else 0.0
            if share >= least:
                document, start, end = one["place"]
                quote = QuoteCandidate(document, start, end, one["text"], share)
                levels[quote.place] = one["level"]
                candidates.append(quote)
        if any(one.relevance >= answering.MIN_RELEVANCE for one in candidates):
            candidates = [one for one in candidates if one.relevance >= answering.MIN_RELEVANCE]
        candidates.sort(key=lambda one: (-one.relevance, one.place))
        own = [one._replace(best=candidates[0].relevance) for one in candidates]
        chosen += select_quotes(own, chosen, MOST).quotes
    return [levels[one.place] for one in chosen]


def figures(asked: Sequence[Kept], weights: Callable[[Kept], Weights]) -> str:
    found = [(question["answerable"], quoted(question, weights(question))) for question in asked]
    levels = [one for _, quotations in found for one in quotations]
    of_answerable = [bool(quotations) for answerable, quotations in found if answerable]
    of_others = [bool(quotations) for answerable, quotations in found if not answerable]
    good = sum(one > 0 for one in levels)
    return (
        f"answer or touch {good} of {len(levels)} ({good / max(1, len(levels)):.0%}), answer "
        f"{levels.count(2)}; without a quotation {of_answerable.count(False)} of "
        f"{len(of_answerable)}; not answerable, with one {sum(of_others)} of {len(of_others)}"
    )


def crossed(asked: Sequence[Kept], pull: float, taken_off: float) -> str:
    order = list(range(len(asked)))
    random.Random(1).shuffle(order)
    weights: dict[int, Weights] = {}
    for part in range(PARTS):
        held = order[part::PARTS]
        learned = dict(fitted([asked[n] for n in order if n not in held], pull))
        learned["always"] -= taken_off
        weights |= {id(asked[n]): learned for n in held}
    return figures(asked, lambda question: weights[id(question)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path, nargs="?")
    parser.add_argument("questions", nargs="*", metavar="FILE:PART")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--from", dest="kept", type=Path, nargs="+")
    parser.add_argument("--pull", type=float, default=3)
    parser.add_argument("--raise", dest="taken_off", type=float, default=0.5)
    args = parser.parse_intermixed_args()
    if args.keep:
        args.keep.write_text(json.dumps(collected(args.workspace, args.questions)), "utf-8")
        return
    asked = [one for file in args.kept for one in json.loads(file.read_text("utf-8"))]
    print(f"shipped: {figures(asked, lambda _: WEIGHTS)}")
    again = {name: round(value, 2) for name, value in fitted(asked, args.pull).items()}
    print(f"fitted: {again}")
    for taken_off in (0.0, args.taken_off):
        print(f"cross-validated, -{taken_off}: {crossed(asked, args.pull, taken_off)}")
    for name, values in (
        ("MIN_FIRST", (0.01, 0.1, 0.15, 0.25)),
        ("MIN_ANSWERED", (-2.0, -1.5, -0.5, 0.0)),
        ("MIN_RELEVANCE", (0.4, 0.45, 0.5, 0.55)),
        ("_MIN_SHARE_OF_BEST", (0.72, 0.78, 0.84)),
    ):
        for value in values:
            with patch.object(answering, name, value):
                print(f"{name} {value}: {figures(asked, lambda _: WEIGHTS)}")


if __name__ == "__main__":
    main()
