"""The filter of each engine lets through exactly what the plain evaluation does."""

from contextlib import ExitStack
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.in_memory.index import InMemoryIndex, matches
from support.servers.qdrant import KINDS, qdrant_server

from citeloom.application.ports.index import EmbeddedPassage, Passage, SparseVector
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.documents.spans import CharSpan, Chunk, ChunkKind, PageSpan, chunk_id
from citeloom.domain.projects.project import IndexLayout
from citeloom.domain.search.filters import NUMERIC, Clause, Field, Filter, Range
from citeloom.domain.text.normalized_text import fold
from citeloom.infrastructure.search.edge.index import EdgeIndex
from citeloom.infrastructure.search.payload import to_payload

DIMENSION = 4
NAMES = ("Lee", "Ångström, Åsa", "van der Berg", "Ñuñez")
WORDS = ("Methods", "2 Results", "ΔX", "Straße", "a > b")


def passages():
    """Sixty passages in which most values occur, and some are missing."""
    for n in range(60):
        doc, section = f"doc{n % 7}", tuple(WORDS[(n + k) % 5] for k in range(n % 3))
        citation = CitationMeta(
            citekey=f"key{n % 7}",
            title="T",
            authors=(NAMES[n % 4], NAMES[(n // 7) % 4]),
            year=1998 + n % 6 if n % 5 else None,
            tags=WORDS[: n % 4],
            collections=(NAMES[n % 3],),
            type=("book", None, "article")[n % 3],
            item_key=f"ITEM{n % 3}",
        )
        span = PageSpan(start=n % 9 + 1, end=n % 9 + 1 + n % 3) if n % 6 else None
        chunk = Chunk(
            id=chunk_id(doc, span, section, "m", n),
            doc_id=doc,
            chunk_idx=n,
            text="x",
            char_span=CharSpan(start=0, end=1),
            page_span=span,
            section_path=section,
            kind=list(ChunkKind)[n % 4],
        )
        known = citation if n % 8 else None
        passage = Passage(chunk=chunk, title="T", source_path="/x", citation=known)
        dense = [1.0, n / 60, (n % 7) / 7, 0.1]
        terms = {t: 1.0 + (n * t) % 5 for t in range(1, 12) if (n + 1) % t == 0}
        sparse = SparseVector(list(terms), list(terms.values()))
        yield EmbeddedPassage(passage, dense, sparse)


ALL = list(passages())
TEXTS = sorted(
    {value for each in ALL for found in to_payload(each.passage).values() if found
     for value in (found if isinstance(found, list) else [found]) if isinstance(value, str)}
    - {to_payload(each.passage)["chunk"] for each in ALL}
    | {fold(word) for word in (*WORDS, *NAMES)}
)  # fmt: skip


SERVERS = ["double shared"] + [f"real {each}" for each in IndexLayout if "real" in KINDS]
PLACES = ["edge", *(pytest.param(each, marks=pytest.mark.server) for each in SERVERS)]


@pytest.fixture(scope="module", params=PLACES)
def collections(request, tmp_path_factory):
    with ExitStack() as stack:
        if request.param == "edge":
            engine = EdgeIndex(tmp_path_factory.mktemp("index"))
        else:
            kind, layout = request.param.split()
            server = stack.enter_context(qdrant_server(kind))
            engine = server.index(IndexLayout(layout))
        stack.callback(engine.close)
        one = stack.enter_context(engine.open("p", dimension=DIMENSION))
        two = stack.enter_context(InMemoryIndex().open("p", dimension=DIMENSION))
        for opened in (one, two):
            for doc in {each.passage.chunk.doc_id for each in ALL}:
                mine = [each for each in ALL if each.passage.chunk.doc_id == doc]
                opened.replace_document(doc, mine)
        yield one, two


bounds = st.one_of(st.none(), st.integers(0, 12), st.integers(1996, 2005), st.integers())
ranges = st.builds(
    lambda a, b: Range(
        low=a if None in (a, b) else min(a, b), high=b if None in (a, b) else max(a, b)
    ),
    bounds,
    bounds,
).filter(lambda one: (one.low, one.high) != (None, None))
numeric = st.builds(
    lambda field, negated, ranges: Clause(field=field, negated=negated, ranges=tuple(ranges)),
    st.sampled_from(sorted(NUMERIC)),
    st.booleans(),
    st.lists(ranges, min_size=1, max_size=3),
)
textual = st.builds(
    lambda field, negated, values: Clause(field=field, negated=negated, values=tuple(values)),
    st.sampled_from([field for field in Field if field not in NUMERIC | {Field.STATUS}]),
    st.booleans(),
    st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4),
)
filters = st.lists(st.one_of(numeric, textual), max_size=4).map(lambda c: Filter(clauses=tuple(c)))
unhurried = settings(
    deadline=timedelta(seconds=5),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    database=None,
)


@unhurried
@given(filter=filters)
def test_the_engine_and_the_plain_evaluation_agree(collections, filter):
    engine, _ = collections
    hits = engine.search(dense=[1, 0, 0, 0], sparse=None, filter=filter, limit=100)
    passing = [e.passage.chunk.id for e in ALL if matches(to_payload(e.passage), filter)]
    assert sorted(hit.id for hit in hits) == sorted(passing)


@unhurried
@given(
    dense=st.lists(st.integers(-5, 5), min_size=4, max_size=4).filter(any),
    terms=st.lists(st.integers(1, 13), unique=True).map(sorted),
    filter=filters,
)
def test_both_adapters_score_alike(collections, dense, terms, filter):
    found = []
    for opened in collections:
        sparse = SparseVector(terms, [1.0] * len(terms))
        hits = opened.search(dense=dense, sparse=sparse, filter=filter, limit=100)
        found.append({hit.id: (hit.dense, hit.sparse) for hit in hits})
    engine, plain = found
    assert engine.keys() == plain.keys()
    for id, (cosine, bm25) in plain.items():
        assert engine[id][0] == pytest.approx(cosine, abs=1e-4)
        assert engine[id][1] == (None if bm25 is None else pytest.approx(bm25, rel=1e-4))
