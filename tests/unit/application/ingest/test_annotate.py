"""The verb *annotate*, and what becomes of annotations when documents are written anew."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.paged import DOI, FEW_WORDS, paper
from support.world import HERE, World, an_item

from citeloom.application.ingest.ingest import AnnotationReport
from citeloom.application.ports.index import Passage
from citeloom.application.ports.ingest import SilentProgress
from citeloom.domain.annotations import Located
from citeloom.domain.documents.spans import ChunkKind
from citeloom.domain.library import AnnotationKind, LibraryAnnotation, LibraryRef
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project import IndexPlace
from citeloom.domain.search.fusion import Mode

COOLING = "The cooling falls with distance"


def annotation(key: str, text: str, page: int = 2, **more: Any) -> LibraryAnnotation:
    values: dict[str, Any] = {
        "key": key,
        "attachment_key": "ATTACHED",
        "library": LibraryRef(version=1),
        "kind": AnnotationKind.HIGHLIGHT,
        "text": text,
        "page": page,
    }
    return LibraryAnnotation(**values | more)


FALLS = annotation("FALLS", COOLING, comment="Why? Zephyrs.", color="#ffd400", tags=("key",))
NOTE = annotation("NOTE", "", 3, kind=AnnotationKind.NOTE, comment="Compare with fountains.")


@pytest.fixture
def world(world: World) -> World:
    """Three pages in as many passages."""
    world.chunker = FEW_WORDS
    paper(world)
    world.ingest(references=world.cite(an_item("szelkuti2022", DOI)))
    return world


def annotate(world: World, *annotations: LibraryAnnotation) -> AnnotationReport:
    (stored,) = world.stored()
    return world.annotate(world.catalogue.project(HERE), stored, annotations)


def passages(world: World) -> Sequence[Passage]:
    project = world.catalogue.project(HERE)
    with world.index.open(
        project.collection, dimension=project.embedding_model.dimension
    ) as collection:
        return list(collection.passages())


def shown(world: World) -> list[tuple[ChunkKind, str, tuple[str, ...]]]:
    return [(p.chunk.kind, p.searched, tuple(m.key for m in p.marks)) for p in passages(world)]


def test_an_annotation_is_a_passage_and_a_mark_of_the_one_that_it_marks(world: World) -> None:
    report = annotate(world, FALLS, NOTE)
    assert (report.changed, report.annotations) == (True, 2)
    assert report.located == {Located.WORDS: 1, Located.PAGE: 1}
    assert (report.lost, report.warnings) == ((), {})
    first, second, third, falls, note = passages(world)
    assert [p.marks for p in (first, third)] == [(), ()]
    assert [mark.key for mark in second.marks] == ["FALLS"]
    assert falls.annotation is not None
    assert (falls.chunk.text, falls.annotation.chunk_id) == (COOLING, second.chunk.id)
    assert falls.searched == f"{COOLING}\n\nWhy? Zephyrs."
    assert falls.chunk.page_span == second.chunk.page_span
    assert falls.citation is not None
    assert note.annotation is not None
    assert (note.annotation.chunk_id, note.annotation.page) == (None, 3)
    (stored,) = world.stored()
    assert stored == report.document
    assert stored.chunks == len(passages(world)) == 5
    assert world.projects.validate(HERE).ok


def test_unchanged_annotations_cost_nothing(world: World) -> None:
    annotate(world, FALLS, NOTE)
    before, embedded = passages(world), world.embedded
    synced = FALLS.model_copy(
        update={"version": 9, "library": LibraryRef(version=77, name="Renamed")}
    )
    world.bundles.delete(world.stored()[0].document_id)  # whatever is read, this is not
    report = annotate(world, NOTE, synced)
    assert (report.changed, report.document) == (False, world.stored()[0])
    assert (passages(world), world.embedded) == (before, embedded)


def test_a_document_that_never_had_any_is_left_alone(world: World) -> None:
    before = passages(world)
    assert not annotate(world).changed
    assert passages(world) == before
    assert world.annotations.digests(HERE) == {}


def test_what_changed_is_replaced_and_only_new_words_are_embedded(world: World) -> None:
    annotate(world, FALLS, NOTE)
    ids = world.chunk_ids()
    embedded = world.embedded
    early = annotation("EARLY", "four ponds", 1)
    recoloured = FALLS.model_copy(update={"color": "#ff6666"})
    annotate(world, recoloured, NOTE, early)
    assert world.embedded == embedded + 1
    assert set(ids) < set(world.chunk_ids()), "ids come from the annotation's key"
    kinds = [(kind, marks) for kind, _, marks in shown(world)]
    text, own = ChunkKind.TEXT, ChunkKind.ANNOTATION
    assert kinds == [(text, ("EARLY",)), (text, ("FALLS",)), (text, ())] + [(own, ())] * 3
    assert passages(world)[1].marks[0].color == "#ff6666"
    report = annotate(world)
    assert (report.changed, report.document.chunks) == (True, 3)
    assert [marks for _, _, marks in shown(world)] == [(), (), ()]


def test_what_has_no_place_is_told_and_kept_for_a_better_file(world: World) -> None:
    report = annotate(world, FALLS, annotation("LOST", "nowhere at all", 12))
    assert report.lost == ("LOST",)
    (told,) = report.warning_texts()
    assert told.startswith("szelkuti2022: annotation LOST: it is on page 12 of a file with 3 ")
    assert report.document.chunks == 4
    assert world.annotations.counts(HERE) == {report.document.document_id: 2}


def test_a_conversion_that_is_missing_is_told(world: World) -> None:
    world.bundles.delete(world.stored()[0].document_id)
    report = annotate(world, FALLS)
    assert not report.changed
    (told,) = report.warning_texts()
    assert told.startswith("szelkuti2022: its conversion is missing")
    assert told.next_step == NextStep(Action.INGEST_AGAIN)


def test_what_was_interrupted_is_done_by_the_next_call(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(world.annotations, "record_digest", die)
    with pytest.raises(KeyboardInterrupt):
        annotate(world, FALLS)
    monkeypatch.undo()
    assert annotate(world, FALLS).changed
    assert not annotate(world, FALLS).changed
    assert len(passages(world)) == 4


def test_annotations_outlive_a_new_ingest_a_repair_and_a_move(world: World) -> None:
    annotate(world, FALLS, NOTE)
    before = shown(world)
    world.ingest(force=True)
    assert shown(world) == before
    assert world.stored()[0].chunks == 5
    world.index.drop(HERE.collection)
    world.application.ingest.repair(HERE, SilentProgress())
    assert shown(world) == before
    assert world.projects.validate(HERE).ok
    assert not annotate(world, FALLS, NOTE).changed
    there = IndexPlace(url="http://there:6333")
    moved = world.projects.projects.move(HERE, there, SilentProgress())
    assert moved.passages == 5
    assert shown(world) == before


def test_another_model_gets_them_too_and_what_was_marked_since(world: World) -> None:
    annotate(world, FALLS)
    before = shown(world)
    world.projects.migration.migrate(HERE, world.embedder("other"), SilentProgress())
    assert shown(world) == before
    annotate(world, FALLS, NOTE)
    world.projects.migration.use(HERE, world.embedder("hashing"), SilentProgress())
    assert len(shown(world)) == 5
    assert world.stored()[0].chunks == 5


def test_they_are_cited_anew_with_the_document(world: World) -> None:
    annotate(world, FALLS)
    world.ingest(references=world.cite(an_item("renamed", DOI, page="101-103")))
    last = passages(world)[-1]
    assert last.citation is not None
    assert (last.citation.citekey, last.chunk.page_labels) == ("renamed", ("102",))
    assert last.annotation is not None


def test_they_go_with_the_document(world: World) -> None:
    annotate(world, FALLS)
    world.projects.remover.documents(world.catalogue.project(HERE), [world.stored()[0].document_id])
    assert passages(world) == []


def test_a_query_shows_the_marked_passage_once_with_its_marks(world: World) -> None:
    annotate(world, FALLS, NOTE)
    result = world.query("does the cooling fall with distance")
    items = [item for item in result.items if "falls with distance" in item.text]
    assert [(item.kind, item.annotation) for item in items] == [(ChunkKind.TEXT, None)]
    (mark,) = items[0].marks
    assert (mark.comment, mark.color_name, mark.tags) == ("Why? Zephyrs.", "yellow", ("key",))
    assert mark.uri.endswith("/items/ATTACHED?page=2&annotation=FALLS")


def test_what_only_the_reader_wrote_finds_the_passage(world: World) -> None:
    annotate(world, FALLS, NOTE)
    first = world.query("zephyrs").items[0]
    assert (first.kind, first.text) == (ChunkKind.TEXT, f"{COOLING} from the water.")
    quoted = world.query('"why zephyrs"').items
    assert [item.text for item in quoted] == []
    quoted = world.query('"Zephyrs"').items
    assert [mark.key for item in quoted for mark in item.marks] == ["FALLS"]


def test_a_mark_of_which_only_the_page_is_known_stands_for_itself(world: World) -> None:
    annotate(world, FALLS, NOTE)
    first = world.query("fountains").items[0]
    assert (first.kind, first.page_span) == (ChunkKind.ANNOTATION, (3, 3))
    assert first.annotation is not None
    assert first.annotation.comment == "Compare with fountains."


def test_annotations_that_are_asked_for_are_shown_as_they_are(world: World) -> None:
    annotate(world, FALLS, NOTE)
    result = world.query("cooling falls with distance", "kind=annotation", context=1)
    assert {item.annotation.key for item in result.items if item.annotation} == {"FALLS", "NOTE"}
    falls = result.items[0]
    assert falls.annotation is not None
    assert (falls.text, falls.annotation.key, falls.citekey) == (COOLING, "FALLS", "szelkuti2022")
    assert [near.offset for near in falls.context] == [-1, 0, 1]
    assert falls.annotation.chunk_id == falls.context[1].chunk_id
    others = world.query("cooling falls with distance", "kind!=annotation").items
    assert {item.kind for item in others} == {ChunkKind.TEXT}


def test_neighbours_are_passages_of_the_text(world: World) -> None:
    annotate(world, FALLS, NOTE)
    last = world.query("gone at one hundred metres", context=2).items[0]
    assert [near.offset for near in last.context] == [-2, -1]


def test_a_passage_that_the_question_excludes_is_not_shown_for_its_mark(world: World) -> None:
    annotate(world, FALLS)
    assert [item for item in world.query("zephyrs -water").items if item.marks] == []
    items = world.query("zephyrs", "page!=2").items
    assert all(item.page_span != (2, 2) for item in items)


def test_of_documents_that_answer_alike_the_marked_one_comes_first_if_asked(
    tmp_path: Path,
) -> None:
    world = World(tmp_path)
    for word in ("best", "good"):
        world.write(f"{word}.md", f"The square grid is {word}.")
    world.ingest()
    plain = world.query("square grid", mode=Mode.SPARSE).items
    last = plain[-1].text.split()[-1]
    (stored,) = [d for d in world.stored() if last.strip(".") in d.sources[0].path]
    marks = [annotation("M", "square grid").model_copy(update={"page": None})]
    world.annotate(world.catalogue.project(HERE), stored, marks)
    again = world.query("square grid", mode=Mode.SPARSE, favour_marked=True).items
    assert again[0].text.split()[-1] == last
    (marked,) = world.query("square grid", "marked=yes", "kind=text").items
    assert marked.text.split()[-1] == last
