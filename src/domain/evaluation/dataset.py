"""Evaluation: a collection of documents with questions and judgments, and what was measured."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import ConfigDict, Field

from citeloom.domain.value import Value

#: How many documents of a ranking are measured.
DEPTH = 100


@dataclass(frozen=True, slots=True)
class Record:
    """A document of a dataset; ``id`` is the dataset's own name for it."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    text: str


#: Question id to record id to relevance: above 0 is relevant.
Judgments = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Dataset:
    """Documents, and the questions that have at least one relevant document.

    ``path`` names where the documents lie. ``judgments`` hold known questions and known
    documents only; ``warnings`` say what was left out.
    """

    name: str
    path: str
    records: tuple[Record, ...]
    questions: tuple[Question, ...]
    judgments: Judgments
    warnings: tuple[str, ...] = ()


class _Figures(Value):
    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)


class Quality(_Figures):
    """Means over all questions, each in 0..1. ``mrr`` looks at the first hundred documents.

    nDCG with the relevance itself as gain and log2 discount (Järvelin & Kekäläinen 2002), as
    trec_eval and BEIR compute it.
    """

    ndcg_10: float = Field(alias="ndcg@10")
    recall_10: float = Field(alias="recall@10")
    recall_100: float = Field(alias="recall@100")
    mrr: float


class ModeFigures(Quality):
    """Quality, and how long one warm query takes as a user asks it, in milliseconds."""

    p50_ms: float
    p95_ms: float


class TuningReport(Value):
    """What a search for weights found.

    The nDCG@10 of the weights ``before`` and ``after`` on the questions that were searched on
    (``train``) and on the others (``held_out``). ``kept`` tells whether the new weights were
    written to the project: only where they are no worse on the others.
    """

    before: Mapping[str, float]
    after: Mapping[str, float]
    train_queries: int
    held_out_queries: int
    train_before: float
    train_after: float
    held_out_before: float
    held_out_after: float
    kept: bool


class IngestFigures(Value):
    """How the documents got into the project; the numbers count this run."""

    added: int
    unchanged: int
    failed: int
    chunks: int
    seconds: float


class EvaluationResult(Value):
    """What was measured: ``documents`` and ``queries`` are those of the dataset. ``tuning`` is
    about the weights of the fusion, ``rerank_tuning`` about that of reranking."""

    dataset: str
    project: str
    model: str
    documents: int
    queries: int
    modes: Mapping[str, ModeFigures]
    ingest: IngestFigures
    tuning: TuningReport | None = None
    rerank_tuning: TuningReport | None = None
    warnings: tuple[str, ...] = ()
