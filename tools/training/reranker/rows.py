"""Questions with the first passages of the product's first order, for ``further.py``.

    python rows.py WORKSPACE PROJECT KIND QUESTIONS OUT

QUESTIONS is as for ``benchmarks/questions.py``, or ``written/papers2.jsonl``; KIND is asked, claim,
old or paper. Appends to OUT.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))
from questions import Judge, Mark, Question, letters, read

from citeloom.application.index.collection import open_collection
from citeloom.application.ports.index import Passage
from citeloom.application.search.hits import Hits, SearchQuestion, title_of
from citeloom.application.search.searcher import _evidence
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.search.filters import Filter
from citeloom.domain.search.fusion import Mode, parse_question
from citeloom.domain.search.ranking import FOR_READER
from citeloom.infrastructure.composition.application import open_application

DEPTH = 24


def candidates(hits: Hits, judge: Judge, question: Question) -> list[dict[str, object]]:
    """The first passages, each with the sentence that answers best and the nearest one, and with
    one sentence: the marked, else the nearest one."""
    ids = [hit.id for hit in hits.ranked[:DEPTH]]
    near, score = hits.sentence_scores(ids), {hit.id: hit.score for hit in hits.ranked}
    best = hits.read.best_of if hits.read else None
    found = []
    for passage in hits.passages(ids):
        right = judge.of_passage(passage.chunk.id, question)
        found.append(
            {
                "text": _evidence([passage], near, FOR_READER, best),
                "single": single(passage, near.get(passage.chunk.id, ()), question),
                "score": score[passage.chunk.id],
                "right": bool(right),
            }
        )
    return found


def single(passage: Passage, near: object, question: Question) -> str:
    cosines = list(near)  # type: ignore[call-overload]
    title = title_of(passage)
    if not cosines or len(cosines) != len(passage.sentences):
        return f"{title}. {passage.searched}"
    texts = [passage.searched[one.start : one.end] for one in passage.sentences]
    marked = [
        one for one in texts if any(mark.snippet[:20] in letters(one) for mark in question.marks)
    ]
    nearest = texts[max(range(len(texts)), key=cosines.__getitem__)]
    return f"{title}. {marked[0] if marked else nearest}"


def asked_of(path: Path, library: str) -> list[Question]:
    """The questions of a file; of one by papers those to train on."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    if "asked" not in rows[0]:
        return read([path], "all", library)
    return [
        Question(
            text, text, text, about=row["document"],
            marks=tuple(Mark(row["document"], page, letters(said)) for page, said in answers),
        )
        for row in rows if row["half"] == "train"
        for text, answers in row["asked"].items()
    ]  # fmt: skip


def main() -> None:
    workspace, project, kind, questions, out = sys.argv[1:6]
    without = f"{kind} unanswered" if kind in ("paper", "old") else "unanswered"
    application = open_application(Path(workspace))
    its = application.stores.catalogue.project(ProjectId.parse(project))
    with open_collection(application.stores.index, its) as collection:
        judge = Judge(list(collection.passages()))
    with Path(out).open("a", encoding="utf-8") as stream:
        for question in asked_of(Path(questions), its.id.name):
            wording = parse_question(question.text)
            asked = SearchQuestion(
                text=wording.text, mode=Mode.HYBRID, filter=Filter(), depth=10,
                wording=wording, for_reader=True, rerank=False,
            )  # fmt: skip
            with application.search.searcher.search([its], asked) as hits:
                row = {
                    "text": wording.text,
                    "kind": kind if question.marks else without,
                    "cands": candidates(hits, judge, question),
                }
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")
    application.close()


if __name__ == "__main__":
    main()
