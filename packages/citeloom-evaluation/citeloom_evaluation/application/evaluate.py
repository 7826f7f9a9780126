"""The verb *evaluate*: retrieval quality and latency on a data set of judged questions.

The documents of the data set are ingested and its questions asked through the product's own
verbs. A document is ranked by its best passage.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from citeloom.application.ingest.ingest import Ingest
from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.ingest import Progress, SilentProgress
from citeloom.application.ports.system import Clock
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.ingest import DocumentStatus, IngestRequest, IngestResult
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.value import Value
from citeloom_evaluation.domain.claim_quality import LabelledClaim
from citeloom_evaluation.domain.dataset import (
    DEPTH,
    Dataset,
    EvaluationResult,
    IngestFigures,
    Judgments,
    ModeFigures,
)
from citeloom_evaluation.domain.ranking_quality import ranking_quality

from .document_ranking import Ranker, Records
from .tuning import Tuner

#: The dataset of judged questions in a folder, with the judgments of a split (None: the default
#: split). Raises InvalidSource with file, line and reason, also if no question is judged.
DatasetReader = Callable[[Path, str | None], Dataset]
#: The labelled claims in a file. Raises InvalidSource with file, line and reason, also if there is
#: no claim.
ClaimReader = Callable[[Path], tuple[LabelledClaim, ...]]


#: The ranker with a reranker.
RERANKED = "hybrid+rerank"
# Questions asked once more for timing, evenly spread.
_TIMED = 200
_WARM_UP = 3


class EvaluationRequest(Value):
    """A data set to evaluate. ``modes`` are names of rankers (none: all); ``limit`` takes the
    first questions. ``tune`` searches fusion weights, and the reranking weight if its mode is
    measured, on half of the questions or on those of ``tune_split``. ``keep`` is a folder for
    the project, which is temporary otherwise."""

    dataset: Path
    split: str | None = None
    modes: tuple[str, ...] = ()
    limit: int | None = None
    tune: bool = False
    tune_split: str | None = None
    model: str | None = None
    sentences: bool | None = None
    keep: Path | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """A separate project for a data set, with its rankers by name.

    ``sources`` are record ids by the paths under which they are ingested.
    """

    project_id: ProjectId
    sources: Mapping[str, str]
    catalogue: Catalogue
    ingest: Ingest
    rankers: Mapping[str, Ranker]
    tuner: Tuner


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluate:
    """Ingests a data set, asks its questions in each mode, measures quality and latency."""

    read: DatasetReader
    clock: Clock
    trial: Callable[[Dataset, Path | None], AbstractContextManager[Trial]]

    def __call__(
        self, request: EvaluationRequest, progress: Progress | None = None
    ) -> EvaluationResult:
        """Raises InvalidSource, InvalidRequest, and what ingest and query raise."""
        progress = progress or SilentProgress()
        dataset = _limited(self.read(request.dataset, request.split), request.limit)
        train = self._training(request)
        with self.trial(dataset, request.keep) as trial:
            modes = _modes(request.modes, trial.rankers)
            ingested = trial.ingest(
                IngestRequest(
                    project_id=trial.project_id,
                    sources=(dataset.path,),
                    model=request.model,
                    sentences=request.sentences,
                    prune=True,
                ),
                progress,
            )
            records = records_of(trial)
            figures = {}
            for mode in modes:
                progress.notice(f"asking {len(dataset.questions)} questions: {mode}")
                figures[mode] = self._measure(dataset, trial.rankers[mode], records)
            tuning = look = None
            if request.tune:
                progress.notice("searching weights")
                tuning = trial.tuner(dataset, train, records)
            if request.tune and RERANKED in modes:
                progress.notice("searching for the weight of reranking")
                look = trial.tuner.second_look(dataset, train, records)
            project = trial.catalogue.project(trial.project_id)
        return EvaluationResult(
            dataset=dataset.name,
            project=project.id.value,
            model=project.embedding_model.name,
            documents=len(dataset.records),
            queries=len(dataset.questions),
            modes=figures,
            ingest=_ingest_figures(ingested),
            tuning=tuning,
            rerank_tuning=look,
            warnings=dataset.warnings + _failures(ingested),
        )

    def _training(self, request: EvaluationRequest) -> Dataset | None:
        """The data set of the split for tuning, if one is named."""
        if not request.tune or request.tune_split is None:
            return None
        if request.tune_split == request.split:
            raise InvalidRequest(
                f"tuning on {request.tune_split}: these questions are also measured; "
                "name another split, or leave it out to tune on half of the questions",
                parameter="tune_split",
            )
        return self.read(request.dataset, request.tune_split)

    def _measure(self, dataset: Dataset, ranker: Ranker, records: Records) -> ModeFigures:
        rankings = {
            question.id: ranker.rank(question.text, DEPTH, records)
            for question in dataset.questions
        }
        quality = ranking_quality(dataset.judgments, rankings)
        times = self._times(dataset, ranker)
        return ModeFigures(
            **quality.model_dump(),
            p50_ms=_percentile(times, 0.50),
            p95_ms=_percentile(times, 0.95),
        )

    def _times(self, dataset: Dataset, ranker: Ranker) -> list[float]:
        """Latencies of warm queries in milliseconds, ascending."""
        step = max(1, len(dataset.questions) // _TIMED)
        texts = [question.text for question in dataset.questions[::step]]
        for text in texts[:_WARM_UP]:
            ranker.ask(text)
        times = []
        for text in texts:
            began = self.clock.monotonic()
            ranker.ask(text)
            times.append(1000 * (self.clock.monotonic() - began))
        return sorted(times)


def _limited(dataset: Dataset, limit: int | None) -> Dataset:
    if limit is None:
        return dataset
    if limit < 1:
        raise InvalidRequest("limit of queries: at least 1", parameter="limit")
    questions = dataset.questions[:limit]
    judgments: Judgments = {one.id: dataset.judgments[one.id] for one in questions}
    return replace(dataset, questions=questions, judgments=judgments)


def _modes(requested: Sequence[str], rankers: Mapping[str, Ranker]) -> list[str]:
    if unknown := [mode for mode in requested if mode not in rankers]:
        raise InvalidRequest(
            f"modes {', '.join(unknown)}: not known; choose from {', '.join(rankers)}",
            parameter="modes",
        )
    return [mode for mode in rankers if not requested or mode in requested]


def records_of(trial: Trial) -> Records:
    """The records by document id; records with equal content share a document."""
    return {
        document.document_id: [
            trial.sources[source.path]
            for source in document.sources
            if source.path in trial.sources
        ]
        for document in trial.catalogue.documents(trial.project_id)
    }


def _ingest_figures(result: IngestResult) -> IngestFigures:
    unchanged = [d for d in result.documents if d.status is DocumentStatus.UNCHANGED]
    return IngestFigures(
        added=len(result.documents) - len(unchanged) - len(result.failed),
        unchanged=len(unchanged),
        failed=len(result.failed),
        chunks=result.chunks_total,
        seconds=result.duration_seconds,
    )


def _failures(result: IngestResult) -> tuple[str, ...]:
    return tuple(f"failed: {document.error}" for document in result.failed)


def _percentile(ascending: Sequence[float], share: float) -> float:
    """The nearest-rank percentile."""
    place = max(0, min(len(ascending) - 1, round(share * len(ascending) + 0.5) - 1))
    return round(ascending[place], 2)
