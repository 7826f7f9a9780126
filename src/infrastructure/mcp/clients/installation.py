"""A server entered in the configuration of a client, taken out of it, and looked up in it.

A file of another program is replaced as a whole or not at all, and a backup is beside it.
"""

import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum, auto
from pathlib import Path
from typing import Any, Final

from citeloom.domain.errors import CiteLoomError, ConfigurationError, InvalidRequest, StorageFailed
from citeloom.infrastructure.system.files import shown_path, storage_failed, write_atomic
from citeloom.infrastructure.system.workspace import user_data_folder

from .catalogue import CLIENTS, Client, Places
from .entries import (
    HasComments,
    Malformed,
    address_of,
    entry_in,
    with_entry,
    without_entry,
    workspace_of,
)

_BACKUP: Final = ".before-citeloom"
_BOM: Final = "\ufeff"


class EditByHand(ConfigurationError):
    """The file can be changed by a person only: it has comments, which would be lost."""

    code = ConfigurationError.code


class ChangeKind(StrEnum):
    ADDED = auto()
    CHANGED = auto()
    UNCHANGED = auto()
    REMOVED = auto()
    ABSENT = auto()


@dataclass(frozen=True, slots=True)
class Change:
    """What was done to ``file``; ``backup`` has its previous content."""

    action: ChangeKind
    file: Path
    backup: Path | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of a client on this machine: ``address`` and ``workspace`` are those of the
    server's entry in ``file``, ``problem`` says what is wrong with it."""

    client: Client
    file: Path
    is_found: bool
    is_installed: bool = False
    address: str | None = None
    workspace: str | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class ClientFiles:
    """Configuration files on this machine; those of a project are below ``project``."""

    places: Places
    project: Path

    def path(self, client: Client, *, of_project: bool) -> Path:
        """Raises InvalidRequest where the client has no file in a project."""
        if of_project:
            if client.project_file is None:
                raise InvalidRequest(
                    f"{client.title} reads no file in a project; leave --project-level out",
                    parameter="project_level",
                )
            return self.project / client.project_file
        files = client.user_files(self.places)
        return next((one for one in files if one.exists()), files[0])

    def install(
        self, client: Client, name: str, entry: Mapping[str, Any], *, of_project: bool = False
    ) -> Change:
        """Raises EditByHand, StorageFailed, and ConfigurationError for a file that is not
        understood."""
        file = _ConfigurationFile(self.path(client, of_project=of_project))
        before = file.read()
        try:
            old = entry_in(before or "", client, name)
            text = with_entry(before or "", client, name, entry)
        except Malformed as error:
            action = f"enter “{name}” under “{client.key}” yourself, as --print has it"
            raise _refused(file.path, error, action) from None
        if text == before:
            return Change(ChangeKind.UNCHANGED, file.path)
        backup = file.write(before, text)
        return Change(ChangeKind.ADDED if old is None else ChangeKind.CHANGED, file.path, backup)

    def remove(self, client: Client, name: str, *, of_project: bool = False) -> Change:
        """Reverts ``install``. If nothing else changed, the file is restored."""
        file = _ConfigurationFile(self.path(client, of_project=of_project))
        text = file.read()
        try:
            entry = entry_in(text or "", client, name)
            if text is None or entry is None:
                return Change(ChangeKind.ABSENT, file.path)
            rest = without_entry(text, client, name)
        except Malformed as error:
            action = f"take “{name}” out of “{client.key}” yourself"
            raise _refused(file.path, error, action) from None
        backup = file.read_backup()
        if not _made(text, backup or "", client, name, entry):
            return Change(ChangeKind.REMOVED, file.path, file.write(text, rest))
        if backup is None:
            file.delete()
        else:
            file.write(text, backup)
            file.drop_backup()
        return Change(ChangeKind.REMOVED, file.path)

    def standings(self, name: str) -> list[Standing]:
        """Of all clients that are known; then of the files in the project that name the server."""
        users = [self._standing(client, name, of_project=False) for client in CLIENTS.values()]
        projects = [
            self._standing(client, name, of_project=True)
            for client in CLIENTS.values()
            if client.project_file
        ]
        return users + [one for one in projects if one.is_installed]

    def _standing(self, client: Client, name: str, *, of_project: bool) -> Standing:
        path = self.path(client, of_project=of_project)
        is_found = path.exists() or any(
            file.parent.is_dir()
            for file in client.user_files(self.places)
            if file.parent != self.places.home
        )
        try:
            entry = entry_in(_ConfigurationFile(path).read() or "", client, name)
        except CiteLoomError as error:
            return Standing(client, path, is_found, problem=error.message)
        except Malformed as error:
            return Standing(client, path, is_found, problem=str(error))
        if entry is None:
            return Standing(client, path, is_found)
        address, workspace = address_of(entry, client), workspace_of(entry)
        return Standing(
            client, path, is_found, True, address, workspace, _problem(address, workspace)
        )


def _made(text: str, before: str, client: Client, name: str, entry: Mapping[str, Any]) -> bool:
    """Whether ``text`` is ``before`` with the entry and nothing else."""
    try:
        return (
            entry_in(before, client, name) is None
            and with_entry(before, client, name, entry) == text
        )
    except Malformed:
        return False


def _problem(address: str | None, workspace: str | None) -> str | None:
    """The problem of a program or a workspace that is gone."""
    if address and Path(address).is_absolute() and not Path(address).exists():
        return f"{address} is not there any more"
    if workspace and Path(workspace) != user_data_folder() and not Path(workspace).is_dir():
        return f"the workspace {workspace} is not there"
    return None


def _refused(path: Path, error: Malformed, action: str) -> ConfigurationError:
    message = f"{shown_path(path)}: {error}; nothing was changed: "
    if isinstance(error, HasComments):
        return EditByHand(message + action)
    return ConfigurationError(f"{message}correct the file, or {action}")


class _ConfigurationFile:
    """A file that another program reads too; of a link the file is changed that it leads to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._target = Path(os.path.realpath(path))
        self._backup = self._target.with_name(self._target.name + _BACKUP)

    def read(self) -> str | None:
        """The text without a byte order mark; None if the file does not exist. Raises
        ConfigurationError, StorageFailed."""
        return self._text(self._target)

    def read_backup(self) -> str | None:
        return self._text(self._backup)

    def write(self, before: str | None, text: str) -> Path | None:
        """Replace ``before``, which was read, by ``text``; the backup, if there was a file. Raises
        StorageFailed, also where the file has changed since."""
        self._check_writable()
        if self.read() != before:
            raise StorageFailed(
                f"{shown_path(self.path)}: was changed just now by something else; try again"
            )
        if before is None:
            try:
                self._target.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise storage_failed(self.path, error) from error
            write_atomic(self._target, text.encode("utf-8"))
            return None
        old, mode = self._target.read_bytes(), stat.S_IMODE(self._target.stat().st_mode)
        mark = _BOM if old.startswith(_BOM.encode("utf-8")) else ""
        write_atomic(self._backup, old, mode)
        write_atomic(self._target, (mark + text).encode("utf-8"), mode)
        return self._backup

    def delete(self) -> None:
        """Also its folder, if it was alone there. Raises StorageFailed."""
        self._check_writable()
        self._target.unlink()
        with suppress(OSError):
            self._target.parent.rmdir()

    def drop_backup(self) -> None:
        self._backup.unlink(missing_ok=True)

    def _text(self, path: Path) -> str | None:
        if path.exists() and not path.is_file():
            raise ConfigurationError(f"{shown_path(path)}: is not a file; move it away")
        try:
            content = path.read_bytes()
            return content.decode("utf-8").removeprefix(_BOM)
        except FileNotFoundError:
            return None
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise ConfigurationError(
                f"{shown_path(path)}: line {line}: is not UTF-8; nothing was changed: save the "
                "file in this encoding"
            ) from None
        except OSError as error:
            raise storage_failed(path, error, "read") from error

    def _check_writable(self) -> None:
        """Renaming would replace a file that is read-only too."""
        if self._target.exists():
            mode = self._target.stat().st_mode
            if not mode & stat.S_IWUSR or not os.access(self._target, os.W_OK):
                raise StorageFailed(f"{shown_path(self.path)}: is read-only; make it writable")
