"""Phrases and exclusions, over every adapter of the index: complete, in all modes."""

import pytest
from support.in_memory.embedder import HashingEmbedder
from support.in_memory.index import InMemoryIndex

from citeloom.application.ports.index import EmbeddedPassage, Passage
from citeloom.application.ports.models import SparseText
from citeloom.application.search import searcher as exact_matches
from citeloom.application.search.searcher import matching_candidates
from citeloom.domain.documents.spans import CharSpan, Chunk, chunk_id
from citeloom.domain.search.filters import Filter, parse_clause
from citeloom.domain.search.fusion import parse_question
from citeloom.infrastructure.models.embedding.bm25 import Bm25Embedder
from citeloom.infrastructure.search.edge.index import EdgeIndex

DENSE = HashingEmbedder()
WORDS = Bm25Embedder()
EVERYTHING = Filter()
# The passage that is wanted lies far behind hundreds that are nearer by every score.
TEXTS = [
    *["The error of a square and of a grid, a square grid-error."] * 3,
    *[f"Square, grid. Error {n}: grid error; square error, grid of squares." for n in range(600)],
    "A long passage about ponds, where somebody once laid out a square\ngrid beside the street and "
    "went home without counting anything, for it rained the whole evening and the ponds rose.",
    "Whether it was to be or not to be was never asked.",
]


@pytest.fixture(scope="module", params=["memory", "edge"])
def collection(request, tmp_path_factory):
    index = (
        InMemoryIndex()
        if request.param == "memory"
        else EdgeIndex(tmp_path_factory.mktemp("index"))
    )
    with index.open("proj-local-x", dimension=64) as opened:
        opened.replace_document("d", [embedded(n, text) for n, text in enumerate(TEXTS)])
        yield opened
    index.close()


def embedded(n: int, text: str) -> EmbeddedPassage:
    chunk = Chunk(
        id=chunk_id("d", None, (), "m", n),
        doc_id="d",
        chunk_idx=n,
        text=text,
        char_span=CharSpan(start=0, end=len(text)),
        section_path=("Odd",) if n % 2 else ("Even",),
    )
    (words,) = WORDS.embed([SparseText(text)], "en", 10.0)
    passage = Passage(chunk=chunk, title=None, source_path="/d", language="en")
    return EmbeddedPassage(passage, DENSE.embed_query(text), words)


def asked(collection, question, mode, *filters, limit=20):
    wording = parse_question(question)
    clauses = Filter(clauses=tuple(map(parse_clause, filters)))
    dense = None if mode == "sparse" else DENSE.embed_query(wording.text)
    sparse = None if mode == "dense" else WORDS.embed_query(wording.text, ["en"])

    def ask(limit, among):
        return collection.search(
            dense=dense, sparse=sparse, filter=clauses, limit=limit, among=among
        )

    keys = [key for phrase in wording.phrases for key in WORDS.keys(phrase, ["en"])]
    hits = matching_candidates(collection, wording, keys, clauses, ask, limit, 64)
    return [p.chunk.chunk_idx for p in collection.fetch([hit.id for hit in hits])]


MODES = pytest.mark.parametrize("mode", ["hybrid", "dense", "sparse"])


@MODES
def test_a_phrase_is_found_however_low_its_passage_ranks(collection, mode):
    assert 603 not in asked(collection, "error of the square grid", mode)
    assert sorted(asked(collection, 'error of the "square grid"', mode)) == [0, 1, 2, 603]
    assert asked(collection, '"square grid beside the street" error', mode) == [603]
    assert asked(collection, '"grid beside" "square grid"', mode) == [603]
    assert asked(collection, '"beside grid"', mode) == []
    assert asked(collection, '"unheard of" error', mode) == []


@MODES
def test_a_phrase_of_stop_words_is_found(collection, mode):
    assert asked(collection, '"to be or not to be"', mode) == [604]
    assert asked(collection, '"to be or not to be" grid', mode) == [604]
    assert asked(collection, '"to be or not to be"', mode, "section=odd") == []


def test_of_many_passages_the_nearest_are_read_for_a_phrase_of_stop_words(collection, monkeypatch):
    monkeypatch.setattr(exact_matches, "MOST_READ", 50)
    read = []
    fetch = type(collection).fetch
    monkeypatch.setattr(
        type(collection), "fetch", lambda self, ids: read.extend(ids) or fetch(self, ids)
    )
    wording = parse_question('"to be or not to be"')
    assert exact_matches.is_partial(collection, wording, ())
    for mode in ("dense", "hybrid"):
        read.clear()
        assert asked(collection, '"to be or not to be"', mode) == [604]
        assert len(read) <= 50 + 20
    # Without meaning nothing tells them apart: the first fifty are read.
    assert asked(collection, '"to be or not to be"', "sparse") == []
    assert not exact_matches.is_partial(collection, parse_question("to be or not to be"), ())
    monkeypatch.setattr(exact_matches, "MOST_READ", len(TEXTS))
    assert not exact_matches.is_partial(collection, wording, ())


@MODES
def test_what_is_excluded_makes_room_for_others(collection, mode):
    assert asked(collection, "square grid -error", mode)[:1] == [603]
    without = asked(collection, 'square grid error -"square grid"', mode)
    assert len(without) >= 20
    assert not {0, 1, 2, 603} & set(without)
    assert asked(collection, '"square grid" -rained', mode) != []
    assert 603 not in asked(collection, '"square grid" -rained', mode)


@MODES
def test_phrases_and_filters_hold_together(collection, mode):
    assert sorted(asked(collection, '"square grid"', mode, "section=odd")) == [1, 603]
    assert sorted(asked(collection, '"square grid"', mode, "section!=odd")) == [0, 2]
