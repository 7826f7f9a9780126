"""Passages with vectors, as the tests of the index store them."""

from citeloom.application.ports.index import EmbeddedPassage, Passage, SparseVector
from citeloom.domain.documents.spans import CharSpan, Chunk, PageSpan, chunk_id
from citeloom.domain.search.filters import Filter

DIMENSION = 4
EVERYTHING = Filter()


def passage(doc, idx, text="Some text.", pages=(1, 1), section=("Methods",), citation=None, **more):
    span = PageSpan(start=pages[0], end=pages[1]) if pages else None
    chunk = Chunk(
        id=chunk_id(doc, span, section, "model", idx),
        doc_id=doc,
        chunk_idx=idx,
        text=text,
        char_span=CharSpan(start=10, end=10 + len(text)),
        page_span=span,
        section_path=section,
        **more,
    )
    return Passage(chunk=chunk, title="T", source_path=f"/papers/{doc}.pdf", citation=citation)


def embedded(doc, idx, dense=(1.0, 0.0, 0.0, 0.0), terms=None, **more):
    terms = {7: 1.0} if terms is None else terms
    sparse = SparseVector(sorted(terms), [terms[term] for term in sorted(terms)])
    return EmbeddedPassage(passage(doc, idx, **more), dense, sparse)


def with_sentences(doc, idx, vectors):
    text = " ".join("A sentence that can be quoted here." for _ in vectors)
    spans = tuple(CharSpan(start=36 * n, end=36 * n + 35) for n in range(len(vectors)))
    plain = passage(doc, idx, text=text).model_copy(update={"sentences": spans})
    return EmbeddedPassage(plain, (1.0, 0.0, 0.0, 0.0), SparseVector([7], [1.0]), vectors)
