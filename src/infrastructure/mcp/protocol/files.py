"""Files of an answer as resources: evidence that resolve has cut out, and sources of documents."""

import base64
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote

from mcp.types import BlobResourceContents

from citeloom.domain.errors import InvalidSource, NothingThere
from citeloom.domain.maps.address import short_id
from citeloom.domain.naming.names import parse_spelling
from citeloom.domain.text.phrasing import sized
from citeloom.infrastructure.serving.mime_types import mime_type_of
from citeloom.infrastructure.serving.next_steps import if_offered

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

EVIDENCE_URI: Final = "citeloom://evidence/{name}"
SOURCE_URI: Final = "citeloom://sources/{document}"
#: Bytes of a file that is handed over; base64 makes them a third more.
MOST_BYTES: Final = 5 * 2**20

_EVIDENCE: Final = re.compile(r"citeloom://evidence/([^/\\]+)")
_SOURCE: Final = re.compile(r"citeloom://sources/([0-9a-f]{16,64})")


def evidence_uri(name: str) -> str:
    return EVIDENCE_URI.format(name=quote(name, safe=""))


def source_uri(document_id: str) -> str:
    return SOURCE_URI.format(document=short_id(document_id))


def read_file(application: "Application", uri: str) -> BlobResourceContents | None:
    """The file that a URI names; None for another URI. Raises NothingThere, DocumentNotFound, and
    InvalidSource for a file that is too large, gone or changed."""
    if named := _EVIDENCE.fullmatch(uri):
        found = application.maps.evidence.find(unquote(named[1]))
        if found is None:
            again = if_offered("resolve", "; call resolve again")
            raise NothingThere(f"{uri}: is there no longer{again}", uri=uri)
        return _contents(uri, found.path, _bytes(found.path))
    if named := _SOURCE.fullmatch(uri):
        return _source(application, uri, named[1])
    return None


def _source(application: "Application", uri: str, document: str) -> BlobResourceContents:
    stored = application.stores.documents.find(parse_spelling(f"doc://{document}"))
    try:
        path = application.resources.sources.unchanged(stored)
    except InvalidSource as error:
        text = if_offered("open_page", "; open_page has its text")
        raise InvalidSource(f"{error.message}{text}") from error
    return _contents(uri, path, _bytes(path))


def _bytes(path: Path) -> bytes:
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise InvalidSource(
            f"{path.name}: has {sized(size)}, more than the {sized(MOST_BYTES)} that are handed "
            f"over{if_offered('resolve', '; resolve some of its pages')}"
        )
    return path.read_bytes()


def _contents(uri: str, path: Path, data: bytes) -> BlobResourceContents:
    blob = base64.b64encode(data).decode("ascii")
    return BlobResourceContents(uri=uri, mime_type=mime_type_of(path), blob=blob)
