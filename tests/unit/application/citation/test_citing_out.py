"""The verbs *cite* and *export*: what of a project goes into a manuscript."""

import pytest
from support.world import GRIDS, HERE, PONDS, World, an_item

from citeloom.application.citation.cite import Citations
from citeloom.application.citation.export import Export, exported, works_of
from citeloom.application.ports.citation import CitationMarkup, ReferenceFormat
from citeloom.domain.citation.in_text import InText
from citeloom.domain.errors import DocumentNotFound, InvalidRequest, ProjectNotFound
from citeloom.domain.projects.project_id import ProjectId
from citeloom.infrastructure.citation.csl.styles import CslStyles
from citeloom.infrastructure.references.writer import FileReferenceWriter


@pytest.fixture
def library(world: World) -> World:
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    items = [
        an_item("szelkuti2022", "10.5555/ponds", 2022),
        an_item("grids", "10.5555/grids"),
        an_item("unread", "10.5555/unread", 2001),
    ]
    world.ingest(references=world.cite(*items))
    return world


@pytest.fixture
def citations(library: World) -> Citations:
    return Citations(catalogue=library.catalogue, references=library.references, styles=CslStyles())


@pytest.fixture
def export(library: World) -> Export:
    return Export(catalogue=library.catalogue, writer=FileReferenceWriter())


@pytest.mark.parametrize(
    ("form", "made"),
    [
        (InText.PANDOC, "[@grids, pp. 3–4; @szelkuti2022]"),
        (InText.LATEX, r"\autocites[3--4]{grids}{szelkuti2022}"),
        (InText.TYPST, "@grids[pp. 3–4] @szelkuti2022"),
        (InText.TEXT, "(Grids, 2020, pp. 3–4; Szelkuti2022, 2022)"),
        (
            InText.MARKDOWN,
            "[(Grids, 2020, pp. 3–4)](https://doi.org/10.5555/grids) "
            "[(Szelkuti2022, 2022)](https://doi.org/10.5555/ponds)",
        ),
    ],
)
def test_several_works_are_one_citation(citations: Citations, form: InText, made: str) -> None:
    places = [citations.place(HERE, "grids", "3-4"), citations.place(HERE, "szelkuti2022")]
    assert citations.together(places, form) == made


def test_a_work_of_the_reference_file_is_cited_without_a_file_of_it(citations: Citations) -> None:
    place = citations.place(HERE, "unread", "xii-xv")
    assert citations.together([place], InText.TEXT, "chicago") == "(Unread 2001, xii–xv)"


def test_what_is_not_there_is_told(citations: Citations, library: World) -> None:
    with pytest.raises(DocumentNotFound):
        citations.place(HERE, "nobody1900")
    with pytest.raises(ProjectNotFound):
        citations.place(ProjectId.parse("other"), "grids")
    with pytest.raises(InvalidRequest, match="no such style"):
        citations.together([citations.place(HERE, "grids")], InText.TEXT, "nope")
    library.write("loose.md", "# Loose\n\nA text of nobody.\n")
    library.ingest()
    with pytest.raises(InvalidRequest, match="no citation is known"):
        citations.place(HERE, "loose.md")


def test_hits_are_cited_where_they_are_and_listed_once(
    citations: Citations, library: World
) -> None:
    result = library.query("cooling falls with distance", top_k=5)
    places = citations.places(result)
    made = citations.each(places, InText.TEXT)
    assert len(made) == result.count
    assert made[0] is not None
    assert made[0].startswith("(Szelkuti2022, 2022, sec. “Results”, para. ")
    entries = citations.bibliography(places, "apa", CitationMarkup.MARKDOWN)
    assert [entry.citekey for entry in entries] == ["grids", "szelkuti2022"]
    assert entries[0].text.startswith("Grids, A. (2020). *The paper grids*. https://doi.org/")


def test_passages_without_printed_pages_say_so_in_every_language(
    citations: Citations, library: World
) -> None:
    library.write("paged.txt", "Ponds cool the street.\f\nThe grid is best of all.")
    library.ingest(references=library.cite(an_item("paged", "10.5555/p", title="Paged")))
    hits = library.query("grid best", "citekey=paged")
    item = hits.items[0]
    assert item.place is not None
    assert item.place.startswith("PDF p")
    places = citations.places(hits)
    for form in (InText.PANDOC, InText.LATEX, InText.TYPST, InText.TEXT):
        made = citations.each(places, form)[0]
        assert made is not None
        assert "PDF p" in made


def test_all_documents_are_exported_by_key_the_uncited_ones_last(
    export: Export, library: World
) -> None:
    library.write("loose.md", "# Loose\n\nA text of nobody.\n")
    library.ingest()
    documents = export.documents(HERE)
    assert [exported(document).citekey for document in documents] == ["grids", "szelkuti2022", None]
    assert [work.citekey for work in works_of(documents)] == ["grids", "szelkuti2022"]
    text = export.write(documents, ReferenceFormat.BIBTEX)
    assert text.count("@article{") == 2
    assert text.index("{grids,") < text.index("{szelkuti2022,")


def test_documents_that_are_named_or_found_are_exported_in_that_order(
    export: Export, library: World
) -> None:
    named = export.documents(HERE, ["szelkuti2022", "grids", "szelkuti2022"])
    assert [work.citekey for work in works_of(named)] == ["szelkuti2022", "grids"]
    found = export.found(library.query("cooling falls with distance", top_k=5))
    assert works_of(found)[0].citekey == "szelkuti2022"
    with pytest.raises(DocumentNotFound):
        export.documents(HERE, ["nobody1900"])


def test_an_exported_document_can_be_opened(export: Export) -> None:
    document = exported(export.documents(HERE, ["grids"])[0])
    assert document.knowledge_uri.startswith("ndk://file/")
    assert document.source_path.endswith("grids.md")
    assert document.csl is not None
    assert document.zotero_link is None
