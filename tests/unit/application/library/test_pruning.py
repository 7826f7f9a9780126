"""What leaves a project with its library, what stays, and what survives."""

from pathlib import Path
from typing import Any

import pytest
from support.world import World
from support.zotero.library import key, note, work
from support.zotero.shelves import Reader

from citeloom.domain.errors import StorageFailed
from citeloom.domain.ingest import DocumentStatus, IngestResult
from citeloom.domain.library import ITEM_TYPE, LibraryScope

THESIS = LibraryScope(tags=("thesis",))
TAGGED: dict[str, Any] = {"tags": [{"tag": "thesis"}]}


@pytest.fixture
def reader(world: World, tmp_path: Path) -> Reader:
    return Reader(world, tmp_path / "Zotero")


def statuses(result: IngestResult) -> dict[str, str]:
    return {Path(d.source).name: d.status.value for d in result.documents}


def test_a_deleted_item_leaves_with_all_that_it_had(reader: Reader) -> None:
    reader.paper(1, citationKey="ice")
    reader.note(1, 1, "<p>A thought.</p>")
    reader.paper(2, citationKey="mud")
    reader.add(work(3, citationKey="bare"))
    reader.sync()
    for number in (1, 3):
        reader.change(key(number, "W"), deleted=1)
    result = reader.sync()
    assert result.documents_removed == 3
    assert reader.citekeys() == ["mud"]
    told = [notice for notice in reader.told.notices if notice.startswith("removed")]
    assert len(told) == 3
    assert not reader.world.query("thought").items or all(
        item.citekey == "mud" for item in reader.world.query("thought").items
    )
    assert set(reader.followed.entries(reader.project().id)) == {
        f"library/{key(2, 'W')}",
        f"library/{key(2, 'F')}",
    }


def test_nothing_leaves_after_an_incomplete_reading(reader: Reader) -> None:
    reader.paper(1, citationKey="ice")
    reader.paper(2, citationKey="mud")
    reader.note(2, 2, "<p>A thought.</p>")
    reader.sync()
    reader.library.broken = True
    reader.library.lost = [key(1, "W"), key(1, "F"), key(2, "N"), key(2, "W")]
    reader.change(key(2, "F"), title="PDF, renamed")
    result = reader.sync()
    assert result.documents_removed == 0
    assert reader.citekeys() == ["ice", "mud", "mud"]
    assert any("nothing was removed" in warning for warning in result.warnings)
    reader.library.broken = False
    reader.change(key(1, "W"), deleted=1)
    assert reader.sync().documents_removed == 1


def test_a_file_that_was_not_read_makes_no_document_of_its_item(reader: Reader) -> None:
    reader.paper(1)
    reader.sync()
    reader.library.broken, reader.library.lost = True, [key(1, "F")]
    reader.change(key(1, "W"), volume="9")
    reader.sync()
    assert [d.mime_type for d in reader.stored()] != [ITEM_TYPE]
    assert len(reader.stored()) == 1


def test_an_item_out_of_scope_leaves_and_without_prune_stays(reader: Reader) -> None:
    reader.paper(1, **TAGGED)
    reader.paper(2, **TAGGED)
    reader.sync(THESIS)
    reader.change(key(1, "W"), tags=[])
    assert reader.sync(prune=False).documents_removed == 0
    assert reader.sync().documents_removed == 1
    assert len(reader.stored()) == 1


def test_another_scope_leaves_what_came_with_the_first_one(reader: Reader) -> None:
    reader.paper(1, **TAGGED)
    reader.paper(2)
    reader.sync(THESIS)
    reader.sync(LibraryScope(exclude_tags=("thesis",)))
    assert len(reader.stored()) == 2
    assert reader.sync(LibraryScope(exclude_tags=("thesis",)), prune=True).documents_removed == 1


def test_files_ingested_by_hand_stay(reader: Reader) -> None:
    by_hand = reader.world.write("mine.md", "# Mine\n\nNo library has it.\n")
    reader.world.ingest(by_hand)
    reader.paper(1, "# Both\n\nIn the library and in a folder.\n", citationKey="ice")
    copy = reader.world.write("copy.md", "# Both\n\nIn the library and in a folder.\n")
    reader.sync()
    reader.world.ingest(copy)
    reader.change(key(1, "W"), deleted=1)
    assert reader.sync().documents_removed == 0
    sources = sorted(source.path for d in reader.stored() for source in d.sources)
    assert sources == sorted(map(str, (by_hand, copy)))
    assert all(document.held is None for document in reader.stored())


def test_a_missing_file_is_told_and_its_item_stands_in_for_it(reader: Reader) -> None:
    reader.add(work(1, citationKey="ice", abstractNote="Of thin ice."))
    reader.attach(1, 1, None)
    result = reader.sync()
    assert reader.citekeys() == ["ice"]
    assert result.library is not None
    assert result.library.missing_files == 1
    assert any("1 attachment not on this machine" in warning for warning in result.warnings)
    assert any("its file is not there" in w for d in result.documents for w in d.warnings)
    assert not result.failed
    again = reader.sync()
    assert again.library is not None
    assert again.library.unchanged
    assert again.library.missing_files == 1
    reader.attach(1, 1, "# Ice\n\nHere it is.\n")
    reader.sync()
    (document,) = reader.stored()
    assert document.sources[0].path.endswith("1.md")


def test_what_was_read_of_a_file_stays_when_the_file_is_gone(reader: Reader) -> None:
    reader.paper(1, citationKey="ice")
    path = reader.attach(1, 1, "# Ice\n\nIt was here.\n")
    reader.sync()
    path.unlink()
    reader.change(key(1, "W"), citationKey="thaw")
    assert reader.sync().documents_removed == 0
    assert reader.citekeys() == ["thaw"]
    assert reader.sync().library.unchanged  # type: ignore[union-attr]
    reader.attach(1, 1, "# Ice\n\nIt was here.\n")
    assert statuses(reader.sync())["1.md"] in ("unchanged", "updated")


def test_a_bad_file_fails_alone_is_tried_again_and_its_item_stands_in(reader: Reader) -> None:
    reader.add(work(1, citationKey="bad"))
    path = reader.attach(1, 1, "")
    path.write_bytes(b"%PDF-1.4 no text at all")
    reader.paper(2, citationKey="good")
    result = reader.sync()
    assert [d.source for d in result.failed] == [str(path)]
    assert reader.citekeys() == ["bad", "good"]
    assert [d.source for d in reader.sync().failed] == [str(path)]
    reader.attach(1, 1, "# Mended\n\nNow it is text.\n")
    assert not reader.sync().failed
    assert reader.citekeys() == ["bad", "good"]
    assert all(d.mime_type != ITEM_TYPE for d in reader.stored())


def test_links_and_other_kinds_are_recorded_and_not_read(reader: Reader) -> None:
    reader.add(work(1))
    reader.attach(1, 1, None, linkMode="linked_url", url="https://example.org/", filename=None)
    reader.attach(2, 1, "x", filename="sound.mp3")
    result = reader.sync()
    assert [d.mime_type for d in reader.stored()] == [ITEM_TYPE]
    assert any("kinds that nothing is read of: sound.mp3" in w for w in result.warnings)
    assert f"library/{key(1, 'F')}" in reader.followed.entries(reader.project().id)
    assert reader.sync().library.unchanged  # type: ignore[union-attr]


def test_a_run_that_was_stopped_is_finished_by_the_next(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        reader.paper(number, citationKey=f"k{number}")
    reader.add(work(8), note(8, key(8, "W"), "<p>A thought.</p>"))
    put, left = reader.world.catalogue.put_document, [2]

    def stop(*given: Any) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise StorageFailed("the disk is full")
        put(*given)

    monkeypatch.setattr(reader.world.catalogue, "put_document", stop)
    with pytest.raises(StorageFailed):
        reader.sync()
    monkeypatch.setattr(reader.world.catalogue, "put_document", put)
    assert 0 < len(reader.stored()) < 5
    reader.change(key(0, "W"), deleted=1)  # also what was begun before it was deleted
    result = reader.sync()
    assert not result.failed
    assert len(reader.stored()) == 4
    assert reader.world.projects.validate(reader.project().id).ok
    assert reader.sync().library.unchanged  # type: ignore[union-attr]


def test_an_edited_note_and_abstract_replace_what_they_were(reader: Reader) -> None:
    reader.add(work(1, abstractNote="Of ice."))
    reader.note(1, 1, "<p>A thought.</p>")
    reader.sync()
    reader.change(key(1, "W"), abstractNote="Of mud.")
    reader.change(key(1, "N"), note="<p>Another one.</p>")
    result = reader.sync()
    assert set(statuses(result).values()) == {DocumentStatus.UPDATED}
    texts = [reader.world.conversion(d.document_id).plain_text for d in reader.stored()]
    assert sorted(text.rpartition("\n\n")[2] for text in texts) == ["Another one.", "Of mud."]
