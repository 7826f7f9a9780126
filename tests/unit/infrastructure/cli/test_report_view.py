"""The text of a verification, and files of reports."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from citeloom.domain.verification.drafts.draft import (
    Claim,
    Finding,
    Position,
    Uncited,
    Verification,
    verdict_counts,
)
from citeloom.domain.verification.report import markdown_report
from citeloom.domain.verification.verdict import Verdict
from citeloom.infrastructure.cli import review, sessions
from citeloom.infrastructure.cli.views.verification import print_verification
from citeloom.infrastructure.http.reports import verification_file


def a_claim(line: int, file: str | None = None) -> Claim:
    at = {"begins": Position(line=line, column=3), "ends": Position(line=line, column=12)}
    return Claim(text="It cools.", sentence="It cools.", start=2, end=11, file=file, **at)


def checked(draft: str, *files: str) -> Verification:
    """A draft of which a claim stands in each of the files that it includes."""
    findings = tuple(
        Finding(claim=claim, key="a2020", verdict=Verdict.SUPPORTED, reasons=())
        for claim in (a_claim(8), *(a_claim(4, file) for file in files))
    )
    return Verification(
        draft=draft, format="latex", project="local/p", model="m", judge="rules",
        claims=2, counts=verdict_counts(findings), findings=findings,
        uncited=(Uncited(claim=a_claim(9)),), duration_seconds=0.1,
    )  # fmt: skip


def test_reports_name_files_without_the_folders_of_the_machine() -> None:
    found = checked("/home/ada/thesis.tex", "/home/ada/parts/one.tex", "/mnt/two.tex")
    html = verification_file(found, lambda _: None, str)
    assert "<title>Verification of thesis.tex</title>" in html
    assert "/home/" not in html
    assert "/mnt/" not in html
    lines = markdown_report(found).splitlines()
    assert lines[0] == "# Verification of thesis.tex"
    for file, name in (("home/ada/parts/one", "parts/one"), ("mnt/two", "two")):
        assert any(f"[{name}.tex, line 4](/{file}.tex#L4)" in one for one in lines)
        assert f"{name}.tex, line 4" in html


def test_the_file_of_a_review_has_the_format_of_its_suffix(monkeypatch: pytest.MonkeyPatch) -> None:
    def content(_: object, id: str, chosen: str, *_more: object) -> tuple[str, tuple[str, ...]]:
        return f"{id} as {chosen}", ()

    saved: dict[str, str] = {}
    opened: Any = SimpleNamespace(save=lambda file, text: saved.update({file.suffix: text}))
    result: Any = SimpleNamespace(warnings=(), report="# Ponds", claims=(), session_id="s1")
    monkeypatch.setattr(sessions, "content", content)
    for file in map(Path, ("r", "r.md", "r.HTML", "r.docx")):
        review._print(opened, result, events=True, as_json=False, file=file)
    assert saved == {
        "": "# Ponds", ".md": "# Ponds", ".HTML": "s1 as html", ".docx": "s1 as docx",
    }  # fmt: skip


def test_locations_open_in_editors(capsys: pytest.CaptureFixture[str]) -> None:
    print_verification(checked("my draft.tex", "parts/one.tex"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("my draft.tex:8:3  SUPPORTED")
    assert any(line.startswith("parts/one.tex:4:3  SUPPORTED") for line in lines)
    assert any(line.startswith("my draft.tex:9:3  no citation") for line in lines)
    assert "1 fact without a citation" in lines[-1]


def test_what_is_to_be_mended_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    written = (
        Verdict.SUPPORTED, Verdict.NOT_ESTABLISHED, Verdict.PARTIAL, Verdict.UNSUPPORTED,
        Verdict.WRONG_PAGE, Verdict.CONTRADICTED,
    )  # fmt: skip
    findings = tuple(
        Finding(claim=a_claim(n), key="a2020", verdict=verdict, reasons=())
        for n, verdict in enumerate(written, start=1)
    )
    result = Verification(
        draft="d.md", format="markdown", project="local/p", model="m", judge="rules",
        claims=6, counts=verdict_counts(findings), findings=findings, duration_seconds=0.1,
    )  # fmt: skip
    print_verification(result)
    shown = re.findall(r"d\.md:\d:3  (\w+)", capsys.readouterr().out)
    headings = re.findall(r"## (\w+)", markdown_report(result))
    counted = [verdict.value for verdict, count in result.counts.items() if count]
    order = "CONTRADICTED UNSUPPORTED WRONG_PAGE PARTIAL NOT_ESTABLISHED SUPPORTED".split()
    assert shown == headings == counted == order
