"""verify: what goes over the wire, what is refused, and drafts that take long."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import anyio
import orjson
import pytest
from mcp import Client
from support.folders import anywhere
from support.pending_answers import answered, ends

from citeloom.application.ports.verification import DraftMarkup, DraftText
from citeloom.application.projects.projects import ProjectChoice
from citeloom.application.verification.verify import VerifyRequest
from citeloom.domain.errors import CiteLoomError, InvalidSource, ProjectNotFound
from citeloom.domain.ingest import IngestRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.verification.drafts.draft import (
    CitedItem,
    Claim,
    EvidenceQuote,
    Finding,
    Position,
    QuoteDifference,
    Uncited,
    Verification,
    verdict_counts,
)
from citeloom.domain.verification.verdict import Verdict
from citeloom.infrastructure.mcp.answers import jobs as verified
from citeloom.infrastructure.mcp.contract.parameters import VerifyParameters
from citeloom.infrastructure.mcp.handlers import jobs as drafts_handlers
from citeloom.infrastructure.mcp.server import build_server
from citeloom.infrastructure.serving.jobs.background import Background
from citeloom.infrastructure.serving.served import Served, ServedParts

WORDS = "The grid had the smallest error at every sample size."
QUOTE = EvidenceQuote(
    text=WORDS,
    document_id="d",
    citekey="grids2019",
    citation="[@grids2019, p. 127]",
    title="Grids",
    start=0,
    end=len(WORDS),
    page=1,
    page_label="127",
    relevance=0.9,
    address="doc://d#pages=1",
    knowledge_uri="ndk://file/proj-local-p/d/$body",
)


def claim(line: int, text: str = "The grid is best.") -> Claim:
    return Claim(
        text=text,
        sentence=text,
        start=0,
        end=len(text),
        begins=Position(line=line, column=1),
        ends=Position(line=line, column=len(text) + 1),
        cited=(CitedItem(key="grids2019", start=0, end=1),),
    )


def finding(line: int, verdict: Verdict, **more: Any) -> Finding:
    given: dict[str, Any] = {
        "claim": claim(line),
        "key": "grids2019",
        "locator": "p. 3",
        "verdict": verdict,
        "confidence": 0.8123,
        "reasons": ("100% of the words stand in the evidence.",),
        "evidence": (QUOTE, QUOTE),
    }
    return Finding(**given | more)


def verification(*findings: Finding, **more: Any) -> Verification:
    given: dict[str, Any] = {
        "draft": "text",
        "format": "markdown",
        "project": "local/p",
        "model": "m",
        "judge": "j",
        "claims": len(findings),
        "counts": verdict_counts(findings),
        "findings": findings,
        "duration_seconds": 0.5,
    }
    return Verification(**given | more)


def test_what_is_wrong_is_told_in_full_and_the_rest_in_a_line() -> None:
    told = verified.verified(
        "job",
        verification(
            finding(3, Verdict.SUPPORTED), finding(5, Verdict.WRONG_PAGE, right_pages=("127",))
        ),
    )

    assert told == {
        "job_id": "job",
        "status": "done",
        "project": "local/p",
        "claims": 2,
        "citations": 2,
        "counts": {"SUPPORTED": 1, "WRONG_PAGE": 1},
        "findings": [
            {
                "line": 5,
                "verdict": "WRONG_PAGE",
                "basis": "exact",
                "confidence": 0.81,
                "cited": "@grids2019, p. 3",
                "claim": "The grid is best.",
                "reasons": ["100% of the words stand in the evidence."],
                "evidence": {
                    "quote": WORDS,
                    "citation": "[@grids2019, p. 127]",
                    "page": 1,
                    "address": "doc://d#pages=1",
                },
                "right_pages": ["127"],
            }
        ],
        "supported": ["3: @grids2019, p. 3 The grid is best."],
    }


def test_differences_close_keys_and_better_sources_are_told() -> None:
    difference = QuoteDifference(quote="falls linearly", closest="falls exponentially")
    quoted, unknown = verified.verified(
        "job",
        verification(
            finding(
                1,
                Verdict.MISQUOTED,
                misquoted=(difference,),
                reasons=("The source says “falls exponentially”.", "Another reason."),
            ),
            finding(2, Verdict.UNKNOWN_KEY, evidence=(), close_keys=("grids2018",), better=QUOTE),
        ),
    )["findings"]

    assert quoted["misquoted"] == [{"quote": "falls linearly", "closest": "falls exponentially"}]
    assert quoted["reasons"] == ["Another reason."], "what the difference says is not said twice"
    assert unknown["close_keys"] == ["grids2018"]
    assert unknown["better"]["citation"] == "[@grids2019, p. 127]"
    assert "evidence" not in unknown


def test_facts_without_a_citation_come_last_with_candidates() -> None:
    one = Uncited(claim=claim(9, "Ponds cool by 3 K."), candidates=(QUOTE,) * 3)
    told = verified.verified("job", verification(uncited=(one,)))

    assert told["counts"] == {"uncited": 1}
    assert told["uncited"][0]["claim"] == "Ponds cool by 3 K."
    assert len(told["uncited"][0]["candidates"]) == 2


def test_long_drafts_come_in_answers_of_bounded_size_that_miss_nothing() -> None:
    wordy = "A claim in very many words. " * 200
    findings = [
        finding(
            line,
            Verdict.UNSUPPORTED if line % 2 else Verdict.SUPPORTED,
            claim=claim(line, wordy),
            key="k" * 5_000,
            reasons=(wordy,) * 9,
            misquoted=(),
            evidence=(QUOTE.model_copy(update={"text": wordy}),),
        )
        for line in range(1, 101)
    ]
    found = verification(*findings, warnings=("odd",))
    lines: list[int] = []
    offset, answers = 0, 0
    while True:
        told = verified.verified("job", found, offset)
        assert len(orjson.dumps(told)) < verified.MOST_BYTES + 1_000
        assert ("warnings" in told) == (offset == 0)
        lines += [entry["line"] for entry in told.get("findings", ())]
        lines += [int(entry.split(":")[0]) for entry in told.get("supported", ())]
        answers += 1
        if "next" not in told:
            break
        offset = len(lines)
        assert told["left_out"] == 100 - offset
        assert told["next"] == f"jobs with this job_id and offset {offset}"

    assert lines == [*range(1, 101, 2), *range(2, 101, 2)]
    assert answers > 3


class Desk:
    """An application that verifies one draft; slow ones wait until they are let go."""

    def __init__(self) -> None:
        self.requests: list[VerifyRequest] = []
        self.go, self.half = threading.Event(), threading.Event()
        catalogue = SimpleNamespace(project=self._project, projects=tuple)
        self.stores = SimpleNamespace(catalogue=catalogue)
        self.folders = anywhere(catalogue)
        self.projects = SimpleNamespace(choice=ProjectChoice(catalogue=cast(Any, catalogue)))
        self.verification = SimpleNamespace(verify=self.verify, model_notice=lambda: None)
        self.ingest = SimpleNamespace(files=self.ingest_files)

    def verify(self, request: VerifyRequest, told: Callable[[int, int], None]) -> Verification:
        self.requests.append(request)
        if request.draft == Path("/gone.md"):
            raise InvalidSource("/gone.md: no such file")
        if isinstance(request.draft, DraftText) and "slow" in request.draft.text:
            told(1, 2)
            self.half.set()
            assert self.go.wait(10)
        told(2, 2)
        return verification(finding(1, Verdict.SUPPORTED))

    def ingest_files(self, *_: Any) -> Any:
        assert self.go.wait(10)
        raise InvalidSource("none")

    def _project(self, project_id: Any) -> Any:
        if project_id.value != "local/p":
            raise ProjectNotFound(project_id.value, ["local/p"])
        return SimpleNamespace(embedding_model=SimpleNamespace(name="m"))


@pytest.fixture
def desk() -> Desk:
    return Desk()


def verify(served: Served, **given: Any) -> dict[str, Any]:
    return answered(drafts_handlers.verify(served, VerifyParameters(**given)))


def test_a_text_and_a_path_reach_the_verb(served: Served, desk: Desk) -> None:
    assert verify(served, project="p", text="T [@k].")["status"] == "done"
    verify(served, project="p", text=r"T \cite{k}.", format="latex", uncited=True)
    verify(served, project="p", path="/draft.docx")

    text, latex, path = desk.requests
    assert text.draft == DraftText(text="T [@k].", markup=DraftMarkup.MARKDOWN)
    assert latex.draft == DraftText(text=r"T \cite{k}.", markup=DraftMarkup.LATEX)
    assert (text.uncited, latex.uncited) == (False, True)
    assert path.draft == Path("/draft.docx")


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({}, "MISSING_PARAMETER", "text"),
    ({"project": "p"}, "MISSING_PARAMETER", "text"),
    ({"text": "t"}, "MISSING_PARAMETER", "no projects yet"),
    ({"project": "p", "text": "t", "path": "/d.md"}, "INVALID_PARAMETER", "text"),
    ({"project": "p", "path": "/d.md", "format": "latex"}, "INVALID_PARAMETER", "format"),
    ({"job_id": "j", "text": "t"}, "INVALID_PARAMETER", "text"),
    ({"job_id": "j", "uncited": True}, "INVALID_PARAMETER", "uncited"),
    ({"job_id": "0" * 32}, "JOB_NOT_FOUND", "job of verify"),
    ({"project": "q", "text": "t"}, "INVALID_PROJECT", "local/q"),
    ({"project": "a b", "text": "t"}, "INVALID_PARAMETER", "a b"),
    ({"project": "p", "path": "/gone.md"}, "INVALID_SOURCE", "/gone.md"),
]


@pytest.mark.parametrize(("given", "code", "named"), REFUSED)
def test_what_cannot_be_meant_is_refused(
    served: Served, given: dict[str, Any], code: str, named: str
) -> None:
    with pytest.raises(CiteLoomError, match=named) as raised:
        verify(served, **given)

    assert raised.value.code == code


def test_a_draft_that_takes_long_gives_a_job_that_can_be_asked(served: Served, desk: Desk) -> None:
    told = verify(served, project="p", text="slow")
    assert desk.half.wait(10)
    again = verify(served, job_id=told["job_id"])

    assert again == {
        "job_id": told["job_id"],
        "status": "running",
        "project": "local/p",
        "checked": 1,
        "citations": 2,
        "next": "jobs with this job_id",
    }
    desk.go.set()
    while again["status"] != "done":
        again = verify(served, job_id=told["job_id"])
    assert again["counts"] == {"SUPPORTED": 1}


def test_a_verification_does_not_wait_for_an_ingest(
    served: Served, jobs: Background, desk: Desk
) -> None:
    ingest = jobs.ingests.submit(IngestRequest(project_id=ProjectId.parse("p"), sources=("a",)))

    assert verify(served, project="p", text="T [@k].")["status"] == "done"
    assert not ends(ingest, 0)


def test_what_is_sent_to_a_language_model_is_in_the_log(
    served: Served, desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    verify(served, project="p", text="T [@k].")
    assert caplog.text == ""
    desk.verification.model_notice = lambda: "sending claims to small at http://localhost:1"
    verify(served, project="p", text="T [@k].")
    assert "verify: sending claims to small at http://localhost:1" in caplog.text


def test_a_client_with_a_progress_token_hears_how_far_it_is(served: Served, desk: Desk) -> None:
    served = replace(served, patience=10.0)
    heard: list[tuple[float, float | None]] = []

    async def told(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total))
        assert message == "checking citations"
        desk.go.set()

    async def ask() -> Any:
        server = build_server(ServedParts(served))
        async with Client(server) as client:
            return await client.call_tool(
                "verify", {"project": "p", "text": "slow"}, progress_callback=told
            )

    result = anyio.run(ask)

    assert heard == [(1, 2)]
    assert result.structured_content["status"] == "done"
