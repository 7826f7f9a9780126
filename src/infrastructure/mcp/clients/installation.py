"""A server entered in the configuration of a client, taken out of it, and looked up in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, auto
from pathlib import Path
from typing import Any

from citeloom.domain.errors import CiteLoomError, ConfigurationError, InvalidRequest
from citeloom.infrastructure.mcp.clients.catalogue import CLIENTS, Client, Places
from citeloom.infrastructure.mcp.clients.configuration_file import ConfigurationFile
from citeloom.infrastructure.mcp.clients.entries import (
    MALFORMED,
    address_of,
    entry_in,
    with_entry,
    without_entry,
    workspace_of,
)
from citeloom.infrastructure.system.workspace import user_data_folder


class ChangeKind(StrEnum):
    ADDED = auto()
    CHANGED = auto()
    UNCHANGED = auto()
    REMOVED = auto()
    ABSENT = auto()


@dataclass(frozen=True, slots=True)
class Change:
    """What was done to ``file``; ``backup`` holds what it was before."""

    action: ChangeKind
    file: Path
    backup: Path | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """A client as it is on this machine: ``address`` and ``workspace`` are those of the server's
    entry in ``file``, ``problem`` says what is wrong there."""

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
        """Raises ConfigurationError for a file that is not understood, StorageFailed."""
        file = ConfigurationFile(self.path(client, of_project=of_project))
        before = file.read()
        try:
            old = entry_in(before or "", client, name)
            text = with_entry(before or "", client, name, entry)
        except MALFORMED as error:
            raise _broken(file, error) from None
        if text == before:
            return Change(ChangeKind.UNCHANGED, file.path)
        backup = file.write(before, text)
        return Change(ChangeKind.ADDED if old is None else ChangeKind.CHANGED, file.path, backup)

    def remove(self, client: Client, name: str, *, of_project: bool = False) -> Change:
        """As ``install``. Where nothing else was changed since, the file is again what it was."""
        file = ConfigurationFile(self.path(client, of_project=of_project))
        text = file.read()
        try:
            entry = entry_in(text or "", client, name)
            if text is None or entry is None:
                return Change(ChangeKind.ABSENT, file.path)
            rest = without_entry(text, client, name)
        except MALFORMED as error:
            raise _broken(file, error) from None
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
            entry = entry_in(ConfigurationFile(path).read() or "", client, name)
        except CiteLoomError as error:
            return Standing(client, path, is_found, problem=error.message)
        except MALFORMED as error:
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
    except MALFORMED:
        return False


def _problem(address: str | None, workspace: str | None) -> str | None:
    """Of a program or a workspace that is gone."""
    if address and Path(address).is_absolute() and not Path(address).exists():
        return f"{address} is not there any more"
    if workspace and Path(workspace) != user_data_folder() and not Path(workspace).is_dir():
        return f"the workspace {workspace} is not there"
    return None


def _broken(file: ConfigurationFile, error: Exception) -> ConfigurationError:
    return ConfigurationError(
        f"{file.path}: {error}; nothing was changed: mend the file, or write the entry yourself, "
        "as --print has it"
    )
