"""How well a researcher's questions are answered, by passages marked by hand.

usage: python benchmarks/questions.py FILE... --workspace FOLDER --project NAME
           [--half develop|unseen|held|all] [--rerank|--no-rerank] [--list]

FILE has JSON lines: ``id``, ``need`` (wordings of one need share it), ``question``, and
``answers``: ``document`` (the file's name), ``page`` (of the file, from 1), ``snippet``, a few
words of the answer as they are printed. Marks of this kind outlive another chunking. The
project holds the documents of the files, and any others. Half of the needs, by the SHA-256 of
their names, are for development. Questions may name their ``half`` themselves (``held`` is the
unseen one), their ``library`` (then those of the project's name are asked) and their ``type``;
without ``answers`` they are not answered in the library.

dense, sparse and hybrid are the rankings of the searcher; default is the answer of `citeloom query
-k 10`, with --rerank or --no-rerank, if given. hit@3 is the share of questions with an answer among
the first three. In nDCG@10 each answer counts once, at the first passage that has it (α-nDCG with α
= 1, Clarke et al. 2008), against the best order of the project's passages. *warned* is the share of
questions of which it is said that the papers probably do not answer them. --list prints the rank of
the first answer to each question, and ! where there is a warning.
"""

import argparse
import hashlib
import json
import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from citeloom.application.index.collection import open_collection
from citeloom.application.ports.index import Passage
from citeloom.application.search.hits import SearchQuestion
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.search.filters import Filter
from citeloom.domain.search.fusion import Mode, parse_question
from citeloom.domain.search.request import QueryRequest
from citeloom.infrastructure.composition.application import Application, open_application

DEPTH = 10
CUT = 3
NOT_HERE = "probably not answered"


@dataclass(frozen=True)
class Mark:
    """A place of an answer."""

    document: str
    page: int
    snippet: str


@dataclass(frozen=True)
class Question:
    id: str
    need: str
    text: str
    marks: tuple[Mark, ...]
    type: str = ""
    named_half: str | None = None
    about: str = ""

    @property
    def half(self) -> str:
        if self.named_half is not None:
            return self.named_half
        digest = hashlib.sha256(self.need.encode()).hexdigest()
        return ("develop", "unseen")[int(digest, 16) % 2]


def letters(text: str) -> str:
    """Letters and digits alone: spacing, hyphens and ligatures differ between readers."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def read(files: Sequence[Path], half: str, library: str) -> list[Question]:
    rows: list[dict[str, Any]] = [
        json.loads(line) for file in files for line in file.read_text("utf-8").splitlines() if line
    ]
    questions = [
        Question(
            row["id"],
            row.get("need", row["id"]),
            row["question"],
            tuple(Mark(a["document"], a["page"], letters(a["snippet"])) for a in row["answers"]),
            row.get("type", ""),
            row.get("half"),
            row.get("about") or next((a["document"] for a in row["answers"]), row["id"]),
        )
        for row in rows
        if row.get("library", library) == library
    ]
    return [one for one in questions if half in ("all", one.half)]


class Score(NamedTuple):
    first: bool
    near: bool
    gain: float


class Judge:
    """Which marks a passage has."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._texts = [
            (Path(one.source_path).name, one.chunk.page_span, letters(one.chunk.text))
            for one in passages
        ]
        self._by_id = dict(zip((one.chunk.id for one in passages), self._texts, strict=True))

    def of_passage(self, id: str, question: Question) -> set[Mark]:
        document, pages, text = self._by_id[id]
        return {
            mark
            for mark in question.marks
            if mark.document == document
            and mark.snippet in text
            and (pages is None or pages.start <= mark.page <= pages.end)
        }

    def best_order(self, question: Question) -> list[set[Mark]]:
        """The marks of each passage, in the order that finds them soonest."""
        left = [found for id in self._by_id if (found := self.of_passage(id, question))]
        order: list[set[Mark]] = []
        known: set[Mark] = set()
        while left:
            best = max(left, key=lambda found: len(found - known))
            left.remove(best)
            order.append(best)
            known |= best
        return order


def gain(found: Sequence[set[Mark]]) -> float:
    known: set[Mark] = set()
    total = 0.0
    for place, marks in enumerate(found[:DEPTH], start=1):
        total += len(marks - known) / math.log2(place + 1)
        known |= marks
    return total


def rankings(
    application: Application, project_id: ProjectId, question: Question, rerank: bool | None
) -> tuple[dict[str, list[str]], bool]:
    """The ids of the first passages by mode, and whether it is said that there is no answer."""
    project = application.stores.catalogue.project(project_id)
    wording = parse_question(question.text)
    found = {}
    for mode in Mode:
        asked = SearchQuestion(
            text=wording.text,
            mode=mode,
            filter=Filter(),
            depth=DEPTH,
            wording=wording,
            for_reader=True,
            rerank=False,
        )
        with application.search.searcher.search([project], asked) as hits:
            found[mode.value] = [hit.id for hit in hits.ranked[:DEPTH]]
    request = QueryRequest(
        project_id=project_id, query_text=question.text, top_k=DEPTH, rerank=rerank
    )
    result = application.search.query(request)
    found["default"] = [item.chunk_id for item in result.items]
    warned = any(one.startswith(NOT_HERE) for one in result.warnings)
    return {mode: found[mode] for mode in ("dense", "sparse", "hybrid", "default")}, warned


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--workspace", type=Path, required=True)
    parser.add_argument("--project", required=True)
    parser.add_argument("--half", choices=("develop", "unseen", "held", "all"), default="develop")
    parser.add_argument("--rerank", action=argparse.BooleanOptionalAction)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    project_id = ProjectId.parse(options.project)
    questions = read(options.files, options.half, project_id.name)
    application = open_application(options.workspace)
    project = application.stores.catalogue.project(project_id)
    with open_collection(application.stores.index, project) as collection:
        judge = Judge(list(collection.passages()))
    scores: dict[str, list[Score]] = {}
    by_type: dict[str, list[Score]] = {}
    warnings: dict[bool, list[bool]] = {True: [], False: []}
    for question in questions:
        best = judge.best_order(question)
        for mark in set(question.marks).difference(*best):
            print(f"{question.id}: no passage has {mark}")
        ranks = []
        by_mode, warned = rankings(application, project_id, question, options.rerank)
        warnings[bool(question.marks)].append(warned)
        for mode, ids in by_mode.items():
            found = [judge.of_passage(id, question) for id in ids]
            first = next((n for n, marks in enumerate(found, start=1) if marks), None)
            ranks.append("–" if first is None else str(first))
            if question.marks:
                score = Score(first == 1, bool(first and first <= CUT), gain(found) / gain(best))
                scores.setdefault(mode, []).append(score)
                if mode == "default" and question.type:
                    by_type.setdefault(question.type, []).append(score)
        if options.list:
            listed = " ".join(f"{rank:>3}" for rank in ranks)
            print(listed, f"{'! ' if warned else ''}{question.id}: {question.text}")
    application.close()
    print(f"{options.half}: {len(questions)} questions, {len({q.need for q in questions})} needs\n")
    print(f"| | questions | hit@1 | hit@{CUT} | nDCG@{DEPTH} |\n|---|---:|---:|---:|---:|")
    for name, figures in {**scores, **dict(sorted(by_type.items()))}.items():
        means = [sum(each) / len(figures) for each in zip(*figures, strict=True)]
        print(f"| {name} | {len(figures)} | {means[0]:.3f} | {means[1]:.3f} | {means[2]:.4f} |")
    for answered, told in warnings.items():
        if told:
            kind = "answered" if answered else "not answered"
            print(f"\n{kind}: {sum(told)} of {len(told)} warned ({sum(told) / len(told):.3f})")


if __name__ == "__main__":
    main()
