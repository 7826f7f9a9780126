"""Evidence that machines share: cut by one, opened by all."""

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from citeloom.application.ports.maps import EvidenceFile, EvidenceStore
from citeloom.infrastructure.storage.blobs.blobs import Blobs, StoredBlob

_WARNINGS = ".warnings.json"
#: Whoever was given a name has this long to open it before it may be removed.
SPARED_SECONDS = 3600.0
# Seconds between two looks at what all of it takes: a listing costs a request a thousand files.
_LOOK_EVERY = 3600.0


class SharedEvidence:
    """Evidence in ``local``, and in ``shared`` under the same names (interface ``EvidenceStore``).

    A name stands for its content, so that what another machine has cut is taken, not cut again.
    Each place is bounded by itself: when all in ``shared`` has more than ``max_bytes``, what was
    written first goes, and a machine that is asked for it cuts it again.
    """

    def __init__(self, local: EvidenceStore, shared: Blobs, *, max_bytes: int) -> None:
        self._local = local
        self._shared = shared
        self._max_bytes = max_bytes
        self._looked_at = float("-inf")

    def keep(self, name: str, make: Callable[[Path], Sequence[str]]) -> EvidenceFile:
        is_shared = False

        def take_or_make(path: Path) -> Sequence[str]:
            nonlocal is_shared
            if is_shared := self._shared.take(name, path):
                return self._warnings(name)
            return make(path)

        kept = self._local.keep(name, take_or_make)
        if not is_shared and self._shared.stamp(name) is None:
            self._share(name, kept)
        return kept

    def find(self, name: str) -> EvidenceFile | None:
        if (found := self._local.find(name)) is not None:
            return found
        if not _is_plain(name) or self._shared.stamp(name) is None:
            return None

        def take(path: Path) -> Sequence[str]:
            if not self._shared.take(name, path):  # removed just now
                raise _RemovedError
            return self._warnings(name)

        try:
            return self._local.keep(name, take)
        except _RemovedError:
            return None

    def _share(self, name: str, kept: EvidenceFile) -> None:
        if kept.warnings:
            # First: whoever sees the file finds what is to be said about it.
            warnings = json.dumps(kept.warnings, ensure_ascii=False).encode()
            self._shared.write(f"{name}{_WARNINGS}", warnings)
        self._shared.keep(name, kept.path)
        if time.monotonic() - self._looked_at >= _LOOK_EVERY:
            self._looked_at = time.monotonic()
            self._remove_oldest()

    def _warnings(self, name: str) -> tuple[str, ...]:
        content = self._shared.read(f"{name}{_WARNINGS}")
        return tuple(map(str, json.loads(content))) if content is not None else ()

    def _remove_oldest(self) -> None:
        files = {one.name: one for one in self._shared.stored()}
        total = sum(one.size for one in files.values())
        newest_removable = time.time() - SPARED_SECONDS
        for one in sorted(files.values(), key=_age):
            if total <= self._max_bytes or one.written > newest_removable:
                return
            if one.name.removesuffix(_WARNINGS) in files and one.name.endswith(_WARNINGS):
                continue  # it goes with its file
            for name in (one.name, f"{one.name}{_WARNINGS}"):
                if name in files:
                    self._shared.delete(name)
                    total -= files[name].size


class _RemovedError(Exception):
    """The file was removed while it was taken."""


def _is_plain(name: str) -> bool:
    """Whether a name, which came from outside, stays in the folder on any system."""
    return not name.startswith(".") and not set(name) & set("/\\\0:")


def _age(file: StoredBlob) -> tuple[float, str]:
    return file.written, file.name
