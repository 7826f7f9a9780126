"""Which numbers in heads, feet and margins are those of the pages."""

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.citation.locators import to_roman
from citeloom.domain.citation.page_numbers import (
    MarginRow,
    PageNumber,
    number_pages,
    page_labels,
)
from citeloom.domain.documents.conversion import LabelSource

HEAD, FOOT = 40.0, 30.0


def rows_of(heads: Mapping[int, Sequence[str]], *, top: bool = True) -> list[MarginRow]:
    level = HEAD if top else FOOT
    return [MarginRow(page, top, 0, level, tuple(parts)) for page, parts in heads.items()]


def labels(
    heads: Mapping[int, Sequence[str]], pages: int | None = None, kin: Sequence[int] = ()
) -> dict[int, str]:
    found = number_pages(rows_of(heads), pages or max(heads), kin)
    return {page: number.label for page, number in found.items()}


def one_each(texts: Sequence[str], first: int = 1) -> dict[int, tuple[str, ...]]:
    return {page: (text,) for page, text in enumerate(texts, first) if text}


@each(
    ("texts", "expected"),
    [
        (["127", "128", "129"], ["127", "128", "129"]),
        (["- 3 -", "- 4 -", "- 5 -"], ["3", "4", "5"]),
        (["Page 3 of 12", "Page 4 of 12"], ["3", "4"]),
        (["3/12", "4/12", "5/12"], ["3", "4", "5"]),
        (["Page 7"], ["7"]),
        (["S1", "S2", "S3"], ["S1", "S2", "S3"]),
        (["A-1", "A-2", "A-3"], ["A-1", "A-2", "A-3"]),
        (["39:2", "39:3", "39:4"], ["39:2", "39:3", "39:4"]),
        (["053401-2", "053401-3", "053401-4"], ["2", "3", "4"]),
        (["viii", "ix", "x", "xi"], ["viii", "ix", "x", "xi"]),
        (["VIII", "IX", "X", "XI"], ["VIII", "IX", "X", "XI"]),
        (["338", "339", "34O"], ["338", "339", "340"]),  # read by OCR
        (["9", "1O", "l1", "12"], ["9", "10", "11", "12"]),
        (["1O", "l1", "lO"], []),
    ],
)
def test_page_numbers_are_written_in_many_ways(texts: list[str], expected: list[str]) -> None:
    assert [*labels(one_each(texts)).values()] == expected


@each(
    "texts",
    [
        ["2019", "2019", "2019", "2019"],
        ["053401", "053401", "053401"],
        ["arXiv:1512.02900v1 [quant-ph] 9 Dec 2015"] * 12,
        ["12 March 2019", "12 March 2019", "12 March 2019"],
        ["3.1", "3.2", "3.3"],
        ["(1)", "(2)"],
        ["1", "57", "112", "167"],
        ["127"],
        ["C", "D", "I"],
    ],
)
def test_numbers_that_count_no_pages_are_no_labels(texts: list[str]) -> None:
    assert labels(one_each(texts)) == {}


def test_a_number_in_words_that_repeat_counts_and_in_a_sentence_does_not() -> None:
    journal = {page: (f"PLoS ONE | March 2011 | {page + 40} | e17457",) for page in range(1, 6)}
    assert labels(journal) == {page: str(page + 40) for page in range(1, 6)}
    words = ["of ponds", "of wells", "in springs", "by lakes", "at sea"]
    sentences = {page: (f"there are {page + 4} {word}",) for page, word in enumerate(words, 1)}
    assert labels(sentences) == {}


def test_numbers_of_a_table_at_the_top_of_two_pages_are_no_labels() -> None:
    cells = {page: tuple("1 2 3 4 5 6".split()) for page in (4, 5)}
    assert labels(cells, 12) == {}


def test_a_numbered_heading_at_the_top_is_not_the_number_of_its_page() -> None:
    heads = rows_of({2: ("2.", "Transactions"), 3: ("4.", "Proof-of-Work")})
    feet = rows_of({page: (str(page),) for page in range(1, 5)}, top=False)
    rows = {page: number.row for page, number in number_pages([*heads, *feet], 4).items()}
    assert list(rows.values()) == feet


def test_a_page_between_two_of_a_run_is_counted() -> None:
    found = number_pages(rows_of(one_each(["12", "13", "", "", "16", "17"])), 6)
    assert {page: (n.label, n.row is None) for page, n in found.items()} == {
        1: ("12", False), 2: ("13", False), 3: ("14", True), 4: ("15", True),
        5: ("16", False), 6: ("17", False),
    }  # fmt: skip


def test_a_misread_number_between_two_of_a_run_is_counted() -> None:
    assert labels(one_each(["12", "13", "74", "15", "16"]))[3] == "14"


def test_the_page_before_a_run_is_counted_if_it_is_set_like_it() -> None:
    heads = one_each(["124", "125", "126"], first=2)
    assert labels(heads, kin=[1, 2, 3])[1] == "123"
    assert 1 not in labels(heads, kin=[2, 3])
    assert 1 not in labels(one_each(["1", "2", "3"], first=2), kin=[1, 2, 3])


def test_a_cover_sheet_is_not_the_page_before_an_article() -> None:
    """The number of an article's first page is in the foot, those of the others in the head."""
    foot = rows_of({2: ("123",)}, top=False)
    heads = rows_of(one_each(["124", "125", "126"], first=3))
    found = number_pages([*foot, *heads], 5, {1, 2, 3, 4})
    assert [*found] == [2, 3, 4, 5]


def test_front_matter_parts_and_supplements_have_their_own_numbers() -> None:
    texts = ["", "ii", "iii", "iv", "1", "2", "3", "4", "S1", "S2", "S3", "1", "2", "3"]
    found = labels(one_each(texts), kin=range(1, 20))
    assert [found[page] for page in range(1, 15)] == ["i", *texts[1:]]


def test_two_printed_pages_are_on_one_page_of_the_file() -> None:
    heads = {page: (f"{2 * page + 8}", f"{2 * page + 9}") for page in range(1, 5)}
    heads[3] = ("14", "A Title")
    assert labels(heads) == {1: "10–11", 2: "12–13", 3: "14–15", 4: "16–17"}


numberings = st.sampled_from(["1", "i", "S", "of"])


def written(style: str, number: int, last: int) -> str:
    if style == "i":
        return to_roman(number)
    return {"1": f"{number}", "S": f"S{number}", "of": f"{number} of {last}"}[style]


def named(style: str, number: int) -> str:
    return to_roman(number) if style == "i" else f"{'S' * (style == 'S')}{number}"


@given(
    parts=st.lists(
        st.tuples(numberings, st.integers(1, 400), st.integers(4, 12)), min_size=1, max_size=4
    ),
    noise=st.lists(st.tuples(st.integers(1, 48), st.integers(1, 2000)), max_size=6),
    silent=st.sets(st.integers(1, 48), max_size=5),
)
def test_no_page_has_another_label_than_it_prints(
    parts: list[tuple[str, int, int]], noise: list[tuple[int, int]], silent: set[int]
) -> None:
    truth: list[str] = []
    rows: list[MarginRow] = []
    for style, start, count in parts:
        first = start % 30 + 1 if style == "i" else start
        for number in range(first, first + count):
            page = len(truth) + 1
            truth.append(named(style, number))
            text = written(style, number, first + count - 1)
            if page not in silent:
                rows.append(MarginRow(page, False, 0, FOOT, (text,)))
    rows += (
        MarginRow(page, True, 0, 50.0 + 9 * at, (f"{number}",))
        for at, (page, number) in enumerate(noise)
        if page <= len(truth)
    )
    found = number_pages(rows, len(truth))
    printed = {row.page for row in rows if not row.top}
    for page, number in found.items():
        assert number.label == truth[page - 1] or page not in printed
    if not noise and not silent:
        assert {page: n.label for page, n in found.items()} == dict(enumerate(truth, 1))


PRINTED = {
    page: PageNumber(f"{page - 1}", MarginRow(page, False, 0, FOOT, (f"{page - 1}",)))
    for page in range(2, 7)
}


def test_declared_labels_that_contradict_what_is_printed_give_way() -> None:
    found = page_labels([f"{page}" for page in range(1, 7)], PRINTED, 6)
    assert found == {page: (f"{page - 1}", LabelSource.PRINTED) for page in range(2, 7)}
    found = page_labels(["x", "xi", "xii", "1", "2", "3"], PRINTED, 6)
    assert 1 not in found
    assert found[4] == ("3", LabelSource.PRINTED)


def test_declared_labels_stand_where_no_number_is_printed() -> None:
    found = page_labels(["Cover", "1", "2", "3", "4", "5", "Back"], PRINTED, 7)
    assert found[1] == ("Cover", LabelSource.PDF)
    assert found[7] == ("Back", LabelSource.PDF)
    assert found[2] == ("1", LabelSource.PRINTED)
    assert page_labels(["1123", "1124"], {}, 2)[2] == ("1124", LabelSource.PDF)


@each("declared", [["1", "2", "3"], ["1", "1", "2"], ["", "", ""], None])
def test_labels_that_only_count_the_file_or_repeat_are_none(declared: list[str] | None) -> None:
    assert page_labels(declared, {}, 3) == {}


def test_the_source_of_a_counted_label_is_in_the_result() -> None:
    numbers = {**PRINTED, 4: PageNumber("3", None)}
    assert page_labels(None, numbers, 6)[4] == ("3", LabelSource.COUNTED)


FOOT_OF_A_JOURNAL = "Volume 12 / Number 10 / October, 1969"


def test_a_page_after_missing_ones_is_known_by_its_row() -> None:
    heads = {page: (FOOT_OF_A_JOURNAL, str(575 + page)) for page in range(1, 5)}
    after = heads | {5: (FOOT_OF_A_JOURNAL, "583")}
    assert labels(after)[5] == "583"
    assert 5 not in labels(heads | {5: (FOOT_OF_A_JOURNAL, "57")})
    assert 5 not in labels(heads | {5: ("Volume 13 / Number 10 / October, 1970", "583")})


def test_a_page_is_named_in_several_parts_of_a_row() -> None:
    assert labels({1: ("Memo 19",), 2: ("Page", "2")}) == {2: "2"}


def test_a_number_that_touches_the_words_before_it_is_read() -> None:
    heads = {page: ("Journal of Open Source", str(page)) for page in range(1, 10)}
    assert labels(heads | {10: ("Journal of Open Source10",)})[10] == "10"


def test_the_foot_of_a_journal_names_the_number_of_a_single_page() -> None:
    assert labels({1: (FOOT_OF_A_JOURNAL, "569")}) == {1: "569"}
    assert labels({1: ("October, 1969", "569")}) == {}
    assert labels({1: ("Volume 12 / Number 10", "1969")}) == {}
