"""Places that a resource has, and names that stand for content."""

from pathlib import PurePath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.maps.evidence import evidence_name, existing_pages, place_node
from citeloom.domain.maps.resource_map import Location


def at(*pages: int) -> Location:
    return Location(modality="document", pages=pages)


def test_pages_stay_in_the_order_listed() -> None:
    assert existing_pages(at(3, 1), 3, "p.pdf") == ([3, 1], [])


def test_pages_beyond_the_end_are_told_and_none_at_all_is_refused() -> None:
    assert existing_pages(at(2, 99), 3, "p.pdf") == (
        [2],
        ["p.pdf: no page 99, it has 3; left out"],
    )
    with pytest.raises(InvalidRequest, match=r"p\.pdf: no page 99; it has 3"):
        existing_pages(at(99), 3, "p.pdf")
    with pytest.raises(InvalidRequest, match="no page numbers"):
        existing_pages(Location(modality="document"), 3, "p.pdf")


@pytest.mark.parametrize(
    ("location", "node_id", "kind"),
    [
        (at(3, 4, 5), "pages-3-5", "pages"),
        (at(1, 3), "pages-1,3", "pages"),
        (Location(modality="document"), "whole", "document"),
        (Location(modality="text", lines=(2, 9)), "lines-2-9", "lines"),
        (Location(modality="video", start=1.5, end=2), "t-1.5-2", "time"),
        (Location(modality="image", bbox=(0.1, 0, 1, 0.5)), "bbox-0.1,0,1,0.5", "box"),
        (
            Location(modality="virtual", virtual_address="virtual://r#a b/../c"),
            "a-b-.-c",
            "virtual",
        ),
    ],
)
def test_a_place_has_a_node_of_its_own(location: Location, node_id: str, kind: str) -> None:
    node = place_node("r", location, "document")
    assert (node.id, node.type, node.location) == (node_id, kind, location)


def test_a_name_stands_for_source_and_request() -> None:
    name = evidence_name(PurePath("/papers/My paper.pdf"), "pages=3-5", ".pdf", "hash", 1)
    assert name == evidence_name(PurePath("/papers/My paper.pdf"), "pages=3-5", ".pdf", "hash", 1)
    stem, digest, place = name.rsplit("-", 4)[0], name.rsplit("-", 4)[1], name[-14:]
    assert (stem, len(digest), place) == ("My-paper", 16, "-pages-3-5.pdf")
    assert name != evidence_name(PurePath("/papers/My paper.pdf"), "pages=3-5", ".pdf", "hash", 2)


@given(st.text(), st.text())
@example("\U00020000" * 40, "池" * 40)
def test_no_name_leaves_its_folder_or_hides(stem: str, place: str) -> None:
    source = PurePath("/") / (stem.replace("/", "|") or "x")
    name = evidence_name(source, place, ".pdf", "hash")
    assert not set(name) & set('/\\\0:*?"<>|\n\r\t ')
    assert not name.startswith((".", "-"))
    assert len(name.encode()) < 255 - 80
