"""Texts of passages that get vectors: the passages themselves and their quotable sentences."""

from collections.abc import Iterable, Sequence

from citeloom.domain.documents.chunk import Chunk, ChunkKind
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.text.sentences import quotable_spans


def sentence_spans(chunk: Chunk) -> tuple[CharSpan, ...]:
    """Spans of the quotable sentences; none in tables, reference lists and figures, whose rows,
    entries and labels are not quotable alone."""
    if chunk.kind in (ChunkKind.TABLE, ChunkKind.REFERENCE, ChunkKind.FIGURE):
        return ()
    return tuple(CharSpan(start=start, end=end) for start, end in quotable_spans(chunk.text))


def quotes_of(chunk: Chunk, spans: Iterable[CharSpan]) -> list[str]:
    """The texts of the sentences at these spans of a chunk."""
    return [chunk.text[span.start : span.end] for span in spans]


def embedded_texts(chunks: Sequence[Chunk], *, sentences: bool) -> list[str]:
    """All texts of a document without annotations that are embedded, each once."""
    texts = [chunk.embedding_text() for chunk in chunks]
    if sentences:
        texts += [quote for chunk in chunks for quote in quotes_of(chunk, sentence_spans(chunk))]
    return list(dict.fromkeys(texts))
