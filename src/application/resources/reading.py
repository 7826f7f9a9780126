"""The verb *read* for people: a document, its pages or a section as Markdown."""

from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.documents.lookup import load_conversion
from citeloom.application.documents.near_documents import short_name
from citeloom.application.documents.printed_pages import pages_named
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.ingest import BundleStore
from citeloom.application.resources.observe import Observe
from citeloom.domain.citation.citation_locators import parse_page
from citeloom.domain.documents.conversion import ConversionResult, Heading
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.naming.near_names import nearest
from citeloom.domain.naming.spelling import Spelling
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.references.identifiers import letters_and_digits
from citeloom.domain.resources.page_reading import as_read, pages_as_read, whole
from citeloom.domain.resources.prompt_text import plain_text
from citeloom.domain.resources.uris import SCHEME
from citeloom.domain.search.filters import section_terms
from citeloom.domain.text.phrasing import listed


class DocumentReading:
    """Renders stored text for people; nothing is escaped."""

    def __init__(
        self, *, documents: DocumentFinder, bundles: BundleStore, observe: Observe
    ) -> None:
        self._documents = documents
        self._bundles = bundles
        self._observe = observe

    def __call__(
        self,
        name: str,
        project_id: ProjectId | None = None,
        *,
        page: str | None = None,
        section: str | None = None,
    ) -> str:
        """The whole document; or ``page``, by its printed number (several: ``440-442``), or the
        ``section`` with this heading; or what a citation, an address or a knowledge URI names.

        Raises what ``DocumentFinder.find`` and ``Observe`` raise, StorageFailed, and
        InvalidRequest for pages and sections that are not there.
        """
        if page is not None and section is not None:
            raise InvalidRequest("name a page or a section, not both", parameter="page")
        if name.startswith(SCHEME) and page is None and section is None:
            seen = self._observe(name).observation
            if (text := plain_text(seen)) is not None:
                return text
        spelling = self._documents.spelling(name)
        stored = self._documents.find(spelling, project_id)
        document = load_conversion(self._bundles, stored)
        if section is not None:
            return as_read(document, _section(document, section, short_name(stored)).span)
        if (pages := _pages(document, stored, spelling, page)) is not None:
            return pages_as_read(document, pages)
        return as_read(document, whole(document))


def _pages(
    document: ConversionResult, stored: StoredDocument, spelling: Spelling, page: str | None
) -> list[int] | None:
    """The pages that are asked for, by number in the file; None for all."""
    name = short_name(stored)
    if page is not None:
        return list(pages_named(document, parse_page(page), name))
    if spelling.locator is not None:
        return list(pages_named(document, spelling.locator, name))
    if spelling.address is None or spelling.address.location.pages is None:
        return None
    pages = [one for one in spelling.address.location.pages if document.structure.entry_of(one)]
    if not pages:
        raise InvalidRequest(
            f"{spelling.text}: no such page; the file has {document.page_count}", parameter="pages"
        )
    return pages


def _section(document: ConversionResult, name: str, of: str) -> Heading:
    """The section with this heading, with or without its number; else the one whose heading has
    the words."""
    headings = list(document.structure.headings())
    wanted = letters_and_digits(name)
    terms = {id(one): [*map(letters_and_digits, section_terms((one.title,)))] for one in headings}
    found = [one for one in headings if wanted and wanted in terms[id(one)]]
    found = found or [one for one in headings if wanted and wanted in terms[id(one)][0]]
    if len(found) == 1:
        return found[0]
    if found:
        titles = listed([one.title for one in found])
        raise InvalidRequest(
            f"{name}: means {len(found)} sections of {of}: {titles}; write its whole heading",
            parameter="section",
        )
    if not headings:
        raise InvalidRequest(f"{name}: {of} has no headings; name a page", parameter="section")
    near = nearest(name, {one.title: (one.title,) for one in headings})
    raise InvalidRequest(
        f"{name}: no such section in {of}; the nearest are {', '.join(near)}", parameter="section"
    )
