"""Where local programs learn of a server: ``serve.json`` in the workspace."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from citeloom.infrastructure.system.atomic_files import write_atomic
from citeloom.infrastructure.system.locks.processes import process_runs

NAME: Final = "serve.json"
_OWNER_ONLY: Final = 0o600


@contextmanager
def told_in(folder: Path, url: str, secret: str | None) -> Iterator[None]:
    """The file is there while the block runs; of several servers that of the last, and when that
    ends the one before. Only its owner can read it."""
    path = folder / NAME
    before = _read(path)
    own = {"url": url, "secret": secret, "pid": os.getpid(), "workspace": _workspace(folder)}
    folder.mkdir(parents=True, exist_ok=True)
    _write(path, own)
    try:
        yield
    finally:
        with suppress(OSError):
            if _read(path) == own:
                if before is not None and _serves(before, folder):
                    _write(path, before)
                else:
                    path.unlink()


def secret_of_others(folder: Path) -> str | None:
    """The secret of a server of this workspace that runs: behind one address several must show
    the same."""
    known = _read(folder / NAME)
    if known is None or not _serves(known, folder):
        return None
    return str(known["secret"]) if known.get("secret") else None


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _write(path: Path, told: dict[str, Any]) -> None:
    write_atomic(path, json.dumps(told, indent=1).encode() + b"\n", _OWNER_ONLY)


def _serves(told: dict[str, Any], folder: Path) -> bool:
    """Whether the server runs, and serves this workspace: a copy of a folder has its file too."""
    pid = told.get("pid")
    own = told.get("workspace") == _workspace(folder)
    return own and isinstance(pid, int) and process_runs(pid)


def _workspace(folder: Path) -> str:
    return str(folder.resolve().parent)
