"""Found files held to the folders that may be read."""

from collections.abc import Sequence
from pathlib import Path

from citeloom.application.ports.ingest import FoundFile, FoundFiles, SourceFiles
from citeloom.domain.documents.readable_folders import ReadableFolders
from citeloom.domain.text.phrasing import counted

_MOST_NAMED = 5


def confined(
    found: FoundFiles, within: ReadableFolders, files: SourceFiles
) -> tuple[FoundFiles, Sequence[Path]]:
    """The files that lie in these folders, under their paths without links, which are what is
    opened; and the paths of those left out."""
    kept: dict[Path, FoundFile] = {}
    left_out: list[Path] = []
    for file in found.files:
        real = files.resolved(file.path)
        if not within.admits(real):
            left_out.append(file.path)
        elif real == file.path:
            kept.setdefault(real, file)
        else:
            stamp = file.stamp and file.stamp.model_copy(update={"path": str(real)})
            kept.setdefault(real, file.model_copy(update={"path": real, "stamp": stamp}))
    return found.model_copy(update={"files": tuple(kept.values())}), left_out


def left_out_warning(paths: Sequence[Path]) -> str:
    """Which links were left out, and not where they lead."""
    named = ", ".join(map(str, paths[:_MOST_NAMED]))
    more = f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
    is_one = len(paths) == 1
    return (
        f"{counted(len(paths), 'link')} out of the folders that may be read "
        f"{'was' if is_one else 'were'} left out: {named}{more}"
    )
