"""The verb *label*: what people say goes before what the text says."""

import pytest
from support.in_memory.stores import InMemoryLabelStore
from support.world import HERE, PONDS, World, an_item

from citeloom.application.places.observe import Observe, ResourceLabels
from citeloom.domain.documents.conversion import Figure
from citeloom.domain.errors import InvalidRequest, NothingThere
from citeloom.domain.resources.observations import (
    Listed,
    ObsBody,
    ObsCollection,
    render_body,
    render_info,
)
from citeloom.domain.resources.uris import document_uri, project_uri
from citeloom.domain.text.words import count_tokens


@pytest.fixture
def library(world: World) -> World:
    world.write("ponds.md", PONDS)
    world.ingest(references=world.cite(an_item("szelkuti2022", "10.5555/ponds", keyword="Heat")))
    return world


@pytest.fixture
def labels() -> InMemoryLabelStore:
    return InMemoryLabelStore()


@pytest.fixture
def observe(library: World, labels: InMemoryLabelStore) -> Observe:
    return Observe(catalogue=library.catalogue, bundles=library.bundles, labels=labels)


@pytest.fixture
def labelling(library: World, labels: InMemoryLabelStore, observe: Observe) -> ResourceLabels:
    return ResourceLabels(catalogue=library.catalogue, labels=labels, observe=observe)


@pytest.fixture
def uri(library: World) -> str:
    (document,) = library.stored()
    return str(document_uri(HERE, document.document_id))


def told(labelling: ResourceLabels, uri: str) -> dict[tuple[str, str], object]:
    return {(one.target.removeprefix(uri), one.name): one.value for one in labelling(uri)}


def test_the_text_and_the_reference_library_give_labels(
    labelling: ResourceLabels, uri: str
) -> None:
    given = told(labelling, uri)
    assert given["/$body", "description"]
    assert given["/$body", "tags"] == ("Heat",)
    assert given["/$chunk", "description"]


def test_a_label_that_was_given_goes_before_and_can_be_taken_away(
    labelling: ResourceLabels, uri: str
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


def test_collections_have_labels_too(labelling: ResourceLabels, uri: str) -> None:
    project = str(project_uri(HERE))
    labelling.put(project, "status", "read")
    assert told(labelling, project)["/$collection", "status"] == "read"
    assert ("/$body", "status") not in told(labelling, uri)


def test_only_what_is_there_is_labelled(labelling: ResourceLabels, uri: str) -> None:
    with pytest.raises(NothingThere):
        labelling.put(f"{uri}/$chunk/07", "mood", "good")
    with pytest.raises(InvalidRequest, match="no letter"):
        labelling.put(uri, "!", "good")
    with pytest.raises(InvalidRequest):
        labelling.put(uri, "mood", "x" * 10_001)


def test_however_it_is_named_a_thing_has_the_same_labels(
    labelling: ResourceLabels, uri: str
) -> None:
    short = uri.replace("proj-local-thesis", "thesis")
    elsewhere = "ndk://doi/thesis/10.5555/ponds"
    labelling.put(f"{short}/$body", "mood", "good")
    labelling.put(f"{elsewhere}/$chunk", "mood", "better")
    assert told(labelling, uri)["/$body", "mood"] == "good"
    assert labelling(short) == labelling(elsewhere) == labelling(uri)
    labelling.remove(f"{elsewhere}/$body", "mood")
    labelling.remove(f"{short}/$chunk", "mood")
    assert not any(name == "mood" for _, name in told(labelling, uri))


def test_descriptions_that_were_given_are_seen(
    labelling: ResourceLabels, observe: Observe, uri: str
) -> None:
    before = observe(uri)
    labelling.put(uri, "description", "Ponds, of all things.")
    labelling.put(f"{uri}/$chunk", "description", ["All", "of it"])
    seen = observe(uri)
    body = seen.observation
    assert isinstance(body, ObsBody)
    assert body.chunk is not None
    assert (body.description, body.chunk.description) == ("Ponds, of all things.", "All; of it")
    assert seen.attributes.description == "Ponds, of all things."
    assert 'description="Ponds, of all things."' in render_info(body)
    assert observe(f"{uri}/$chunk").attributes.description == "Ponds, of all things."
    labelling.put(f"{uri}/$plain", "description", "not shown there")
    assert observe(f"{uri}/$plain").observation.kind == "plain"
    labelling.remove(uri, "description")
    labelling.remove(f"{uri}/$chunk", "description")
    assert observe(uri) == before


def test_a_table_of_contents_says_what_people_say_within_its_budget(
    library: World, labels: InMemoryLabelStore
) -> None:
    words = "\n\n".join(f"# Part {n}\n\n{'Ponds cool the street. ' * 30}" for n in range(6))
    library.ingest(library.write("long.md", words))
    long = str(document_uri(HERE, library.document("long.md").document_id))
    observe = Observe(
        catalogue=library.catalogue, bundles=library.bundles, labels=labels, max_tokens=300
    )
    labelling = ResourceLabels(catalogue=library.catalogue, labels=labels, observe=observe)
    first = observe(long).observation
    assert isinstance(first, ObsBody)
    (part, *others) = [one for one in first.contents if isinstance(one, Listed)]
    labelling.put(part.uri, "description", "What I make of it.")
    seen = observe(long).observation
    assert isinstance(seen, ObsBody)
    assert "What I make of it." in render_body(seen)
    assert [one for one in seen.contents if isinstance(one, Listed)][1:] == others
    for one in others:
        labelling.put(one.uri, "description", "Much. " * 1600)
    longer = observe(long).observation
    assert isinstance(longer, ObsBody)
    assert [one.uri for one in longer.contents if isinstance(one, Listed)] == [
        part.uri, *(one.uri for one in others),
    ]  # fmt: skip
    assert count_tokens(render_body(longer)) < 4000


def test_a_picture_is_stood_in_for_by_what_people_say(
    library: World, labelling: ResourceLabels, observe: Observe, uri: str
) -> None:
    (document,) = library.stored()
    figure = Figure(page=1, bbox=(0, 0, 1, 1), caption="Figure 1: A pond.")
    made = library.conversion(document.document_id).model_copy(update={"figures": (figure,)})
    library.bundles.save(made, "converter")
    picture = f"{uri}/$media/figure-1.png"
    labelling.put(picture, "placeholder", "A round pond, seen from above.")
    assert render_body(observe(picture).observation).endswith("seen from above.</blob>")
    body = observe(uri).observation
    assert isinstance(body, ObsBody)
    assert body.media[0].description == "A round pond, seen from above."
    labelling.put(picture, "description", "Round.")
    assert "seen from above" in render_body(observe(picture).observation)
    assert 'description="Round."' in render_body(observe(uri).observation)


def test_collections_are_described_by_people_too(
    labelling: ResourceLabels, observe: Observe, uri: str
) -> None:
    project = str(project_uri(HERE))
    labelling.put(project, "description", "For the thesis.")
    labelling.put(uri, "description", "Ponds.")
    seen = observe(project)
    assert seen.attributes.description == "For the thesis."
    collection = seen.observation
    assert isinstance(collection, ObsCollection)
    assert collection.description == "For the thesis."
    assert [one.description for one in collection.resources if one.uri == uri] == [
        "szelkuti2022: The paper szelkuti2022"
    ]
