"""The wiring of *verify*."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citeloom.application.verifying.verify import Verify
    from citeloom.infrastructure.bootstrap import Application


def verify(application: "Application") -> "Verify":
    """The verb, over the application's own stores."""
    from citeloom.application.verifying.core import CoreJudge
    from citeloom.application.verifying.verify import Verify
    from citeloom.infrastructure.clock import SystemClock
    from citeloom.infrastructure.drafts.files import DraftFiles
    from citeloom.infrastructure.references.file import FileReferenceReader
    from citeloom.infrastructure.storage.findings import FindingFile

    return Verify(
        catalogue=application.catalogue,
        bundles=application.bundles,
        searcher=application.searcher,
        references=FileReferenceReader(),
        drafts=DraftFiles(),
        judge=CoreJudge(),
        cache=FindingFile(application.workspace.home / "verified" / "findings.jsonl"),
        clock=SystemClock(),
    )
