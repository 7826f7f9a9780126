"""Content of a source file, read once and held against its digest."""

import hashlib
from pathlib import Path

from citeloom.domain.errors import ConversionFailed, SourceChanged


def read_content(source: Path, digest: str) -> bytes:
    """The whole content of ``source``, which has the sha256 ``digest``.

    Raises SourceChanged if it has another one: the file was replaced, or written to while it was
    read; ConversionFailed if it cannot be read.
    """
    try:
        content = source.read_bytes()
    except OSError as error:
        raise ConversionFailed(
            f"{source.name}: cannot be read ({error.strerror or error}); "
            "check that the file exists and that you may read it",
            path=str(source),
        ) from error
    if hashlib.sha256(content).hexdigest() != digest:
        raise SourceChanged(
            f"{source.name}: changed after it was found, or while it was read; "
            "run it again once nothing writes to it"
        )
    return content
