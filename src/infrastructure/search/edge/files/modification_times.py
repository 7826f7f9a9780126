"""Whether a file system notes the time of writes through memory maps.

POSIX has it so; tmpfs, for one, does not.
"""

import mmap
import os
import tempfile
from pathlib import Path


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
