"""The command that starts the server of a workspace, as it stands in a client's configuration."""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from citeloom.domain.errors import ConfigurationError
from citeloom.infrastructure.mcp.clients.catalogue import Launch

# Of environments that uvx makes for one run, in uv's cache:
# https://docs.astral.sh/uv/concepts/tools/
_OF_ONE_RUN: Final = "archive-v0"


def launch(program: Sequence[str], workspace: Path, options: Sequence[str] = ()) -> Launch:
    """Absolute, as clients start in any folder."""
    command, *args = program
    return Launch(command, (*args, "mcp", "--workspace", str(workspace), *options))


def running_program(argv0: str) -> list[str]:
    """The command that this process was started by: ``citeloom``, or Python with the module. Raises
    ConfigurationError where it will be gone."""
    found = shutil.which(argv0)
    if found is None or Path(found).stem.lower() != "citeloom":
        return [sys.executable, "-m", "citeloom"]
    path = Path(os.path.abspath(found))
    if _OF_ONE_RUN in path.resolve().parts:
        raise ConfigurationError(
            f"{path}: is in an environment that uvx made for this run only; add --uvx, or install "
            "it to stay (`uv tool install citeloom`)"
        )
    return [str(path)]


def uvx_program() -> list[str]:
    """uv's command, which installs the package where it is not yet; with its path where it is
    found, as programs of a desktop do not have the shell's PATH."""
    return [shutil.which("uvx") or "uvx", "citeloom"]
