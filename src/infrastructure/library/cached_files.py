"""Atomic replacement of cached files."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from citeloom.infrastructure.system.atomic_files import atomic_path, remove_leftovers
from citeloom.infrastructure.system.workspace import make_folder


@contextmanager
def cached_file(path: Path) -> Iterator[Path]:
    """A temporary path to write, which replaces ``path`` on success; its folder is made if need
    be. Raises StorageFailed."""
    remove_leftovers(make_folder(path.parent))
    with atomic_path(path) as temporary:
        yield temporary
