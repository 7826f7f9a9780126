"""Zotero local API: the library of the Zotero running on this machine."""

from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

from citeloom.domain.library.snapshot import LibraryAttachment
from citeloom.infrastructure.library.api.account import Forbidden, ZoteroAccount
from citeloom.infrastructure.library.api.attachment_files import local_file
from citeloom.infrastructure.library.api.cache import LibraryCache
from citeloom.infrastructure.library.api.snapshot import LibraryReader
from citeloom.infrastructure.library.api.source import ApiAccess, Session, ZoteroApi
from citeloom.infrastructure.library.http_client import NotAnswered, RetryPolicy, on_this_machine

_API = "/api"
LOCAL_URL = "http://localhost:23119" + _API
# There is no limit, but Zotero builds a whole page before it sends any of it.
_PAGE = 1000
_CURRENT_USER = 0


class ZoteroLocalApi(ZoteroApi):
    """Requests need no key and no pauses (Zotero's documentation, "Local API").

    Zotero 10 and later increment a version with each change and give their database an id
    (``Zotero-Server-ID``), so that only changes are read. Earlier ones report the versions of the
    last sync, which local changes do not increment; there everything is read each time.
    """

    name: ClassVar[str] = "local API"

    def __init__(self, access: ApiAccess, place: str = LOCAL_URL) -> None:
        has_path = bool(urlsplit(place).path.strip("/"))
        super().__init__(place if has_path else place.rstrip("/") + _API, access)
        self._account = ZoteroAccount(
            self.place,
            RetryPolicy(timeout=access.timeout),
            access.clock,
            local=True,
            user=_CURRENT_USER,
            page=_PAGE,
        )

    @property
    def asks_network(self) -> bool:
        rpc = self._access.better_bibtex
        return not on_this_machine(self.place) or (rpc is not None and rpc.asks_network)

    def close(self) -> None:
        super().close()
        self._account.close()

    def _session(self) -> Session:
        server = self._account.root("").headers.get("zotero-server-id")
        self._account.require_server(server)
        cache = LibraryCache(self._access.folder, f"local {server}") if server else None
        reader = LibraryReader(self._account, cache, lists_deletions=False)
        return Session(self._account, reader, versioned=server is not None)

    def _fetch(self, session: Session, attachment: LibraryAttachment) -> Path | None:
        return local_file(session.account, attachment)

    def _next_step(self, error: NotAnswered) -> str:
        if isinstance(error, Forbidden):
            return (
                "switch on Settings → Advanced → Allow other applications on this computer to "
                "communicate with Zotero"
            )
        return "start Zotero 7 or later, or let its database be read"
