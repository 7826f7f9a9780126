"""A chunk's id depends on all that makes it this chunk, and on nothing else."""

from itertools import combinations
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from support.builders import DOC_ID, a_chunk
from support.cases import each

from citeloom.domain.documents.spans import CharSpan, PageSpan, chunk_id, heading_context

MODEL = "fastembed/all-MiniLM-L6-v2"
DISTINCT = [
    ("doc123", (1, 3), ("Introduction", "Overview"), MODEL, 0),
    ("doc123", (1, 3), ("Introduction",), MODEL, 0),
    ("doc456", (1, 3), ("Introduction",), MODEL, 0),
    ("doc123", (1, 3), (), MODEL, 0),
    ("doc123", (2, 4), (), MODEL, 0),
    ("doc123", (1, 3), ("Introduction",), MODEL, 1),
    # Pages count also where there is a section path, and so does the model.
    ("doc123", (2, 4), ("Introduction",), MODEL, 0),
    ("doc123", (1, 3), ("Introduction",), "fastembed/other", 0),
    ("doc123", None, (), MODEL, 0),
]
# Pairs that run together where parts are joined by ":" or "|".
AMBIGUOUS = [
    (("a:b", (1, 1), ("c",), "m", 0), ("a", (1, 1), ("b:c",), "m", 0)),
    (("a", (1, 1), ("x|y",), "m", 0), ("a", (1, 1), ("x", "y"), "m", 0)),
    (("a", (1, 1), ('x","y',), "m", 0), ("a", (1, 1), ("x", "y"), "m", 0)),
    (("a", None, ("",), "m", 1), ("a", None, (), "m", 1)),
    (("a", None, ("m",), "1", 1), ("a", None, (), "m1", 1)),
]
Parts = tuple[str, tuple[int, int] | None, tuple[str, ...], str, int]


def id_of(parts: Parts) -> str:
    doc_id, pages, path, model, index = parts
    span = PageSpan(start=pages[0], end=pages[1]) if pages else None
    return chunk_id(doc_id, span, path, model, index)


@each(("a", "b"), list(combinations(DISTINCT, 2)))
def test_chunks_that_differ_in_one_part_have_different_ids(a: Parts, b: Parts) -> None:
    assert id_of(a) != id_of(b)


@each(("a", "b"), AMBIGUOUS)
def test_parts_never_run_together(a: Parts, b: Parts) -> None:
    assert id_of(a) != id_of(b)


PARTS = st.tuples(
    st.text(max_size=5),
    st.none() | st.tuples(st.integers(1, 3), st.integers(3, 5)),
    st.lists(st.text(max_size=4), max_size=3).map(tuple),
    st.text(max_size=4),
    st.integers(0, 3),
)


@given(PARTS, PARTS)
def test_ids_are_equal_only_for_equal_chunks(a: Parts, b: Parts) -> None:
    assert (id_of(a) == id_of(b)) is (a == b)


def test_ids_are_the_same_for_ever() -> None:
    # Projects in use hold these ids: a change here orphans every chunk that was ever stored.
    assert id_of(DISTINCT[0]) == "ac555ac4-90c6-5114-a3b0-153937c7839b"
    assert UUID(id_of(DISTINCT[0])).version == 5


@each(
    "changes",
    [
        {"chunk_idx": -1},
        {"text": ""},
        {"id": ""},
        {"doc_id": ""},
        {"paragraph": 0},
        {"tokens": -1},
        {"char_span": CharSpan(start=0, end=3)},
    ],
    ids=str,
)
def test_a_malformed_chunk_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        a_chunk(**{"text": "four"} | changes)


def test_a_chunk_in_front_of_the_first_heading_has_no_section() -> None:
    assert a_chunk(section_path=()).section_heading is None
    assert a_chunk(section_path=("1 A", "1.1 B")).section_heading == "1.1 B"


def test_the_nearest_headings_are_put_in_front_for_embedding_only() -> None:
    chunk = a_chunk("We drew lots.", section_path=("Methods", "Design", "Sampling"))
    assert chunk.embedding_text() == "Design > Sampling\nWe drew lots."
    assert chunk.text == "We drew lots."
    assert (
        a_chunk("We drew lots.", section_path=("A", "B"), context_headings=0).embedding_text()
        == "We drew lots."
    )


def test_a_heading_that_the_text_begins_with_is_not_repeated() -> None:
    text = "Results\n\nDecay\n\nIt falls."
    assert a_chunk(text, section_path=("Results", "Decay")).embedding_text() == text


def test_a_heading_is_repeated_where_the_text_only_begins_with_the_same_letters() -> None:
    assert heading_context(("Results",), "Resultsets are joined.") == "Results"


def test_later_rows_of_a_table_are_embedded_with_its_header() -> None:
    chunk = a_chunk("Mill | 0.7", section_path=("Results",), table_header="Pond | Area")
    assert chunk.embedding_text() == "Results\nPond | Area\nMill | 0.7"
    assert chunk.doc_id == DOC_ID
