"""Documents are looked up, and what agrees becomes their citation."""

from typing import Any

import pytest
from support.world import HERE, World, an_item

from citeloom.domain.citation.metadata import CitationMeta, CitationSource
from citeloom.domain.errors import DocumentNotFound, InvalidRequest
from citeloom.domain.progress import Cancelled, cancellable
from citeloom.domain.references.lookup import (
    IdentifyOutcome,
    IdentifyRequest,
    IdentifyResult,
)

TITLE = "Ponds cool the evening street"
TEXT = f"# {TITLE}\n\nOriana Weir, 2020\n\ndoi:10.5555/ponds\n\nA pond cools the air.\n"
FOUND = an_item(
    "x", "10.5555/ponds", title=TITLE, author=[{"family": "Weir", "given": "Oriana"}],
    **{"container-title": "Weir Letters"},
)  # fmt: skip


@pytest.fixture
def loose(world: World) -> World:
    """A project with one document and no reference file."""
    world.write("ponds.md", TEXT)
    world.ingest()
    world.lookup.items["10.5555/ponds"] = FOUND
    return world


def identify(world: World, *names: str, **values: Any) -> IdentifyResult:
    request = IdentifyRequest(project_id=HERE, names=names, **({"all": not names} | values))
    return world.application.projects.identify(request)


def cited(world: World, name: str = "10.5555/ponds") -> CitationMeta:
    citation = world.document(name).citation
    assert citation is not None
    return citation


def test_what_agrees_is_the_citation_under_the_same_key(loose: World) -> None:
    before = cited(loose)
    (one,) = identify(loose).documents
    assert (one.outcome, one.by, one.service) == (IdentifyOutcome.TAKEN, "10.5555/ponds", "Memory")
    after = cited(loose)
    assert (after.citekey, after.source) == (before.citekey, CitationSource.LOOKUP)
    assert (after.container_title, after.year) == ("Weir Letters", 2020)
    assert loose.query("pond").items[0].citation_source is CitationSource.LOOKUP
    assert loose.ingest().citations_updated == 0
    assert cited(loose) == after


def test_a_looked_up_document_is_not_looked_up_again_with_all_others(loose: World) -> None:
    identify(loose)
    loose.lookup.asked.clear()
    assert identify(loose).documents == ()
    assert loose.lookup.asked == []


def test_nothing_is_asked_by_an_ingest(loose: World) -> None:
    loose.ingest(force=True)
    assert loose.lookup.asked == []


def test_a_record_that_differs_is_proposed_and_taken_when_accepted(loose: World) -> None:
    other = [{"family": "Quill", "given": "Bo"}]
    loose.lookup.items["10.5555/ponds"] = FOUND | {"title": "Grids of points", "author": other}
    before = cited(loose)
    (one,) = identify(loose).documents
    assert (one.outcome, one.why) == (IdentifyOutcome.PROPOSED, "neither title nor authors agree")
    assert one.found is not None
    assert cited(loose) == before
    (one,) = identify(loose, before.citekey, accept=True).documents
    assert one.outcome is IdentifyOutcome.TAKEN
    assert cited(loose).title == "Grids of points"


def test_the_title_is_searched_where_the_identifier_is_another_works(loose: World) -> None:
    other = [{"family": "Quill", "given": "Bo"}]
    wrong = FOUND | {"title": "Grids of points", "author": other}
    loose.lookup.items = {"10.5555/ponds": wrong, "10.5555/right": FOUND | {"DOI": "10.5555/right"}}
    stored = loose.stored()[0]
    document = loose.conversion(stored.document_id)
    stated = {"title": TITLE, "authors": ("Oriana Weir",), "year": 2020}
    loose.bundles.save(document.model_copy(update=stated), stored.conversion)
    (one,) = identify(loose).documents
    assert (one.outcome, one.by) == (IdentifyOutcome.TAKEN, "title")
    assert cited(loose, "ponds.md").doi == "10.5555/right"


def test_nothing_found_is_said(loose: World) -> None:
    loose.lookup.items.clear()
    (one,) = identify(loose).documents
    assert (one.outcome, one.why) == (IdentifyOutcome.NOTHING, "no service knows it")


def test_a_failure_does_not_stop_the_rest(loose: World) -> None:
    loose.write("grids.md", "# Grids\n\ndoi:10.5555/grids\n\nText.\n")
    loose.ingest()
    loose.lookup.failing |= {"10.5555/grids", "Grids"}
    result = identify(loose)
    outcomes = {one.outcome: one.why for one in result.documents}
    assert outcomes[IdentifyOutcome.TAKEN] == ""
    assert outcomes[IdentifyOutcome.FAILED] == "memory.example: it answers 503 Service Unavailable"
    assert result.failed == 1


def test_what_was_found_is_kept_when_it_is_cancelled(loose: World) -> None:
    loose.write("grids.md", "# Grids\n\ndoi:10.5555/grids\n\nText.\n")
    loose.ingest()
    told: list[int] = []

    def stop() -> None:
        if told:
            raise Cancelled

    with cancellable(stop):
        result = loose.application.projects.identify(
            IdentifyRequest(project_id=HERE, all=True),
            lambda one, number, total: told.append(total),
        )
    assert result.cancelled
    assert (told, len(result.documents)) == ([2], 1)


def test_an_item_of_a_reference_file_stays_the_citation(loose: World) -> None:
    loose.ingest(references=loose.cite(an_item("weir", "10.5555/ponds", title=TITLE)))
    (one,) = identify(loose, "weir").documents
    assert one.outcome is IdentifyOutcome.KEPT
    assert loose.lookup.asked == []
    assert cited(loose).source is CitationSource.REFERENCES


def test_a_retraction_comes_with_the_record(loose: World) -> None:
    custom = {"source": "Memory", "updates": [{"type": "retraction", "date": "2022-03-01"}]}
    loose.lookup.items["10.5555/ponds"] = FOUND | {"custom": custom}
    (one,) = identify(loose).documents
    assert one.notices == ("retraction 2022-03-01, as Memory says",)
    told = loose.application.citation.retracted([cited(loose)])
    assert list(told.values()) == ["retracted 2022-03-01"]


def test_what_is_named_is_checked(loose: World) -> None:
    with pytest.raises(InvalidRequest, match="no document is named"):
        identify(loose, all=False)
    with pytest.raises(InvalidRequest, match="not both"):
        identify(loose, "10.5555/ponds", all=True)
    with pytest.raises(DocumentNotFound):
        identify(loose, "nobody1999")
