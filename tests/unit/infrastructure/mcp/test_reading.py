"""open_page, list_documents and cite over a whole application in memory."""

from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import quote

import pytest
from support.world import GRIDS, PONDS, World, an_item

from citeloom.domain.errors import CiteLoomError, DocumentNotFound, InvalidRequest
from citeloom.domain.text.words import count_tokens
from citeloom.infrastructure.mcp.answers.contents import MOST_TOKENS
from citeloom.infrastructure.mcp.contract.arguments import read
from citeloom.infrastructure.mcp.contract.parameters import (
    CiteParameters,
    ListDocumentsParameters,
    OpenPageParameters,
    ResolveParameters,
)
from citeloom.infrastructure.mcp.handlers import maps, reading
from citeloom.infrastructure.mcp.handlers.reading import piece_of
from citeloom.infrastructure.mcp.protocol.resources import Illustrated
from citeloom.infrastructure.serving.served import Served


class Desk:
    """Calls of the three tools as a client makes them."""

    def __init__(self, world: World) -> None:
        self.served = cast(Served, SimpleNamespace(application=world.application))

    def open(self, **arguments: Any) -> tuple[Any, list[Any]]:
        answer = reading.open_page(self.served, read(OpenPageParameters, arguments))
        assert isinstance(answer, Illustrated)
        return answer.content, list(answer.blocks)

    def list(self, **arguments: Any) -> Any:
        return reading.list_documents(self.served, read(ListDocumentsParameters, arguments))

    def cite(self, **arguments: Any) -> Any:
        return reading.cite(self.served, read(CiteParameters, arguments))


@pytest.fixture
def desk(world: World) -> Desk:
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.write("plain.md", "# A note without author\n\nNobody is cited here.\n")
    library = world.cite(
        an_item("ponds2020", "10.5555/ponds", 2020),
        an_item("grids2011", "10.5555/grids", 2011, title="RETRACTED ARTICLE: Grids"),
        an_item("unread1999", "10.5555/unread", 1999),
    )
    world.ingest(references=library)
    return Desk(world)


def test_a_section_is_shown_with_its_work_and_cited(desk: Desk) -> None:
    answer, blocks = desk.open(place="ponds2020", section="results")
    assert answer["document"]["citekey"] == "ponds2020"
    assert answer["document"]["authors"] == "A. Ponds2020"
    assert answer["citation"] == '[@ponds2020, sec. "Results"]'
    assert answer["text"] == (
        "## Results\n\nThe cooling falls with distance and is gone at one hundred metres."
    )
    assert "next" not in answer
    assert blocks == []
    assert desk.open(place=answer["citation"])[0] == answer
    assert desk.open(place=answer["address"])[0]["text"].endswith(answer["text"])


def test_a_document_without_pages_has_no_picture_and_says_why(desk: Desk) -> None:
    answer, blocks = desk.open(place="ponds2020", image=True, quote="falls with")
    assert answer["text"].startswith("# Ponds cool the street")
    assert blocks == []
    (warning,) = answer["warnings"]
    assert warning.startswith("no image: ")
    assert "only pages of PDFs are drawn" in warning


def test_a_page_of_a_document_without_pages_is_refused(desk: Desk) -> None:
    with pytest.raises(InvalidRequest, match="has no pages"):
        desk.open(place="ponds2020", pages=3)
    with pytest.raises(DocumentNotFound, match="the nearest are"):
        desk.open(place="pods2020")


def test_a_long_document_is_read_piece_by_piece(desk: Desk, world: World) -> None:
    text = "\n\n".join(f"Paragraph {n} is about cooling by water." for n in range(2000))
    world.write("long.md", f"# Long\n\n{text}\n")
    world.ingest(world.folder / "long.md")
    pieces, offset = list[str](), 0
    while True:
        answer, _ = desk.open(place="long.md", offset=offset)
        assert count_tokens(answer["text"]) <= MOST_TOKENS
        pieces.append(answer["text"])
        if "next" not in answer:
            break
        assert answer["text"].endswith(".")
        offset = int(answer["next"].rpartition(" ")[2])
    assert len(pieces) > 1
    assert "\n\n".join(pieces).endswith(text)
    with pytest.raises(InvalidRequest, match="the text ends at"):
        desk.open(place="long.md", offset=10**6)


def test_a_text_without_an_end_of_words_is_cut_all_the_same() -> None:
    text = "x" * 100_000
    piece = piece_of(text, 0, 100)
    assert piece.after == 1
    assert piece_of("one two " * 50, 0, 20).text == "one two " * 9 + "one two"


def test_documents_are_listed_in_lean_rows(desk: Desk) -> None:
    answer = desk.list()
    assert answer["total"] == 3
    plain, keyed, also = answer["documents"]
    assert [keyed["key"], also["key"]] == ["grids2011", "ponds2020"]
    assert plain["title"] == "A note without author"
    assert (plain["key"], plain["state"]) == ("anonndNote", "provisional")
    assert "id" not in keyed
    assert "state" not in keyed
    assert all(count_tokens(str(row)) <= 75 for row in answer["documents"])


def test_lists_are_paged_filtered_and_sorted(desk: Desk) -> None:
    first = desk.list(limit=2, sort="year")
    rest = desk.list(limit=2, sort="year", cursor=first["cursor"])
    whole = desk.list(sort="year")
    assert [*first["documents"], *rest["documents"]] == whole["documents"]
    assert "cursor" not in rest
    assert [row["key"] for row in desk.list(filters={"year": "2015.."})["documents"]] == [
        "ponds2020"
    ]
    assert [row["key"] for row in desk.list(text="GRIDS 2011")["documents"]] == ["grids2011"]
    assert desk.list(text="rids")["documents"] == []
    with pytest.raises(InvalidRequest, match="not from this list"):
        desk.list(cursor="local/thesis:beef")
    with pytest.raises(InvalidRequest, match="documents have none"):
        desk.list(filters={"section": "Methods"})


@pytest.mark.parametrize(
    ("form", "citation"),
    [
        ("pandoc", "[@ponds2020, p. 3; @unread1999]"),
        ("latex", r"\autocites[3]{ponds2020}{unread1999}"),
        ("typst", "@ponds2020[p. 3] @unread1999"),
        ("text", "(Ponds2020, 2020, p. 3; Unread1999, 1999)"),
    ],
)
def test_works_are_cited_in_every_form(desk: Desk, form: str, citation: str) -> None:
    told = desk.cite(works=["@ponds2020 p. 3", "unread1999"], form=form)["citation"]
    assert told == citation


def test_an_unknown_work_is_told_beside_the_others(desk: Desk) -> None:
    answer = desk.cite(works=["ponds2020", "gridz2011"])
    assert answer["citation"] == "[@ponds2020]"
    (warning,) = answer["warnings"]
    assert "gridz2011: no such document" in warning
    assert "grids2011" in warning
    with pytest.raises(DocumentNotFound, match="gridz2011"):
        desk.cite(works=["gridz2011"])
    assert desk.cite(works=["plain.md"])["citation"] == "[@anonndNote]"


def test_a_place_is_cited_with_what_it_names(desk: Desk) -> None:
    address = desk.open(place="ponds2020", section="results")[0]["address"]
    assert desk.cite(works=[address])["citation"] == '[@ponds2020, sec. "Results"]'


def test_a_bibliography_has_each_work_once_and_says_which_are_retracted(desk: Desk) -> None:
    some = desk.cite(works=["ponds2020", "@ponds2020", "unread1999"], bibliography=True)
    assert [one["key"] for one in some["bibliography"]] == ["ponds2020", "unread1999"]
    whole = desk.cite()
    assert [one["key"] for one in whole["bibliography"]] == [
        "anonndNote", "grids2011", "ponds2020",
    ]  # fmt: skip
    assert whole["retracted"] == {"grids2011": "retracted, as its title says"}
    assert "citation" not in whole
    numbered = desk.cite(style="ieee")["bibliography"]
    assert numbered[0]["entry"].startswith("[1]")


def test_a_long_bibliography_is_paged(desk: Desk, world: World) -> None:
    title = "A title of a work with rather many words in it " * 200
    works = [an_item(f"work{n}", f"10.5555/w{n}", 2000, title=f"{title}{n}") for n in range(12)]
    for n in range(12):
        world.write(f"w{n}.md", f"# W{n}\n\ndoi:10.5555/w{n}\n\nText {n}.\n")
    world.ingest(references=world.cite(*works))
    keys, cursor = list[str](), None
    while True:
        answer = desk.cite(cursor=cursor)
        assert answer["total"] == 15
        assert count_tokens(str(answer["bibliography"])) < 10_000
        keys += [one["key"] for one in answer["bibliography"]]
        if (cursor := answer.get("cursor")) is None:
            break
    assert {f"work{n}" for n in range(12)} < set(keys)
    assert len(keys) == 15


def test_a_node_an_address_and_a_place_lead_to_their_file(desk: Desk, world: World) -> None:
    def resolved(**arguments: Any) -> tuple[Any, list[Any]]:
        answer = maps.resolve(desk.served, read(ResolveParameters, arguments))
        return answer.content, list(answer.blocks)

    (stored,) = (one for one in world.stored() if "ponds" in (one.path or ""))
    passage, (evidence,) = resolved(resource_id=f"virtual://{stored.document_id[:16]}#chunk=0")
    name = passage["output_path"].rpartition("/")[2]
    assert evidence.uri == f"citeloom://evidence/{quote(name, safe='')}"
    assert evidence.size > 0
    assert resolved(resource_id="@ponds2020", virtual=True)[1] == []
    whole, links = resolved(resource_id="ponds2020", node_id="")
    assert whole["resource_id"] == stored.document_id[:16]
    assert len(links) == 1
    node, _ = resolved(resource_id="ponds2020", node_id="ponds-cool-the-street.results")
    assert node["node"]["title"] == "Results"
    with pytest.raises(CiteLoomError, match="node_id: this parameter is missing; get_structure"):
        resolved(resource_id="ponds2020")
