"""Which hits are shown: several projects, copies, caps, variety, neighbours."""

import pytest
from support.world import GRIDS, HERE, PONDS, World, an_item

from citeloom.application.search.hits import Hits
from citeloom.domain.errors import DocumentNotFound, ProjectsDiffer
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project import ProjectId

THERE = ProjectId.parse("atlas")
PREPRINT = PONDS.replace("10.5555/ponds", "10.5555/preprint").replace("four ponds", "4 ponds")


def test_a_copy_in_another_document_is_named_not_shown(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.write("preprint.md", PREPRINT)
    items = [
        an_item("ponds", "10.5555/ponds", title="A"),
        an_item("pre", "10.5555/preprint", title="B"),
    ]
    world.ingest(references=world.cite(*items))
    [best, *rest] = world.query("cooling falls with distance").items
    assert {best.citekey, *best.copies} == {"ponds", "pre"}
    assert best.text not in [item.text for item in rest]


def test_at_most_so_many_passages_of_one_document(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest()
    everything = world.query("ponds grid sample cooling temperature")
    capped = world.query("ponds grid sample cooling temperature", per_document=1)
    assert len(everything.items) > 2
    assert len({item.document_id for item in capped.items}) == len(capped.items) == 2


def test_neighbours_come_in_the_order_of_the_document(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.ingest()
    (item, *_) = world.query("cooling falls with distance", context=2).items
    offsets = [near.offset for near in item.context]
    assert offsets == sorted(offsets)
    assert 0 not in offsets
    assert -1 in offsets
    plain = world.conversion(item.document_id).plain_text
    before = next(near for near in item.context if near.offset == -1)
    assert plain.index(before.text) < plain.index(item.text)
    assert world.query("cooling falls with distance").items[0].context == ()


def test_a_varied_answer_begins_with_the_same_best_passage(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest()
    usual = world.query("cooling falls with distance")
    varied = world.query("cooling falls with distance", diverse=True)
    assert varied.items[0].chunk_id == usual.items[0].chunk_id
    assert {i.chunk_id for i in varied.items} == {i.chunk_id for i in usual.items}


def test_several_projects_are_one_ranking_with_each_item_labelled(world: World) -> None:
    world.ingest(world.write("ponds.md", PONDS))
    world.ingest(world.write("grids.md", GRIDS), project_id=THERE)
    result = world.query("results of the grid and of ponds", also=(THERE,))
    assert {item.project for item in result.items} == {"local/thesis", "local/atlas"}
    assert result.project == "local/thesis, local/atlas"
    scores = [item.score for item in result.items]
    assert scores == sorted(scores, reverse=True)


def test_a_document_of_several_projects_is_shown_once(world: World) -> None:
    path = world.write("ponds.md", PONDS)
    world.ingest(path)
    world.ingest(path, project_id=THERE)
    alone = world.query("cooling falls with distance")
    both = world.query("cooling falls with distance", also=(THERE,))
    assert [i.chunk_id for i in both.items] == [i.chunk_id for i in alone.items]


def test_a_document_may_be_named_that_only_one_project_has(world: World) -> None:
    world.ingest(world.write("ponds.md", PONDS))
    world.ingest(world.write("grids.md", GRIDS), project_id=THERE)
    result = world.query("results", "doc=grids.md", also=(THERE,))
    assert {item.project for item in result.items} == {"local/atlas"}
    without = world.query("results", "doc!=grids.md", also=(THERE,))
    assert {item.project for item in without.items} == {"local/thesis"}
    with pytest.raises(DocumentNotFound):
        world.query("results", "doc=nobody.md", also=(THERE,))


def test_projects_of_different_models_are_not_asked_at_once(world: World) -> None:
    world.ingest(world.write("ponds.md", PONDS))
    project, _ = world.projects.opener.create(THERE)
    other = project.embedding_model.model_copy(update={"digest": "another"})
    world.catalogue.update_project(project.model_copy(update={"embedding_model": other}))
    with pytest.raises(ProjectsDiffer) as refused:
        world.query("ponds", also=(THERE,))
    assert refused.value.next_step == NextStep(Action.MIGRATE_MODEL, project=str(THERE))
    assert world.query("ponds").project == str(HERE)


def test_one_document_has_not_all_places_while_another_fits(world: World) -> None:
    aside = "# Hedges\n\nHedges cool summer evenings: the cooling falls with distance.\n"
    world.write("ponds.md", PONDS)
    world.write("hedges.md", aside)
    world.ingest()
    question = "cooling of summer evenings falls with distance"
    shown = [item.document_id for item in world.query(question, top_k=3).items]
    assert len(set(shown)) == 2
    named = world.query(question, "doc=ponds.md", top_k=3).items
    assert len({item.document_id for item in named}) == 1
    assert len(named) == 3


def test_the_last_place_goes_to_another_that_fits_but_not_that_of_a_wanted_number(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentence = "At pond number {} the cooling of summer evenings falls with distance from bank {}. "
    world.write("long.md", "# Ponds\n\n" + "".join(sentence.format(n, n) for n in range(200)))
    world.write(
        "hedges.md", "# Hedges\n\nHedges cool evenings: their cooling falls with distance.\n"
    )
    world.ingest()
    question = "cooling of summer evenings falls with distance"
    assert len({item.document_id for item in world.query(question, top_k=3).items}) == 2
    monkeypatch.setattr(Hits, "gives_wanted", lambda hits, passage: True)
    assert len({item.document_id for item in world.query(question, top_k=3).items}) == 1


def test_the_same_sentence_of_a_version_that_is_cut_elsewhere_is_shown_once(world: World) -> None:
    finding = "The cooling of a pond falls with distance and is gone at one hundred metres. "
    before = "It was said of the marsh that there is nothing in it to be seen at any hour. " * 3
    after = "Nobody had been there before, and none of the boats that were left could be used. " * 3
    world.write("one.md", f"# Ponds\n\n{before}{finding}\n")
    world.write("two.md", f"# Ponds\n\n{finding}{after}\n")
    world.ingest()
    items = world.query("Is the cooling of a pond gone at one hundred metres?").items
    assert sum(finding.strip() in item.text for item in items) == 1
