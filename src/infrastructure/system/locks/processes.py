"""Names of processes, which tell others on the machine whether they still run."""

import os
import secrets
import socket
from contextlib import suppress
from pathlib import Path
from typing import Final

_NAMESPACE: Final = Path("/proc/self/ns/pid")


def new_process_name() -> str:
    """A name of this process that no other has: ``MACHINE:PID:RANDOM``."""
    return f"{_machine()}:{os.getpid()}:{secrets.token_hex(4)}"


def has_ended(name: str) -> bool:
    """Whether a process of this machine no longer runs; False where that is not known."""
    machine, _, rest = name.rpartition(":")[0].rpartition(":")
    # Windows has no harmless signal.
    if os.name == "nt" or machine != _machine() or not rest.isdecimal():
        return False
    return not process_runs(int(rest))


def process_runs(pid: int) -> bool:
    """Whether this machine has a process of this number. Not for Windows, where it is not known:
    True."""
    if os.name == "nt" or pid <= 0:
        return pid > 0
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _machine() -> str:
    """Containers may share the name of their host, and number processes for themselves."""
    with suppress(OSError):
        return f"{socket.gethostname()}/{_NAMESPACE.readlink()}"
    return socket.gethostname()
