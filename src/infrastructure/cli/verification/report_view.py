"""Verification results as text: on the terminal and as a Markdown report."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import quote as percent_encoded

from citeloom.domain.documents.fidelity import uncertain_mark
from citeloom.domain.text.phrasing import counted, on_one_line, shortened
from citeloom.domain.verification.drafts.claim_extraction import Claim
from citeloom.domain.verification.drafts.findings import (
    EvidenceQuote,
    Finding,
    Verification,
)
from citeloom.domain.verification.verdict import Verdict
from citeloom.infrastructure.cli.shared.output import console, print_styled, styled_text

if TYPE_CHECKING:
    from citeloom.infrastructure.cli.shared.output import Styled

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
_TROUBLE = [verdict for verdict in Verdict if verdict is not Verdict.SUPPORTED]
_MARKUP = re.compile(r"([\\`*_\[\]<>|#])")
_LONGEST = 400


def print_verification(verification: Verification) -> None:
    """Each finding under a line with its location and verdict; problems in full, supported claims
    in one line with their evidence; counts at the end."""
    out = console()
    for finding in verification.findings:
        _print_place(
            out,
            (f"{_at(verification, finding.claim)}  ", "dim"),
            (f"{finding.verdict.value:<17}", _STYLES[finding.verdict]),
            (f"{_basis(finding):<12}", "dim"),
            (_cited(finding), "bold"),
        )
        print_styled(out, (_cut(finding.claim.text), ""), indent=4)
        for line in _lines(finding):
            print_styled(out, (line, "dim"), indent=6)
        out.print()
    for one in verification.uncited or ():
        _print_place(out, (f"{_at(verification, one.claim)}  no citation", "dim"))
        print_styled(out, (_cut(one.claim.text), ""), indent=4)
        for quote in one.candidates:
            print_styled(out, (f"may cite {_quoted(quote)}", "dim"), indent=6)
        out.print()
    print_styled(out, (summary(verification), ""))


def _print_place(out: Any, *parts: "Styled") -> None:
    """A line that a terminal may wrap and that is not broken, so that its location opens."""
    out.print(styled_text(*parts), soft_wrap=True)


def summary(verification: Verification) -> str:
    counts = ", ".join(
        f"{count} {verdict}" for verdict, count in verification.counts.items() if count
    )
    again = f", {verification.cached} of them as before" if verification.cached else ""
    missing = (
        f"; {counted(len(verification.uncited), 'fact')} without a citation"
        if verification.uncited
        else ""
    )
    return (
        f"{counted(len(verification.findings), 'citation')} of "
        f"{counted(verification.claims, 'claim')} in "
        f"{verification.duration_seconds:.1f} s{again}: "
        f"{counts or 'no citation was recognised'}{missing}"
    )


def markdown_report(verification: Verification) -> str:
    """Problems first, by verdict; then supported claims. Locations link into the draft."""
    lines = [f"# Verification of {_plain(verification.draft)}", "", summary(verification) + ".", ""]
    lines += ["| Verdict | Citations |", "|---|---:|"]
    lines += [f"| {v.value} | {count} |" for v, count in verification.counts.items() if count]
    for verdict in (*_TROUBLE, Verdict.SUPPORTED):
        of_verdict = [finding for finding in verification.findings if finding.verdict is verdict]
        if of_verdict:
            lines += ["", f"## {verdict.value}", ""]
            for finding in of_verdict:
                lines += _markdown(verification, finding)
    if verification.uncited:
        lines += ["", "## Facts without a citation", ""]
        for one in verification.uncited:
            lines.append(f"- {_link(verification, one.claim)}: {_plain(one.claim.text)}")
            lines += [f"    - may cite {_markdown_quote(quote)}" for quote in one.candidates]
    return "\n".join(lines)


def _markdown(verification: Verification, finding: Finding) -> Iterator[str]:
    where = _link(verification, finding.claim)
    yield f"- {where}, {_plain(_cited(finding))}{_in_brackets(finding)}:"
    yield f"  {_plain(finding.claim.text)}"
    for reason in finding.reasons:
        yield f"    - {_plain(reason)}"
    for quote in finding.evidence[:1]:
        yield f"    - {_markdown_quote(quote)}"
    if finding.better is not None:
        yield f"    - better: {_markdown_quote(finding.better)}"


def _markdown_quote(quote: EvidenceQuote) -> str:
    cited = f"`{quote.citation}`" if quote.citation else ""
    marked = f"{cited}{uncertain_mark(quote.text_uncertain)} ".lstrip()
    return f"“{_plain(_cut(quote.text))}” {marked}[{_plain(quote.address)}](<{quote.address}>)"


def _link(verification: Verification, claim: Claim) -> str:
    line, file = claim.begins.line, f"{_plain(claim.file)}, " if claim.file else ""
    return f"[{file}line {line}]({percent_encoded(claim.file or verification.draft)}#L{line})"


def _lines(finding: Finding) -> Iterator[str]:
    yield from finding.reasons
    for quote in finding.evidence[:1]:
        yield _quoted(quote)
    if finding.better is not None:
        yield f"better: {_quoted(finding.better)}"


def _quoted(quote: EvidenceQuote) -> str:
    cited = f"{quote.citation or quote.title or ''}{uncertain_mark(quote.text_uncertain)}"
    return f"“{_cut(quote.text)}” {cited} {quote.address}"


def _cited(finding: Finding) -> str:
    if finding.written == finding.key:
        named = f"“{finding.key}”"
    else:
        named = f"@{finding.key}" + (f" (“{finding.written}”)" if finding.written else "")
    return named + (f", {finding.locator}" if finding.locator else "")


def _basis(finding: Finding) -> str:
    """*exact*, *judged 0.83*, or nothing."""
    confidence = "" if finding.confidence is None else f" {finding.confidence:.2f}"
    return f"{finding.basis or ''}{confidence}"


def _in_brackets(finding: Finding) -> str:
    return f" ({basis})" if (basis := _basis(finding)) else ""


def _at(verification: Verification, claim: Claim) -> str:
    """File, line and column, as editors and terminals open them."""
    file = claim.file or verification.draft
    return f"{file}:{claim.begins.line}:{claim.begins.column}"


def _cut(text: str) -> str:
    return shortened(on_one_line(text), _LONGEST)


def _plain(text: str) -> str:
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))
