"""A world whose documents have pages: a file's text is three pages without printed numbers."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from support.builders import a_document, paragraph
from support.world import HERE, CountingConverter, World

from citeloom.application.ports.ingest import ConversionJob, ConversionOutcome, Heard
from citeloom.domain.documents.conversion import LabelSource
from citeloom.infrastructure.ingest.chunking.structural import StructuralChunker

DOI = "10.5555/ponds"
PARTS = (
    paragraph("We measured air temperature beside four ponds on summer evenings.", 1),
    paragraph("The cooling falls with distance from the water.", 2),
    paragraph("It is gone at one hundred metres.", 3),
)
FEW_WORDS = StructuralChunker(max_tokens=12, overlap_tokens=0)


class PagedConverter(CountingConverter):
    """Gives every file the same three pages; ``printed`` are the numbers read from them,
    ``ocr_pages`` those that OCR read."""

    def __init__(self) -> None:
        super().__init__()
        self.printed: dict[int, str] = {}
        self.ocr_pages: tuple[int, ...] = ()

    def convert(
        self, jobs: Iterable[ConversionJob], on_pages: Heard | None = None
    ) -> Iterator[ConversionOutcome]:
        for job in jobs:
            self.seen.append(job.source.name)
            made = a_document(PARTS, doc_id=job.document_id, labels=self.printed)
            entries = tuple(
                entry.model_copy(
                    update={
                        "label_source": LabelSource.PRINTED if entry.label else entry.label_source,
                        "spans": (block.span,),
                    }
                )
                for entry, block in zip(made.structure.page_map, made.blocks, strict=True)
            )
            result = made.model_copy(
                update={
                    "structure": made.structure.model_copy(update={"page_map": entries}),
                    "identifiers": (DOI,),
                    "ocr_pages": self.ocr_pages,
                    "converter": self.fingerprint,
                }
            )
            yield ConversionOutcome(job=job, result=result)


def labels_in_the_index(world: World) -> dict[int, tuple[str, ...]]:
    """The labels of each passage, by the first page of it."""
    project = world.catalogue.project(HERE)
    with world.index.open(
        project.collection, dimension=project.embedding_model.dimension
    ) as collection:
        chunks = [passage.chunk for passage in collection.passages()]
    return {chunk.page_span.start: chunk.page_labels for chunk in chunks if chunk.page_span}


def titles_in_the_map(world: World) -> list[str | None]:
    (stored,) = world.stored()
    made = world.bundles.load_map(stored.document_id)
    assert made is not None
    return [node.title for node in made.nodes]


def paper(world: World) -> Path:
    world.converter = PagedConverter()
    return world.write("ponds.md", "as if this were three pages")
