"""Documents that an ingest stored without citation keys."""

from citeloom.domain.ingest.report import DocumentStatus, IngestResult
from citeloom.domain.messages import Action, NextStep, UserMessage, WarningCode
from citeloom.domain.text.phrasing import counted


def missing_keys(result: IngestResult) -> UserMessage | None:
    """The way to citations, if nothing was looked up for new documents: no reference file is
    known. None for libraries, whose documents are those of items."""
    looked_up = any(
        isinstance(warning, UserMessage) and warning.code is WarningCode.NO_CITATION
        for document in result.documents
        for warning in document.warnings
    )
    new = [one for one in result.documents if one.status is DocumentStatus.ADDED]
    if result.library is not None or looked_up or not new or any(one.citekey for one in new):
        return None
    has = "has" if len(new) == 1 else "have"
    step = NextStep(Action.ADD_REFERENCES, project=result.project)
    return UserMessage(f"{counted(len(new), 'document')} {has} no citation key", step)
