"""Mutated PDFs through the conversion workers."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from fuzz.pdf_mutation import mutated

from citeloom.application.ports.ingest import ConversionJob, ConversionOutcome
from citeloom.domain.errors import ConversionTimeout, DocumentFailed
from citeloom.infrastructure.ingest.conversion.pool import ProcessConverter
from citeloom.infrastructure.ingest.conversion.protocol import Limits, Options


class Mutant(NamedTuple):
    """``original`` changed by ``seed``."""

    original: Path
    seed: int


def failures(mutants: Iterable[Mutant], folder: Path) -> Iterator[tuple[Mutant, str]]:
    """Mutants whose conversion ends in neither a result nor a documented error, with what
    happened: a crash of the worker, an exception that nobody foresaw, a time limit."""
    converter = ProcessConverter(
        jobs=1, limits=Limits(document=60, page=2, stall=60), options=Options(ocr="none")
    )
    by_path: dict[Path, Mutant] = {}

    def jobs() -> Iterator[ConversionJob]:
        for number, one in enumerate(mutants):
            path = folder / f"{number}.pdf"
            content = mutated(one.original.read_bytes(), one.seed)
            path.write_bytes(content)
            by_path[path] = one
            yield ConversionJob(source=path, document_id=sha256(content).hexdigest())

    for outcome in converter.convert(jobs()):
        if told := _failure(outcome):
            yield by_path[outcome.job.source], told
        outcome.job.source.unlink()


def _failure(outcome: ConversionOutcome) -> str | None:
    error = outcome.error
    if error is None:
        return None
    foreseen = isinstance(error, DocumentFailed) and not isinstance(error, ConversionTimeout)
    # "cannot be parsed": pdfium opened the file, and then not its copy or not one page.
    told = (
        error.details.keys() & {"exception", "exit_reason"} or "cannot be parsed" in error.message
    )
    if foreseen and not told:
        return None
    return f"{error.message} {error.details.get('stderr', '')}"
