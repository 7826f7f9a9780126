"""Weights of ``domain.search.answers`` and ``domain.search.answerable``.

usage: python tools/training/answers/train.py WORKSPACE PROJECT=FILE[:HALF]...
           [--beir KEPT=DATASET]... [--foreign PROJECT=FILE]...

FILE is as for ``benchmarks/questions.py``; HALF is its half for development. DATASET is a folder
in BEIR layout, KEPT where `citeloom evaluate DATASET --keep KEPT` has left its project: 150 of its
questions are asked as they are, and again without the documents that answer them (near their topic,
and not answered). --foreign asks the questions of FILE of a project that has nothing on them.
Prints weights, and their figures cross-validated in eight parts (questions on one paper in one
part), and with each project's questions left out.

Two logistic regressions: sentences (those with a marked answer against the others of their
passage), and questions (answered or not). A question counts once, whatever its number of pairs.
"""

import argparse
import hashlib
import itertools
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))
from questions import Judge, Question, letters, read

from citeloom.application.index.collection import open_collection
from citeloom.application.search.hits import SearchQuestion
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.search import answers
from citeloom.domain.search.answerable import UNLIKELY, signals
from citeloom.domain.search.filters import Clause, Field, Filter
from citeloom.domain.search.fusion import Mode, parse_question
from citeloom.domain.search.ranking import log_odds
from citeloom.infrastructure.composition.application import open_application

PARTS = 8
BEIR = 150
FALSE = 0.05
# Questions of abstracts and foreign ones are not those of papers.
_WEIGHTS = {"abstracts": 0.2, "foreign": 0.25}
SENTENCE = ("cosine", "words", "in_context", "contrary", "short")
WANTS = tuple(
    f"has_{want}" for want in ("number", "definition", "reason", "difficulty", "method", "finding")
)
_MEANING = ("sentence", "dense_margin", "sentence_margin", "words", "missing", "unseen")
_HYBRID = ("relevance", *_MEANING)
_AGAIN = (*_HYBRID, "log_odds", "lacks", "length", "number", "apart", "whether")
SIGNALS = {"again": _AGAIN, "hybrid": _HYBRID, "dense": _MEANING}


class Asked(NamedTuple):
    """A question with its groups: which of the rows is right."""

    id: str
    right: np.ndarray
    rows: np.ndarray


def vector(features: Mapping[str, float], names: Sequence[str]) -> list[float]:
    return [features.get(name, 0.0) for name in names]


def fit(rows: np.ndarray, right: np.ndarray, weights: np.ndarray, pull: np.ndarray,
        prior: np.ndarray) -> np.ndarray:  # fmt: skip
    """Logistic regression by Newton's method; ``pull`` to the ``prior``."""
    found = prior.copy()
    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(rows @ found, -30, 30)))
        gradient = rows.T @ (weights * (p - right)) + pull * (found - prior)
        hessian = (rows * (weights * p * (1 - p))[:, None]).T @ rows + np.diag(pull)
        step = np.linalg.solve(hessian, gradient)
        found -= step
        if np.abs(step).max() < 1e-6:
            break
    return found


def fit_order(asked: Sequence[Asked], pull: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Weights by which right rows stand before the others of their question."""
    pairs = [(one.rows[one.right][:, None] - one.rows[~one.right][None]).reshape(-1, len(prior))
             for one in asked if one.right.any() and not one.right.all()]  # fmt: skip
    shares = np.concatenate([np.full(len(each), 1 / len(each)) for each in pairs])
    rows = np.concatenate(pairs)
    return fit(rows, np.ones(len(rows)), shares, pull, prior)


def parts(count: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    order = np.random.RandomState(0).permutation(count)
    for part in range(PARTS):
        yield np.setdiff1d(order, order[part::PARTS]), order[part::PARTS]


def first_right(asked: Sequence[Asked], weights: np.ndarray) -> list[int]:
    """The rank of the first right row, 0 for none."""
    ranks = []
    for one in asked:
        order = np.argsort(-(one.rows @ weights), kind="stable")
        ranks.append(next((n for n, row in enumerate(order, 1) if one.right[row]), 0))
    return ranks


def figures(ranks: Sequence[int]) -> str:
    first, near = (sum(0 < r <= cut for r in ranks) / len(ranks) for cut in (1, 3))
    mean = sum(1 / rank for rank in ranks if rank) / len(ranks)
    return f"hit@1 {first:.3f}, hit@3 {near:.3f}, MRR {mean:.3f}"


def order_report(name: str, asked: Sequence[Asked], names: Sequence[str], pull: np.ndarray,
                 prior: np.ndarray) -> dict[str, float]:  # fmt: skip
    ranks = [0] * len(asked)
    for learned, tested in parts(len(asked)):
        weights = fit_order([asked[n] for n in learned], pull, prior)
        for n, rank in zip(tested, first_right([asked[n] for n in tested], weights), strict=True):
            ranks[n] = rank
    before = first_right(asked, np.eye(len(names))[0])
    print(f"{name}: {len(asked)} questions; before {figures(before)}; now {figures(ranks)}")
    return dict(zip(names, map(float, fit_order(asked, pull, prior)), strict=True))


class Searched(NamedTuple):
    question: Question
    read: answers.ReadPassages
    marks: Sequence[bool]
    sentences: Mapping[str, Sequence[answers.ReadSentence]]
    texts: Mapping[str, str]
    signals: Mapping[str, float]


class Library:
    """A project whose questions are asked."""

    def __init__(self, workspace: Path, name: str | None = None) -> None:
        self.application = open_application(workspace)
        catalogue = self.application.stores.catalogue
        id = ProjectId.parse(name) if name else catalogue.projects()[0].id
        self.project = catalogue.project(id)
        with open_collection(self.application.stores.index, self.project) as collection:
            self.judge = Judge(list(collection.passages()))

    def search(self, question: Question, without: Sequence[str] = ()) -> Searched | None:
        wording = parse_question(question.text)
        clause = Clause(field=Field.DOC, negated=True, values=tuple(without))
        asked = SearchQuestion(
            text=wording.text,
            mode=Mode.HYBRID,
            filter=Filter(clauses=(clause,) if without else ()),
            depth=10,
            wording=wording,
            for_reader=True,
            rerank=True,
        )
        seen: dict[str, Sequence[answers.ReadSentence]] = {}
        looked = answers._sentences

        def spy(read: Any, one: Any, *rest: Any) -> Any:
            seen[one.chunk.id] = looked(read, one, *rest)
            return seen[one.chunk.id][:4]

        answers._sentences, answers._LOOKED_AT = spy, 1000  # type: ignore[assignment]
        try:
            with self.application.search.searcher.search([self.project], asked) as hits:
                if hits.read is None:
                    return None
                texts = {one.chunk.id: one.chunk.text for one in
                         hits.passages([one.id for one in hits.read.passages])}  # fmt: skip
                return Searched(
                    question,
                    hits.read,
                    [bool(self.judge.of_passage(one.id, question)) for one in hits.read.passages],
                    seen,
                    texts,
                    signals(hits.candidates, hits.read, hits.judged),
                )
        finally:
            answers._sentences = looked


class Told(NamedTuple):
    """Signals of a question of a group, whether it is answered, and the paper that it is about."""

    group: str
    answered: bool
    signals: Mapping[str, float]
    about: str


def judged(kept: Path, dataset: Path) -> Iterator[Told]:
    """Questions of a dataset, with and without the documents that answer them."""
    library = Library(kept)
    ids = {source.path.rsplit("/", 1)[-1]: document.document_id
           for document in library.application.stores.catalogue.documents(library.project.id)
           for source in document.sources}  # fmt: skip
    questions = [json.loads(line) for line in (dataset / "queries.jsonl").open(encoding="utf-8")]
    answering: dict[str, list[str]] = {}
    for line in next((dataset / "qrels").glob("*.tsv")).read_text("utf-8").splitlines()[1:]:
        question, record, _ = line.split("\t")
        answering.setdefault(question, []).append(ids[record])
    step = max(1, len(answering) // BEIR)
    for row in [one for one in questions if one["_id"] in answering][::step][:BEIR]:
        question = Question(row["_id"], row["_id"], row["text"], ())
        for without in ((), answering[row["_id"]]):
            if (found := library.search(question, without)) is not None:
                yield Told(f"{dataset.name} abstracts", not without, found.signals, row["_id"])


def sentences_of(found: Searched) -> Asked | None:
    """The sentences of the first passage with an answer; right are those with a marked one."""
    for one, marked in zip(found.read.passages, found.marks, strict=True):
        if not marked:
            continue
        sentences = found.sentences.get(one.id, ())  # none of a table
        texts = [letters(found.texts[one.id][s.span.start : s.span.end]) for s in sentences]
        right = [any(mark.snippet[:20] in text or mark.snippet in text
                     for mark in found.question.marks) for text in texts]  # fmt: skip
        rows = [vector(each.features, (*SENTENCE, *WANTS)) for each in sentences]
        return Asked(found.question.id, np.array(right), np.array(rows)) if any(right) else None
    return None


def chance_report(told: Sequence[Told]) -> None:
    """Weights of signals, and how many questions are told at 5 % false, by group."""
    groups = np.array([one.group for one in told])
    right = np.array([one.answered for one in told], dtype=float)
    weights = np.array([_WEIGHTS.get(group.partition(" ")[2], 1.0) for group in groups])
    papers = np.array([int(hashlib.sha256(one.about.encode()).hexdigest(), 16) % PARTS
                       for one in told])  # fmt: skip
    libraries = np.array([group.partition(" ")[0] for group in groups])
    for (mode, names), part in itertools.product(SIGNALS.items(), (papers, libraries)):
        raw = np.array([vector(one.signals, names) for one in told])
        mean, deviation = raw.mean(0), raw.std(0)
        rows = np.c_[np.ones(len(raw)), (raw - mean) / deviation]
        pull, prior = np.array([0.0, *[3.0] * len(names)]), np.zeros(len(names) + 1)
        tested = np.zeros(len(raw))
        for left_out in set(part):
            others, learned = part == left_out, part != left_out
            found = fit(rows[learned], right[learned], weights[learned], pull, prior)
            tested[others] = 1 / (1 + np.exp(-(rows[others] @ found)))
        found = fit(rows, right, weights, pull, prior)
        plain = found[1:] / deviation
        limit = np.quantile(tested[(right == 1) & (weights == 1)], FALSE)
        # The same limit for all: 5 % of the answered questions lie below it.
        constant = found[0] - plain @ mean + log_odds(UNLIKELY) - log_odds(limit)
        named = zip(("always", *names), (constant, *plain), strict=True)
        print(mode, {name: round(float(value), 3) for name, value in named})
        print(f"  {FALSE:.0%} of answered questions were below {limit:.3f}")
        for group in sorted(set(groups)):
            for answered in (1.0, 0.0):
                here = tested[(groups == group) & (right == answered)]
                if len(here):
                    print(f"  {group}: {'answered' if answered else 'not answered'} {len(here)}, "
                          f"told {np.mean(here < limit):.3f}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("workspace", type=Path)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--beir", action="append", default=[])
    parser.add_argument("--foreign", action="append", default=[])
    options = parser.parse_args()
    libraries: dict[str, Library] = {}
    asked: list[tuple[Library, str, Question]] = []
    for each in (*options.sets, *options.foreign):
        name, _, rest = each.partition("=")
        file, _, half = rest.partition(":")
        library = libraries.setdefault(name, Library(options.workspace, name))
        foreign = each in options.foreign
        asked += (
            (library, f"{name}{' foreign' * foreign}", question)
            for question in read([Path(file)], half or "all", "" if foreign else name)
        )
    found = [
        (group, one) for library, group, question in asked if (one := library.search(question))
    ]
    marked = [one for _, one in found if one.question.marks]
    pull, prior = np.full(len(SENTENCE) + len(WANTS), 2.0), np.zeros(len(SENTENCE) + len(WANTS))
    groups = [one for one in map(sentences_of, marked) if one]
    weights = order_report("sentences", groups, (*SENTENCE, *WANTS), pull, prior)
    print({name: round(value, 2) for name, value in weights.items()})
    told = [Told(group, bool(one.question.marks), one.signals, one.question.about)
            for group, one in found]  # fmt: skip
    for each in options.beir:
        kept, _, dataset = each.partition("=")
        told += judged(Path(kept), Path(dataset))
    chance_report(told)


if __name__ == "__main__":
    main()
