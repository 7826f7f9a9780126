"""Where passages are cut, and what they repeat, next to a page break."""

from citeloom.domain.documents.spans import ChunkKind
from citeloom.infrastructure.ingest.chunking.structural import overlap_units, pack_units
from citeloom.infrastructure.ingest.chunking.units import Unit


def sentence(n: int, *pages: tuple[int, int], size: int = 10) -> Unit:
    """The n-th sentence, with so many characters on each of ``pages``."""
    return Unit(
        start=n * 100,
        end=n * 100 + 99,
        size=size,
        block=0,
        path=(),
        kind=ChunkKind.TEXT,
        bond=0.15,
        pages=pages,
    )


def pages_of(passage: tuple[Unit, ...]) -> set[int]:
    return {page for unit in passage for page, _ in unit.pages}


def test_passages_end_at_the_page_break_rather_than_a_line_behind_it() -> None:
    units = [sentence(n, (1 if n < 4 else 2, 70)) for n in range(10)]
    assert [pages_of(passage) for passage in pack_units(units, 60, 60)] == [{1}, {2}]


def test_without_pages_they_are_of_even_size() -> None:
    units = [sentence(n) for n in range(10)]
    assert [len(passage) for passage in pack_units(units, 60, 60)] == [5, 5]


def test_passages_that_have_much_on_both_pages_stay_even() -> None:
    units = [sentence(n, (1 if n < 3 else 2, 200)) for n in range(10)]
    assert [len(passage) for passage in pack_units(units, 60, 60)] == [5, 5]


def test_a_passage_repeats_nothing_of_a_page_that_it_is_not_on() -> None:
    before = [sentence(0, (1, 90)), sentence(1, (1, 90)), sentence(2, (1, 50), (2, 40))]
    assert overlap_units(before, [sentence(3, (2, 90))], 30) == ()
    assert overlap_units(before, [sentence(3, (1, 10), (2, 90))], 30) == tuple(before[1:])
