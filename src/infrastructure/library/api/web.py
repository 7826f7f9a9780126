"""Zotero's web API: a library as it was last synced, from anywhere."""

import hashlib
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

from citeloom.domain.library.snapshot import LibraryAttachment
from citeloom.infrastructure.library.api.account import Forbidden, NotThere, ZoteroAccount
from citeloom.infrastructure.library.api.attachment_files import FileStore
from citeloom.infrastructure.library.api.cache import LibraryCache
from citeloom.infrastructure.library.api.snapshot import LibraryReader
from citeloom.infrastructure.library.api.source import Means, Session, ZoteroApi
from citeloom.infrastructure.library.http_client import NotAnswered, RetryPolicy

WEB_URL = "https://api.zotero.org"
_PAGE = 100  # the most that it gives at once
_INTERVAL = 0.5
_KEYS = "zotero.org/settings/keys"


class ZoteroWebApi(ZoteroApi):
    """Asks the network: at most two requests in a second, only for changes where a library
    was read before, and for files only when they are wanted. ``user`` is the number of the
    account; without it the key tells."""

    name: ClassVar[str] = "web API"

    def __init__(
        self,
        means: Means,
        *,
        api_key: str = "",
        user: int | None = None,
        place: str = WEB_URL,
    ) -> None:
        super().__init__(place, means)
        self._api_key, self._user = api_key, user
        self._account: ZoteroAccount | None = None

    @property
    def asks_network(self) -> bool:
        return True

    def close(self) -> None:
        super().close()
        if self._account is not None:
            self._account.close()

    def _session(self) -> Session:
        account = self._account = self._account or self._entered()
        rights = hashlib.sha256(self._api_key.encode()).hexdigest()
        origin = f"web {account.user}\n{self.place}\n{rights}"
        holdings = LibraryCache(self._means.folder, origin, self._means.whole)
        return Session(account, LibraryReader(account, holdings, lists_deletions=True), True)

    def _entered(self) -> ZoteroAccount:
        if not self._api_key and self._user is None:
            raise Forbidden("it is not known whose library is meant")
        account = ZoteroAccount(
            self.place,
            RetryPolicy(timeout=self._means.timeout, interval=_INTERVAL),
            self._means.clock,
            local=False,
            user=self._user or 0,
            api_key=self._api_key or None,
            page=_PAGE,
        )
        if self._user is None:
            try:
                account.user = int(account.root("keys/current").json()["userID"])
            except (NotThere, KeyError, TypeError, ValueError) as error:
                raise Forbidden("it does not know the key") from error
        return account

    def _fetched(self, session: Session, attachment: LibraryAttachment) -> Path | None:
        folder = self._means.folder / "files"
        return FileStore(session.account, folder, self._means.whole).file(attachment)

    def _next_step(self, error: NotAnswered) -> str:
        if isinstance(error, Forbidden):
            return f"check zotero.api_key and zotero.user_id, and what the key may read ({_KEYS})"
        host = urlsplit(self.place).hostname
        return f"see that {host} can be reached and try again later, or read from this machine"
