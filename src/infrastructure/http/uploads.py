"""Files that are sent to the server, kept in the workspace or in a folder that machines share."""

import hashlib
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio
import anyio.to_thread

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.ingest import IngestRequest
from citeloom.infrastructure.serving.jobs.ingests import Wanted
from citeloom.infrastructure.system.files import file_sha256, not_a_device, scratch_path
from citeloom.infrastructure.system.workspace import UPLOADS

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

MOST_BYTES: Final = 500_000_000
_LARGE_REFERENCES: Final = 2_000_000
_LONGEST: Final = 150
# Separators, controls and what Windows refuses.
_UNFIT: Final = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]+')


def file_name(given: str) -> str:
    """The last part of a name, as a file may be called. Raises InvalidRequest."""
    name = not_a_device(_UNFIT.sub("-", re.split(r"[/\\]", given)[-1]).strip(" ."))
    stem, dot, suffix = name.rpartition(".")
    if not stem or not suffix:
        raise InvalidRequest(
            f"name: {given[:_LONGEST]!r}: not a file name with an ending such as .pdf",
            parameter="name",
        )
    return f"{stem[: _LONGEST - len(suffix)]}{dot}{suffix}"


async def kept(body: AsyncIterator[bytes], folder: Path, name: str) -> Path:
    """The file with the received bytes, written completely or not at all. An existing file with the
    same content is used; a different file of that name is kept. Raises InvalidRequest for empty
    content or more than MOST_BYTES, and OSError."""
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
    named = (*first.sources, *second.sources, *first.references, *second.references)
    folders = {Path(one).parent for one in named}
    bare = [one.model_copy(update={"sources": (), "references": ()}) for one in (first, second)]
    if bare[0] != bare[1] or any(folder.parent.name != UPLOADS for folder in folders):
        return None
    sources = tuple(dict.fromkeys((*first.sources, *second.sources)))
    references = tuple(dict.fromkeys((*second.references, *first.references)))
    return first.model_copy(update={"sources": sources, "references": references})


def check_entries(application: "Application", path: Path) -> None:
    """Raises ReferencesUnreadable, and InvalidRequest for a reference file without entries. Of a
    large one the job says so: reading it may outlast a request."""
    if path.stat().st_size > _LARGE_REFERENCES:
        return
    if not application.stores.references.read(path).items:
        raise InvalidRequest(f"{path.name}: no entry of a work is in it", parameter="file")


def _placed(scratch: Path, folder: Path, name: str, digest: str) -> Path:
    stem, dot, suffix = name.rpartition(".")
    for number in range(1, 1000):
        place = folder / (name if number == 1 else f"{stem}-{number}{dot}{suffix}")
        if not place.exists():
            scratch.replace(place)
            return place
        if file_sha256(place) == digest:
            return place
    raise InvalidRequest(f"{name}: a thousand files have this name; rename it", parameter="name")
