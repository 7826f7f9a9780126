"""Resource maps, knowledge URIs, and single documents."""

from typing import TYPE_CHECKING

from citeloom.application.maps.map_lookup import MapLookup
from citeloom.infrastructure.composition.ingest import IngestVerbs, conversion_options
from citeloom.infrastructure.composition.models import ModelVerbs
from citeloom.infrastructure.composition.workspace import Stores, lazy

if TYPE_CHECKING:
    from pathlib import Path

    from citeloom.application.documents.page_images import PageImages
    from citeloom.application.documents.reference_list import ReferenceLists
    from citeloom.application.documents.single_conversion import DocumentTexts
    from citeloom.application.documents.source_paths import SourcePaths
    from citeloom.application.maps.file_maps import FileMaps
    from citeloom.application.maps.open_source import OpenSource
    from citeloom.application.maps.passage_place import PassageSpans
    from citeloom.application.maps.refine import Refine
    from citeloom.application.maps.resolve import Resolve
    from citeloom.application.maps.target import TargetFinder
    from citeloom.application.maps.word_marks import WordMarks
    from citeloom.application.ports.maps import CharacterBoxes, EvidenceStore, MapAdapter
    from citeloom.application.resources.aliases import Aliases
    from citeloom.application.resources.label import ResourceLabels
    from citeloom.application.resources.observe import Observe
    from citeloom.application.resources.open_page import OpenPage
    from citeloom.application.resources.page_layer import PageLayers
    from citeloom.application.resources.places import PlaceFinder
    from citeloom.application.resources.reading import DocumentReading
    from citeloom.application.resources.relations import Relations
    from citeloom.infrastructure.maps.evidence.store import FileEvidenceStore


class MapVerbs:
    """The verbs about the structure of documents and files."""

    def __init__(self, stores: Stores, models: ModelVerbs, ingest: IngestVerbs) -> None:
        self._stores = stores
        self._models = models
        self._ingest = ingest

    @lazy
    def structure(self) -> MapLookup:
        return MapLookup(documents=self._stores.documents, bundles=self._stores.bundles)

    @lazy
    def files(self) -> "FileMaps":
        from citeloom.application.maps.file_maps import FileMaps
        from citeloom.infrastructure.ingest.conversion.formats.image_text import image_text_reader
        from citeloom.infrastructure.maps.registry import all_mappers

        stores = self._stores
        return FileMaps(
            structure=self.structure,
            bundles=stores.bundles,
            files=stores.files,
            mappers=all_mappers(
                self._ingest.file_converter,
                stores.passwords,
                lambda: image_text_reader(conversion_options(stores.settings)),
            ),
            clock=stores.clock,
        )

    def adapter(self, name: str) -> "MapAdapter":
        """By name, or the Python file at this path. Raises InvalidRequest."""
        from citeloom.infrastructure.maps.adapters import adapter_of

        return adapter_of(name)

    @lazy
    def refine(self) -> "Refine":
        from citeloom.application.maps.node_text import NodeTexts
        from citeloom.application.maps.refine import Refine
        from citeloom.application.maps.source_files import SourceState
        from citeloom.infrastructure.maps.mappers.text_lines import read_lines

        stores = self._stores
        words = NodeTexts(
            structure=self.structure,
            bundles=stores.bundles,
            state=SourceState(stores.files, stores.source_copies),
            converter=lambda: self._ingest.file_converter,
            lines=read_lines,
            passwords=stores.passwords,
        )
        return Refine(
            model=lambda: self._models.language_model,
            words=words,
            bundles=stores.bundles,
            clock=stores.clock,
        )

    @lazy
    def resolve(self) -> "Resolve":
        from citeloom.application.maps.resolve import Resolve
        from citeloom.application.maps.source_files import SourceState
        from citeloom.infrastructure.ingest.file_digests import DigestCachingFiles
        from citeloom.infrastructure.maps.evidence.cutters import cutters

        return Resolve(
            targets=self._targets,
            structure=self.structure,
            texts=self._texts,
            state=SourceState(DigestCachingFiles(), self._stores.source_copies),
            evidence=self.evidence,
            cutters=cutters(),
            passwords=self._stores.passwords,
            marks=self._marks,
        )

    @lazy
    def open(self) -> "OpenSource":
        from citeloom.application.maps.open_source import OpenSource, SourcePlaces
        from citeloom.application.maps.source_files import SourceState
        from citeloom.infrastructure.ingest.file_digests import DigestCachingFiles
        from citeloom.infrastructure.maps.evidence.cutters import DocumentCutter
        from citeloom.infrastructure.system.workspace import writable_folder

        stores = self._stores
        return OpenSource(
            places=SourcePlaces(
                targets=self._targets,
                structure=self.structure,
                bundles=stores.bundles,
                shown=stores.shown_hits,
            ),
            texts=self._texts,
            state=SourceState(DigestCachingFiles(), stores.source_copies),
            evidence=self._evidence(writable_folder(stores.workspace.evidence)),
            documents=DocumentCutter(),
            marks=self._marks,
            passwords=stores.passwords,
        )

    @lazy
    def _targets(self) -> "TargetFinder":
        from citeloom.application.documents.printed_pages import PrintedPages
        from citeloom.application.maps.target import TargetFinder

        return TargetFinder(
            documents=self._stores.documents,
            structure=self.structure,
            pages=PrintedPages(self._stores.bundles),
        )

    @lazy
    def _texts(self) -> "DocumentTexts":
        from citeloom.application.documents.single_conversion import DocumentTexts

        stores = self._stores
        return DocumentTexts(
            bundles=stores.bundles,
            converter=lambda: self._ingest.file_converter,
            passage_span=_passage_spans(stores),
        )

    @lazy
    def _marks(self) -> "WordMarks":
        return _word_marks()

    @lazy
    def evidence(self) -> "EvidenceStore":
        """What resolve has cut out, here and on machines that share a storage."""
        stores = self._stores
        local = self._evidence(stores.workspace.evidence)
        if not stores.settings.storage.url:
            return local
        shared = stores.blobs(stores.workspace.shared_evidence)
        return stores.shared_files.evidence(local, shared, stores.settings.evidence.max_bytes)

    def _evidence(self, folder: "Path") -> "FileEvidenceStore":
        from citeloom.infrastructure.maps.evidence.store import FileEvidenceStore

        return FileEvidenceStore(folder, max_bytes=self._stores.settings.evidence.max_bytes)


class ResourceVerbs:
    """The verbs about knowledge URIs, pages and reference lists of documents."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores

    @lazy
    def observe(self) -> "Observe":
        from citeloom.application.resources.observe import Observe

        stores = self._stores
        return Observe(stores.catalogue, stores.bundles, stores.labels, rendering=self.pages)

    @lazy
    def reading(self) -> "DocumentReading":
        from citeloom.application.resources.reading import DocumentReading

        return DocumentReading(places=self._places, observe=self.observe)

    @lazy
    def open_page(self) -> "OpenPage":
        from citeloom.application.resources.open_page import OpenPage

        return OpenPage(
            places=self._places,
            chunks=_passage_spans(self._stores).chunks,
            images=self.pages,
            marks=self._marks,
        )

    @lazy
    def page_layer(self) -> "PageLayers":
        from citeloom.application.resources.page_layer import PageLayers

        return PageLayers(images=self.pages, marks=self._marks)

    @lazy
    def _marks(self) -> "WordMarks":
        return _word_marks()

    @lazy
    def _places(self) -> "PlaceFinder":
        from citeloom.application.resources.places import PlaceFinder

        stores = self._stores
        return PlaceFinder(
            documents=stores.documents,
            bundles=stores.bundles,
            passage_span=_passage_spans(stores),
        )

    @lazy
    def aliases(self) -> "Aliases":
        from citeloom.application.resources.aliases import Aliases

        return Aliases(self._stores.documents)

    @lazy
    def label(self) -> "ResourceLabels":
        from citeloom.application.resources.label import ResourceLabels

        stores = self._stores
        return ResourceLabels(
            catalogue=stores.catalogue, labels=stores.labels, observe=self.observe
        )

    @lazy
    def relations(self) -> "Relations":
        from citeloom.application.resources.relations import Relations

        return Relations(documents=self._stores.documents, bundles=self._stores.bundles)

    @lazy
    def references(self) -> "ReferenceLists":
        from citeloom.application.documents.reference_list import ReferenceLists

        return ReferenceLists(documents=self._stores.documents, bundles=self._stores.bundles)

    @lazy
    def sources(self) -> "SourcePaths":
        from citeloom.application.documents.source_paths import SourcePaths

        return SourcePaths(self._stores.files, self._stores.source_copies)

    @lazy
    def pages(self) -> "PageImages":
        from citeloom.application.documents.page_images import PageImages
        from citeloom.infrastructure.maps.evidence.pdf_pages import PdfPageRenderer

        return PageImages(
            documents=self._stores.documents,
            bundles=self._stores.bundles,
            sources=self.sources,
            renderer=PdfPageRenderer(),
            passwords=self._stores.passwords,
        )


def _passage_spans(stores: Stores) -> "PassageSpans":
    from citeloom.application.maps.passage_place import PassageSpans

    return PassageSpans(
        catalogue=stores.catalogue, index=lambda: stores.index, wait_seconds=stores.wait_seconds
    )


def _word_marks() -> "WordMarks":
    from citeloom.application.maps.word_marks import WordMarks

    def characters() -> "CharacterBoxes":  # a virtual place needs no pdfium
        from citeloom.infrastructure.maps.evidence.pdf_characters import PdfCharacters

        return PdfCharacters()

    return WordMarks(characters)
