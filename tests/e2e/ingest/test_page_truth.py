"""Places against the typesetting sources of the sample library."""

from pathlib import Path
from typing import Any

from support.command_line import inside
from support.research.command import squeezed


def flat(nodes: list[dict[str, Any]], level: int = 1) -> list[tuple[str, int, int]]:
    found = []
    for node in nodes:
        found.append((node["title"], level, node["location"]["pages"][0]))
        found += flat(node.get("children", []), level + 1)
    return found


def test_every_passage_is_the_slice_that_it_claims(passages: list[dict[str, Any]]) -> None:
    for item in passages:
        start, end = item["char_span"]
        assert end - start == len(item["text"])
        assert item["text"] == item["text"].strip()


def test_passages_have_pages_labels_regions_and_section(passages: list[dict[str, Any]]) -> None:
    for item in passages:
        first, last = item["page_span"]
        assert {r["page"] for r in item["regions"]} == set(range(first, last + 1))
        assert len(item["page_labels"]) == last - first + 1
        assert item["section_path"]


def test_marked_sentences_lie_on_the_pages_where_they_were_typeset(
    passages: list[dict[str, Any]], truth: list[dict[str, Any]]
) -> None:
    missing, wrong = [], []
    for paper in truth:
        own = [p for p in passages if p["source_path"].endswith(Path(paper["file"]).name)]
        for sentence in paper["sentences"]:
            text = squeezed(sentence["text"])
            holding = [p for p in own if text in squeezed(p["text"])]
            if not holding:
                missing.append(sentence["text"])
            for passage in holding:
                first, last = passage["page_span"]
                if not first <= sentence["page_start"] <= sentence["page_end"] <= last:
                    wrong.append((sentence, passage["page_span"]))
                labels = passage["page_labels"]
                assert sentence["page_label_start"] in labels
                assert sentence["page_label_end"] in labels
    assert not wrong
    assert not missing


def test_the_map_has_every_heading_with_its_level_and_page(
    samples: Path, truth: list[dict[str, Any]]
) -> None:
    for paper in truth:
        done = inside("map", paper["citekey"], "-p", "samples", "--json", workspace=samples)
        got = flat(done.json["nodes"])
        for heading in paper["headings"]:
            title = squeezed(f"{heading['number'] or ''}{heading['title']}")
            same = [
                g
                for g in got
                if squeezed(g[0]).removesuffix(".")
                in (
                    title,
                    squeezed(heading["title"]),
                    squeezed(f"{heading['number']}.{heading['title']}"),
                )
            ]
            assert same, (paper["file"], heading["title"], [g[0] for g in got])
            assert heading["page"] in [g[2] for g in same]
        assert len(got) <= len(paper["headings"]) + 1, got
