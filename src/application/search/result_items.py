"""Result items: passages of the index with citation, addresses and best sentence."""

from collections.abc import Sequence

from citeloom.application.ports.index import Passage
from citeloom.domain.citation.metadata import file_pages, pandoc_citation
from citeloom.domain.documents.chunk import Chunk
from citeloom.domain.documents.fidelity import DocumentFidelity
from citeloom.domain.library.item_documents import is_library_text
from citeloom.domain.library.snapshot import library_path, zotero_link
from citeloom.domain.maps.address import chunk_address
from citeloom.domain.projects.project import Project
from citeloom.domain.resources.uris import passage_text_uri
from citeloom.domain.search.request import MAX_TEXT, Neighbour, QueryResultItem
from citeloom.domain.text.sentences import cut_at_sentence


def result_item(
    project: Project,
    passage: Passage,
    rank: int,
    score: float,
    sentence_scores: Sequence[float] = (),
    fidelity: DocumentFidelity | None = None,
) -> QueryResultItem:
    """A passage with its citation, its addresses and its best sentence. ``fidelity`` is that of
    its document."""
    chunk, citation = passage.chunk, passage.citation
    pages = chunk.page_span.pages if chunk.page_span else None
    place = _place_in_work(passage)
    return QueryResultItem(
        rank=rank,
        score=round(score, 6),
        text=cut_at_sentence(chunk.text, MAX_TEXT),
        citekey=citation.citekey if citation else None,
        citation=pandoc_citation(citation.citekey, chunk.page_labels, place=place)
        if citation
        else None,
        title=citation.title if citation else passage.title,
        authors=citation.authors if citation else passage.authors,
        year=citation.year if citation else passage.year,
        doi=citation.doi if citation else None,
        url=citation.url if citation else None,
        document_id=chunk.doc_id,
        chunk_id=chunk.id,
        char_span=_offsets(chunk),
        section=chunk.section_heading,
        section_path=chunk.section_path,
        page_span=chunk.page_span.as_tuple() if chunk.page_span else None,
        page_labels=chunk.page_labels,
        address=chunk_address(chunk.doc_id, pages, chunk.chunk_idx),
        knowledge_uri=passage_text_uri(project.id, chunk.doc_id, chunk.char_span),
        source_path=passage.source_path,
        regions=chunk.regions,
        best_sentence=best_sentence(passage, sentence_scores),
        kind=chunk.kind,
        marks=passage.marks,
        annotation=passage.annotation,
        place=None if chunk.page_labels else place,
        zotero_link=_zotero_link(passage),
        text_uncertain=_text_uncertain(chunk, fidelity),
    )


def neighbour(passage: Passage, offset: int, fidelity: DocumentFidelity | None) -> Neighbour:
    """A passage shown beside a hit, ``offset`` passages away from it."""
    chunk = passage.chunk
    return Neighbour(
        offset=offset,
        chunk_id=chunk.id,
        char_span=_offsets(chunk),
        text=cut_at_sentence(chunk.text, MAX_TEXT),
        page_labels=chunk.page_labels,
        address=chunk_address(
            chunk.doc_id, chunk.page_span.pages if chunk.page_span else None, chunk.chunk_idx
        ),
        text_uncertain=_text_uncertain(chunk, fidelity),
    )


def best_sentence(passage: Passage, scores: Sequence[float]) -> str | None:
    """The sentence with the highest score (of equals the first); None without sentences."""
    if not scores or len(scores) != len(passage.sentences):
        return None
    span = passage.sentences[max(range(len(scores)), key=lambda n: (scores[n], -n))]
    return passage.chunk.text[span.start : span.end]


def _offsets(chunk: Chunk) -> tuple[int, int]:
    return chunk.char_span.start, chunk.char_span.end


def _text_uncertain(chunk: Chunk, fidelity: DocumentFidelity | None) -> bool | None:
    if fidelity is None or chunk.page_span is None:
        return None
    return fidelity.is_uncertain(chunk.page_span.pages)


def _zotero_link(passage: Passage) -> str | None:
    if passage.annotation is not None:
        return passage.annotation.uri
    citation, span = passage.citation, passage.chunk.page_span
    marked = (mark.uri for mark in passage.marks)
    csl = citation.csl if citation else {}
    return zotero_link(
        citation.item_key if citation else None,
        passage.source_path,
        span.start if span else None,
        library=library_path(*marked, csl.get("id"), csl.get("uri"), csl.get("select")),
    )


def _place_in_work(passage: Passage) -> str | None:
    """The locator of a passage without confirmed page labels: pages of the file, named as
    such, else section and paragraph. None for texts of a library (notes, abstracts)."""
    return None if is_library_text(passage.source_path) else _place(passage.chunk)


def _place(chunk: Chunk) -> str:
    span = chunk.page_span
    if span is not None:
        return file_pages(span)
    paragraph = f"para. {chunk.paragraph}"
    heading = chunk.section_heading
    return f'sec. "{_plain(heading)}", {paragraph}' if heading else paragraph


def _plain(heading: str) -> str:
    """A heading without characters that would end the citation."""
    return heading.replace("[", "(").replace("]", ")").replace('"', "'")
