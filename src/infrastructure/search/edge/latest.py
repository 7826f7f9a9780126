"""What was read of the passages of the latest questions."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any


class Latest:
    """Values by owner and chunk id, at most ``most`` of all owners: the longest unused go first.
    An owner (any object) reads on one thread at a time."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[object, str], Any] = OrderedDict()
        self._lock = Lock()

    def of(
        self, owner: object, ids: Sequence[str], read: Callable[[Sequence[str]], Mapping[str, Any]]
    ) -> dict[str, Any]:
        """The values of ``ids``, in their order; ``read`` gives those that are not kept. What it
        leaves out is left out."""
        with self._lock:
            kept = [id for id in dict.fromkeys(ids) if (owner, id) in self._kept]
            known = {id: self._kept.pop((owner, id)) for id in kept}
        if unread := [id for id in ids if id not in known]:
            known |= read(unread)
        found = {id: known[id] for id in ids if id in known}
        with self._lock:
            self._kept.update(((owner, id), value) for id, value in found.items())
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return found
