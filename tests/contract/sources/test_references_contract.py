"""What every ReferenceReader promises, run against the file reader and the one in memory."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.in_memory.references import InMemoryReferenceReader

from citeloom.application.ports.citation import ReferenceReader
from citeloom.domain.errors import ReferencesUnreadable
from citeloom.infrastructure.references.reader import FileReferenceReader

Given = tuple[ReferenceReader, Callable[[Path, Sequence[Any]], None]]

PONDS = {"id": "smith2020", "title": "Ponds", "author": [{"family": "Smith", "given": "Ann"}],
         "issued": {"date-parts": [[2020]]}, "DOI": "10.1234/POND"}  # fmt: skip
LAKES = {"id": "berg2019", "title": "Lakes", "file": "/papers/lakes.pdf"}


@pytest.fixture(params=["file", "memory"])
def given(request: pytest.FixtureRequest) -> Given:
    if request.param == "memory":
        memory = InMemoryReferenceReader()
        return memory, memory.put
    return (
        FileReferenceReader(),
        lambda path, items: path.write_text(json.dumps(list(items)), encoding="utf-8") and None,
    )


def test_items_come_in_the_order_of_the_library(given: Given, tmp_path: Path) -> None:
    reader, put = given
    put(tmp_path / "l.json", [PONDS, LAKES])
    library = reader.read(tmp_path / "l.json")
    assert library.source == str(tmp_path / "l.json")
    assert [item.citekey for item in library.items] == ["smith2020", "berg2019"]
    ponds = library.items[0]
    assert (ponds.authors, ponds.year, ponds.doi) == (("Ann Smith",), 2020, "10.1234/pond")
    assert ponds.csl == PONDS


def test_files_of_items_are_named(given: Given, tmp_path: Path) -> None:
    reader, put = given
    put(tmp_path / "l.json", [PONDS, LAKES])
    (attachment,) = reader.read(tmp_path / "l.json").attachments
    assert (attachment.path, attachment.citekey) == ("/papers/lakes.pdf", "berg2019")


def test_items_with_the_same_key_or_none_get_keys_of_their_own(
    given: Given, tmp_path: Path
) -> None:
    reader, put = given
    put(tmp_path / "l.json", [PONDS, {**PONDS, "title": "Other"}, {"title": "No key"}])
    library = reader.read(tmp_path / "l.json")
    assert len({item.citekey for item in library.items}) == 3
    assert len(library.warnings) == 2


def test_a_bad_item_is_a_warning(given: Given, tmp_path: Path) -> None:
    reader, put = given
    put(tmp_path / "l.json", [PONDS, "nonsense"])
    library = reader.read(tmp_path / "l.json")
    assert len(library.items) == 1
    assert any("item 2" in warning for warning in library.warnings)


def test_the_fingerprint_changes_with_the_content_only(given: Given, tmp_path: Path) -> None:
    reader, put = given
    path = tmp_path / "l.json"
    put(path, [PONDS])
    first = reader.read(path).fingerprint
    assert reader.read(path).fingerprint == first
    put(path, [{**PONDS, "title": "Pools"}])
    assert reader.read(path).fingerprint != first


def test_what_is_not_there_is_unreadable_and_not_empty(given: Given, tmp_path: Path) -> None:
    reader, _ = given
    with pytest.raises(ReferencesUnreadable, match="no such file"):
        reader.read(tmp_path / "missing.json")
