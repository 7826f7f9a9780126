"""Works without text: identifiers as people write them, documents that stand for works, names."""

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.citation.metadata import CitationMeta, CitationSource
from citeloom.domain.library import WORK_TYPE
from citeloom.domain.references.textless import (
    WorksByName,
    file_name,
    identifier_of,
    readable_name,
    work_document,
)


def a_work(title: str = "Ponds cool the evening street", **more: object) -> CitationMeta:
    csl = {"author": [{"family": "Weir", "given": "Oriana"}]}
    known = {"citekey": "weir", "title": title, "authors": ("Oriana Weir",), "year": 2020}
    return CitationMeta.model_validate(known | {"csl": csl, "type": "article-journal"} | more)


@each(
    ("written", "identifier"),
    [
        ("10.1145/3292500.3330701", "10.1145/3292500.3330701"),
        (" https://doi.org/10.1145/ABC ", "10.1145/abc"),
        ("doi:10.1145/abc", "10.1145/abc"),
        ("arXiv:2302.07302v2", "arXiv:2302.07302"),
        ("2302.07302", "arXiv:2302.07302"),
        ("https://arxiv.org/pdf/2302.07302v1.pdf", "arXiv:2302.07302"),
        ("hep-th/9901001", "arXiv:hep-th/9901001"),
        ("38799228", "pmid:38799228"),
        ("PMID: 38799228", "pmid:38799228"),
        ("https://pubmed.ncbi.nlm.nih.gov/38799228/", "pmid:38799228"),
        ("ISBN 978-0-262-03561-3", "isbn:9780262035613"),
        ("isbn:0306406152", "isbn:0306406152"),
        ("ISBN-10: 0-8044-2957-x", "isbn:080442957X"),
        ("978-0-262-03561-4", None),
        ("0306406153", None),
        ("Attention is all you need", None),
        ("https://weir.example/paper.pdf", None),
        ("papers", None),
        ("", None),
    ],
)
def test_identifiers_as_people_write_them(written: str, identifier: str | None) -> None:
    assert identifier_of(written) == identifier


@given(st.text(max_size=40))
def test_any_text_is_an_identifier_or_none(text: str) -> None:
    found = identifier_of(text)
    assert found is None or identifier_of(found) == found


def test_the_document_of_a_work_has_what_is_known_and_no_text() -> None:
    document = work_document(a_work(doi="10.5555/ponds", csl={"PMID": "12", "volume": 3}))
    assert (document.mime_type, document.plain_text, document.page_count) == (WORK_TYPE, "", 0)
    assert (document.title, document.year, document.volume) == (a_work().title, 2020, "3")
    assert document.identifiers == ("10.5555/ponds", "pmid:12")


def test_equal_works_are_one_document_and_a_chapter_is_not_its_book() -> None:
    one = work_document(a_work(doi="10.5555/ponds"))
    assert work_document(a_work(doi="10.5555/PONDS", citekey="other")).doc_id == one.doc_id
    assert work_document(a_work("Chapter 3", doi="10.5555/ponds")).doc_id != one.doc_id
    assert work_document(a_work(year=2021)).doc_id != work_document(a_work()).doc_id


def test_the_same_work_is_found_by_identifier_and_title() -> None:
    works = WorksByName()
    works.put(a_work(doi="10.5555/ponds"), "a")
    works.put(
        a_work("Grids of random points", source=CitationSource.DOCUMENT, type="document"), "b"
    )
    assert works.same(a_work(doi="https://doi.org/10.5555/PONDS", citekey="x")) == "a"
    assert works.same(a_work(doi="10.5555/other")) is None
    assert works.same(a_work("Grids of random points", doi="10.5555/grids")) == "b"
    assert works.same(a_work("Grids of random points", year=1999)) is None


def test_a_readable_name_has_author_year_and_title() -> None:
    assert readable_name(a_work(), ".pdf") == "Weir 2020 - Ponds cool the evening street.pdf"
    bare = CitationMeta(
        citekey="x", title="A <i>study</i>: of a/b?", authors=("Unknown",), csl={"x": 1}
    )
    assert readable_name(bare, ".pdf") == "A study of a b.pdf"


@each(
    ("text", "name"),
    [
        ("../../etc/passwd", "etc passwd.pdf"),
        (".hidden", "hidden.pdf"),
        ("~$lock", "$lock.pdf"),
        ("a\x00b\nc\u202egpj", "a b c gpj.pdf"),
        ("C:\\x", "C x.pdf"),
        ("...", "paper.pdf"),
        ("", "paper.pdf"),
    ],
)
def test_hostile_names_become_plain_ones(text: str, name: str) -> None:
    assert file_name(text, ".pdf") == name


@given(st.text())
def test_any_name_fits_every_file_system(text: str) -> None:
    name = file_name(text, ".pdf")
    assert len(name.encode()) <= 160
    assert not set(name) & set('<>:"/\\|?*\0')
    assert name[0] not in ".~ "
