"""Calls on processes that differ between systems: life, memory, and the end with a parent."""

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path


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


def processor_time(pid: int) -> float | None:
    """Seconds that a process of this user has computed, not waited; None but on Linux (proc(5))."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def end_with_input() -> None:
    """End this process with the other end of its standard input. The kernel sends a signal: a
    reading thread would not run while a library holds the interpreter lock. Windows has none: there
    a process ends with its work."""
    if sys.platform != "win32":
        import fcntl

        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)


def limit_address_space(size: int) -> None:
    """Let this process map at most ``size`` bytes, where the system has such a limit: not on
    Windows, and macOS may refuse it."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (size, hard))


def limit_memory(megabytes: int) -> None:
    """Let allocations beyond ``megabytes`` fail, in this process and in those that it starts.

    Linux counts private writable memory against RLIMIT_DATA (getrlimit(2)). Address space, which
    RLIMIT_AS counts, is half as much again, of libraries and reserved stacks. Other systems do
    not enforce the limit.
    """
    if not sys.platform.startswith("linux"):
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = megabytes * 2**20
    soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def prefer_as_oom_victim() -> None:
    """Make Linux kill this process, not its parent, when memory runs out (proc(5))."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def reset_peak() -> None:
    """Reset the peak memory: Linux clears its high-water mark on this write (proc(5))."""
    with suppress(OSError):  # elsewhere the mark is that of the process since its start
        Path("/proc/self/clear_refs").write_text("5")


def resident() -> int | None:
    """Resident memory in bytes; None but on Linux."""
    return _status("VmRSS")


def peak_resident() -> int | None:
    """Peak resident memory in bytes; None on Windows.

    Not ``ru_maxrss`` on Linux: a process inherits that mark from the one that started it.
    """
    if (peak := _status("VmHWM")) is not None:
        return peak
    if sys.platform == "win32":
        return None
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _status(field: str) -> int | None:
    """A field of proc(5) in bytes."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(one.split()[1]) * 1024 for one in lines if one.startswith(field)), None)
