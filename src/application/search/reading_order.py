"""Order of hits for a reader: running text before reference lists, captions and title blocks."""

from collections.abc import Sequence

from citeloom.application.ports.index import Passage
from citeloom.application.ports.models import SparseEmbedder, SparseText
from citeloom.application.search.hits import Hits, SearchQuestion
from citeloom.domain.search.filters import Field
from citeloom.domain.search.fusion import Ranked, demoted
from citeloom.domain.search.running_text import is_running_text, named_kinds

# A passage with every word of a question is what was asked for, if the words are that many: the
# title of a work in a reference list, say.
_WORDS_OF_A_TITLE = 4


def running_text_first(
    hits: Hits, ranked: Sequence[Ranked], question: SearchQuestion, sparse: SparseEmbedder
) -> list[Ranked]:
    """``ranked`` with what is no running text demoted, unless the question or its filter names
    the kind, or the passage has every word of the question."""
    if question.filter.names(Field.KIND):
        return list(ranked)
    named = named_kinds(question.text)
    lower: set[str] = set()
    kept = 0
    # What follows so much running text is not shown, and is not read.
    for start in range(0, len(ranked), 2 * question.depth):
        page = [hit.id for hit in ranked[start : start + 2 * question.depth]]
        for passage in hits.passages(page):
            if (
                is_running_text(passage.chunk, passage.language)
                or passage.chunk.kind in named
                or _has_every_word(passage, question.text, sparse)
            ):
                kept += 1
            else:
                lower.add(passage.chunk.id)
        if kept >= question.depth:
            break
    return demoted(ranked, lower)


def _has_every_word(passage: Passage, question: str, sparse: SparseEmbedder) -> bool:
    language = passage.language
    keys = sparse.keys(question, [language] if language else [])
    if len(keys) < _WORDS_OF_A_TITLE:
        return False
    (vector,) = sparse.embed([SparseText(body=passage.chunk.text)], language, 1.0)
    terms = set(vector.indices)
    return all(not terms.isdisjoint(key.indices) for key in keys)
