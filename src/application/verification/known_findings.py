"""Stored findings: their keys, and those that hold for the claims of a draft."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.verification.cited_documents import CitedDocuments
from citeloom.domain.projects.project import Project
from citeloom.domain.verification.drafts.claim_extraction import Claim
from citeloom.domain.verification.drafts.draft import CitedItem
from citeloom.domain.verification.drafts.findings import Finding
from citeloom.domain.verification.verdict import Verdict

# Version of stored findings: to be raised when the same inputs give other findings.
_VERSION = 7


class FindingKeys:
    """Cache keys of findings: digests of claim, cited documents and judge. Findings with (or
    without) a better source depend on all documents of the project."""

    def __init__(self, project: Project, judge: str, sources: CitedDocuments) -> None:
        self._project = project
        self._judge = judge
        self._sources = sources
        self._state = _digest([_stamp(document) for document in sources.documents])

    def candidates(self, claim: Claim, item: CitedItem) -> Iterator[str]:
        yield self._key(claim, item.key, item.locator.text if item.locator else None, "")
        yield self._key(claim, item.key, item.locator.text if item.locator else None, self._state)

    def of(self, finding: Finding) -> str:
        alone = finding.verdict in (Verdict.SUPPORTED, Verdict.PARTIAL, Verdict.WRONG_PAGE)
        state = "" if alone else self._state
        return self._key(finding.claim, finding.key, finding.locator, state)

    def _key(self, claim: Claim, key: str, locator: str | None, state: str) -> str:
        cited = [self._sources.document(item.key) for item in claim.cited]
        stamps = [_stamp(document) if document else None for document in cited]
        reasons = [item.unresolved for item in claim.cited if item.unresolved]
        model = self._project.embedding_model.fingerprint
        about = [_VERSION, str(self._project.id), model, self._judge]
        return _digest([*about, claim.text, key, locator, stamps, reasons, state])


def _stamp(document: StoredDocument) -> list[str | None]:
    """The state of a document on which findings depend: content, stages, key, page range."""
    citation = document.citation
    cited = [citation.citekey, citation.page] if citation else []
    return [
        document.document_id,
        document.conversion,
        document.chunking,
        document.embedding,
        *cited,
    ]


def _digest(about: object) -> str:
    return hashlib.sha256(json.dumps(about, ensure_ascii=False).encode()).hexdigest()


def known_finding(
    cached_findings: Mapping[str, Finding], keys: FindingKeys, claim: Claim, item: CitedItem
) -> Finding | None:
    """The cached finding, with the current position of the claim; None if there is none."""
    for key in keys.candidates(claim, item):
        if key in cached_findings:
            return cached_findings[key].model_copy(update={"claim": claim, "cached": True})
    return None


def cited_items(claim: Claim) -> Iterator[CitedItem]:
    """The cited works of a claim, each once for each locator."""
    seen = set()
    for item in claim.cited:
        name = (item.key, item.locator.text if item.locator else None)
        if name not in seen:
            seen.add(name)
            yield item


def known_findings(
    claims: Sequence[Claim], stored: Mapping[str, Finding], keys: FindingKeys
) -> list[Finding]:
    """The stored findings that hold for these claims; nothing is checked."""
    found = (
        (item, known_finding(stored, keys, claim, item))
        for claim in claims
        for item in cited_items(claim)
    )
    return [one.model_copy(update={"written": item.written}) for item, one in found if one]
