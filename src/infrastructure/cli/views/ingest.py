"""Summary of an ingest, as a table."""

from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.infrastructure.cli.shared.run import note, warn
from citeloom.infrastructure.cli.shared.terminal import print_line

if TYPE_CHECKING:
    from citeloom.domain.ingest import DocumentReport, IngestResult

_SHOWN = 10


def show(result: "IngestResult") -> None:
    """A table of changes and a line of counts."""
    from citeloom.domain.ingest import provisional_citations
    from citeloom.infrastructure.cli.shared.output import in_words, print_table

    warn(result.warnings)
    _warnings(result)
    for document in result.documents:
        if document.error:
            note(f"failed: {in_words(document.error)}")
    counts: dict[str, int] = {}
    for document in result.documents:
        counts[document.status.value] = counts.get(document.status.value, 0) + 1
    rows = [
        (
            document.status.value,
            document.citekey or "-",
            str(document.pages) if document.pages else "-",
            str(document.chunks),
            Path(document.source).name,
        )
        for document in result.documents
        if document.status.value != "unchanged"
    ]
    if rows:
        print_table(None, ("Status", "Citation key", "Pages", "Passages", "File"), rows)
    _also_cited(result)
    if unnamed := provisional_citations(result):
        warn([unnamed])
    summary = ", ".join(f"{n} {status}" for status, n in counts.items()) or "no files"
    removed = f", {result.documents_removed} removed" if result.documents_removed else ""
    print_line(
        f"{result.project}: {summary}{removed}{_cited_anew(result)}; "
        f"{result.chunks_written} passages written, {result.chunks_total} in all; "
        f"{result.duration_seconds:.1f} s"
    )


def _cited_anew(result: "IngestResult") -> str:
    if not result.citations_updated:
        return ""
    labels = result.page_labels_updated
    with_labels = f" ({labels} with other page labels)" if labels else ""
    return f"; {result.citations_updated} cited anew{with_labels}"


def _warnings(result: "IngestResult") -> None:
    """All warnings about files, but that an item is missing, which a line says for all; of a
    library, which may be large, the first ones about changes."""
    from citeloom.domain.messages import UserMessage, WarningCode, prefixed

    warnings = [
        prefixed(f"{Path(document.source).name}: ", warning)
        for document in result.documents
        if result.library is None or document.status.value != "unchanged"
        for warning in document.warnings
        if not (isinstance(warning, UserMessage) and warning.code is WarningCode.NO_CITATION)
    ]
    printed = warnings if result.library is None else warnings[:_SHOWN]
    warn(printed)
    if len(warnings) > len(printed):
        note(f"and {len(warnings) - len(printed)} more warnings; --json tells all")


def _also_cited(result: "IngestResult") -> None:
    """Documents that could be cited as other items as well, and the rule that decided."""
    changed = [d for d in result.documents if d.alternatives and d.status.value != "unchanged"]
    lines = {_alternatives(document): None for document in changed}
    for text in list(lines)[:_SHOWN]:
        note(text)
    if len(lines) > _SHOWN:
        note(f"and {len(lines) - _SHOWN} more of this kind; --json tells all")
    if lines and result.library is not None and result.library.rule is not None:
        note(f"the rule: {result.library.rule}")


def _alternatives(document: "DocumentReport") -> str:
    others = ", ".join(f"{one.citekey} ({one.why})" for one in document.alternatives)
    return f"cited as {document.citekey}, not as {others}"
