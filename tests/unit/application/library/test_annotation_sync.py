"""What a reader marked comes with her library, and changes and goes with it."""

from pathlib import Path
from typing import Any

import pytest
from support.world import World
from support.zotero.library import annotation, key
from support.zotero.shelves import Reader


@pytest.fixture
def reader(world: World, tmp_path: Path) -> Reader:
    return Reader(world, tmp_path / "Zotero")


def mark(reader: Reader, number: int, text: str, parent: int = 1, **fields: Any) -> None:
    reader.add(annotation(number, key(parent, "F"), annotationText=text, **fields))


def marks(reader: Reader) -> dict[str, tuple[str, str]]:
    """Of the passages that hold a mark: quote and comment, by the mark's key."""
    items = reader.world.query("ice on the pond", top_k=50).items
    return {m.key: (m.quote, m.comment) for item in items for m in item.marks}


def test_marks_come_change_and_go(reader: Reader) -> None:
    reader.paper(1)
    mark(reader, 1, "Ice lies", annotationComment="When?")
    mark(reader, 2, "pond 1.")
    reader.sync()
    first, second = key(1, "A"), key(2, "A")
    assert marks(reader) == {first: ("Ice lies", "When?"), second: ("pond 1.", "")}
    (stored,) = reader.stored()
    assert stored.chunks == len(reader.world.chunk_ids())
    embedded = reader.world.embedded
    reader.change(first, annotationComment="In March.")
    reader.sync()
    assert marks(reader)[first] == ("Ice lies", "In March.")
    assert reader.world.embedded == embedded + 1
    del reader.raw[first], reader.raw[second]
    reader.sync()
    assert marks(reader) == {}
    assert reader.stored()[0].chunks == len(reader.world.chunk_ids())


def test_a_file_that_changed_has_the_marks_that_it_still_has(reader: Reader) -> None:
    reader.paper(1)
    mark(reader, 1, "Ice lies")
    mark(reader, 2, "on pond 1")
    reader.sync()
    reader.attach(1, 1, "# Ponds 1\n\nIce lies on the brook.\n")
    result = reader.sync()
    assert set(marks(reader)) == {key(1, "A")}
    told = [warning for warning in result.warnings if key(2, "A") in warning]
    assert len(told) == 1
    assert "its words are not in the document's text" in told[0]


def test_the_marks_of_two_attachments_are_those_of_the_one_document(reader: Reader) -> None:
    text = "# Ponds\n\nIce lies on the pond.\n"
    reader.paper(1, text)
    reader.paper(2, text)
    mark(reader, 1, "Ice", parent=1)
    mark(reader, 2, "lies", parent=2)
    reader.sync()
    assert len(reader.stored()) == 1
    assert set(marks(reader)) == {key(1, "A"), key(2, "A")}


def test_marks_without_a_place_to_look_for_it_are_tried_again(reader: Reader) -> None:
    reader.paper(1)
    reader.sync()
    (stored,) = reader.stored()
    conversion = reader.world.conversion(stored.document_id)
    reader.bundles.delete(stored.document_id)
    mark(reader, 1, "Ice lies")
    result = reader.sync()
    assert [w for w in result.warnings if "its conversion is missing" in w]
    reader.bundles.save(conversion, conversion.converter)
    mark(reader, 2, "pond 1.")
    reader.sync()
    assert set(marks(reader)) == {key(1, "A"), key(2, "A")}
