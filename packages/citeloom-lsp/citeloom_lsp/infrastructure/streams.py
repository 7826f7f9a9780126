"""Standard streams of the server, and its end with that of the client."""

import logging
import os
import threading
import time
from typing import BinaryIO, Final

_POLL_SECONDS: Final = 2.0
_log: Final = logging.getLogger(__name__)


def take_streams() -> tuple[BinaryIO, BinaryIO]:
    """The input and output of the protocol, which nothing else has from here on: what libraries
    and programs print goes to standard error, and they find no input."""
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return incoming, outgoing


def end_with(process_id: int | None) -> None:
    """End this process when the client's is no more: its pipe may be held open by others. A
    process that cannot be seen from here (another machine or container) is not waited for."""
    # Windows has no harmless signal; the end of the input must do there.
    if process_id is None or os.name == "nt" or not _lives(process_id):
        return
    watcher = threading.Thread(
        target=_watch, args=(process_id,), name="parent-watcher", daemon=True
    )
    watcher.start()


def _watch(process_id: int) -> None:
    while _lives(process_id):
        time.sleep(_POLL_SECONDS)
    _log.warning("citeloom lsp: the client is gone")
    os._exit(1)


def _lives(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
