"""What is told of an annotation."""

from typing import Any

import pytest
from support.builders import annotation

from citeloom.domain.annotations import mark_of, marked_terms
from citeloom.domain.library import LibraryKind, LibraryRef


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            {
                "page": 1,
                "text": "Highlighted text",
                "comment": "User comment",
                "color": "#FF0000",
                "tags": ("important", "review"),
            },
            {
                "page": 1,
                "quote": "Highlighted text",
                "comment": "User comment",
                "color": "#FF0000",
                "tags": ["important", "review"],
            },
        ),
        (
            {"page": 2, "text": "Another highlight"},
            {"page": 2, "quote": "Another highlight", "comment": "", "color": None, "tags": []},
        ),
    ],
)
def test_a_mark_tells_what_the_library_has(given: dict[str, Any], told: dict[str, Any]) -> None:
    read = annotation(**given)
    assert mark_of(read, read.page).model_dump(mode="json", include=set(told)) == told


def test_it_is_found_by_quote_empty_line_and_comment() -> None:
    both = annotation("Ponds cool", comment="but where?")
    assert mark_of(both, 1).text == "Ponds cool\n\nbut where?"
    assert mark_of(annotation("Ponds cool"), 1).text == "Ponds cool"
    assert mark_of(annotation(comment="but where?"), 1).text == "but where?"


def test_the_address_opens_the_file_at_the_mark() -> None:
    group = LibraryRef(kind=LibraryKind.GROUP, id=4355231)
    base = "items/ATTACHED?"
    assert mark_of(annotation("x"), 3).uri == (
        f"zotero://open-pdf/library/{base}page=3&annotation=ANNOTATE"
    )
    assert mark_of(annotation("x", library=group), None).uri == (
        f"zotero://open-pdf/groups/4355231/{base}annotation=ANNOTATE"
    )


def test_marked_is_asked_by_name_and_by_number_of_the_colour() -> None:
    marks = [mark_of(annotation("x", color=color), 1) for color in ("#FFD400", "#123456", None)]
    assert marked_terms(marks) == ("yes", "#ffd400", "yellow", "#123456")
    assert marked_terms([]) == ()
