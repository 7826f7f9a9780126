"""Files of attachments: where they lie on this machine, or fetched from the storage."""

import base64
import binascii
import hashlib
import re
import zipfile
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import httpx2

from citeloom.domain.library.snapshot import LibraryAttachment, LibraryKind, LinkMode
from citeloom.infrastructure.library.api.account import LOCAL_FILE, NotThere, ZoteroAccount, refuse
from citeloom.infrastructure.library.atomic_writer import Whole
from citeloom.infrastructure.library.http_client import NotAnswered

_CHUNK = 1 << 16
_LARGEST = 4 << 30  # what Zotero's file upload takes at most
_NOT_IN_A_NAME = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]')
_ENCODED = "%ZB64"  # Zotero's ending of names in its archives, with base64 before it
_AS_OFTEN = 2
_LONGEST_NAME, _LONGEST_ENDING = 100, 12


def local_file(account: ZoteroAccount, attachment: LibraryAttachment) -> Path | None:
    """Where Zotero on this machine keeps the file; None if it is not there."""
    if attachment.link_mode is LinkMode.LINKED_URL:
        return None
    try:
        answer = _ask(account, attachment)
    except (NotThere, _NotAFile):
        return None
    with closing(answer):
        path = path_of(answer.headers.get("location", ""))
    return path if path and path.is_file() else None


def data_dir_in(items: Iterable[Mapping[str, Any]]) -> Path | None:
    """Zotero's data directory, by where it says that one of its stored files lies."""
    for item in items:
        path = path_of(str(item.get(LOCAL_FILE) or ""))
        if path and path.parent.name == item.get("key") and path.parents[1].name == "storage":
            return path.parents[2]
    return None


@dataclass(frozen=True)
class FileStore:
    """Files fetched from Zotero's storage, below ``folder`` by library and attachment. One
    that lies there with the right MD5 is not fetched again."""

    account: ZoteroAccount
    folder: Path
    whole: Whole

    def file(self, attachment: LibraryAttachment) -> Path | None:
        """None for links, and for files that the storage does not have. Raises NotAnswered
        if it did not come, or came other than Zotero says that it is."""
        if attachment.link_mode not in (LinkMode.IMPORTED_FILE, LinkMode.IMPORTED_URL):
            return None
        path = self._path(attachment)
        if attachment.md5 and path.is_file() and _md5_of(path) == attachment.md5:
            return path
        reason = ""
        for _ in range(_AS_OFTEN):
            try:
                self._fetch(attachment, path)
            except (NotThere, _NotAFile):
                return None
            except _Damaged as error:
                reason = str(error)
                continue
            return path
        raise NotAnswered(reason)

    def _path(self, attachment: LibraryAttachment) -> Path:
        library = attachment.library
        own = library.kind is LibraryKind.USER
        shelf = f"user-{self.account.user}" if own else f"group-{library.id}"
        return self.folder / shelf / attachment.key / _safe_name(attachment)

    def _fetch(self, attachment: LibraryAttachment, path: Path) -> None:
        with closing(_ask(self.account, attachment)) as answer, self.whole(path) as temporary:
            if location := answer.headers.get("location"):
                # Another host's address, signed by Zotero: the key is not for that one.
                with closing(_opened(self.account, location, {})) as stored:
                    _save(stored, temporary)
            else:
                _save(answer, temporary)
            if answer.headers.get("zotero-file-compressed") == "Yes":
                _unpack(temporary, attachment.file_name or "")
            md5 = answer.headers.get("zotero-file-md5") or attachment.md5
            if md5 and _md5_of(temporary) != md5:
                raise _Damaged("the file that came has another MD5 than Zotero's")


class _NotAFile(Exception):
    """400: what was asked for has no file."""


class _Damaged(Exception):
    """What came is not the file."""


def _ask(account: ZoteroAccount, attachment: LibraryAttachment) -> httpx2.Response:
    """The answer to be told where the file is, or to get it, its body unread."""
    library = attachment.library
    own = library.kind is LibraryKind.USER
    prefix = f"users/{account.user}" if own else f"groups/{library.id}"
    url = account.at(f"{prefix}/items/{attachment.key}/file")
    return _opened(account, url, account.headers())


def _opened(account: ZoteroAccount, url: str, headers: dict[str, str]) -> httpx2.Response:
    request = account.client.build_request("GET", url, headers=headers)
    answer = account.client.send(request, stream=True)
    if answer.is_success or answer.has_redirect_location:
        return answer
    answer.close()
    if answer.status_code == httpx2.codes.BAD_REQUEST:
        raise _NotAFile
    refuse(answer)
    return answer


def _save(answer: httpx2.Response, path: Path) -> None:
    if not answer.is_success:
        raise NotAnswered(f"the storage answers {answer.status_code}")
    size = 0
    try:
        with path.open("wb") as file:
            for chunk in answer.iter_bytes(_CHUNK):
                size += file.write(chunk)
                if size > _LARGEST:
                    raise NotAnswered(f"the file has more than {_LARGEST >> 30} GB")
    except httpx2.RequestError as error:
        raise _Damaged("the file ended in the middle") from error


def _unpack(path: Path, name: str) -> None:
    """In place of an archive, its file ``name`` (a page's other files are left behind)."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = {_decoded(member.filename): member for member in archive.infolist()}
            member = members.get(name) or (
                next(iter(members.values())) if len(members) == 1 else None
            )
            if member is None or member.file_size > _LARGEST:
                raise _Damaged(f"the archive that came does not hold {name}")
            content = archive.read(member)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError) as error:
        raise _Damaged("the archive that came cannot be read") from error
    path.write_bytes(content)


def _decoded(name: str) -> str:
    if not name.endswith(_ENCODED):
        return name
    try:
        return base64.b64decode(name.removesuffix(_ENCODED), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return name


def _safe_name(attachment: LibraryAttachment) -> str:
    """A name that stays in its folder on every system."""
    name = _NOT_IN_A_NAME.sub("_", attachment.file_name or "").strip(" .")
    ending = Path(name).suffix[:_LONGEST_ENDING]
    return f"{name.removesuffix(ending)[:_LONGEST_NAME]}{ending}" if name else attachment.key


def path_of(location: str) -> Path | None:
    """Of a ``file:`` address on this machine; None for any other."""
    parts = urlsplit(location)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    return Path(url2pathname(parts.path))


def _md5_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "md5").hexdigest()
