"""Models with their projects: listed, shown, fetched, also those that nobody knows any more."""

from collections.abc import Sequence

import pytest
from support.world import HERE, PONDS, World

from citeloom.application.models import Models
from citeloom.application.ports.ingest import SilentProgress
from citeloom.application.ports.models import Availability, KnownModel, ModelKind
from citeloom.domain.errors import ModelUnavailable
from citeloom.domain.messages import Action, NextStep


class Shelf:
    def __init__(self, kind: ModelKind, **models: Availability) -> None:
        self._models = {
            name: KnownModel(name=name, kind=kind, availability=availability)
            for name, availability in models.items()
        }
        self.fetched: list[str] = []

    def models(self) -> Sequence[KnownModel]:
        return list(self._models.values())

    def find(self, name: str) -> KnownModel | None:
        return self._models.get(name)

    def fetch(self, name: str) -> KnownModel:
        self.fetched.append(name)
        return self._models[name]


@pytest.fixture
def shelves() -> list[Shelf]:
    return [
        Shelf(ModelKind.EMBEDDING, zeta=Availability.TO_FETCH, hashing=Availability.BUNDLED),
        Shelf(ModelKind.RERANKER, alpha=Availability.FETCHED),
    ]


@pytest.fixture
def models(world: World, shelves: list[Shelf]) -> Models:
    world.write("ponds.md", PONDS)
    world.ingest()
    world.projects.migration.migrate(HERE, world.embedder("lost"), SilentProgress())
    return Models(catalogue=world.catalogue, catalogues=shelves)


def test_models_are_listed_with_their_projects_what_is_here_first(models: Models) -> None:
    listed = [(m.model.name, m.used_by, m.kept_by) for m in models.list()]
    assert listed == [
        ("hashing", (), ("local/thesis",)),
        ("alpha", (), ()),
        ("lost", ("local/thesis",), ()),
        ("zeta", (), ()),
    ]


def test_a_model_that_is_gone_is_shown_as_missing(models: Models) -> None:
    lost = models.show("lost")
    assert lost.model.availability is Availability.MISSING
    assert not lost.model.offline
    with pytest.raises(ModelUnavailable) as refused:
        models.show("no-such")
    assert refused.value.next_step == NextStep(Action.LIST_MODELS)


def test_a_model_is_fetched_by_those_who_know_it(models: Models, shelves: list[Shelf]) -> None:
    assert models.fetch("alpha").model.kind is ModelKind.RERANKER
    assert [shelf.fetched for shelf in shelves] == [[], ["alpha"]]
    with pytest.raises(ModelUnavailable, match="no such model"):
        models.fetch("lost")
