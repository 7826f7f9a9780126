"""The verb *map*: nodes from headings, with every page of their sections."""

import pytest
from hypothesis import given
from support.builders import A_DAY, DOC_ID, Part, a_document, heading, paragraph
from support.documents import documents
from support.world import GRIDS, HERE, PONDS, World

from citeloom.domain.documents.conversion import BlockLabel, ConversionResult, Figure
from citeloom.domain.errors import DocumentNotFound, InvalidRequest, NodeNotFound, StorageFailed
from citeloom.domain.maps.document_map import map_document
from citeloom.domain.maps.resource_map import ResourceMap
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project import ProjectId


def mapped(
    *parts: Part, title: str | None = None, labels: dict[int, str] | None = None
) -> ResourceMap:
    return map_it(a_document(parts, title=title, labels=labels))


def map_it(document: ConversionResult) -> ResourceMap:
    return map_document(document, source_path="/papers/p.pdf", source_size=7, created_at=A_DAY)


@given(documents())
def test_every_document_has_a_map_that_survives_json(document: ConversionResult) -> None:
    made = map_it(document)
    ids = made.list_node_ids()
    assert len(ids) == len(set(ids))
    assert ResourceMap.model_validate_json(made.model_dump_json()) == made
    assert made.resource_id == document.doc_id[:16]
    count = len(list(document.structure.headings()))
    assert len(ids) == (count or document.page_count or bool(document.plain_text.strip()))


def test_a_section_has_every_page_that_it_touches() -> None:
    made = mapped(
        heading("1 A", 1, 3), paragraph("One.", 3), paragraph("Two.", 6), heading("2 B", 1, 6)
    )
    assert [node.location.pages for node in made.nodes] == [(3, 4, 5, 6), (6,)]


def test_node_ids_name_the_way_through_the_headings() -> None:
    made = mapped(
        heading("2 Methods", 1, 1),
        heading("2.1 The three protocols", 2, 1),
        heading("Methods", 1, 2),
        heading("Methods 2", 1, 2),
        heading("結果", 1, 2),
        heading("***", 1, 2),
    )
    assert made.list_node_ids() == [
        "methods",
        "methods.the-three-protocols",
        "methods-2",
        "methods-2-2",
        "結果",
        "section",
    ]
    assert [node.type for node in made.walk()][:2] == ["section", "subsection"]


def test_a_node_is_summed_up_by_the_first_sentence_of_its_own_text() -> None:
    made = mapped(
        heading("1 A", 1, 1),
        heading("1.1 B", 2, 1),
        paragraph("Ponds cool. They do.", 1),
        heading("2 C", 1, 1),
        paragraph("word " * 60, 1),
    )
    summaries = {node.title: node.summary for node in made.walk()}
    assert summaries["1 A"] is None
    assert summaries["1.1 B"] == "Ponds cool."
    assert len(summaries["2 C"] or "") <= 160


def test_a_document_without_headings_has_a_node_a_page() -> None:
    made = mapped(paragraph("One.", 1), paragraph("Two.", 2), labels={1: "iv"})
    assert [(n.id, n.title, n.location.pages) for n in made.nodes] == [
        ("page-1", "Page iv", (1,)),
        ("page-2", "PDF page 2", (2,)),
    ]


def test_a_document_without_pages_has_virtual_places() -> None:
    made = mapped(heading("1 A"), paragraph("One."))
    assert made.type == "virtual"
    assert made.nodes[0].location.virtual_address == f"virtual://{DOC_ID[:16]}#a"


def test_a_document_without_headings_and_pages_has_one_node() -> None:
    (node,) = mapped(paragraph("Ponds cool. They do."), paragraph("Two.")).nodes
    assert (node.id, node.title, node.summary) == ("text", "Ponds cool. They do.", "Ponds cool.")
    assert node.location.virtual_address == f"virtual://{DOC_ID[:16]}#text"
    assert mapped().nodes == ()


def test_a_map_names_its_source_by_content() -> None:
    made = mapped(paragraph("One.", 1))
    assert made.metadata == {"source_hash": DOC_ID, "source_size": 7}
    assert (made.title, made.source_path, made.created_at) == ("p.pdf", "/papers/p.pdf", A_DAY)
    assert mapped(paragraph("One.", 1), title="On ponds").title == "On ponds"


@pytest.fixture
def library(world: World) -> World:
    world.write("ponds.md", PONDS)
    world.ingest()
    return world


def test_a_map_is_found_by_whatever_names_the_document(library: World) -> None:
    (document,) = library.stored()
    for name in (
        document.document_id,
        document.document_id[:8],
        document.sources[0].path,
        "ponds.md",
        "10.5555/ponds",
    ):
        assert library.structure.map(HERE, name).resource_id == document.document_id[:16]
    with pytest.raises(DocumentNotFound):
        library.structure.map(HERE, "nobody1999")


def test_an_unknown_node_is_refused_with_the_nodes_there_are(library: World) -> None:
    (document,) = library.stored()
    assert library.structure.node(HERE, "ponds.md", "ponds-cool-the-street.results").title == (
        "Results"
    )
    with pytest.raises(NodeNotFound) as caught:
        library.structure.node(HERE, "ponds.md", "nope")
    assert str(caught.value).startswith(
        f"Node 'nope' not found in resource '{document.document_id[:16]}'. Available nodes: "
    )


def test_a_map_that_is_lost_is_made_again_or_its_loss_is_told(
    library: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = library.structure.map(HERE, "ponds.md")
    monkeypatch.setattr(library.bundles, "load_map", lambda _: None)
    again = library.structure.map(HERE, "ponds.md")
    assert again.nodes == before.nodes
    monkeypatch.setattr(library.bundles, "load", lambda *_: None)
    with pytest.raises(StorageFailed) as refused:
        library.structure.map(HERE, "ponds.md")
    assert refused.value.next_step == NextStep(Action.INGEST_AGAIN, project=str(HERE))


def test_resources_are_listed_for_one_project_or_all(library: World) -> None:
    library.ingest(project_id=ProjectId.parse("other"))
    (document,) = library.stored()
    assert library.structure.resources() == [document.document_id[:16]]
    assert library.structure.resources(HERE) == [document.document_id[:16]]


def test_a_name_that_means_two_documents_lists_them(library: World) -> None:
    library.write("deep/ponds.md", PONDS + "\nMore.")
    library.ingest()
    with pytest.raises(DocumentNotFound, match="means 2 documents"):
        library.structure.map(HERE, "ponds.md")


def test_without_a_project_the_document_is_looked_for_in_all(library: World) -> None:
    (document,) = library.stored()
    for name in (document.document_id, "ponds.md", "10.5555/ponds"):
        assert library.structure.map(None, name).resource_id == document.document_id[:16]
    assert library.structure.resources() == [document.document_id[:16]]


def test_a_name_of_different_documents_is_refused_without_a_project(library: World) -> None:
    other = ProjectId.parse("other")
    library.write("ponds.md", GRIDS)
    library.ingest(project_id=other)
    with pytest.raises(DocumentNotFound, match="means 2 documents of all projects: "):
        library.structure.map(None, "ponds.md")
    assert library.structure.map(other, "ponds.md").title == "Grid, random or transect"


def a_map(resource_id: str) -> ResourceMap:
    return ResourceMap(resource_id=resource_id, type="text", title="t", source_path="/t.txt")


def test_what_is_in_no_project_is_found_by_its_id_or_the_beginning_of_it(library: World) -> None:
    ids = ["abcdef0123456789", "abcdef9999999999", "graph"]
    for one in ids:
        library.bundles.save_map(one, a_map(one))
    for name, found in [(ids[0], ids[0]), ("ABCDEF01", ids[0]), ("graph", "graph")]:
        assert library.structure.map(None, name).resource_id == found
    assert set(ids) < set(library.structure.resources())
    assert not set(ids) & set(library.structure.resources(HERE))
    with pytest.raises(DocumentNotFound, match="means 2 resources"):
        library.structure.map(None, "abcdef")
    for unknown in ("../abcdef0123456789", "nothing", "a b"):
        with pytest.raises(DocumentNotFound, match="no such document"):
            library.structure.map(None, unknown)
    with pytest.raises(InvalidRequest, match="is empty"):
        library.structure.map(None, " ")
    with pytest.raises(DocumentNotFound):
        library.structure.map(HERE, "graph")


def with_figures(document: ConversionResult, *figures: Figure) -> ConversionResult:
    return document.model_copy(update={"figures": figures})


def a_figure(page: int, caption: str | None, top: float = 0.0) -> Figure:
    return Figure(page=page, bbox=(0, top, 9, top + 9), caption=caption)


def test_a_captioned_figure_stands_under_the_section_of_its_caption() -> None:
    document = a_document(
        [
            heading("1 A", 1, 1),
            heading("1.1 B", 2, 1),
            Part(BlockLabel.CAPTION, "Figure 3: Ponds cool. They do.", page=1),
            heading("2 C", 1, 1),
            paragraph("One.", 2),
        ]
    )
    made = map_it(
        with_figures(
            document,
            a_figure(1, "Figure 3: Ponds cool. They do."),
            a_figure(1, None),
            a_figure(2, "Fig. 4b | Looms.", top=700),
            a_figure(2, "A picture without a number", top=700),
        )
    )
    shown = [
        (n.id, n.title, n.summary, n.location.pages) for n in made.walk() if n.type == "figure"
    ]
    assert shown == [
        ("a.b.figure-3", "Figure 3", "Ponds cool.", (1,)),
        ("c.fig-4b", "Fig. 4b", "Looms.", (2,)),
        ("c.picture-without-a-number", *(("A picture without a number",) * 2), (2,)),
    ]
    assert len(set(made.list_node_ids())) == len(made.list_node_ids())


def test_figures_before_the_first_section_and_of_pages() -> None:
    text = [paragraph("One.", 1), heading("Figure 1", 1, 2)]
    figures = (a_figure(1, "Figure 1."), a_figure(3, "Figure 1."))
    made = map_it(with_figures(a_document(text), *figures))
    assert made.list_node_ids() == ["figure-1", "figure-1-2", "figure-1-3"]
    paged = map_it(with_figures(a_document(text[:1]), figures[0]))
    assert paged.list_node_ids() == ["page-1", "page-1.figure-1"]


def test_the_outline_of_all_documents_for_a_prompt_keeps_to_its_budget(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest()
    whole = world.structure.agent_context(HERE)
    assert "Ponds cool the street" in whole
    assert "Grid, random or transect" in whole
    assert world.structure.agent_context(HERE, budget=130) != whole
    with pytest.raises(InvalidRequest, match="too small"):
        world.structure.agent_context(HERE, budget=5)
