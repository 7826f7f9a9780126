"""Attributes of resources, from what the catalogue knows of them."""

import hashlib
from collections.abc import Sequence
from pathlib import PurePath

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.domain.errors import InvalidUri
from citeloom.domain.projects.project import Project
from citeloom.domain.resources.attributes import ResourceAttrs, parse_web_url

_TAG = 16
"""Hex digits of a revision's tag."""


def attributes_of(document: StoredDocument, description: str | None) -> ResourceAttrs:
    """The content's revision is the file's content and how it was converted; that of the
    rest is the citation. When the file was made is not known."""
    citation = document.citation
    source = document.path or document.document_id
    title = citation.title if citation else document.title
    cited = citation.model_dump_json() if citation else ""
    return ResourceAttrs(
        name=title or PurePath(source.replace("\\", "/")).name,
        mime_type=document.mime_type,
        description=description,
        citation_url=citation_url(document),
        updated_at=document.stored_at,
        revision_data=_tag(document.document_id, document.conversion),
        revision_meta=_tag(document.title or "", cited),
    )


def collection_attributes(
    name: str, project: Project, documents: Sequence[StoredDocument]
) -> ResourceAttrs:
    """A collection's content is which documents it holds."""
    updated = max((document.stored_at for document in documents), default=project.created_at)
    return ResourceAttrs(
        name=name,
        description=f"{len(documents)} documents",
        created_at=project.created_at,
        updated_at=updated,
        revision_data=_tag(*(document.document_id for document in documents)),
    )


def citation_url(document: StoredDocument) -> str | None:
    """The DOI's address, or else the citation's, if it is one of the web."""
    citation = document.citation
    if citation is None:
        return None
    for url in (f"https://doi.org/{citation.doi}" if citation.doi else None, citation.url):
        try:
            if url:
                return parse_web_url(url)
        except InvalidUri:
            continue
    return None


def _tag(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:_TAG]
