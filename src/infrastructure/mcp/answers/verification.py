"""Answers about verifications: problems in full, supported claims in a line each. Of bounded size,
with the next offset."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final

import orjson
from pydantic import Field

from citeloom.domain.text.phrasing import on_one_line, shortened
from citeloom.domain.text.sentences import cut_at_sentence
from citeloom.domain.verification.drafts.claim_extraction import Claim
from citeloom.domain.verification.drafts.findings import (
    EvidenceQuote,
    Finding,
    QuoteDifference,
    Uncited,
    Verification,
)
from citeloom.domain.verification.verdict import Verdict
from citeloom.infrastructure.mcp.answers.contents import Entry, JobReply, first

#: Bytes of JSON that the entries of an answer take up at most: some 3,000 tokens.
MOST_BYTES: Final = 10_000
_CLAIM, _QUOTE, _REASON, _LINE, _KEY = 400, 600, 300, 120, 100  # characters
_REASONS, _CANDIDATES = 4, 2
_WRONG, _FINE, _UNCITED = "findings", "supported", "uncited"


class VerifyReply(JobReply, total=False):
    """Findings about the citations of a draft, or how far the check is."""

    format: str
    checked: int
    claims: int
    citations: int
    counts: Annotated[dict[str, int], Field(description="citations by verdict")]
    findings: Annotated[
        list[dict[str, Any]],
        Field(description="what is not supported, with reasons and evidence"),
    ]
    supported: list[str]
    uncited: list[dict[str, Any]]
    left_out: int


def verified(job_id: str, found: Verification, offset: int = 0) -> VerifyReply:
    """Counts, and the entries from ``offset`` on: problems in the order of the draft, then
    supported claims, then uncited facts."""
    answer: VerifyReply = {
        "job_id": job_id,
        "status": "done",
        "project": found.project,
        "claims": found.claims,
        "citations": len(found.findings),
        "counts": {verdict.value: count for verdict, count in found.counts.items() if count},
    }
    if found.format != "markdown":
        answer["format"] = found.format
    if found.uncited is not None:
        answer["counts"]["uncited"] = len(found.uncited)
    entries = list(_entries(found))
    shown = _fitting(entries[offset:])
    for kind, entry in shown:
        answer.setdefault(kind, []).append(entry)  # type: ignore[misc]
    after = offset + len(shown)
    if after < len(entries):
        answer["left_out"] = len(entries) - after
        answer["next"] = f"jobs with this job_id and offset {after}"
    if found.warnings and not offset:
        answer["warnings"] = first(found.warnings)
    return answer


def _entries(found: Verification) -> Iterator[tuple[str, Entry | str]]:
    for finding in found.findings:
        if finding.verdict is not Verdict.SUPPORTED:
            yield _WRONG, _wrong(finding)
    for finding in found.findings:
        if finding.verdict is Verdict.SUPPORTED:
            yield _FINE, _fine(finding)
    for one in found.uncited or ():
        yield _UNCITED, _uncited(one)


def _fitting(entries: Sequence[tuple[str, Entry | str]]) -> list[tuple[str, Entry | str]]:
    """As many as fit into MOST_BYTES, at least one."""
    shown, size = list[tuple[str, Entry | str]](), 0
    for kind, entry in entries:
        size += len(orjson.dumps(entry)) + 1
        if shown and size > MOST_BYTES:
            break
        shown.append((kind, entry))
    return shown


def _wrong(finding: Finding) -> Entry:
    entry: Entry = {
        **_place(finding.claim),
        "verdict": finding.verdict.value,
        **_basis(finding),
        "cited": _cited(finding),
        "claim": _cut(finding.claim.text, _CLAIM),
        "reasons": [_cut(reason, _REASON) for reason in _reasons(finding)[:_REASONS]],
    }
    if finding.evidence:
        entry["evidence"] = _quote(finding.evidence[0])
    if finding.right_pages:
        entry["right_pages"] = list(finding.right_pages)
    if finding.misquoted:
        entry["misquoted"] = [_difference(one) for one in finding.misquoted]
    if finding.close_keys:
        entry["close_keys"] = list(finding.close_keys)
    if finding.better is not None:
        entry["better"] = _quote(finding.better)
    return entry


def _reasons(finding: Finding) -> Sequence[str]:
    """Without those, the first, that say of each misquotation what ``misquoted`` says."""
    return finding.reasons[len(finding.misquoted) :]


def _fine(finding: Finding) -> str:
    """Line of the draft, cited work, and the claim's first words."""
    claim = _cut(finding.claim.text, _LINE)
    place = ":".join(map(str, _place(finding.claim).values()))
    return f"{place}: {_cited(finding)} {claim}"


def _basis(finding: Finding) -> Entry:
    basis: Entry = {} if finding.basis is None else {"basis": finding.basis.value}
    return (
        basis
        if finding.confidence is None
        else basis | {"confidence": round(finding.confidence, 2)}
    )


def _place(claim: Claim) -> Entry:
    """The line in the draft, or in the included file it names."""
    file: Entry = {"file": claim.file} if claim.file else {}
    return {**file, "line": claim.begins.line}


def _uncited(one: Uncited) -> Entry:
    return {
        **_place(one.claim),
        "claim": _cut(one.claim.text, _CLAIM),
        "candidates": [_quote(quote) for quote in one.candidates[:_CANDIDATES]],
    }


def _quote(quote: EvidenceQuote) -> Entry:
    """The words verbatim; long ones are cut at the end of a sentence."""
    shown: Entry = {"quote": cut_at_sentence(quote.text, _QUOTE)}
    named = {
        "citation": quote.citation,
        "title": None if quote.citation else quote.title,
        "page": quote.page,
        "address": quote.address,
        "text_uncertain": quote.text_uncertain or None,
    }
    return shown | {name: value for name, value in named.items() if value is not None}


def _difference(one: QuoteDifference) -> Entry:
    told = {"quote": one.quote, "closest": one.closest, "difference": one.difference}
    return {name: _cut(value, _QUOTE) for name, value in told.items() if value is not None}


def _cited(finding: Finding) -> str:
    named = f"@{finding.key}" if finding.written != finding.key else f"“{finding.key}”"
    return _cut(named + (f", {finding.locator}" if finding.locator else ""), _KEY)


def _cut(text: str, limit: int) -> str:
    return shortened(on_one_line(text), limit)
