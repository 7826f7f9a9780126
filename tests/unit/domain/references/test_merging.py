"""Reference files read as one: each work once, the first file first."""

from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.references.work_versions import merge_entries


def work(key: str, title: str, doi: str | None = None, **more: object) -> CitationMeta:
    values = {"authors": ("Ann Weir",), "year": 2020, "type": "article-journal"} | more
    return CitationMeta(citekey=key, title=title, doi=doi, **values)  # type: ignore[arg-type]


PONDS = "The evening cooling of small ponds"
GRIDS = "A grid has the smallest error of all"


def test_a_work_is_the_same_by_identifier_or_as_the_same_record() -> None:
    by_doi = merge_entries([[work("a", PONDS, "10.5555/p")], [work("b", PONDS, "10.5555/p")]])
    assert [one.citekey for one in by_doi.items] == ["a"]
    assert by_doi.keys == ({"a": "a"}, {"b": "a"})
    assert by_doi.passed_over == (0, 1)
    by_title = merge_entries([[work("a", PONDS)], [work("b", PONDS), work("c", GRIDS)]])
    assert [one.citekey for one in by_title.items] == ["a", "c"]
    other_year = merge_entries([[work("a", PONDS)], [work("b", PONDS, year=1999)]])
    assert len(other_year.items) == 2


def test_a_chapter_with_the_doi_of_its_book_is_another_work() -> None:
    merged = merge_entries([[work("book", PONDS, "10.5555/b")], [work("ch", GRIDS, "10.5555/b")]])
    assert [one.citekey for one in merged.items] == ["book", "ch"]


def test_the_key_of_another_work_gets_a_letter_and_is_named() -> None:
    other = work("a", GRIDS, authors=("Bo Lock",))
    merged = merge_entries([[work("a", PONDS)], [other]])
    assert [one.citekey for one in merged.items] == ["a", "aa"]
    assert merged.renamed == ((), (("a", "aa"),))
    corrected = merge_entries([[work("a", PONDS)], [work("a", f"{PONDS}: a study", "10.5555/p")]])
    assert [one.doi for one in corrected.items] == [None]


def test_entries_of_one_file_are_never_taken_for_each_other() -> None:
    merged = merge_entries([[work("a", PONDS, "10.5555/p"), work("b", PONDS, "10.5555/p")]])
    assert [one.citekey for one in merged.items] == ["a", "b"]


titles = st.sampled_from([PONDS, GRIDS, "Of Weirs and Other Things that Hold Water"])
works = st.builds(
    work, st.sampled_from("abc"), titles, st.none() | st.sampled_from(["10.5555/x", "10.5555/y"])
)
files = st.lists(st.lists(works, unique_by=lambda one: one.citekey, max_size=3), max_size=4)


@given(files)
def test_every_entry_is_in_the_result_under_a_key_of_its_own(
    given_files: list[list[CitationMeta]],
) -> None:
    merged = merge_entries(given_files)
    keys = [one.citekey for one in merged.items]
    assert len(set(keys)) == len(keys)
    for entries, of_file in zip(given_files, merged.keys, strict=True):
        assert set(of_file) == {one.citekey for one in entries}
        assert set(of_file.values()) <= set(keys)
    if given_files:
        assert merged.items[: len(given_files[0])] == tuple(given_files[0])
