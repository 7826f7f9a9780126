"""Knowledge URIs of projects, documents and passages: ``ndk://file/PROJECT/DOCUMENT``.

``PROJECT`` is the project's unique readable name; ``DOCUMENT`` the short id. A passage is
``DOCUMENT/START-END``, by its character offsets in the document's text, a page of the file
``DOCUMENT/page/NUMBER``, its picture ``DOCUMENT/page/NUMBER.png``; ``-`` is the project itself,
``collection/NAME`` and ``tag/NAME`` are those of its citations.
"""

import re
from collections.abc import Sequence

from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.maps.address import short_id
from citeloom.domain.projects.project_id import DEFAULT_NAMESPACE, ProjectId
from citeloom.domain.resources.uris import ResourceUri, chunk

FILE = "file"
WHOLE = "-"

_FULL = "proj-"
_ESCAPED = re.compile(r"~([0-9a-f]+)~")
_PAGE = "page"
_NUMBER = re.compile(r"[1-9][0-9]{0,5}")
_SPAN = re.compile(r"(0|[1-9][0-9]{0,11})-([1-9][0-9]{0,11})")


def subrealm_of(project_id: ProjectId) -> str:
    """The name of a project in URIs; non-ASCII letters are ``_.hex.``."""
    escaped = project_id.collection.replace("_.", "_.5f..")
    return _ESCAPED.sub(r"_.\1.", escaped)


def is_short_name_of(project_id: ProjectId, subrealm: str) -> bool:
    """Whether ``subrealm`` is the bare name of this project of the namespace ``local``. A name
    that looks like a full one is never a short one, so that the URI of a deleted project
    resolves to no other."""
    return (
        project_id.namespace == DEFAULT_NAMESPACE
        and project_id.name == subrealm
        and not subrealm.startswith(_FULL)
    )


def project_uri(project_id: ProjectId) -> ResourceUri:
    return ResourceUri(realm=FILE, subrealm=subrealm_of(project_id), path=(WHOLE,))


def document_uri(project_id: ProjectId, document_id: str) -> ResourceUri:
    path = (short_id(document_id),)
    return ResourceUri(realm=FILE, subrealm=subrealm_of(project_id), path=path)


def passage_uri(project_id: ProjectId, document_id: str, span: CharSpan) -> ResourceUri:
    name = f"{span.start}-{span.end}"
    path = (short_id(document_id), name)
    return ResourceUri(realm=FILE, subrealm=subrealm_of(project_id), path=path)


def passage_text_uri(project_id: ProjectId, document_id: str, span: CharSpan) -> str:
    """The URI of a passage's text: its one chunk."""
    return str(passage_uri(project_id, document_id, span).observable(chunk()))


def span_of(name: str) -> CharSpan | None:
    """The character span of the last part of a passage's path; None if it is none."""
    match = _SPAN.fullmatch(name)
    if not match or int(match[1]) >= int(match[2]):
        return None
    return CharSpan(start=int(match[1]), end=int(match[2]))


def page_uri(project_id: ProjectId, document_id: str, page: int, suffix: str = "") -> str:
    """The URI of a page of the file, from 1, or of its picture (``suffix`` is ``.png``)."""
    path = (short_id(document_id), _PAGE, f"{page}{suffix}")
    return str(ResourceUri(realm=FILE, subrealm=subrealm_of(project_id), path=path))


def page_of(path: Sequence[str]) -> int | None:
    """The page of the file that a path names, from 1; None if it names none."""
    if len(path) != 3 or path[1] != _PAGE:
        return None
    number = path[2].removesuffix(".png")
    return int(number) if _NUMBER.fullmatch(number) else None
