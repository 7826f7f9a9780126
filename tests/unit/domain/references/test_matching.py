"""A document finds its item, and never another one's."""

from collections.abc import Sequence
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.references.first_page import DocumentEvidence, FirstPage
from citeloom.domain.references.matching import ItemMatcher, Match, _tokens_in


class File(NamedTuple):
    path: str
    citekey: str


def item(
    key: str,
    title: str,
    *people: tuple[str, str],
    doi: str | None = None,
    year: int = 2020,
    **csl: str,
) -> CitationMeta:
    authors = [{"family": family, "given": given} for family, given in people]
    return CitationMeta(
        citekey=key,
        title=title,
        authors=tuple(f"{given} {family}" for family, given in people) or ("[no author]",),
        year=year,
        doi=doi,
        csl={"author": authors, **csl},
    )


COOLING = item("okafor2021", "Cooling small ponds with shade cloth", ("Okafor", "Ada"),
               ("Lindqvist", "Per"), doi="10.1234/pond.2021.7")  # fmt: skip
PROTOCOLS = item("berg2019", "Sampling protocols for lake sediments: a field guide",
                 ("van den Berg", "Jan"), doi="10.1234/lake.19")  # fmt: skip
LIBRARY = (COOLING, PROTOCOLS)

BODY = "\n\nAbstract\n" + "Water warms in summer and its oxygen falls, as is well known here. " * 8


def page(title: str, authors: str = "", rest: str = "") -> str:
    return f"{title}\n\n{authors}\n{rest}{BODY}"


def document(
    text: str = "",
    *identifiers: str,
    name: str = "x.pdf",
    title: str | None = None,
    source: str = "",
) -> DocumentEvidence:
    return DocumentEvidence(
        file_name=name, source_path=source, identifiers=identifiers, title=title, first_text=text
    )


def found(
    doc: DocumentEvidence, items: Sequence[CitationMeta] = LIBRARY, files: Sequence[File] = ()
) -> tuple[str, str] | None:
    match = ItemMatcher(items, files).match(doc)
    return (match.item.citekey, match.how) if match else None


OWN_PAGE = page(COOLING.title, "Ada Okafor and Per Lindqvist")
OTHER_PAGE = page("Warming large lakes by heat pumps", "Maria Silva, Tom Brown")


# --- links


def test_a_linked_path_is_the_document_whatever_else_speaks() -> None:
    files = [File("/papers/a.pdf", "okafor2021")]
    assert found(document(OTHER_PAGE, source="/papers/a.pdf"), files=files) == (
        "okafor2021",
        "link",
    )


def test_a_link_is_found_behind_backslashes_and_in_zoteros_storage() -> None:
    windows = [File("C:\\Users\\ada\\papers\\a.pdf", "okafor2021")]
    assert found(document(source="C:/Users/ada/papers/a.pdf"), files=windows) is not None
    stored = [File("/old/storage/ABCD2345/Full Text.pdf", "okafor2021")]
    moved = document(OTHER_PAGE, name="Full Text.pdf", source="/new/ABCD2345/Full Text.pdf")
    assert found(moved, files=stored) == ("okafor2021", "link")


def test_a_mere_file_name_links_only_a_page_that_agrees() -> None:
    files = [File("/zotero/main.pdf", "okafor2021")]
    assert found(document(OTHER_PAGE, name="main.pdf", source="/b/main.pdf"), files=files) is None
    assert found(document(OWN_PAGE, name="main.pdf", source="/b/main.pdf"), files=files) == (
        "okafor2021",
        "link",
    )


def test_a_file_name_that_two_items_link_is_no_evidence() -> None:
    files = [File("/1/main.pdf", "okafor2021"), File("/2/main.pdf", "berg2019")]
    assert found(document("", name="main.pdf", source="/3/main.pdf"), files=files) is None


# --- identifiers


def test_the_first_doi_names_the_document() -> None:
    assert found(document(OWN_PAGE, "10.1234/POND.2021.7")) == ("okafor2021", "doi")


def test_a_doi_is_enough_where_the_page_says_nothing() -> None:
    assert found(document("", "10.1234/pond.2021.7")) == ("okafor2021", "doi")


def test_the_items_title_may_be_edited_as_long_as_authors_and_place_of_the_doi_agree() -> None:
    edited = item("okafor2021", "My favourite", ("Okafor", "Ada"), doi="10.1234/pond.2021.7")
    text = page("Cooling small ponds with shade cloth", "A. Okafor", "DOI: 10.1234/pond.2021.7\n")
    assert found(document(text, "10.1234/pond.2021.7"), [edited]) == ("okafor2021", "doi")


def test_an_edited_title_needs_no_authors_where_the_item_names_none() -> None:
    edited = item("okafor2021", "Cooling small ponds by shade cloths", doi="10.1234/pond.2021.7")
    assert found(document(OWN_PAGE, "10.1234/pond.2021.7"), [edited]) == ("okafor2021", "doi")


def test_the_doi_of_a_cited_paper_is_no_match() -> None:
    rest = "As was shown by others (https://doi.org/10.1234/pond.2021.7), ponds can be cooled.\n"
    text = page("Warming large lakes by heat pumps", "Maria Silva, Tom Brown", rest)
    assert found(document(text, "10.1234/pond.2021.7")) is None


def test_a_paper_that_cites_its_authors_earlier_one_is_not_that_one() -> None:
    rest = (
        "10.5555/lakes.3\nIn earlier work (Okafor & Lindqvist, Cooling small ponds with shade "
        "cloth, 2021, https://doi.org/10.1234/pond.2021.7) we cooled ponds.\n"
    )
    text = page("Warming large lakes by heat pumps", "Ada Okafor, Per Lindqvist", rest)
    assert found(document(text, "10.5555/lakes.3", "10.1234/pond.2021.7")) is None


def test_the_title_on_the_page_outweighs_the_doi_of_another_item() -> None:
    doc = document(page(PROTOCOLS.title, "Jan van den Berg"), "10.1234/pond.2021.7")
    assert found(doc) == ("berg2019", "title")


def test_chapters_that_share_a_books_doi_are_told_apart_by_title() -> None:
    chapters = [
        item("one", "Cooling ponds in dry summers", ("Okafor", "Ada"), doi="10.1234/book"),
        item("two", "Heating ponds in cold winters", ("Okafor", "Ada"), doi="10.1234/book"),
    ]
    doc = document(page("Heating ponds in cold winters", "Ada Okafor"), "10.1234/book")
    assert found(doc, chapters) == ("two", "doi")
    assert found(document("", "10.1234/book"), chapters) is None


def test_an_item_that_is_entered_twice_is_found_as_the_fuller_entry() -> None:
    fuller = COOLING.model_copy(update={"citekey": "z", "page": "1-9"})
    match = ItemMatcher([COOLING, fuller]).match(document(OWN_PAGE, "10.1234/pond.2021.7"))
    assert isinstance(match, Match)
    assert match.item.citekey == "z"
    assert "okafor2021" in match.detail
    same = COOLING.model_copy(update={"citekey": "z"})
    assert found(document(OWN_PAGE), [same, COOLING]) == ("okafor2021", "title")


def test_an_arxiv_id_finds_the_item_by_url_number_or_doi() -> None:
    for field in ({"doi": "10.48550/arxiv.1706.03762"}, {"number": "arXiv:1706.03762"}):
        paper = item("vaswani", "Attention is all you need", ("Vaswani", "Ashish"), **field)
        text = page("Attention is all you need", "Ashish Vaswani")
        assert found(document(text, "arxiv:1706.03762v5"), [paper]) == ("vaswani", "arxiv")


def test_a_preprints_version_does_not_matter() -> None:
    paper = item("p", "Cells under slow pressure", ("Ito", "Ken"), doi="10.1101/2020.01.02.123456")
    text = page("Cells under slow pressure", "Ken Ito")
    assert found(document(text, "10.1101/2020.01.02.123456v2"), [paper]) == ("p", "doi")


# --- file names


@pytest.mark.parametrize("name", ["okafor2021.pdf", "OKAFOR2021.PDF", "okafor2021 (1).pdf"])
def test_a_file_that_is_named_by_the_key_is_that_item(name: str) -> None:
    assert found(document(OTHER_PAGE, name=name)) == ("okafor2021", "citekey")


def test_a_key_with_characters_that_file_names_lack_is_found() -> None:
    paper = item("okafor:pond/2021", "Cooling", ("Okafor", "Ada"))
    assert found(document("", name="okafor_pond_2021.pdf"), [paper]) == (paper.citekey, "citekey")


@pytest.mark.parametrize("name", ["notokafor2021.pdf", "okafor20210.pdf", "okafor2021b.pdf"])
def test_a_key_within_a_word_is_no_evidence(name: str) -> None:
    assert found(document("", name=name)) is None


def test_a_key_beside_other_words_needs_the_pages_consent() -> None:
    assert found(document(OTHER_PAGE, name="okafor2021-lakes.pdf")) is None
    text = OWN_PAGE.replace("\n\n", " ", 1)  # the title does not stand alone
    assert found(document(text, name="okafor2021-final.pdf")) == ("okafor2021", "citekey")


def test_a_file_named_for_one_item_that_bears_anothers_title_is_the_other() -> None:
    doc = document(page(PROTOCOLS.title, "Jan van den Berg"), name="okafor2021.pdf")
    assert found(doc) == ("berg2019", "title")


@pytest.mark.parametrize(
    "name", ["pond.2021.7.pdf", "10.1234_pond.2021.7.pdf", "10.1234%2Fpond.2021.7.pdf"]
)
def test_a_doi_in_the_file_name_counts_if_the_page_does_not_deny_it(name: str) -> None:
    assert found(document("", name=name)) == ("okafor2021", "doi")
    assert found(document(OTHER_PAGE, name=name)) is None


def test_an_arxiv_id_as_file_name_counts() -> None:
    paper = item("v", "Attention", ("Vaswani", "Ashish"), number="arXiv:1706.03762")
    assert found(document("", name="1706.03762v5.pdf"), [paper]) == ("v", "arxiv")


# --- titles


@each(
    "shown",
    [
        "Cooling small ponds with shade cloth",
        "COOLING SMALL PONDS\nWITH SHADE CLOTH∗",
        "Cooling small ponds with sha-\nde cloth",
        "Cooling of small ponds with shade cloths".replace("of ", "the "),
    ],
)
def test_a_title_is_found_however_it_is_set(shown: str) -> None:
    assert found(document(page(shown, "Ada Okafor1, Per Lindqvist2"))) == ("okafor2021", "title")


def test_a_title_without_its_subtitle_is_found() -> None:
    text = page("Sampling protocols for lake sediments", "J. van den Berg")
    assert found(document(text)) == ("berg2019", "title")


def test_an_item_without_the_subtitle_is_found_but_not_for_a_later_part() -> None:
    short = item("s", "Sampling protocols for lake sediments", ("Berg", "Jan"))
    own = "Sampling protocols for lake sediments: a field guide"
    assert found(document(page(own, "Jan Berg"), title=own), [short]) == ("s", "title")
    part = "Sampling protocols for lake sediments: part 2"
    assert found(document(page(part, "Jan Berg"), title=part), [short]) is None


def test_the_documents_own_title_counts_only_if_the_page_agrees() -> None:
    assert found(document("", title=COOLING.title)) == ("okafor2021", "title")
    assert found(document(OTHER_PAGE, title=COOLING.title)) is None


@each(
    "text",
    [
        page("Cooling small ponds with shade cloth in dry summers", "Tom Brown"),
        page("Cooling small ponds with shade cloth\nin dry summers", "Tom Brown"),
        page("Comment on\nCooling small ponds with shade cloth", "Ada Okafor"),
        page("Corrigendum to “Cooling small ponds with shade cloth”", "Ada Okafor"),
        page("Erratum\n\nCooling small ponds with shade cloth", "Ada Okafor"),
        page("Warming lakes", "Tom Brown", "Okafor, A.: Cooling small ponds with shade cloth.\n"),
        page("Warming lakes", "T. Brown", BODY + "\nReferences\n\nCooling small ponds with shade "
             "cloth\n\nAda Okafor\n"),
        page("Cooling small ponds without shade cloth", "Ada Okafor"),
    ],
)  # fmt: skip
def test_what_only_mentions_a_title_is_not_that_work(text: str) -> None:
    assert found(document(text)) is None


def test_the_longer_of_two_titles_wins_where_one_holds_the_other() -> None:
    longer = item("l", "Cooling small ponds with shade cloth in dry summers", ("Okafor", "Ada"))
    doc = document(page("Cooling small ponds with shade cloth\nin dry summers", "Ada Okafor"))
    assert found(doc, [COOLING, longer]) == ("l", "title")


def test_two_works_of_one_title_are_not_guessed_between() -> None:
    preprint = COOLING.model_copy(update={"citekey": "pre", "doi": "10.5555/pre"})
    matcher = ItemMatcher([COOLING, preprint])
    doc = document(OWN_PAGE)
    assert matcher.match(doc) is None
    assert "several items fit" in matcher.hint(doc)
    assert "okafor2021" in matcher.hint(doc)


def test_a_short_title_needs_most_of_its_authors() -> None:
    book = item(
        "g", "Deep Learning", ("Goodfellow", "Ian"), ("Bengio", "Yoshua"), ("Courville", "A")
    )
    assert found(document(page("Deep learning", "Yann LeCun, Yoshua Bengio")), [book]) is None
    assert found(
        document(page("Deep Learning", "Ian Goodfellow, Yoshua Bengio and Aaron Courville")), [book]
    ) == ("g", "title")


def test_a_common_word_is_not_taken_for_an_author() -> None:
    law = item("law1986", "Mapping the dynamics of modern science", ("Law", "John"))
    text = page("Mapping the dynamics of modern science", "Tom Brown", "The law of nature\n")
    assert found(document(text), [law]) is None


def test_names_with_particles_umlauts_and_other_scripts_are_found() -> None:
    for people, shown in [
        (("Höffner", "Konrad"), "KONRAD HOFFNER"),
        (("van den Berg", "Jan"), "J. van den Berg"),
        (("DeSilva", "Shanaka"), "Shanaka de Silva"),
        (("Иванов", "Пётр"), "П. Иванов"),
        (("张", "伟明"), "张伟明"),
    ]:
        paper = item("k", "Waters of the northern plains", people)
        text = page("Waters of the northern plains", shown)
        assert found(document(text), [paper]) == ("k", "title"), shown


# --- titles in file names

BUFFERS = item("john94", "2Q: A Low Overhead Buffer Management Replacement Algorithm",
               ("Johnson", "Theodore"), ("Shasha", "Dennis"), year=1994)  # fmt: skip
MISREAD = page("X3: A Low Overhead", "Theodore Johnson Dennis Shasha")
SPELLED = "caching__2q-a-low-overhead-buffer-management-replacement-algorithm.pdf"


def _misread(name: str = SPELLED, text: str = MISREAD, year: int | None = None) -> DocumentEvidence:
    return DocumentEvidence(file_name=name, title="X3: A Low Overhead", year=year, first_text=text)


def test_a_misread_title_is_found_by_file_name_and_first_author() -> None:
    assert found(_misread(), [*LIBRARY, BUFFERS]) == ("john94", "title")
    assert found(_misread(year=1993), [BUFFERS]) == ("john94", "title")


@each(
    "doc",
    [
        _misread(name="2q-part-2-a-low-overhead-buffer-management-replacement-algorithm.pdf"),
        _misread(name="reply-" + SPELLED),
        _misread(name="low-overhead.pdf"),
        _misread(text=page("X3: A Low Overhead", "Maria Silva")),
        _misread(year=2014),
        DocumentEvidence(file_name=SPELLED, title="Warming large lakes", first_text=MISREAD),
    ],
)
def test_a_file_name_is_not_enough_against_other_evidence(doc: DocumentEvidence) -> None:
    assert found(doc, [BUFFERS]) is None


def test_two_works_that_a_file_name_spells_are_not_guessed_between() -> None:
    other = item("j2", "2Q: A Low Overhead Buffer Management Algorithm", ("Johnson", "T."))
    assert found(_misread(), [BUFFERS, other]) is None


def test_an_author_of_the_metadata_counts_as_one_on_the_page() -> None:
    doc = DocumentEvidence(
        file_name="x.pdf",
        title=COOLING.title,
        authors=("Ada Okafor",),
        first_text=page(COOLING.title, "A~a 0kafur"),
    )
    assert found(doc) == ("okafor2021", "title")


# --- hints


def test_the_hint_names_what_was_sought_the_closest_item_and_what_to_do() -> None:
    text = page("Cooling small pools with shade nets", "Tom Brown")
    hint = ItemMatcher(LIBRARY).hint(document(text, "10.9999/unknown", name="scan.pdf"))
    assert "DOI 10.9999/unknown" in hint
    assert "'Cooling small pools with shade nets'" in hint
    assert "'okafor2021' (title similarity 0." in hint
    assert "add it to the reference file (a field `file` links it to an entry), or" in hint
    assert hint.endswith("name the file okafor2021.pdf")


def test_the_hint_says_why_an_items_own_doi_did_not_count() -> None:
    hint = ItemMatcher(LIBRARY).hint(document(OTHER_PAGE, "10.1234/pond.2021.7"))
    assert "10.1234/pond.2021.7 is 'okafor2021'" in hint


def test_an_empty_library_and_an_empty_document_are_no_failure() -> None:
    empty = document()
    assert ItemMatcher([]).match(empty) is None
    assert "add it to the reference file" in ItemMatcher([]).hint(empty)
    assert ItemMatcher(LIBRARY).match(empty) is None
    assert ItemMatcher(LIBRARY).hint(empty)


def test_the_hint_names_a_file_that_can_exist() -> None:
    paper = item("okafor:pond/2021", COOLING.title, ("Okafor", "Ada"))
    hint = ItemMatcher([paper]).hint(document(page(COOLING.title, "Tom Brown")))
    assert hint.endswith("name the file okafor_pond_2021.pdf")
    assert found(document(name="okafor_pond_2021.pdf"), [paper]) == (paper.citekey, "citekey")


def test_an_item_that_is_far_off_is_not_offered_as_closest() -> None:
    hint = ItemMatcher(LIBRARY).hint(
        document(page("Quantum communication complexity", "R. de Wolf"))
    )
    assert "closest" not in hint
    assert "name the file KEY.pdf" in hint


# --- large libraries

WORDS = ("ponds", "shade", "cloth", "lakes", "cooling", "of", "a", "ünder", "per", "-", ":")
titles = st.lists(st.sampled_from(WORDS), min_size=0, max_size=7).map(" ".join)


@given(titles=st.lists(titles, min_size=1, max_size=12), shown=titles, own=titles)
def test_the_index_of_titles_leaves_out_none_that_fits(
    titles: list[str], shown: str, own: str
) -> None:
    items = [item(f"k{n}", title, ("Okafor", "Ada")) for n, title in enumerate(titles)]
    matcher, all_read = ItemMatcher(items), ItemMatcher(items)
    all_read._by_letters = {"": range(len(items))}
    shows = document(page(shown, "Ada Okafor"), title=own, name=f"{shown}.pdf")
    assert matcher.match(shows) == all_read.match(shows)


@given(st.text("ab1_- ", max_size=9), st.text("ab1_- ", min_size=1, max_size=3))
def test_parts_of_a_file_name_begin_and_end_at_word_boundaries(stem: str, part: str) -> None:
    at = stem.find(part)
    inside = stem[:at][-1:].isalnum() or stem[at + len(part) : at + len(part) + 1].isalnum()
    assert (part in _tokens_in(stem)) == (at >= 0 and not inside)


def test_the_time_of_a_match_does_not_follow_the_size_of_the_library(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many = [item(f"k{n}", f"Warming lake number{n} by pumps {n}") for n in range(300)]
    tested: list[object] = []
    shared = FirstPage.shared
    monkeypatch.setattr(
        FirstPage, "shared", lambda self, words: tested.append(words) or shared(self, words)
    )
    assert found(document(OWN_PAGE), [*many, COOLING]) == ("okafor2021", "title")
    assert len(tested) < 20
