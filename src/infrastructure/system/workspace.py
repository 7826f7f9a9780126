"""The folder where everything of a user's library is kept, and how it is found."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from citeloom.infrastructure.system.failure_messages import storage_failed

HOME = ".citeloom"
SETTINGS = "citeloom.toml"


class Workspace:
    """The layout of ``ROOT/.citeloom/``. Naming a path creates nothing; ``make_folder``
    does, and is called by whoever writes first."""

    def __init__(self, root: Path) -> None:
        self.root = root.parent if root.name == HOME else root

    @property
    def home(self) -> Path:
        return self.root / HOME

    @property
    def catalogue(self) -> Path:
        return self.home / "catalogue.sqlite"

    @property
    def catalogue_url(self) -> str:
        return f"sqlite:///{self.catalogue}"

    @property
    def maps(self) -> Path:
        return self.home / "maps"

    @property
    def bundles(self) -> Path:
        return self.home / "bundles"

    @property
    def index(self) -> Path:
        return self.home / "index"

    @property
    def evidence(self) -> Path:
        return self.home / "evidence"

    @property
    def logs(self) -> Path:
        return self.home / "logs"

    @property
    def audit_log(self) -> Path:
        return self.logs / "audit.jsonl"


def find_workspace(start: Path, explicit: Path | None = None) -> Workspace:
    """The workspace named by ``explicit``; else the nearest folder from ``start`` upwards
    that holds ``citeloom.toml``; else the user's data folder."""
    if explicit is not None:
        return Workspace(_absolute(explicit.expanduser()))
    folder = _absolute(start)
    for candidate in (folder, *folder.parents):
        if (candidate / SETTINGS).is_file():
            return Workspace(candidate)
    return Workspace(user_data_folder())


def user_data_folder(
    environment: Mapping[str, str] = os.environ, platform: str = sys.platform
) -> Path:
    """Where applications keep a user's data: ``%APPDATA%`` on Windows, ``Library`` on
    macOS, elsewhere ``$XDG_DATA_HOME`` (XDG Base Directory Specification 0.8; a relative
    value is to be ignored)."""
    if platform == "win32":
        named = environment.get("APPDATA")
        return (Path(named) if named else Path.home() / "AppData" / "Roaming") / "citeloom"
    if platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "citeloom"
    named = environment.get("XDG_DATA_HOME")
    base = Path(named) if named and Path(named).is_absolute() else Path.home() / ".local/share"
    return base / "citeloom"


def user_cache_folder(
    environment: Mapping[str, str] = os.environ, platform: str = sys.platform
) -> Path:
    """Where applications keep what can be had again: ``%LOCALAPPDATA%`` on Windows,
    ``Library/Caches`` on macOS, elsewhere ``$XDG_CACHE_HOME`` (XDG Base Directory
    Specification 0.8; a relative value is to be ignored)."""
    if platform == "win32":
        named = environment.get("LOCALAPPDATA")
        return (Path(named) if named else Path.home() / "AppData" / "Local") / "citeloom"
    if platform == "darwin":
        return Path.home() / "Library" / "Caches" / "citeloom"
    named = environment.get("XDG_CACHE_HOME")
    base = Path(named) if named and Path(named).is_absolute() else Path.home() / ".cache"
    return base / "citeloom"


def make_folder(folder: Path) -> Path:
    """Create ``folder`` and what is missing above it. A new ``.citeloom`` keeps itself out
    of version control. Raises StorageFailed."""
    if folder.is_dir():
        return folder
    home = next((one for one in (folder, *folder.parents) if one.name == HOME), None)
    fresh = home is not None and not home.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if home is not None and fresh:
            (home / ".gitignore").write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise storage_failed(folder, error, "created") from error
    return folder


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))
