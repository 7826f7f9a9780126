"""What does not fit into an answer is found by following ``next``."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import orjson
from support.cases import each

from citeloom.application.projects.projects import ProjectSummary
from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.maps.resource_map import Location, Node
from citeloom.domain.text.words import count_tokens
from citeloom.infrastructure.mcp.answers.contents import Content, refused
from citeloom.infrastructure.mcp.contract.parameters import (
    NodeParameters,
    OutlineParameters,
    StructureParameters,
)
from citeloom.infrastructure.mcp.handlers import maps
from citeloom.infrastructure.mcp.handlers.projects import listed
from citeloom.infrastructure.serving.served import Served

MOST = 10_000  # tokens
WORDS = "The weft crosses the warp under and over, and the shuttle carries it through the shed."


def tree(*widths: int, name: str = "n") -> tuple[Node, ...]:
    """So many nodes on each level."""
    width, *below = widths
    return tuple(
        Node(
            id=f"{name}{number}",
            title=f"Part {number} of {name}",
            type="section",
            location=Location(modality="document", pages=(1,)),
            summary=WORDS,
            children=tree(*below, name=f"{name}{number}.") if below else (),
        )
        for number in range(width)
    )


def every(nodes: tuple[Node, ...]) -> dict[str, Node]:
    return {node.id: node for top in nodes for node in (top, *every(top.children).values())}


def served(nodes: tuple[Node, ...]) -> Served:
    found, fields = every(nodes), {"resource_id": "r", "type": "document", "title": "T"}
    resource = SimpleNamespace(nodes=nodes, model_dump=lambda **_: dict(fields), **fields)
    structure = SimpleNamespace(
        map=lambda _project, _name: resource, node=lambda _project, _name, node_id: found[node_id]
    )
    application = SimpleNamespace(maps=SimpleNamespace(structure=structure))
    return Served(cast(Any, application), cast(Any, None), cast(Any, None), patience=0)


def outlined(served: Served, node_id: str | None, offset: int) -> Content:
    wanted = OutlineParameters(resource_id="r", node_id=node_id, offset=offset)
    return cast(Content, maps.outline(served, wanted))


def as_citekit(served: Served, node_id: str | None, offset: int) -> Content:
    if node_id is None:
        return maps.get_structure(served, StructureParameters(resource_id="r", offset=offset))
    wanted = NodeParameters(resource_id="r", node_id=node_id, offset=offset)
    return maps.get_node(served, wanted)


def ids(served: Served, ask: Callable[..., Content], node_id: str | None = None) -> set[str]:
    """Those of all nodes that are reached by following ``next``."""
    reached, offset = set[str](), 0
    while True:
        answer = ask(served, node_id, offset)
        assert count_tokens(orjson.dumps(answer).decode()) <= MOST
        top = answer["nodes"] if node_id is None else answer.get("node", answer).get("children", [])
        waiting = list(top)
        while waiting:
            entry = waiting.pop()
            reached.add(entry["id"])
            if "parts" in entry:
                assert "with the node_id of a part" in answer["next"]
                reached |= ids(served, ask, entry["id"])
            waiting += entry.get("children", [])
        further = re.search(r"offset (\d+)", answer.get("next", ""))
        if not further:
            return reached
        assert int(further[1]) > offset
        offset = int(further[1])


@each("ask", [outlined, as_citekit])
@each("widths", [(3, 2), (700,), (1, 700), (6, 40, 4), (400, 2)])
def test_every_part_of_a_structure_can_be_reached(
    ask: Callable[..., Content], widths: tuple[int, ...]
) -> None:
    nodes = tree(*widths)
    assert ids(served(nodes), ask) == set(every(nodes))


def test_a_structure_that_fits_is_whole() -> None:
    for ask in (outlined, as_citekit):
        answer = ask(served(tree(3, 2)), None, 0)
        assert "next" not in answer
        assert "parts" not in orjson.dumps(answer).decode()


def test_contents_are_lean_a_part_has_its_sentences_and_citekit_has_all() -> None:
    three = served(tree(1, 1))
    part = {"id": "n0.0", "title": "Part 0 of n0.", "type": "section"}
    assert outlined(three, None, 0)["nodes"][0]["children"] == [part | {"location": {"pages": [1]}}]
    (shown,) = outlined(three, "n0", 0)["node"]["children"]
    assert shown == part | {"location": {"pages": [1]}, "summary": WORDS}
    (whole,) = as_citekit(three, "n0", 0)["children"]
    location = {"modality": "document", "pages": [1]}
    assert whole == part | {"location": location, "summary": WORDS, "children": []}


def test_every_project_is_listed_by_following_next() -> None:
    summaries = [
        ProjectSummary(
            id=f"local/project-{number}", collection=f"collection-{number}", dense_model="all",
            other_models=(), sparse_model="bm25", hybrid_enabled=True, references=None,
            index="embedded", documents=1, chunks=2, created_at=datetime(2026, 1, 1, tzinfo=UTC),
        )
        for number in range(500)
    ]  # fmt: skip
    found, offset = list[str](), 0
    while True:
        answer = listed(summaries, offset)
        assert count_tokens(orjson.dumps(answer).decode()) <= MOST
        assert answer["count"] == 500
        found += [project["id"] for project in answer["projects"]]
        if "next" not in answer:
            break
        offset = int(answer["next"].rpartition(" ")[2])
    assert found == [summary.id for summary in summaries]


def test_an_error_names_as_much_as_it_may() -> None:
    known = [f"local/project-{number}" for number in range(3000)]
    error = refused(ProjectNotFound("local/x", known))["error"]
    assert count_tokens(orjson.dumps(error).decode()) <= MOST
    *shown, more = error["details"]["available_projects"]
    assert shown == known[: len(shown)]
    assert more == f"and {3000 - len(shown)} more"
