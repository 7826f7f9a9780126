"""One document, several items: which is cited, and by which names it is known."""

from pathlib import Path

import pytest
from support.world import World, an_item
from support.zotero.library import key, work
from support.zotero.shelves import Reader

from citeloom.domain.library import KeySource
from citeloom.domain.references.work_versions import RULE

PAPER = "# On ice\n\nIce is thin where the reeds stand.\n"


@pytest.fixture
def reader(world: World, tmp_path: Path) -> Reader:
    return Reader(world, tmp_path / "Zotero")


def test_one_file_under_two_items_is_one_document_with_two_citations(reader: Reader) -> None:
    reader.paper(1, PAPER, citationKey="book")
    reader.paper(2, PAPER, citationKey="chapter", pages="5-9")
    result = reader.sync()
    (document,) = reader.stored()
    assert document.citation is not None
    assert document.citation.citekey == "chapter"  # the fuller record
    assert len(document.sources) == 2
    report = result.documents[0]
    assert [(a.citekey, a.why) for a in report.alternatives] == [("book", "the same file")]
    assert reader.named("book") == reader.named(key(1, "W")) == [document.sources[0].path]
    assert result.library is not None
    assert result.library.rule == RULE


def test_the_same_doi_twice_is_one_document(reader: Reader) -> None:
    reader.paper(1, PAPER, DOI="10.5555/ice", title="Ice is thin where reeds stand", volume="")
    twin = work(2, DOI="https://doi.org/10.5555/ICE", title="Ice is thin where reeds stand")
    reader.add({**twin, "citationKey": "own"})
    reader.sync()
    (document,) = reader.stored()
    assert document.citation is not None
    assert document.citation.citekey == "own"  # the other has a generated key
    assert document.held is not None
    assert [a.why for a in document.held.alternatives] == ["the same publication"]
    assert reader.named(document.held.alternatives[0].citekey)


def test_duplicates_unite_their_tags_and_collections(reader: Reader) -> None:
    reader.collections = [
        {"key": "CCCCCCC1", "name": "Ice", "parentCollection": False},
        {"key": "CCCCCCC2", "name": "Mud", "parentCollection": False},
    ]
    same = {"DOI": "10.5555/ice", "title": "Ice is thin where reeds stand"}
    reader.paper(1, PAPER, tags=[{"tag": "mine"}], collections=["CCCCCCC1"], **same)
    reader.add(work(2, tags=[{"tag": "group"}], collections=["CCCCCCC2"], **same))
    reader.sync()
    (document,) = reader.stored()
    assert document.citation is not None
    assert set(document.citation.tags) == {"mine", "group"}
    assert set(document.citation.collections) == {"Ice", "Mud"}
    assert reader.world.query("thin", "collection=Ice", "collection=Mud").items
    reader.change(key(2, "W"), deleted=1)
    reader.sync()
    (document,) = reader.stored()
    assert document.citation is not None
    assert document.citation.tags == ("mine",)


def test_records_without_files_of_one_author_and_journal_are_not_the_same(reader: Reader) -> None:
    for number, title in enumerate(("Ice on ponds", "Ice on lakes", "Ice on weirs"), start=1):
        reader.add(work(number, title=title, DOI="", abstractNote=""))
    reader.sync()
    hits = reader.world.query("ice on ponds lakes weirs", top_k=9).items
    assert {hit.title for hit in hits} == {"Ice on ponds", "Ice on lakes", "Ice on weirs"}


def test_chapters_with_the_doi_of_their_book_stay_apart(reader: Reader) -> None:
    reader.add(work(1, DOI="10.5555/book", title="Reeds in winter and how to count them"))
    reader.add(work(2, DOI="10.5555/book", title="Eels in summer and where they sleep"))
    reader.sync()
    assert len(reader.stored()) == 2


def test_a_preprint_and_what_was_published_of_it(reader: Reader) -> None:
    title = "Ice is thin where the reeds stand"
    preprint = {"itemType": "preprint", "DOI": "10.48550/arXiv.2401.00001", "title": title,
                "date": "2023"}  # fmt: skip
    creators = [{"creatorType": "author", "firstName": "Ann", "lastName": "Smith"}]
    reader.paper(1, PAPER, citationKey="pre", creators=creators, **preprint)
    article = {"title": title, "creators": creators, "date": "2024", "DOI": "10.5555/ice"}
    reader.add(work(2, citationKey="pub", **article))
    result = reader.sync()
    (document,) = reader.stored()
    assert document.citation is not None
    assert document.citation.citekey == "pre"  # the pages are the preprint's
    assert document.held is not None
    assert [a.citekey for a in document.held.alternatives] == ["pub"]
    assert any("published as pub" in warning for warning in result.documents[0].warnings)
    reader.attach(2, 2, PAPER)
    reader.sync()
    (document,) = reader.stored()
    assert document.citation is not None
    assert document.citation.citekey == "pub"  # the file is the article's too


def test_of_file_less_items_of_one_work_the_published_one_is_the_document(reader: Reader) -> None:
    title, creators = "Ice is thin where the reeds stand", [{"creatorType": "author", "name": "A"}]
    reader.add(
        work(1, citationKey="pre", itemType="preprint", title=title, creators=creators, DOI=""),
        work(2, citationKey="pub", title=title, creators=creators, date="1952"),
    )
    reader.sync()
    assert reader.citekeys() == ["pub"]
    assert len(reader.named("pre")) == 1


def test_a_changed_key_is_another_payload_and_the_old_one_an_alias(reader: Reader) -> None:
    reader.paper(1, citationKey="old")
    reader.paper(2, citationKey="other")
    reader.sync()
    embedded = reader.world.embedded
    reader.change(key(1, "W"), citationKey="new")
    result = reader.sync()
    assert [n for n in reader.told.notices if n.startswith("key")] == ["key changed: old → new"]
    assert reader.world.embedded == embedded
    assert result.citations_updated == 1
    assert reader.named("old") == reader.named("new") != []
    assert {item.citekey for item in reader.world.query("pond", "citekey=new").items} == {"new"}
    (found,) = reader.world.query("pond", "citekey=old").items
    assert found.citekey == "new"
    reader.change(key(2, "W"), citationKey="old")
    reader.sync()
    assert reader.named("old") != reader.named("new")  # who has a key now goes first


def test_a_key_that_comes_back_is_no_former_one(reader: Reader) -> None:
    reader.paper(1, citationKey="one")
    for name in ("one", "two", "one"):
        reader.change(key(1, "W"), citationKey=name)
        reader.sync()
    (document,) = reader.stored()
    assert document.held is not None
    assert document.held.former_keys == ("two",)


def test_generated_keys_are_marked_and_told_once(reader: Reader) -> None:
    reader.paper(1)
    reader.paper(2)
    reader.paper(3, citationKey="own")
    result = reader.sync()
    told = [warning for warning in result.warnings if "keys were generated" in warning]
    assert len(told) == 1
    assert told[0].startswith("2 items without citation key")
    sources = sorted(str(d.key_source) for d in result.documents)
    assert sources == [KeySource.GENERATED, KeySource.GENERATED, KeySource.NATIVE]
    assert result.library is not None
    assert result.library.generated_keys == 2


def test_a_reference_file_does_not_cite_what_the_library_holds(reader: Reader) -> None:
    reader.paper(1, "# Ice\n\ndoi:10.5555/ice\n", citationKey="mine")
    reader.sync()
    item = {"id": "theirs", "type": "book", "title": "Ice", "DOI": "10.5555/ice",
            "author": [{"family": "Ice"}]}  # fmt: skip
    path = reader.world.write("ice.md", "# Ice\n\ndoi:10.5555/ice\n\nBy hand.\n")
    reader.world.ingest(path, references=reader.world.cite(item))
    assert reader.citekeys() == ["mine", "theirs"]


def test_an_item_that_was_entered_twice_without_doi_is_one_document(reader: Reader) -> None:
    twice = {"title": "Reeds in winter and how to count them", "DOI": "", "date": "1970"}
    creators = [{"creatorType": "author", "firstName": "Ann", "lastName": "Smith"}]
    for number, fields in enumerate(({}, {}, {"date": "1971"}, {"publicationTitle": "Mires"})):
        reader.add(
            work(number, **{**twice, "creators": creators, "publicationTitle": "J", **fields})
        )
    reader.sync()
    assert len(reader.stored()) == 3


def test_a_file_of_no_item_may_be_cited_by_a_reference_file(reader: Reader) -> None:
    reader.attach(1, None, "# Ice\n\ndoi:10.5555/ice\n\nIt is thin.\n")
    result = reader.sync()
    assert any("belongs to no item" in w for d in result.documents for w in d.warnings)
    reader.world.ingest(
        references=reader.world.cite(an_item("ice2020", "10.5555/ice", title="Ice")), sources=()
    )
    assert reader.citekeys() == ["ice2020"]
    reader.note(1, None, "<p>A change of the library.</p>")
    reader.sync()
    assert reader.citekeys() == ["-", "ice2020"]
    reader.add(work(1, citationKey="mine"))
    reader.change(key(1, "F"), parentItem=key(1, "W"))
    reader.sync()
    assert reader.citekeys() == ["-", "mine"]
