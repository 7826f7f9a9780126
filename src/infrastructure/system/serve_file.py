"""The file that names the server of a workspace: address, secret, what its answers depend on.

A command reads it before all else, so this module imports little.
"""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from .processes import process_runs
from .workspace import SETTINGS, WORKSPACE_VARIABLE

NAME: Final = "serve.json"
_OWNER_ONLY: Final = 0o600


@contextmanager
def told_in(folder: Path, url: str, secret: str | None) -> Iterator[None]:
    """The file is there while the block runs; of several servers that of the last, and when that
    ends the one before. Only its owner can read it."""
    path = folder / NAME
    before = _read(path)
    root = _workspace(folder)
    own = {"url": url, "secret": secret, "pid": os.getpid(), "workspace": root}
    own["answers_as"] = answers_as(folder)
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


def server_of(folder: Path) -> dict[str, Any] | None:
    """What the file says of a server of this workspace that runs."""
    known = _read(folder / NAME)
    return known if known is not None and _serves(known, folder) else None


def secret_of_others(folder: Path) -> str | None:
    """The secret of a server of this workspace that runs: behind one address several must show
    the same."""
    known = server_of(folder) or {}
    return str(known["secret"]) if known.get("secret") else None


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _write(path: Path, told: dict[str, Any]) -> None:
    from .files import write_atomic

    write_atomic(path, json.dumps(told, indent=1).encode() + b"\n", _OWNER_ONLY)


def _serves(told: dict[str, Any], folder: Path) -> bool:
    """Whether the server runs, and serves this workspace: a copy of a folder has its file too."""
    pid = told.get("pid")
    own = told.get("workspace") == _workspace(folder)
    return own and isinstance(pid, int) and process_runs(pid)


def _workspace(folder: Path) -> str:
    return str(folder.resolve().parent)


# Of the environment, with ``CITELOOM_``: where models and the user's workspace are.
_FOLDERS: Final = frozenset({"HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "APPDATA", "LOCALAPPDATA"})
_PREFIX: Final = "CITELOOM_"
# Settings of servers alone: a command does not read them.
_OF_SERVERS: Final = (f"{_PREFIX}MCP__", f"{_PREFIX}SERVE__", f"{_PREFIX}LOG__", WORKSPACE_VARIABLE)


def answers_as(folder: Path) -> str | None:
    """Digest of what the answers of this process depend on beside the library: the installation
    and the settings. None where a ``.env`` is in the current folder, which is not compared."""
    from hashlib import sha256

    if os.path.lexists(".env"):
        return None
    package = Path(__file__).resolve().parents[2] / "__init__.py"
    installed, settings = package.stat(), folder.resolve().parent / SETTINGS
    variables = sorted(
        (name.upper(), value)
        for name, value in os.environ.items()
        if name in _FOLDERS or name.upper().startswith(_PREFIX)
        if not name.upper().startswith(_OF_SERVERS)
    )
    try:
        written = settings.read_text("utf-8") if settings.is_file() else ""
    except (OSError, ValueError):
        return None
    parts = (sys.prefix, str(package), installed.st_ino, installed.st_mtime_ns, variables, written)
    return sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()
