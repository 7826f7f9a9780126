"""The page range of an item gives page labels; another range gives others, at once."""

from typing import Any

import pytest
from support.paged import (
    DOI,
    FEW_WORDS,
    PagedConverter,
    labels_in_the_index,
    paper,
    titles_in_the_map,
)
from support.world import World, an_item

from citeloom.application.documents.conversions import load_conversion
from citeloom.application.ports.catalogue import UNSETTLED
from citeloom.domain.documents.conversion import LabelSource
from citeloom.domain.ingest import DocumentStatus


@pytest.fixture
def world(world: World) -> World:
    """Three pages in as many passages."""
    world.chunker = FEW_WORDS
    paper(world)
    return world


def cite(world: World, page: str | None) -> str:
    more = {"page": page} if page else {}
    return world.cite(an_item("szelkuti2022", DOI, **more))


def labels(world: World) -> set[str]:
    return {label for found in labels_in_the_index(world).values() for label in found}


def test_another_page_range_gives_other_labels_and_nothing_is_converted_or_embedded(
    world: World,
) -> None:
    world.ingest(references=cite(world, "127-129"))
    assert labels_in_the_index(world) == {1: ("127",), 2: ("128",), 3: ("129",)}
    seen, embedded, ids = list(world.converter.seen), world.embedded, world.chunk_ids()
    cite(world, "301-303")
    result = world.ingest()
    assert (result.citations_updated, result.page_labels_updated) == (1, 1)
    assert [d.status for d in result.documents] == [DocumentStatus.UPDATED]
    assert result.warnings == ()
    assert labels_in_the_index(world) == {1: ("301",), 2: ("302",), 3: ("303",)}
    assert titles_in_the_map(world) == ["Page 301", "Page 302", "Page 303"]
    assert world.query("ponds").items[0].citation == "[@szelkuti2022, p. 301]"
    assert (world.converter.seen, world.embedded, world.chunk_ids()) == (seen, embedded, ids)
    again = world.ingest()
    assert (again.citations_updated, again.page_labels_updated) == (0, 0)


@pytest.mark.parametrize("page", [None, "e17", "127-140"])
def test_a_range_that_says_nothing_takes_the_labels_away(world: World, page: str | None) -> None:
    world.ingest(references=cite(world, "127-129"))
    cite(world, page)
    assert world.ingest().page_labels_updated == 1
    assert labels(world) == set()
    assert titles_in_the_map(world) == ["PDF page 1", "PDF page 2", "PDF page 3"]
    assert world.query("ponds").items[0].citation == "[@szelkuti2022, PDF p. 1]"


def test_undoing_the_change_gives_the_labels_back(world: World) -> None:
    world.ingest(references=cite(world, "127-129"))
    before, mapped = labels_in_the_index(world), titles_in_the_map(world)
    cite(world, "301-303")
    world.ingest()
    cite(world, "127-129")
    assert world.ingest().page_labels_updated == 1
    assert (labels_in_the_index(world), titles_in_the_map(world)) == (before, mapped)


def test_printed_numbers_stay_whatever_the_range_says(world: World) -> None:
    assert isinstance(world.converter, PagedConverter)
    world.converter.printed = {2: "128"}
    world.ingest(references=cite(world, "127-129"))
    assert labels_in_the_index(world) == {1: ("127",), 2: ("128",), 3: ("129",)}
    cite(world, "301-303")
    world.ingest()
    assert labels_in_the_index(world) == {1: (), 2: ("128",), 3: ()}


def test_another_year_alone_leaves_labels_and_map_alone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.ingest(references=cite(world, "127-129"))
    world.cite(an_item("szelkuti2022", DOI, 1999, page="127-129"))
    monkeypatch.setattr(world.bundles, "save_map", None)
    result = world.ingest()
    assert (result.citations_updated, result.page_labels_updated) == (1, 0)
    assert labels(world) == {"127", "128", "129"}


def test_references_alone_renew_the_labels_of_documents_not_named(world: World) -> None:
    world.ingest(references=cite(world, "127-129"))
    cite(world, "301-303")
    result = world.ingest(sources=(), references="/library.json")
    assert (result.documents, result.page_labels_updated) == ((), 1)
    assert labels(world) == {"301", "302", "303"}


def test_documents_of_an_earlier_converter_are_cited_anew_all_the_same(world: World) -> None:
    world.ingest(references=cite(world, "127-129"))
    world.converter.version = 2
    cite(world, "301-303")
    result = world.ingest(sources=(), references="/library.json")
    assert (result.warnings, result.page_labels_updated) == ((), 1)
    assert labels(world) == {"301", "302", "303"}
    assert len(world.converter.seen) == 1


def test_what_is_read_of_a_document_has_the_labels_and_their_source(world: World) -> None:
    world.ingest(references=cite(world, "127-129"))
    stored = world.document("szelkuti2022")
    first = load_conversion(world.bundles, stored).structure.page_map[0]
    assert (first.label, first.label_source) == ("127", LabelSource.CSL)
    kept = world.conversion(stored.document_id).structure.page_map[0]
    assert (kept.label, kept.label_source) == (None, None)


class Killed(BaseException):
    pass


def killed(*_: object, **__: object) -> Any:
    raise Killed


@pytest.mark.parametrize("undone", [False, True])
@pytest.mark.parametrize("moment", ["citation", "half", "labels", "map", "catalogue"])
def test_a_kill_in_the_middle_is_made_good_by_the_next_run(
    world: World, monkeypatch: pytest.MonkeyPatch, moment: str, undone: bool
) -> None:
    """Also where the change was undone in between."""
    world.ingest(references=cite(world, "127-129"))
    embedded = world.embedded
    cite(world, "301-303")
    with monkeypatch.context() as patched:
        kill(world, patched, moment)
        with pytest.raises(Killed):
            world.ingest()
    assert [d.references_digest for d in world.stored()] == [UNSETTLED]
    first = "127" if undone else "301"
    if undone:
        cite(world, "127-129")
    result = world.ingest()
    assert result.citations_updated == 1
    found = labels_in_the_index(world)
    assert found == {page: (str(int(first) + page - 1),) for page in (1, 2, 3)}
    assert titles_in_the_map(world)[0] == f"Page {first}"
    assert {item.citation for item in world.query("ponds").items if item.page_span == (1, 1)} == {
        f"[@szelkuti2022, p. {first}]"
    }
    assert world.embedded == embedded
    assert world.ingest().citations_updated == 0


def kill(world: World, patched: pytest.MonkeyPatch, moment: str) -> None:
    """The run dies before it writes this; ``half`` is after the first passage's label."""
    from support.in_memory import index

    from citeloom.domain.citation import metadata as page_labels

    if moment == "citation":
        patched.setattr(index.InMemoryCollection, "set_citation", killed)
    elif moment == "labels":
        patched.setattr(index.InMemoryCollection, "set_page_labels", killed)
    elif moment == "map":
        patched.setattr(world.bundles, "save_map", killed)
    elif moment == "half":
        done = 0

        def one_only(*given: Any) -> Any:
            nonlocal done
            done += 1
            return page_labels.relabelled(*given) if done == 1 else killed()

        patched.setattr(index, "relabelled", one_only)
    else:
        put = world.catalogue.put_document

        def last_killed(document: Any, collection: str) -> None:
            put(document, collection) if document.references_digest == UNSETTLED else killed()

        patched.setattr(world.catalogue, "put_document", last_killed)


def test_a_forced_run_that_is_killed_leaves_no_other_labels_behind(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.ingest(references=cite(world, "127-129"))
    cite(world, "301-303")
    with monkeypatch.context() as patched:
        kill(world, patched, "catalogue")
        with pytest.raises(Killed):
            world.ingest(force=True)
    cite(world, "127-129")
    world.ingest()
    assert labels(world) == {"127", "128", "129"}
