"""The verb *label*: what people say goes before what the text says."""

import pytest
from unit.application.world import HERE, PONDS, World, an_item

from citeloom.application.labelling import Labelling
from citeloom.application.reading.observe import Observe
from citeloom.domain.errors import InvalidRequest, NothingThere
from citeloom.domain.knowledge.library import document_uri, project_uri
from citeloom.infrastructure.storage.memory import MemoryLabels


@pytest.fixture
def library(world: World) -> World:
    world.write("ponds.md", PONDS)
    world.ingest(references=world.cite(an_item("szelkuti2022", "10.5555/ponds", keyword="Heat")))
    return world


@pytest.fixture
def labelling(library: World) -> Labelling:
    observe = Observe(catalogue=library.catalogue, bundles=library.bundles)
    return Labelling(catalogue=library.catalogue, labels=MemoryLabels(), observe=observe)


@pytest.fixture
def uri(library: World) -> str:
    (document,) = library.stored()
    return str(document_uri(HERE, document.document_id))


def told(labelling: Labelling, uri: str) -> dict[tuple[str, str], object]:
    return {(one.target.removeprefix(uri), one.name): one.value for one in labelling(uri)}


def test_the_text_and_the_reference_library_give_labels(labelling: Labelling, uri: str) -> None:
    given = told(labelling, uri)
    assert given["/$body", "description"]
    assert given["/$body", "tags"] == ("Heat",)
    assert given["/$chunk", "description"]


def test_a_label_that_was_given_goes_before_and_can_be_taken_away(
    labelling: Labelling, uri: str
) -> None:
    before = told(labelling, uri)
    labelling.put(uri, "Description", "Ponds, of all things.")
    label = labelling.put(f"{uri}/$chunk", "My Mood", ["good", "better"])
    assert (label.name, label.target) == ("my_mood", f"{uri}/$chunk")
    after = told(labelling, uri)
    assert after["/$body", "description"] == "Ponds, of all things."
    assert after["/$chunk", "my_mood"] == ("good", "better")
    assert [one.name for one in labelling(f"{uri}/$chunk")] == ["description", "my_mood"]
    labelling.remove(uri, "description")
    labelling.remove(f"{uri}/$chunk", "my mood")
    assert told(labelling, uri) == before
    with pytest.raises(NothingThere):
        labelling.remove(uri, "description")


def test_collections_have_labels_too(labelling: Labelling, uri: str) -> None:
    project = str(project_uri(HERE))
    labelling.put(project, "status", "read")
    assert told(labelling, project)["/$collection", "status"] == "read"
    assert ("/$body", "status") not in told(labelling, uri)


def test_only_what_is_there_is_labelled(labelling: Labelling, uri: str) -> None:
    with pytest.raises(NothingThere):
        labelling.put(f"{uri}/$chunk/07", "mood", "good")
    with pytest.raises(InvalidRequest, match="no letter"):
        labelling.put(uri, "!", "good")
    with pytest.raises(InvalidRequest):
        labelling.put(uri, "mood", "x" * 10_001)


def test_however_it_is_named_a_thing_has_the_same_labels(labelling: Labelling, uri: str) -> None:
    short = uri.replace("proj-local-thesis", "thesis")
    elsewhere = "ndk://doi/thesis/10.5555/ponds"
    labelling.put(f"{short}/$body", "mood", "good")
    labelling.put(f"{elsewhere}/$chunk", "mood", "better")
    assert told(labelling, uri)["/$body", "mood"] == "good"
    assert labelling(short) == labelling(elsewhere) == labelling(uri)
    labelling.remove(f"{elsewhere}/$body", "mood")
    labelling.remove(f"{short}/$chunk", "mood")
    assert not any(name == "mood" for _, name in told(labelling, uri))
