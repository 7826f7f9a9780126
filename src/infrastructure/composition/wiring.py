"""Properties that are made when they are asked for."""

from collections.abc import Callable
from threading import RLock
from typing import Any, Generic, Protocol, TypeVar

_T = TypeVar("_T")
# Held while anything is made: an adapter is made once, whichever thread asks first.
WIRING = RLock()


class Maker(Protocol):
    """What has such properties, and keeps what they made by their names."""

    made: dict[str, Any]


class Wired(Generic[_T]):
    """A property that is made on first use and kept, once, whichever thread asks first."""

    def __init__(self, make: "Callable[[Any], _T]") -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    def __get__(self, application: Maker, owner: type) -> _T:
        with WIRING:
            if self._name not in application.made:
                application.made[self._name] = self._make(application)
            made: _T = application.made[self._name]
            return made
