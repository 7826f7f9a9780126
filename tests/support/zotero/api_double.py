"""Zotero on the loopback, in the process: its local API, its web API, Better BibTeX's RPC.

Built from what is published: zotero.org/support/dev/web_api/v3 (basics, syncing, local_api,
file_upload) and retorque.re/zotero-better-bibtex/exporting/json-rpc. One account stands behind
the three, so that the same library can be read by each way. The local API answers below
``/api``, the web API at the root, the storage that the web API sends to below ``/storage`` of
another host name. ``faults`` makes a request go wrong.
"""

import hashlib
import io
import json
import threading
import time
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from support.servers.loopback import LoopbackServer, OwnedHandler
from support.zotero import better_bibtex_double
from support.zotero.account import Library

USER = 475425
API_KEY = "P9NiFoyLeZu2bZNvvuQPDWsd"
_LARGEST_PAGE = 100
_DEFAULT_PAGE = 25

Change = Callable[[], object]


@dataclass
class Fault:
    """What happens to requests whose target holds ``only`` (after ``skip`` of them, ``times``
    times): a status, silence for some seconds, an answer that breaks off (``cut``) or is no
    JSON (``garble``), another ``body``, a page without its last objects, a wrong ``total``.
    With ``then`` alone the answer is right, but the library changes before it is made."""

    only: str = ""
    skip: int = 0
    times: int = 1
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    cut: bool = False
    garble: bool = False
    body: str = ""
    shorten: int = 0
    total: int | None = None
    then: Change | None = None


@dataclass
class _Answer:
    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


def _text(status: int, text: str) -> _Answer:
    return _Answer(status, text.encode(), {"Content-Type": "text/plain"})


def _json(value: Any, **headers: str) -> _Answer:
    return _Answer(200, json.dumps(value).encode(), {"Content-Type": "application/json"} | headers)


class _Handler(OwnedHandler, BaseHTTPRequestHandler):
    owner: "ZoteroDouble"
    disable_nagle_algorithm = True  # else each answer waits 40 ms for its headers' receipt

    def do_GET(self) -> None:
        self._handle(None)

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self._handle(json.loads(self.rfile.read(length)))

    def do_PUT(self) -> None:
        self._send(_text(405, "this double is read-only"))

    def do_DELETE(self) -> None:
        self.do_PUT()

    def _handle(self, body: Any) -> None:
        owner = self.owner
        with owner.turn:
            owner.seen.append(self.path)
            owner.headers.append({name.lower(): value for name, value in self.headers.items()})
            fault = owner.take_fault(self.path)
            if fault and fault.then:
                fault.then()
            answer = self._answer(body, fault)
        if fault and fault.seconds:
            time.sleep(fault.seconds)
            self.close_connection = True
        elif fault and fault.status:
            self._send(_Answer(fault.status, b"made up", dict(fault.headers)))
        elif fault and (fault.cut or fault.garble):
            half = answer.body[: len(answer.body) // 2]
            size = len(answer.body if fault.cut else half)
            self._send(_Answer(answer.status, half, answer.headers), length=size)
            self.close_connection = fault.cut
        else:
            if fault and fault.body:
                answer.body = fault.body.encode()
            answer.headers.update(fault.headers if fault else {})
            self._send(answer)

    def _answer(self, body: Any, fault: Fault | None) -> _Answer:
        target = urlsplit(self.path)
        parts = target.path.strip("/").split("/")
        asked = dict(parse_qsl(target.query))
        if parts[0] == "better-bibtex":
            return _better_bibtex(self.owner, parts[1:], asked, body)
        if parts[0] == "storage":
            return _storage(self.owner, parts[1:])
        local = parts[0] == "api"
        answer = (self._local if local else self._web)(parts[local:], asked, fault)
        answer.headers.setdefault("Zotero-API-Version", "3")
        if local and self.owner.server_id:
            answer.headers["Zotero-Server-ID"] = self.owner.server_id
        return answer

    def _local(self, parts: list[str], asked: dict[str, str], fault: Fault | None) -> _Answer:
        owner, known = self.owner, self.headers.get("Zotero-Server-ID")
        if not owner.local_enabled:
            return _text(403, "Local API is not enabled")
        if known and known != owner.server_id:
            return _text(412, "Zotero-Server-ID does not match")
        if parts == [""] or not parts:
            return _text(200, "Nothing to see here.")
        if parts[0] == "users" and parts[1] not in ("0", str(USER)):
            return _text(400, f"Only data for the logged-in user is available -- use 0 or {USER}")
        if parts[2:] == ["groups"]:
            return _json([_group(group) for group in owner.groups.values()])
        library = owner.user if parts[0] == "users" else owner.groups.get(int(parts[1]))
        if library is None or parts[2] == "deleted":
            return _text(404, "Not found")
        if parts[-1] == "file":
            if (path := self.owner.place(library, parts[3])) is None:
                return _text(404, "Not found")
            return _Answer(302, b"", {"Location": path.as_uri()})
        return self._objects(library, parts[2:], asked, fault, largest=None)

    def _web(self, parts: list[str], asked: dict[str, str], fault: Fault | None) -> _Answer:
        owner, given = self.owner, self.headers.get("Authorization", "").removeprefix("Bearer ")
        if (given or self.headers.get("Zotero-API-Key")) != API_KEY:
            return _text(403, "Forbidden")
        if parts == ["keys", "current"]:
            access = {"user": {"library": True, "files": True, "notes": True},
                      "groups": {"all": {"library": True}}}  # fmt: skip
            return _json({"key": API_KEY, "userID": USER, "username": "ann", "access": access})
        if parts[0] == "users" and parts[1] != str(USER):
            return _text(403, "Forbidden")
        if parts[2:] == ["groups"]:
            groups = [_group(group) for group in owner.groups.values()]
            return self._page(groups, len(groups), asked, _LARGEST_PAGE, {})
        library = owner.user if parts[0] == "users" else owner.groups.get(int(parts[1]))
        if library is None:
            return _text(404, "Group not found")
        if parts[2] == "deleted":
            return self._deleted(library, asked)
        if parts[-1] == "file":
            return self._file(library, parts[3])
        return self._objects(library, parts[2:], asked, fault, largest=_LARGEST_PAGE)

    def _deleted(self, library: Library, asked: dict[str, str]) -> _Answer:
        if "since" not in asked:
            return _text(400, "'since' parameter must be provided")
        since = int(asked["since"])
        gone = {kind: [key for key, at in keys.items() if at > since]
                for kind, keys in library.deleted.items()}  # fmt: skip
        version = {"Last-Modified-Version": str(library.version)}
        return _json(gone | {"searches": [], "tags": [], "settings": []}, **version)

    def _file(self, library: Library, key: str) -> _Answer:
        if (held := self.owner.content(library, key)) is None:
            return _text(404, "Not found")
        content, zipped = held
        return _Answer(302, b"", {
            "Location": f"http://localhost:{self.owner.port}/storage/{library.prefix}/{key}",
            "Zotero-File-MD5": hashlib.md5(content).hexdigest(),
            "Zotero-File-Compressed": "Yes" if zipped else "No",
        })  # fmt: skip

    def _objects(
        self,
        library: Library,
        rest: list[str],
        asked: dict[str, str],
        fault: Fault | None,
        *,
        largest: int | None,
    ) -> _Answer:
        known = getattr(library, rest[0], None)
        if rest[0] not in ("items", "collections") or known is None:
            return _text(404, "Not found")
        if len(rest) == 2 and rest[1] not in ("top", "trash"):
            found = known.get(rest[1])
            return _json(_shown(library, found)) if found else _text(404, "Not found")
        since = int(self.headers.get("If-Modified-Since-Version") or 0)
        version = {"Last-Modified-Version": str(library.version)}
        if since and library.version <= since:
            return _Answer(304, b"", version)
        field, falls = asked.get("sort", "dateModified"), asked.get("direction") != "asc"
        chosen = sorted(
            (one for one in known.values() if _wanted(one, rest, asked)),
            key=lambda one: (one.get(field, ""), one["key"]),
            reverse=falls,
        )
        if asked.get("format") == "versions":
            return _json({one["key"]: one["version"] for one in chosen}, **version)
        shown = [_shown(library, one) for one in chosen]
        for one in shown if largest is None else ():
            if path := self.owner.place(library, one["key"]):
                one["links"] = {"enclosure": {"href": path.as_uri(), "title": path.name}}
        total = len(shown) if not fault or fault.total is None else fault.total
        answer = self._page(shown, total, asked, largest, version)
        if fault and fault.shorten:
            page = json.loads(answer.body)
            answer.body = json.dumps(page[: -fault.shorten]).encode()
        return answer

    def _page(
        self,
        shown: list[dict[str, Any]],
        total: int,
        asked: dict[str, str],
        largest: int | None,
        headers: dict[str, str],
    ) -> _Answer:
        start = int(asked.get("start") or 0)
        default = len(shown) if largest is None else _DEFAULT_PAGE
        limit = min(int(asked.get("limit") or default), largest or len(shown)) or 1
        links = {}
        if start + limit < len(shown):
            links["next"] = start + limit
        if limit < len(shown):
            links["last"] = (len(shown) - 1) // limit * limit
        path = urlsplit(self.path).path
        link = ", ".join(
            f'<{self.owner.url}{path}?{urlencode(asked | {"start": at})}>; rel="{rel}"'
            for rel, at in links.items()
        )
        extra = {"Total-Results": str(total)} | headers | ({"Link": link} if link else {})
        return _json(shown[start : start + limit], **extra)

    def _send(self, answer: _Answer, length: int | None = None) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.status != 304:
            size = len(answer.body) if length is None else length
            self.send_header("Content-Length", str(size))
        self.end_headers()
        self.wfile.write(answer.body)


def _group(group: Library) -> dict[str, Any]:
    data = {"id": group.number, "version": 1, "name": group.name, "type": "Private"}
    return {"id": group.number, "version": 1, "data": data, "meta": {}}


def _shown(library: Library, one: Mapping[str, Any]) -> dict[str, Any]:
    which = {"type": library.kind, "id": library.number, "name": library.name}
    return {"key": one["key"], "version": one["version"], "library": which, "links": {},
            "meta": {}, "data": dict(one)}  # fmt: skip


def _wanted(one: Mapping[str, Any], rest: list[str], asked: Mapping[str, str]) -> bool:
    if rest[0] == "collections":
        return bool(one["version"] > int(asked.get("since") or 0))
    trashed = bool(one.get("deleted"))
    if rest[1:] == ["trash"]:
        return trashed
    if trashed and asked.get("includeTrashed") != "1":
        return False
    if rest[1:] == ["top"] and one.get("parentItem"):
        return False
    if since := int(asked.get("since") or 0):
        return bool(one["version"] > since)
    types = [kind.strip() for kind in asked.get("itemType", "").split("||") if kind.strip()]
    return not types or one["itemType"] in types


def _storage(owner: "ZoteroDouble", parts: list[str]) -> _Answer:
    """The files' host knows no keys: whoever sends one there gives it away."""
    number = int(parts[1])
    library = owner.user if parts[0] == "users" else owner.groups[number]
    content, zipped = owner.content(library, parts[2]) or (b"", False)
    if zipped:
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w") as archive:
            archive.writestr(library.items[parts[2]]["filename"], content)
            archive.writestr("style.css", "p { color: black }")
        content = held.getvalue()
    return _Answer(200, content, {"Content-Type": "application/octet-stream"})


def _better_bibtex(
    owner: "ZoteroDouble", parts: list[str], asked: Mapping[str, str], body: Any
) -> _Answer:
    if not owner.better_bibtex:
        return _text(404, "No endpoint found")
    if parts == ["cayw"]:
        return _text(200, "ready" if "probe" in asked else "")
    libraries = [owner.user, *owner.groups.values()]
    return _json(better_bibtex_double.answer(body, libraries, owner.citation_keys))


class ZoteroDouble(LoopbackServer):
    """``local_url``, ``web_url`` and ``rpc_url`` after ``start``. ``server_id`` is what Zotero
    10 says of itself; without it the local API counts versions as Zotero 7 to 9 do. ``seen``
    are the targets of the requests, ``headers`` what came with each. ``data_dir`` has the stored
    files, in ``storage/KEY``."""

    handler = _Handler

    def __init__(
        self,
        *,
        server_id: str | None = "sPMHtLD6HHBd",
        citation_keys: Mapping[tuple[int, str], str] | None = None,
        better_bibtex: bool = True,
        local_enabled: bool = True,
    ) -> None:
        self.server_id = server_id
        self.better_bibtex = better_bibtex
        self.local_enabled = local_enabled
        self.data_dir: Path | None = None
        self.citation_keys = dict(citation_keys or {})
        self.user = Library("user", USER, "My Library", 1)
        self.groups: dict[int, Library] = {}
        self.faults: list[Fault] = []
        self.seen: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.turn = threading.RLock()

    def group(self, number: int, name: str) -> Library:
        return self.groups.setdefault(number, Library("group", number, name, len(self.groups) + 2))

    @property
    def web_url(self) -> str:
        return self.url

    @property
    def local_url(self) -> str:
        return f"{self.url}/api"

    def take_fault(self, target: str) -> Fault | None:
        for fault in self.faults:
            if fault.only in target:
                if fault.skip:
                    fault.skip -= 1
                    continue
                fault.times -= 1
                if not fault.times:
                    self.faults.remove(fault)
                return fault
        return None

    def place(self, library: Library, key: str) -> Path | None:
        """Where Zotero on this machine has, or would have, the file of an attachment."""
        stored = library.items.get(key, {})
        if key in library.paths or self.data_dir is None:
            return library.paths.get(key)
        if stored.get("linkMode") not in ("imported_file", "imported_url"):
            return None
        return self.data_dir / "storage" / key / str(stored["filename"])

    def content(self, library: Library, key: str) -> tuple[bytes, bool] | None:
        """The file as the web API's storage has it, and whether as an archive."""
        path = self.place(library, key)
        if key not in library.files and path and path.is_file():
            return path.read_bytes(), False
        return library.files.get(key)

    def requests(self, part: str = "") -> list[str]:
        return [target for target in self.seen if part in target]
