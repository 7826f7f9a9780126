"""Zotero's local API: the library of whoever runs Zotero on this machine."""

from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

from citeloom.domain.library.snapshot import LibraryAttachment
from citeloom.infrastructure.library.api.account import Forbidden, ZoteroAccount
from citeloom.infrastructure.library.api.attachment_files import local_file
from citeloom.infrastructure.library.api.cache import LibraryCache
from citeloom.infrastructure.library.api.snapshot import LibraryReader
from citeloom.infrastructure.library.api.source import Means, Session, ZoteroApi
from citeloom.infrastructure.library.http_client import NotAnswered, RetryPolicy, on_this_machine

_API = "/api"
LOCAL_URL = "http://localhost:23119" + _API
# There is no limit; Zotero puts a page together whole before it sends any of it.
_PAGE = 1000
_WHOEVER = 0


class ZoteroLocalApi(ZoteroApi):
    """Read with no key and no pauses, as Zotero's documentation ("Local API") has it.

    Zotero 10 and later count a version of their own with each change and give their database
    an id (``Zotero-Server-ID``): there only changes are read. Earlier ones show the versions
    of the last sync, which do not move when something is changed on this machine: there all
    is read each time.
    """

    name: ClassVar[str] = "local API"

    def __init__(self, means: Means, place: str = LOCAL_URL) -> None:
        has_path = bool(urlsplit(place).path.strip("/"))
        super().__init__(place if has_path else place.rstrip("/") + _API, means)
        self._account = ZoteroAccount(
            self.place,
            RetryPolicy(timeout=means.timeout),
            means.clock,
            local=True,
            user=_WHOEVER,
            page=_PAGE,
        )

    @property
    def asks_network(self) -> bool:
        rpc = self._means.better_bibtex
        return not on_this_machine(self.place) or (rpc is not None and rpc.asks_network)

    def close(self) -> None:
        super().close()
        self._account.close()

    def _session(self) -> Session:
        server = self._account.root("").headers.get("zotero-server-id")
        self._account.expect(server)
        holdings = (
            LibraryCache(self._means.folder, f"local {server}", self._means.whole)
            if server
            else None
        )
        reader = LibraryReader(self._account, holdings, lists_deletions=False)
        return Session(self._account, reader, versioned=server is not None)

    def _fetched(self, session: Session, attachment: LibraryAttachment) -> Path | None:
        return local_file(session.account, attachment)

    def _next_step(self, error: NotAnswered) -> str:
        if isinstance(error, Forbidden):
            return (
                "switch on Settings → Advanced → Allow other applications on this computer to "
                "communicate with Zotero"
            )
        return "start Zotero 7 or later, or let its database be read"
