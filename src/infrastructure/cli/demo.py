"""Demonstration: ingests the sample library and prints three cited answers."""

import json
from pathlib import Path

from citeloom.domain.ingest.request import IngestRequest
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.search.request import QueryRequest
from citeloom.infrastructure.cli.search.result_view import print_hits
from citeloom.infrastructure.cli.shared.output import print_text
from citeloom.infrastructure.cli.shared.progress import progress_display
from citeloom.infrastructure.composition.application import Application

_ANSWERS = 2


def sample_library() -> Path | None:
    """``references/`` of the checkout that this package was installed from, or of the
    current folder; None where neither holds it."""
    for root in (Path(__file__).resolve().parents[3], Path.cwd()):
        if (root / "references" / "questions.json").is_file():
            return root / "references"
    return None


def show_demo(opened: Application, library: Path) -> None:
    """Ingest, then print each question with its best passages."""
    project = ProjectId.parse("demo")
    with progress_display() as progress:
        result = opened.ingest.files(
            IngestRequest(
                project_id=project,
                sources=(str(library / "papers"),),
                references=str(library / "library.csl.json"),
            ),
            progress,
        )
    print_text(
        f"{len(result.documents)} papers, {result.chunks_total} passages "
        f"({result.chunks_written} new) in {result.duration_seconds:.1f} s\n"
    )
    for entry in json.loads((library / "questions.json").read_text(encoding="utf-8")):
        question = entry["question"]
        print_text(f"? {question}\n")
        print_hits(
            opened.search.query(
                QueryRequest(project_id=project, query_text=question, top_k=_ANSWERS)
            )
        )
