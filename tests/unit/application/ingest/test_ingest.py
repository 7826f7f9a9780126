"""The verb *ingest*: what is done, what is not done twice, and what survives."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.builders import SteadyClock
from support.in_memory.index import InMemoryCollection
from support.world import GRIDS, HERE, PONDS, World, an_item

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.index import EmbeddedPassage
from citeloom.domain.citation.metadata import CitationSource
from citeloom.domain.documents.spans import Chunk
from citeloom.domain.errors import (
    EmbeddingModelMismatch,
    InvalidSource,
    NoDocuments,
    ReferencesUnreadable,
    StorageFailed,
)
from citeloom.domain.ingest import DocumentStatus, IngestRequest, IngestResult
from citeloom.domain.progress import Cancelled, cancellable
from citeloom.infrastructure.ingest.chunking.structural import StructuralChunker

ADDED, UPDATED, UNCHANGED, FAILED = (
    DocumentStatus.ADDED,
    DocumentStatus.UPDATED,
    DocumentStatus.UNCHANGED,
    DocumentStatus.FAILED,
)


def statuses(result: IngestResult) -> dict[str, DocumentStatus]:
    return {Path(d.source).name: d.status for d in result.documents}


def test_new_files_are_added_and_can_be_found(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.write("deep/grids.md", GRIDS)
    result = world.ingest()
    assert statuses(result) == {"ponds.md": ADDED, "grids.md": ADDED}
    assert result.chunks_written == result.chunks_total == len(world.chunk_ids()) > 2
    assert (result.documents_processed, result.documents_converted) == (2, 2)
    assert world.query("square grid").items[0].source_path.endswith("grids.md")


def test_the_project_is_created_with_the_first_ingest_and_then_kept(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.ingest()
    created = world.catalogue.project(HERE)
    world.ingest()
    assert world.catalogue.project(HERE) == created


def test_a_second_run_does_nothing(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest()
    seen, embedded, ids = list(world.converter.seen), world.embedded, world.chunk_ids()
    result = world.ingest()
    assert statuses(result) == {"ponds.md": UNCHANGED, "grids.md": UNCHANGED}
    assert result.chunks_written == result.documents_converted == 0
    assert result.chunks_total == len(ids)
    assert (world.converter.seen, world.embedded, world.chunk_ids()) == (seen, embedded, ids)


def test_a_file_that_was_only_touched_is_unchanged(world: World) -> None:
    path = world.write("ponds.md", PONDS)
    world.ingest()
    os.utime(path, ns=(1, 1))
    assert statuses(world.ingest()) == {"ponds.md": UNCHANGED}
    (document,) = world.stored()
    assert [source.mtime_ns for source in document.sources] == [1]
    assert world.converter.seen == ["ponds.md"]


def test_a_changed_file_replaces_what_it_held(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest()
    (before,) = [d for d in world.stored() if d.sources[0].path.endswith("ponds.md")]
    world.write("ponds.md", PONDS.replace("four ponds", "nine lakes"))
    result = world.ingest()
    assert statuses(result) == {"ponds.md": UPDATED, "grids.md": UNCHANGED}
    assert before.document_id not in {d.document_id for d in world.stored()}
    assert world.bundles.load(before.document_id) is None
    assert not any("four ponds" in item.text for item in world.query("four ponds").items)
    assert result.chunks_total == len(world.chunk_ids())


def test_the_same_content_at_two_paths_is_one_document_with_two_sources(world: World) -> None:
    world.write("a.md", PONDS)
    world.write("b.md", PONDS)
    result = world.ingest()
    (document,) = world.stored()
    assert {Path(s.path).name for s in document.sources} == {"a.md", "b.md"}
    assert statuses(result) == {"a.md": ADDED, "b.md": ADDED}
    assert {d.document_id for d in result.documents} == {document.document_id}
    assert len(world.converter.seen) == 1
    assert len(world.chunk_ids()) == document.chunks == result.chunks_written


def test_a_copy_that_comes_later_is_one_more_source(world: World) -> None:
    world.write("a.md", PONDS)
    world.ingest()
    world.write("b.md", PONDS)
    assert statuses(world.ingest()) == {"a.md": UNCHANGED, "b.md": UNCHANGED}
    (document,) = world.stored()
    assert len(document.sources) == 2
    assert len(world.converter.seen) == 1


def test_contents_may_change_places(world: World) -> None:
    world.write("a.md", PONDS)
    world.write("c.md", GRIDS)
    world.ingest()
    world.write("a.md", GRIDS)
    world.write("b.md", PONDS)
    world.ingest()
    assert sorted(sorted(Path(s.path).name for s in d.sources) for d in world.stored()) == [
        ["a.md", "c.md"],
        ["b.md"],
    ]
    assert len(world.chunk_ids()) == sum(d.chunks for d in world.stored())
    assert world.query("four ponds").items[0].source_path.endswith("b.md")


def test_one_of_two_copies_may_change_without_harm_to_the_other(world: World) -> None:
    world.write("a.md", PONDS)
    world.write("b.md", PONDS)
    world.ingest()
    world.write("b.md", GRIDS)
    assert statuses(world.ingest()) == {"a.md": UNCHANGED, "b.md": UPDATED}
    assert sorted([Path(s.path).name for s in d.sources] for d in world.stored()) == [
        ["a.md"],
        ["b.md"],
    ]
    assert len(world.chunk_ids()) == sum(d.chunks for d in world.stored())


def test_a_copy_that_loses_its_first_path_shows_the_other(world: World) -> None:
    world.write("a.md", PONDS)
    world.write("b.md", PONDS)
    world.ingest()
    world.write("a.md", GRIDS)
    world.ingest()
    shown = {Path(hit.source_path).name for hit in world.query("cooling of ponds").items}
    assert shown == {"a.md", "b.md"}
    assert Path(world.query("cooling of ponds").items[0].source_path).name == "b.md"


def test_a_file_that_was_moved_is_neither_converted_nor_embedded(world: World) -> None:
    path = world.write("a.md", PONDS)
    world.ingest()
    path.rename(world.folder / "moved.md")
    embedded = world.embedded
    result = world.ingest(prune=True)
    assert statuses(result) == {"moved.md": UNCHANGED}
    assert world.embedded == embedded
    (document,) = world.stored()
    assert [Path(s.path).name for s in document.sources] == ["moved.md"]
    (hit, *_) = world.query("cooling of ponds").items
    assert Path(hit.source_path).name == "moved.md"


def test_what_is_said_to_be_gone_is_removed_if_it_is(world: World) -> None:
    gone, there = world.write("a.md", PONDS), world.write("b.md", GRIDS)
    below = world.write("deep/c.md", "# New\n\nA third paper about reeds.")
    world.ingest()
    gone.unlink()
    shutil.rmtree(below.parent)
    named = (str(gone), str(there), str(below.parent))
    result = world.application.ingest.files(IngestRequest(project_id=HERE, sources=(), gone=named))
    assert result.documents_removed == 2
    assert [Path(s.path).name for d in world.stored() for s in d.sources] == ["b.md"]


def test_prune_removes_what_is_gone_from_the_given_folders_only(world: World) -> None:
    inside = world.write("in/ponds.md", PONDS)
    outside = world.write("out/grids.md", GRIDS)
    world.ingest()
    inside.unlink()
    outside.unlink()
    world.write("in/new.md", "# New\n\nA third paper about reeds.")
    result = world.ingest(world.folder / "in", prune=True)
    assert result.documents_removed == 1
    titles = {d.title for d in world.stored()}
    assert titles == {"New", "Grid, random or transect"}
    assert result.chunks_total == len(world.chunk_ids())


def test_without_prune_nothing_is_removed(world: World) -> None:
    path = world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest()
    path.unlink()
    assert world.ingest().documents_removed == 0
    assert len(world.stored()) == 2


def test_prune_of_a_folder_that_became_empty_removes_its_documents(world: World) -> None:
    path = world.write("ponds.md", PONDS)
    world.ingest()
    path.unlink()
    assert world.ingest(prune=True).documents_removed == 1
    assert world.chunk_ids() == []


def test_a_project_remembers_the_folders_that_were_ingested(world: World) -> None:
    inside = world.write("deep/grids.md", GRIDS).parent
    world.ingest(inside)
    world.ingest(world.folder)
    assert world.catalogue.project(HERE).folders == (world.folder,)
    world.write("ponds.md", PONDS)
    again = world.application.ingest.files(IngestRequest(project_id=HERE, sources=()))
    assert statuses(again) == {"grids.md": UNCHANGED, "ponds.md": ADDED}


def test_a_remembered_folder_that_is_gone_is_told_and_loses_nothing(world: World) -> None:
    folder = world.write("deep/grids.md", GRIDS).parent
    other = world.write("more/ponds.md", PONDS).parent
    world.ingest(folder, other)
    shutil.rmtree(folder)
    again = world.application.ingest.files(IngestRequest(project_id=HERE, sources=()))
    assert any("the folder is not there" in one for one in again.warnings)
    assert len(world.stored()) == 2


def test_force_redoes_everything_with_the_same_outcome(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.ingest()
    ids, embedded = world.chunk_ids(), world.embedded
    result = world.ingest(force=True)
    assert statuses(result) == {"ponds.md": UPDATED}
    assert world.converter.seen == ["ponds.md", "ponds.md"]
    assert world.embedded == 2 * embedded
    assert world.chunk_ids() == ids


def test_another_chunker_embeds_anew_without_converting(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.ingest()
    world.chunker = StructuralChunker(max_tokens=60, overlap_tokens=0)
    assert statuses(world.ingest()) == {"ponds.md": UPDATED}
    assert world.converter.seen == ["ponds.md"]


def test_another_converter_converts_anew(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.ingest()
    world.converter.version = 2
    assert statuses(world.ingest()) == {"ponds.md": UPDATED}
    assert world.converter.seen == ["ponds.md", "ponds.md"]


# References


def test_what_a_converter_calls_current_is_kept_whatever_its_fingerprint(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.write("ponds.md", PONDS)
    world.ingest()
    world.converter.version = 2
    monkeypatch.setattr(world.converter, "is_current", lambda fingerprint: True)
    assert statuses(world.ingest()) == {"ponds.md": UNCHANGED}
    monkeypatch.setattr(world.converter, "is_current", lambda fingerprint: False)
    assert statuses(world.ingest()) == {"ponds.md": UPDATED}


def test_passwords_go_by_name_then_by_pattern_then_to_all(world: World) -> None:
    for name in ("a.md", "b1.md", "b2.md", "c.md"):
        world.write(name, f"# {name}\n\nWords of {name}.")
    given: dict[str, str | None] = {}
    convert = world.converter.convert

    def noting(jobs: Any, on_pages: Any = None) -> Any:
        jobs = list(jobs)
        given.update({job.source.name: job.password for job in jobs})
        return (outcome for outcome in convert(jobs, on_pages))

    world.converter.convert = noting  # type: ignore[method-assign]
    world.ingest(passwords={"b*.md": "pattern", "b2.md": "name"}, password="all")
    assert given == {"a.md": "all", "b1.md": "pattern", "b2.md": "name", "c.md": "all"}


def test_documents_are_cited_by_the_reference_file(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    library = world.cite(an_item("szelkuti2022", "10.5555/ponds"))
    result = world.ingest(references=library)
    cited = {Path(d.source).name: d.citekey for d in result.documents}
    assert cited == {"ponds.md": "szelkuti2022", "grids.md": "anonndGrid"}
    (made,) = [d for d in result.documents if d.citation_source is CitationSource.DOCUMENT]
    assert any(warning.startswith("provisional: no item has") for warning in made.warnings)


def test_a_document_without_an_item_keeps_its_provisional_key_until_an_item_is_found(
    world: World,
) -> None:
    world.write("ponds.md", PONDS)
    world.write("copy.md", PONDS + "\nAnd a line.\n")
    world.ingest()
    keys = {Path(one.path or "").name: one.citation for one in world.stored()}
    assert {one.citekey for one in keys.values() if one} == {"anonndPonds", "anonndPondsa"}
    before = keys["ponds.md"]
    assert before is not None
    assert before.uncertain == ("authors", "year")
    world.write("ponds.md", PONDS + "\nOne more line.\n")
    world.ingest(force=True)
    (again,) = [one for one in world.stored() if (one.path or "").endswith("ponds.md")]
    assert again.citation is not None
    assert again.citation.citekey == before.citekey
    world.ingest(references=world.cite(an_item("szelkuti2022", "10.5555/ponds")))
    cited = world.documents.find(before.citekey, HERE)
    assert cited.citation is not None
    assert cited.citation.citekey.startswith("szelkuti2022")
    assert before.citekey in cited.citation.former_keys


def test_a_document_whose_item_is_gone_gets_a_provisional_citation(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.ingest(references=world.cite(an_item("szelkuti2022", "10.5555/ponds")))
    result = world.ingest(references=world.cite(an_item("other", "10.5555/other")))
    assert result.citations_updated == 1
    (stored,) = world.stored()
    assert stored.citation is not None
    assert (stored.citation.citekey, stored.citation.former_keys) == (
        "anonndPonds", ("szelkuti2022",),
    )  # fmt: skip
    assert world.query("ponds").items[0].citekey == "anonndPonds"


def test_a_changed_reference_file_touches_payloads_only(world: World) -> None:
    world.write("ponds.md", PONDS)
    library = world.cite(an_item("szelkuti2022", "10.5555/ponds", 2022))
    world.ingest(references=library)
    seen, embedded, ids = list(world.converter.seen), world.embedded, world.chunk_ids()
    world.cite(an_item("szelkuti2022", "10.5555/ponds", 1999))
    result = world.ingest()
    assert result.citations_updated == 1
    assert statuses(result) == {"ponds.md": UPDATED}
    assert {item.year for item in world.query("ponds").items} == {1999}
    assert (world.converter.seen, world.embedded, world.chunk_ids()) == (seen, embedded, ids)
    assert world.ingest().citations_updated == 0


def test_references_alone_cite_all_documents_anew(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.ingest()
    library = world.cite(an_item("szelkuti2022", "10.5555/ponds"))
    result = world.ingest(sources=(), references=library)
    assert result.citations_updated == 1
    assert result.documents == ()
    assert world.query("ponds").items[0].citekey == "szelkuti2022"
    assert world.query("ponds", "citekey=szelkuti2022").count > 0


def test_a_reference_file_that_is_gone_leaves_citations_and_warns(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.ingest(references=world.cite(an_item("szelkuti2022", "10.5555/ponds")))
    world.references._libraries.clear()
    result = world.ingest()
    assert any("citations stay as they are" in warning for warning in result.warnings)
    assert result.documents[0].citekey == "szelkuti2022"


def test_a_reference_file_that_is_named_must_be_readable(world: World) -> None:
    world.write("ponds.md", PONDS)
    with pytest.raises(ReferencesUnreadable):
        world.ingest(references="/nowhere.json")
    assert world.catalogue.projects() == []


# What goes wrong


def test_a_bad_document_does_not_stop_the_rest(world: World) -> None:
    world.write("a.md", PONDS)
    (world.folder / "bad.md").write_bytes(b"%PDF-1.4 not text")
    world.write("z.md", GRIDS)
    (world.folder / "link.md").symlink_to(world.folder / "nowhere.md")
    result = world.ingest()
    assert statuses(result) == {"a.md": ADDED, "bad.md": FAILED, "z.md": ADDED, "link.md": FAILED}
    assert {d.title for d in world.stored()} == {
        "Ponds cool the street",
        "Grid, random or transect",
    }
    assert all(d.error and d.error_code for d in result.failed)


def test_linked_folders_are_told(world: World, tmp_path: Path) -> None:
    world.write("a.md", PONDS)
    (world.folder / "linked").symlink_to(tmp_path, target_is_directory=True)
    (told,) = [one for one in world.ingest().warnings if "linked folder" in one]
    assert told == (
        f"1 linked folder was not entered: {world.folder / 'linked'}; to include it, name it "
        "beside the folder"
    )


def test_an_unforeseen_error_costs_one_document_and_is_named(world: World) -> None:
    class Stumbling(StructuralChunker):
        def chunk(self, document: Any, *rest: Any) -> Sequence[Chunk]:
            if "grid" in document.plain_text:
                raise KeyError("surprise")
            return super().chunk(document, *rest)

    world.chunker = Stumbling()
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    result = world.ingest()
    assert statuses(result) == {"ponds.md": ADDED, "grids.md": FAILED}
    (failed,) = result.failed
    assert failed.error == "grids.md: KeyError: 'surprise'"
    assert failed.error_code == "INTERNAL_ERROR"


def test_a_full_disk_stops_the_run(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise StorageFailed("the disk is full")

    world.write("ponds.md", PONDS)
    monkeypatch.setattr(world.bundles, "save", full)
    with pytest.raises(StorageFailed):
        world.ingest()


@pytest.mark.parametrize("moment", ["index", "catalogue", "map"])
def test_a_run_that_was_interrupted_is_finished_by_running_again(
    world: World, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    undisturbed = World(world.folder)
    undisturbed.ingest()

    class Killed(BaseException):
        pass

    calls = 0

    def killed_at_the_second_document(inner: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == 2 + (moment == "catalogue"):
                raise Killed
            return inner(*args, **kwargs)

        return call

    with monkeypatch.context() as patched:
        target: Any = {
            "index": (InMemoryCollection, "replace_document"),
            "catalogue": (world.catalogue, "put_document"),
            "map": (world.bundles, "save_map"),
        }[moment]
        patched.setattr(*target, killed_at_the_second_document(getattr(*target)))
        with pytest.raises(Killed):
            world.ingest()
    assert sum(bool(one.embedding) for one in world.stored()) == 1
    converted = len(world.converter.seen)
    result = world.ingest()
    assert sorted(statuses(result).values()) == [ADDED, UNCHANGED]
    # What was converted is not converted again.
    assert len(world.converter.seen) == converted == 2
    assert world.chunk_ids() == undisturbed.chunk_ids()
    assert [d.chunks for d in world.stored()] == [d.chunks for d in undisturbed.stored()]
    assert world.projects.validate(HERE).ok


def test_small_documents_are_made_durable_together_and_only_then_stored(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Quick(SteadyClock):
        def monotonic(self) -> float:
            return super().monotonic() / 100

    happened: list[str] = []

    def told(name: str, inner: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            happened.append(name)
            return inner(*args, **kwargs)

        return call

    world.clock = Quick()
    for n in range(4):
        world.write(f"{n}.md", f"# Note {n}\n\nThe tide of station {n} was measured at noon.\n")
    for name in ("flush", "replace_document"):
        monkeypatch.setattr(InMemoryCollection, name, told(name, getattr(InMemoryCollection, name)))
    put = world.catalogue.put_document

    def put_document(document: StoredDocument, *more: Any) -> None:
        happened.append("stored" if document.embedding else "entered")
        put(document, *more)

    monkeypatch.setattr(world.catalogue, "put_document", put_document)
    result = world.ingest()
    assert set(statuses(result).values()) == {ADDED}
    # The first is not kept waiting, the others come within a second of it.
    assert happened == [
        *("entered", "replace_document", "flush", "stored"),
        *("entered", "replace_document") * 3,
        *("flush", "stored", "stored", "stored"),
        "flush",  # the weights of words
    ]
    assert world.projects.validate(HERE).ok


def test_another_model_is_refused_before_anything_is_done(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.ingest()
    world.write("grids.md", GRIDS)
    with pytest.raises(EmbeddingModelMismatch):
        world.ingest(model="other")
    assert len(world.stored()) == 1
    assert world.converter.seen == ["ponds.md"]


def test_a_missing_path_is_refused_and_among_others_it_is_one_failure(world: World) -> None:
    with pytest.raises(InvalidSource):
        world.ingest(world.folder / "nowhere.md")
    assert world.catalogue.projects() == []
    path = world.write("ponds.md", PONDS)
    result = world.ingest(path, world.folder / "nowhere.md")
    assert statuses(result) == {"ponds.md": ADDED, "nowhere.md": FAILED}


@pytest.mark.parametrize("sources", [(), ("FOLDER",)])
def test_nothing_to_ingest_is_refused(world: World, sources: tuple[str, ...]) -> None:
    (world.folder / "photo.jpg").write_bytes(b"x")
    given = tuple(str(world.folder) if s == "FOLDER" else s for s in sources)
    with pytest.raises(NoDocuments):
        world.ingest(sources=given)
    assert world.catalogue.projects() == []


def test_a_document_without_text_is_kept_and_says_so(world: World) -> None:
    world.write("empty.txt", "\n \n")
    result = world.ingest()
    (report,) = result.documents
    assert (report.status, report.chunks) == (ADDED, 0)
    assert any("no text" in warning for warning in report.warnings)


# The record


def test_each_document_and_each_run_leaves_a_line_with_one_correlation_id(world: World) -> None:
    world.write("ponds.md", PONDS)
    (world.folder / "bad.md").write_bytes(b"%PDF-1.4 not text")
    result = world.ingest()
    records = world.journal.records
    assert {record.correlation_id for record in records} == {result.correlation_id}
    assert [record.source_path is None for record in records] == [False, False, True]
    by_name = {Path(r.source_path).name: r for r in records if r.source_path}
    assert by_name["bad.md"].errors
    assert by_name["ponds.md"].chunks_added == result.chunks_written
    run = records[-1]
    assert run.documents_processed == 2
    assert (run.chunks_added, run.chunks_updated) == (result.chunks_written, 0)
    assert run.dense_model is not None
    assert run.dense_model.startswith("hashing@64")


def test_unchanged_documents_are_only_counted_in_the_record(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.ingest()
    world.journal.records.clear()
    second = world.ingest()
    (run,) = world.journal.records
    assert run.chunks_skipped == second.chunks_total
    assert run.chunks_written == 0
    assert run.correlation_id == second.correlation_id == "run-2"


def test_vectors_and_passages_reach_the_index_together(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[Sequence[EmbeddedPassage]] = []
    inner = InMemoryCollection.replace_document

    def spy(self: InMemoryCollection, id: str, passages: Sequence[EmbeddedPassage]) -> None:
        written.append(passages)
        inner(self, id, passages)

    monkeypatch.setattr(InMemoryCollection, "replace_document", spy)
    world.write("ponds.md", PONDS)
    world.ingest()
    (passages,) = written
    for each in passages:
        text = each.passage.chunk.embedding_text()
        assert list(each.dense) == list(world.embedder("hashing").embed_query(text))
        assert each.passage.language == world.stored()[0].language


def test_a_cancelled_ingest_keeps_what_it_finished_and_goes_on_later(world: World) -> None:
    for name in ("a.md", "b.md", "c.md"):
        world.write(name, f"{PONDS}\n{name}")

    def refuse_the_third() -> None:
        if len(world.converter.seen) == 3:
            raise Cancelled

    with cancellable(refuse_the_third), pytest.raises(Cancelled):
        world.ingest()

    assert all(document.chunks for document in world.stored())
    assert statuses(world.ingest()) == {"a.md": UNCHANGED, "b.md": UNCHANGED, "c.md": ADDED}


def test_a_project_that_an_ingest_made_is_not_kept_where_every_document_fails(
    world: World,
) -> None:
    for name in ("a.md", "b.md"):
        (world.folder / name).symlink_to("nowhere")
    result = world.ingest()
    assert set(statuses(result).values()) == {FAILED}
    assert world.catalogue.projects() == []
    assert any("not kept" in warning for warning in result.warnings)

    world.write("c.md", PONDS)
    world.ingest()
    assert set(statuses(world.ingest(world.folder / "a.md", "/nowhere")).values()) == {FAILED}
    assert [one.id for one in world.catalogue.projects()] == [HERE]
