"""Typed numbers, where a reference list has them."""

from support.cases import each

from citeloom.domain.references.entries.reference_list import works_in_text
from citeloom.domain.references.works import labelled
from citeloom.domain.verification.drafts.typed_citations import find_numbered

ENTRIES = labelled(
    works_in_text(
        "\n\n".join(f"[{n}] Lee, A. (20{n:02}). Ponds, volume {n}." for n in range(1, 13))
    )
)


def numbers(prose: str) -> list[str]:
    found = sorted(find_numbered(prose, ENTRIES), key=lambda one: one.citation.start)
    return [item.key for one in found for item in one.citation.items]


@each(
    ("prose", "expected"),
    [
        ("Ponds cool [12].", ["[12]"]),
        ("Ponds cool[12].", ["[12]"]),
        ("Ponds cool [3, 5–7].", ["[3]", "[5]", "[6]", "[7]"]),
        ("As [4] says.", ["[4]"]),
        ("Ponds cool.³,⁴", ["[3]", "[4]"]),
        ("Ponds cool.³˒⁴", ["[3]", "[4]"]),
        ("Section [3] says so.", []),
        ("The interval [1, 2] is closed.", []),
        ("Values x = [1, 2].", []),
        ("Ponds cool [13].", []),
        ("Ponds cool [7–3].", []),
        ("A [3](http://x.org) link.", []),
        ("It has 12 m² and R² of 3, 10³ in all.", []),
    ],
)
def test_numbers_in_brackets_and_raised(prose, expected):
    assert numbers(prose) == expected


def test_a_page_belongs_to_the_last_number():
    (one,) = find_numbered("Ponds cool [3, 12, p. 5].", ENTRIES)
    first, last = one.citation.items
    assert first.locator is None
    assert last.locator is not None
    assert last.locator.pages == (("5", "5"),)
    work = one.works["[12]"]
    assert work.entry is not None
    assert work.entry.year == 2012


def test_without_a_list_numbers_are_no_citations():
    assert list(find_numbered("Ponds cool [12].", {})) == []
