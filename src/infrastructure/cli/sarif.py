"""Verification results as SARIF 2.1.0 (OASIS standard, 2020), for editors and CI.

One rule per verdict; a result for each finding, at the characters of the claim in the draft.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from citeloom.domain.documents.fidelity import uncertain_mark
from citeloom.domain.verification.drafts.draft import Claim, Finding, Uncited, Verification
from citeloom.domain.verification.verdict import MEANINGS, Severity, Verdict

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
    if finding.evidence and finding.verdict is not Verdict.UNKNOWN_KEY:
        quote_ = finding.evidence[0]
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
        return quote(path.as_posix())
    try:
        return quote(path.relative_to(Path.cwd()).as_posix())
    except ValueError:
        return path.as_uri()
