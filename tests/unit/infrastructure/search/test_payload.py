import pytest

from citeloom.application.ports.index import Passage
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.documents.spans import CharSpan, Chunk, PageSpan
from citeloom.infrastructure.search.payload import (
    CONTENT,
    INTEGERS,
    KEYWORDS,
    citation_payload,
    to_passage,
    to_payload,
)

CHUNK = Chunk(
    id="c",
    doc_id="d",
    chunk_idx=0,
    text="x",
    char_span=CharSpan(start=0, end=1),
    page_span=PageSpan(start=2, end=4),
    section_path=("2  METHODS", "Straße"),
)
CITATION = CitationMeta(
    citekey="Key:2020",
    title="T",
    authors=("Ångström, Åsa",),
    year=2020,
    tags=("To  Read",),
    type="Article-Journal",
    item_key="ABCD2345",
)


def test_text_is_folded_and_keys_are_not():
    payload = to_payload(Passage(chunk=CHUNK, title=None, source_path="/x", citation=CITATION))
    assert payload["section"] == ["2 methods", "methods", "strasse"]
    assert payload["section_prefix"] == ["2 methods", "2 methods > strasse"]
    assert payload["authors"] == ["angstrom, asa", "angstrom", "asa"]
    assert payload["tags"] == ["to read"]
    assert payload["type"] == "article-journal"
    assert (payload["citekey"], payload["item"]) == ("Key:2020", "ABCD2345")
    assert (payload["page_start"], payload["page_end"], payload["year"]) == (2, 4, 2020)


@pytest.mark.parametrize("citation", [None, CITATION])
def test_every_field_is_always_there_and_nothing_else_is(citation):
    payload = to_payload(Passage(chunk=CHUNK, title="T", source_path="/x", citation=citation))
    assert set(payload) == {*KEYWORDS, *INTEGERS, *CONTENT}


def test_a_citation_replaces_all_that_an_earlier_one_wrote():
    assert set(citation_payload(None, "/x")) == set(citation_payload(CITATION, "/x"))


def test_the_content_alone_restores_the_passage():
    passage = Passage(
        chunk=CHUNK,
        title="T",
        authors=("Ada Okafor",),
        year=1994,
        source_path="/x",
        language="de",
        citation=CITATION,
    )
    payload = to_payload(passage)
    assert to_passage({key: payload[key] for key in CONTENT}) == passage
