"""Aliases: other names open the same resource, and links in texts become its URI."""

import pytest
from support.cases import each
from support.world import GRIDS, HERE, PONDS, World, an_item

from citeloom.application.places.observe import Observe, aliases_of
from citeloom.domain.errors import CiteLoomError, DocumentNotFound, ProjectNotFound
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.resources.observations import ObsBody
from citeloom.domain.resources.reading import replace_links
from citeloom.domain.resources.uris import document_uri

LINKS = (
    "\n## See also\n\nIt says so (https://doi.org/10.5555/PONDS). Not https://doi.org/10.5555/other"
    " nor https://example.com/a_(b).\n"
)


@pytest.fixture
def library(world: World) -> World:
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS + LINKS)
    item = an_item("szelkuti2022", "10.5555/ponds", URL="https://pub.example.com/ponds?id=7")
    item["id"] = "szelkuti2022"
    world.ingest(references=world.cite(item, an_item("quillenbrook2019", "10.5555/grids")))
    return world


def uri_of(world: World, name: str) -> str:
    document = world.document(name)
    return str(document_uri(HERE, document.document_id))


def test_other_names_of_a_document_open_it(library: World) -> None:
    documents = library.documents
    document = library.document("ponds.md")
    path = document.sources[0].path
    uri = uri_of(library, "ponds.md")
    names = [
        "https://doi.org/10.5555/ponds", "http://dx.doi.org/10.5555/PONDS", "doi:10.5555/ponds",
        "https://pub.example.com/ponds?id=7", path, f"file://{path}", "szelkuti2022",
        f"doc://{document.document_id[:16]}", f"doc://{document.document_id[:16]}#pages=1", uri,
        "[@szelkuti2022, p. 3]", "Ponds cool",
    ]  # fmt: skip
    for name in names:
        assert documents.uri_of(name) == documents.uri_of(name, HERE) == uri
    for name in aliases_of(document):
        assert documents.uri_of(name) == uri
    assert len(aliases_of(document)) == 3


def test_an_isbn_is_not_written_as_a_doi(library: World) -> None:
    document = library.document("ponds.md")
    book = document.model_copy(update={"citation": None, "identifiers": ("isbn:9780306406157",)})
    assert not any("9780306406157" in name for name in aliases_of(book))


@pytest.mark.parametrize(
    "name", ["https://doi.org/10.5555/other", "nobody", "", "self://$body", "doc://.."]
)
def test_what_names_nothing_is_refused(library: World, name: str) -> None:
    with pytest.raises(CiteLoomError):
        library.documents.uri_of(name)


def test_a_doi_that_a_document_only_mentions_is_not_its_alias(library: World) -> None:
    document = library.document("grids.md")
    assert "10.5555/ponds" in document.identifiers
    assert library.documents.uri_of("doi:10.5555/ponds") == uri_of(library, "ponds.md")


def test_what_several_projects_have_is_to_be_told_apart(library: World) -> None:
    other = ProjectId.parse("other")
    library.ingest(project_id=other)
    documents = library.documents
    with pytest.raises(DocumentNotFound, match="is in several projects: local/other, local/thesis"):
        documents.uri_of("ponds.md")
    assert "proj-local-other" in documents.uri_of("ponds.md", other)
    with pytest.raises(ProjectNotFound):
        documents.uri_of("ponds.md", ProjectId.parse("nobody"))


def test_links_to_what_is_known_become_its_uri(library: World) -> None:
    observe = Observe(catalogue=library.catalogue, bundles=library.bundles)
    body = observe(uri_of(library, "grids.md")).observation
    assert isinstance(body, ObsBody)
    assert body.chunk is not None
    assert f"It says so ({uri_of(library, 'ponds.md')}). Not" in body.chunk.text
    assert "https://doi.org/10.5555/other nor https://example.com/a_(b)." in body.chunk.text


@each(
    ("text", "links"),
    [
        ("See https://a.org/x.", ["https://a.org/x"]),
        ("(https://a.org/x_(y)), doi:10.1/z;", ["https://a.org/x_(y)", "doi:10.1/z"]),
        ("<https://a.org>", ["https://a.org"]),
        ("zotero://select/items/ABCD1234 twice zotero://select/items/ABCD1234",
         ["zotero://select/items/ABCD1234"]),
        ("no doi: here", []),
    ],
)  # fmt: skip
def test_a_link_ends_where_its_phrase_does(text: str, links: list[str]) -> None:
    asked: list[str] = []

    def known(link: str) -> str:
        asked.append(link)
        return "ndk"

    replaced = replace_links(text, known)
    assert asked == links
    for link in links:
        text = text.replace(link, "ndk")
    assert replaced == text
