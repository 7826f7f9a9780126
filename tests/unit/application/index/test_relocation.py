"""A project is carried over whole, or stays where it was."""

from collections.abc import Sequence
from contextlib import contextmanager

import pytest
from support.cases import each
from support.in_memory.index import InMemoryCollection, InMemoryIndex
from support.world import GRIDS, HERE, PONDS, World, an_item

from citeloom.application.index.relocation import Moved, place_of
from citeloom.application.ports.index import EmbeddedPassage, SparseVector
from citeloom.application.ports.ingest import SilentProgress
from citeloom.domain.errors import IndexUnavailable, InvalidRequest, ProjectExists, ProjectNotFound
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project import IndexLayout, IndexPlace, Lengths, ProjectId

SERVER = IndexPlace(url="http://qdrant.example:6333")
OTHER = IndexPlace(url="http://other.example:6333")
QUESTION = "Which grid has the smallest error?"


@pytest.fixture
def library(world: World) -> World:
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest(references=world.cite(an_item("ponds", "10.5555/ponds")))
    return world


def moved(world: World, to: IndexPlace | None, **how: bool) -> Moved:
    return world.projects.projects.move(HERE, to, SilentProgress(), **how)


def place(world: World) -> IndexPlace | None:
    return world.catalogue.project(HERE).retrieval.place


def passages(index: InMemoryIndex, world: World) -> list[str]:
    project = world.catalogue.project(HERE)
    with index.open(project.collection, dimension=project.embedding_model.dimension) as collection:
        return [passage.chunk.id for passage in collection.passages()]


class Breaking(InMemoryIndex):
    """Loses its power after so many documents, or keeps them wrong."""

    def __init__(self, *, after: int = 99, spoil: bool = False, lose: bool = False) -> None:
        super().__init__()
        self.left, self.spoil, self.lose = after, spoil, lose
        self.written: list[str] = []

    @contextmanager
    def open(  # type: ignore[no-untyped-def]
        self,
        collection: str,
        *,
        dimension: int,
        writing: bool = False,
    ):
        with super().open(collection, dimension=dimension) as opened:
            yield _BreakingCollection(self, opened)


class _BreakingCollection:
    def __init__(self, index: Breaking, inner: InMemoryCollection) -> None:
        self._index, self._inner = index, inner

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    def replace_document(self, document_id: str, passages: Sequence[EmbeddedPassage]) -> None:
        if not self._index.left:
            raise IndexUnavailable("the server went away")
        self._index.left -= 1
        self._index.written.append(document_id)
        if self._index.spoil:
            passages = [
                EmbeddedPassage(p.passage, [1.0] + [0.0] * (len(p.dense) - 1), p.sparse)
                for p in passages
            ]
        self._inner.replace_document(document_id, passages[: -1 if self._index.lose else None])


def test_a_moved_project_answers_from_there_as_before_and_embeds_nothing(library: World) -> None:
    before, embedded = library.query(QUESTION), library.embedded
    done = moved(library, SERVER)
    assert library.embedded == embedded
    assert (done.index, done.documents, done.copied) == (SERVER.url, 2, 2)
    assert done.passages == len(passages(library.index, library))
    assert place(library) == SERVER
    assert library.projects.projects.show(HERE).index == SERVER.url
    library.index.drop(library.catalogue.project(HERE).collection)
    there = library.query(QUESTION)
    assert [item.text for item in there.items] == [item.text for item in before.items]
    assert [i.score for i in there.items] == pytest.approx([i.score for i in before.items])


def test_what_is_ingested_after_a_move_goes_to_the_new_place(library: World) -> None:
    moved(library, SERVER)
    before = passages(library.index, library)
    library.write("late.md", "# Late\n\n## Results\n\nA paper that came after the move.\n")
    library.ingest()
    assert passages(library.index, library) == before
    assert len(passages(library.servers[SERVER.url], library)) > len(before)


def test_the_old_copy_stays_until_it_is_dropped(library: World) -> None:
    project = library.catalogue.project(HERE)
    assert moved(library, SERVER).kept == ("local",)
    assert library.index.exists(project.collection)
    done = moved(library, SERVER, drop_old=True)
    assert (done.copied, done.dropped, done.kept) == (0, ("local",), ())
    assert not library.index.exists(project.collection)
    assert library.servers[SERVER.url].exists(project.collection)


def test_a_project_moved_to_a_server_and_back_has_the_same_passages(library: World) -> None:
    before = passages(library.index, library)
    moved(library, SERVER, drop_old=True)
    done = moved(library, None, drop_old=True)
    assert (done.index, done.dropped) == ("local", (SERVER.url,))
    assert place(library) is None
    assert passages(library.index, library) == before
    assert library.catalogue.project(HERE).retrieval.copies == ()


def test_an_interrupted_move_leaves_the_project_and_goes_on_where_it_stopped(
    library: World,
) -> None:
    broken = Breaking(after=1)
    library.servers[SERVER.url] = broken
    with pytest.raises(IndexUnavailable, match="went away"):
        moved(library, SERVER)
    assert place(library) is None
    assert library.query(QUESTION).items
    broken.left = 99
    assert moved(library, SERVER).copied == 1
    assert len(set(broken.written)) == len(broken.written) == 2
    assert place(library) == SERVER


def test_documents_copied_before_an_interruption_and_changed_since_are_copied_anew(
    library: World,
) -> None:
    library.servers[SERVER.url] = Breaking(after=1)
    with pytest.raises(IndexUnavailable):
        moved(library, SERVER)
    stale = library.servers[SERVER.url] = Breaking()
    project = library.catalogue.project(HERE)
    with library.index.open(project.collection, dimension=64) as source:
        documents = {one: list(source.export(one)) for one in source.counts()}
    with stale.open(project.collection, dimension=64) as target:
        for one, found in documents.items():
            turned = [EmbeddedPassage(f.passage, list(f.dense)[::-1], f.sparse) for f in found]
            target.replace_document(one, turned)
    assert moved(library, SERVER).copied == 2


@pytest.mark.parametrize(
    ("fault", "said"),
    [({"lose": True}, "passages arrived of"), ({"spoil": True}, "best hits")],
)
def test_a_copy_that_is_not_right_is_not_switched_to(
    library: World, fault: dict[str, bool], said: str
) -> None:
    library.servers[SERVER.url] = Breaking(**fault)
    with pytest.raises(IndexUnavailable, match=said):
        moved(library, SERVER)
    assert place(library) is None


def test_documents_of_another_library_are_not_mixed_with(library: World) -> None:
    moved(library, SERVER)
    library.write("grids.md", "# Another\n\n## Results\n\nAll is new here.\n")
    moved(library, OTHER)
    library.ingest(prune=True)
    with pytest.raises(ProjectExists) as refused:
        moved(library, SERVER)
    assert refused.value.next_step == NextStep(Action.REPLACE)
    assert place(library) == OTHER
    moved(library, SERVER, replace=True)
    assert passages(library.servers[SERVER.url], library) == passages(
        library.servers[OTHER.url], library
    )


def test_what_changes_while_it_is_copied_is_brought_over(library: World) -> None:
    """An ingest between the copy of a document and the switch."""
    changed = []

    class Changing(SilentProgress):
        def done(self, report: object) -> None:
            if not changed:
                changed.append(1)
                library.write("grids.md", GRIDS.replace("square", "hexagonal"))
                library.write("more.md", "# More\n\n## Results\n\nOne more paper.\n")
                library.ingest(prune=True)

    library.projects.projects.move(HERE, SERVER, Changing())
    assert passages(library.servers[SERVER.url], library) == passages(library.index, library)
    texts = [item.text for item in library.query("hexagonal grid").items]
    assert any("hexagonal" in text for text in texts)


def test_deleting_a_project_deletes_the_copies_it_left(library: World) -> None:
    collection = library.catalogue.project(HERE).collection
    moved(library, SERVER)
    library.projects.projects.delete(HERE)
    assert not library.index.exists(collection)
    assert not library.servers[SERVER.url].exists(collection)


def test_a_new_project_does_not_take_over_what_another_workspace_has(library: World) -> None:
    moved(library, SERVER)
    elsewhere = World(library.folder, servers=library.servers)
    elsewhere.place = SERVER
    with pytest.raises(ProjectExists, match="NAMESPACE"):
        elsewhere.projects.opener.create(HERE)
    fresh, _ = elsewhere.projects.opener.create(ProjectId.parse("mine/thesis"))
    assert fresh.retrieval.place == SERVER


def test_a_project_that_does_not_exist_cannot_be_moved(library: World) -> None:
    with pytest.raises(ProjectNotFound):
        library.projects.projects.move(ProjectId.parse("nobody"), SERVER, SilentProgress())


@each("text", ["", "qdrant:6333", "ftp://x", "http://", "http://me:key@host"])
def test_what_is_no_address_of_a_server_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest):
        place_of(text, IndexLayout.PROJECT)


def test_a_place_is_local_or_the_normalised_address_of_a_server() -> None:
    assert place_of("local", IndexLayout.SHARED) is None
    assert place_of("HTTPS://Qdrant.Example:6333/", IndexLayout.SHARED) == IndexPlace(
        url="https://qdrant.example:6333", layout=IndexLayout.SHARED
    )


def test_a_project_that_another_process_moved_meanwhile_is_not_switched(library: World) -> None:
    class Moving(SilentProgress):
        def done(self, report: object) -> None:
            project = library.catalogue.project(HERE)
            retrieval = project.retrieval.model_copy(update={"place": OTHER})
            library.catalogue.update_project(project.model_copy(update={"retrieval": retrieval}))

    with pytest.raises(InvalidRequest, match="another process moved"):
        library.projects.projects.move(HERE, SERVER, Moving())
    assert place(library) == OTHER


def test_vectors_that_were_weighed_anew_meanwhile_are_copied_anew(library: World) -> None:
    class Weighing(SilentProgress):
        def done(self, report: object) -> None:
            project = library.catalogue.project(HERE)
            lengths = Lengths(average=55.0, measured=9)
            retrieval = project.retrieval.model_copy(update={"lengths": lengths})
            library.catalogue.update_project(project.model_copy(update={"retrieval": retrieval}))
            with library.index.open(project.collection, dimension=64) as collection:
                ids = [passage.chunk.id for passage in collection.passages()]
                collection.set_sparse({id: SparseVector([1], [9.0]) for id in ids})

    with pytest.raises(InvalidRequest, match="reweighted it"):
        library.projects.projects.move(HERE, SERVER, Weighing())
    assert place(library) is None
    assert moved(library, SERVER).copied >= 1
    project = library.catalogue.project(HERE)
    with library.servers[SERVER.url].open(project.collection, dimension=64) as there:
        assert {tuple(each.sparse.values) for each in there.export()} == {(9.0,)}


def test_vectors_of_several_models_are_not_left_behind(library: World) -> None:
    library.projects.migration.migrate(HERE, library.embedder("other"), SilentProgress())
    with pytest.raises(InvalidRequest) as refused:
        moved(library, SERVER)
    assert refused.value.next_step == NextStep(Action.DROP_MODEL, project=str(HERE))
    assert place(library) is None
    library.projects.migration.drop(HERE, "hashing")
    assert moved(library, SERVER).documents == 2


def test_a_project_with_copies_elsewhere_keeps_its_model(library: World) -> None:
    moved(library, SERVER)
    with pytest.raises(InvalidRequest) as refused:
        library.projects.migration.migrate(HERE, library.embedder("other"), SilentProgress())
    assert refused.value.next_step == NextStep(Action.DROP_COPIES, project=str(HERE))


def test_another_model_is_made_where_the_project_lives(library: World) -> None:
    moved(library, SERVER, drop_old=True)
    there = library
    migrated = there.projects.migration.migrate(HERE, library.embedder("other"), SilentProgress())
    assert migrated.switched
    assert passages(library.servers[SERVER.url], library)
    assert there.query(QUESTION).items[0].text
