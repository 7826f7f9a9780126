"""The text of a verification."""

import re

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
from citeloom.infrastructure.cli.views.verification import print_verification


def a_claim(line: int, file: str | None = None) -> Claim:
    at = {"begins": Position(line=line, column=3), "ends": Position(line=line, column=12)}
    return Claim(text="It cools.", sentence="It cools.", start=2, end=11, file=file, **at)


def test_locations_open_in_editors(capsys: pytest.CaptureFixture[str]) -> None:
    findings = tuple(
        Finding(claim=claim, key="a2020", verdict=Verdict.SUPPORTED, reasons=())
        for claim in (a_claim(8), a_claim(4, "parts/one.tex"))
    )
    print_verification(
        Verification(
            draft="my draft.tex", format="latex", project="local/p", model="m", judge="rules",
            claims=2, counts=verdict_counts(findings), findings=findings,
            uncited=(Uncited(claim=a_claim(9)),), duration_seconds=0.1,
        )
    )  # fmt: skip
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
