"""The verb *observe*: every URI of a library opens, with the words that it names."""

from typing import Any

import pytest
from support.builders import Part, a_document, heading, paragraph
from support.world import GRIDS, HERE, PONDS, World, an_item

from citeloom.application.places.document_view import DocumentView
from citeloom.application.places.observe import Observe, Observed
from citeloom.domain.documents.conversion import BlockLabel, Figure
from citeloom.domain.documents.fidelity import compare_page
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import InvalidUri, NothingThere, ProjectNotFound
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.resources.observations import (
    Listed,
    ObsBody,
    ObsChunk,
    ObsCollection,
    ObsFile,
    ObsMedia,
    ObsPlain,
    SectionTitle,
    render_body,
)
from citeloom.domain.resources.uris import document_uri, parse_suffix, passage_text_uri, project_uri
from citeloom.domain.text.words import count_tokens

PROJECT = str(project_uri(HERE))


def observe(world: World, uri: str, **more: Any) -> Observed:
    return Observe(catalogue=world.catalogue, bundles=world.bundles, **more)(uri)


@pytest.fixture
def library(world: World) -> World:
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest(
        references=world.cite(
            an_item("szelkuti2022", "10.5555/ponds", keyword="Heat, Städte & Teiche"),
            an_item("quillenbrook2019", "10.5555/grids", keyword="Heat"),
        )
    )
    return world


def uri_of(world: World, name: str) -> str:
    document = world.document(name)
    return str(document_uri(HERE, document.document_id))


def test_every_hit_and_every_passage_opens_its_own_words(library: World) -> None:
    for item in library.query("the grid has the smallest error", top_k=10).items:
        seen = observe(library, item.knowledge_uri).observation
        assert isinstance(seen, ObsChunk)
        assert seen.text == item.text
        assert seen.within is not None
        part = observe(library, seen.within).observation
        assert isinstance(part, ObsChunk)
        words = " ".join(part.text.replace("#", " ").split())
        assert " ".join(item.text.split()) in words


def test_a_short_document_is_read_whole(library: World) -> None:
    uri = uri_of(library, "ponds.md")
    seen = observe(library, uri)
    assert (seen.uri, seen.resource) == (f"{uri}/$body", uri)
    body = seen.observation
    assert isinstance(body, ObsBody)
    assert body.contents == ()
    assert body.chunk is not None
    assert body.chunk.uri == f"{uri}/$chunk"
    assert "# Ponds cool the street" in body.chunk.text
    assert "## Results" in body.chunk.text
    assert observe(library, f"{uri}/$chunk").observation == body.chunk


def test_a_long_document_is_read_by_its_table_of_contents(library: World) -> None:
    uri = uri_of(library, "ponds.md")
    body = observe(library, uri, max_tokens=30).observation
    assert isinstance(body, ObsBody)
    assert body.chunk is None
    listed = [one for one in body.contents if isinstance(one, Listed)]
    assert len(listed) > 1
    for one in listed:
        part = observe(library, one.uri, max_tokens=30)
        assert isinstance(part.observation, ObsChunk)
        assert part.observation.text
        assert part.observation.description == one.description
    with pytest.raises(NothingThere, match=r"there are \$chunk/00"):
        observe(library, f"{uri}/$chunk/99", max_tokens=30)


def test_the_same_uri_names_the_same_text(library: World) -> None:
    uri = f"{uri_of(library, 'grids.md')}/$chunk"
    assert observe(library, uri) == observe(library, uri)


def test_plain_text_is_the_text_as_stored_and_a_file_is_where_it_lies(library: World) -> None:
    uri = uri_of(library, "ponds.md")
    document = library.document("ponds.md")
    plain = observe(library, f"{uri}/$plain").observation
    assert isinstance(plain, ObsPlain)
    assert plain.text == library.conversion(document.document_id).plain_text
    file = observe(library, f"{uri}/$file").observation
    assert isinstance(file, ObsFile)
    assert (file.path, file.mime_type) == (document.sources[0].path, document.mime_type)


def test_a_project_is_a_collection_of_its_documents_and_groups(library: World) -> None:
    seen = observe(library, PROJECT)
    assert seen.uri == f"{PROJECT}/$collection"
    collection = seen.observation
    assert isinstance(collection, ObsCollection)
    uris = [one.uri for one in collection.resources]
    assert {uri_of(library, "ponds.md"), uri_of(library, "grids.md")} <= set(uris)
    tags = {uri for uri in uris if "/tag/" in uri}
    assert len(tags) >= 1
    for uri in uris:
        assert observe(library, uri).uri.startswith(uri)


def test_a_tag_is_a_collection_of_its_documents(library: World) -> None:
    base = PROJECT.removesuffix("/-")
    both = observe(library, f"{base}/tag/Heat").observation
    assert isinstance(both, ObsCollection)
    assert len(both.resources) == 2
    one = observe(library, f"{base}/tag/Stadte_Teiche/$collection")
    assert one.attributes.name == "tag: Städte & Teiche"
    assert [r.uri for r in one.observation.resources] == [uri_of(library, "ponds.md")]  # type: ignore[union-attr]


def test_attributes_say_what_a_document_is_and_change_with_it(library: World) -> None:
    uri = uri_of(library, "ponds.md")
    before = observe(library, uri).attributes
    assert before.name == "The paper szelkuti2022"
    assert before.citation_url == "https://doi.org/10.5555/ponds"
    assert before.description
    library.ingest(
        references=library.cite(an_item("szelkuti2022", "10.5555/ponds", title="Renamed"))
    )
    after = observe(library, uri).attributes
    assert after.name == "Renamed"
    assert after.revision_data == before.revision_data
    assert after.revision_meta != before.revision_meta


@pytest.mark.parametrize(
    ("uri", "error"),
    [
        ("ndk://file/proj-local-nobody/-", ProjectNotFound),
        ("ndk://mail/proj-local-thesis/x", NothingThere),
        (PROJECT + "/$body", NothingThere),
        (PROJECT.replace("/-", "/0123456789abcdef"), NothingThere),
        (PROJECT.replace("/-", "/tag/Nothing"), NothingThere),
        (PROJECT.replace("/-", "/a/b/c"), InvalidUri),
        ("self://$body", InvalidUri),
        ("ponds.md", InvalidUri),
    ],
)
def test_what_names_nothing_is_refused(library: World, uri: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        observe(library, uri)


@pytest.mark.parametrize(
    "suffix",
    ["$collection", "$file/main.tex", "$media", "$media/figure-1.png", "$chunk/00", "$media/x.png",
     "0-999999/$chunk", "0-5/$chunk/00", "0-5/$file", "0-5/$media/figure-1.png"],
)  # fmt: skip
def test_what_a_document_has_not_is_refused(library: World, suffix: str) -> None:
    with pytest.raises(NothingThere):
        observe(library, f"{uri_of(library, 'ponds.md')}/{suffix}")


def test_projects_with_underscores_and_accents_are_found(library: World) -> None:
    for name in ("my_thesis", "étude", "a-b/c_d.e"):
        project = ProjectId.parse(name)
        library.ingest(project_id=project)
        (document, *_) = library.catalogue.documents(project)
        uri = passage_text_uri(project, document.document_id, CharSpan(start=0, end=5))
        seen = observe(library, uri).observation
        assert isinstance(seen, ObsChunk)
        assert len(seen.text) == 5


def test_other_realms_name_documents_as_they_are_known_there(world: World) -> None:
    world.write("ponds.md", PONDS)
    item = an_item("szelkuti2022", "10.5555/ponds", URL="https://pub.example.com/ponds")
    world.ingest(references=world.cite(item))
    uri = uri_of(world, "ponds.md")
    for name in ("doi/{}/10.5555/ponds", "www/{}/pub.example.com/ponds"):
        seen = observe(world, f"ndk://{name.format('proj-local-thesis')}/$body")
        assert seen == observe(world, uri)
    for name in ("doi/{}/10.5555/other", "zotero/{}/ABCD1234", "www/{}/example.com"):
        with pytest.raises(NothingThere):
            observe(world, f"ndk://{name.format('proj-local-thesis')}")


def test_the_contents_of_a_book_fit_the_budget_of_a_part() -> None:
    parts = [
        part
        for n in range(120)
        for part in (
            heading(f"Chapter {n}"), paragraph(f"Ponds of kind {n} cool {'the street ' * 40}.")
        )
    ]  # fmt: skip
    document = a_document(parts)
    for max_tokens in (4000, 130):
        view = DocumentView(document_uri(HERE, document.doc_id), document, max_tokens)
        body = view.observe(parse_suffix("$body"))
        assert isinstance(body, ObsBody)
        assert len(body.contents) == len(view.cut.chunks)
        assert count_tokens(render_body(body)) <= 4000
        assert isinstance(body.contents[0], Listed)
        assert bool(body.contents[0].description) == (max_tokens == 4000)


def test_parts_and_passages_of_uncertain_pages_have_a_mark() -> None:
    words = " ".join(f"word{n}" for n in range(30))
    document = a_document([paragraph("It is right.", 1), paragraph("It is wrong.", 2)])
    compared = (compare_page(1, words, [words]), compare_page(2, words, ["other words"]))
    document = document.model_copy(update={"fidelity": compared})
    whole = DocumentView(document_uri(HERE, document.doc_id), document, 1000)
    seen = whole.observe(parse_suffix("$chunk"))
    assert isinstance(seen, ObsChunk)
    assert seen.text_uncertain
    assert ' text="uncertain"' in render_body(seen)
    first, second = (block.span for block in document.blocks)
    for span, uncertain in ((first, False), (second, True)):
        view = DocumentView(document_uri(HERE, document.doc_id), document, 1000, span=span)
        for suffix in ("$chunk", "$plain"):
            part = view.observe(parse_suffix(suffix))
            assert isinstance(part, ObsChunk | ObsPlain)
            assert part.text_uncertain is uncertain
            assert ("uncertain" in render_body(part)) == uncertain


def test_works_whose_dois_the_layout_broke_are_linked_behind_their_entries() -> None:
    document = a_document(
        [
            heading("References", 1, 1),
            Part(BlockLabel.REFERENCE, "Szelkúti, I. (2022). Ponds. doi:10.5555/ ponds", None, 1),
            Part(BlockLabel.REFERENCE, "Nobody, N. (1999). Nothing. doi:10.5555/other", None, 1),
        ]
    )
    (broken,) = document.blocks[1].lines
    cut = document.plain_text.index("ponds")
    lines = (broken._replace(end=cut - 1), broken._replace(start=cut))
    block = document.blocks[1].model_copy(update={"lines": lines})
    blocks = (document.blocks[0], block, document.blocks[2])
    document = document.model_copy(update={"blocks": blocks})
    uri = "ndk://file/p/ponds"
    view = DocumentView(
        document_uri(HERE, document.doc_id),
        document,
        1000,
        known={"10.5555/ponds": uri}.get,
    )
    seen = view.observe(parse_suffix("$chunk"))
    assert isinstance(seen, ObsChunk)
    assert f"doi:10.5555/ ponds {uri}\n" in seen.text
    assert seen.text.endswith("doi:10.5555/other")


FIGURE = Figure(page=1, bbox=(0, 0, 50, 50), caption="Figure 1: A  pond.")


def a_view(*parts: Part, max_tokens: int = 1000) -> DocumentView:
    document = a_document(parts).model_copy(
        update={"figures": (FIGURE, FIGURE.model_copy(update={"caption": None}))}
    )
    return DocumentView(document_uri(HERE, document.doc_id), document, max_tokens)


def test_pictures_stand_above_their_captions_and_have_placeholders() -> None:
    view = a_view(paragraph("See.", 1), Part(BlockLabel.CAPTION, "Figure 1: A pond.", None, 1))
    body = view.observe(parse_suffix("$body"))
    assert isinstance(body, ObsBody)
    assert body.chunk is not None
    uri = body.media[0].uri
    assert uri.endswith("/$media/figure-1.png")
    assert f"![]({uri})\n\nFigure 1: A pond." in body.chunk.text
    first, second = (view.observe(parse_suffix(f"$media/figure-{n}.png")) for n in (1, 2))
    assert isinstance(first, ObsMedia)
    assert isinstance(second, ObsMedia)
    assert first.placeholder == "Figure 1: A pond."
    assert second.placeholder == "Figure 2 of the document, on page 1, without a caption"
    with pytest.raises(NothingThere, match=r"figure-1.png to figure-2.png"):
        view.observe(parse_suffix("$media/figure-3.png"))


def test_lists_tables_and_code_are_marked_and_their_words_kept() -> None:
    view = a_view(
        heading("A", 2),
        Part(BlockLabel.LIST_ITEM, "• one"),
        Part(BlockLabel.TABLE, "a | b\nc | d | e"),
        Part(BlockLabel.TABLE, "| a | b |\n| c | d |"),
        Part(BlockLabel.CODE, "x = 1"),
    )
    seen = view.observe(parse_suffix("$chunk"))
    assert isinstance(seen, ObsChunk)
    assert seen.text == (
        "## A\n\n- one\n\n| a | b |  |\n| --- | --- | --- |\n| c | d | e |\n\n"
        "| a | b |\n| --- | --- |\n| c | d |\n\n```\nx = 1\n```"
    )


def test_the_parts_of_a_section_that_was_cut_are_listed_by_its_number() -> None:
    view = a_view(
        heading("A"), paragraph("Ponds. " * 9), heading("B"), paragraph("Grids. " * 30),
        paragraph("Rows. " * 30), max_tokens=80,
    )  # fmt: skip
    section = view.observe(parse_suffix("$chunk/01"))
    assert isinstance(section, ObsChunk)
    assert (section.description, section.text) == ("B", "")
    title, *parts = section.contents
    assert title == SectionTitle(title="B", level=1)
    assert [one.uri[-12:] for one in parts] == ["$chunk/01/00", "$chunk/01/01"]  # type: ignore[union-attr]
    body = view.observe(parse_suffix("$body"))
    assert isinstance(body, ObsBody)
    assert body.contents[1:] == section.contents


def test_a_project_of_ones_own_is_named_by_its_bare_name_too(library: World) -> None:
    uri = uri_of(library, "ponds.md")
    for suffix in ("", "/$body", "/$chunk", "/0-5/$chunk"):
        short = f"{uri.replace('proj-local-thesis', 'thesis')}{suffix}"
        assert observe(library, short) == observe(library, f"{uri}{suffix}")
    assert observe(library, "ndk://doi/thesis/10.5555/ponds") == observe(library, uri)
    assert observe(library, "ndk://file/thesis/-") == observe(library, PROJECT)


def test_a_bare_name_means_no_project_of_another_namespace(library: World) -> None:
    other = ProjectId.parse("group/looms")
    library.ingest(project_id=other)
    for name in ("looms", "group-looms", "Thesis"):
        with pytest.raises(ProjectNotFound, match="no such project"):
            observe(library, f"ndk://file/{name}/-")


def test_the_uri_of_a_project_that_is_gone_names_no_other(library: World) -> None:
    library.ingest(project_id=ProjectId.parse("proj-local-looms"))
    with pytest.raises(ProjectNotFound):
        observe(library, "ndk://file/proj-local-looms/-")
    assert observe(library, str(project_uri(ProjectId.parse("proj-local-looms"))))
