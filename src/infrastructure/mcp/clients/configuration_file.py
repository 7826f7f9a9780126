"""Configuration files of other programs, changed with a backup and without losing a byte.

Of a link the file is changed that it leads to.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path

from citeloom.domain.errors import ConfigurationError, StorageFailed
from citeloom.infrastructure.system.atomic_files import write_atomic
from citeloom.infrastructure.system.failure_messages import shown_path

_BACKUP = ".before-citeloom"
_BOM = "\ufeff"


class ConfigurationFile:
    """The file at ``path``; ``target`` is what is read and written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.target = Path(os.path.realpath(path))

    @property
    def backup(self) -> Path:
        return self.target.with_name(self.target.name + _BACKUP)

    def read(self) -> str | None:
        """The text without a byte order mark; None where there is no file. Raises
        ConfigurationError, StorageFailed."""
        content = self._bytes(self.target)
        return None if content is None else self._text(content).removeprefix(_BOM)

    def read_backup(self) -> str | None:
        content = self._bytes(self.backup)
        return None if content is None else self._text(content).removeprefix(_BOM)

    def write(self, before: str | None, text: str) -> Path | None:
        """Replace ``before``, which was read, by ``text``; the backup, if there was a file. Raises
        StorageFailed, also where the file has changed since."""
        self._check_writable()
        old = self._bytes(self.target)
        if (None if old is None else self._text(old).removeprefix(_BOM)) != before:
            raise StorageFailed(f"{self._shown}: was changed just now by something else; try again")
        mark = _BOM if old is not None and self._text(old).startswith(_BOM) else ""
        mode = stat.S_IMODE(self.target.stat().st_mode) if old is not None else None
        if old is not None:
            write_atomic(self.backup, old, mode)
        else:
            self._make_folder()
        write_atomic(self.target, (mark + text).encode("utf-8"), mode)
        return None if old is None else self.backup

    def delete(self) -> None:
        """Also its folder, if it was alone there. Raises StorageFailed."""
        self._check_writable()
        self.target.unlink()
        with suppress(OSError):
            self.target.parent.rmdir()

    def drop_backup(self) -> None:
        self.backup.unlink(missing_ok=True)

    @property
    def _shown(self) -> str:
        return shown_path(self.path)

    def _bytes(self, path: Path) -> bytes | None:
        if path.exists() and not path.is_file():
            raise ConfigurationError(f"{shown_path(path)}: is no file")
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._failed(error, "read") from error

    def _text(self, content: bytes) -> str:
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise ConfigurationError(f"{self._shown}: line {line}: is not UTF-8") from None

    def _check_writable(self) -> None:
        """Renaming would replace a file that is read-only too."""
        if self.target.exists():
            mode = self.target.stat().st_mode
            if not mode & stat.S_IWUSR or not os.access(self.target, os.W_OK):
                raise StorageFailed(f"{self._shown}: is read-only; make it writable")

    def _make_folder(self) -> None:
        try:
            self.target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._failed(error, "written") from error

    def _failed(self, error: OSError, action: str) -> StorageFailed:
        reason = (error.strerror or type(error).__name__).lower()
        return StorageFailed(f"{self._shown}: cannot be {action} ({reason}); check its folder")
