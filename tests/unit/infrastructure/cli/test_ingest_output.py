"""What an ingest says: progress by paper, one line a kind of warning, and what was done."""

import pytest
from support.world import PONDS, World

from citeloom.domain.ingest import DocumentReport, DocumentStatus, IngestResult
from citeloom.infrastructure.cli.ingest import show
from citeloom.infrastructure.cli.projects import delete
from citeloom.infrastructure.cli.shared.progress import LineProgress, time_left


def report(number: int, *warnings: str) -> DocumentReport:
    return DocumentReport(
        source=f"/papers/p{number}.pdf",
        status=DocumentStatus.ADDED,
        citekey=f"key{number}",
        warnings=warnings,
    )


@pytest.mark.parametrize(
    ("elapsed", "done", "total", "left"),
    [
        (30.0, 1, 1, ""),
        (1.0, 1, 10, ""),
        (30.0, 1, 3, "about 60 s left"),
        (30.0, 1, 41, "about 20 min left"),
    ],
)
def test_the_time_left_is_known_from_the_first_paper(
    elapsed: float, done: int, total: int, left: str
) -> None:
    assert time_left(elapsed, done, total) == left


def test_a_line_of_progress_has_the_key(capsys: pytest.CaptureFixture[str]) -> None:
    progress = LineProgress()
    progress.begin(2)
    progress.done(report(1))
    assert capsys.readouterr().err == "[1/2] added key1 (p1.pdf)\n"


def shown(result: IngestResult, capsys: pytest.CaptureFixture[str], *, verbose: bool) -> list[str]:
    show(result, verbose=verbose)
    return [line for line in capsys.readouterr().err.splitlines() if "hidden" in line]


def test_warnings_of_one_kind_are_one_line(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.write("ponds.md", PONDS)
    documents = tuple(
        report(n, f"page {n}: {n}00 hidden words", "other, hidden") for n in (1, 2, 3)
    )
    result = world.ingest().model_copy(update={"documents": documents})
    assert shown(result, capsys, verbose=False) == [
        "warning: 3 papers, as p1.pdf: page 1: 100 hidden words",
        "warning: 3 papers, as p1.pdf: other, hidden",
    ]
    assert len(shown(result, capsys, verbose=True)) == 6


def test_a_deletion_is_reported(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.ingest()
    done = delete(world.application, "thesis", yes=True)
    assert done.shown == "Deleted project local/thesis (1 paper)."
