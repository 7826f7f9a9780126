"""Zotero web API: libraries as of their last synchronization."""

import hashlib
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

from citeloom.domain.library.snapshot import LibraryAttachment
from citeloom.infrastructure.library.api.account import Forbidden, NotFound, ZoteroAccount
from citeloom.infrastructure.library.api.attachment_files import FileStore
from citeloom.infrastructure.library.api.cache import LibraryCache
from citeloom.infrastructure.library.api.snapshot import LibraryReader
from citeloom.infrastructure.library.api.source import ApiAccess, Session, ZoteroApi
from citeloom.infrastructure.library.http_client import NotAnswered, RetryPolicy

WEB_URL = "https://api.zotero.org"
_PAGE = 100  # maximum of the API
_SECONDS_BETWEEN_REQUESTS = 0.5
_KEYS_PAGE = "zotero.org/settings/keys"


class ZoteroWebApi(ZoteroApi):
    """Sends at most two requests per second, requests only the changes of a cached library, and
    downloads files on demand. ``user`` is the number of the account; by default that of the key."""

    name: ClassVar[str] = "web API"

    def __init__(
        self,
        access: ApiAccess,
        *,
        api_key: str = "",
        user: int | None = None,
        place: str = WEB_URL,
    ) -> None:
        super().__init__(place, access)
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
        account = self._account = self._account or self._sign_in()
        rights = hashlib.sha256(self._api_key.encode()).hexdigest()
        origin = f"web {account.user}\n{self.place}\n{rights}"
        cache = LibraryCache(self._access.folder, origin)
        return Session(account, LibraryReader(account, cache, lists_deletions=True), True)

    def _sign_in(self) -> ZoteroAccount:
        if not self._api_key and self._user is None:
            raise Forbidden("it is not known whose library is meant")
        account = ZoteroAccount(
            self.place,
            RetryPolicy(timeout=self._access.timeout, interval=_SECONDS_BETWEEN_REQUESTS),
            self._access.clock,
            local=False,
            user=self._user or 0,
            api_key=self._api_key or None,
            page=_PAGE,
        )
        if self._user is None:
            try:
                account.user = int(account.root("keys/current").json()["userID"])
            except (NotFound, KeyError, TypeError, ValueError) as error:
                raise Forbidden("it does not know the key") from error
        return account

    def _fetch(self, session: Session, attachment: LibraryAttachment) -> Path | None:
        folder = self._access.folder / "files"
        return FileStore(session.account, folder).file(attachment)

    def _next_step(self, error: NotAnswered) -> str:
        if isinstance(error, Forbidden):
            return (
                f"check zotero.api_key and zotero.user_id, and what the key may read ({_KEYS_PAGE})"
            )
        host = urlsplit(self.place).hostname
        return f"see that {host} can be reached and try again later, or read from this machine"
