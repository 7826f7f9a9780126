"""The lookup of documents: exact names go before titles, ids and parts; doubts are told."""

from pathlib import Path

import pytest
from support.stores.catalogues import a_project
from support.world import GRIDS, HERE, PONDS, World, an_item

from citeloom.application.documents.finder import DocumentFinder
from citeloom.domain.errors import (
    DocumentNotFound,
    InvalidAddress,
    InvalidRequest,
    ProjectNotFound,
)
from citeloom.domain.messages import Action
from citeloom.domain.projects.project import ProjectId

OTHER = ProjectId.parse("other")


@pytest.fixture
def library(world: World) -> World:
    world.write("my papers/small_ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    ponds = an_item("szelkuti2022", "10.5555/ponds", title="Ponds: a study in cooling")
    world.ingest(references=world.cite(ponds, an_item("quillenbrook2019", "10.5555/grids")))
    return world


def ponds_id(world: World) -> str:
    return world.document("szelkuti2022").document_id


@pytest.mark.parametrize(
    "name",
    [
        "szelkuti2022", "@szelkuti2022", "SZELKUTI2022", "[@szelkuti2022, p. 3]",
        "[see @szelkuti2022, pp. 3-5, and more]", "@szelkuti2022 [p. 3]", "[-@{szelkuti2022}]",
        "Ponds: a study in cooling", "ponds a STUDY in cooling", "Ponds cool the street",
        "study in cool", "small_ponds.md", "small_ponds", "Small Ponds",
        "my papers/small_ponds.md", "./my papers/small_ponds.md", "my papers/../my papers/"
        "small_ponds.md", "10.5555/ponds", "DOI: 10.5555/PONDS", "https://doi.org/10.5555/ponds",
        "https://publisher.example/doi/full/10.5555/ponds",
    ],
)  # fmt: skip
def test_every_spelling_means_the_document(library: World, name: str) -> None:
    finder = DocumentFinder(library.catalogue, base=library.folder)
    assert finder.find(name, HERE) == finder.find(name) == library.document("szelkuti2022")


def test_ids_addresses_and_uris_mean_the_document(library: World) -> None:
    id = ponds_id(library)
    path = library.folder / "my papers/small_ponds.md"
    for name in (id, id[:16].upper(), id[:4], f"doc://{id}", f"doc://{id[:16]}#pages=1",
                 f"virtual://{id[:16]}#chunk=0", f"ndk://file/thesis/{id[:16]}/$body",
                 f"ndk://file/proj-local-thesis/{id[:16]}/3-9", "ndk://doi/thesis/10.5555/ponds",
                 str(path), path.as_uri()):  # fmt: skip
        assert library.documents.find(name).document_id == id
        assert library.documents.known(name) is None or name != id[:4]


def test_a_relative_path_begins_in_the_folder_of_who_asks(library: World) -> None:
    inside = DocumentFinder(library.catalogue, base=library.folder / "my papers")
    assert inside.find("./small_ponds.md").document_id == ponds_id(library)
    assert inside.find("../grids.md") == library.document("quillenbrook2019")
    for path in ("./grids.md", "../small_ponds.md", "/small_ponds.md"):
        with pytest.raises(DocumentNotFound):
            inside.find(path)
    with pytest.raises(DocumentNotFound):
        DocumentFinder(library.catalogue).find("./small_ponds.md")


def test_an_exact_name_goes_before_a_title_and_both_before_parts(library: World) -> None:
    library.write("cooling.md", "# szelkuti2022\n\nA commentary on cooling.\n")
    library.ingest(library.folder / "cooling.md")
    found = library.documents.find
    assert found("szelkuti2022").document_id == ponds_id(library)
    assert found("cooling").path == str(library.folder / "cooling.md")
    assert found("study in cooling").document_id == ponds_id(library)


def test_the_beginning_of_a_key_names_the_document_where_it_is_unique(library: World) -> None:
    found = library.documents.find
    for name in ("szelk", "@Szelkuti"):
        assert found(name).document_id == ponds_id(library)
    library.write("szelk.md", "# A note\n\nText.\n")
    library.ingest(library.folder / "szelk.md")
    assert found("szelk").path == str(library.folder / "szelk.md")
    with pytest.raises(DocumentNotFound):
        found("sz")


def test_parts_of_names_are_never_exact(library: World) -> None:
    for name in ("szelkuti", "small_ponds", "Ponds", ponds_id(library)[:6], "nobody"):
        assert library.documents.known(name, HERE) is None


def test_none_names_the_nearest_three(library: World) -> None:
    library.write("third.md", "# A third\n\nText.\n")
    library.write("fourth.md", "# A fourth\n\nText.\n")
    library.ingest()
    with pytest.raises(DocumentNotFound) as refused:
        library.documents.find("szelkutti2022", HERE)
    assert str(refused.value).startswith(
        "szelkutti2022: no such document in local/thesis; the nearest are szelkuti2022 (Ponds: a "
    )
    assert refused.value.details["nearest"][0] == "szelkuti2022"
    assert len(refused.value.details["nearest"]) == 3


def test_of_no_documents_none_is_the_nearest(world: World) -> None:
    world.catalogue.add_project(a_project().model_copy(update={"id": HERE}))
    with pytest.raises(DocumentNotFound, match="there are none yet") as refused:
        world.documents.find("x", HERE)
    assert refused.value.next_step is not None
    assert refused.value.next_step.action is Action.ADD_DOCUMENTS


def test_several_are_listed_with_key_title_and_path(library: World) -> None:
    library.write("more/small_ponds.md", "# Others\n\nText.\n")
    library.ingest()
    with pytest.raises(DocumentNotFound, match="means 2 documents of local/thesis") as refused:
        library.documents.find("small_ponds.md", HERE)
    message = str(refused.value)
    assert f"szelkuti2022, Ponds: a study in cooling, {library.folder}/my papers" in message
    assert len(refused.value.details["options"]) == 2


def test_a_document_of_two_projects_is_one_but_named_in_each(library: World) -> None:
    library.ingest(library.folder / "grids.md", project_id=OTHER)
    assert library.documents.find("grids.md").path == str(library.folder / "grids.md")
    both = library.documents.named("grids.md")
    assert [one.project_id for one in both] == [OTHER, HERE]
    assert [one.project_id for one in library.documents.among("grids.md", [HERE])] == [HERE]
    uri = f"ndk://file/proj-local-other/{both[0].document_id[:16]}"
    assert library.documents.find(uri).project_id == OTHER
    assert library.documents.find(uri, HERE).project_id == HERE


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("", InvalidRequest), ("[@a; @b]", InvalidRequest), ("ndk://file/thesis/-", InvalidRequest),
        ("doc://..", InvalidAddress), ("nix://abc", InvalidAddress),
        ("ndk://file/nowhere/0123456789abcdef", ProjectNotFound), ("po", DocumentNotFound),
        ("abc", DocumentNotFound), ("10.5555/none", DocumentNotFound),
    ],
)  # fmt: skip
def test_what_names_nothing_is_refused(library: World, name: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        library.documents.find(name)


def test_what_a_text_only_mentions_is_not_its_name(library: World) -> None:
    library.write("see.md", f"{GRIDS}\nSee doi:10.5555/elsewhere.\n")
    library.ingest()
    with pytest.raises(DocumentNotFound):
        library.documents.find("10.5555/elsewhere")


def test_a_spelling_keeps_its_place(library: World) -> None:
    spelling = library.documents.spelling("[@szelkuti2022, pp. iii-v]")
    assert spelling.locator is not None
    assert spelling.locator.labels == ("iii", "iv", "v")
    assert library.documents.spelling("[@szelkuti2022, sec. 2]").locator.place == "sec. 2"  # type: ignore[union-attr]
    assert library.documents.spelling(str(Path("x.pdf"))).locator is None
