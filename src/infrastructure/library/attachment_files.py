"""Attachment files: located by the local API, or downloaded from the web API."""

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

from citeloom.domain.library import LibraryAttachment, LibraryKind, LinkMode
from citeloom.infrastructure.system.files import not_a_device, ordinary_file
from citeloom.infrastructure.system.http_client import NotAnswered

from .api_client import LOCAL_FILE, NotFound, ZoteroAccount, raise_for_status
from .api_reading import cached_file

_CHUNK = 1 << 16
_MAX_BYTES = 4 << 30  # what Zotero's file upload takes at most
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]')
_ENCODED = "%ZB64"  # suffix of base64-encoded names in Zotero's archives
_ATTEMPTS = 2
_MAX_NAME, _MAX_SUFFIX = 100, 12


def local_file(account: ZoteroAccount, attachment: LibraryAttachment) -> Path | None:
    """Path of the file on this machine; None if it does not exist."""
    if attachment.link_mode is LinkMode.LINKED_URL:
        return None
    try:
        response = _request_file(account, attachment)
    except (NotFound, _NotAFile):
        return None
    with closing(response):
        path = path_of(response.headers.get("location", ""))
    return path if path and path.is_file() else None


def data_dir_in(items: Iterable[Mapping[str, Any]]) -> Path | None:
    """Zotero's data directory, derived from the location of a stored file."""
    for item in items:
        path = path_of(str(item.get(LOCAL_FILE) or ""))
        if path and path.parent.name == item.get("key") and path.parents[1].name == "storage":
            return path.parents[2]
    return None


@dataclass(frozen=True)
class FileStore:
    """Files downloaded into ``folder``, by library and attachment. An existing file with the right
    MD5 is not downloaded again."""

    account: ZoteroAccount
    folder: Path

    def file(self, attachment: LibraryAttachment) -> Path | None:
        """None for links, and for files that are not in the storage. Raises NotAnswered if the
        download fails or its digest is wrong."""
        if attachment.link_mode not in (LinkMode.IMPORTED_FILE, LinkMode.IMPORTED_URL):
            return None
        path = self._path(attachment)
        if attachment.md5 and path.is_file() and _md5_of(path) == attachment.md5:
            return path
        reason = ""
        for _ in range(_ATTEMPTS):
            try:
                self._fetch(attachment, path)
            except (NotFound, _NotAFile):
                return None
            except _Damaged as error:
                reason = str(error)
                continue
            return path
        raise NotAnswered(reason)

    def _path(self, attachment: LibraryAttachment) -> Path:
        library = attachment.library
        is_user = library.kind is LibraryKind.USER
        library_folder = f"user-{self.account.user}" if is_user else f"group-{library.id}"
        return self.folder / library_folder / attachment.key / _safe_name(attachment)

    def _fetch(self, attachment: LibraryAttachment, path: Path) -> None:
        with (
            closing(_request_file(self.account, attachment)) as response,
            cached_file(path) as temporary,
        ):
            if location := response.headers.get("location"):
                # Another host's URL, signed by Zotero; it must not get the API key.
                with closing(_request(self.account, location, {})) as stored:
                    _save(stored, temporary)
            else:
                _save(response, temporary)
            if response.headers.get("zotero-file-compressed") == "Yes":
                _unpack(temporary, attachment.file_name or "")
            md5 = response.headers.get("zotero-file-md5") or attachment.md5
            if md5 and _md5_of(temporary) != md5:
                raise _Damaged("the downloaded file does not match Zotero's MD5")


class _NotAFile(Exception):
    """400: the attachment has no file."""


class _Damaged(Exception):
    """The downloaded content is not the file."""


def _request_file(account: ZoteroAccount, attachment: LibraryAttachment) -> httpx2.Response:
    """The response with the location of the file, or the file itself, its body unread."""
    url = account.url_of(attachment.library, f"items/{attachment.key}/file")
    return _request(account, url, account.headers())


def _request(account: ZoteroAccount, url: str, headers: dict[str, str]) -> httpx2.Response:
    request = account.client.build_request("GET", url, headers=headers)
    response = account.client.send(request, stream=True)
    if response.is_success or response.has_redirect_location:
        return response
    response.close()
    if response.status_code == httpx2.codes.BAD_REQUEST:
        raise _NotAFile
    raise_for_status(response)
    return response


def _save(response: httpx2.Response, path: Path) -> None:
    if not response.is_success:
        raise NotAnswered(f"the storage answers {response.status_code}")
    size = 0
    try:
        with path.open("wb") as file:
            for chunk in response.iter_bytes(_CHUNK):
                size += file.write(chunk)
                if size > _MAX_BYTES:
                    raise NotAnswered(f"the file has more than {_MAX_BYTES >> 30} GB")
    except httpx2.RequestError as error:
        raise _Damaged("the file ended in the middle") from error


def _unpack(path: Path, name: str) -> None:
    """Replace an archive by its member ``name``; other files of a web page are dropped."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = {_decoded(member.filename): member for member in archive.infolist()}
            member = members.get(name) or (
                next(iter(members.values())) if len(members) == 1 else None
            )
            if member is None or member.file_size > _MAX_BYTES:
                raise _Damaged(f"the downloaded archive does not contain {name}")
            content = archive.read(member)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError) as error:
        raise _Damaged("the downloaded archive cannot be read") from error
    path.write_bytes(content)


def _decoded(name: str) -> str:
    if not name.endswith(_ENCODED):
        return name
    try:
        return base64.b64decode(name.removesuffix(_ENCODED), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return name


def _safe_name(attachment: LibraryAttachment) -> str:
    """A file name that is valid on every system and stays in its folder."""
    name = not_a_device(_FORBIDDEN.sub("_", attachment.file_name or "").strip(" ."))
    suffix = Path(name).suffix[:_MAX_SUFFIX]
    return f"{name.removesuffix(suffix)[:_MAX_NAME]}{suffix}" if name else attachment.key


def path_of(location: str) -> Path | None:
    """Path of a ``file:`` URL on this machine; None for any other URL."""
    parts = urlsplit(location)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    return Path(url2pathname(parts.path))


def _md5_of(path: Path) -> str:
    with ordinary_file(path) as file:
        return hashlib.file_digest(file, "md5").hexdigest()
