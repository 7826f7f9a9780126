"""The URIs of a library's documents: ``ndk://file/PROJECT/DOCUMENT``.

``PROJECT`` is the readable name of a project that no other has; ``DOCUMENT`` is the short
id. A passage is a resource below its document, ``DOCUMENT/START-END``, named by its
characters in the document's text; ``-`` is the project itself, ``collection/NAME`` and
``tag/NAME`` are those of its citations.
"""

import re

from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.maps.address import short_id
from citeloom.domain.projects.project_id import DEFAULT_NAMESPACE, ProjectId
from citeloom.domain.resources.uris import ResourceUri, chunk

FILE = "file"
WHOLE = "-"

_FULL = "proj-"
_ESCAPED = re.compile(r"~([0-9a-f]+)~")
_SPAN = re.compile(r"(0|[1-9][0-9]{0,11})-([1-9][0-9]{0,11})")


def subrealm_of(project_id: ProjectId) -> str:
    """The name of a project within URIs, where letters outside ASCII are ``_.hex.``."""
    escaped = project_id.collection.replace("_.", "_.5f..")
    return _ESCAPED.sub(r"_.\1.", escaped)


def names_in_short(project_id: ProjectId, subrealm: str) -> bool:
    """Whether a ``subrealm`` that names no project in full is what a person calls this one:
    its bare name, which one project of the namespace ``local`` has. A name that reads like
    one in full is none in short, so that the URI of a project that is gone names no other."""
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
    """Where the words of a passage are read: its one chunk."""
    return str(passage_uri(project_id, document_id, span).observable(chunk()))


def span_of(name: str) -> CharSpan | None:
    """The characters that the last part of a passage's path names, if it does."""
    found = _SPAN.fullmatch(name)
    if not found or int(found[1]) >= int(found[2]):
        return None
    return CharSpan(start=int(found[1]), end=int(found[2]))
