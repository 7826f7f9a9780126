"""A person's own metadata outlast ingest, reference files and look-ups."""

import pytest
from support.world import HERE, World, an_item

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.domain.citation.metadata import CitationSource
from citeloom.domain.citation.own import OwnChange, OwnMetadata

PONDS = "# Ponds\n\ndoi:10.5555/ponds\n\nA pond cools the air.\n"
FOUND = {
    "type": "article-journal", "title": "Ponds", "container-title": "Weir Letters",
    "author": [{"family": "Weir", "given": "Ann"}], "issued": {"date-parts": [[2020]]},
}  # fmt: skip
EDITED = OwnMetadata(edits={"title": "Of Ponds", "volume": "3"}, citekey="mine2020", tags=("cool",))


@pytest.fixture
def loose(world: World) -> World:
    """A project with one document and no reference file."""
    world.write("ponds.md", PONDS)
    world.ingest()
    return world


def own(world: World, after: OwnMetadata) -> None:
    """What an edit does: the document is unsettled, so that the next run cites it anew."""
    (stored,) = world.stored()
    unsettled = stored.model_copy(update={"references_digest": "unsettled"})
    world.catalogue.put_document(unsettled)
    world.own_records.put(HERE, OwnChange(document_id=stored.document_id, what="x", after=after))
    world.ingest()


def only(world: World) -> StoredDocument:
    (stored,) = world.stored()
    return stored


def test_edits_replace_fields_and_the_former_key_is_known(loose: World) -> None:
    own(loose, EDITED)
    citation = only(loose).citation
    assert citation is not None
    assert (citation.citekey, citation.title, citation.tags) == ("mine2020", "Of Ponds", ("cool",))
    assert (citation.csl["volume"], citation.source) == ("3", CitationSource.EDITED)
    assert "note" not in citation.csl
    assert citation.uncertain == ("authors", "year")
    assert loose.document("anonndPonds").citation == citation
    assert loose.query("pond", "tag=cool").items[0].citekey == "mine2020"
    assert loose.ingest().citations_updated == 0


def test_edits_outlast_new_references_and_their_removal(loose: World) -> None:
    own(loose, EDITED)
    loose.ingest(references=loose.cite(an_item("weir", "10.5555/ponds", 1999)))
    citation = only(loose).citation
    assert citation is not None
    assert (citation.citekey, citation.title, citation.year) == ("mine2020", "Of Ponds", 1999)
    assert only(loose).item is not None
    loose.ingest(references=loose.cite(an_item("other", "10.5555/other")))
    citation = only(loose).citation
    assert citation is not None
    assert (citation.citekey, citation.year) == ("mine2020", None)
    assert {"weir", "anonndPonds"} <= set(citation.former_keys)


def test_edits_follow_a_new_version_of_the_file(loose: World) -> None:
    own(loose, EDITED)
    loose.write("ponds.md", PONDS + "\nOne more line.\n")
    loose.ingest()
    citation = only(loose).citation
    assert citation is not None
    assert (citation.citekey, citation.title) == ("mine2020", "Of Ponds")


def test_what_is_undone_leaves_the_citation_as_it_was(loose: World) -> None:
    before = only(loose).citation
    own(loose, EDITED)
    loose.own_records.undo(HERE)
    unsettled = only(loose).model_copy(update={"references_digest": "unsettled"})
    loose.catalogue.put_document(unsettled)
    loose.ingest()
    assert only(loose).citation == before
    assert only(loose).item is None


def test_a_look_up_replaces_a_provisional_citation_and_gives_way_to_an_item(loose: World) -> None:
    own(loose, OwnMetadata(found=FOUND))
    citation = only(loose).citation
    assert citation is not None
    assert (citation.source, citation.year) == (CitationSource.LOOKUP, 2020)
    assert citation.container_title == "Weir Letters"
    assert citation.uncertain == ()
    loose.ingest(references=loose.cite(an_item("weir", "10.5555/ponds", 1999)))
    citation = only(loose).citation
    assert citation is not None
    assert (citation.citekey, citation.year) == ("weir", 1999)
    assert citation.source is CitationSource.REFERENCES
