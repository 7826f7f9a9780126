"""Papers in, quotable evidence out, by the installed command."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.command_line import ingest_samples, inside
from support.once import copied
from support.paths import LIBRARY

ITEM_FIELDS = {
    "rank", "score", "text", "citekey", "citation", "title", "authors", "year", "doi", "url",
    "document_id", "chunk_id", "char_span", "section", "section_path", "page_span", "page_labels",
    "address",
    "knowledge_uri", "source_path", "regions", "best_sentence", "matched", "header", "picture",
    "project", "copies", "context", "kind", "marks", "annotation", "place", "zotero_link",
    "text_uncertain",
    "disputed", "citation_source",
}  # fmt: skip


def squeezed(text: str) -> str:
    return "".join(text.split()).replace("­", "")


def query(workspace: Path, text: str, *more: str, **given: str) -> dict[str, Any]:
    done = inside("query", text, "-p", "samples", "--json", *more, workspace=workspace, **given)
    assert done.code == 0, done.err
    answer: dict[str, Any] = done.json
    return answer


def test_the_demo_questions_are_answered_from_the_right_printed_page(samples: Path) -> None:
    for entry in json.loads((LIBRARY / "questions.json").read_text("utf-8")):
        items = query(samples, entry["question"], CITELOOM_QUERY__RERANK="true")["items"]
        right = [
            item
            for item in items[:2]
            if item["citekey"] == entry["citekey"]
            and entry["page_label"] in item["page_labels"]
            and squeezed(entry["phrase"]) in squeezed(item["text"])
        ]
        assert right, [(i["citekey"], i["page_labels"], i["text"][:80]) for i in items[:2]]


def test_an_item_has_every_field_of_the_contract(samples: Path) -> None:
    answer = query(samples, "what cools a pond in the evening?", "-k", "3")
    assert set(answer) >= {"project", "query", "mode", "model", "count", "items"}
    assert answer["count"] == len(answer["items"]) == 3
    for item in answer["items"]:
        assert set(item) == ITEM_FIELDS
        assert 0 <= item["score"] <= 1
        assert item["address"].startswith(f"doc://{item['document_id'][:16]}#pages=")
        assert item["citation"].startswith(f"[@{item['citekey']}, p")
        assert item["best_sentence"] in item["text"]


def test_the_knowledge_uri_of_a_hit_opens_its_words(samples: Path) -> None:
    (hit,) = query(samples, "what cools a pond in the evening?", "-k", "1")["items"]
    done = inside("read", hit["knowledge_uri"], "--json", workspace=samples)
    assert done.code == 0, done.err
    seen = done.json["observation"]
    assert seen["text"] == hit["text"]
    part = inside("read", seen["within"], "--format", "xml", workspace=samples)
    assert part.code == 0, part.err
    assert part.out.startswith("<document uri=")


@pytest.mark.parametrize("mode", ["dense", "sparse", "hybrid"])
def test_every_mode_finds_the_paper_that_a_question_is_about(samples: Path, mode: str) -> None:
    answer = query(samples, "sampling transects and random points", "--mode", mode)
    assert answer["mode"] == mode
    assert answer["items"][0]["citekey"] == "quillenbrookGridRandomTransect2019"
    scores = [item["score"] for item in answer["items"]]
    assert scores == sorted(scores, reverse=True)


def test_filters_are_applied_before_the_best_are_chosen(samples: Path) -> None:
    old = query(samples, "recall after reading", "--filter", "year=..2019")["items"]
    assert old
    assert {item["year"] for item in old} == {2019}
    without = query(samples, "recall", "--filter", "citekey!=bronsagerSpacedRereadingTwoWeek2021")
    assert "bronsagerSpacedRereadingTwoWeek2021" not in {i["citekey"] for i in without["items"]}


def test_a_second_run_converts_and_writes_nothing(samples: Path) -> None:
    again = ingest_samples(samples).json
    assert {d["status"] for d in again["documents"]} == {"unchanged"}
    assert again["documents_converted"] == again["chunks_written"] == 0
    assert again["chunks_total"] > 0


def test_an_edited_reference_changes_payloads_only(tmp_path: Path, samples: Path) -> None:
    workspace = tmp_path / "copy"
    copied(samples, workspace)
    items = json.loads((LIBRARY / "library.csl.json").read_text("utf-8"))
    for item in items:
        if item["id"] == "szelkutiEveningCoolingSmall2022":
            item["issued"]["date-parts"] = [[1999]]
    edited = tmp_path / "library.json"
    edited.write_text(json.dumps(items), encoding="utf-8")
    result = inside(
        "ingest", LIBRARY / "papers", "-p", "samples", "--references", edited, "--json",
        workspace=workspace,
    ).json  # fmt: skip
    assert result["documents_converted"] == result["chunks_written"] == 0
    assert result["citations_updated"] == 1
    statuses = {d["citekey"]: d["status"] for d in result["documents"]}
    assert statuses.pop("szelkutiEveningCoolingSmall2022") == "updated"
    assert set(statuses.values()) == {"unchanged"}
    years = {i["year"] for i in query(workspace, "pond", "--filter", "year=1999")["items"]}
    assert years == {1999}


def test_a_removed_file_stays_until_pruned(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name in ("keep", "gone"):
        (folder / f"{name}.md").write_text(f"# {name}\n\nA text about {name}.\n", "utf-8")
    workspace = tmp_path / "w"
    assert inside("ingest", folder, "-p", "p", workspace=workspace).code == 0
    (folder / "gone.md").unlink()
    kept = inside("ingest", folder, "-p", "p", "--json", workspace=workspace).json
    assert kept["documents_removed"] == 0
    pruned = inside("ingest", folder, "-p", "p", "--prune", "--json", workspace=workspace).json
    assert pruned["documents_removed"] == 1
    assert pruned["chunks_total"] == 1


@pytest.mark.parametrize(
    ("output", "begins"),
    [("markdown", "> "), ("bibtex", "@article{"), ("table", "Spaced Re-reading")],
)
def test_other_formats_print_what_they_are_called(samples: Path, output: str, begins: str) -> None:
    done = inside(
        "query", "spaced rereading", "-p", "samples", "-k", "2", "--format", output,
        workspace=samples,
    )  # fmt: skip
    assert done.code == 0, done.err
    assert done.out.startswith(begins)


def test_csl_json_and_json_lines_can_be_parsed(samples: Path) -> None:
    ask = ("query", "spaced rereading", "-p", "samples", "-k", "3", "--format")
    items = inside(*ask, "csl-json", workspace=samples).json
    assert {item["id"] for item in items} <= {
        i["id"] for i in json.loads((LIBRARY / "library.csl.json").read_text("utf-8"))
    }
    lines = inside(*ask, "jsonl", workspace=samples).out.splitlines()
    assert [json.loads(line)["rank"] for line in lines] == [1, 2, 3]


def test_works_are_cited_and_exported(samples: Path, tmp_path: Path) -> None:
    key = "szelkutiEveningCoolingSmall2022"
    latex = ("cite", key, "--page", "12-13", "--format", "latex", "-p", "samples")
    assert inside(*latex, workspace=samples).out == rf"\autocite[12--13]{{{key}}}" + "\n"
    styled = ("cite", key, "--style", "apa", "-p", "samples")
    assert inside(*styled, workspace=samples).out.endswith(", 2022)\n")
    file = tmp_path / "works.bib"
    done = inside("export", "-p", "samples", "-o", file, workspace=samples)
    assert (done.code, done.out) == (0, ""), done.err
    assert f"@article{{{key},\n" in file.read_text("utf-8")
    again = ("export", key, "-p", "samples", "-o", file)
    refused = inside(*again, workspace=samples)
    assert (refused.code, "exists; --force replaces it" in refused.err) == (2, True)
    replaced = inside(*again, "--force", "--json", workspace=samples).json
    assert replaced == {"file": str(file), "works": 1, "left_out": 0}
    assert file.read_text("utf-8").count("@article{") == 1
    asked = ("query", "pond cooling", "-p", "samples", "-k", "1", "--format", "text")
    found = inside(*asked, "--style", "ieee", "--bibliography", workspace=samples)
    assert found.code == 0, found.err
    assert "” [1, p" in found.out
    assert "\nReferences\n\n[1] " in found.out


def test_a_document_is_found_by_key_prefix_and_path(samples: Path) -> None:
    key = "szelkutiEveningCoolingSmall2022"
    by_key = inside("map", key, "-p", "samples", "--json", workspace=samples).json
    for name in (by_key["resource_id"][:8], LIBRARY / "papers" / "pond-cooling.pdf"):
        other = inside("map", name, "-p", "samples", "--json", workspace=samples).json
        assert other["resource_id"] == by_key["resource_id"]


def test_validate_finds_nothing_wrong(samples: Path) -> None:
    done = inside("validate", "-p", "samples", "--json", workspace=samples)
    assert done.code == 0
    told = [check for check in done.json["checks"] if check["status"] != "PASS"]
    assert [(check["status"], check["check"]) for check in told] == [
        ("WARN", "items without files")
    ]
    assert told[0]["items"] == ["ashdelleSmallWatersHandbook2016"]


def test_validate_finds_a_retracted_paper_in_a_list(samples: Path, tmp_path: Path) -> None:
    read = inside("inspect", "-p", "samples", "--sample", "all", "--json", workspace=samples)
    doi = next(item["doi"] for item in read.json["samples"] if item["doi"])
    notices = tmp_path / "list.csv"
    notices.write_text(f"OriginalPaperDOI,RetractionNature\n{doi.upper()},Retraction\n", "utf-8")
    asked = ("validate", "-p", "samples", "--retractions", notices, "--json")
    done = inside(*asked, workspace=samples)
    assert done.code == 0
    (told,) = [check for check in done.json["checks"] if check["check"] == "retractions"]
    assert (told["status"], len(told["items"])) == ("WARN", 1)
    notices.write_text("DOI\n", "utf-8")
    assert inside(*asked, workspace=samples).code == 2


def test_repair_rebuilds_a_lost_index_with_the_same_ids(
    tmp_path: Path, samples: Path, passages: list[dict[str, Any]]
) -> None:
    workspace = tmp_path / "copy"
    copied(samples, workspace)
    shutil.rmtree(workspace / ".citeloom" / "index")
    assert inside("validate", "-p", "samples", workspace=workspace).code == 1
    assert inside("validate", "-p", "samples", "--repair", workspace=workspace).code == 0
    again = inside("inspect", "-p", "samples", "--sample", "all", "--json", workspace=workspace)
    assert [p["chunk_id"] for p in again.json["samples"]] == [p["chunk_id"] for p in passages]


def test_projects_are_listed_shown_and_deleted(tmp_path: Path) -> None:
    made = inside("project", "create", "a/b", "--json", workspace=tmp_path)
    assert made.json["collection"] == "proj-a-b"
    assert inside("project", "create", "A/b", workspace=tmp_path).code == 3
    listed = inside("project", "list", "--json", workspace=tmp_path).json
    assert [p["id"] for p in listed["projects"]] == ["a/b"]
    assert inside("project", "delete", "a/b", "--yes", workspace=tmp_path).code == 0
    assert inside("project", "show", "a/b", workspace=tmp_path).code == 3


def test_a_run_leaves_journal_lines_with_one_correlation_id(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nText.\n", "utf-8")
    result = inside("ingest", tmp_path / "a.md", "-p", "p", "--json", workspace=tmp_path).json
    lines = (tmp_path / ".citeloom" / "logs" / "ingests.jsonl").read_text("utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    assert {r["correlation_id"] for r in records} == {result["correlation_id"]}
    assert records[-1]["documents_processed"] == 1
