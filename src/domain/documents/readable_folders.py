"""Folders and files that a caller other than the user may have read."""

from collections.abc import Iterable, Sequence
from pathlib import PurePath

from citeloom.domain.errors import Refused, shown
from citeloom.domain.value import Value

_SETTINGS = "citeloom.toml"


class ReadableFolders(Value):
    """Absolute paths. ``files`` may be read wherever they are; what lies in a folder may, but for
    hidden files and folders, and for settings, which hold passwords and keys."""

    folders: tuple[PurePath, ...]
    files: tuple[PurePath, ...] = ()

    def admits(self, path: PurePath) -> bool:
        """Whether an absolute path, in which nothing is left to be resolved, may be read. Paths
        are compared letter by letter: another case or Unicode form is another path."""
        if path in self.files:
            return True
        return any(
            not _is_private(path.relative_to(folder).parts)
            for folder in self.folders
            if path.is_relative_to(folder)
        )

    def with_files(self, files: Iterable[PurePath]) -> "ReadableFolders":
        return self.model_copy(update={"files": (*self.files, *files)})


def _is_private(parts: tuple[str, ...]) -> bool:
    return any(part.startswith(".") or part.casefold() == _SETTINGS for part in parts)


class OutsideFolders(Refused):
    """A path outside the readable folders; the message does not say what is there."""

    code = "INVALID_SOURCE"

    def __init__(self, name: str, folders: Sequence[str]) -> None:
        super().__init__(
            f"{shown(name)}: is not in a folder that may be read here; these are "
            f"{', '.join(folders)} (hidden files and settings excepted); the user can add folders "
            "with the setting mcp.folders",
            folders=list(folders),
        )
