"""Works of a project as a bibliography: all, by key, or found."""

import pytest
from support.world import HERE, World

from citeloom.application.citation.export import Export, exported, works_of
from citeloom.application.ports.citation import ReferenceFormat
from citeloom.domain.errors import DocumentNotFound
from citeloom.infrastructure.references.writer import FileReferenceWriter


@pytest.fixture
def export(library: World) -> Export:
    return Export(documents=library.documents, writer=FileReferenceWriter())


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
