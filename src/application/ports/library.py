"""Port: a library that items, files and annotations are read from, never written to."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from citeloom.domain.library import LibraryAttachment, LibraryRef, LibraryScope, LibrarySnapshot
from citeloom.domain.values import Value


class LibraryStatus(Value):
    """What a source is and whether it answers, without reading its items.

    ``name`` tells it from others (``zotero.sqlite``, ``local API``, ``web API``); ``place`` is
    a path or an address; ``state`` is that of a snapshot taken now.
    """

    name: str
    place: str
    state: str
    libraries: Sequence[LibraryRef] = ()
    items: int = 0
    attachments: int = 0
    notes: int = 0
    annotations: int = 0
    notices: tuple[str, ...] = ()


class LibrarySource(Protocol):
    """One way to a library. Any method may raise LibraryUnavailable, naming the source, the
    reason and the next step; ``asks_network`` says whether calls leave this machine."""

    @property
    def name(self) -> str: ...

    @property
    def asks_network(self) -> bool: ...

    def status(self) -> LibraryStatus: ...

    def snapshot(self, scope: LibraryScope) -> LibrarySnapshot:
        """Raises InvalidRequest for a collection or group that is not there, naming those
        that are."""

    def file(self, attachment: LibraryAttachment) -> Path | None:
        """The attachment's file on this machine, fetched if need be; None if it has none (a
        link), or if it is not there. Raises LibraryUnavailable where fetching failed."""

    def close(self) -> None: ...
