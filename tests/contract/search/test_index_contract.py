"""What every adapter of the index port does alike."""

import math
import threading
import time
import uuid
from contextlib import ExitStack
from dataclasses import replace

import pytest
from support.in_memory.index import InMemoryIndex
from support.servers.qdrant import KINDS, qdrant_server
from support.stores.passages import DIMENSION, EVERYTHING, embedded, passage, with_sentences

from citeloom.application.ports.index import EmbeddedPassage, Passage, SparseVector
from citeloom.domain.annotations import Annotation, Located, Mark
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.documents.spans import (
    CharSpan,
    Chunk,
    ChunkKind,
    ChunkPosition,
    PageSpan,
    Region,
    chunk_id,
)
from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.library import AnnotationKind
from citeloom.domain.projects.project import IndexLayout
from citeloom.domain.search.filters import Filter, parse_clause
from citeloom.infrastructure.search.edge.index import EdgeIndex

SMITH = CitationMeta(
    citekey="smith:2019+a",
    title="On sampling",
    authors=("Smith, Jo", "García Márquez, Luz"),
    year=2019,
    doi="10.1000/x",
    tags=("Draft", "to read"),
    collections=("Thesis",),
    type="article-journal",
    item_key="ABCD2345",
    csl={"id": "smith", "issued": {"date-parts": [[2019, 5]]}, "note": 'é "q" \\ 1.5'},
)


@pytest.fixture(
    scope="module",
    params=["memory", "edge"]
    + [
        pytest.param(f"{kind} {layout}", marks=pytest.mark.server)
        for kind in KINDS
        for layout in IndexLayout
    ],
)
def index(request, tmp_path_factory):
    """One index for all: making a shard syncs some hundred files."""
    kind, _, layout = request.param.partition(" ")
    with ExitStack() as stack:
        if kind == "memory":
            yield InMemoryIndex()
        elif kind == "edge":
            made = EdgeIndex(tmp_path_factory.mktemp("index"))
            stack.callback(made.close)
            yield made
        else:
            server = stack.enter_context(qdrant_server(kind))
            made = server.index(IndexLayout(layout))
            stack.callback(made.close)
            made.clears_away_later = server.double is None
            yield made


def clears_away_later(index):
    """Whether removed passages count in term statistics until the engine has time for them."""
    return getattr(index, "clears_away_later", False)


@pytest.fixture
def unused(index):
    """Makes collections anew whose statistics of terms would know what earlier tests removed."""
    if clears_away_later(index):
        for name in ("proj-local-x", "proj-a"):
            index.drop(name)


@pytest.fixture
def collection(index):
    """An empty collection."""
    with index.open("proj-local-x", dimension=DIMENSION) as opened:
        opened.delete_documents(list(opened.counts()))
        assert list(opened.passages()) == []
        yield opened


def found(collection, dense=(1.0, 0.0, 0.0, 0.0), sparse=None, filter=EVERYTHING, limit=50):
    hits = collection.search(dense=dense, sparse=sparse, filter=filter, limit=limit)
    passages = collection.fetch([hit.id for hit in hits])
    assert [p.chunk.id for p in passages] == [hit.id for hit in hits]
    return {(p.chunk.doc_id, p.chunk.chunk_idx): h for p, h in zip(passages, hits, strict=True)}


def test_a_passage_comes_back_equal_in_every_field(collection):
    rich = Passage(
        chunk=Chunk(
            id=chunk_id("d", PageSpan(start=3, end=4), ("Один", "二"), "m", 5),
            doc_id="d",
            chunk_idx=5,
            text='Ω "quoted"\n𝔘nicode',
            char_span=CharSpan(start=0, end=18),
            page_span=PageSpan(start=3, end=4),
            page_labels=("xii", "1"),
            regions=(Region(page=3, bbox=(1.1, 2.2, 3.3, 4.4)), Region(page=4, bbox=(0, 1, 2, 3))),
            section_path=("Один", "二"),
            paragraph=2,
            kind=ChunkKind.TABLE,
            tokens=9,
        ),
        title=None,
        source_path="/папка/статья.pdf",
        language="ru",
        citation=SMITH,
        sentences=(CharSpan(start=0, end=10), CharSpan(start=11, end=18)),
    )
    vector = SparseVector([1], [1.0])
    collection.replace_document("d", [EmbeddedPassage(rich, [1.0, 2.0, 3.0, 4.0], vector)])
    assert list(collection.passages()) == [rich]
    [hit] = collection.search(dense=[1, 0, 0, 0], sparse=vector, filter=EVERYTHING, limit=1)
    assert collection.fetch([hit.id]) == [rich]


def test_replacing_a_document_leaves_only_its_new_passages(collection):
    collection.replace_document("a", [embedded("a", n, section=("Old",)) for n in range(5)])
    collection.replace_document("b", [embedded("b", 0)])
    kept = embedded("a", 0, section=("Old",), text="Changed.")
    collection.replace_document("a", [kept, embedded("a", 1, section=("New",))])
    assert collection.counts() == {"a": 2, "b": 1}
    assert [p.chunk.text for p in collection.passages("a")] == ["Changed.", "Some text."]


def test_replacing_with_nothing_removes_the_document(collection):
    collection.replace_document("a", [embedded("a", 0)])
    collection.replace_document("a", [])
    assert collection.counts() == {}
    assert list(collection.passages()) == []


def a_mark(key="MARK", **more):
    values = {
        "key": key,
        "attachment_key": "ATT",
        "kind": AnnotationKind.HIGHLIGHT,
        "quote": 'Some "text"',
        "comment": "Ω?",
        "color": "#ffd400",
        "tags": ("Method",),
        "page": 1,
        "page_label": "xii",
        "uri": f"zotero://open-pdf/library/items/ATT?page=1&annotation={key}",
    }
    return Mark(**values | more)


def an_annotation(doc, idx, mark, chunk_id=None, **more):
    made = embedded(doc, idx, kind=ChunkKind.ANNOTATION, **more)
    annotation = Annotation(**dict(mark), located=Located.WORDS, chunk_id=chunk_id)
    annotated = made.passage.model_copy(update={"annotation": annotation})
    return replace(made, passage=annotated)


def test_annotations_come_back_equal_with_the_marks_of_the_others(collection):
    base = embedded("a", 0)
    collection.replace_document("a", [base, embedded("a", 1)])
    collection.replace_document("b", [embedded("b", 0)])
    note = an_annotation("a", 2, a_mark(), base.passage.chunk.id, terms={9: 1.0})
    collection.annotate("a", [note], {base.passage.chunk.id: [a_mark()]})
    first, second, third = collection.passages("a")
    assert first == base.passage.model_copy(update={"marks": (a_mark(),)})
    assert (second, third) == (embedded("a", 1).passage, note.passage)
    assert collection.counts() == {"a": 3, "b": 1}
    assert set(found(collection, dense=None, sparse=SparseVector([9], [1.0]))) == {("a", 2)}


def test_a_documents_annotations_are_replaced_and_nothing_else(collection):
    base, other = embedded("a", 0), an_annotation("b", 1, a_mark())
    collection.replace_document("a", [base, an_annotation("a", 1, a_mark("OLD"))])
    collection.replace_document("b", [embedded("b", 0), other])
    marks = {base.passage.chunk.id: [a_mark("NEW", color=None)]}
    collection.annotate("a", [an_annotation("a", 3, a_mark("NEW", color=None))], marks)
    there = [p.annotation.key for p in collection.passages("a") if p.annotation]
    assert there == ["NEW"]
    collection.annotate("a", [], {})
    assert list(collection.passages("a")) == [base.passage]
    assert other.passage in list(collection.passages("b"))


def test_annotations_of_another_dimension_are_refused_and_change_nothing(collection):
    collection.replace_document("a", [embedded("a", 0)])
    with pytest.raises(ValueError, match="dimensions"):
        collection.annotate("a", [an_annotation("a", 1, a_mark(), dense=(1.0, 0.0))], {})
    assert collection.counts() == {"a": 1}


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("kind=annotation", {2}),
        ("kind!=annotation", {0, 1}),
        ("kind=annotation,text", {0, 1, 2}),
        ("marked=yes", {0, 2}),
        ("marked=Yellow", {0, 2}),
        ("marked=#FFD400", {0, 2}),
        ("marked=red", set()),
        ("marked!=yes", {1}),
    ],
)
def test_filters_know_annotations_and_marked_passages(collection, clause, expected):
    base = embedded("a", 0)
    collection.replace_document("a", [base, embedded("a", 1)])
    marks = {base.passage.chunk.id: [a_mark()]}
    collection.annotate("a", [an_annotation("a", 2, a_mark())], marks)
    hits = found(collection, filter=Filter(clauses=(parse_clause(clause),)))
    assert {idx for _, idx in hits} == expected


def test_other_page_labels_reach_annotations_too(collection):
    collection.replace_document("a", [an_annotation("a", 0, a_mark())])
    assert collection.set_page_labels("a", {1: "127"})
    (passage,) = collection.passages("a")
    assert passage.chunk.page_labels == ("127",)
    assert passage.annotation == an_annotation("a", 0, a_mark()).passage.annotation


def test_documents_are_deleted_and_unknown_ones_are_no_error(collection):
    for doc in "abc":
        collection.replace_document(doc, [embedded(doc, 0)])
    collection.delete_documents(["a", "nobody", "c"])
    collection.flush()
    assert collection.counts() == {"b": 1}


def test_a_changed_citation_reaches_results_and_filters_and_no_vector(collection):
    collection.replace_document("a", [embedded("a", n, citation=SMITH) for n in range(3)])
    collection.replace_document("b", [embedded("b", 0, citation=SMITH)])
    before = found(collection)
    bare = CitationMeta(citekey="jones", title="Else", authors=("Jones",))
    collection.set_citation("a", bare, "/moved.pdf")
    assert {p.citation.citekey for p in collection.passages("a")} == {"jones"}
    assert {p.source_path for p in collection.passages("a")} == {"/moved.pdf"}
    assert [p.citation for p in collection.passages("b")] == [SMITH]
    gone = Filter(clauses=(parse_clause("tag=draft"),))
    assert set(found(collection, filter=gone)) == {("b", 0)}
    new = Filter(clauses=(parse_clause("citekey=jones"), parse_clause("year!=2019")))
    assert set(found(collection, filter=new)) == {("a", 0), ("a", 1), ("a", 2)}
    assert {key: hit.dense for key, hit in found(collection).items()} == {
        key: hit.dense for key, hit in before.items()
    }
    collection.set_citation("a", None, "/moved.pdf")
    assert [p.citation for p in collection.passages("a")] == [None, None, None]
    collection.set_citation("nobody", SMITH, "/x")


def test_other_page_labels_reach_all_passages_that_have_others_and_no_vector(collection):
    collection.replace_document(
        "a", [embedded("a", n, pages=(n + 1, n + 1), citation=SMITH) for n in range(3)]
    )
    collection.replace_document("b", [embedded("b", 0, page_labels=("9",))])
    before, chunks = found(collection), [p.chunk for p in collection.passages("a")]
    labels = {1: "xii", 2: "1", 3: None}
    assert collection.set_page_labels("a", labels)
    assert [p.chunk.page_labels for p in collection.passages("a")] == [("xii",), ("1",), ()]
    assert [p.chunk.page_labels for p in collection.passages("b")] == [("9",)]
    after = found(collection)
    assert {key: hit.dense for key, hit in after.items()} == {
        key: hit.dense for key, hit in before.items()
    }
    bare = [p.chunk.model_copy(update={"page_labels": ()}) for p in collection.passages("a")]
    assert bare == chunks
    assert [p.citation for p in collection.passages("a")] == [SMITH] * 3
    page = Filter(clauses=(parse_clause("page=2"),))
    assert set(found(collection, filter=page)) == {("a", 1)}
    assert not collection.set_page_labels("a", labels), "nothing is left to change"
    assert not collection.set_page_labels("nobody", labels)
    assert collection.set_page_labels("a", {})
    assert {p.chunk.page_labels for p in collection.passages("a")} == {()}


@pytest.mark.usefixtures("unused")
def test_scores_are_the_cosine_and_bm25_with_qdrants_idf(collection, index):
    collection.replace_document("a", [embedded("a", 0, (3.0, 4.0, 0, 0), {1: 1.5, 2: 0.5})])
    collection.replace_document("b", [embedded("b", 0, (0, -2.0, 0, 0), {2: 2.0})])
    collection.replace_document("c", [embedded("c", 0, (0, 0, 1.0, 0), {3: 2.0})])
    if not clears_away_later(index):
        collection.replace_document("gone", [embedded("gone", 0, terms={2: 2.0})])
        collection.delete_documents(["gone"])
    collection.compact()
    hits = found(collection, (0, 2.0, 0, 0), SparseVector([1, 2], [1.0, 3.0]))
    idf_one, idf_two = math.log(1 + 2.5 / 1.5), math.log(1 + 1.5 / 2.5)
    assert hits["a", 0].dense == pytest.approx(0.8, abs=1e-5)
    assert hits["b", 0].dense == pytest.approx(-1.0, abs=1e-5)
    assert hits["a", 0].sparse == pytest.approx(1.5 * idf_one + 1.5 * idf_two, rel=1e-5)
    assert hits["b", 0].sparse == pytest.approx(6 * idf_two, rel=1e-5)
    assert hits["c", 0].sparse is None


def test_a_small_collection_has_nothing_to_optimize(index, collection):
    collection.replace_document("a", [embedded("a", 0)])
    begun = []
    name = "proj-local-x"
    assert not index.optimize(name, dimension=DIMENSION, on_start=lambda: begun.append(1))
    assert not begun
    assert set(found(collection)) == {("a", 0)}


@pytest.mark.usefixtures("unused")
def test_candidates_of_one_side_are_scored_on_the_other(collection):
    angles = [n * 0.1 for n in range(10)]
    collection.replace_document(
        "a",
        [
            embedded("a", n, (math.cos(x), math.sin(x), 0, 0), {1: n + 1.0, 100 + n: 1.0})
            for n, x in enumerate(angles)
        ],
    )
    collection.compact()
    hits = found(collection, (1.0, 0, 0, 0), SparseVector([1], [1.0]), limit=2)
    assert set(hits) == {("a", 0), ("a", 1), ("a", 8), ("a", 9)}
    for (_, n), hit in hits.items():
        assert hit.dense == pytest.approx(math.cos(angles[n]), abs=1e-5)
        assert hit.sparse == pytest.approx((n + 1) * math.log(1 + 0.5 / 10.5), rel=1e-4)


def test_one_side_alone_is_searched_alone(collection):
    collection.replace_document("a", [embedded("a", 0, terms={1: 1.0})])
    collection.replace_document("b", [embedded("b", 0, terms={2: 1.0})])
    assert [h.sparse for h in found(collection).values()] == [None, None]
    hits = found(collection, None, SparseVector([2], [1.0]))
    assert set(hits) == {("b", 0)}
    assert hits["b", 0].dense is None


@pytest.mark.parametrize(
    ("dense", "sparse", "limit", "expected"),
    [
        (None, None, 5, 0),
        (None, SparseVector([], []), 5, 0),
        (None, SparseVector([999], [1.0]), 5, 0),
        ((1.0, 0, 0, 0), SparseVector([], []), 5, 1),
        ((1.0, 0, 0, 0), SparseVector([7], [1.0]), 0, 0),
    ],
)
def test_queries_with_nothing_in_them(collection, dense, sparse, limit, expected):
    collection.replace_document("a", [embedded("a", 0)])
    assert len(found(collection, dense, sparse, limit=limit)) == expected


def test_an_empty_collection_answers_with_nothing(collection):
    assert found(collection, sparse=SparseVector([1], [1.0])) == {}
    assert collection.counts() == {}
    assert collection.info().points == 0


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        (["year=2019"], {0, 1}),
        (["year=2000..2018"], {2}),
        (["year=..2018"], {2}),
        (["year=2019.."], {0, 1}),
        (["year!=2019"], {2, 3, 4}),
        (["author=smith"], {0, 1}),
        (["author=GARCÍA"], {0, 1}),
        (["author=smith, jo"], {0, 1}),
        (["author=smit"], set()),
        (["author=smith,lee"], {0, 1, 2}),
        (["citekey=smith:2019+a"], {0, 1}),
        (["citekey=SMITH:2019+a"], set()),
        (["tag=draft"], {0, 1}),
        (["tag!=draft"], {2, 3, 4}),
        (["tag=to  Read"], {0, 1}),
        (["collection=thesis"], {0, 1}),
        (["section=results"], {1, 4}),
        (["section=by region"], {1}),
        (["section_prefix=results > by region"], {1}),
        (["section_prefix=results"], {1, 4}),
        (["section_prefix=by region"], set()),
        (["type=article-journal"], {0, 1}),
        (["kind=table"], {4}),
        (["kind!=table"], {0, 1, 2, 3}),
        (["doc=a"], {0, 1}),
        (["doc=a,b"], {0, 1, 2}),
        (["item=ABCD2345"], {0, 1}),
        (["page=2"], {1, 2}),
        (["page=1..2"], {0, 1, 2}),
        (["page=4.."], {2}),
        (["page=..1"], {0}),
        (["page!=2"], {0, 3, 4}),
        (["year=2019", "page=2"], {1}),
        (["year=2019", "page!=2"], {0}),
        (["doc!=a", "doc!=b"], {3, 4}),
        (["year=99999999999999999999999"], set()),
    ],
)
def test_filters_choose_the_passages_that_they_say(collection, clauses, expected):
    lee = CitationMeta(citekey="lee", title="Old", authors=("Lee",), year=2001, tags=("done",))
    everyone = [
        embedded("a", 0, citation=SMITH, pages=(1, 1)),
        embedded("a", 1, citation=SMITH, pages=(2, 3), section=("Results", "By  Region")),
        embedded("b", 2, citation=lee, pages=(2, 5), section=()),
        embedded("c", 3, pages=None, section=("Discussion",)),
        embedded("c", 4, pages=None, section=("RESULTS",), kind=ChunkKind.TABLE),
    ]
    for doc in "abc":
        collection.replace_document(doc, [e for e in everyone if e.passage.chunk.doc_id == doc])
    asked = Filter(clauses=tuple(parse_clause(text) for text in clauses))
    by_dense = found(collection, filter=asked)
    by_terms = found(collection, None, SparseVector([7], [1.0]), filter=asked)
    assert {idx for _, idx in by_dense} == expected
    assert {idx for _, idx in by_terms} == expected


def test_passages_come_in_the_order_of_document_and_index(collection):
    for doc in ("b", "c", "a"):
        collection.replace_document(doc, [embedded(doc, n) for n in (2, 0, 1)])
    order = [(p.chunk.doc_id, p.chunk.chunk_idx) for p in collection.passages()]
    assert order == [(doc, n) for doc in "abc" for n in range(3)]
    assert [p.chunk.chunk_idx for p in collection.passages("b")] == [0, 1, 2]
    assert list(collection.passages("nobody")) == []


def test_a_passage_tells_where_it_stands_in_its_document(collection):
    collection.replace_document("a", [embedded("a", n) for n in range(3)])
    second = passage("a", 1).chunk.id
    assert collection.positions([second, str(uuid.uuid4())]) == {second: ChunkPosition("a", 1)}
    beside = an_annotation("a", 2, a_mark())
    collection.annotate("a", [beside], {})
    both = [second, beside.passage.chunk.id]
    assert collection.positions(both) == {second: ChunkPosition("a", 1)}


def test_a_document_of_many_passages_is_stored_whole(collection):
    collection.replace_document("book", [embedded("book", n) for n in range(1200)])
    collection.flush()
    assert collection.counts() == {"book": 1200}
    assert [p.chunk.chunk_idx for p in collection.passages()] == list(range(1200))


def test_info_counts_and_names_the_indexed_fields(collection):
    collection.replace_document("a", [embedded("a", n) for n in range(3)])
    collection.replace_document("b", [embedded("b", 0)])
    info = collection.info()
    assert (info.points, info.documents) == (4, 2)
    assert collection.count() == 4
    assert {"document", "citekey", "year", "authors", "tags", "collections", "section", "kind"} < (
        set(info.indexed_fields)
    )


def test_arrays_are_vectors_too(collection):
    numpy = pytest.importorskip("numpy")
    sparse = SparseVector(numpy.array([3, 9], dtype="int64"), numpy.array([1, 2], dtype="float32"))
    dense = numpy.array([0, 1, 0, 0], dtype="float32")
    collection.replace_document("a", [EmbeddedPassage(passage("a", 0), dense, sparse)])
    hits = found(collection, dense, sparse)
    assert hits["a", 0].dense == pytest.approx(1.0)


def test_a_vector_of_another_length_is_refused_and_changes_nothing(collection):
    collection.replace_document("a", [embedded("a", 0)])
    with pytest.raises(ValueError, match="3 dimensions, the collection 4"):
        collection.replace_document("a", [embedded("a", 1, dense=(1.0, 0, 0))])
    with pytest.raises(ValueError, match="5 dimensions, the collection 4"):
        found(collection, (1.0, 0, 0, 0, 0))
    assert [p.chunk.chunk_idx for p in collection.passages("a")] == [0]


def test_a_collection_of_another_dimension_is_refused(index):
    with index.open("proj-a", dimension=DIMENSION):
        pass
    with (
        pytest.raises(IndexUnavailable, match="4 dimensions, not 8"),
        index.open("proj-a", dimension=8),
    ):
        pass
    with index.open("proj-a", dimension=DIMENSION) as again:
        assert again.counts() == {}


def test_collections_are_apart_and_can_be_dropped(index):
    index.drop("proj-a")
    assert not index.exists("proj-a")
    for name in ("proj-a", "proj-a.lock"):
        with index.open(name, dimension=DIMENSION) as opened:
            opened.replace_document("d", [embedded("d", 0)])
    assert index.exists("proj-a")
    index.drop("proj-a")
    index.drop("proj-a")
    index.drop("never-there")
    assert not index.exists("proj-a")
    assert index.exists("proj-a.lock")
    with index.open("proj-a", dimension=DIMENSION) as fresh:
        assert fresh.counts() == {}


def test_a_collection_may_be_opened_again_inside_itself(index):
    with index.open("proj-a", dimension=DIMENSION) as outer:
        outer.replace_document("d", [embedded("d", 0)])
        with index.open("proj-a", dimension=DIMENSION) as inner:
            assert inner.counts() == {"d": 1}
        assert outer.counts() == {"d": 1}


def test_threads_share_a_collection(index):
    failures = []
    with index.open("proj-a", dimension=DIMENSION) as opened:
        opened.delete_documents(list(opened.counts()))

    def work(name):
        try:
            for n in range(8):
                with index.open("proj-a", dimension=DIMENSION) as opened:
                    opened.replace_document(name, [embedded(name, i) for i in range(n + 1)])
                with index.open("proj-a", dimension=DIMENSION) as opened:
                    assert opened.counts()[name] == n + 1
                    hits = found(opened, sparse=SparseVector([7], [1.0]))
                    assert all(h.dense is not None and h.sparse is not None for h in hits.values())
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(f"doc{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with index.open("proj-a", dimension=DIMENSION) as opened:
        assert opened.counts() == {f"doc{n}": 8 for n in range(4)}


def test_a_passage_is_scored_by_its_best_sentence_too(collection):
    vectors = [(0.0, 1.0, 0.0, 0.0), (0.6, 0.8, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0)]
    collection.replace_document("a", [with_sentences("a", 0, vectors), embedded("a", 1)])
    hits = found(collection, sparse=SparseVector([7], [1.0]))
    assert hits[("a", 0)].sentence == pytest.approx(0.6, abs=1e-3)
    assert hits[("a", 0)].dense == pytest.approx(1.0)
    assert hits[("a", 1)].sentence is None
    ids = [hit.id for hit in hits.values()]
    each = collection.sentence_scores((1.0, 0.0, 0.0, 0.0), ids)
    assert list(each) == [hits[("a", 0)].id]
    assert list(each[hits[("a", 0)].id]) == pytest.approx([0.0, 0.6, 0.0], abs=1e-3)


def test_words_alone_need_no_sentences(collection):
    collection.replace_document("a", [with_sentences("a", 0, [(1.0, 0.0, 0.0, 0.0)])])
    hits = found(collection, dense=None, sparse=SparseVector([7], [1.0]))
    assert [hit.sentence for hit in hits.values()] == [None]


def test_as_many_sentence_vectors_as_sentences(collection):
    wrong = with_sentences("a", 0, [(1.0, 0.0, 0.0, 0.0)] * 2)
    wrong = EmbeddedPassage(wrong.passage, wrong.dense, wrong.sparse, wrong.sentences[:1])
    with pytest.raises(ValueError, match="as many"):
        collection.replace_document("a", [wrong])
    with pytest.raises(ValueError, match="dimensions"):
        collection.replace_document("a", [with_sentences("a", 0, [(1.0, 0.0)])])


def test_vectors_come_back_with_length_one(collection):
    collection.replace_document("a", [embedded("a", 0, dense=(3.0, 0.0, 4.0, 0.0))])
    [hit] = found(collection).values()
    assert list(collection.vectors([hit.id])[hit.id]) == pytest.approx([0.6, 0.0, 0.8, 0.0])


def test_what_is_gone_is_left_out(collection):
    collection.replace_document("a", [embedded("a", 0), embedded("a", 1)])
    ids = [hit.id for hit in found(collection).values()]
    collection.delete_documents(["a"])
    collection.replace_document("b", [embedded("b", 0)])
    [kept] = [hit.id for hit in found(collection).values()]
    assert [p.chunk.doc_id for p in collection.fetch([*ids, kept])] == ["b"]
    assert list(collection.vectors([*ids, kept])) == [kept]
    assert collection.sentence_scores((1.0, 0.0, 0.0, 0.0), ids) == {}


def test_what_was_read_before_a_change_is_read_again_after_it(collection):
    question = (1.0, 0.0, 0.0, 0.0)
    collection.replace_document("a", [with_sentences("a", 0, [(0.0, 1.0, 0.0, 0.0)])])
    [id] = [hit.id for hit in found(collection).values()]
    [before], scores = collection.fetch([id]), collection.sentence_scores(question, [id])
    assert list(scores[id]) == pytest.approx([0.0], abs=1e-3)
    assert list(collection.positions([id])) == [id]
    collection.set_citation("a", None, "/moved/a.pdf")
    assert before.source_path != "/moved/a.pdf"
    assert [p.source_path for p in collection.fetch([id])] == ["/moved/a.pdf"]
    collection.replace_document("a", [with_sentences("a", 0, [question])])
    assert list(collection.sentence_scores(question, [id])[id]) == pytest.approx([1.0], abs=1e-3)
    collection.delete_documents(["a"])
    assert collection.positions([id]) == {}
    assert collection.fetch([id]) == []


@pytest.mark.usefixtures("unused")
def test_other_sparse_vectors_reach_searches_and_nothing_else(collection):
    collection.replace_document("a", [with_sentences("a", 0, [(1.0, 0, 0, 0)]), embedded("a", 1)])
    collection.replace_document("b", [embedded("b", 0)])
    collection.compact()
    before = list(collection.passages())
    ids = [p.chunk.id for p in collection.passages("a")]
    gone = chunk_id("gone", None, (), "model", 0)
    collection.set_sparse(
        {
            ids[0]: SparseVector([7, 9], [3.0, 1.0]),
            ids[1]: SparseVector([11], [1.0]),
            gone: SparseVector([9], [1.0]),
        }
    )
    collection.flush()
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    # While a server rewrites a segment, it counts what was replaced too.
    for _ in range(100):
        hits = found(collection, sparse=SparseVector([7], [1.0]))
        if hits["a", 0].sparse == pytest.approx(3.0 * idf, rel=1e-5):
            break
        time.sleep(0.1)
    assert hits["a", 0].sparse == pytest.approx(3.0 * idf, rel=1e-5)
    assert hits["a", 1].sparse is None
    assert hits["b", 0].sparse == pytest.approx(1.0 * idf, rel=1e-5)
    assert hits["a", 0].dense == pytest.approx(1.0)
    assert hits["a", 0].sentence == pytest.approx(1.0, abs=1e-3)
    assert set(found(collection, None, SparseVector([9], [1.0]))) == {("a", 0)}
    assert list(collection.passages()) == before
    collection.set_sparse({})


def test_a_search_among_some_passages_finds_no_others(collection):
    for doc in "ab":
        collection.replace_document(doc, [embedded(doc, n, citation=SMITH) for n in range(3)])
    ids = {p.chunk.id: (p.chunk.doc_id, p.chunk.chunk_idx) for p in collection.passages()}
    some = {id for id, key in ids.items() if key in {("a", 1), ("b", 2)}}
    only_a = Filter(clauses=(parse_clause("doc=a"),))
    for dense, sparse in (
        ((1.0, 0, 0, 0), None),
        (None, SparseVector([7], [1.0])),
        ((1.0, 0, 0, 0), SparseVector([7], [1.0])),
    ):
        asked = {"dense": dense, "sparse": sparse, "limit": 50}
        hits = collection.search(filter=EVERYTHING, among=some, **asked)
        assert {hit.id for hit in hits} == some
        hits = collection.search(filter=only_a, among=some, **asked)
        assert [ids[hit.id] for hit in hits] == [("a", 1)]
        assert collection.search(filter=EVERYTHING, among=set(), **asked) == []


@pytest.mark.usefixtures("unused")
def test_an_export_can_be_stored_again_and_answers_alike(collection, index):
    vectors = [(0.0, 1.0, 0.0, 0.0), (0.6, 0.8, 0.0, 0.0)]
    collection.replace_document(
        "b", [with_sentences("b", 1, vectors), embedded("b", 0, citation=SMITH)]
    )
    wordless = EmbeddedPassage(passage("a", 0), (3.0, 0.0, 4.0, 0.0), SparseVector([], []))
    collection.replace_document("a", [wordless])
    everything = list(collection.export())
    assert [each.passage for each in everything] == list(collection.passages())
    assert [each.passage.chunk.doc_id for each in everything] == ["a", "b", "b"]
    assert list(everything[0].dense) == pytest.approx([0.6, 0.0, 0.8, 0.0])
    assert [len(each.sentences) for each in everything] == [0, 0, 2]
    assert list(everything[2].sentences[1]) == pytest.approx([0.6, 0.8, 0.0, 0.0], abs=1e-3)
    assert list(everything[1].sparse.indices) == [7]
    assert list(everything[1].sparse.values) == pytest.approx([1.0])
    assert list(everything[0].sparse.indices) == []
    assert [each.passage for each in collection.export("a")] == [wordless.passage]
    assert list(collection.export("nobody")) == []

    collection.compact()
    asked, words = (0.0, 1.0, 1.0, 0.0), SparseVector([7], [1.0])
    before = found(collection, asked, words)
    with index.open("proj-a", dimension=DIMENSION) as other:
        other.delete_documents(list(other.counts()))
        for doc in "ab":
            other.replace_document(doc, list(collection.export(doc)))
        other.compact()
        assert list(other.passages()) == list(collection.passages())
        after = found(other, asked, words)
    assert set(after) == set(before)
    for key, hit in after.items():
        for name in ("dense", "sparse", "sentence"):
            assert getattr(hit, name) == pytest.approx(getattr(before[key], name), abs=1e-3)


def renewed(index):
    return index.renewal("proj-local-renewed", dimension=DIMENSION)


def ids_of(index):
    with index.open("proj-local-renewed", dimension=DIMENSION) as opened:
        return set(opened.counts())


def test_a_renewed_collection_is_what_was_written_into_it(index):
    with renewed(index) as beside, beside.open("proj-local-renewed", dimension=DIMENSION) as opened:
        opened.replace_document("a", [embedded("a", 0)])
        opened.flush()
    assert ids_of(index) == {"a"}
    with renewed(index) as beside, beside.open("proj-local-renewed", dimension=DIMENSION) as opened:
        opened.delete_documents(["a"])
        opened.replace_document("b", [embedded("b", 0)])
        opened.flush()
    assert ids_of(index) == {"b"}
    index.close()  # and whole when it is read again
    assert ids_of(index) == {"b"}
    index.drop("proj-local-renewed")


def test_a_renewal_that_fails_changes_nothing(index):
    with index.open("proj-local-renewed", dimension=DIMENSION) as opened:
        opened.replace_document("a", [embedded("a", 0)])
        opened.flush()
    with pytest.raises(RuntimeError), renewed(index):
        raise RuntimeError("stopped")
    assert ids_of(index) == {"a"}
    index.drop("proj-local-renewed")
