"""What was read of the passages of the latest questions."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")


class Latest(Generic[T]):
    """Values by chunk id, at most ``most``: the longest unused go first. Not thread-safe."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[str, T] = OrderedDict()

    def of(
        self, ids: Sequence[str], read: Callable[[Sequence[str]], Mapping[str, T]]
    ) -> dict[str, T]:
        """The values of ``ids``, in their order; ``read`` gives those that are not kept. What it
        leaves out is left out."""
        found = {id: self._kept.pop(id) for id in dict.fromkeys(ids) if id in self._kept}
        if unread := [id for id in ids if id not in found]:
            found |= read(unread)
        found = {id: found[id] for id in ids if id in found}
        self._kept.update(found)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return found

    def clear(self) -> None:
        self._kept.clear()
