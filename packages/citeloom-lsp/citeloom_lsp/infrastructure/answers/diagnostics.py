"""Findings as diagnostics of the protocol."""

from collections.abc import Iterable, Iterator
from typing import Final

from lsprotocol import types

from citeloom.domain.documents.fidelity import uncertain_mark
from citeloom.domain.text.phrasing import on_one_line
from citeloom.domain.verification.drafts.findings import EvidenceQuote, Finding
from citeloom.domain.verification.verdict import MEANINGS, Severity, Verdict
from citeloom.domain.writing.placed_findings import PlacedFinding
from citeloom_lsp.infrastructure.buffers import Buffer

SOURCE: Final = "citeloom"
_SEVERITIES: Final = {
    Severity.NOTE: types.DiagnosticSeverity.Information,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.ERROR: types.DiagnosticSeverity.Error,
}


def diagnostics(buffer: Buffer, findings: Iterable[PlacedFinding]) -> list[types.Diagnostic]:
    """One for each finding that is not SUPPORTED; its code is the verdict."""
    return [diagnostic(buffer, one) for one in findings if is_shown(one.finding)]


def is_shown(finding: Finding) -> bool:
    return MEANINGS[finding.verdict][0] is not Severity.NONE


def claim_diagnostics(buffer: Buffer, findings: Iterable[Finding]) -> list[types.Diagnostic]:
    """The same for findings at their claims."""
    return [
        _diagnostic(buffer, one, (one.claim.start, one.claim.end))
        for one in findings
        if is_shown(one)
    ]


def diagnostic(buffer: Buffer, placed: PlacedFinding) -> types.Diagnostic:
    return _diagnostic(buffer, placed.finding, placed.shown)


def _diagnostic(buffer: Buffer, finding: Finding, span: tuple[int, int]) -> types.Diagnostic:
    severity = MEANINGS[finding.verdict][0]
    return types.Diagnostic(
        range=buffer.range(*span),
        severity=_SEVERITIES[severity],
        code=finding.verdict.value,
        source=SOURCE,
        message="\n".join(_lines(finding)),
    )


def _lines(finding: Finding) -> Iterator[str]:
    cited = f"{finding.key}, {finding.locator}" if finding.locator else finding.key
    yield f"{cited}: {MEANINGS[finding.verdict][1]}"
    yield from map(on_one_line, finding.reasons)
    if finding.evidence and finding.verdict is not Verdict.UNKNOWN_KEY:
        yield _quoted(finding.evidence[0])
    if finding.better is not None:
        yield f"Better: {_quoted(finding.better)}"


def _quoted(quote: EvidenceQuote) -> str:
    cited = quote.citation or quote.title or ""
    return f"“{on_one_line(quote.text)}” {cited}{uncertain_mark(quote.text_uncertain)}"
