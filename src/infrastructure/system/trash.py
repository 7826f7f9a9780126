"""The trash of the desktop: where files go that a person may want back.

After the FreeDesktop.org Trash specification 1.0: the home trash for files of its file system, else
``.Trash/UID`` or ``.Trash-UID`` at the top of theirs. On macOS the user's ``.Trash``.
"""

import os
import stat
import sys
from datetime import datetime
from itertools import count
from pathlib import Path
from urllib.parse import quote

from citeloom.domain.errors import StorageFailed

_MOST_NAMES = 10_000


class DesktopTrash:
    """``home`` is the folder of the home trash; by default that of the user."""

    def __init__(self, home: Path | None = None) -> None:
        self._home = home or _home_trash()

    def put(self, path: Path) -> None:
        """Move a file to the trash. Raises StorageFailed if the file has none."""
        path = path.absolute()
        try:
            if sys.platform == "darwin":
                _move_plainly(path, self._home)
            else:
                self._move(path)
        except OSError as error:
            reason = error.strerror or str(error)
            raise StorageFailed(f"{path}: cannot be moved to the trash ({reason})") from error

    def check(self, path: Path) -> None:
        """Raise StorageFailed if ``put`` would find no trash."""
        if os.name == "nt":
            raise StorageFailed(f"{path}: no trash is known on Windows; delete the file yourself")
        try:
            self._place(path.absolute())
        except OSError as error:
            reason = error.strerror or str(error)
            raise StorageFailed(f"{path}: there is no trash for it ({reason})") from error

    def _move(self, path: Path) -> None:
        trash, shown = self._place(path)
        now = datetime.now().astimezone().strftime("%Y-%m-%dT%H:%M:%S")
        info = f"[Trash Info]\nPath={quote(os.fsencode(shown))}\nDeletionDate={now}\n"
        for number in range(_MOST_NAMES):
            name = f"{path.stem}.{number}{path.suffix}" if number else path.name
            try:
                with (trash / "info" / f"{name}.trashinfo").open("x", encoding="ascii") as file:
                    file.write(info)
            except FileExistsError:
                continue
            target = trash / "files" / name
            try:
                if os.path.lexists(target):
                    continue
                path.rename(target)
            except OSError:
                (trash / "info" / f"{name}.trashinfo").unlink()
                raise
            return
        raise FileExistsError(f"{_MOST_NAMES} files of this name are there")

    def _place(self, path: Path) -> tuple[Path, str]:
        """The trash for a file, made where it is missing, and the path that it is restored to."""
        device = path.parent.stat().st_dev
        if sys.platform == "darwin":
            return self._home, str(path)
        if _nearest(self._home).stat().st_dev == device:
            return _made(self._home), str(path)
        top = path.parent
        while top != top.parent and top.parent.stat().st_dev == device:
            top = top.parent
        shared, user = top / ".Trash", str(os.getuid())
        is_shared = shared.is_dir() and not shared.is_symlink()
        if is_shared and shared.stat().st_mode & stat.S_ISVTX:
            return _made(shared / user), str(path.relative_to(top))
        return _made(top / f".Trash-{user}"), str(path.relative_to(top))


def _home_trash() -> Path:
    if sys.platform == "darwin":
        return Path.home() / ".Trash"
    data = Path(os.environ.get("XDG_DATA_HOME", ""))
    return (data if data.is_absolute() else Path.home() / ".local/share") / "Trash"


def _nearest(folder: Path) -> Path:
    """The folder, else the nearest one above that exists."""
    return next(one for one in (folder, *folder.parents) if one.is_dir())


def _made(trash: Path) -> Path:
    for part in ("files", "info"):
        (trash / part).mkdir(mode=0o700, parents=True, exist_ok=True)
    return trash


def _move_plainly(path: Path, trash: Path) -> None:
    for number in count():
        target = trash / (f"{path.stem} {number}{path.suffix}" if number else path.name)
        if not os.path.lexists(target):
            path.rename(target)
            return
