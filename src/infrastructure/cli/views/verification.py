"""Verification results: as text on the terminal, and as SARIF 2.1.0 for editors and CI.

SARIF is an OASIS standard (2020). One rule per verdict; a result for each finding, at the
characters of the claim in the draft.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote as quoted_url

from citeloom.domain.documents.fidelity import uncertain_mark
from citeloom.domain.verification.drafts.draft import (
    Claim,
    EvidenceQuote,
    Finding,
    Uncited,
    Verification,
)
from citeloom.domain.verification.report import (
    MarkedPiece,
    basis,
    by_verdict,
    cited,
    compared,
    cut,
    shown_evidence,
    summary,
)
from citeloom.domain.verification.verdict import MEANINGS, Severity, Verdict
from citeloom.infrastructure.cli.shared.output import console, print_styled, styled_text

if TYPE_CHECKING:
    from citeloom.infrastructure.cli.shared.output import Styled

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
_UNCITED = "UNCITED"
_PLACEHOLDER = re.compile(r"\{(\d+)\}")
_LINK = re.compile(r"\[([^\[\]]*)\]\(")
_RULES: Final[Mapping[str, tuple[Severity, str]]] = {
    **{verdict.value: meaning for verdict, meaning in MEANINGS.items()},
    _UNCITED: (Severity.NOTE, "A fact without a citation."),
}


def sarif_log(verification: Verification) -> dict[str, Any]:
    from citeloom import __version__

    results = [_result(verification, finding) for finding in verification.findings]
    results += [_uncited(verification, one) for one in verification.uncited or ()]
    rules = [
        {
            "id": name,
            "shortDescription": {"text": text},
            "defaultConfiguration": {"level": level.value},
        }
        for name, (level, text) in _RULES.items()
    ]
    driver = {"name": "citeloom", "version": __version__, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(verification: Verification, finding: Finding) -> dict[str, Any]:
    cited = f"{finding.key}" + (f", {finding.locator}" if finding.locator else "")
    parts = [f"{cited}: {_RULES[finding.verdict.value][1]}", *finding.reasons]
    for quote_ in shown_evidence(finding) if finding.verdict is not Verdict.UNKNOWN_KEY else ():
        mark = uncertain_mark(quote_.text_uncertain)
        parts.append(f"“{' '.join(quote_.text.split())}” {quote_.citation or quote_.address}{mark}")
    if finding.better is not None:
        better, mark = finding.better, uncertain_mark(finding.better.text_uncertain)
        parts.append(
            f"Better: “{' '.join(better.text.split())}” {better.citation or ''}".rstrip() + mark
        )
    return {
        **_rule(finding.verdict.value),
        "kind": "pass" if finding.verdict is Verdict.SUPPORTED else "fail",
        "message": {"text": _message(" ".join(parts))},
        "locations": [_location(verification, finding.claim)],
        **({} if finding.confidence is None else {"rank": round(100 * finding.confidence, 1)}),
    }


def _uncited(verification: Verification, one: Uncited) -> dict[str, Any]:
    cites = [quote_.citation for quote_ in one.candidates if quote_.citation]
    text = _RULES[_UNCITED][1] + (f" May cite {', '.join(cites)}." if cites else "")
    return {
        **_rule(_UNCITED),
        "kind": "fail",
        "message": {"text": _message(text)},
        "locations": [_location(verification, one.claim)],
    }


def _message(text: str) -> str:
    """A message without links and placeholders of quoted texts (SARIF 2.1.0, 3.11.5, 3.11.6)."""
    doubled = _PLACEHOLDER.sub(r"{{\1}}", text)
    return _LINK.sub(r"\\[\1\\](", doubled)


def _rule(name: str) -> dict[str, Any]:
    return {"ruleId": name, "ruleIndex": list(_RULES).index(name), "level": _RULES[name][0].value}


def _location(verification: Verification, claim: Claim) -> dict[str, Any]:
    region = {
        "startLine": claim.begins.line,
        "startColumn": claim.begins.column,
        "endLine": claim.ends.line,
        "endColumn": claim.ends.column,
        "charOffset": claim.start,
        "charLength": claim.end - claim.start,
    }
    uri = _uri(Path(claim.file or verification.draft))
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}


def _uri(path: Path) -> str:
    """Relative to the current folder, where the draft is below it, as code scanning requires."""
    if not path.is_absolute():
        return quoted_url(path.as_posix())
    try:
        return quoted_url(path.relative_to(Path.cwd()).as_posix())
    except ValueError:
        return path.as_uri()


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
    """Each finding under a line with its location and verdict, in the order of verdicts; counts at
    the end."""
    out = console()
    for finding in (one for _, found in by_verdict(verification) for one in found):
        _print_place(
            out,
            (f"{_at(verification, finding.claim)}  ", "dim"),
            (f"{finding.verdict.value:<17}", _STYLES[finding.verdict]),
            (f"{basis(finding):<12}", "dim"),
            (cited(finding), "bold"),
        )
        quotes = shown_evidence(finding)
        claim = compared(finding, finding.claim.text, quotes)
        print_styled(out, *_styled(claim, ""), indent=4)
        for reason in finding.reasons:
            print_styled(out, (reason, "dim"), indent=6)
        for quote in quotes:
            text = _styled(compared(finding, quote.text, ()), "dim")
            print_styled(out, ("“", "dim"), *text, (f"” {source(quote)}", "dim"), indent=6)
        if finding.better is not None:
            print_styled(out, (f"better: {quoted(finding.better)}", "dim"), indent=6)
        out.print()
    for one in verification.uncited or ():
        _print_place(out, (f"{_at(verification, one.claim)}  no citation", "dim"))
        print_styled(out, (cut(one.claim.text), ""), indent=4)
        for quote in one.candidates:
            print_styled(out, (f"may cite {quoted(quote)}", "dim"), indent=6)
        out.print()
    print_styled(out, (summary(verification), ""))


def _print_place(out: Any, *parts: "Styled") -> None:
    """A line that a terminal may wrap and that is not broken, so that its location opens."""
    out.print(styled_text(*parts), soft_wrap=True)


def _styled(pieces: Sequence[MarkedPiece], style: str) -> "list[Styled]":
    """Words that differ are bold."""
    return [(one.text, "bold" if one.differs else style) for one in pieces]


def quoted(quote: EvidenceQuote) -> str:
    return f"“{cut(quote.text)}” {source(quote)}"


def source(quote: EvidenceQuote) -> str:
    cited = f"{quote.citation or quote.title or ''}{uncertain_mark(quote.text_uncertain)}"
    return f"{cited} {quote.address}"


def _at(verification: Verification, claim: Claim) -> str:
    """File, line and column, as editors and terminals open them."""
    file = claim.file or verification.draft
    return f"{file}:{claim.begins.line}:{claim.begins.column}"
