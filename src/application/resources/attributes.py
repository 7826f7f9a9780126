"""Attributes of resources, from the catalogue."""

import hashlib
from collections.abc import Sequence
from pathlib import PurePath

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.domain.errors import InvalidUri
from citeloom.domain.projects.project import Project
from citeloom.domain.resources.metadata import ResourceAttrs, parse_web_url

_TAG = 16
"""Hex digits of a revision's tag."""


def attributes_of(document: StoredDocument, description: str | None) -> ResourceAttrs:
    """Attributes of a document. The data revision is of content and conversion, the metadata
    revision of title and citation; the creation time is unknown."""
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
    """Attributes of a collection; its data revision is of the ids of its documents."""
    updated = max((document.stored_at for document in documents), default=project.created_at)
    return ResourceAttrs(
        name=name,
        description=f"{len(documents)} documents",
        created_at=project.created_at,
        updated_at=updated,
        revision_data=_tag(*(document.document_id for document in documents)),
    )


def citation_url(document: StoredDocument) -> str | None:
    """The URL of the DOI, else the web URL of the citation; None without any."""
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
