"""The verb *evaluate*: a data set ingested as a project of its own, or labelled claims."""

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from citeloom.domain.projects.project import ProjectId
from citeloom.domain.search.fusion import Mode
from citeloom.infrastructure.composition.application import Application
from citeloom.infrastructure.composition.workspace import Overrides, lazy
from citeloom.infrastructure.settings.sections import Settings
from citeloom.infrastructure.settings.settings import Configuration
from citeloom.infrastructure.system.workspace import Workspace
from citeloom_evaluation.application.document_ranking import SearchRanker
from citeloom_evaluation.application.evaluate import RERANKED, Evaluate, Trial
from citeloom_evaluation.application.evaluate_claims import EvaluateClaims
from citeloom_evaluation.application.tuning import Tuner
from citeloom_evaluation.domain.dataset import Dataset, Record
from citeloom_evaluation.infrastructure import RecordConverter, RecordFiles, read_beir, read_claims


class EvaluationVerbs:
    """Measures of search on judged questions, and of the judge on labelled claims."""

    def __init__(self, application: Application) -> None:
        self._stores = application.stores
        self._models = application.models
        self._verification = application.verification

    @lazy
    def evaluate(self) -> Evaluate:
        return Evaluate(
            read=read_beir,
            clock=self._stores.clock,
            trial=self.trial,
        )

    @lazy
    def claims(self) -> EvaluateClaims:
        return EvaluateClaims(
            read=read_claims,
            judge=self._verification.judge,
            embedder=self._models.embedder,
            default_model=self._stores.settings.embedding.default_model,
            clock=self._stores.clock,
        )

    @contextmanager
    def trial(self, dataset: Dataset, keep: Path | None) -> Iterator[Trial]:
        """A project for ``dataset`` with the settings of this application, in the folder
        ``keep`` or in one that is removed at the end."""
        with _folder(keep) as folder:
            records = {source_of(dataset, record): record for record in dataset.records}
            overrides = Overrides(
                converter=RecordConverter(records), files=RecordFiles(Path(dataset.path), records)
            )
            settings = _local(self._stores.settings)
            application = Application(
                Workspace(folder), settings, owner="citeloom evaluate", overrides=overrides
            )
            try:
                sources = {path: record.id for path, record in records.items()}
                yield _trial(application, dataset.name, sources, lasting=keep is not None)
            finally:
                application.close()


def source_of(dataset: Dataset, record: Record) -> str:
    """The path that stands for a record: injective, and one that no system would change."""
    name = quote(record.id, safe="", errors="surrogatepass")
    return str(Path(dataset.path) / (name.replace(".", "%2E") if name in (".", "..") else name))


def _local(settings: Settings) -> Configuration:
    """The same settings without an index server: a trial leaves nothing behind there."""
    index = settings.index.model_copy(update={"url": ""})
    return Configuration(settings.model_copy(update={"index": index}), {})


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        yield keep.expanduser().absolute()
        return
    with tempfile.TemporaryDirectory(prefix="citeloom-evaluate-") as temporary:
        yield Path(temporary)


def _trial(
    application: Application, name: str, sources: Mapping[str, str], *, lasting: bool
) -> Trial:
    project_id = ProjectId.parse(_project_name(name))
    rankers = {
        f"{mode.value}+rerank" if rerank else mode.value: SearchRanker(
            catalogue=application.stores.catalogue,
            searcher=application.search.searcher,
            query=application.search.query,
            project_id=project_id,
            mode=mode,
            rerank=rerank,
        )
        for mode, rerank in (
            (Mode.DENSE, False),
            (Mode.SPARSE, False),
            (Mode.HYBRID, False),
            (Mode.HYBRID, True),
        )
    }
    return Trial(
        project_id=project_id,
        sources=sources,
        catalogue=application.stores.catalogue,
        ingest=application.ingest.files,
        rankers=rankers,
        tuner=Tuner(
            ranker=rankers[Mode.HYBRID.value],
            rereader=rankers[RERANKED],
            searcher=application.search.searcher,
            catalogue=application.stores.catalogue,
            project_id=project_id,
            lasting=lasting,
        ),
    )


def _project_name(dataset: str) -> str:
    return re.sub(r"[^\w.-]+", "-", dataset).strip("._-") or "dataset"
