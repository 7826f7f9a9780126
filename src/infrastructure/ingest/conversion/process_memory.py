"""Memory of this process: its limit, its peak, and what it holds."""

import sys
from contextlib import suppress
from pathlib import Path

from citeloom.domain.errors import DocumentTooLarge
from citeloom.domain.text.phrasing import sized


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


def too_much_memory(name: str, megabytes: int) -> DocumentTooLarge:
    """The error of the file ``name`` that needs more memory than its process may have."""
    return DocumentTooLarge(
        f"{name}: needs more than {sized(megabytes * 2**20)} of memory; split it, save it in a "
        "simpler form, or raise ingest.worker_memory_mb",
        memory_mb=megabytes,
    )


def ran_out(error: BaseException | None) -> bool:
    """Whether an error has a failed allocation among its causes."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, MemoryError):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


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
