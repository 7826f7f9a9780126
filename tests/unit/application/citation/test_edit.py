"""edit and undo: what a person changes, in order of writes, and what is refused."""

import pytest
from support.in_memory.references import InMemoryReferenceReader
from support.killed_writes import killed_after
from support.world import GRIDS, HERE, World, an_item

from citeloom.application.citation.edit import Edited, parse_assignment
from citeloom.application.ports.catalogue import UNSETTLED, StoredDocument
from citeloom.application.projects.inspection import ListedPaper
from citeloom.domain.citation.metadata import CitationMeta, CitationSource
from citeloom.domain.citation.own import ReadingStatus
from citeloom.domain.errors import DocumentNotFound, InvalidRequest
from citeloom.domain.messages import Action
from citeloom.domain.search.filters import Filter, parse_clause

PONDS = "# Ponds\n\ndoi:10.5555/ponds\n\nA pond cools the air.\n"
KEY = "anonndPonds"


@pytest.fixture
def loose(world: World) -> World:
    """A project with two documents and no reference file."""
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest()
    return world


def edit(world: World, *changes: str, name: str = KEY, force: bool = False) -> Edited:
    assignments = [parse_assignment(one) for one in changes]
    return world.projects.edit(HERE, name, assignments, force=force)


def told(edited: Edited) -> dict[str, tuple[str, str]]:
    return {one.field: (one.before, one.after) for one in edited.changes}


def ponds(world: World) -> StoredDocument:
    (found,) = (one for one in world.stored() if one.path and one.path.endswith("ponds.md"))
    return found


def cited(world: World) -> CitationMeta:
    citation = ponds(world).citation
    assert citation is not None
    return citation


def test_an_edit_that_was_killed_is_ended_by_the_same_edit(loose: World) -> None:
    before = ponds(loose)
    for steps in range(1, 13):
        with killed_after(steps):
            edit(loose, "key=mine", "title=Mine", "tag+=cool", name=before.document_id)
        edit(loose, "key=mine", "title=Mine", "tag+=cool", name=before.document_id)
        assert (cited(loose).citekey, cited(loose).title) == ("mine", "Mine")
        assert ponds(loose).references_digest != UNSETTLED
        loose.projects.edit.undo(HERE)
        assert cited(loose).citekey == KEY


def test_fields_are_changed_and_told_before_and_after(loose: World) -> None:
    done = edit(loose, "title=Of Ponds", "year=2020", "author=Weir, Ann; de Vries, Jo", "key=mine")
    assert told(done) == {
        "key": (KEY, "mine"),
        "title": ("Ponds", "Of Ponds"),
        "author": ("", "Weir, Ann; de Vries, Jo"),
        "issued": ("", "2020"),
    }
    found = cited(loose)
    assert (found.citekey, found.title, found.year) == ("mine", "Of Ponds", 2020)
    assert found.authors == ("Ann Weir", "Jo de Vries")
    assert (found.source, found.uncertain) == (CitationSource.EDITED, ())
    assert loose.query("pond", "citekey=mine").items[0].title == "Of Ponds"


def test_the_former_key_names_the_document(loose: World) -> None:
    edit(loose, "key=mine")
    assert loose.document(KEY).document_id == ponds(loose).document_id
    place = loose.application.citation.cite.place(HERE, KEY, None)
    assert place.work.citekey == "mine"


def test_nothing_is_left_for_the_next_ingest(loose: World) -> None:
    edit(loose, "title=Of Ponds")
    assert loose.ingest().citations_updated == 0


def test_an_empty_value_removes_a_field_and_the_original_value_the_edit(loose: World) -> None:
    edit(loose, "DOI=")
    assert cited(loose).doi is None
    edit(loose, "doi=https://doi.org/10.5555/PONDS")
    own = loose.own_records.own(HERE, ponds(loose).document_id)
    assert own is not None
    assert own.edits == {}
    assert cited(loose).source is CitationSource.DOCUMENT


def test_what_is_so_already_is_not_recorded(loose: World) -> None:
    assert edit(loose, "title=Ponds").changes == ()
    assert loose.own_records.last(HERE) is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("titel=x", "title"),
        ("titel", "FIELD=VALUE"),
        ("year=20a", "2020"),
        ("issued=2020-13", "2020"),
        ("DOI=ponds", "10.1234"),
        ("URL=javascript:alert(1)", "https"),
        ("type=artikel", "article"),
        ("key=a b", "citation key"),
        ("title=", "every work"),
        ("title+=x", "only tags"),
        ("status=seen", "unread, reading, read, excluded"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_changes(
    loose: World, change: str, words: str
) -> None:
    before = loose.stored()
    with pytest.raises(InvalidRequest, match=words):
        edit(loose, "volume=3", change)
    assert loose.stored() == before
    assert loose.own_records.last(HERE) is None


def test_the_key_of_another_work_is_refused(loose: World) -> None:
    keys = {one.citation.citekey for one in loose.stored() if one.citation}
    (other,) = keys - {KEY}
    with pytest.raises(InvalidRequest, match="another work"):
        edit(loose, f"key={other}")
    loose.ingest(references=[loose.cite(an_item("weir", "10.5555/unread"))])
    with pytest.raises(InvalidRequest, match="another work"):
        edit(loose, "key=weir")


def test_a_document_that_is_not_there_is_refused(loose: World) -> None:
    with pytest.raises(DocumentNotFound):
        edit(loose, "title=x", name="zebra9")


def test_the_entry_of_a_reference_file_is_changed_there_unless_forced(loose: World) -> None:
    loose.ingest(references=[loose.cite(an_item("weir", "10.5555/ponds"))])
    with pytest.raises(InvalidRequest, match=r"weir: its entry is in .*library\.json") as refused:
        edit(loose, "volume=3", name="weir")
    step = refused.value.next_step
    assert step is not None
    assert step.action is Action.KEEP_OWN
    assert "volume" not in cited(loose).csl
    edit(loose, "volume=3", name="weir", force=True)
    assert cited(loose).csl["volume"] == "3"
    assert edit(loose, "tag+=cool", "status=read", name="weir").changes


def test_tags_note_and_status_are_of_any_paper(loose: World) -> None:
    tags = an_item("weir", "10.5555/ponds", keyword="water")
    loose.ingest(references=[loose.cite(tags)])
    done = edit(
        loose, "tag+=cool; hot", "note=Read twice.", "because=wrong population", name="weir"
    )
    assert told(done) == {
        "tag": ("water", "water; cool; hot"),
        "note": ("", "Read twice."),
        "status": ("", "excluded: wrong population"),
    }
    assert cited(loose).csl["annote"] == "Read twice."
    assert cited(loose).source is CitationSource.REFERENCES
    edit(loose, "tag-=hot", "status=read", name="weir")
    own = loose.own_records.own(HERE, ponds(loose).document_id)
    assert own is not None
    assert (own.tags, own.status, own.excluded_because) == (("cool",), ReadingStatus.READ, "")
    with pytest.raises(InvalidRequest, match="tag of the entry"):
        edit(loose, "tag-=water", name="weir")


def test_changes_are_taken_back_from_the_last_one(loose: World) -> None:
    before = cited(loose)
    edit(loose, "title=One")
    edit(loose, "title=Two", "key=two")
    undone = loose.projects.edit.undo(HERE)
    assert undone is not None
    assert told(undone) == {"key": ("two", KEY), "title": ("Two", "One")}
    assert undone.what == "edited: title, key"
    assert cited(loose).title == "One"
    loose.projects.edit.undo(HERE)
    after = cited(loose)
    assert (after.title, after.citekey, after.source) == ("Ponds", KEY, CitationSource.DOCUMENT)
    assert after.model_copy(update={"former_keys": ()}) == before
    assert loose.projects.edit.undo(HERE) is None


def test_a_change_of_a_removed_document_is_undone_too(loose: World) -> None:
    edit(loose, "title=One")
    remove = loose.projects.remove
    removal = remove.plan(HERE, [KEY])
    remove(removal, removal.name)
    undone = loose.projects.edit.undo(HERE)
    assert undone is not None
    assert undone.changes == ()
    loose.ingest()
    assert cited(loose).title == "Ponds"


def test_without_a_readable_reference_file_the_entry_stays(loose: World) -> None:
    loose.ingest(references=[loose.cite(an_item("weir", "10.5555/ponds"))])
    loose.references = InMemoryReferenceReader()
    done = edit(loose, "tag+=cool", name="weir")
    assert cited(loose).citekey == "weir"
    assert done.warnings


def listed(world: World, *filters: str) -> list[ListedPaper]:
    clauses = Filter(clauses=tuple(map(parse_clause, filters)))
    return list(world.projects.papers([HERE], clauses))


def test_lists_and_filters_know_tags_note_and_status(loose: World) -> None:
    edit(loose, "tag=cool", "note=N", "because=wrong population")
    (paper,) = listed(loose, "status=excluded")
    assert (paper.citekey, paper.tags, paper.note) == (KEY, ("cool",), "N")
    assert (paper.status, paper.excluded_because) == (ReadingStatus.EXCLUDED, "wrong population")
    assert [one.citekey for one in listed(loose, "tag=cool")] == [KEY]
    assert {one.citekey for one in listed(loose)} - {KEY} == {
        one.citekey for one in listed(loose, "status!=excluded")
    }
    assert listed(loose, "status=unread") == listed(loose, "status!=excluded")
    assert loose.query("pond", "status=excluded").items[0].citekey == KEY
    assert all(one.citekey != KEY for one in loose.query("pond", "status=unread,read").items)
    assert loose.query("pond", "status=read").items == ()
    with pytest.raises(InvalidRequest, match="unread, reading, read, excluded"):
        listed(loose, "status=seen")
