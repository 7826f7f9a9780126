"""Files that were sent: which of them are read by one ingest."""

from collections.abc import Sequence
from pathlib import Path

from citeloom.domain.ingest import IngestRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.http.uploads import joined
from citeloom.infrastructure.system.workspace import upload_folder

HERE = ProjectId.parse("thesis")
FOLDER = upload_folder(Path("/home/ada"), HERE)


def request(*names: str, references: Sequence[str] = (), **changes: object) -> IngestRequest:
    sources = tuple(str(FOLDER / name) for name in names)
    cited = tuple(str(FOLDER / one) for one in references)
    made = IngestRequest(project_id=HERE, sources=sources, references=cited)
    return made.model_copy(update=changes)


def test_files_of_one_project_are_one_ingest_with_the_latest_references_first() -> None:
    both = joined(request("a.pdf", references=["old.bib"]), request("b.pdf", "a.pdf"))
    assert both == request("a.pdf", "b.pdf", references=["old.bib"])
    assert joined(request("a.pdf", references=["old.bib"]), request(references=["new.bib"])) == (
        request("a.pdf", references=["new.bib", "old.bib"])
    )


def test_what_was_not_sent_or_is_asked_otherwise_is_another_ingest() -> None:
    sent = request("a.pdf")
    others = [
        request("b.pdf", project_id=ProjectId.parse("other")),
        request("b.pdf", force=True),
        IngestRequest(project_id=HERE, sources=("/home/ada/papers/b.pdf",)),
        IngestRequest(project_id=HERE, sources=(), references=("/home/ada/all.bib",)),
    ]
    for other in others:
        assert joined(sent, other) is None
        assert joined(other, sent) is None
