"""Aliases: external names of resources, and the resource of a name."""

from pathlib import PurePath
from urllib.parse import unquote, urlsplit

from citeloom.application.documents.lookup import main_documents
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.domain.errors import DocumentNotFound, InvalidUri
from citeloom.domain.library.zotero_links import item_address
from citeloom.domain.maps.address import parse_address
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.references.identifiers import normalise_arxiv
from citeloom.domain.references.reference_links import normalised_identifiers
from citeloom.domain.resources.document_uris import document_uri
from citeloom.domain.resources.uris import SCHEME, ResourceUri

_SHOWN = 5


class Aliases:
    """Resolves names to knowledge URIs: URLs of DOIs, arXiv and publishers, ``zotero://``
    links, paths, ``file://`` URLs, ``doc://ID``, citation keys."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def uri_of(self, text: str, project_id: ProjectId | None = None) -> str:
        """The URI of the document named ``text``, in the project or in any; a knowledge URI is
        returned as it is.

        Raises DocumentNotFound if there is none, or if there are several; InvalidUri;
        ProjectNotFound.
        """
        if text.startswith(SCHEME):
            return text
        if not text.strip() or text.startswith("self://"):
            raise InvalidUri(text, "names no resource by itself")
        name = _plain(text)
        if project_id is not None:
            self._catalogue.project(project_id)
            uris = [
                document_uri(project_id, document.document_id)
                for document in self.named(project_id, name)
            ]
        else:
            uris = self._everywhere(name)
        if len(uris) == 1:
            return str(uris[0])
        if not uris:
            where = project_id or "any project"
            raise DocumentNotFound(f"{text}: no document of {where} has this name", name=text)
        shown = ", ".join(map(str, uris[:_SHOWN]))
        raise DocumentNotFound(
            f"{text}: means {len(uris)} resources: {shown}; read one of these, or name the project",
            name=text,
        )

    def known(self, text: str, project_id: ProjectId) -> ResourceUri | None:
        """The URI of the document that a link names; None if it names none or several."""
        matches = self.named(project_id, _plain(text))
        return document_uri(project_id, matches[0].document_id) if len(matches) == 1 else None

    def _everywhere(self, name: str) -> list[ResourceUri]:
        return [
            document_uri(project.id, document.document_id)
            for project in self._catalogue.projects()
            for document in self.named(project.id, name)
        ]

    def named(self, project_id: ProjectId, name: str) -> list[StoredDocument]:
        """The documents with this name. A DOI or arXiv id names the document that has it, not
        documents that only mention it."""
        identifiers = set(normalised_identifiers(name))
        matches = [
            document
            for document in self._catalogue.find_documents(project_id, name)
            if not identifiers or identifiers & _own_identifiers(document)
        ]
        return list(main_documents(matches))


def _own_identifiers(document: StoredDocument) -> set[str]:
    """The identifiers of its citation, and the first one of its file."""
    citation = document.citation
    given = [citation.doi, citation.url] if citation else []
    return {
        one
        for text in (*given, *document.identifiers[:1])
        if text
        for one in normalised_identifiers(text)
    }


def aliases_of(document: StoredDocument) -> tuple[str, ...]:
    """External names of a document; each resolves to it."""
    citation = document.citation
    identifiers = [citation.doi] if citation and citation.doi else list(document.identifiers[:1])
    names = [_url(identifier) for identifier in identifiers if identifier]
    if citation and citation.url:
        names.append(citation.url)
    if citation and citation.item_key:
        names.append(item_address("library", citation.item_key))
    names += [source.path for source in document.sources]
    return tuple(dict.fromkeys(names))


def _url(identifier: str) -> str:
    arxiv = normalise_arxiv(identifier)
    if arxiv:
        return f"https://arxiv.org/abs/{arxiv.removeprefix('arXiv:')}"
    return f"https://doi.org/{identifier}"


def _plain(text: str) -> str:
    """The name as the catalogue has it: the path of a ``file://`` URL, the id of ``doc://``."""
    text = text.strip()
    if text.startswith("file://"):
        path = unquote(urlsplit(text).path)
        drive = len(path) > 2 and path[2] == ":"
        return str(PurePath(path[1:] if drive else path))
    if text.startswith("doc://"):
        address = parse_address(text)
        if address.location.pages is not None:
            raise InvalidUri(
                text,
                f"names pages, which are resolved, not read; read {text.split('#')[0]}",
            )
        return address.resource_id
    return text
