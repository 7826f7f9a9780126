"""Hits as they are printed: each part of the text in lines of its own, nothing twice."""

import re
from pathlib import Path

import pytest
from support.world import World, an_item

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.domain.documents.spans import CharSpan, ChunkKind
from citeloom.domain.search.hits import HitBlock, PaperHits, PassageHit
from citeloom.domain.search.request import HitPicture, QueryResult
from citeloom.infrastructure.cli.search.hits_view import print_brief, print_papers, work_line

PONDS = """# Ponds cool the street

## Methods

We measured air temperature beside four ponds on summer evenings.

Each pond had two loggers in a shelter.

## Results

The cooling falls with distance and is gone at one hundred metres.
"""


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("COLUMNS", "60")
    world = World(tmp_path)
    world.write("ponds.md", PONDS)
    world.ingest(references=world.cite(an_item("okafor2021", "10.5555/p", title="Ponds cool")))
    return world


def shown(world: World, result: QueryResult, capsys: pytest.CaptureFixture[str]) -> str:
    print_papers(world.application.search.readable(result))
    return capsys.readouterr().out


def test_paragraphs_are_lines_of_their_own_below_place_and_section(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    out = shown(world, world.query("air temperature beside four ponds", top_k=1), capsys)
    lines = out.splitlines()
    assert "Methods" in next(line for line in lines if re.match(r"\d", line))
    joined = " ".join(out.split())
    assert "summer evenings. Each pond" in joined
    assert not any("evenings. Each" in line for line in lines)


def test_each_sentence_is_printed_once_with_context_too(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    result = world.query("cooling falls with distance", context=2)
    assert result.count > 1
    joined = " ".join(shown(world, result, capsys).split())
    for sentence in ("We measured air", "Each pond had", "The cooling falls"):
        assert joined.count(sentence) == 1


def test_the_work_is_named_once(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    result = world.query("ponds cooling loggers")
    assert shown(world, result, capsys).count(work_line(result.items[0])) == 1


def test_the_short_form_has_one_line_a_hit(
    world: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    result = world.query("cooling falls with distance")
    print_brief(result)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == result.count
    assert lines[0].startswith("1  ")
    assert "The cooling falls with distance" in lines[0]


def test_overlapping_passages_with_one_best_sentence_are_one_line(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    result = world.query("cooling falls with distance")
    first = result.items[0]
    start, end = first.char_span
    beside = first.model_copy(update={"rank": 2, "char_span": (start + 1, end)})
    apart = first.model_copy(update={"rank": 3, "char_span": (end, end + 9)})
    print_brief(result.model_copy(update={"items": (first, beside, apart)}))
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition("  ")[0] for line in lines] == ["1, 2", "3"]


@pytest.mark.parametrize(
    ("label", "text", "header", "printed"),
    [
        (
            BlockLabel.TABLE, "| North | 3.1 | |\n| | 2.4 | x |", "| Pond | K | Note |",
            ["Pond    K     Note", "North   3.1", "2.4   x"],
        ),
        (
            BlockLabel.TABLE, "| North | 3.14 | 7 |", "| Pond | Air | |\n| | mean | most |",
            ["Pond    Air", "mean   most", "North   3.14   7"],
        ),
        (
            BlockLabel.FIGURE_TEXT, "0\n50\nDistance", "Figure 1: Cooling.",
            ["Figure 1: Cooling.", "0 · 50 · Distance"],
        ),
    ],
)  # fmt: skip
def test_tables_have_their_heads_and_figures_their_caption(
    world: World, capsys: pytest.CaptureFixture[str],
    label: BlockLabel, text: str, header: str, printed: list[str],
) -> None:  # fmt: skip
    picture = HitPicture(page=3, bbox=(0, 0, 9, 9), uri="ndk://file/p/d/page/3.png")
    known = world.query("ponds").items[0]
    kind = ChunkKind.FIGURE if label is BlockLabel.FIGURE_TEXT else ChunkKind.TABLE
    item = known.model_copy(update={"header": header, "picture": picture, "kind": kind})
    block = HitBlock(label=label, text=text)
    neighbour = block.model_copy(update={"beside": (CharSpan(start=0, end=len(text)),)})
    shown = (block, neighbour)
    print_papers([PaperHits(first=item, hits=(PassageHit(ranks=(2,), item=item, blocks=shown),))])
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines.count(printed[0]) == 1
    assert lines.count(printed[-1]) == 2
    at = lines.index(printed[0])
    assert lines[at : at + len(printed)] == printed
    assert "as printed, PDF p. 3: citeloom open 2" in lines
