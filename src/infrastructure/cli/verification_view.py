"""Verification results as text on the terminal."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from citeloom.domain.documents.fidelity import uncertain_mark
from citeloom.domain.verification.drafts.draft import Claim, EvidenceQuote, Finding, Verification
from citeloom.domain.verification.report import basis, cited, cut, summary
from citeloom.domain.verification.verdict import Verdict

from .shared.output import console, print_styled, styled_text

if TYPE_CHECKING:
    from .shared.output import Styled

_STYLES = {
    Verdict.SUPPORTED: "green",
    Verdict.PARTIAL: "yellow",
    Verdict.NOT_ESTABLISHED: "yellow",
    Verdict.UNSUPPORTED: "red",
    Verdict.CONTRADICTED: "bold red",
    Verdict.WRONG_PAGE: "magenta",
    Verdict.MISQUOTED: "bold red",
    Verdict.UNKNOWN_KEY: "red",
    Verdict.NO_TEXT: "cyan",
}


def print_verification(verification: Verification) -> None:
    """Each finding under a line with its location and verdict; problems in full, supported claims
    in one line with their evidence; counts at the end."""
    out = console()
    for finding in verification.findings:
        _print_place(
            out,
            (f"{_at(verification, finding.claim)}  ", "dim"),
            (f"{finding.verdict.value:<17}", _STYLES[finding.verdict]),
            (f"{basis(finding):<12}", "dim"),
            (cited(finding), "bold"),
        )
        print_styled(out, (cut(finding.claim.text), ""), indent=4)
        for line in _lines(finding):
            print_styled(out, (line, "dim"), indent=6)
        out.print()
    for one in verification.uncited or ():
        _print_place(out, (f"{_at(verification, one.claim)}  no citation", "dim"))
        print_styled(out, (cut(one.claim.text), ""), indent=4)
        for quote in one.candidates:
            print_styled(out, (f"may cite {_quoted(quote)}", "dim"), indent=6)
        out.print()
    print_styled(out, (summary(verification), ""))


def _print_place(out: Any, *parts: "Styled") -> None:
    """A line that a terminal may wrap and that is not broken, so that its location opens."""
    out.print(styled_text(*parts), soft_wrap=True)


def _lines(finding: Finding) -> Iterator[str]:
    yield from finding.reasons
    for quote in finding.evidence[:1]:
        yield _quoted(quote)
    if finding.better is not None:
        yield f"better: {_quoted(finding.better)}"


def _quoted(quote: EvidenceQuote) -> str:
    cited = f"{quote.citation or quote.title or ''}{uncertain_mark(quote.text_uncertain)}"
    return f"“{cut(quote.text)}” {cited} {quote.address}"


def _at(verification: Verification, claim: Claim) -> str:
    """File, line and column, as editors and terminals open them."""
    file = claim.file or verification.draft
    return f"{file}:{claim.begins.line}:{claim.begins.column}"
