"""``citeloom verify`` on the sample library: a draft with everything that can be wrong."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import Done, inside
from support.paths import LIBRARY

PONDS = "szelkutiEveningCoolingSmall2022"
DRAFT = f"""# Ponds

At 5 m from the shore the air was on average 1.74 K cooler than in the reference
street [@{PONDS}, p. 1]. At 5 m from the shore the air was on average 2.95 K cooler than in the
reference street [@{PONDS}, p. 1].

Sensors were compared in a shelter before and after the season [@{PONDS}, p. 3].
They write that "the effect decays linearly with a length of about 59 m" [@{PONDS}].
The square grid has the smallest error [@quillenbrookGridRandom2019].
Small waters have a handbook of their own [@ashdelleSmallWatersHandbook2016].
"""
ITEMS = json.loads((LIBRARY / "library.csl.json").read_text(encoding="utf-8"))
VERDICTS = ["SUPPORTED", "CONTRADICTED", "WRONG_PAGE", "MISQUOTED", "UNKNOWN_KEY", "NO_TEXT"]


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    path = tmp_path / "draft.md"
    path.write_text(DRAFT, encoding="utf-8")
    return path


def verify(workspace: Path, draft: Path, *more: str | Path) -> Done:
    return inside("verify", draft, "-p", "samples", *more, workspace=workspace)


def findings(done: Done) -> list[dict[str, Any]]:
    assert done.code in (0, 1), done.err
    found: list[dict[str, Any]] = done.json["findings"]
    return found


def test_each_fault_is_told_apart(samples: Path, draft: Path) -> None:
    found = findings(verify(samples, draft, "--json", "--fail-on", "MISQUOTED"))
    assert [one["verdict"] for one in found] == VERDICTS
    right, _, page, quote, unknown, _ = found
    assert "1.74 K cooler" in right["evidence"][0]["text"]
    assert right["evidence"][0]["page_label"] == "1"
    assert page["right_pages"] == ["2"]
    assert "exponentially" in quote["misquoted"][0]["closest"]
    assert unknown["close_keys"] == ["quillenbrookGridRandomTransect2019"]
    assert unknown["better"]["citekey"] == "quillenbrookGridRandomTransect2019"
    for one in found:
        claim = one["claim"]
        words = DRAFT[claim["start"] : claim["end"]]
        assert words.split()[0] == claim["text"].split()[0]


def test_exit_codes_and_the_second_time(samples: Path, draft: Path) -> None:
    done = verify(samples, draft, "--fail-on", "CONTRADICTED,UNKNOWN_KEY")
    assert done.code == 1, done.err
    assert "1 CONTRADICTED" in " ".join(done.out.split())
    again = verify(samples, draft, "--json", "--fail-on", "PARTIAL")
    assert again.code == 0
    assert again.json["cached"] == len(VERDICTS)
    assert verify(samples, draft, "--fail-on", "MAYBE").code == 2


def test_sarif_marks_the_claims(samples: Path, draft: Path, tmp_path: Path) -> None:
    log = tmp_path / "out.sarif"
    done = verify(samples, draft, "--format", "sarif", "-o", log, "--uncited")
    assert done.code == 0, done.err
    (run,) = json.loads(log.read_text("utf-8"))["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [one["ruleId"] for one in run["results"]] == VERDICTS
    lines = DRAFT.splitlines()
    for one in run["results"]:
        assert rules[one["ruleIndex"]] == one["ruleId"]
        region = one["locations"][0]["physicalLocation"]["region"]
        assert lines[region["startLine"] - 1][region["startColumn"] - 1].isupper()


def test_the_report_links_draft_and_sources(samples: Path, draft: Path) -> None:
    done = verify(samples, draft, "--format", "markdown")
    assert done.code == 0, done.err
    assert "## MISQUOTED" in done.out
    assert "draft.md#L7)" in done.out
    assert "](<doc://" in done.out


def test_numbers_and_short_quotations_that_stand_on_another_page(
    samples: Path, tmp_path: Path
) -> None:
    """Page 1 ends, and page 2 begins, within the sentence on the sensors."""
    moved = f"""The pond cooled the park by only 0.33 K at 100 m [@{PONDS}, p. 4].

The air at 100 m was cooler by “only 0.33 K” [@{PONDS}, p. 4].

The pond cooled the park by only 0.33 K at 100 m [@{PONDS}, p. 2].

Sensors at lamp posts stood 5, 25, 50 and 100 m from the shore [@{PONDS}, p. 2].
"""
    draft = tmp_path / "moved.md"
    draft.write_text(moved, encoding="utf-8")
    found = findings(verify(samples, draft, "--json", "--fail-on", "WRONG_PAGE"))
    assert [one["verdict"] for one in found] == [
        *("WRONG_PAGE", "WRONG_PAGE"),
        *("NOT_ESTABLISHED", "SUPPORTED"),
    ]
    assert [one["right_pages"] for one in found] == [["2"], ["1"], [], []]
    for one in found[:2]:
        assert "please check whether" in one["reasons"][0]
        assert "0.33 K" in one["evidence"][0]["text"]
    assert "are on p. 2, not on p. 4" in found[0]["reasons"][0]


TYPED = """# Ponds

At 5 m from the shore the air was on average 1.74 K cooler than in the reference
street (Szelkuti et al., 2022, p. 1). Quillenbrook and Émerant (2019) say that the square grid
has the smallest error. Reading twice helps (Bronsager & Galfyrud, 2020). The largest difference
between the sensors was 0.08 K [2]. It was measured in spring (May 2018), see Figure (2018).

# References

[1] Wexcombe, A. (2023). The unhurried page.
[2] Szélkuti, B., Marrowfield, C., & Henkenrath, D. (2022). TITLE
"""


def test_typed_citations_find_their_works(samples: Path, tmp_path: Path) -> None:
    title = next(one["title"] for one in ITEMS if one["id"] == PONDS)
    draft = tmp_path / "typed.md"
    draft.write_text(TYPED.replace("TITLE", title), encoding="utf-8")
    found = findings(verify(samples, draft, "--json"))
    assert [(one["written"], one["key"]) for one in found] == [
        ("Szelkuti et al., 2022", PONDS),
        ("Quillenbrook and Émerant, 2019", "quillenbrookGridRandomTransect2019"),
        ("Bronsager & Galfyrud, 2020", "Bronsager & Galfyrud, 2020"),
        ("[2]", PONDS),
    ]
    assert found[0]["verdict"] == "SUPPORTED"
    assert found[2]["verdict"] == "UNKNOWN_KEY"
    assert found[2]["close_keys"] == ["bronsagerSpacedRereadingTwoWeek2021"]
    shown = verify(samples, draft).out
    assert f"@{PONDS} (“Szelkuti et al., 2022”), p. 1" in shown
    assert "2021: another year)" in " ".join(shown.split())


def test_a_draft_without_citations_is_told_and_is_no_success(samples: Path, tmp_path: Path) -> None:
    draft = tmp_path / "bare.md"
    draft.write_text("Ponds cool the air by more than 1 K at night.\n", encoding="utf-8")
    done = verify(samples, draft)
    assert done.code == 2
    assert "no citation was recognised" in done.err
    assert "Boeing (2018)" in done.err
    assert verify(samples, draft, "--json").json["error"]["code"] == "NO_CITATIONS"
    listed = verify(samples, draft, "--uncited")
    assert listed.code == 0
    assert "no citation was recognised" in listed.out
