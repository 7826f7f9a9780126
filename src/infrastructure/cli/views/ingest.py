"""Summary of an ingest, as a table."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from citeloom.infrastructure.cli.shared.run import note, warn
from citeloom.infrastructure.cli.shared.terminal import print_line

if TYPE_CHECKING:
    from citeloom.domain.ingest import DocumentReport, IngestResult

#: What differs between two warnings of one kind.
_DETAILS: Final = re.compile(r"[‘“'\"].*?[’”'\"]|\d+(?:[-–, ]+\d+)*")


def show(result: "IngestResult", *, verbose: bool = False) -> None:
    """A table of changes and a line of counts; warnings of one kind are one line, unless
    ``verbose``."""
    from citeloom.domain.ingest import provisional_citations
    from citeloom.infrastructure.cli.shared.output import in_words, print_table

    warn(result.warnings)
    _warnings(result, verbose=verbose)
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
        cut = {"File": 12}
        print_table(None, ("Status", "Citation key", "Pages", "Passages", "File"), rows, cut)
    _also_cited(result, verbose=verbose)
    if unnamed := provisional_citations(result):
        warn([unnamed])
    summary = ", ".join(f"{n} {status}" for status, n in counts.items()) or "no files"
    removed = f", {result.documents_removed} removed" if result.documents_removed else ""
    print_line(
        f"{result.project}: {summary}{removed}{_cited_again(result)}; "
        f"{result.chunks_written} passages written, {result.chunks_total} in all; "
        f"{result.duration_seconds:.1f} s"
    )


def _cited_again(result: "IngestResult") -> str:
    from citeloom.domain.text.phrasing import counted

    if not result.citations_updated:
        return ""
    papers = counted(result.citations_updated, "paper has", "papers have")
    labels = result.page_labels_updated
    return f"; {papers} a new citation{f', {labels} with new page labels' if labels else ''}"


def _warnings(result: "IngestResult", *, verbose: bool) -> None:
    """Warnings about files that changed, or about all files outside a library; one line a kind. A
    line of its own says for all that items are missing."""
    from citeloom.domain.messages import UserMessage, WarningCode, prefixed

    kinds: dict[str, list[str]] = {}
    for document in result.documents:
        for warning in document.warnings:
            if isinstance(warning, UserMessage) and warning.code is WarningCode.NO_CITATION:
                continue
            if result.library is None or document.status.value != "unchanged":
                named = prefixed(f"{Path(document.source).name}: ", warning)
                kinds.setdefault(_DETAILS.sub("", warning), []).append(named)
    for of_kind in kinds.values():
        if verbose or len(of_kind) == 1:
            warn(of_kind)
        else:
            warn([prefixed(f"{len(of_kind)} papers, as ", of_kind[0])])
    if not verbose and any(of_kind[1:] for of_kind in kinds.values()):
        note("--verbose lists each paper")


def _also_cited(result: "IngestResult", *, verbose: bool) -> None:
    """Documents that could be cited as other items as well, and the rule that decided."""
    changed = [d for d in result.documents if d.alternatives and d.status.value != "unchanged"]
    lines = list(dict.fromkeys(map(_alternatives, changed)))
    for text in lines if verbose else lines[:1]:
        note(text)
    if lines[1:] and not verbose:
        note(f"{len(lines) - 1} more papers fit several items; --verbose lists them")
    if lines and result.library is not None and result.library.rule is not None:
        note(f"the rule: {result.library.rule}")


def _alternatives(document: "DocumentReport") -> str:
    others = ", ".join(f"{one.citekey} ({one.why})" for one in document.alternatives)
    return f"cited as {document.citekey}, not as {others}"
