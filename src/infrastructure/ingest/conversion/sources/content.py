"""Content of a source file, read once and held against its digest."""

import hashlib
from pathlib import Path

from citeloom.domain.errors import ConversionFailed, DocumentTooLarge, SourceChanged
from citeloom.domain.text.phrasing import sized
from citeloom.infrastructure.ingest.conversion import format_table

# Text and markup become some fifty times as much in memory (measured: 30 MB of Word paragraphs
# need more than 2 GB); a PDF is read as it lies on the disk, and at times once more.
_TEXT_SHARE = 64
_FILE_SHARE = 2


def most_text(memory_mb: int) -> int:
    """Bytes of text and markup that are read with ``memory_mb`` megabytes."""
    return memory_mb * 2**20 // _TEXT_SHARE


def read_content(source: Path, digest: str, memory_mb: int) -> bytes:
    """The whole content of ``source``, which has the sha256 ``digest``.

    Raises SourceChanged if it has another one: the file was replaced, or written to while it was
    read; DocumentTooLarge if it is larger than can be converted with ``memory_mb`` megabytes;
    ConversionFailed if it cannot be read.
    """
    promised = format_table.promised_format(source)
    is_text = promised is not None and promised.text
    most = most_text(memory_mb) if is_text else memory_mb * 2**20 // _FILE_SHARE
    try:
        with source.open("rb") as file:
            content = file.read(most + 1)
            size = len(content) if len(content) <= most else file.seek(0, 2)
    except OSError as error:
        raise ConversionFailed(
            f"{source.name}: cannot be read ({error.strerror or error}); "
            "check that the file exists and that you may read it",
            path=str(source),
        ) from error
    if size > most:
        what = " of text" if is_text else ""
        raise DocumentTooLarge(
            f"{source.name}: {sized(size)}{what}, more than {sized(most)}, is too much to convert; "
            "split it, or raise ingest.worker_memory_mb"
        )
    if hashlib.sha256(content).hexdigest() != digest:
        raise SourceChanged(
            f"{source.name}: changed after it was found, or while it was read; "
            "run it again once nothing writes to it"
        )
    return content
