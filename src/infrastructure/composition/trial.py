"""The composition root of an evaluation: an application whose files are a dataset's records."""

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from citeloom.application.evaluation.document_ranking import SearchRanker
from citeloom.application.evaluation.evaluate import RERANKED, Trial
from citeloom.application.evaluation.tuning import Tuner
from citeloom.domain.evaluation.dataset import Dataset, Record
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.search.fusion import Mode
from citeloom.infrastructure.composition.application import Application
from citeloom.infrastructure.evaluation.dataset_files import RecordFiles
from citeloom.infrastructure.evaluation.record_converter import RecordConverter
from citeloom.infrastructure.settings.sections import Settings
from citeloom.infrastructure.settings.settings import Configuration
from citeloom.infrastructure.system.workspace import Workspace


def source_of(dataset: Dataset, record: Record) -> str:
    """The path that stands for a record: injective, and one that no system would change."""
    name = quote(record.id, safe="", errors="surrogatepass")
    return str(Path(dataset.path) / (name.replace(".", "%2E") if name in (".", "..") else name))


@contextmanager
def open_trial(opened: Application, dataset: Dataset, keep: Path | None) -> Iterator[Trial]:
    """A project for ``dataset`` with the settings of ``opened``, in the folder ``keep`` or in
    one that is removed at the end."""
    with _folder(keep) as folder:
        records = {source_of(dataset, record): record for record in dataset.records}
        inner = Application(Workspace(folder), _local(opened.settings), owner="citeloom evaluate")
        inner.made["converter"] = RecordConverter(records)
        inner.made["files"] = RecordFiles(Path(dataset.path), records)
        try:
            sources = {path: record.id for path, record in records.items()}
            yield _trial(inner, dataset.name, sources, lasting=keep is not None)
        finally:
            inner.close()


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
            catalogue=application.catalogue,
            searcher=application.searcher,
            query=application.query,
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
        catalogue=application.catalogue,
        ingest=application.ingest,
        rankers=rankers,
        tuner=Tuner(
            ranker=rankers[Mode.HYBRID.value],
            rereader=rankers[RERANKED],
            searcher=application.searcher,
            catalogue=application.catalogue,
            project_id=project_id,
            lasting=lasting,
        ),
    )


def _project_name(dataset: str) -> str:
    """What of the folder's name a project can be called."""
    return re.sub(r"[^\w.-]+", "-", dataset).strip("._-") or "dataset"
