"""Copies in a project, and what their merging keeps."""

import pytest
from support.world import GRIDS, HERE, PONDS, World, an_item

from citeloom.application.citation.edit import parse_assignment
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.projects.duplicates import FoundDuplicates, Merged
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.citation.own import ReadingStatus
from citeloom.domain.errors import DocumentNotFound, InvalidRequest, ShardBusy
from citeloom.domain.references.duplicates import CopyKind

COPY = f"{PONDS}\nA copy that somebody has written on.\n"


@pytest.fixture
def loose(world: World) -> World:
    """Two copies of one paper and another paper, without a reference file."""
    for name, text in (("ponds.md", PONDS), ("copy.md", COPY), ("grids.md", GRIDS)):
        world.write(name, text)
    world.ingest()
    return world


def stored(world: World, file: str) -> StoredDocument:
    (found,) = (one for one in world.stored() if one.path and one.path.endswith(file))
    return found


def cited(world: World, file: str) -> CitationMeta:
    citation = stored(world, file).citation
    assert citation is not None
    return citation


def edit(world: World, file: str, *changes: str) -> None:
    world.projects.edit(HERE, stored(world, file).document_id, [*map(parse_assignment, changes)])


def found(world: World, *names: str) -> FoundDuplicates:
    return world.projects.duplicates(HERE, names)


def merge(world: World, kept: str, *others: str) -> Merged:
    ids = [stored(world, one).document_id for one in (kept, *others)]
    verb = world.projects.duplicates
    return verb.merge(verb.plan(HERE, ids[0], ids[1:]))


def test_copies_are_listed_with_the_names_that_a_merging_takes(loose: World) -> None:
    listed = found(loose)
    (group,) = listed.groups
    assert (listed.compared, group.kind, group.why) == (
        3, CopyKind.DUPLICATE, "the same DOI 10.5555/ponds",
    )  # fmt: skip
    assert {one.source_path for one in group.documents} == {
        stored(loose, name).path for name in ("ponds.md", "copy.md")
    }
    assert all(loose.document(one.name).document_id == one.document_id for one in group.documents)


def test_copies_with_the_key_of_one_entry_are_named_by_their_ids(loose: World) -> None:
    loose.ingest(references=loose.cite(an_item("weir", "10.5555/ponds", title="Ponds cool")))
    (group,) = found(loose, "grids.md", stored(loose, "copy.md").document_id).groups
    assert [one.citekey for one in group.documents] == ["weir", "weir"]
    assert all(one.document_id.startswith(one.name) for one in group.documents)
    assert found(loose, "grids.md").groups == ()


def test_tags_note_and_status_of_both_are_kept_and_both_keys(loose: World) -> None:
    made = cited(loose, "copy.md").citekey
    edit(loose, "ponds.md", "tag=cool", "note=Mine", "status=reading", "key=mine")
    edit(loose, "copy.md", "tag=cool; wet", "note=Theirs", "because=twice", "key=theirs")
    done = merge(loose, "ponds.md", "copy.md")
    assert (done.kept.name, done.kept.what) == ("mine", "taken over from theirs")
    assert {one.field: one.after for one in done.kept.changes} == {
        "tag": "cool; wet", "note": "Mine\nTheirs", "status": "excluded: twice",
    }  # fmt: skip
    kept = stored(loose, "ponds.md")
    own = loose.own_records.own(HERE, kept.document_id)
    assert own is not None
    assert own.status is ReadingStatus.EXCLUDED
    for key in ("mine", "theirs", made):
        assert loose.document(key).document_id == kept.document_id
    assert len(loose.stored()) == 2
    assert loose.query("pond", "citekey=mine").items[0].citekey == "mine"
    assert found(loose).groups == ()


def test_the_former_key_outlasts_ingests_edits_and_undo(loose: World) -> None:
    other = cited(loose, "copy.md").citekey
    merge(loose, "ponds.md", "copy.md")
    (loose.folder / "copy.md").unlink()
    loose.ingest(force=True)
    edit(loose, "ponds.md", "title=Other")
    loose.projects.edit.undo(HERE)
    loose.ingest(references=loose.cite(an_item("weir", "10.5555/ponds", title="Ponds cool")))
    assert loose.document(other).document_id == stored(loose, "ponds.md").document_id


def test_a_provisional_citation_gives_way_to_that_of_the_copy(loose: World) -> None:
    edit(loose, "copy.md", "title=Of Ponds", "year=2020", "key=theirs")
    merge(loose, "ponds.md", "copy.md")
    kept = cited(loose, "ponds.md")
    assert (kept.title, kept.year, kept.is_provisional) == ("Of Ponds", 2020, False)
    assert loose.projects.edit.undo(HERE) is not None
    assert cited(loose, "ponds.md").is_provisional


def test_nothing_is_gone_while_the_index_is_busy_and_it_can_be_repeated(
    loose: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(loose, "copy.md", "tag=wet")
    remover = loose.projects.remove.remover

    def busy(*_: object) -> None:
        raise ShardBusy("thesis", 0)

    with monkeypatch.context() as patched:
        patched.setattr(type(remover), "documents", busy)
        with pytest.raises(ShardBusy):
            merge(loose, "ponds.md", "copy.md")
    assert len(loose.stored()) == 3
    merge(loose, "ponds.md", "copy.md")
    assert cited(loose, "ponds.md").tags == ("wet",)
    assert len(loose.stored()) == 2


def test_what_cannot_be_merged_is_refused(loose: World) -> None:
    plan = loose.projects.duplicates.plan
    with pytest.raises(InvalidRequest, match="is the one that stays"):
        plan(HERE, "ponds.md", ["ponds.md"])
    with pytest.raises(InvalidRequest, match="name the copy"):
        plan(HERE, "ponds.md", [])
    with pytest.raises(DocumentNotFound):
        plan(HERE, "ponds.md", ["nothing"])
