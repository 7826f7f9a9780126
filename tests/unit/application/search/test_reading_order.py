"""Reference lists and captions stand below running text, unless they are asked for."""

from collections.abc import Sequence

import pytest

from citeloom.application.ports.index import Passage
from citeloom.application.search.hits import Hits, SearchQuestion, running_text_first
from citeloom.domain.documents.spans import CharSpan, Chunk, ChunkKind
from citeloom.domain.search.filters import Filter, parse_clause
from citeloom.domain.search.fusion import Mode, Ranked
from citeloom.infrastructure.models.embedding.bm25 import Bm25Embedder

TEXTS = {
    "list": (ChunkKind.REFERENCE, "Sorrel, A. 2011. Grids and transects of marsh pond sampling."),
    "prose": (ChunkKind.TEXT, "The ponds were sampled on a grid, and it was the best of them."),
    "caption": (ChunkKind.CAPTION, "Figure 2: The grid of the ponds as it is seen from above."),
    "last": (ChunkKind.TEXT, "It was said of the marsh that there is nothing in it to be seen."),
}
RANKED = [Ranked("list", 1.0, 1.0), Ranked("caption", 0.99, 0.99), Ranked("prose", 0.9, 0.9)]
RANKED += [Ranked("last", 0.0, 0.0)]


class Fetched(Hits):
    def passages(self, ids: Sequence[str]) -> list[Passage]:
        return [_passage(id, *TEXTS[id]) for id in ids]


def _passage(id: str, kind: ChunkKind, text: str) -> Passage:
    span = CharSpan(start=0, end=len(text))
    chunk = Chunk(id=id, doc_id="d", chunk_idx=0, text=text, char_span=span, kind=kind)
    return Passage(chunk=chunk, title=None, source_path="d.pdf", language="en")


def order(text: str, *filters: str) -> list[str]:
    question = SearchQuestion(
        text=text,
        mode=Mode.HYBRID,
        filter=Filter(clauses=tuple(map(parse_clause, filters))),
        depth=4,
        for_reader=True,
    )
    found = running_text_first(Fetched(RANKED, {}), RANKED, question, Bm25Embedder())
    return [hit.id for hit in found]


@pytest.mark.parametrize("question", ["grid of ponds", "grids and transects", "how is it sampled"])
def test_running_text_comes_first(question: str) -> None:
    assert order(question) == ["prose", "list", "caption", "last"]


def test_what_the_question_names_keeps_its_place() -> None:
    assert order("which references are there on ponds")[0] == "list"
    assert order("the figure with the ponds") == ["caption", "prose", "list", "last"]


def test_what_the_filter_names_keeps_its_place() -> None:
    assert order("grid of ponds", "kind=reference,caption,text") == [hit.id for hit in RANKED]


def test_a_reference_with_every_word_of_a_title_keeps_its_place() -> None:
    assert order("grids and transects of marsh pond sampling")[0] == "list"
    assert order("grids and transects of marsh lake sampling")[0] == "prose"
