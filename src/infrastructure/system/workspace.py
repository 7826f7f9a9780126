"""Folder layout of a workspace, and where it is found."""

import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citeloom.domain.errors import ConfigurationError
    from citeloom.domain.projects.project import ProjectId

WORKSPACE_VARIABLE = "CITELOOM_WORKSPACE"
HOME = ".citeloom"
SETTINGS = "citeloom.toml"
UPLOADS = "uploads"


class Workspace:
    """The layout of ``ROOT/.citeloom/``. Paths are not created; the first writer calls
    ``make_folder``."""

    def __init__(self, root: Path) -> None:
        self.root = root.parent if root.name == HOME else root
        self.home = self.root / HOME
        self.catalogue = self.home / "catalogue.sqlite"
        self.catalogue_url = f"sqlite:///{self.catalogue}"
        self.maps = self.home / "maps"
        self.bundles = self.home / "bundles"
        self.index = self.home / "index"
        self.backups = self.home / "backups"
        self.evidence = self.home / "evidence"
        #: Where evidence is in a storage that machines share.
        self.shared_evidence = "evidence"
        self.papers = self.home / "cache" / "papers"
        self.locks = self.home / "locks"
        self.last_question = self.home / "last_question.json"
        self.findings = self.home / "verified" / "findings.jsonl"
        self.vector_cache = self.home / "cache" / "vectors.sqlite"
        self.lookups = self.home / "cache" / "lookups"
        self.logs = self.home / "logs"
        self.ingest_journal = self.logs / "ingests.jsonl"


def upload_folder(root: Path, project_id: "ProjectId") -> Path:
    """The folder of files that are sent to a project or fetched for it. Each has its own: of
    ``a-b/c`` and ``a/b-c`` the first has a folder ``a-b~c``, which no other id gives."""
    between = "~" if "-" in project_id.namespace else "-"
    return root / UPLOADS / f"{project_id.namespace}{between}{project_id.name}"


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


def served_workspace(named: Path | None) -> Path | None:
    """The workspace ``named`` for a server. A server creates no workspace, because a mistyped
    folder would be an empty library. Raises ConfigurationError if the folder does not exist."""
    if named is None:
        return None
    from citeloom.domain.errors import ConfigurationError

    root = find_workspace(Path(), named).root
    if root.is_dir() or root == user_data_folder():
        return named
    reason = "is not a folder" if root.exists() else "the folder does not exist"
    raise ConfigurationError(
        f"{root}: {reason}, so it is not a workspace; name the folder that holds the ingested "
        "papers, or make it",
        workspace=str(root),
    )


def user_data_folder(
    environment: Mapping[str, str] = os.environ, platform: str = sys.platform
) -> Path:
    """The platform's folder of application data: ``%APPDATA%`` on Windows, ``Library`` on macOS,
    elsewhere ``$XDG_DATA_HOME`` (XDG Base Directory Specification 0.8; a relative value is
    ignored)."""
    if platform == "win32":
        value = environment.get("APPDATA")
        return (Path(value) if value else home_folder() / "AppData" / "Roaming") / "citeloom"
    if platform == "darwin":
        return home_folder() / "Library" / "Application Support" / "citeloom"
    value = environment.get("XDG_DATA_HOME")
    base = Path(value) if value and Path(value).is_absolute() else home_folder() / ".local/share"
    return base / "citeloom"


def has_home() -> bool:
    """Whether the user has a home; a container may run with any user id."""
    try:
        Path.home()
    except RuntimeError:
        return False
    return True


def home_folder() -> Path:
    """The user's home. Raises ConfigurationError without one."""
    if not has_home():
        raise no_home()
    return Path.home()


def no_home() -> "ConfigurationError":
    from citeloom.domain.errors import ConfigurationError

    return ConfigurationError(
        "there is no home folder: HOME is not set, and this user id has no entry in the password "
        "database; set HOME, or name a workspace with --workspace or CITELOOM_WORKSPACE"
    )


def user_cache_folder() -> Path:
    """The platform's cache folder: ``%LOCALAPPDATA%`` on Windows, ``Library/Caches`` on macOS,
    elsewhere ``$XDG_CACHE_HOME`` (XDG Base Directory Specification 0.8; a relative value is
    ignored)."""
    if sys.platform == "win32":
        value = os.environ.get("LOCALAPPDATA")
        return (Path(value) if value else home_folder() / "AppData" / "Local") / "citeloom"
    if sys.platform == "darwin":
        return home_folder() / "Library" / "Caches" / "citeloom"
    value = os.environ.get("XDG_CACHE_HOME")
    base = Path(value) if value and Path(value).is_absolute() else home_folder() / ".cache"
    return base / "citeloom"


def make_folder(folder: Path) -> Path:
    """Create ``folder`` and its missing parents. A new ``.citeloom`` is excluded from version
    control; one that others can read is closed to them. Raises StorageFailed."""
    from .files import storage_failed, tighten

    home = next((one for one in (folder, *folder.parents) if one.name == HOME), None)
    try:
        if home is not None:
            tighten(home)
        if folder.is_dir():
            return folder
        is_new = home is not None and not home.exists()
        folder.mkdir(parents=True, exist_ok=True)
        if home is not None and is_new:
            (home / ".gitignore").write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise storage_failed(folder, error, "created") from error
    return folder


def writable_folder(folder: Path) -> Path:
    """``folder``, or in a workspace that cannot be written one for temporary files that only this
    user can read."""
    nearest = next(one for one in (folder, *folder.parents) if one.exists())
    if os.access(nearest, os.W_OK):
        return folder
    return Path(tempfile.mkdtemp(prefix="citeloom-"))


def sample_library() -> Path:
    """The folder of the sample papers: in the installed package, or ``references/`` of the checkout
    that holds this package."""
    package = Path(__file__).resolve().parents[2]
    installed = package / "sample_library"
    return installed if installed.is_dir() else package.parent / "references"


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))
