"""Whether a project answers alike in the process and on a Qdrant server.

usage: python benchmarks/server_parity.py WORKSPACE PROJECT QUESTIONS --url URL
           [--layout project|shared]

QUESTIONS is a JSON list or JSON lines, each with a "question". The workspace is copied; in the copy
some passages get a reader's marks and annotations, and the project is moved to the server
(CITELOOM_INDEX__API_KEY). Both are asked each question in every mode, with filters, exclusions and
marks. Prints a Markdown table, and ends with 1 if they are not alike:

ids       answers with the same passages, of all answers
ties      answers that differ where the last of the 100 candidates by words or by meaning has
          exactly the score of the next: which of the two is a candidate is left to the engine
order     answers with the same passages in the same order (those with scores within 1e-4 of each
          other may change places)
score     the largest difference of the score of a passage in both answers
dense, sparse, sentence
          the same for the raw scores of the candidates (100 by each vector)
"""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from citeloom.application.index.passage_writer import sparse_text
from citeloom.application.ports.index import EmbeddedPassage
from citeloom.application.ports.ingest import SilentProgress
from citeloom.domain.annotations import Annotation, Located, Mark
from citeloom.domain.documents.spans import ChunkKind, annotation_chunk_id
from citeloom.domain.library import AnnotationKind
from citeloom.domain.projects.project import IndexLayout, IndexPlace, ProjectId
from citeloom.domain.search.filters import Filter, parse_clause
from citeloom.domain.search.fusion import Mode, Scored
from citeloom.domain.search.request import QueryRequest, QueryResultItem
from citeloom.infrastructure.composition.application import Application, open_application

TOP_K, CANDIDATES = 20, 100
MARKED_EVERY = 7
TIE, MOST_TIED = 1e-4, 0.1
SCORES = ("dense", "sparse", "sentence")


@dataclass(frozen=True)
class Variant:
    """A way to ask: ``suffix`` is added to the question."""

    name: str
    mode: Mode = Mode.HYBRID
    clauses: tuple[str, ...] = ()
    suffix: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def filter(self) -> Filter:
        return Filter(clauses=tuple(map(parse_clause, self.clauses)))


VARIANTS = (
    *(Variant(mode.value, mode) for mode in Mode),
    Variant("year", clauses=("year=2015..2020",)),
    Variant("not a year", Mode.SPARSE, clauses=("year!=2018..2020",)),
    Variant("first pages", Mode.DENSE, clauses=("page=1..2",)),
    Variant("no tables", clauses=("kind!=table", "page!=1")),
    Variant("without a word", suffix=" -students -readers"),
    Variant("phrase", suffix=' "of the"'),
    Variant("marked", clauses=("marked=yes",)),
    Variant("annotations", clauses=("kind=annotation",)),
    Variant("marked favoured", more={"favour_marked": True}),
    Variant("diverse", more={"diverse": True, "per_document": 2}),
)


@dataclass
class Agreement:
    """``scores`` are the largest differences, by name."""

    answers: int = 0
    same_ids: int = 0
    same_order: int = 0
    tied: int = 0
    shown: int = 0
    scores: dict[str, float] = field(default_factory=dict)

    def differ(self, name: str, one: float, other: float) -> None:
        self.scores[name] = max(self.scores.get(name, 0.0), abs(one - other))


def with_marks(application: Application, project_id: ProjectId) -> int:
    """Mark every seventh passage and annotate it; returns the number of annotations."""
    stores = application.stores
    project = stores.catalogue.project(project_id)
    weigh = application.models.sparse
    embedder = application.models.embedder(project.embedding_model.name)
    made = 0
    with stores.index.open(
        project.collection, dimension=project.embedding_model.dimension
    ) as collection:
        for document_id in sorted(collection.counts()):
            passages = list(collection.export(document_id))
            marks, notes = {}, []
            for number, each in enumerate(passages[::MARKED_EVERY]):
                chunk = each.passage.chunk
                mark = _mark(f"{made:08}", chunk.text[:80])
                marks[chunk.id] = [mark]
                note = _annotation(each, mark, len(passages) + number)
                words = next(iter(weigh.embed([sparse_text(note.passage)], "en", 100.0)))
                [dense] = embedder.embed([note.passage.embedding_text()])
                notes.append(replace(note, dense=dense, sparse=words))
                made += 1
            collection.annotate(document_id, notes, marks)
        collection.flush()
    return made


def _mark(key: str, quote: str) -> Mark:
    return Mark(
        key=key, attachment_key="ATTACHED", kind=AnnotationKind.HIGHLIGHT, quote=quote,
        comment="to be cited", color="#ffd400", tags=("method",), page=1, page_label="1",
        uri=f"zotero://open-pdf/library/items/ATTACHED?annotation={key}",
    )  # fmt: skip


def _annotation(marked: EmbeddedPassage, mark: Mark, idx: int) -> EmbeddedPassage:
    chunk = marked.passage.chunk
    annotation = Annotation(**dict(mark), located=Located.WORDS, chunk_id=chunk.id)
    made = chunk.model_copy(
        update={
            "id": annotation_chunk_id(chunk.doc_id, "library", mark.key, "made"),
            "chunk_idx": idx,
            "kind": ChunkKind.ANNOTATION,
        }
    )
    passage = marked.passage.model_copy(
        update={"chunk": made, "annotation": annotation, "sentences": ()}
    )
    return replace(marked, passage=passage, sentences=())


def moved(application: Application, project_id: ProjectId, place: IndexPlace) -> None:
    application.projects.mover(project_id, place, SilentProgress())


def compare(
    one: Application, other: Application, project_id: ProjectId, questions: Sequence[str]
) -> dict[str, Agreement]:
    """By variant, how far the answers of both applications agree; ``candidates`` are the raw
    scores below them."""
    found = {variant.name: Agreement() for variant in VARIANTS}
    found["candidates"] = Agreement()
    for question in questions:
        sides = [_candidates(each, project_id, question, Filter()) for each in (one, other)]
        _candidates_agree(found["candidates"], *sides)
        for variant in VARIANTS:
            answers = [_ask(each, project_id, question, variant) for each in (one, other)]
            if list(map(_shown, answers[0])) != list(map(_shown, answers[1])) and _tied(
                *(_candidates(each, project_id, question, variant.filter) for each in (one, other))
            ):
                found[variant.name].answers += 1
                found[variant.name].tied += 1
            else:
                _answers_agree(found[variant.name], *answers)
    return found


def _shown(item: QueryResultItem) -> tuple[str, float]:
    return item.chunk_id, round(item.score, 4)


def _ask(
    application: Application, project_id: ProjectId, question: str, variant: Variant
) -> Sequence[QueryResultItem]:
    request = QueryRequest(
        project_id=project_id,
        query_text=question + variant.suffix,
        top_k=TOP_K,
        mode=variant.mode,
        filter=variant.filter,
        **variant.more,
    )
    return application.search.query(request).items


def _answers_agree(
    agreement: Agreement, one: Sequence[QueryResultItem], other: Sequence[QueryResultItem]
) -> None:
    first, second = ({item.chunk_id: item for item in items} for items in (one, other))
    agreement.answers += 1
    agreement.shown += len(one)
    agreement.same_ids += first.keys() == second.keys()
    agreement.same_order += _alike(first, second, ("score",))
    for id in first.keys() & second.keys():
        agreement.differ("score", first[id].score, second[id].score)
        rest = [
            item.model_copy(update={"score": 0.0, "rank": 0}) for item in (first[id], second[id])
        ]
        if rest[0] != rest[1]:
            raise AssertionError(f"{id}: the same passage is shown otherwise")


def _candidates(
    application: Application, project_id: ProjectId, question: str, filter: Filter
) -> dict[str, Scored]:
    """The candidates by passage, best first."""
    project = application.stores.catalogue.project(project_id)
    embedder = application.models.embedder(project.embedding_model.name)
    with application.stores.index.open(
        project.collection, dimension=project.embedding_model.dimension
    ) as collection:
        found = collection.search(
            dense=embedder.embed_query(question),
            sparse=application.models.sparse.embed_query(question, ["en"]),
            filter=filter,
            limit=CANDIDATES,
        )
    return {each.id: each for each in found}


def _candidates_agree(
    agreement: Agreement,
    first: Mapping[str, Scored],
    second: Mapping[str, Scored],
) -> None:
    agreement.answers += 1
    agreement.shown += len(first)
    agreement.tied += _tied(first, second)
    agreement.same_ids += first.keys() == second.keys()
    agreement.same_order += _alike(first, second, SCORES)
    for id in first.keys() & second.keys():
        for name in SCORES:
            left, right = getattr(first[id], name), getattr(second[id], name)
            if (left is None) != (right is None):
                raise AssertionError(f"{id}: {name} is {left} and {right}")
            if left is not None:
                agreement.differ(name, left, right)


def _tied(first: Mapping[str, Scored], second: Mapping[str, Scored]) -> bool:
    """Whether the candidates differ by ties at their end alone: all of one side alone have the
    score by words of one passage."""
    both = {**first, **second}
    only = [both[id].sparse for id in first.keys() ^ second.keys()]
    scores = [score for score in only if score is not None]
    return bool(only) and len(scores) == len(only) and max(scores) - min(scores) <= TIE


def _alike(first: Mapping[str, Any], second: Mapping[str, Any], scores: Sequence[str]) -> bool:
    """Whether both have the same ids in the same order. Where they have not, the two passages
    have one of the scores in common."""
    return first.keys() == second.keys() and all(
        one == other or any(_close(first[one], first[other], name) for name in scores)
        for one, other in zip(first, second, strict=True)
    )


def _close(one: Any, other: Any, score: str) -> bool:
    values = getattr(one, score), getattr(other, score)
    return None not in values and abs(values[0] - values[1]) <= TIE


def disagreements(found: Mapping[str, Agreement]) -> list[str]:
    """What is not alike, and what was not compared at all."""
    return [
        f"{name}: {each}"
        for name, each in found.items()
        if not each.shown
        or each.same_order + each.tied != each.answers
        or each.tied > MOST_TIED * each.answers
        or max(each.scores.values(), default=0.0) > TIE
    ]


def table(found: Mapping[str, Agreement]) -> Iterator[str]:
    yield "| asked | answers | passages | same ids | same order | ties | largest difference |"
    yield "|---|---:|---:|---:|---:|---:|---|"
    for name, each in found.items():
        differences = ", ".join(f"{of} {value:.1e}" for of, value in each.scores.items())
        yield (
            f"| {name} | {each.answers} | {each.shown} | {each.same_ids} | {each.same_order} "
            f"| {each.tied} | {differences or '–'} |"
        )


def questions_of(path: Path) -> list[str]:
    text = path.read_text("utf-8")
    rows = json.loads(text) if text.lstrip().startswith("[") else map(json.loads, text.splitlines())
    return [row["question"] for row in rows]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("workspace", type=Path)
    parser.add_argument("project", type=ProjectId.parse)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--url", required=True)
    parser.add_argument("--layout", type=IndexLayout, default=IndexLayout.PROJECT)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        here, there = Path(folder, "here"), Path(folder, "there")
        shutil.copytree(options.workspace, here)
        with closing(open_application(here)) as application:
            annotations = with_marks(application, options.project)
        shutil.copytree(here, there)
        place = IndexPlace(url=options.url, layout=options.layout)
        with closing(open_application(here)) as one, closing(open_application(there)) as other:
            moved(other, options.project, place)
            found = compare(one, other, options.project, questions_of(options.questions))
            other.projects.projects.delete(options.project)
    print(f"{options.project}, {options.layout}, {annotations} annotations\n")
    print("\n".join(table(found)))
    sys.exit(bool(disagreements(found)))


if __name__ == "__main__":
    main()
