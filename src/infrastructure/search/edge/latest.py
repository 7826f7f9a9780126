"""What was read of the passages of the latest questions."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any


class Latest(OrderedDict[str, Any]):
    """Values by chunk id, at most ``most``: the longest unused go first. Not thread-safe."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def of(
        self, ids: Sequence[str], read: Callable[[Sequence[str]], Mapping[str, Any]]
    ) -> dict[str, Any]:
        """The values of ``ids``, in their order; ``read`` gives those that are not kept. What it
        leaves out is left out."""
        known = {id: self.pop(id) for id in dict.fromkeys(ids) if id in self}
        if unread := [id for id in ids if id not in known]:
            known |= read(unread)
        found = {id: known[id] for id in ids if id in known}
        self.update(found)
        while len(self) > self._most:
            self.popitem(last=False)
        return found
