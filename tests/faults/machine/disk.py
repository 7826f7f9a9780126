"""A file system that can be filled to the last byte and made read-only."""

import errno
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class SmallDisk:
    """``place`` is where it is mounted."""

    place: Path

    def fill(self, *, leave: int = 0) -> None:
        """Write until ``leave`` bytes are free."""
        with self._filling.open("wb", buffering=0) as file:
            for size in (1 << 20, 1 << 12, 1):
                self._write(file.write, size)
        if leave:
            with self._filling.open("r+b") as file:
                file.truncate(max(0, self._filling.stat().st_size - leave))

    def free(self) -> None:
        self._filling.unlink()

    def mount(self, mode: str) -> None:
        """``ro`` or ``rw``."""
        subprocess.run(["mount", "-o", f"remount,{mode}", str(self.place)], check=True)

    @property
    def _filling(self) -> Path:
        return self.place / "filling"

    @staticmethod
    def _write(write: Callable[[bytes], object], size: int) -> None:
        try:
            while True:
                write(b"\0" * size)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
