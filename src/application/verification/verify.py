"""The verb *verify*: the claims of a draft checked against the works that it cites."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.citation import ReferenceReader
from citeloom.application.ports.ingest import BundleStore
from citeloom.application.ports.system import Clock
from citeloom.application.ports.verification import DraftReader, DraftText, FindingCache, Judge
from citeloom.application.search.searcher import Searcher
from citeloom.domain.errors import NoCitations
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.progress import checkpoint
from citeloom.domain.projects.project import Project, ProjectId
from citeloom.domain.references.works import NamedWork
from citeloom.domain.value import Value
from citeloom.domain.verification.drafts.draft import (
    CitedItem,
    Claim,
    Draft,
    Finding,
    InTextCitation,
    Uncited,
    Verification,
    extract_claims,
    is_factual,
    judge_warnings,
    verdict_counts,
)
from citeloom.domain.verification.drafts.typed_citations import nothing_recognised
from citeloom.domain.verification.verdict import Verdict

from .cited_documents import CitedDocuments, EvidenceSearch
from .claim_check import ClaimCheck


def with_resolved_citations(draft: Draft, sources: CitedDocuments) -> Draft:
    """The draft and its parts with the key of the cited work in each item, where one work fits;
    else with the reason and the candidates. A tentative citation of no known work is prose."""
    unlisted = any(citation.unlisted for citation in draft.citations)
    if not draft.works and not draft.parts and not unlisted:
        return draft
    resolved = {key: _resolved(key, work, sources) for key, work in draft.works.items()}
    prose, citations, warnings = draft.prose, list[InTextCitation](), list(draft.warnings)
    for citation in draft.citations:
        if citation.unlisted and not any(_is_known(one.key, sources) for one in citation.items):
            line = draft.position(citation.start).line
            warnings.append(f"{draft.path}:{line}: {citation.unlisted} was not read as a citation")
            continue
        items = [item.model_copy(update=resolved.get(item.key, {})) for item in citation.items]
        known = tuple(item for item in items if not _is_chance(draft, item))
        if known:
            citations.append(citation.model_copy(update={"items": known}))
        else:
            span = slice(citation.start, citation.end)
            prose = prose[: span.start] + draft.text[span] + prose[span.stop :]
    parts = tuple(with_resolved_citations(part, sources) for part in draft.parts)
    own = frozenset(draft.warnings).union(*(part.warnings for part in draft.parts))
    warnings += [one for part in parts for one in part.warnings if one not in own]
    changed = {
        "prose": prose,
        "citations": tuple(citations),
        "parts": parts,
        "warnings": tuple(warnings),
    }
    return draft.model_copy(update=changed)


def _is_known(key: str, sources: CitedDocuments) -> bool:
    return sources.is_listed(key) or sources.document(key) is not None


def _is_chance(draft: Draft, item: CitedItem) -> bool:
    work = draft.works.get(item.key) if item.unresolved else None
    return work is not None and work.tentative


def _resolved(written: str, work: NamedWork, sources: CitedDocuments) -> dict[str, object]:
    """The changed fields of an item."""
    for key in work.keys:
        if document := sources.document(key):
            return _named(written, document.citation.citekey if document.citation else key)
        if sources.is_listed(key):
            return _named(written, key)
    match = sources.matcher.match(written, work)
    if match.key is not None:
        return _named(written, match.key)
    return {"written": written, "unresolved": match.reason, "candidates": match.candidates}


def _named(written: str, key: str) -> dict[str, object]:
    return {"key": key, "written": written if written != key else None}


# Version of stored findings: to be raised when the same inputs give other findings.
_VERSION = 11


class FindingKeys:
    """Cache keys of findings: digests of claim, cited documents, judge, and whether the evidence
    ``is_read_again``. Findings with (or without) a better source depend on all documents of the
    project."""

    def __init__(
        self, project: Project, judge: str, sources: CitedDocuments, is_read_again: bool
    ) -> None:
        self._project = project
        self._judge = [judge, is_read_again]
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
        about = [_VERSION, str(self._project.id), model, *self._judge]
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
        if (name := _citation(item)) not in seen:
            seen.add(name)
            yield item


def _citation(item: CitedItem) -> tuple[str, str | None]:
    return item.key, item.locator.text if item.locator else None


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


CheckProgress = Callable[[int, int], None]


class VerifyRequest(Value):
    """A draft to verify. ``uncited`` also lists factual sentences without citation; ``fresh``
    ignores cached findings."""

    project_id: ProjectId
    draft: Path | DraftText
    uncited: bool = False
    fresh: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Verify:
    """Extracts claims, checks each against the works that it cites, and caches findings.
    ``offers_judge``: a stronger judge can be configured, which is said of undecided claims."""

    catalogue: Catalogue
    bundles: BundleStore
    searcher: Searcher
    references: ReferenceReader
    drafts: DraftReader
    judge: Judge
    cache: FindingCache
    clock: Clock
    offers_judge: bool = False

    def __call__(self, request: VerifyRequest, report: CheckProgress | None = None) -> Verification:
        """``report`` is called with the checks done and their total. Raises what the draft
        reader and the search raise, and ProjectNotFound."""
        began = self.clock.monotonic()
        project = self.catalogue.project(request.project_id)
        written, drafts = request.draft, self.drafts
        draft = drafts.read(written) if isinstance(written, Path) else drafts.parse(written)
        sources = CitedDocuments(
            project, catalogue=self.catalogue, bundles=self.bundles, references=self.references
        )
        draft = with_resolved_citations(draft, sources)
        claims = extract_claims(draft)
        if not request.uncited and not any(claim.cited for claim in claims):
            raise NoCitations(
                "\n".join((f"{draft.path}: {nothing_recognised(draft.format)}", *draft.warnings)),
                NextStep(Action.LIST_UNCITED),
                draft=draft.path,
            )
        evidence = EvidenceSearch(project, self.searcher, sources, self.judge.sentences)
        checking = ClaimCheck(sources, evidence, self.judge)
        cached_findings = {} if request.fresh else dict(self.cache.load())
        keys = FindingKeys(project, self.judge.fingerprint, sources, evidence.is_read_again)
        checks = [(claim, item) for claim in claims for item in cited_items(claim)]
        findings: list[Finding] = []
        checked: dict[object, Finding] = {}
        try:
            for number, (claim, item) in enumerate(checks, start=1):
                checkpoint()
                known = known_finding(cached_findings, keys, claim, item)
                same = (claim.text, *_citation(item), *map(_citation, claim.cited))
                if known is None and same in checked:
                    known = checked[same].model_copy(update={"claim": claim})
                found = checked[same] = known or checking.finding(claim, item)
                findings.append(found.model_copy(update={"written": item.written}))
                if report is not None:
                    report(number, len(checks))
        finally:  # what was checked before it was stopped is kept
            fresh = {keys.of(f): f for f in findings if not (f.cached or f.provisional)}
            if fresh:
                self.cache.save(cached_findings | fresh)
        return Verification(
            draft=draft.path,
            format=draft.format,
            project=str(project.id),
            model=project.embedding_model.name,
            judge=self.judge.fingerprint,
            claims=sum(1 for claim in claims if claim.cited),
            counts=verdict_counts(findings),
            findings=tuple(findings),
            uncited=tuple(_uncited(claims, checking)) if request.uncited else None,
            cached=sum(1 for finding in findings if finding.cached),
            duration_seconds=round(self.clock.monotonic() - began, 3),
            warnings=(
                *draft.warnings,
                *sources.warnings,
                *judge_warnings(findings, offers_judge=self.offers_judge),
            ),
        )


def _uncited(claims: tuple[Claim, ...], checking: ClaimCheck) -> Iterator[Uncited]:
    for claim in claims:
        if not claim.cited and is_factual(claim.text):
            checkpoint()
            yield Uncited(claim=claim, candidates=tuple(checking.candidates(claim)))
