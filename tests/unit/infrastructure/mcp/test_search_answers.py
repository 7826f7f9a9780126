"""Answers of searches: short hits, documents once, nothing twice, of bounded size."""

from typing import Any

from citeloom.domain.search.fusion import Mode
from citeloom.domain.search.request import Neighbour, QueryResult, QueryResultItem
from citeloom.infrastructure.mcp.answers.contents import found


def item(number: int = 0, **changed: Any) -> QueryResultItem:
    given: dict[str, Any] = {
        "rank": 1,
        "score": 0.618567,
        "text": f"Ponds cool, {number}.",
        "document_id": "a" * 64,
        "chunk_id": f"c{number}",
        "char_span": (0, 11),
        "address": "doc://aaaaaaaaaaaaaaaa#pages=2",
        "knowledge_uri": f"ndk://file/p/aaaaaaaaaaaaaaaa/{number}-{number + 11}/$chunk",
        "source_path": "/papers/ponds.pdf",
    }
    return QueryResultItem(**given | changed)


CITED: dict[str, Any] = {
    "citekey": "k",
    "citation": "[@k, p. 7]",
    "title": "T",
    "authors": ("Ada A", "Ben B"),
    "year": 2020,
    "doi": "10.1/x",
    "url": "https://doi.org/10.1/x",
    "section": "Results",
    "section_path": ("Results",),
    "page_span": (2, 2),
    "page_labels": ("7",),
}


def result(*items: QueryResultItem, **changed: Any) -> QueryResult:
    given: dict[str, Any] = {
        "project": "local/p",
        "query": "q",
        "mode": Mode.DENSE,
        "model": "m",
        "count": len(items),
        "items": items,
    }
    return QueryResult(**given | changed)


def beside(offset: int, text: str = "Before.", chunk_id: str = "b", **more: Any) -> Neighbour:
    return Neighbour(
        offset=offset,
        chunk_id=chunk_id,
        char_span=(0, 7),
        text=text,
        address="doc://aaaaaaaaaaaaaaaa#pages=1",
        **more,
    )


def test_a_hit_has_what_is_quoted_and_cited_and_one_address() -> None:
    answer = found([result(item(**CITED), item(1, **CITED))])

    assert answer["items"][0] == {
        "render_text": "Ponds cool, 0.",
        "score": 0.62,
        "citation": "[@k, p. 7]",
        "section": "Results",
        "page_span": [2, 2],
        "address": "ndk://file/p/aaaaaaaaaaaaaaaa/0-11/$chunk",
    }
    assert answer["count"] == 2
    assert answer["documents"] == [
        {"citekey": "k", "title": "T", "authors": "Ada A; Ben B", "year": 2020, "doi": "10.1/x"}
    ]


def test_details_are_all_fields_of_the_contract() -> None:
    (shown,) = found([result(item(**CITED))], details=True)["items"]

    names = "render_text score citekey section page_span section_path doi full_text"
    assert set(names.split()) <= set(shown)


def test_a_hit_without_citation_names_its_file_and_the_answer_says_once_why() -> None:
    answer = found([result(item(title="On ponds"), item(1, title="On ponds"))])

    assert [hit["document"] for hit in answer["items"]] == ["ponds.pdf"] * 2
    assert answer["documents"] == [{"document": "ponds.pdf", "title": "On ponds"}]
    (warning,) = answer["warnings"]
    assert warning.startswith("no citation for ponds.pdf")
    assert warning.endswith("call ingest_from_source with options.references")


def test_the_project_is_named_where_several_were_searched() -> None:
    items = (item(project="local/p"), item(1, project="local/q"))

    both = found([result(*items, project="local/p, local/q")])["items"]

    assert [hit["project"] for hit in both] == ["local/p", "local/q"]
    assert "project" not in found([result(items[0])])["items"][0]


def test_neighbours_are_shown_once_and_not_beside_themselves() -> None:
    near = (beside(-1, "Before. " * 400), beside(1, chunk_id="c1", page_labels=("8",)))
    other = beside(-2, chunk_id="b", page_labels=("6",))

    first, second = found(
        [result(item(context=near, **CITED), item(1, context=(other,), **CITED))]
    )["items"]

    (shown,) = first["context"]
    assert set(shown) == {"offset", "text"}
    assert len(shown["text"]) <= 1800
    assert "context" not in second


def test_printed_pages_of_a_neighbour_are_told_where_they_are_others() -> None:
    near = (beside(-1, page_labels=("6",)), beside(1, chunk_id="d", page_labels=("7",)))

    (hit,) = found([result(item(context=near, **CITED))])["items"]

    assert [text.get("page_labels") for text in hit["context"]] == [["6"], None]


def test_what_several_questions_find_is_shown_for_the_first() -> None:
    answer = found(
        [result(item(), item(1)), result(item(1), item(2), query="and?", warnings=("w",))]
    )

    assert [hit["render_text"] for hit in answer["items"]] == ["Ponds cool, 0.", "Ponds cool, 1."]
    (further,) = answer["more"]
    assert further["text"] == "and?"
    assert [hit["render_text"] for hit in further["items"]] == ["Ponds cool, 2."]
    assert further["also"] == [answer["items"][1]["address"]]
    assert further["warnings"] == ["w"]


def test_what_does_not_fit_is_reached_by_the_next_call() -> None:
    long = "Wörter, 12.5 % und $x^2$; " * 69  # many tokens for its length
    results = [
        result(*(item(n, text=long, context=(beside(1, long, f"n{n}"),)) for n in range(20))),
        result(*(item(n, text=long) for n in range(15, 25)), query="and?"),
    ]
    seen, offset = [], 0
    while True:
        answer = found(results, offset=offset)
        page = [*answer["items"], *answer["more"][0]["items"]]
        seen += [hit["address"] for hit in page]
        assert answer["count"] == len(answer["items"])
        if "next" not in answer:
            break
        assert answer["left_out"] == 25 - len(seen)
        offset = int(answer["next"].rpartition(" ")[2])
        assert offset == len(seen)

    assert seen == [item(n).knowledge_uri for n in range(25)]


def test_warnings_are_passed_on_and_not_repeated_on_the_next_page() -> None:
    empty = result(warnings=("w",))

    assert found([empty]) == {"items": [], "count": 0, "warnings": ["w"]}
    assert "warnings" not in found([empty], offset=1)
