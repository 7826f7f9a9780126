"""In-process converter of plain text and simple Markdown (port ``Converter``).

For text-only installations and tests; it passes the contract tests of the port.
"""

import re
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path

from citeloom.application.ports.ingest import ConversionJob, ConversionOutcome, Heard
from citeloom.domain.documents.conversion import BlockLabel, ConversionResult
from citeloom.domain.errors import CiteLoomError, UnsupportedFormat
from citeloom.infrastructure.ingest.conversion import format_table
from citeloom.infrastructure.ingest.conversion.formats.assembly import (
    BlockPiece,
    assemble,
    pages_of,
    paragraphs,
)
from citeloom.infrastructure.ingest.conversion.formats.docling_formats import (
    identifiers_of,
    is_reference_heading,
)
from citeloom.infrastructure.ingest.conversion.formats.source_text import decode
from citeloom.infrastructure.ingest.conversion.sources import checked_format, read_content

# As a worker process may have by default.
_MEMORY_MB = 2048
_READABLE = (format_table.TEXT, format_table.MARKDOWN)
_HEADING = re.compile(r"(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*\Z")


class PlainTextConverter:
    """Reads ``.txt`` and ``.md``: paragraphs, ``#`` headings, form feeds as page breaks."""

    @property
    def fingerprint(self) -> str:
        return "plain-text rules=1"

    def is_current(self, fingerprint: str) -> bool:
        return fingerprint == self.fingerprint

    @property
    def capacity(self) -> str:
        return self.fingerprint

    @property
    def formats(self) -> Sequence[str]:
        return [one.name for one in _READABLE]

    def supports(self, source: Path) -> bool:
        return format_table.promised_format(source) in _READABLE

    def convert(
        self,
        jobs: Iterable[ConversionJob],
        on_pages: Heard | None = None,
    ) -> Generator[ConversionOutcome, None, None]:
        for job in jobs:
            started = time.monotonic()
            result: ConversionResult | None = None
            failure: CiteLoomError | None = None
            try:
                result = self._convert(job)
            except CiteLoomError as error:
                failure = error
            yield ConversionOutcome(
                job=job, result=result, error=failure, seconds=time.monotonic() - started
            )

    def _convert(self, job: ConversionJob) -> ConversionResult:
        source = job.source
        raw = read_content(source, job.document_id, _MEMORY_MB)
        format = checked_format(source, raw)
        if format not in _READABLE:
            raise UnsupportedFormat(
                f"{source.name}: {format.name} cannot be read as plain text; "
                "use the standard converter"
            )
        text, warning = decode(raw)
        pieces = paragraphs(text)
        if format is format_table.MARKDOWN:
            pieces = _with_headings(pieces)
        assembled = assemble(pieces, pages_of(text))
        headings = list(assembled.structure.headings())
        references = next((h for h in headings if is_reference_heading(h.title)), None)
        warnings = [warning] if warning else []
        if not assembled.blocks:
            warnings.append("the document holds no text")
        return ConversionResult(
            doc_id=job.document_id,
            structure=assembled.structure,
            plain_text=assembled.text,
            blocks=assembled.blocks,
            title=headings[0].title if headings and headings[0].level == 1 else None,
            identifiers=identifiers_of(
                (), assembled.text, references.span.start if references else None
            ),
            mime_type=format.mime,
            converter=self.fingerprint,
            warnings=tuple(warnings),
        )


def _with_headings(pieces: Iterable[BlockPiece]) -> Iterator[BlockPiece]:
    """A line after ``#`` is a heading, without an empty line around it too."""
    for piece in pieces:
        rows, start = piece.text.split("\n"), 0
        for end in range(len(rows) + 1):
            heading = _HEADING.match(rows[end]) if end < len(rows) else None
            if start < end and (heading or end == len(rows)):
                text = "\n".join(rows[start:end])
                yield BlockPiece(BlockLabel.TEXT, text, None, piece.places[start:end])
            if heading:
                place = piece.places[end : end + 1]
                yield BlockPiece(BlockLabel.SECTION_HEADER, heading[2], len(heading[1]), place)
                start = end + 1
