"""The verb *relations*: containers, sections, citations, pictures, from either end."""

from xml.etree import ElementTree

import pytest
from support.builders import a_citation
from support.world import GRIDS, HERE, PONDS, World, an_item

from citeloom.application.documents.conversions import reference_list
from citeloom.application.places.observe import Observe
from citeloom.application.places.relations import RelationGraph, Relations
from citeloom.domain.errors import DocumentNotFound, InvalidRequest, InvalidUri
from citeloom.domain.resources.metadata import RelationKind
from citeloom.domain.resources.uris import document_uri, project_uri
from citeloom.infrastructure.cli.places.relations import graphml, svg

PROJECT = str(project_uri(HERE))
CITING = """

## References

Szelkuti, I. (2022). Ponds cool the street on summer evenings. Journal of Ponds, 3, 1-9.
https://doi.org/10.5555/ponds

Nobody, N. (1999). A paper that is not in this library at all. Journal of Nothing.
https://doi.org/10.5555/nobody
"""


@pytest.fixture
def library(world: World) -> World:
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS + CITING)
    world.ingest(
        references=world.cite(
            an_item("szelkuti2022", "10.5555/ponds", 2022, keyword="Heat"),
            an_item("quillenbrook2019", "10.5555/grids", title="Grid, random or transect"),
        )
    )
    return world


def related(world: World, uri: str, kind: str | None = None, depth: int = 1) -> RelationGraph:
    verb = Relations(documents=world.documents, bundles=world.bundles)
    return verb(uri, RelationKind(kind) if kind else None, depth)


def uri_of(world: World, name: str) -> str:
    document = world.document(name)
    return str(document_uri(HERE, document.document_id))


def test_a_citation_is_found_from_both_ends(library: World) -> None:
    ponds, grids = uri_of(library, "ponds.md"), uri_of(library, "grids.md")
    from_source, from_target = (related(library, uri, "link") for uri in (grids, ponds))
    assert [one.ends for one in from_source.relations] == [(grids, ponds)]
    assert from_source.relations == from_target.relations
    assert {node.name for node in from_target.nodes} == {"szelkuti2022", "quillenbrook2019"}


def test_who_cites_a_document_is_known_without_reading_conversions_again(
    library: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("a conversion was read")

    ponds = library.document("ponds.md")
    monkeypatch.setattr(library.bundles, "load", refused)
    verb = Relations(documents=library.documents, bundles=library.bundles)
    graph = verb.of_document(HERE, ponds.document_id, citing=True)
    assert [one.ends for one in graph.relations] == [
        (uri_of(library, "grids.md"), uri_of(library, "ponds.md"))
    ]


def test_a_list_that_an_earlier_version_did_not_store_is_read_and_stored(library: World) -> None:
    grids = library.document("grids.md")
    known = reference_list(library.bundles, grids)
    library.bundles.save_works(grids.document_id, "of another reader", ())
    assert reference_list(library.bundles, grids) == known
    assert library.bundles.load_works(grids.document_id, "of another reader") is None


def test_citations_are_told_before_all_else(library: World) -> None:
    graph = related(library, uri_of(library, "grids.md"))
    kinds = [one.kind.value for one in graph.relations]
    assert kinds[0] == "link"
    assert "link" not in kinds[kinds.index("parent") :]


def test_a_document_and_a_project_are_meant_by_their_plain_names(library: World) -> None:
    start = Relations(documents=library.documents, bundles=library.bundles).start
    assert start("quillenbrook2019") == uri_of(library, "grids.md")
    assert start(HERE.name) == start(HERE.value) == PROJECT
    assert start(PROJECT) == PROJECT
    with pytest.raises(DocumentNotFound, match="nothing-here"):
        start("nothing-here")


def test_a_document_is_held_by_its_project_and_tags_and_holds_its_sections(library: World) -> None:
    ponds = uri_of(library, "ponds.md")
    graph = related(library, ponds, "parent")
    names = {node.uri: node.name for node in graph.nodes}
    parents = {names[one.ends[0]] for one in graph.relations if one.ends[1] == ponds}
    assert parents == {"local/thesis", "tag: Heat"}
    children = [one.ends[1] for one in graph.relations if one.ends[0] == ponds]
    assert [names[child] for child in children] == ["Ponds cool the street"]
    observe = Observe(catalogue=library.catalogue, bundles=library.bundles)
    text = observe(children[0]).observation.chunk.text  # type: ignore[union-attr]
    assert text.startswith("Ponds cool the street")
    below = related(library, children[0], "parent")
    assert {one.ends for one in below.relations} > {(ponds, children[0])}


def test_depth_reaches_further(library: World) -> None:
    near = related(library, uri_of(library, "ponds.md"))
    far = related(library, uri_of(library, "ponds.md"), depth=2)
    assert {one.id for one in near.relations} < {one.id for one in far.relations}
    assert "quillenbrook2019" in {node.name for node in far.nodes}


def test_of_a_collection_the_links_are_those_among_its_documents(library: World) -> None:
    graph = related(library, PROJECT, "link")
    assert len(graph.relations) == 1
    assert len(graph.nodes) == 2
    tag = PROJECT.removesuffix("-") + "tag/Heat"
    assert related(library, tag, "link").relations == ()
    assert len(related(library, PROJECT, "parent").relations) == 3


def test_a_body_shows_its_pictures(library: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from citeloom.domain.documents.conversion import Figure

    ponds = uri_of(library, "ponds.md")
    load = library.bundles.load
    figure = Figure(page=1, bbox=(0, 0, 1, 1))
    monkeypatch.setattr(
        library.bundles,
        "load",
        lambda id: (found := load(id)) and found.model_copy(update={"figures": (figure,)}),
    )
    graph = related(library, f"{ponds}/$body", "embed")
    assert [one.ends for one in graph.relations] == [
        (f"{ponds}/$body", f"{ponds}/$media/figure-1.png")
    ]
    again = related(library, f"{ponds}/$media/figure-1.png", "embed")
    assert again.relations == graph.relations


@pytest.mark.parametrize("depth", [0, 11])
def test_other_depths_are_refused(library: World, depth: int) -> None:
    with pytest.raises(InvalidRequest):
        related(library, PROJECT, depth=depth)


def test_only_knowledge_has_relations(library: World) -> None:
    with pytest.raises(InvalidUri):
        related(library, "ponds.md")


def test_graphs_are_written_for_programs_and_for_people(library: World) -> None:
    library.ingest(
        references=library.cite(
            an_item("szelkuti2022", "10.5555/ponds", 2022, title='1 < 2 & "ponds" \x07'),
            an_item("quillenbrook2019", "10.5555/grids"),
        )
    )
    graph = related(library, PROJECT, "link")
    space = "{http://graphml.graphdrawing.org/xmlns}"
    root = ElementTree.fromstring(graphml(graph))
    edge = root.find(f".//{space}edge")
    assert edge is not None
    assert (edge.attrib["source"], edge.attrib["target"]) == graph.relations[0].ends
    assert edge.attrib["id"] == graph.relations[0].id
    nodes = {node.attrib["id"] for node in root.iter(f"{space}node")}
    assert nodes == {node.uri for node in graph.nodes}
    picture = ElementTree.fromstring(svg(graph))
    shown = "".join(picture.itertext())
    assert "szelkuti2022" in shown
    assert '1 < 2 & "ponds" (2022)' in shown
    assert len(list(picture.iter("{http://www.w3.org/2000/svg}line"))) == 1
    assert graphml(related(library, PROJECT, "link")) == graphml(graph)


def test_no_relations_are_an_empty_picture() -> None:
    empty = RelationGraph(start=PROJECT, depth=1, nodes=(), relations=())
    assert ElementTree.fromstring(svg(empty)).tag.endswith("svg")
    assert ElementTree.fromstring(graphml(empty)).tag.endswith("graphml")


def test_however_a_document_is_named_its_relations_are_the_same(library: World) -> None:
    ponds = uri_of(library, "ponds.md")
    for suffix in ("", "/$body"):
        whole = related(library, f"{ponds}{suffix}")
        assert related(library, f"ndk://doi/thesis/10.5555/ponds{suffix}") == whole
        assert related(library, f"{ponds.replace('proj-local-thesis', 'thesis')}{suffix}") == whole


def test_documents_that_are_cited_by_one_identifier_are_one_work(world: World) -> None:
    names = ("a.md", "b.md", "c.md", "d.md", "e.md")
    for name in names:
        world.write(name, f"# Paper {name}\n\nIt says {name}.\n")
    arxiv = "https://arxiv.org/abs/2303.11366"
    world.ingest()
    documents = {d.sources[0].path.rpartition("/")[2]: d for d in world.stored()}
    citations = {
        "a.md": a_citation("a", doi="10.5555/one"),
        "b.md": a_citation("b", doi="10.5555/one"),
        "c.md": a_citation("c", doi="10.5555/two", url=f"{arxiv}v1"),
        "d.md": a_citation("d", doi=None, url=f"{arxiv}v2"),
    }
    for name, citation in citations.items():
        world.catalogue.put_document(documents[name].model_copy(update={"citation": citation}))
    uris = {name: uri_of(world, name) for name in names}
    for one, other in (("a.md", "b.md"), ("c.md", "d.md")):
        found = [related(world, uris[name], "misc").relations for name in (one, other)]
        assert found[0] == found[1]
        assert [relation.ends for relation in found[0]] == [tuple(sorted([uris[one], uris[other]]))]
        assert found[0][0].relation.subkind == "same_work"  # type: ignore[union-attr]
    assert related(world, uris["e.md"], "misc").relations == ()
    assert len(related(world, uris["a.md"]).relations) > 1
