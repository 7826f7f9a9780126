"""Retrieval datasets (records, questions, relevance judgments) and evaluation results."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import ConfigDict, Field

from citeloom.domain.value import Value

#: Cut-off of a ranking, in documents.
DEPTH = 100


@dataclass(frozen=True, slots=True)
class Record:
    """A document of a dataset; ``id`` is the dataset's own id."""

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

    ``path`` is the corpus file. ``judgments`` are restricted to known questions and records;
    ``warnings`` say what was left out.
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
    """Means over all questions, each in 0..1. ``mrr`` is over the first 100 documents.

    nDCG with the relevance itself as gain and log2 discount (Järvelin & Kekäläinen 2002), as
    trec_eval and BEIR compute it.
    """

    ndcg_10: float = Field(alias="ndcg@10")
    recall_10: float = Field(alias="recall@10")
    recall_100: float = Field(alias="recall@100")
    mrr: float


class ModeFigures(Quality):
    """Quality, and the end-to-end latency of a warm query in milliseconds."""

    p50_ms: float
    p95_ms: float


class TuningReport(Value):
    """Outcome of a search for weights: nDCG@10 with the weights ``before`` and ``after`` on
    training and held-out questions.

    ``kept`` is True if the new weights were written to the project: only if they are no worse
    on the held-out questions.
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
    """Ingest statistics of this run."""

    added: int
    unchanged: int
    failed: int
    chunks: int
    seconds: float


class EvaluationResult(Value):
    """``documents`` and ``queries`` count the dataset. ``tuning`` is of the fusion weights,
    ``rerank_tuning`` of the reranker weight."""

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
