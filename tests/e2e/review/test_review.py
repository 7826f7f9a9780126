"""``citeloom review`` on the sample library: what it prints, and that it survives its process."""

import json
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from support.command_line import environment, inside
from support.paths import LIBRARY
from support.research.command import QUESTION, make_old, squeezed

REPORT_QUESTIONS = (
    QUESTION,
    "What is the error of a square grid versus a transect?",
    "Who invented the zeppelin?",
)


def pages_of(papers: Path) -> dict[str, list[str]]:
    """The text of each page of each paper as another reader of PDFs sees it."""
    found = {}
    for path in sorted(papers.glob("*.pdf")):
        with pypdfium2.PdfDocument(path) as document:
            texts = [page.get_textpage().get_text_range() for page in document]
        found[path.name] = [squeezed(text.replace("\ufffe", "")) for text in texts]
    return found


def test_every_quotation_is_verbatim_at_its_offsets_and_on_its_page(samples: Path) -> None:
    from citeloom.application.review.requests import ReviewRequest
    from citeloom.domain.projects.project import ProjectId
    from citeloom.domain.research.session import Depth
    from citeloom.infrastructure.composition.application import open_application

    pages = pages_of(LIBRARY / "papers")
    project = ProjectId.parse("samples")
    opened = open_application(samples)
    checked = 0
    try:
        names = {
            one.document_id: Path(one.sources[0].path).name
            for one in opened.stores.catalogue.documents(project)
        }
        for question in REPORT_QUESTIONS:
            request = ReviewRequest(project_id=project, question=question, depth=Depth.EXTENDED)
            done = opened.research.review(request)
            documents = {one.id: one.document_id or "" for one in done.sources}
            spans = {one.id: one for one in done.spans}
            report = done.report or ""
            for citation in done.citations:
                (claim,) = (one for one in done.claims if one.id == citation.claim_id)
                span = spans[citation.evidence_span_id]
                document = documents[span.source_id]
                text = opened.stores.bundles.load(document).plain_text  # type: ignore[union-attr]
                assert report[claim.position_start : claim.position_end] == span.quote
                assert text[span.start_offset : span.end_offset] == span.quote
                on_paper = pages[names[document]]
                here = "".join(on_paper[region.page - 1] for region in _pages(span.regions))
                assert span.page == span.regions[0].page
                assert squeezed(span.quote) in on_paper[span.page - 1] or _crosses(span)
                assert all(word in here for word in map(squeezed, span.quote.split()))
                checked += 1
    finally:
        opened.close()
    assert checked >= 4


def _pages(regions: tuple[Any, ...]) -> list[Any]:
    return list({region.page: region for region in regions}.values())


def _crosses(span: Any) -> bool:
    return len(_pages(span.regions)) > 1


def review(workspace: Path, *more: str | Path, question: str = QUESTION) -> Any:
    return inside("review", question, "-p", "samples", *more, workspace=workspace)


def test_a_report_on_stdout_progress_on_stderr(samples: Path) -> None:
    done = review(samples, "--depth", "light")
    assert done.code == 0, done.err
    assert done.out.startswith(f"# {QUESTION}\n")
    assert "## Works cited" in done.out
    assert "[1/2]" in done.err
    assert "[1/2]" not in done.out


def test_json_is_one_document_with_positions_of_the_claims(samples: Path) -> None:
    done = review(samples, "--depth", "light", "--json")
    assert done.code == 0, done.err
    found = done.json
    assert found["status"] == "completed"
    for claim in found["claims"]:
        start, end = claim["position_start"], claim["position_end"]
        assert found["report"][start:end] == claim["claim_text"]
    assert found["verification_summary"]["supported"] == len(found["claims"])


def test_a_question_that_says_nothing_is_refused(samples: Path) -> None:
    done = review(samples, "--json", question=" ? ")
    assert done.code == 2
    assert done.json["error"]["code"] == "INVALID_PARAMETER"
    assert "it is empty" in done.err


KILLED_AT = ("tool_result", "synthesis_progress", "verification_summary")
one_kill_or_all = pytest.mark.parametrize(
    "kills", [1, pytest.param(len(KILLED_AT), marks=pytest.mark.faults)]
)
# Those that the issue names and that a review without a language model has.
TYPES = {
    "research_started", "plan_created", "step_started", "tool_call", "tool_result",
    "step_completed", "reflection_decision", "synthesis_started", "synthesis_progress",
    "claim_verified", "verification_summary", "research_completed", "error",
}  # fmt: skip


@one_kill_or_all
def test_events_are_streamed_and_a_review_survives_its_process(
    samples: Path, tmp_path: Path, kills: int
) -> None:
    """Stopped by Ctrl-C it is cancelled, killed it is found dead; resumed it ends as it would
    have ended, and all that happened is numbered on."""
    whole = tmp_path / "whole.md"
    done = review(samples, "--events", "-o", whole)
    assert done.code == 0, done.err
    events = [json.loads(line) for line in done.out.splitlines()]
    _numbered(events)
    assert events[0]["eventType"] == "research_started"
    assert events[-1]["eventType"] == "research_completed"
    told = {event["eventType"] for event in events}

    for count, kind in enumerate(("step_started", *KILLED_AT[-kills:])):
        number = signal.SIGKILL if count else signal.SIGINT
        id, code = _cut_off(samples, number, kind)
        if number == signal.SIGINT:
            assert code == 130
        else:
            if count == 1:
                busy = inside("session", "resume", id, workspace=samples)
                assert busy.code == 3
                assert "another process works on it" in busy.err
            make_old(samples, id)
        again = tmp_path / f"{count}.md"
        resumed = inside("session", "resume", id, "-o", again, workspace=samples)
        assert resumed.code == 0, resumed.err
        assert again.read_text("utf-8") == whole.read_text("utf-8")
    kept = inside("session", "events", id, workspace=samples)
    replayed = [json.loads(line) for line in kept.out.splitlines()]
    _numbered(replayed)
    assert told | {event["eventType"] for event in replayed} >= TYPES
    after = inside("session", "events", id, "--after", "7", workspace=samples)
    assert after.out.splitlines() == kept.out.splitlines()[7:]


def _numbered(events: list[dict[str, Any]]) -> None:
    """From 1 without gaps, and in camelCase."""
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
    for event in events:
        assert all("_" not in name and name[0].islower() for name in event)


# A review that sends itself a signal when it has printed the first event of a kind.
_CUT_OFF = """
import os, sys
from citeloom.infrastructure.cli.app import main
from citeloom.infrastructure.cli.shared import output
number, wanted = int(sys.argv.pop(1)), [f'"eventType":"{sys.argv.pop(1)}"'.encode()]
print_bytes = output.print_bytes
def print_and_signal(line):
    print_bytes(line)
    if wanted and wanted[0] in line:
        wanted.clear()
        os.kill(os.getpid(), number)
output.print_bytes = print_and_signal
main()
"""


def _cut_off(workspace: Path, number: int, kind: str) -> tuple[str, int]:
    """The session of a review that got a signal at the first event of that kind; its exit code."""
    asked = ["review", QUESTION, "-p", "samples", "--events", "--workspace", str(workspace)]
    done = subprocess.run(
        [sys.executable, "-c", _CUT_OFF, str(number), kind, *asked],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        env=environment(),
        check=False,
    )
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert kind in {event["eventType"] for event in events}
    id = str(events[0]["sessionId"])
    assert _status(workspace, id) != "completed"
    return id, done.returncode


def _status(workspace: Path, id: str) -> str:
    with closing(sqlite3.connect(workspace / ".citeloom" / "catalogue.sqlite")) as database:
        found = database.execute("SELECT status FROM research_sessions WHERE id = ?", (id,))
        return str(found.fetchone()[0])
