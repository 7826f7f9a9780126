"""The reference files of a project, read as one."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.citation import Attachment, ReferenceLibrary, ReferenceReader
from citeloom.domain.errors import InvalidRequest, ReferencesUnreadable
from citeloom.domain.projects.project import Project, ProjectId
from citeloom.domain.text.phrasing import counted
from citeloom.domain.value import Value

if TYPE_CHECKING:
    from citeloom.domain.references.work_versions import MergedEntries


class ReadReferences(Value):
    """``library`` is None if no file could be read; ``unread`` has the reasons."""

    library: ReferenceLibrary | None = None
    unread: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        return not self.unread


def read_references(reader: ReferenceReader, paths: Sequence[Path]) -> ReadReferences:
    """The files at ``paths`` as one library, the first one before the others."""
    libraries, unread = list[ReferenceLibrary](), list[str]()
    for path in paths:
        try:
            libraries.append(reader.read(path))
        except ReferencesUnreadable as error:
            unread.append(error.message)
    return ReadReferences(library=_merged(libraries, unread), unread=tuple(unread))


def _merged(
    libraries: Sequence[ReferenceLibrary], unread: Sequence[str]
) -> ReferenceLibrary | None:
    if not libraries:
        return None
    if len(libraries) == 1 and not unread:
        return libraries[0]
    from citeloom.domain.references.work_versions import merge_entries

    merged = merge_entries([library.items for library in libraries])
    prints = [*(library.fingerprint for library in libraries), *unread]
    return ReferenceLibrary(
        source=", ".join(library.source for library in libraries),
        fingerprint=hashlib.sha256("\n".join(prints).encode()).hexdigest(),
        items=merged.items,
        attachments=tuple(
            Attachment(path=one.path, citekey=keys[one.citekey])
            for library, keys in zip(libraries, merged.keys, strict=True)
            for one in library.attachments
            if one.citekey in keys
        ),
        warnings=(
            *(warning for library in libraries for warning in library.warnings),
            *_decisions(libraries, merged),
        ),
    )


def _decisions(libraries: Sequence[ReferenceLibrary], merged: "MergedEntries") -> list[str]:
    """Which file counts where several have a work or a key."""
    told = []
    for number, library in enumerate(libraries):
        name = Path(library.source).name
        if passed_over := merged.passed_over[number]:
            before = ", ".join(Path(one.source).name for one in libraries[:number])
            entries = counted(len(library.items), "entry", "entries")
            told.append(
                f"{name}: {passed_over} of {entries} {'is' if passed_over == 1 else 'are'} in "
                f"{before} too, which counts"
            )
        told += [
            f"{name}: {old} is another work's key; called {new}"
            for old, new in merged.renamed[number]
        ]
    return told


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectReferences:
    """Adds and drops the reference files of projects. The next ingest cites by them."""

    catalogue: Catalogue
    reader: ReferenceReader

    def add(self, project_id: ProjectId, path: Path) -> Project:
        """Put a file before the others. Raises ReferencesUnreadable, ProjectNotFound."""
        project = self.catalogue.project(project_id)
        self.reader.read(path)
        return self._changed(project, project.with_references([path]))

    def drop(self, project_id: ProjectId, name: str) -> Project:
        """Forget a file, named by its path or the end of it. Raises InvalidRequest,
        ProjectNotFound."""
        project = self.catalogue.project(project_id)
        known = project.reference_files
        found = [one for one in known if str(one) == name or one.match(name)]
        if len(found) != 1:
            has = ", ".join(map(str, known)) or "none"
            raise InvalidRequest(
                f"{name}: {'several' if found else 'no'} reference files of {project_id} are "
                f"called so; it has {has}",
                parameter="file",
            )
        return self._changed(project, project.with_references([], drop=found[0]))

    def _changed(self, before: Project, after: Project) -> Project:
        if after != before:
            self.catalogue.update_project(after)
        return after
