"""Files that are sent to the server, kept in the workspace."""

import hashlib
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.projects.project_id import ProjectId
from citeloom.infrastructure.system.atomic_files import scratch_path

FOLDER: Final = "uploads"
MOST_BYTES: Final = 500_000_000
_LONGEST: Final = 150
# Separators, controls and what Windows refuses.
_UNFIT: Final = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]+')


def upload_folder(root: Path, project_id: ProjectId) -> Path:
    return root / FOLDER / project_id.value.replace("/", "-")


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
