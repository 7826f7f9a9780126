"""Maps for prompts: the shape that CiteKit has, every level, never more than the budget."""

import json

import pytest
from support.cases import each

from citeloom.application.maps.prompt_index import TOKENS_A_MAP, create_agent_context
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.maps.resource_map import Location, Node, ResourceMap
from citeloom.domain.text.words import count_tokens

SUMMARY = "Ponds cool the street on summer evenings, and the effect is gone at one hundred metres."


def node(id: str, *children: Node, title: str | None = None, summary: str | None = None) -> Node:
    return Node(
        id=id,
        title=title,
        type="section",
        summary=summary,
        location=Location(modality="document", pages=(1,)),
        children=children,
    )


def a_map(*nodes: Node, id: str = "book") -> ResourceMap:
    return ResourceMap(
        resource_id=id, type="document", title="A  book", source_path="/b.pdf", nodes=nodes
    )


def a_long_paper(chapters: int = 8, sections: int = 6) -> ResourceMap:
    """As many headings as a paper of 50 pages has, and each with a summary."""
    return a_map(
        *(
            node(
                f"chapter-{n}",
                *(
                    node(f"chapter-{n}.part-{m}", title=f"Part {m} of many", summary=SUMMARY)
                    for m in range(sections)
                ),
                title=f"Chapter {n} on ponds",
                summary=SUMMARY,
            )
            for n in range(chapters)
        )
    )


def test_the_index_lists_every_level_with_ids_titles_and_summaries() -> None:
    book = a_map(
        node("a", node("a.b", title="Inner"), title="Outer", summary="It says\nwhat."), node("c")
    )
    assert create_agent_context([book]).splitlines() == [
        "# Available Resources Index",
        "",
        "## A book (ID: book, Type: document)",
        "- **a**: Outer - It says what.",
        "  - **a.b**: Inner",
        "- **c**",
    ]


def test_json_has_the_same_nodes_as_the_text() -> None:
    book = a_map(node("a", node("a.b", title="Inner"), title="Outer", summary="It says."))
    assert json.loads(create_agent_context([book], "json")) == {
        "resources": [
            {
                "id": "book",
                "type": "document",
                "title": "A  book",
                "nodes": [
                    {"id": "a", "title": "Outer", "summary": "It says."},
                    {"id": "a.b", "title": "Inner"},
                ],
            }
        ]
    }


@pytest.mark.parametrize("format", ["markdown", "json"])
def test_a_map_of_a_long_paper_has_600_tokens_at_most(format: str) -> None:
    text = create_agent_context([a_long_paper()], format)
    assert TOKENS_A_MAP // 2 < count_tokens(text) <= TOKENS_A_MAP == 600
    assert all(f"chapter-{n}" in text for n in range(8))


@each("format", ["markdown", "json"])
@each("budget", [120, 160, 200, 400, 800, 1600])
def test_no_budget_is_exceeded_and_what_is_left_out_is_counted(budget: int, format: str) -> None:
    maps = [a_long_paper(), a_map(node("only"), id="other")]
    text = create_agent_context(maps, format, budget)
    assert count_tokens(text) <= budget
    assert "other" in text
    left_out = 56 - text.count("chapter-")
    counted = f"{left_out} more nodes" in text or f'"more_nodes":{left_out}' in text
    assert counted == bool(left_out)


def test_more_budget_tells_more() -> None:
    texts = [create_agent_context([a_long_paper()], budget=n) for n in (150, 500, 900, 2500)]
    assert [len(text) for text in texts] == sorted({len(text) for text in texts})
    assert texts[-1].count("hundred metres") == 56


def test_what_a_small_map_leaves_is_for_the_others() -> None:
    maps = [a_map(node("x"), id=f"small-{n}") for n in range(3)] + [a_long_paper()]
    assert ".part-5" in create_agent_context(maps, budget=750)
    assert ".part-5" not in create_agent_context([a_long_paper(), *maps[:3]], budget=750)


def test_a_budget_that_holds_no_titles_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="too small for 3 resources"):
        create_agent_context([a_map(id=f"r{n}") for n in range(3)], budget=20)


def test_no_resources_is_an_empty_index() -> None:
    assert create_agent_context([]) == "# Available Resources Index"
    assert json.loads(create_agent_context([], "json")) == {"resources": []}
