"""Demonstration: ingests the sample library and prints three cited answers."""

import json
import os
from pathlib import Path

from citeloom.domain.ingest import IngestRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.search.request import QueryRequest
from citeloom.infrastructure.cli.search.hits_view import print_papers
from citeloom.infrastructure.cli.shared.output import print_text
from citeloom.infrastructure.cli.shared.progress import progress_display
from citeloom.infrastructure.cli.shared.terminal import quoted
from citeloom.infrastructure.composition.application import Application

_ANSWERS = 2


def demo_workspace() -> Path:
    """Where the demonstration is kept if no workspace is named."""
    return Path.cwd() / ".demo"


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
        request = QueryRequest(project_id=project, query_text=question, top_k=_ANSWERS)
        print_papers(opened.search.readable(opened.search.query(request)))
    place = quoted(os.path.relpath(opened.workspace.root))
    print_text(f'Next: citeloom query "a question" -p demo --workspace {place}')
