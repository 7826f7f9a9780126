"""A project that follows a library: what is brought in, how it is cited, what is not done
twice."""

from pathlib import Path

import pytest
from support.world import HERE, World, an_item
from support.zotero.library import annotation, key, work
from support.zotero.shelves import Reader

from citeloom.application.citation.edit import parse_assignment
from citeloom.application.ingest.add import AddRequest
from citeloom.domain.errors import InvalidRequest, LibraryUnavailable
from citeloom.domain.ingest import DocumentStatus
from citeloom.domain.library import (
    ITEM_TYPE,
    NOTE_TYPE,
    DocumentRole,
    LibraryAttachment,
    LibraryScope,
)
from citeloom.infrastructure.library.raw_items import AttachmentFolders

ADDED, UPDATED, UNCHANGED, FAILED = (
    DocumentStatus.ADDED,
    DocumentStatus.UPDATED,
    DocumentStatus.UNCHANGED,
    DocumentStatus.FAILED,
)


@pytest.fixture
def reader(world: World, tmp_path: Path) -> Reader:
    return Reader(world, tmp_path / "Zotero")


def test_a_file_is_cited_as_its_item_whatever_stands_in_it(reader: Reader) -> None:
    reader.paper(
        1, "# On something else\n\ndoi:10.5555/other\n\nNothing fits.\n", citationKey="ice"
    )
    reader.paper(2, citationKey="mud")
    result = reader.sync()
    assert [d.status for d in result.documents] == [ADDED, ADDED]
    assert reader.citekeys() == ["ice", "mud"]
    (document,) = [d for d in reader.stored() if d.citation and d.citation.citekey == "ice"]
    assert document.citation_how == "link"
    assert document.citation is not None
    assert document.citation.item_key == key(1, "W")
    hit = reader.world.query("nothing fits").items[0]
    assert hit.citekey == "ice"


def test_the_result_tells_which_library_and_how_much_of_it(reader: Reader) -> None:
    reader.paper(1, citationKey="ice")
    reader.note(1, 1, "<p>Read again.</p>")
    result = reader.sync()
    assert result.library is not None
    assert (result.library.items, result.library.files, result.library.notes) == (1, 1, 1)
    assert "memory at memory: 1 item, 1 attachment, 1 note, 0 annotations" in reader.told.notices


def test_an_item_without_file_is_found_by_its_abstract_and_cited(reader: Reader) -> None:
    reader.paper(1, citationKey="ice")
    reader.add(work(2, citationKey="mud", abstractNote="Eels sleep in the mud.\n\nAll winter."))
    result = reader.sync()
    (document,) = [d for d in reader.stored() if d.mime_type == ITEM_TYPE]
    address = f"zotero://select/library/items/{key(2, 'W')}"
    assert [source.path for source in document.sources] == [address]
    assert {d.source: d.status for d in result.documents}[address] is ADDED
    hit = reader.world.query("where do eels sleep").items[0]
    assert (hit.citation, hit.place, hit.source_path) == ("[@mud]", None, address)
    assert reader.world.structure.map(document.project_id, "mud").nodes[0].title.startswith("On ")
    assert reader.world.projects.validate(document.project_id).ok


def test_an_item_without_abstract_is_found_by_its_title_and_authors(reader: Reader) -> None:
    reader.add(work(3, citationKey="bare"))
    reader.sync()
    (document,) = reader.stored()
    text = reader.world.conversion(document.document_id).plain_text
    assert text.startswith("On the winter ecology of ponds, part 3\n\n")
    assert "Smith3" in text
    assert document.chunks == 1


def test_notes_are_documents_that_cite_their_item(reader: Reader) -> None:
    reader.paper(1, citationKey="ice", DOI="")
    reader.note(5, 1, "<h1>Doubts</h1><p>Was the <b>ice</b> measured&nbsp;twice?</p>")
    reader.note(6, None, "<p>Of no item at all.</p>")
    reader.note(7, 1, "<p> </p>")
    reader.sync()
    notes = {d.sources[0].path[-8:]: d for d in reader.stored() if d.mime_type == NOTE_TYPE}
    assert set(notes) == {key(5, "N"), key(6, "N")}
    assert notes[key(5, "N")].warnings == ()  # what its item lacks is told with the item
    cited = notes[key(5, "N")].citation
    assert cited is not None
    assert cited.citekey == "ice"
    assert notes[key(6, "N")].citation is None
    conversion = reader.world.conversion(notes[key(5, "N")].document_id)
    assert conversion.plain_text == "Doubts\n\nWas the ice measured twice?"
    assert [h.title for h in conversion.structure.headings()] == ["Doubts"]


def test_the_name_of_an_item_means_its_main_document(reader: Reader) -> None:
    reader.add(work(1, citationKey="ice"))
    reader.attach(11, 1, "# Data\n\nTables of ice.\n", title="Supplementary data")
    reader.attach(12, 1, "# Ice\n\nThe paper itself.\n", title="Full text")
    reader.note(5, 1, "<p>A thought.</p>")
    reader.sync()
    roles = {Path(d.sources[0].path).name: d.held and d.held.role for d in reader.stored()}
    assert roles == {
        "11.md": DocumentRole.SUPPLEMENT,
        "12.md": DocumentRole.MAIN,
        key(5, "N"): DocumentRole.NOTE,
    }
    assert reader.citekeys() == ["ice", "ice", "ice"]
    assert reader.world.structure.map(reader.project().id, "ice").title == "Ice"


def test_what_did_not_change_is_not_looked_at(reader: Reader) -> None:
    for number in range(4):
        reader.paper(number)
    reader.add(work(9))
    first = reader.sync()
    assert len(reader.files.hashed) == 4  # each file once
    reader.files.hashed.clear()
    reader.bundles.loaded.clear()
    converted, embedded = list(reader.world.converter.seen), reader.world.embedded
    again = reader.sync()
    assert reader.library.read == 1
    assert (reader.files.hashed, reader.bundles.loaded) == ([], [])
    assert (reader.world.converter.seen, reader.world.embedded) == (converted, embedded)
    assert {d.status for d in again.documents} == {UNCHANGED}
    assert {d.source for d in again.documents} == {d.source for d in first.documents}
    assert again.library is not None
    assert again.library.unchanged
    assert again.chunks_total == first.chunks_total


def test_a_change_touches_what_it_concerns_only(reader: Reader) -> None:
    for number in range(4):
        reader.paper(number, citationKey=f"k{number}")
    reader.sync()
    reader.files.hashed.clear()
    reader.bundles.loaded.clear()
    embedded = reader.world.embedded
    before = {d.document_id: d for d in reader.stored()}
    reader.change(key(2, "W"), title="Another title of the winter ecology")
    result = reader.sync()
    changed = [d for d in reader.stored() if d != before[d.document_id]]
    assert [d.citation.title for d in changed if d.citation] == [
        "Another title of the winter ecology"
    ]
    assert reader.bundles.loaded == [changed[0].document_id]
    assert (reader.files.hashed, reader.world.embedded) == ([], embedded)
    assert sorted(d.status for d in result.documents) == [UNCHANGED] * 3 + [UPDATED]
    assert result.citations_updated == 1
    hits = reader.world.query("pond 2", "citekey=k2").items
    assert {hit.title for hit in hits} == {"Another title of the winter ecology"}


def test_a_moved_and_retagged_item_is_filtered_anew(reader: Reader) -> None:
    reader.collections = [
        {"key": "CCCCCCC1", "name": "Ice", "parentCollection": False},
        {"key": "CCCCCCC2", "name": "Mud", "parentCollection": False},
    ]
    reader.paper(1, collections=["CCCCCCC1"], tags=[{"tag": "old"}])
    reader.sync()
    embedded = reader.world.embedded
    reader.change(key(1, "W"), collections=["CCCCCCC2"], tags=[{"tag": "new"}])
    reader.sync()
    assert reader.world.embedded == embedded
    assert not reader.world.query("pond", "collection=Ice").items
    assert reader.world.query("pond", "collection=Mud", "tag=new").items


def test_a_new_file_of_a_known_item_is_read_and_a_changed_one_again(reader: Reader) -> None:
    reader.paper(1)
    reader.paper(2)
    reader.sync()
    reader.attach(12, 1, "# More\n\nOf the same.\n")
    path = reader.attach(2, 2, "# Ponds 2\n\nIt says something else now.\n")
    result = reader.sync()
    assert {Path(d.source).name: d.status for d in result.documents} == {
        "1.md": UNCHANGED,
        "12.md": ADDED,
        "2.md": UPDATED,
    }
    assert len(reader.stored()) == 3
    assert reader.world.query("something else now").items[0].source_path == str(path)
    assert reader.files.hashed[-2:] == ["2.md", "12.md"]


def test_a_file_that_changed_on_disk_is_seen_though_the_library_did_not_change(
    reader: Reader,
) -> None:
    reader.paper(1)
    reader.sync()
    reader.attach(1, 1, "# Ponds 1\n\nIt thaws.\n")
    assert [d.status for d in reader.sync().documents] == [UPDATED]


def test_the_scope_is_remembered(reader: Reader) -> None:
    reader.paper(1, tags=[{"tag": "thesis"}])
    reader.paper(2)
    reader.sync(LibraryScope(tags=("thesis",)))
    assert len(reader.stored()) == 1
    reader.paper(3, tags=[{"tag": "thesis"}])
    reader.sync()
    assert len(reader.stored()) == 2
    assert any("tags thesis (as remembered)" in notice for notice in reader.told.notices)


def test_what_the_reader_marked_is_found_and_follows_the_library(reader: Reader) -> None:
    reader.paper(1, "# Ponds\n\nIce lies on the pond until May.\n", citationKey="ice")
    said = {"annotationText": "Ice lies on the pond", "annotationComment": "Which pond?"}
    reader.add(annotation(1, key(1, "F"), annotationPosition="{}", **said))
    first = reader.sync()
    assert first.library is not None
    assert (first.library.annotations, first.library.documents_marked) == (1, 1)
    hits = reader.world.query("which pond", "kind=annotation").items
    assert [hit.citekey for hit in hits] == ["ice"]
    embedded = reader.world.embedded
    reader.change(key(1, "W"), volume="9")
    again = reader.sync()
    assert again.library is not None
    assert again.library.documents_marked == 0
    assert reader.world.embedded == embedded
    reader.change(key(1, "A"), deleted=1)
    gone = reader.sync()
    assert [document.status for document in gone.documents] == [UPDATED]
    assert not reader.world.query("which pond", "kind=annotation").items


def test_the_marks_of_an_item_in_the_bin_go_though_its_twin_has_the_same_file(
    reader: Reader,
) -> None:
    text = "# Ponds\n\nIce lies on the pond until May.\n"
    marks = ("Ice lies on the pond", "Which pond?"), ("until May", "How thin is it?")
    for number, (quote, said) in enumerate(marks, start=1):
        reader.paper(number, text)
        mark = {"annotationText": quote, "annotationComment": said}
        reader.add(annotation(number, key(number, "F"), annotationPosition="{}", **mark))
    reader.sync()
    (document,) = reader.stored()
    assert shown(reader) == {"Which pond?", "How thin is it?"}
    reader.change(key(1, "W"), deleted=1)
    reader.sync()
    assert shown(reader) == {"How thin is it?"}
    kept = reader.world.annotations.annotations(HERE, document.document_id)
    assert [one.comment for one in kept] == ["How thin is it?"]


def shown(reader: Reader) -> set[str]:
    """The comments of the annotations that a query finds."""
    hits = reader.world.query("pond", "kind=annotation", top_k=9).items
    return {hit.annotation.comment for hit in hits if hit.annotation}


@pytest.mark.parametrize("prune", [None, True])
def test_an_unknown_tag_is_refused_and_removes_nothing(reader: Reader, prune: bool | None) -> None:
    reader.paper(1, tags=[{"tag": "Thesis"}])
    reader.sync(LibraryScope(tags=("thesis",)))
    with pytest.raises(InvalidRequest, match=r"thesys: no such tag; did you mean Thesis\?"):
        reader.sync(LibraryScope(tags=("thesys",)), prune=prune)
    assert len(reader.stored()) == 1


def test_files_that_are_fetched_are_fetched_once(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader.paper(1, citationKey="ice")
    reader.paper(2, citationKey="mud")
    folder, asked = reader.data / "storage", []

    def fetch(attachment: LibraryAttachment) -> Path | None:
        asked.append(attachment.key)
        if attachment.key == key(2, "F") and len(asked) < 3:
            raise LibraryUnavailable("web API: no answer; try again")
        return folder / attachment.key / (attachment.file_name or "")

    monkeypatch.setattr(reader.library, "file", fetch)
    reader.places = AttachmentFolders()  # as an API, which knows no paths
    first = reader.sync()
    assert reader.citekeys() == ["ice", "mud"]
    assert any("no answer" in warning for warning in first.warnings)
    assert [d.mime_type for d in reader.stored()].count(ITEM_TYPE) == 1
    reader.sync()  # nothing has changed, but one file is still to be fetched
    assert asked == [key(1, "F"), key(2, "F"), key(2, "F")]
    assert all(d.mime_type != ITEM_TYPE for d in reader.stored())
    reader.change(key(1, "W"), volume="9")
    reader.sync()
    assert len(asked) == 3


def test_an_added_work_becomes_the_paper_of_the_library_and_keeps_what_is_the_persons_own(
    reader: Reader,
) -> None:
    world = reader.world
    title = "Ponds cool the evening street"
    people = [{"family": "Weir", "given": "Oriana"}]
    found = an_item("x", "10.5555/ponds", title=title, author=people)
    world.lookup.items["10.5555/ponds"] = found
    request = AddRequest(project_id=HERE, names=("10.5555/ponds",))
    (added,) = world.application.ingest.add(request).works
    edit = world.application.projects.edit
    edit(HERE, str(added.citekey), [parse_assignment("tag+=cool"), parse_assignment("status=read")])
    reader.note(1, 1, "<p>Ponds cool the evening street, Weir says. doi:10.5555/ponds</p>")
    text = f"# {title}\n\nOriana Weir\n\ndoi:10.5555/ponds\n\nA pond cools the air.\n"
    reader.paper(1, text, citationKey="weir")
    reader.sync()
    reader.sync(force=True)
    papers = [one for one in reader.stored() if one.mime_type != NOTE_TYPE]
    (paper,) = papers
    assert paper.has_file
    assert paper.citation is not None
    assert paper.citation.citekey == "weir"
    assert "cool" in paper.citation.tags
