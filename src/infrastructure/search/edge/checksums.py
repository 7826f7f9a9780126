"""Checksums of a shard's files, noted when it is closed and compared when it is opened.

``sums.json`` beside the shard is there while the shard is closed, and only after a clean end:
then every file must be as it says. While it is open, or if its process died, it is
``sums.open.json``.

Whether a file system notes the time of writes through memory maps. POSIX has it so; tmpfs, for one,
does not.
"""

import errno
import json
import mmap
import os
import tempfile
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple


def tell_of_mapped_writes(folder: Path) -> bool:
    """Try it with a temporary file in ``folder``. Raises OSError where none can be written."""
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(bytes(1))
        file.flush()
        os.utime(file.fileno(), ns=(0, 0))
        with mmap.mmap(file.fileno(), 1) as mapped:
            mapped[0] += 1  # a page that was read first is not watched everywhere
            mapped.flush()
        return os.fstat(file.fileno()).st_mtime_ns != 0


_CLOSED: Final = "sums.json"
_OPEN: Final = "sums.open.json"
_VERSION: Final = 1
_BLOCK: Final = 2**16
# Files that are read whole on opening, where damage may abort the process, are compared by
# content each time; larger ones when their times differ.
_SMALL: Final = 2**16
_READ_WHOLE: Final = "id_tracker"
# In nanoseconds: coarsest resolution of modification times (FAT: two seconds).
_TIME_RESOLUTION: Final = 2_000_000_000
# Leftovers of a killed optimize(), which are removed on opening.
_EXCLUDED: Final = "temp_segments"


class FileSum(NamedTuple):
    """Size in bytes, modification time in nanoseconds, CRC-32 of the content."""

    size: int
    mtime_ns: int
    crc: int


class Sums(NamedTuple):
    """The files of a shard by their paths in it, as they were at a time (nanoseconds)."""

    files: Mapping[str, FileSum]
    at_ns: int


def noted(folder: Path) -> Sums | None:
    """The sums of the closed shard in ``folder``; None after an unclean end."""
    return _read(folder / _CLOSED)


def differences(folder: Path, sums: Sums, *, thorough: bool = False) -> list[str]:
    """Files of the closed shard that are not as noted. Unless ``thorough``, large files with the
    noted size and time are not read."""
    shard = folder / "shard"
    found = _stats(shard)
    wrong = set(found) ^ set(sums.files)
    for name in found.keys() & sums.files.keys():
        stat, expected = found[name], sums.files[name]
        if stat.st_size != expected.size:
            wrong.add(name)
        elif (
            thorough
            or stat.st_mtime_ns != expected.mtime_ns
            or stat.st_size <= _SMALL
            or _READ_WHOLE in name
        ):
            try:
                if crc_of(shard / name) != expected.crc:
                    wrong.add(name)
            except OSError:  # a bad sector
                wrong.add(name)
    return sorted(wrong)


def begin_use(folder: Path) -> None:
    """Note that the shard is open. To be called before its files may change."""
    with suppress(FileNotFoundError):
        (folder / _CLOSED).replace(folder / _OPEN)


def discard(folder: Path) -> None:
    """Forget all sums: the shard is being replaced."""
    for name in (_CLOSED, _OPEN):
        (folder / name).unlink(missing_ok=True)


def end_use(folder: Path) -> None:
    """Note the files of the shard, which was closed. Where that cannot be written, the next
    opening is as after an unclean end."""
    shard, now = folder / "shard", time.time_ns()
    known = _read(folder / _OPEN) or Sums({}, 0)
    settled = known.at_ns - _TIME_RESOLUTION  # a later change may have the same time
    files: dict[str, FileSum] = {}
    with suppress(OSError):
        if not tell_of_mapped_writes(folder):
            known = Sums({}, 0)
        for name, stat in _stats(shard).items():
            before = known.files.get(name)
            same = before is not None and before[:2] == (stat.st_size, stat.st_mtime_ns)
            if before is None or not same or stat.st_mtime_ns > settled:
                before = FileSum(stat.st_size, stat.st_mtime_ns, crc_of(shard / name))
            files[name] = before
        new = folder / f"{_CLOSED}.new"
        new.write_text(json.dumps({"version": _VERSION, "at_ns": now, "files": files}), "utf-8")
        new.replace(folder / _CLOSED)
        (folder / _OPEN).unlink(missing_ok=True)


def crc_of(path: Path) -> int:
    """CRC-32 of a file's blocks that are not zero, with their places: a hole and written zeros
    have the same."""
    crc, zeros = 0, bytes(_BLOCK)
    with open(path, "rb", buffering=0) as file:
        for start, end in _written_parts(file.fileno()):
            offset = start - start % _BLOCK
            while offset < end:
                file.seek(offset)
                block = file.read(_BLOCK)
                if not block:
                    break
                if block != zeros[: len(block)]:
                    crc = zlib.crc32(block, zlib.crc32(offset.to_bytes(8, "little"), crc))
                offset += _BLOCK
    return crc


def _written_parts(descriptor: int) -> Iterator[tuple[int, int]]:
    """Start and end of what is not a hole, each block of ``_BLOCK`` bytes in one part only."""
    size, position = os.fstat(descriptor).st_size, 0
    if not hasattr(os, "SEEK_DATA"):
        yield 0, size
        return
    while position < size:
        try:
            start = os.lseek(descriptor, position, os.SEEK_DATA)
        except OSError as error:
            if error.errno != errno.ENXIO:  # it is not known here where holes are
                yield position, size
            return  # nothing but a hole up to the end
        end = os.lseek(descriptor, start, os.SEEK_HOLE)
        start, end = max(start, position), -(-end // _BLOCK) * _BLOCK
        yield start, end
        position = end


def _stats(shard: Path) -> dict[str, os.stat_result]:
    found = {}
    for base, folders, names in os.walk(shard):
        if _EXCLUDED in folders:
            folders.remove(_EXCLUDED)
        for name in names:
            path = Path(base, name)
            found[path.relative_to(shard).as_posix()] = path.stat()
    return found


def _read(path: Path) -> Sums | None:
    try:
        content = json.loads(path.read_text("utf-8"))
        if content["version"] != _VERSION:
            return None
        files = {str(name): FileSum(*map(int, sums)) for name, sums in content["files"].items()}
        return Sums(files, int(content["at_ns"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
