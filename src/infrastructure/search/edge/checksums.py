"""Checksums of a shard's files, noted when it is closed and compared when it is opened.

``sums.json`` beside the shard is there while the shard is closed, and only after a clean end:
then every file must be as it says, by content. While it is open, or if its process died, it is
``sums.open.json``.

The engine touches many files when it opens a shard, and changes hardly one. So after a use without
writes, a file with the noted size and time has the noted checksum. A write discards the notes, and
all files are read at its end: writes through memory maps need not change a file's time (on tmpfs
they do not).
"""

import errno
import json
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

_CLOSED: Final = "sums.json"
_OPEN: Final = "sums.open.json"
_VERSION: Final = 2
# Fewer calls than with smaller blocks; larger ones read more of holes.
_BLOCK: Final = 2**17
# Leftovers of a killed optimize(), which are removed on opening.
_EXCLUDED: Final = "temp_segments"


class FileSum(NamedTuple):
    """Size in bytes, modification time in nanoseconds, checksum of the content."""

    size: int
    mtime_ns: int
    sum: int


Sums = Mapping[str, FileSum]
"""The files of a shard by their paths in it."""


def noted(folder: Path) -> Sums | None:
    """The sums of the closed shard in ``folder``; None after an unclean end."""
    return _read(folder / _CLOSED)


def differences(folder: Path, sums: Sums) -> list[str]:
    """Files of the closed shard that are not as noted; all are read."""
    shard = folder / "shard"
    found = _stats(shard)
    wrong = set(found) ^ set(sums)
    for name in found.keys() & sums.keys():
        try:
            if found[name].st_size != sums[name].size or sum_of(shard / name) != sums[name].sum:
                wrong.add(name)
        except OSError:  # a bad sector
            wrong.add(name)
    return sorted(wrong)


def begin_use(folder: Path) -> None:
    """Note that the shard is open. Call this before its files may change."""
    try:
        (folder / _CLOSED).replace(folder / _OPEN)
    except FileNotFoundError:
        discard(folder)  # what an unclean end left


def discard(folder: Path) -> None:
    """Forget all sums: the shard is about to be written to, or replaced."""
    for name in (_CLOSED, _OPEN):
        (folder / name).unlink(missing_ok=True)


def end_use(folder: Path) -> None:
    """Note the files of the shard, which was closed. Where that cannot be written, the next
    opening is as after an unclean end."""
    shard = folder / "shard"
    known = _read(folder / _OPEN) or {}
    files: dict[str, FileSum] = {}
    with suppress(OSError):
        for name, stat in _stats(shard).items():
            before = known.get(name)
            if before is None or before[:2] != (stat.st_size, stat.st_mtime_ns):
                before = FileSum(stat.st_size, stat.st_mtime_ns, sum_of(shard / name))
            files[name] = before
        new = folder / f"{_CLOSED}.new"
        new.write_text(json.dumps({"version": _VERSION, "files": files}), "utf-8")
        new.replace(folder / _CLOSED)
        (folder / _OPEN).unlink(missing_ok=True)


def sum_of(path: Path) -> int:
    """CRC-32 over place and sum of the 64-bit words of each block that is not zero: a hole and
    written zeros have the same. Sums of words are read as fast as memory, ten times as fast as a
    CRC of all; what they miss is words that change places within a block."""
    import numpy

    crc, block = 0, bytearray(_BLOCK)
    words = numpy.frombuffer(block, numpy.uint64)
    with open(path, "rb", buffering=0) as file:
        for start, end in _written_parts(file.fileno()):
            for offset in range(start - start % _BLOCK, end, _BLOCK):
                file.seek(offset)
                length = file.readinto(block)
                block[length:] = bytes(_BLOCK - length)
                if total := int(words.sum()):
                    crc = zlib.crc32(
                        offset.to_bytes(8, "little") + total.to_bytes(8, "little"), crc
                    )
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
        return {str(name): FileSum(*map(int, sums)) for name, sums in content["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
