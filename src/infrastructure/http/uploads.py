"""Files that are sent to the server, kept in the workspace or in a folder that machines share."""

import hashlib
import re
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio
import anyio.to_thread

from citeloom.application.citation.export import Selection
from citeloom.application.ports.citation import ReferenceFormat
from citeloom.domain.errors import InvalidRequest, ProjectNotFound
from citeloom.domain.ingest import IngestRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.serving.jobs.ingests import Wanted
from citeloom.infrastructure.system.files import scratch_path, write_atomic

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

FOLDER: Final = "uploads"
MOST_BYTES: Final = 500_000_000
_LONGEST: Final = 150
_LOCK_SECONDS: Final = 10.0
# Separators, controls and what Windows refuses.
_UNFIT: Final = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]+')


def upload_folder(root: Path, project_id: ProjectId) -> Path:
    """Each project has its own: of ``a-b/c`` and ``a/b-c`` the first has a folder ``a-b~c``, which
    no other id gives."""
    between = "~" if "-" in project_id.namespace else "-"
    return root / FOLDER / f"{project_id.namespace}{between}{project_id.name}"


def references_lock(
    application: "Application", project_id: ProjectId
) -> AbstractContextManager[None]:
    """Held while a reference file that was sent is joined with those before: of two that are sent
    at once, to whatever process, none is passed over. Raises LockHeld."""
    return application.stores.locks.hold(f"references sent to {project_id.value}", _LOCK_SECONDS)


def file_name(given: str) -> str:
    """The last part of a name, as a file may be called. Raises InvalidRequest."""
    name = _UNFIT.sub("-", re.split(r"[/\\]", given)[-1]).strip(" .")
    stem, dot, suffix = name.rpartition(".")
    if not stem or not suffix:
        raise InvalidRequest(
            f"name: {given[:_LONGEST]!r}: no name of a file with an ending such as .pdf",
            parameter="name",
        )
    return f"{stem[: _LONGEST - len(suffix)]}{dot}{suffix}"


async def kept(body: AsyncIterator[bytes], folder: Path, name: str) -> Path:
    """The file with what was sent, written whole or not at all. One that is there with the same
    content is taken, another of the name is left. Raises InvalidRequest for what is empty or
    beyond MOST_BYTES, and OSError."""
    await anyio.to_thread.run_sync(lambda: folder.mkdir(parents=True, exist_ok=True))
    digest, size = hashlib.sha256(), 0
    with scratch_path(folder / name) as scratch:
        async with await anyio.open_file(scratch, "wb") as file:
            async for piece in body:
                size += len(piece)
                if size > MOST_BYTES:
                    raise InvalidRequest(
                        f"{name}: more than {MOST_BYTES:,} bytes; ingest it on the command line",
                        parameter="name",
                    )
                digest.update(piece)
                await file.write(piece)
        if not size:
            raise InvalidRequest(f"{name}: empty; send the file as the body", parameter="name")
        return await anyio.to_thread.run_sync(_placed, scratch, folder, name, digest.hexdigest())


def joined(first: Wanted, second: Wanted) -> Wanted | None:
    """One ingest of the files of both, which were sent to one project; None for others."""
    if not isinstance(first, IngestRequest) or not isinstance(second, IngestRequest):
        return None
    named = (*first.sources, *second.sources, first.references, second.references)
    folders = {Path(one).parent for one in named if one}
    bare = [one.model_copy(update={"sources": (), "references": None}) for one in (first, second)]
    if bare[0] != bare[1] or any(folder.parent.name != FOLDER for folder in folders):
        return None
    sources = tuple(dict.fromkeys((*first.sources, *second.sources)))
    references = second.references or first.references
    return first.model_copy(update={"sources": sources, "references": references})


def joined_references(
    application: "Application", project_id: ProjectId, path: Path, waiting: Path | None
) -> Path:
    """The file to cite by once the one at ``path`` was sent: itself, or a new one beside it with
    the entries of those that were sent before, too (``waiting`` is not the project's yet). Of two
    entries of a key the one sent last holds. Raises ReferencesUnreadable; InvalidRequest for a
    file without entries, and where the project has a reference file of the user."""
    read = application.stores.references.read
    added = read(path)
    if not added.items:
        raise InvalidRequest(f"{path.name}: no entry of a work is in it", parameter="file")
    known = waiting or _references(application, project_id)
    if known is None or known == path or not known.exists():
        return path
    if known.parent != path.parent:
        raise InvalidRequest(
            f"{path.name}: {project_id} cites by {known}; add the entries to that file, which is "
            "read again with the next paper",
            parameter="file",
        )
    works = {work.citekey: work for work in (*read(known).items, *added.items)}
    listed = Selection(documents=(), listed=tuple(works.values()))
    content = application.citation.export.write(listed, ReferenceFormat.CSL_JSON).encode()
    place = path.parent / f"references-{hashlib.sha256(content).hexdigest()[:12]}.json"
    write_atomic(place, content)
    return place


def _references(application: "Application", project_id: ProjectId) -> Path | None:
    try:
        return application.stores.catalogue.project(project_id).references_json
    except ProjectNotFound:
        return None


def _placed(scratch: Path, folder: Path, name: str, digest: str) -> Path:
    stem, dot, suffix = name.rpartition(".")
    for number in range(1, 1000):
        place = folder / (name if number == 1 else f"{stem}-{number}{dot}{suffix}")
        if not place.exists():
            scratch.replace(place)
            return place
        if _sha256(place) == digest:
            return place
    raise InvalidRequest(f"{name}: a thousand files have this name; rename it", parameter="name")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
