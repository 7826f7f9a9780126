"""Resource maps, places in documents and files, and knowledge URIs."""

from typing import TYPE_CHECKING, Final

from citeloom.application.documents.stores import SourceState
from citeloom.application.maps.map_lookup import MapLookup
from citeloom.infrastructure.plugins import install_line, plugins
from citeloom.infrastructure.system.workspace import writable_folder

from .ingest import IngestVerbs, conversion_options
from .models import ModelVerbs
from .workspace import Stores, lazy, part

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from citeloom.application.documents.conversions import ReferenceLists
    from citeloom.application.documents.page_images import PageImages
    from citeloom.application.documents.stores import SourceState
    from citeloom.application.maps.file_maps import FileMaps
    from citeloom.application.maps.marks import WordMarks
    from citeloom.application.places.cut import Cut
    from citeloom.application.places.finder import PlaceFinder
    from citeloom.application.places.observe import Observe, ResourceLabels
    from citeloom.application.places.relations import Relations
    from citeloom.application.places.show import Show
    from citeloom.application.ports.maps import EvidenceStore, MapAdapter
    from citeloom.domain.maps.evidence import PageCharacter
    from citeloom.infrastructure.maps.evidence.store import FileEvidenceStore


_NO_MAPPERS: Final = (
    f"; code, data and recordings need a package that is not installed: {install_line('maps')}"
)


class ResourceVerbs:
    """The verbs about places in documents, knowledge URIs and reference lists."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores

    structure: MapLookup = part("maps.map_lookup:MapLookup")

    @lazy
    def places(self) -> "PlaceFinder":
        from citeloom.application.places.finder import Passages, PlaceFinder

        stores = self._stores
        passages = Passages(catalogue=stores.catalogue, index=lambda: stores.index)
        return PlaceFinder(maps=self.structure, passages=passages, shown=stores.shown_hits)

    @lazy
    def marks(self) -> "WordMarks":
        from citeloom.application.maps.marks import WordMarks

        def characters(path: "Path", page: int, password: str | None) -> "Sequence[PageCharacter]":
            # A virtual place needs no pdfium.
            from citeloom.infrastructure.maps.evidence.pdf_characters import pdf_characters

            return pdf_characters(path, page, password)

        return WordMarks(characters)

    show: "Show" = part("places.show:Show", images="pages")

    observe: "Observe" = part("places.observe:Observe", labels="_stores.labels", rendering="pages")

    label: "ResourceLabels" = part("places.observe:ResourceLabels")

    relations: "Relations" = part("places.relations:Relations")

    references: "ReferenceLists" = part("documents.conversions:ReferenceLists")

    sources: "SourceState" = part("documents.stores:SourceState", copies="_stores.source_copies")

    pages: "PageImages" = part(
        "documents.page_images:PageImages", renderer="maps.evidence.pdf_pages:PdfPageRenderer"
    )


class MapVerbs:
    """The verbs for the structure of documents and files, and for cutting parts out."""

    def __init__(
        self, stores: Stores, models: ModelVerbs, ingest: IngestVerbs, resources: ResourceVerbs
    ) -> None:
        self._stores = stores
        self._models = models
        self._ingest = ingest
        self._resources = resources

    @property
    def structure(self) -> MapLookup:
        return self._resources.structure

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
            unmapped="" if any(plugin.mappers() for plugin in plugins()) else _NO_MAPPERS,
        )

    @lazy
    def json_maps(self) -> "MapAdapter":
        """Reads maps that are files of their own."""
        from citeloom.infrastructure.maps.registry import generic_map

        return generic_map

    @lazy
    def cut(self) -> "Cut":
        from citeloom.application.places.cut import Cut
        from citeloom.infrastructure.ingest.source_files import DigestCachingFiles
        from citeloom.infrastructure.maps.evidence.cutters import cutters

        return Cut(
            places=self._resources.places,
            state=SourceState(DigestCachingFiles(), self._stores.source_copies),
            evidence=self.evidence,
            copies=self._marked_copies,
            cutters=cutters(),
            converter=lambda: self._ingest.file_converter,
            passwords=self._stores.passwords,
            marks=self._resources.marks,
        )

    @lazy
    def evidence(self) -> "EvidenceStore":
        """Evidence cut by resolve, here and on machines that share a storage."""
        stores = self._stores
        local = self._evidence(stores.workspace.evidence)
        if not stores.settings.storage.url:
            return local
        shared = stores.blobs(stores.workspace.shared_evidence)
        return stores.shared_files.evidence(local, shared, stores.settings.evidence.max_bytes)

    def _marked_copies(self) -> "EvidenceStore":
        """Files that are opened on this machine, also where its workspace cannot be written."""
        return self._evidence(writable_folder(self._stores.workspace.evidence))

    def _evidence(self, folder: "Path") -> "FileEvidenceStore":
        from citeloom.infrastructure.maps.evidence.store import FileEvidenceStore

        return FileEvidenceStore(folder, max_bytes=self._stores.settings.evidence.max_bytes)
