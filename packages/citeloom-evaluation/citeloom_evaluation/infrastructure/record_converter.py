"""Converter of dataset records, which are text already (port ``Converter``)."""

import re
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from citeloom.application.ports.ingest import ConversionJob, ConversionOutcome, Heard
from citeloom.domain.documents.conversion import BlockLabel, ConversionResult
from citeloom.infrastructure.ingest.conversion.formats.assembly import BlockPiece, assemble, clean
from citeloom_evaluation.domain.dataset import Record

_PARAGRAPH_BREAK = re.compile(r"\n[^\S\n]*\n")


class RecordConverter:
    """Converts the records whose sources are the keys of ``records``, in this process."""

    def __init__(self, records: Mapping[str, Record]) -> None:
        self._records = records

    @property
    def fingerprint(self) -> str:
        return "record rules=1"

    def is_current(self, fingerprint: str) -> bool:
        return fingerprint == self.fingerprint

    @property
    def capacity(self) -> str:
        return self.fingerprint

    @property
    def formats(self) -> Sequence[str]:
        return ["record"]

    def supports(self, source: Path) -> bool:
        return str(source) in self._records

    def convert(
        self,
        jobs: Iterable[ConversionJob],
        on_pages: Heard | None = None,  # noqa: ARG002 (it is done at once)
    ) -> Generator[ConversionOutcome, None, None]:
        for job in jobs:
            started = time.monotonic()
            result = self._convert(job)
            yield ConversionOutcome(job=job, result=result, seconds=time.monotonic() - started)

    def _convert(self, job: ConversionJob) -> ConversionResult:
        record = self._records[str(job.source)]
        assembled = assemble(_pieces(record))
        return ConversionResult(
            doc_id=job.document_id,
            structure=assembled.structure,
            plain_text=assembled.text,
            blocks=assembled.blocks,
            title=clean(record.title) or None,
            mime_type="text/plain",
            converter=self.fingerprint,
        )


def _pieces(record: Record) -> Iterator[BlockPiece]:
    yield BlockPiece(BlockLabel.TITLE, record.title)
    for paragraph in _PARAGRAPH_BREAK.split(record.text.replace("\r\n", "\n")):
        yield BlockPiece(BlockLabel.TEXT, paragraph)
