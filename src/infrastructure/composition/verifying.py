"""The wiring of *verify*."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citeloom.application.verification.verify import Verify
    from citeloom.infrastructure.composition.application import Application


def verify(application: "Application") -> "Verify":
    """The verb, over the application's own stores."""
    from citeloom.application.verification.rule_judge import CoreJudge
    from citeloom.application.verification.verify import Verify
    from citeloom.infrastructure.references.reader import FileReferenceReader
    from citeloom.infrastructure.system.clock import SystemClock
    from citeloom.infrastructure.verification.drafts.reader import DraftFiles
    from citeloom.infrastructure.verification.finding_cache import FindingFile

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
