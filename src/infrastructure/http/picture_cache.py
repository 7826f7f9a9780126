"""Pictures of pages that were asked for before, in memory."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Final

#: Bytes of all pictures that are kept: some hundred pages.
MOST_BYTES: Final = 64_000_000


class PictureCache:
    """Pictures by entity tag, the one that was not used for longest forgotten first. For several
    threads; two that ask for the same new picture both make it."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._bytes = 0
        self._pictures: OrderedDict[str, bytes] = OrderedDict()
        self._lock = Lock()

    def picture(self, etag: str, make: Callable[[], bytes]) -> bytes:
        """Raises what ``make`` raises."""
        with self._lock:
            if (known := self._pictures.get(etag)) is not None:
                self._pictures.move_to_end(etag)
                return known
        made = make()
        with self._lock:
            self._bytes += len(made) - len(self._pictures.pop(etag, b""))
            self._pictures[etag] = made
            while self._bytes > self._most and self._pictures:
                self._bytes -= len(self._pictures.popitem(last=False)[1])
        return made
