"""ToUnicode CMaps read and written."""

from hypothesis import given
from hypothesis import strategies as st

from citeloom.infrastructure.ingest.conversion.pdf.fonts.character_maps import (
    is_wide,
    read_cmap,
    write_cmap,
)

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=4)


@given(st.dictionaries(st.integers(0, 0xFFFF), TEXTS, max_size=250))
def test_a_written_map_is_read_as_it_was(texts: dict[int, str]) -> None:
    assert read_cmap(write_cmap(texts, 2)) == texts


@given(st.dictionaries(st.integers(0, 0xFF), TEXTS))
def test_codes_of_one_byte_have_two_digits(texts: dict[int, str]) -> None:
    written = write_cmap(texts, 1)
    assert b"<00> <FF>" in written
    assert read_cmap(written) == texts


def test_ranges_and_lists_of_characters() -> None:
    data = b"2 beginbfrange\n<41> <43> <0061>\n<0c><0d> [<00660069> <0066006C>]\nendbfrange"
    assert read_cmap(data) == {0x41: "a", 0x42: "b", 0x43: "c", 0x0C: "fi", 0x0D: "fl"}


def test_entries_that_are_no_numbers_are_left_out() -> None:
    data = b"beginbfchar <0x> <0041> <41> <004> <42> <zz> endbfchar beginbfrange <9> <1> <0041>"
    assert read_cmap(data) == {0x41: "\x04"}


@given(st.binary(max_size=200))
def test_any_bytes_are_accepted(data: bytes) -> None:
    read_cmap(b"beginbfrange" + data + b"endbfrange beginbfchar" + data + b"endbfchar")


def test_ranges_of_thousands_of_codes_are_wide() -> None:
    assert is_wide(b"beginbfrange <0000> <FFFF> <0000> endbfrange")
    rows = b"".join(b"<%02x00> <%02xFF> <%02x00>" % (row, row, row) for row in range(32))
    assert is_wide(b"beginbfrange " + rows + b" endbfrange")
    assert not is_wide(b"beginbfrange <0000> <00FF> <0000> endbfrange")
