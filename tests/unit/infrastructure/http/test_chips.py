"""Filters of a view: the values of papers, counted."""

from typing import Any

from support.builders import a_citation

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.infrastructure.http.page.ask import AskAddress, ChipGroup, Filtered, chips

ASKED = AskAddress("thesis", "ponds")


def view(*filters: str) -> Filtered:
    return Filtered(filters, ASKED.with_filters)


def paper(key: str, **changes: Any) -> StoredDocument:
    return StoredDocument.model_construct(document_id=key, citation=a_citation(key, **changes))


def group(groups: Any, name: str) -> ChipGroup:
    found: ChipGroup = next(one for one in groups if one.name == name)
    return found


def test_values_of_papers_are_counted_each_once_and_lone_ones_left_out() -> None:
    tagged = [paper("a", tags=("water", "heat")), paper("b", tags=("water",), type="book")]
    shown = chips(
        [*tagged, paper("c", type="book", collections=("Reading",))], (), view(), {}
    ).groups
    tags = group(shown, "tag")
    assert [(one.text, one.number) for one in tags.chips] == [("water", 2), ("heat", 1)]
    assert tags.counted == "papers"
    assert "collection" not in {one.name for one in shown}


def test_a_value_with_a_comma_is_one_value() -> None:
    shown = chips([paper("a", tags=("heat, urban", "other"))], (), view(), {}).groups
    url = next(one.url for one in group(shown, "tag").chips if "," in one.text)
    assert "filter=tag%3D%22heat%2C+urban%22" in url
    taken = view('tag="heat, urban"')
    again = chips([paper("a", tags=("heat, urban", "other"))], (), taken, {})
    assert [one.on for one in group(again.groups, "tag").chips] == [True, False]
    assert [one.text for one in again.on] == ["tag heat, urban"]


def test_a_long_group_is_cut() -> None:
    tags = group(
        chips([paper("a", tags=tuple(f"t{n}" for n in range(30)))], (), view(), {}).groups, "tag"
    )
    assert (len(tags.chips), len(tags.more)) == (12, 18)


def test_the_values_of_the_first_group_are_seen_at_once() -> None:
    papers = [
        paper(f"k{n}", year=2000 + n, authors=(f"A {name}",), tags=(f"t{n}",), type=kind)
        for n, (name, kind) in enumerate(zip("XXYZ", ("book", "book", "map", "map"), strict=True))
    ]
    shown = chips(papers, (), view("year=2003"), {}).groups
    seen = {one.name: [chip.text for chip in one.open] for one in shown}
    assert seen == {
        "year": ["2002", "2001", "2000"],
        "author": [],
        "type": [],
        "tag": [],
    }
