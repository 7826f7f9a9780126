"""Cited documents: citation keys of a draft to documents, conversions and pages of a project."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from pathlib import Path

from citeloom.application.documents.conversions import load_conversion
from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.citation import ReferenceReader
from citeloom.application.ports.ingest import BundleStore
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import DocumentNotFound, ReferencesUnreadable
from citeloom.domain.naming.names import spelling_of_key
from citeloom.domain.near_names import CLOSE, nearest
from citeloom.domain.projects.project import Project
from citeloom.domain.references.named_work import WorkMatcher
from citeloom.domain.verification.claims.quotations import QuotedFrom

# Cached conversions (tens of MB for long books): as many as one sentence may cite.
_KEPT = 12


class CitedDocuments:
    """Documents by the citation keys of one draft; keeps its lookups and conversions."""

    def __init__(
        self,
        project: Project,
        *,
        catalogue: Catalogue,
        bundles: BundleStore,
        references: ReferenceReader,
    ) -> None:
        self._project = project
        self._finder = DocumentFinder(catalogue)
        self._documents = {d.document_id: d for d in catalogue.documents(project.id)}
        self.warnings: list[str] = []
        self._items = self._read(references, project.references_json)
        self._listed = set(self._items)
        self._held: dict[str, StoredDocument | None] = {}

        @lru_cache(maxsize=_KEPT)
        def conversion(document_id: str) -> ConversionResult:
            return load_conversion(bundles, self._documents[document_id])

        @lru_cache(maxsize=_KEPT)
        def quoted_from(document_id: str) -> QuotedFrom:
            return QuotedFrom(conversion(document_id).plain_text)

        self.conversion: Callable[[str], ConversionResult] = conversion
        self.quoted_from: Callable[[str], QuotedFrom] = quoted_from

    def document(self, key: str) -> StoredDocument | None:
        """The document of a citation key (current, former or alternative), DOI or item key;
        None if there is none or several."""
        if key not in self._held:
            with suppress(DocumentNotFound):  # it means several
                self._held[key] = self._finder.known(spelling_of_key(key), self._project.id)
            if self._held.get(key) is None:
                others = [d for d in self._documents.values() if key in _other_keys(d)]
                self._held[key] = others[0] if len(others) == 1 else None
        return self._held[key]

    def stored(self, document_id: str) -> StoredDocument | None:
        return self._documents.get(document_id)

    @property
    def documents(self) -> Sequence[StoredDocument]:
        """All of the project, ordered by id."""
        return tuple(self._documents.values())

    def is_listed(self, key: str) -> bool:
        """Whether the project's reference file has an item with this key."""
        return key in self._listed

    @cached_property
    def matcher(self) -> WorkMatcher:
        """The works of the project, those with text first."""
        return WorkMatcher(self.works.values())

    @cached_property
    def works(self) -> Mapping[str, CitationMeta]:
        """The works of the project by their current key: those with text, then those of its
        reference file alone."""
        stored = sorted(self._documents.values(), key=lambda one: not one.chunks)
        cited = {one.citation.citekey: one.citation for one in stored if one.citation}
        listed = {key: item for key, item in self._items.items() if key not in cited}
        return cited | listed

    def close_keys(self, key: str) -> tuple[str, ...]:
        """Known keys similar to this one, the most similar first."""
        known = self._listed | {d.citation.citekey for d in self._documents.values() if d.citation}
        return nearest(key, {one: (one,) for one in known}, at_least=CLOSE)

    def _read(self, reader: ReferenceReader, path: Path | None) -> dict[str, CitationMeta]:
        if path is None:
            return {}
        try:
            return {item.citekey: item for item in reader.read(path).items}
        except ReferencesUnreadable as error:
            self.warnings.append(f"items without text are not told from unknown ones: {error}")
            return {}


def _other_keys(document: StoredDocument) -> Iterable[str]:
    if document.held is None:
        return ()
    return (*document.held.former_keys, *(one.citekey for one in document.held.alternatives))


def page_at(document: ConversionResult, start: int, end: int) -> Sequence[int]:
    """The pages of a span of the text, in order."""
    return [
        entry.page
        for entry in document.structure.page_map
        if any(span.start < end and start < span.end for span in entry.spans)
    ]
