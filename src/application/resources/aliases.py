"""Aliases: external names of resources, and the resource of a name."""

from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.domain.errors import CiteLoomError, DocumentNotFound
from citeloom.domain.library.zotero_links import item_address
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.references.identifiers import normalise_arxiv
from citeloom.domain.resources.uris import SCHEME, ResourceUri, document_uri


class Aliases:
    """Resolves names of documents to knowledge URIs."""

    def __init__(self, documents: DocumentFinder) -> None:
        self._documents = documents

    def uri_of(self, text: str, project_id: ProjectId | None = None) -> str:
        """The URI of the document named ``text``, in the project or in any; a knowledge URI is
        returned as it is.

        Raises what ``DocumentFinder.find`` raises, and DocumentNotFound for a document of several
        projects.
        """
        if text.startswith(SCHEME):
            return text
        spelling = self._documents.spelling(text)
        first, *others = self._documents.named(spelling, project_id)
        if others:
            projects = ", ".join(one.project_id.value for one in (first, *others))
            raise DocumentNotFound(
                f"{text}: is in several projects: {projects}; name the project", name=text
            )
        return str(document_uri(first.project_id, first.document_id))

    def known(self, text: str, project_id: ProjectId) -> ResourceUri | None:
        """The URI of the document that a link names; None if it names none or several."""
        try:
            document = self._documents.known(text, project_id)
        except CiteLoomError:
            return None
        return document_uri(project_id, document.document_id) if document else None


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
