"""Name of the folder that holds some files."""

import os
from collections.abc import Sequence
from pathlib import Path


def folder_name(sources: Sequence[str | Path]) -> str:
    """The name of the innermost folder that holds all files and folders; empty without one."""
    paths = [Path(os.path.abspath(Path(source).expanduser())) for source in sources]
    folders = [path if path.is_dir() else path.parent for path in paths]
    try:
        return Path(os.path.commonpath(folders)).name
    except ValueError:  # none, or on several drives
        return ""
