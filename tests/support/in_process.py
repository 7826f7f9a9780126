"""The converter's conversions without its processes; vectors of texts that come again."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from citeloom.application.ports.ingest import ConversionJob, ConversionOutcome, Heard
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import CiteLoomError
from citeloom.infrastructure.ingest.conversion.convert import convert_file
from citeloom.infrastructure.ingest.conversion.format_table import promised_format
from citeloom.infrastructure.ingest.conversion.pool import ProcessConverter
from citeloom.infrastructure.ingest.conversion.protocol import Options
from citeloom.infrastructure.models.embedding.bundled_embedder import BundledEmbedder


class InProcess:
    """Converts each file once; ``results`` are by document id. Scanned pages are not read."""

    fingerprint = "in process"
    capacity = "all there is"
    formats = ("PDF",)

    def __init__(self) -> None:
        self.results: dict[str, ConversionResult] = {}

    def is_current(self, fingerprint: str) -> bool:
        return fingerprint == self.fingerprint

    def supports(self, source: Path) -> bool:
        return promised_format(source) is not None

    def convert(
        self, jobs: Iterable[ConversionJob], on_pages: Heard | None = None
    ) -> Generator[ConversionOutcome, None, None]:
        for job in jobs:
            try:
                if job.document_id not in self.results:
                    self.results[job.document_id] = convert_file(
                        job.source, job.document_id, options=Options(ocr="none")
                    )
            except CiteLoomError as error:
                yield ConversionOutcome(job=job, error=error)
            else:
                yield ConversionOutcome(job=job, result=self.results[job.document_id])


def convert_here(
    converter: ProcessConverter, jobs: Iterable[ConversionJob], on_pages: Heard | None = None
) -> Generator[ConversionOutcome, None, None]:
    """In place of ``ProcessConverter.convert``: the same results, without a worker to start."""
    for job in jobs:
        try:
            result = convert_file(
                job.source, job.document_id, job.password, options=converter.options
            )
        except CiteLoomError as error:
            yield ConversionOutcome(job=job, error=error)
        else:
            name = f"{converter.fingerprint} {result.converter}".strip()
            yield ConversionOutcome(job=job, result=result.model_copy(update={"converter": name}))


_computed = BundledEmbedder._vector
_vectors: dict[tuple[int, ...], Sequence[float]] = {}


def vector_once(embedder: BundledEmbedder, ids: Sequence[int]) -> Sequence[float]:
    """In place of ``BundledEmbedder._vector``: the same papers are ingested by many tests, and a
    vector depends on nothing but its text."""
    key = tuple(ids)
    if key not in _vectors:
        _vectors[key] = _computed(embedder, ids)
    return _vectors[key]


@contextmanager
def without_processes() -> Iterator[None]:
    """Applications of this process convert here and embed each text once."""
    with (
        mock.patch.object(ProcessConverter, "convert", convert_here),
        mock.patch.object(BundledEmbedder, "_vector", vector_once),
    ):
        yield
