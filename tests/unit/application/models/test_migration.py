"""Another model for a project: made beside the old one, switched at once, resumed, dropped."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.world import GRIDS, HERE, PONDS, World, an_item

from citeloom.application.models import Migrated
from citeloom.application.ports.ingest import SilentProgress
from citeloom.application.search.hits import SearchQuestion
from citeloom.application.validation.checks import Status
from citeloom.domain.errors import (
    EmbeddingModelMismatch,
    InvalidRequest,
    ModelNotInProject,
    ProjectChanged,
)
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project import Lengths, Project
from citeloom.domain.search.filters import Filter
from citeloom.domain.search.fusion import Mode

SOILS = "# Soils\n\nClay holds more water than sand does in every plot.\n"


class Killed(BaseException):
    pass


@pytest.fixture
def library(world: World) -> World:
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.write("soils.md", SOILS)
    world.ingest(
        references=world.cite(an_item("ponds", "10.5555/ponds"), an_item("grids", "10.5555/grids"))
    )
    return world


def migrate(world: World, model: str = "other", **options: Any) -> Migrated:
    return world.projects.migration.migrate(
        HERE, world.embedder(model), SilentProgress(), **options
    )


def use(world: World, model: str, **options: Any) -> Migrated:
    return world.projects.migration.use(HERE, world.embedder(model), SilentProgress(), **options)


def project(world: World) -> Project:
    return world.catalogue.project(HERE)


def answers(world: World) -> set[tuple[str, str | None]]:
    return {(item.text, item.citekey) for item in world.query("results water").items}


def warned(world: World) -> dict[str, str]:
    """Guidance by check, of what does not pass; fails never."""
    checks = world.projects.validate(HERE).checks
    assert Status.FAIL not in {check.status for check in checks}
    return {c.check: c.guidance for c in checks if c.status is Status.WARN}


@pytest.fixture
def dying(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[object, str, int], None]]:
    """Makes the nth call of a method the last thing that the process does."""

    def die(owner: object, name: str, call: int) -> None:
        real, calls = getattr(owner, name), iter(range(1, 1000))

        def method(*arguments: Any, **named: Any) -> Any:
            if next(calls) == call:
                raise Killed
            return real(*arguments, **named)

        monkeypatch.setattr(owner, name, method)

    return die  # type: ignore[return-value]


def test_a_project_migrates_without_converting_and_keeps_the_old_vectors(library: World) -> None:
    library.converter.seen.clear()
    before, old = answers(library), project(library)
    done = migrate(library)
    assert (done.switched, done.documents, done.embedded, done.missing) == (True, 3, 3, ())
    assert done.chunks == len(library.chunk_ids())
    assert library.converter.seen == []
    assert answers(library) == before
    assert library.query("ponds").model == "other"
    assert project(library).others == (old.index_of(old.embedding_model),)
    assert library.index.exists(old.collection)
    assert warned(library).keys() == {"citations"}
    with pytest.raises(EmbeddingModelMismatch):
        library.ingest(model="hashing")
    assert library.ingest().chunks_written == 0


def test_the_old_vectors_are_dropped_on_request(library: World) -> None:
    old = project(library).collection
    done = migrate(library, drop_old=True)
    assert (done.switched, done.others, project(library).others) == (True, (), ())
    assert not library.index.exists(old)
    assert not library.catalogue.indexed(HERE, old)


def test_until_the_switch_questions_are_answered_by_the_old_model(
    library: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, asked = answers(library), []
    switch = library.catalogue.switch

    def watched(*states: Any) -> bool:
        asked.append((library.query("ponds").model, answers(library)))
        return switch(*states)

    monkeypatch.setattr(library.catalogue, "switch", watched)
    migrate(library)
    assert asked == [("hashing", before)]


@pytest.mark.parametrize(
    ("method", "call"),
    [("put_other", 1), ("put_indexed", 1), ("put_indexed", 2), ("put_indexed", 3), ("switch", 1)],
)
def test_killed_before_the_switch_all_is_as_it_was_and_the_next_run_goes_on(
    library: World, dying: Any, monkeypatch: pytest.MonkeyPatch, method: str, call: int
) -> None:
    before, ids, was = answers(library), library.chunk_ids(), project(library)
    with monkeypatch.context():
        dying(library.catalogue, method, call)
        with pytest.raises(Killed):
            migrate(library)
    monkeypatch.undo()
    assert project(library).model_copy(update={"others": ()}) == was
    assert (answers(library), library.chunk_ids()) == (before, ids)
    assert library.ingest().chunks_written == 0
    if method == "put_indexed":
        assert warned(library)["other models"].next_step == NextStep(
            Action.USE_MODEL, project=str(HERE), model="other"
        )
    done = migrate(library)
    noted = {"put_other": 0, "put_indexed": call - 1, "switch": 3}[method]
    assert (done.switched, done.embedded) == (True, 3 - noted)
    assert warned(library).keys() == {"citations"}


def test_killed_after_the_switch_the_next_run_drops_what_was_to_be_dropped(
    library: World, dying: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = project(library).collection
    dying(library.index, "drop", 1)
    with pytest.raises(Killed):
        migrate(library, drop_old=True)
    monkeypatch.undo()
    assert library.query("ponds").model == "other"
    assert warned(library)["other models"].next_step == NextStep(
        Action.DROP_MODEL, project=str(HERE), model="hashing"
    )
    done = migrate(library)
    assert (done.switched, done.embedded, done.others) == (False, 0, ())
    assert not library.index.exists(old)


def test_back_to_a_model_in_step_nothing_is_embedded(library: World) -> None:
    ids = library.chunk_ids()
    migrate(library)
    embedded = library.embedded
    done = use(library, "hashing")
    assert (done.switched, done.embedded, library.embedded) == (True, 0, embedded)
    assert library.chunk_ids() == ids
    assert done.others == ("other",)
    assert use(library, "hashing").switched is False


def test_back_to_a_model_only_what_changed_meanwhile_is_embedded(library: World) -> None:
    migrate(library)
    library.write("soils.md", SOILS.replace("Clay", "Loam"))
    library.write("new.md", "# New\n\nA page that was not there before.\n")
    library.ingest()
    assert warned(library)["other models"].next_step == NextStep(
        Action.USE_MODEL, project=str(HERE), model="hashing"
    )
    (other,) = library.projects.projects.show(HERE).other_models
    assert (other.name, other.ready, other.documents) == ("hashing", 2, 4)
    done = use(library, "hashing")
    assert (done.documents, done.embedded) == (4, 2)
    texts = {text for text, _ in answers(library)}
    assert any("Loam" in text for text in texts)
    assert not any("Clay" in text for text in texts)
    assert library.ingest().chunks_written == 0


def test_back_to_a_model_changed_citations_are_carried_over_without_embedding(
    library: World,
) -> None:
    migrate(library)
    library.ingest(references=library.cite(an_item("lakes", "10.5555/ponds")))
    done = use(library, "hashing")
    assert (done.embedded, done.cited) == (0, 2)
    assert {key for _, key in answers(library)} == {"lakes", "anonndGrid", "anonndSoils"}
    assert library.ingest().citations_updated == 0


def test_passages_that_the_index_lost_are_embedded_anew(library: World) -> None:
    migrate(library)
    (old,) = project(library).others
    with library.index.open(old.collection, dimension=old.model.dimension) as collection:
        collection.delete_documents([library.stored()[0].document_id])
    assert warned(library)["other models"].next_step == NextStep(
        Action.USE_MODEL, project=str(HERE), model="hashing"
    )
    assert use(library, "hashing").embedded == 1
    assert warned(library).keys() == {"citations"}


def test_a_missing_conversion_is_named_and_nothing_is_switched(library: World) -> None:
    lost = library.stored()[0]
    library.bundles.delete(lost.document_id)
    done = migrate(library)
    assert (done.switched, done.model, done.embedded) == (False, "hashing", 2)
    assert done.missing == (lost.sources[0].path,)
    library.ingest(force=True)
    done = migrate(library)
    assert (done.switched, done.embedded) == (True, 1)


def test_what_is_ingested_during_a_migration_comes_along(
    library: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    switch, calls = library.catalogue.switch, []

    def late(*states: Any) -> bool:
        if not calls:
            library.write("late.md", "# Late\n\nThis came in the middle of it.\n")
            (library.folder / "soils.md").unlink()
            library.ingest(prune=True)
        calls.append(switch(*states))
        return calls[-1]

    monkeypatch.setattr(library.catalogue, "switch", late)
    done = migrate(library)
    assert calls == [False, True]
    assert (done.documents, done.embedded) == (3, 4)
    assert any("in the middle of it" in text for text, _ in answers(library))
    assert warned(library).keys() == {"citations"}


def test_an_ingest_that_a_switch_overtook_writes_nothing_more(library: World) -> None:
    stale = project(library)
    migrate(library)
    document = library.stored()[0]
    with pytest.raises(ProjectChanged, match="run it again"):
        library.catalogue.put_document(document, stale.collection)
    with pytest.raises(ProjectChanged):
        library.catalogue.update_project(stale)
    assert project(library).embedding_model.name == "other"


def test_a_removed_document_is_in_no_collection(library: World) -> None:
    migrate(library)
    (library.folder / "soils.md").unlink()
    library.ingest(prune=True)
    now = project(library)
    for index in (now.index_of(now.embedding_model), *now.others):
        with library.index.open(index.collection, dimension=index.model.dimension) as collection:
            assert len(collection.counts()) == 2
    assert use(library, "hashing").embedded == 0


def test_a_deleted_project_leaves_no_collection(library: World) -> None:
    migrate(library)
    collections = project(library).collections
    assert len(collections) == 2
    library.projects.projects.delete(HERE)
    assert not any(library.index.exists(one) for one in collections)
    library.projects.opener.create(HERE)
    assert not library.catalogue.indexed(HERE, collections[0])


def test_a_model_that_the_project_has_nothing_of_is_refused_with_the_way(library: World) -> None:
    with pytest.raises(ModelNotInProject) as refused:
        use(library, "other")
    assert refused.value.next_step == NextStep(
        Action.MIGRATE_MODEL, project="local/thesis", model="other"
    )


def test_a_model_is_dropped_by_name_or_fingerprint_but_not_the_one_in_use(library: World) -> None:
    migrate(library)
    migrate(library, "third")
    with pytest.raises(InvalidRequest, match="is in use"):
        library.projects.migration.drop(HERE, "third")
    with pytest.raises(ModelNotInProject, match="it has vectors of hashing, other"):
        library.projects.migration.drop(HERE, "no such")
    with pytest.raises(InvalidRequest, match="several others"):
        migrate(library, "third", drop_old=True)
    dropped = library.projects.migration.drop(HERE, "hashing")
    assert not library.index.exists(dropped.collection)
    library.projects.migration.drop(HERE, library.embedder("other").model.fingerprint)
    assert project(library).others == ()
    assert library.query("ponds").count


def test_a_question_finds_the_project_whose_old_index_was_just_dropped(library: World) -> None:
    stale = project(library)
    migrate(library, drop_old=True)
    question = SearchQuestion(text="ponds", mode=Mode.HYBRID, filter=Filter(), depth=3)
    with library.searcher.search([stale], question) as hits:
        assert hits.ranked
        assert hits.warnings == ()


def test_each_collection_weighs_words_by_its_own_mean_length(library: World) -> None:
    def lengths() -> Lengths:
        return project(library).retrieval.lengths

    before = lengths()
    migrate(library)
    assert lengths().measured == len(library.chunk_ids())
    assert lengths().settled
    (old,) = project(library).others
    assert old.lengths == before
    changed = Lengths(average=before.average * 3, measured=before.measured)
    library.catalogue.put_other(HERE, old.model_copy(update={"lengths": changed}))
    use(library, "hashing")
    assert lengths() == changed
