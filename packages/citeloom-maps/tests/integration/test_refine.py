"""``citeloom map --refine``: a model on the loopback that helps, invents, breaks and fails."""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from support.builders import A_DAY, a_document, heading, paragraph
from support.command_line import inside
from support.in_process import InProcess
from support.models.llm_double import (
    Answer,
    Asked,
    LlmDouble,
    Script,
    a_language_model,
    huge,
    refuses,
    says,
)

from citeloom.application.places.cut import ResolveRequest
from citeloom.application.ports.maps import Refined
from citeloom.domain.errors import ConfigurationError, InvalidRequest, LanguageModelUnavailable
from citeloom.domain.maps.document_map import map_document
from citeloom.domain.maps.resource_map import Location, Node, ResourceMap
from citeloom.infrastructure.composition.application import Application, open_application
from citeloom.infrastructure.composition.workspace import Overrides
from citeloom_maps.application.node_text import node_text_of
from citeloom_maps.application.refine import BATCH_NODES, MOST_USELESS
from citeloom_maps.plugin import refiner

NOTES = """# Ponds

Air was measured beside four ponds.

## Methods

Thermometers stood at 12 places.

## Results

The ponds cool the street in the evening.
"""
METHODS = "Thermometers stood at 12 different places."


@pytest.fixture
def double() -> Iterator[LlmDouble]:
    with a_language_model() as made:
        yield made


@pytest.fixture
def converter() -> InProcess:
    return InProcess()


@pytest.fixture
def opened(tmp_path: Path, double: LlmDouble, converter: InProcess) -> Iterator[Application]:
    llm = {"url": double.url, "model": "small", "timeout_seconds": 0.5, "max_tokens": 300}
    application = open_application(tmp_path, {"llm": llm}, overrides=Overrides(converter=converter))
    yield application
    application.close()


def refined(
    opened: Application, double: LlmDouble, script: Script, text: str = NOTES
) -> tuple[ResourceMap, Refined, list[str]]:
    """The map as it was, what became of it, and what was told."""
    path = opened.workspace.root / "notes.md"
    path.write_text(text, encoding="utf-8")
    double.always = script
    before = opened.maps.files.map(path)
    told: list[str] = []
    return before, refiner(opened)(before, None, told.append), told


def answer(**by_id: Any) -> Answer:
    rows = [{"id": key.replace("_", "."), **value} for key, value in by_id.items()]
    return says({"nodes": rows})


def unchanged(before: ResourceMap, found: Refined) -> bool:
    return found.map == before and (found.titles, found.summaries) == (0, 0)


def test_what_is_sent_is_told_and_what_is_taken_is_kept(
    opened: Application, double: LlmDouble
) -> None:
    good = answer(
        ponds_methods={"title": "Methods: thermometers at 12 places", "summary": METHODS},
        ponds_results={"title": "Results", "summary": "x"},
    )
    before, found, told = refined(opened, double, good)
    assert told == [
        "sending titles, summaries and the beginnings of 3 parts to small at "
        + double.url.removesuffix("/v1")
    ]
    (request,) = double.asked
    assert request["max_tokens"] == 300
    sent = json.loads(double.prompts[0])
    assert [one["id"] for one in sent["nodes"]] == ["ponds", "ponds.methods", "ponds.results"]
    assert sent["nodes"][2]["text"] == "## Results The ponds cool the street in the evening."
    assert (found.asked, found.titles, found.summaries, found.warnings) == (3, 1, 1, ())

    kept = opened.maps.structure.map(None, before.resource_id)
    assert kept == found.map
    node = kept.get_node("ponds.methods")
    assert node is not None
    assert (node.title, node.summary) == ("Methods: thermometers at 12 places", METHODS)
    assert [(one.id, one.type, one.location) for one in kept.walk()] == [
        (one.id, one.type, one.location) for one in before.walk()
    ]
    metadata = kept.metadata or {}
    assert metadata["refined_by"] == f"double-1 at {double.url.removesuffix('/v1')}"
    assert metadata["refined_titles"] == metadata["refined_summaries"] == "ponds.methods"
    assert str(metadata["refined_at"]).startswith("20")
    assert opened.maps.files.map(opened.workspace.root / "notes.md") == kept


def test_what_a_second_model_takes_is_added(opened: Application, double: LlmDouble) -> None:
    refined(opened, double, answer(ponds_methods={"title": "", "summary": METHODS}))
    said = "In the evening the ponds cool the street."
    _, found, _ = refined(opened, double, answer(ponds_results={"title": "", "summary": said}))
    assert (found.map.metadata or {})["refined_summaries"] == "ponds.methods ponds.results"


@pytest.mark.parametrize(
    "script",
    [
        answer(ponds_methods={"title": "Methods: 40 places", "summary": METHODS + " In 1999."}),
        answer(ponds_methods={"title": "Quantum gravity", "summary": "Strings explain gravity."}),
        answer(nobody={"title": "Methods", "summary": METHODS}),
        answer(ponds_methods={"title": ["Methods"], "summary": {"a": METHODS}}),
        answer(ponds_methods={"title": "Methods" * 99, "summary": METHODS * 99}),
        says('{"nodes": [{"id": "ponds.methods", "title":', finish="length"),
        says([1, None, {"id": 3}, {"id": ["x"]}]),
        says("I am sorry, I cannot do that."),
    ],
    ids=["numbers", "invented", "ids", "types", "sizes", "cut", "rows", "prose"],
)
def test_nonsense_changes_nothing(opened: Application, double: LlmDouble, script: Answer) -> None:
    before, found, _ = refined(opened, double, script)
    assert unchanged(before, found)
    assert opened.maps.structure.map(None, before.resource_id) == before


def test_an_answer_that_was_cut_off_is_told(opened: Application, double: LlmDouble) -> None:
    _, found, _ = refined(opened, double, says('{"nodes": [{"id', finish="length"))
    assert found.warnings == (
        "an answer was not the requested JSON, because it was cut off; raise llm.max_tokens",
    )


@pytest.mark.parametrize(
    "script",
    [refuses(401), Answer(seconds=1), huge(5), Answer(b"<html>")],
    ids=["refused", "late", "huge", "page"],
)
def test_a_server_that_fails_at_once_is_an_error(
    opened: Application, double: LlmDouble, script: Answer
) -> None:
    with pytest.raises(LanguageModelUnavailable):
        refined(opened, double, script)
    assert not any(
        "refined_by" in path.read_text("utf-8") for path in opened.workspace.maps.iterdir()
    )


def sections(count: int) -> str:
    return "".join(f"# Pond {n}\n\nThe pond of number {n} is deep.\n\n" for n in range(count))


def each(asked: Asked) -> Answer:
    rows = json.loads(asked["messages"][-1]["content"])["nodes"]
    said = "The pond is said to be deep."
    return says({"nodes": [{"id": row["id"], "title": "", "summary": said} for row in rows]})


def test_what_came_before_a_failure_is_kept(opened: Application, double: LlmDouble) -> None:
    double.script = [each, refuses(401, "quota")]
    _, found, _ = refined(opened, double, each, sections(BATCH_NODES + 2))
    assert (found.asked, found.summaries) == (BATCH_NODES + 2, BATCH_NODES)
    (warning,) = found.warnings
    assert warning.endswith("what came before is kept")
    assert len(str((found.map.metadata or {})["refined_summaries"]).split()) == BATCH_NODES


def test_a_model_of_no_use_is_not_asked_for_ever(opened: Application, double: LlmDouble) -> None:
    _, found, _ = refined(opened, double, "Hm.", sections(BATCH_NODES * (MOST_USELESS + 3)))
    assert len(double.asked) == MOST_USELESS
    assert "given up" in found.warnings[-1]


def test_sections_and_pages_of_documents_are_sent_as_converted(
    opened: Application, double: LlmDouble, converter: InProcess
) -> None:
    page = opened.workspace.root / "notes.html"
    page.write_text("as if this were a page", encoding="utf-8")
    digest = sha256(page.read_bytes()).hexdigest()
    parts = [
        heading("Ends"),
        paragraph("All ponds end."),
        heading("Rest", 2),
        paragraph("Silence."),
    ]
    converter.results[digest] = a_document(parts, doc_id=digest)
    double.always = answer(ends={"title": "Ends: ponds", "summary": ""})
    found = refiner(opened)(opened.maps.files.map(page)).map
    sent = json.loads(double.prompts[0])["nodes"]
    assert [one["text"] for one in sent] == ["Ends All ponds end. Rest Silence.", "Rest Silence."]
    cut = opened.maps.cut.resolve(ResolveRequest(name=found.resource_id, node_id="ends")).evidence
    assert cut.node.title == "Ends: ponds"
    words = "Ends\n\nAll ponds end.\n\nRest\n\nSilence.\n"
    assert Path(str(cut.output_path)).read_text("utf-8") == words

    scan = a_document([paragraph("Ponds.", 1), paragraph("Looms.", 2)])
    entries = [
        entry.model_copy(update={"spans": (block.span,)})
        for entry, block in zip(scan.structure.page_map, scan.blocks, strict=True)
    ]
    structure = scan.structure.model_copy(update={"page_map": tuple(entries)})
    scan = scan.model_copy(update={"structure": structure})
    drawn = map_document(scan, source_path="x.pdf", source_size=1, created_at=A_DAY)
    assert [node_text_of(scan)(node) for node in drawn.walk()] == ["Ponds.", "Looms."]


def test_nothing_is_sent_where_there_is_nothing_to_say(
    opened: Application, double: LlmDouble, tmp_path: Path
) -> None:
    place = Location(modality="image", bbox=(0, 0, 1, 1))
    graph = ResourceMap(
        resource_id="g",
        type="image",
        title="G",
        source_path="/nowhere",
        nodes=(Node(id="image", type="image", location=place),),
    )
    with pytest.raises(InvalidRequest, match="nothing was sent"):
        refiner(opened)(graph)
    plain = open_application(tmp_path / "other")
    path = tmp_path / "notes.md"
    path.write_text(NOTES, encoding="utf-8")
    with pytest.raises(ConfigurationError, match="no language model is configured"):
        refiner(plain)(plain.maps.files.map(path))
    plain.close()
    assert double.asked == []


def test_the_command_says_what_it_sends_and_without_a_model_sends_nothing(
    double: LlmDouble, tmp_path: Path
) -> None:
    path = tmp_path / "notes.md"
    path.write_text(NOTES, encoding="utf-8")
    double.always = answer(ponds_methods={"title": "", "summary": METHODS})
    refused = inside("map", str(path), "--refine", workspace=tmp_path)
    assert (refused.code, double.asked) == (2, [])
    assert "no language model is configured" in refused.err
    settings = f'[llm]\nurl = "{double.url}"\nmodel = "small"\n'
    (tmp_path / "citeloom.toml").write_text(settings, encoding="utf-8")
    done = inside("map", str(path), "--refine", "--json", workspace=tmp_path)
    assert done.code == 0, done.err
    assert done.json["nodes"][0]["children"][0]["summary"] == METHODS
    assert "sending titles, summaries and the beginnings of 3 parts to small at http" in done.err
    assert "of 3 parts 0 titles and 1 summaries were taken" in done.err
