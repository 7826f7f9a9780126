"""Media types of files that are handed over."""

import mimetypes
from pathlib import Path


def mime_type_of(path: Path) -> str:
    return mimetypes.guess_type(path.name)[0] or "application/octet-stream"
