"""Where local programs learn of a server: ``serve.json`` in the workspace."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from citeloom.infrastructure.system.atomic_files import write_atomic

NAME: Final = "serve.json"
_OWNER_ONLY: Final = 0o600


@contextmanager
def told_in(folder: Path, url: str, secret: str | None) -> Iterator[None]:
    """The file is there while the block runs; of several servers that of the last. Only its owner
    can read it."""
    path = folder / NAME
    own = {"url": url, "secret": secret, "pid": os.getpid()}
    folder.mkdir(parents=True, exist_ok=True)
    write_atomic(path, json.dumps(own, indent=1).encode() + b"\n", _OWNER_ONLY)
    try:
        yield
    finally:
        with suppress(OSError, ValueError):
            if json.loads(path.read_text("utf-8")) == own:
                path.unlink()
