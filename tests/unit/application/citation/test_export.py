"""Works of a project as a bibliography: all, by key, or found."""

import pytest
from support.world import HERE, World

from citeloom.application.citation.cite import NamedWorks
from citeloom.application.citation.export import Export
from citeloom.application.ports.citation import ReferenceFormat
from citeloom.domain.errors import DocumentNotFound
from citeloom.infrastructure.references.writer import write_references


@pytest.fixture
def export(library: World) -> Export:
    works = NamedWorks(documents=library.documents, references=library.references)
    return Export(works=works, writer=write_references)


def test_all_documents_are_exported_by_key_provisional_ones_too(
    export: Export, library: World
) -> None:
    library.write("loose.md", "# Loose\n\nA text of nobody.\n")
    library.ingest()
    chosen = export.named(HERE)
    assert [one.citekey for one in chosen.exported()] == ["anonndLoose", "grids", "szelkuti2022"]
    assert chosen.uncited == 0
    text = export.write(chosen, ReferenceFormat.BIBTEX)
    assert "note = {provisional: made from the document itself}" in text
    assert text.count("@article{") == 2
    assert text.index("{grids,") < text.index("{szelkuti2022,")


def test_documents_that_are_named_or_found_are_exported_in_that_order(
    export: Export, library: World
) -> None:
    named = export.named(HERE, ["szelkuti2022", "grids", "szelkuti2022"])
    assert [work.citekey for work in named.works] == ["szelkuti2022", "grids"]
    found = export.found(library.query("cooling falls with distance", top_k=5))
    assert found.works[0].citekey == "szelkuti2022"
    with pytest.raises(DocumentNotFound):
        export.named(HERE, ["nobody1900"])


def test_a_work_without_a_file_is_exported_as_it_is_cited(export: Export) -> None:
    chosen = export.named(HERE, ["unread", "grids"])
    assert [work.citekey for work in chosen.works] == ["grids", "unread"]
    assert "{unread," in export.write(chosen, ReferenceFormat.BIBTEX)
    document, listed = chosen.exported()
    assert document.document_id is not None
    assert (listed.citekey, listed.document_id, listed.year) == ("unread", None, 2001)


def test_an_exported_document_can_be_opened(export: Export) -> None:
    (document,) = export.named(HERE, ["grids"]).exported()
    assert document.knowledge_uri is not None
    assert document.knowledge_uri.startswith("ndk://file/")
    assert document.source_path.endswith("grids.md")
    assert document.csl is not None
    assert document.zotero_link is None
