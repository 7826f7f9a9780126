"""Works are added by identifier, address and reference file, and get their text later."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.killed_writes import killed_after
from support.world import HERE, World, an_item

from citeloom.application.citation.edit import parse_assignment
from citeloom.application.ingest.add import AddedWork, AddOutcome, AddRequest, AddResult
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.citation import PUBLISHED, OpenPdf
from citeloom.application.ports.ingest import SilentProgress
from citeloom.application.projects.inspection import PaperState
from citeloom.application.watch.request import differences
from citeloom.domain.citation.metadata import CitationSource
from citeloom.domain.citation.own import ReadingStatus
from citeloom.domain.errors import InvalidRequest, NothingThere, ProjectNotFound
from citeloom.domain.ingest import IngestRequest
from citeloom.domain.messages import Action, UserMessage
from citeloom.domain.progress import Cancelled, cancellable
from citeloom.domain.references.lookup import IdentifyOutcome, IdentifyRequest
from citeloom.domain.search.filters import Filter
from citeloom.infrastructure.http.page.library import opened

TITLE = "Ponds cool the evening street"
TEXT = f"# {TITLE}\n\nOriana Weir, 2020\n\ndoi:10.5555/ponds\n\nA pond cools the air.\n"
FOUND = an_item(
    "x", "10.5555/ponds", title=TITLE, author=[{"family": "Weir", "given": "Oriana"}],
    **{"container-title": "Weir Letters"},
)  # fmt: skip
KEY = "weir2020Ponds"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.lookup.items["10.5555/ponds"] = FOUND
    return world


def add(world: World, *names: str | Path, **values: Any) -> AddResult:
    request = AddRequest(project_id=HERE, names=tuple(map(str, names)), **values)
    return world.application.ingest.add(request)


def added(world: World, name: str | Path = "10.5555/ponds", **values: Any) -> AddedWork:
    (one,) = add(world, name, **values).works
    return one


def work(world: World) -> StoredDocument:
    (stored,) = world.stored()
    return stored


def edit(world: World, key: str, *changes: str) -> None:
    world.application.projects.edit(HERE, key, [parse_assignment(one) for one in changes])


def cite_anew(world: World, path: Path) -> None:
    request = IngestRequest(project_id=HERE, sources=(), references=(str(path),))
    world.application.ingest.files(request)


# Works without text


def test_an_identifier_is_looked_up_and_kept_as_a_work_without_text(world: World) -> None:
    one = added(world)
    assert (one.outcome, one.citekey, one.service) == (AddOutcome.ADDED, KEY, "Memory")
    assert not one.has_text
    stored = work(world)
    assert stored.citation is not None
    assert (stored.citation.citekey, stored.citation.source) == (KEY, CitationSource.LOOKUP)
    assert stored.citation.container_title == "Weir Letters"
    (paper,) = world.application.projects.papers([HERE], Filter())
    assert (paper.state, paper.source_path) == (PaperState.NO_TEXT, None)


def test_nothing_is_asked_where_the_work_is_there(world: World) -> None:
    added(world)
    world.lookup.asked.clear()
    for name in ("10.5555/ponds", "https://doi.org/10.5555/PONDS"):
        assert added(world, name).outcome is AddOutcome.KNOWN
    assert world.lookup.asked == []
    assert len(world.stored()) == 1


def test_the_same_work_by_another_identifier_is_there(world: World) -> None:
    added(world)
    world.lookup.items["pmid:123"] = FOUND | {"PMID": "123"}
    assert added(world, "PMID 123").outcome is AddOutcome.KNOWN


def test_a_paper_whose_citation_is_provisional_is_the_work(world: World) -> None:
    world.write("ponds.md", TEXT.replace("doi:10.5555/ponds", ""))
    world.ingest()
    (stored,) = world.stored()
    stated = {"title": TITLE, "authors": ("Oriana Weir",), "year": 2020}
    document = world.conversion(stored.document_id).model_copy(update=stated)
    world.bundles.save(document, stored.conversion)
    world.ingest(references=world.cite())
    assert added(world).outcome is AddOutcome.KNOWN
    assert len(world.stored()) == 1


def test_it_can_be_cited_exported_edited_and_removed(world: World) -> None:
    added(world)
    application = world.application
    place = application.citation.cite.place(HERE, KEY, "3")
    assert place.link == "https://doi.org/10.5555/ponds"
    edit(world, KEY, "title=Ponds", "tag+=cool", "status=read", "key=mine")
    citation = work(world).citation
    assert citation is not None
    assert (citation.title, citation.citekey, citation.tags) == ("Ponds", "mine", ("cool",))
    assert application.projects.edit.undo(HERE) is not None
    exported = application.citation.export.named(HERE).exported()
    assert [one.source_path for one in exported] == [""]
    removal = application.projects.remove.plan(HERE, [KEY])
    application.projects.remove(removal, removal.name)
    assert world.stored() == []


def test_an_undone_addition_is_removed(world: World) -> None:
    added(world)
    edit(world, KEY, "tag+=cool")
    undo = world.application.projects.edit.undo
    undo(HERE)
    assert len(world.stored()) == 1
    undone = undo(HERE)
    assert undone is not None
    assert undone.what == "added from Memory"
    assert world.stored() == []


def test_its_text_is_said_to_be_missing(world: World) -> None:
    added(world)
    application = world.application
    resources = application.resources
    for read in (
        resources.show.markdown,
        resources.places.find,
        lambda name, project: resources.pages.page(project, name, "1", None),
    ):
        with pytest.raises(NothingThere, match=f"{KEY}: has no text yet"):
            read(KEY, HERE)
    world.write("grids.md", "# Grids\n\nThe grid has the smallest error.\n")
    world.ingest()
    for clause in (f"doc={KEY}", f"citekey={KEY}", f"citekey={KEY[:-2]}"):
        result = world.query("grid", clause)
        assert any(f"{KEY} has no text yet" in warning for warning in result.warnings), clause
    assert world.query("grid").count > 0


def test_it_stays_through_ingests_look_ups_and_validation(world: World) -> None:
    added(world)
    before = work(world)
    world.write("grids.md", "# Grids\n\nThe grid has the smallest error.\n")
    world.ingest(force=True)
    world.ingest(prune=True)
    world.ingest(references=world.cite(an_item("other", "10.5555/other")))
    stored = {one.document_id: one for one in world.stored()}
    assert stored[before.document_id].citation == before.citation
    request = IdentifyRequest(project_id=HERE, names=(KEY,))
    (one,) = world.application.projects.identify(request).documents
    assert one.outcome is IdentifyOutcome.TAKEN
    assert all(check.status != "FAIL" for check in world.application.projects.validate(HERE).checks)


def test_it_goes_over_to_another_model_and_into_a_new_index(world: World) -> None:
    added(world)
    world.write("grids.md", "# Grids\n\nThe grid has the smallest error.\n")
    world.ingest()
    world.projects.migration.migrate(HERE, world.embedder("other"), SilentProgress())
    assert world.document(KEY).citation is not None
    world.ingest(force=True, model="other")
    assert [check for check in world.projects.validate(HERE).checks if check.status == "FAIL"] == []
    assert world.query("grid").count > 0


def test_the_page_shows_it_without_text(world: World) -> None:
    added(world)
    shown = opened(world.application, HERE.value, KEY, 1)
    assert (shown.title, shown.page, shown.text) == (TITLE, None, "")
    assert shown.notes == ["it has no text yet: you can cite it, but not search it"]


def test_watching_does_not_tell_of_it(world: World) -> None:
    added(world)
    before = world.stored()
    world.write("ponds.md", TEXT)
    world.ingest()
    told = [one.what for _, one in differences(before, world.stored(), world.clock.now())]
    assert told == [str(world.folder / "ponds.md")]


# What fails


def test_a_failure_concerns_its_work_alone_and_leaves_no_project(world: World) -> None:
    world.lookup.failing.add("10.5555/broken")
    result = add(world, "10.5555/broken", "10.5555/nothing")
    assert [one.why for one in result.works] == [
        "memory.example: it answers 503 Service Unavailable",
        "no service knows it; check its spelling",
    ]
    assert result.failed == 2
    with pytest.raises(ProjectNotFound):
        world.catalogue.project(HERE)
    assert add(world, "10.5555/broken", "10.5555/ponds").failed == 1
    assert len(world.stored()) == 1


def test_what_is_none_of_these_is_refused_before_anything_is_asked(world: World) -> None:
    for name in ("Ponds", ""):
        with pytest.raises(InvalidRequest, match="is not a DOI"):
            add(world, "10.5555/ponds", name)
    assert world.lookup.asked == []


def test_what_was_added_is_kept_when_it_is_cancelled(world: World) -> None:
    steps: list[int] = []

    def stop() -> None:
        steps.append(1)
        if len(steps) > 1:
            raise Cancelled

    with cancellable(stop):
        result = add(world, "10.5555/ponds", "10.5555/nothing")
    assert (result.cancelled, len(result.works)) == (True, 1)


# The text comes


def test_the_file_of_a_work_takes_its_place_key_and_own_metadata(world: World) -> None:
    added(world)
    edit(world, KEY, "tag+=cool", "note=Read twice.", "status=reading")
    path = world.write("ponds.md", TEXT)
    world.ingest(path)
    (stored,) = world.stored()
    assert (stored.path, stored.chunks > 0) == (str(path), True)
    assert stored.citation is not None
    assert (stored.citation.citekey, stored.citation.source) == (KEY, CitationSource.LOOKUP)
    own = world.own_records.own(HERE, stored.document_id)
    assert own is not None
    assert (own.tags, own.note, own.status) == (("cool",), "Read twice.", ReadingStatus.READING)
    assert world.ingest(force=True).citations_updated == 0
    assert world.document(KEY).citation == stored.citation
    assert world.query("pond").items[0].citation is not None


def test_a_key_of_ones_own_goes_over_too(world: World) -> None:
    added(world)
    edit(world, KEY, "key=mine")
    world.write("ponds.md", TEXT)
    world.ingest()
    assert work(world).citation is not None
    assert world.document("mine").chunks > 0
    assert world.document(KEY).chunks > 0


def test_another_paper_does_not_take_its_place(world: World) -> None:
    added(world)
    more = "The grid has the smallest error at every sample size, as Weir found. " * 5
    text = f"# Grids of random points\n\nHalvard Quill\n\n{more}\n\nSee 10.5555/ponds.\n"
    world.write("grids.md", text)
    world.ingest()
    assert len(world.stored()) == 2
    assert not world.document(KEY).has_file


def test_only_one_file_takes_its_place(world: World) -> None:
    added(world)
    world.write("a.md", TEXT)
    world.write("b.md", TEXT + "\nAnother version.\n")
    world.ingest()
    keys = sorted(one.citation.citekey for one in world.stored() if one.citation)
    assert len(set(keys)) == 2
    assert KEY in keys


def test_with_an_entry_of_a_reference_file_it_is_cited_by_that(world: World) -> None:
    added(world)
    edit(world, KEY, "tag+=cool")
    world.write("ponds.md", TEXT)
    world.ingest(references=world.cite(an_item("weir", "10.5555/ponds", title=TITLE)))
    (stored,) = world.stored()
    assert stored.citation is not None
    assert (stored.citation.citekey, stored.citation.tags) == ("weir", ("cool",))
    assert world.document(KEY).document_id == stored.document_id


@pytest.mark.parametrize("step", range(1, 30))
def test_a_kill_leaves_a_work_that_the_next_run_completes(world: World, step: int) -> None:
    with killed_after(step):
        added(world)
    if world.stored():
        assert world.document(KEY).citation is not None
    added(world)
    edit(world, KEY, "tag+=cool")
    world.write("ponds.md", TEXT)
    with killed_after(step):
        world.ingest()
    world.ingest()
    (stored,) = world.stored()
    assert stored.has_file
    assert stored.citation is not None
    assert (stored.citation.citekey, stored.citation.tags) == (KEY, ("cool",))


def test_another_work_of_the_same_key_does_not_take_its_place(world: World) -> None:
    """Keys are made of author and year: those of reference files collide with each other, and
    with made ones."""
    added(world)
    other = an_item(KEY, "10.5555/grids", title="Grids of random points")
    world.write("grids.md", "# Grids of random points\n\nWeir\n\ndoi:10.5555/grids\n\nText.\n")
    world.ingest(references=world.cite(other))
    assert {one.has_file for one in world.stored()} == {True, False}
    assert world.document("10.5555/grids").citation.citekey == KEY  # type: ignore[union-attr]
    assert world.document("10.5555/ponds").citation.citekey == f"{KEY}a"  # type: ignore[union-attr]


# PDFs


URL = "https://weir.example/ponds.pdf"


def test_an_open_pdf_is_fetched_named_and_read(world: World) -> None:
    world.lookup.pdfs["10.5555/ponds"] = [
        OpenPdf("https://gone.example/x", PUBLISHED),
        OpenPdf(URL, PUBLISHED),
    ]
    world.downloads.files[URL] = (TEXT.encode(), ".md")
    one = added(world, pdf=True)
    assert (one.outcome, one.citekey, one.has_text) == (AddOutcome.ADDED, KEY, True)
    assert one.file is not None
    assert Path(one.file).name == "Weir 2020 - Ponds cool the evening street.md"
    assert world.downloads.asked == [("https://gone.example/x", False), (URL, False)]
    assert work(world).path == one.file


def test_without_the_word_no_pdf_is_looked_for(world: World) -> None:
    world.lookup.pdfs["10.5555/ponds"] = [OpenPdf(URL, PUBLISHED)]
    added(world)
    assert world.lookup.asked == ["10.5555/ponds"]
    assert world.downloads.asked == []


def test_the_pdf_of_a_work_that_is_there_is_fetched_once(world: World) -> None:
    added(world)
    world.lookup.pdfs["10.5555/ponds"] = [OpenPdf(URL, PUBLISHED)]
    world.downloads.files[URL] = (TEXT.encode(), ".md")
    assert added(world, pdf=True).has_text
    assert added(world, pdf=True).outcome is AddOutcome.KNOWN
    assert len(world.downloads.asked) == 1


def test_the_address_of_a_pdf_at_arxiv_is_its_work_with_the_pdf(world: World) -> None:
    doi = "10.48550/arxiv.2302.07302"
    world.lookup.items["arXiv:2302.07302"] = FOUND | {"DOI": doi, "type": "article"}
    world.lookup.pdfs[doi] = [OpenPdf(URL, PUBLISHED)]
    world.downloads.files[URL] = (TEXT.replace("10.5555/ponds", doi).encode(), ".md")
    assert not added(world, "https://arxiv.org/abs/2302.07302").has_text
    assert added(world, "https://arxiv.org/pdf/2302.07302v1").has_text


def test_another_version_is_named_and_not_fetched(world: World) -> None:
    world.lookup.pdfs["10.5555/ponds"] = [OpenPdf(URL, "submittedVersion")]
    one = added(world, pdf=True)
    assert "only another version is open (submittedVersion)" in one.why
    assert URL in one.why
    assert world.downloads.asked == []


def test_a_preprint_has_the_pdf_of_its_server(world: World) -> None:
    doi = "10.1101/2020.01.01.1234"
    world.lookup.items[doi] = FOUND | {"DOI": doi, "type": "article"}
    world.lookup.pdfs[doi] = [OpenPdf(URL, "submittedVersion")]
    world.downloads.files[URL] = (TEXT.replace("10.5555/ponds", doi).encode(), ".md")
    assert added(world, doi, pdf=True).has_text


def test_why_there_is_no_pdf_is_said(world: World) -> None:
    assert added(world, pdf=True).why == "no PDF: no open-access PDF of it was found"
    world.lookup.failing.add("pdf of 10.5555/ponds")
    assert "503 Service Unavailable" in added(world, pdf=True).why


def test_a_pdf_of_another_work_is_kept_as_its_own(world: World) -> None:
    world.lookup.pdfs["10.5555/ponds"] = [OpenPdf(URL, PUBLISHED)]
    world.downloads.files[URL] = (b"# Grids of random points\n\nHalvard Quill\n\nText.\n", ".md")
    one = added(world, pdf=True)
    assert not one.has_text
    assert "its first page shows another work" in one.why
    assert len(world.stored()) == 2


# Addresses


def test_an_address_is_fetched_read_and_named_by_its_work(world: World) -> None:
    world.downloads.files["https://weir.example/1-s2.0-main.pdf?x=1"] = (TEXT.encode(), ".md")
    one = added(world, "https://weir.example/1-s2.0-main.pdf?x=1")
    assert (one.outcome, one.has_text) == (AddOutcome.ADDED, True)
    (stored,) = world.stored()
    assert [source.path for source in stored.sources] == [one.file]
    assert one.file is not None
    assert "Ponds cool" in Path(one.file).name or "ponds" in Path(one.file).name.lower()
    assert [path.name for path in Path(one.file).parent.iterdir()] == [Path(one.file).name]
    assert world.downloads.asked == [("https://weir.example/1-s2.0-main.pdf?x=1", True)]


def test_a_file_that_is_there_is_not_kept_twice(world: World) -> None:
    world.write("papers/ponds.md", TEXT)
    world.ingest(world.folder / "papers")
    world.downloads.files[URL] = (TEXT.encode(), ".pdf")
    assert added(world, URL).outcome is AddOutcome.KNOWN
    assert [path.name for path in (world.folder / "papers").iterdir()] == ["ponds.md"]


def test_files_go_into_the_folder_of_the_project_and_overwrite_nothing(world: World) -> None:
    world.write("papers/grids.md", "# Grids\n\nText.\n")
    taken = world.write("papers/Weir 2020 - Ponds cool the evening street.md", "# Other\n\nText.\n")
    world.ingest(world.folder / "papers")
    world.lookup.pdfs["10.5555/ponds"] = [OpenPdf(URL, PUBLISHED)]
    world.downloads.files[URL] = (TEXT.encode(), ".md")
    one = added(world, pdf=True)
    assert one.file == str(taken.with_name("Weir 2020 - Ponds cool the evening street 2.md"))
    assert taken.read_text() == "# Other\n\nText.\n"


def test_a_file_that_cannot_be_read_is_kept_and_the_reason_told(world: World) -> None:
    world.downloads.files[URL] = (b"%PDF-1.7 broken", ".pdf")
    one = added(world, URL)
    assert one.outcome is AddOutcome.FAILED
    assert one.file is not None
    assert Path(one.file).exists()
    assert one.why


# Reference files


def test_the_works_of_a_reference_file_are_added_under_its_keys(world: World) -> None:
    world.write("ponds.md", TEXT)
    world.ingest()
    path = world.write("refs.json", "")
    items = [an_item("weir", "10.5555/ponds", title=TITLE), an_item("quill", "10.5555/quill")]
    world.cite(*items, path=path)
    result = add(world, path)
    assert [(one.citekey, one.outcome) for one in result.works] == [
        ("weir", AddOutcome.KNOWN),
        ("quill", AddOutcome.ADDED),
    ]
    assert world.lookup.asked == []
    assert world.catalogue.project(HERE).reference_files == (path,)
    quill = world.document("quill").citation
    assert quill is not None
    assert quill.source is CitationSource.REFERENCES
    assert {one.outcome for one in add(world, path).works} == {AddOutcome.KNOWN}


def test_a_work_follows_its_entry_and_outlasts_it(world: World) -> None:
    path = world.write("refs.json", "")
    world.cite(an_item("quill", "10.5555/quill"), path=path)
    add(world, path)
    world.cite(an_item("quill", "10.5555/quill", volume="9"), path=path)
    cite_anew(world, path)
    citation = work(world).citation
    assert citation is not None
    assert citation.csl["volume"] == "9"
    world.cite(an_item("weir", "10.5555/ponds"), path=path)
    cite_anew(world, path)
    assert world.document("quill").citation == citation


def test_two_entries_of_one_title_are_two_works(world: World) -> None:
    path = world.write("refs.json", "")
    items = [an_item("a", "10.5555/a", title="Grids"), an_item("b", "10.5555/b", title="Grids")]
    world.cite(*items, path=path)
    add(world, path)
    cite_anew(world, path)
    assert sorted(one.citation.citekey for one in world.stored() if one.citation) == ["a", "b"]


def test_a_file_without_entries_and_a_paper_are_refused(world: World) -> None:
    empty = world.write("empty.json", "")
    world.cite(path=empty)
    assert "no entry of a work is in it" in added(world, empty).why
    paper = world.write("ponds.md", TEXT)
    refused = added(world, paper)
    assert (refused.outcome, refused.why) == (
        AddOutcome.FAILED,
        f"{paper}: is not a reference file",
    )
    assert isinstance(refused.why, UserMessage)
    assert refused.why.next_step is not None
    assert refused.why.next_step.action is Action.ADD_DOCUMENTS
    assert world.catalogue.projects() == []


# Any order


@settings(deadline=None, max_examples=25)
@given(st.lists(st.sampled_from(["add", "ingest", "tag", "entry", "forget", "bib"]), max_size=8))
def test_in_any_order_a_paper_is_one_document_with_what_was_said_of_it(actions: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        world.lookup.items["10.5555/ponds"] = FOUND
        path, entries = world.folder / "refs.json", [an_item("weir", "10.5555/ponds", title=TITLE)]
        world.cite(*entries, path=path)
        path.touch()
        tagged = False
        for action in actions:
            if action == "add":
                added(world)
            elif action == "bib":
                world.cite(*entries, path=path)
                add(world, path)
            elif action == "ingest":
                world.ingest(world.write("ponds.md", TEXT))
            elif action == "tag" and world.catalogue.projects() and world.stored():
                edit(world, world.stored()[0].document_id, "tag+=cool")
                tagged = True
            elif action in ("entry", "forget"):
                world.cite(*(entries if action == "entry" else []), path=path)
                cite_anew(world, path)
        here = {"add", "bib", "ingest"} & {*actions}
        if not world.catalogue.projects():
            assert not here
            return
        assert len(world.stored()) == bool(here)
        for stored in world.stored():
            assert stored.has_file == ("ingest" in actions)
            assert stored.citation is not None
            assert ("cool" in stored.citation.tags) == tagged
