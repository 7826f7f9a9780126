"""Check of one claim against one work that it cites."""

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.verification import Judge
from citeloom.application.verification.cited_documents import CitedDocuments, page_at
from citeloom.application.verification.evidence_search import EvidenceSearch, Sentence
from citeloom.application.verification.quotation_check import difference, quotations
from citeloom.domain.citation.citation_locators import pages_of
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.library.item_documents import ITEM_TYPE
from citeloom.domain.text.phrasing import numbered_pages
from citeloom.domain.verification.claims.absence import absent
from citeloom.domain.verification.claims.judgement import Judgement, SourceSentence
from citeloom.domain.verification.claims.quotations import QuoteMatch
from citeloom.domain.verification.drafts.claim_extraction import Claim
from citeloom.domain.verification.drafts.draft import CitedItem
from citeloom.domain.verification.drafts.findings import (
    EvidenceQuote,
    Finding,
    QuoteDifference,
)
from citeloom.domain.verification.drafts.reporting_clauses import without_authors
from citeloom.domain.verification.verdict import SUPPORT, Basis, Verdict

_SHOWN, _OTHERS = 3, 3
_ABSENT_SHOWN = 4
_CREDIBLE = 0.5
# Minimum relevance of a sentence that is shown although it is not known to support the claim.
_NEAR = 0.6
_SUPPORTING = frozenset({Verdict.SUPPORTED, Verdict.PARTIAL})
_FAILED = frozenset(
    {
        Verdict.NOT_ESTABLISHED,
        Verdict.UNSUPPORTED,
        Verdict.CONTRADICTED,
        Verdict.UNKNOWN_KEY,
        Verdict.NO_TEXT,
    }
)


class ClaimCheck:
    """Checks claims of one draft: citation key, quotations, pages, support."""

    def __init__(self, sources: CitedDocuments, evidence: EvidenceSearch, judge: Judge) -> None:
        self._sources = sources
        self._evidence = evidence
        self._judge = judge

    def finding(self, claim: Claim, item: CitedItem) -> Finding:
        document = self._sources.document(item.key)
        if document is None:
            finding = self._unknown(claim, item)
        elif not document.chunks:
            finding = self._without_text(claim, item, document.document_id)
        else:
            finding = _as_item(self._checked(claim, item, document), document)
        if finding.verdict not in _FAILED:
            return finding
        return finding.model_copy(update={"better": self._better(claim, finding.verdict)})

    def candidates(self, claim: Claim) -> list[EvidenceQuote]:
        """Supporting evidence from documents of the project, one sentence each."""
        return self._candidates(claim.text, frozenset())

    def _unknown(self, claim: Claim, item: CitedItem) -> Finding:
        if self._sources.is_listed(item.key):
            return self._without_text(claim, item, None)
        if item.unresolved:
            close, reason = item.candidates, item.unresolved
        else:
            close = self._sources.close_keys(item.key)
            hint = f"; close to it: {', '.join(close)}" if close else ""
            reason = f"The project has no {item.key}{hint}."
        return Finding(
            claim=claim,
            key=item.key,
            locator=item.locator.text if item.locator else None,
            verdict=Verdict.UNKNOWN_KEY,
            reasons=(reason,),
            close_keys=close,
        )

    def _without_text(self, claim: Claim, item: CitedItem, document_id: str | None) -> Finding:
        return Finding(
            claim=claim,
            key=item.key,
            locator=item.locator.text if item.locator else None,
            verdict=Verdict.NO_TEXT,
            reasons=("The project has the item, but no text of it; ingest its file.",),
            document_id=document_id,
        )

    def _checked(self, claim: Claim, item: CitedItem, document: StoredDocument) -> Finding:
        id = document.document_id
        quoted, wrong, unchecked = self._quotes(claim, item, document)
        citation = document.citation
        said = without_authors(claim.text, citation.authors) if citation else claim.text
        sentences = _distinct(
            [
                *(self._evidence.around(id, place) for place in quoted),
                *self._evidence.of_document(said, id),
            ]
        )
        judged = self._judged(said, sentences)
        reasons = [*unchecked, *judged.reasons]
        verdict, right = judged.verdict, tuple[str, ...]()
        if item.locator and item.locator.pages:
            pages = pages_of(self._sources.conversion(id), item.locator)
            if pages is None:
                reasons.append(
                    f"Its printed pages are not known: {item.locator.text} was not checked."
                )
            elif not (quoted and self._on(sentences[: len(quoted)], pages)):
                sentences_on_pages = self._evidence.on_pages(said, id, pages) if pages else []
                judged_on_pages = self._judged(said, sentences_on_pages)
                if sentences_on_pages and not quoted and _may_stand_for(judged_on_pages, judged):
                    sentences, judged = sentences_on_pages, judged_on_pages
                    verdict = judged_on_pages.verdict
                    reasons = [*unchecked, *judged_on_pages.reasons]
                elif verdict in _SUPPORTING:
                    deciding = [sentences[judged.best or 0]] if sentences else []
                    if not self._on(deciding, pages):
                        right = self._labels(deciding)
                        verdict, reasons = self._elsewhere(item, verdict, right, reasons)
        if unchecked and verdict is Verdict.SUPPORTED:
            verdict = Verdict.PARTIAL
        basis = judged.basis
        if verdict is Verdict.NOT_ESTABLISHED:
            nowhere = absent(said, self._sources.conversion(id).plain_text)
            if nowhere:
                verdict, basis = Verdict.UNSUPPORTED, Basis.EXACT
                shown = ", ".join(f"“{one}”" for one in nowhere[:_ABSENT_SHOWN])
                reasons.insert(0, f"The whole source has nowhere {shown}.")
        if wrong:
            verdict = Verdict.MISQUOTED
            reasons = [_misquoted(one) for one in wrong] + reasons
        return Finding(
            claim=claim,
            key=item.key,
            locator=item.locator.text if item.locator else None,
            verdict=verdict,
            basis=Basis.EXACT if wrong else basis,
            confidence=None if wrong else judged.confidence,
            reasons=tuple(reasons),
            document_id=id,
            evidence=self._shown(sentences, judged),
            right_pages=right,
            misquoted=tuple(wrong),
            provisional=judged.provisional and not wrong,
        )

    def _elsewhere(
        self, item: CitedItem, verdict: Verdict, right: Sequence[str], reasons: Sequence[str]
    ) -> tuple[Verdict, list[str]]:
        """WRONG_PAGE for a supported claim; a partial verdict stays, with the page as reason."""
        assert item.locator is not None
        where = f"p. {', '.join(right)}" if right else "no page"
        message = f"The source says so on {where}, not on {item.locator.text}."
        if verdict is Verdict.SUPPORTED:
            return Verdict.WRONG_PAGE, [message, *reasons]
        return verdict, [*reasons, message]

    def _quotes(
        self, claim: Claim, cited: CitedItem, document: StoredDocument
    ) -> tuple[list[CharSpan], list[QuoteDifference], list[str]]:
        """Spans of exact quotations in the document, differences of those that no work cited for
        the claim contains, and reasons why others cannot be checked."""
        spans, wrong, unchecked = [], [], []
        id = document.document_id
        for quote in quotations(claim.text):
            place = self._sources.quoted_from(id).locate(quote)
            if place.exact:
                spans.append(CharSpan(start=place.start, end=place.end))
            elif any(self._quoted_by(item, quote) for item in claim.cited):
                continue
            elif pages := self._uncertain_pages(document, cited, place):
                where = numbered_pages(pages)
                unchecked.append(f"“{quote}” cannot be checked: the text of {where} is uncertain.")
            else:
                wrong.append(difference(quote, place, self._sources.conversion(id).plain_text))
        return spans, wrong, unchecked

    def _uncertain_pages(
        self, document: StoredDocument, cited: CitedItem, place: QuoteMatch
    ) -> list[int]:
        """The pages (of the file) with uncertain text among those where a quotation that was not
        found may stand: those of the place most like it, or else of the locator, or else all."""
        if document.fidelity is None:
            return []
        conversion = self._sources.conversion(document.document_id)
        pages: Collection[int] | None = None
        if place.end:
            pages = page_at(conversion, place.start, place.end)
        elif cited.locator is not None:
            pages = pages_of(conversion, cited.locator)
        return [page for page in document.fidelity.uncertain if not pages or page in pages]

    def _quoted_by(self, item: CitedItem, quote: str) -> bool:
        document = self._sources.document(item.key)
        if document is None or not document.chunks:
            return False
        return self._sources.quoted_from(document.document_id).locate(quote).exact

    def _judged(self, claim: str, sentences: Sequence[Sentence]) -> Judgement:
        return self._judge.judge(
            claim, [SourceSentence(one.text, one.closeness, one.place) for one in sentences]
        )

    def _on(self, sentences: Sequence[Sentence], pages: AbstractSet[int]) -> bool:
        return any(not pages.isdisjoint(self._evidence.pages(one)) for one in sentences)

    def _labels(self, sentences: Sequence[Sentence]) -> tuple[str, ...]:
        pages = [(one.document_id, page) for one in sentences for page in self._evidence.pages(one)]
        return tuple(
            self._evidence.label(document_id, page) or f"PDF p. {page}"
            for document_id, page in dict.fromkeys(pages)
        )

    def _shown(self, sentences: Sequence[Sentence], judged: Judgement) -> tuple[EvidenceQuote, ...]:
        """The deciding sentence, then the most relevant others."""
        first = [sentences[judged.best]] if judged.best is not None else []
        others = [one for one in sentences if one not in first]
        return tuple(self._evidence.quote(one) for one in [*first, *others][:_SHOWN])

    def _better(self, claim: Claim, verdict: Verdict) -> EvidenceQuote | None:
        cited = (self._sources.document(item.key) for item in claim.cited)
        excluded = {document.document_id for document in cited if document is not None}
        is_unknown = verdict is Verdict.UNKNOWN_KEY
        return next(iter(self._candidates(claim.text, excluded, also_near=is_unknown)), None)

    def _candidates(
        self, claim: str, excluded: AbstractSet[str], *, also_near: bool = True
    ) -> list[EvidenceQuote]:
        """The best sentence of each document that supports the claim or, for a person to read,
        is ``also_near``."""
        by_document: dict[str, list[Sentence]] = {}
        for sentence in self._evidence.of_others(claim, excluded):
            by_document.setdefault(sentence.document_id, []).append(sentence)
        found: list[tuple[int, float, Sentence]] = []
        for sentences in list(by_document.values())[:_OTHERS]:
            judged = self._judged(claim, sentences)
            best = sentences[judged.best or 0]
            supports = judged.verdict in _SUPPORTING and judged.certainty >= _CREDIBLE
            is_near = judged.verdict is Verdict.NOT_ESTABLISHED and best.relevance >= _NEAR
            if supports or (also_near and is_near):
                found.append((SUPPORT[judged.verdict], best.relevance, best))
        found.sort(key=lambda one: one[:2], reverse=True)
        return [self._evidence.quote(sentence) for _, _, sentence in found]


def _may_stand_for(judged_on_pages: Judgement, judged: Judgement) -> bool:
    """Whether the judgement by the cited pages replaces that by the whole document: not if the
    latter contradicts the claim with more confidence, or is better."""
    if judged.verdict == Verdict.CONTRADICTED and judged_on_pages.certainty < judged.certainty:
        return judged_on_pages.verdict == Verdict.CONTRADICTED
    return SUPPORT[judged_on_pages.verdict] >= SUPPORT[judged.verdict]


def _as_item(finding: Finding, document: StoredDocument) -> Finding:
    """The finding for an item without file: title and abstract alone do not disprove a
    claim, so that UNSUPPORTED and MISQUOTED become NO_TEXT."""
    if document.mime_type != ITEM_TYPE:
        return finding
    silent = finding.verdict in (Verdict.UNSUPPORTED, Verdict.MISQUOTED)
    return finding.model_copy(
        update={
            "verdict": Verdict.NO_TEXT if silent else finding.verdict,
            "misquoted": () if silent else finding.misquoted,
            "reasons": (
                "Only the library's record of it (its abstract) was read.",
                *finding.reasons,
            ),
        }
    )


def _distinct(sentences: Sequence[Sentence]) -> list[Sentence]:
    return list({(one.start, one.end): one for one in reversed(sentences)}.values())[::-1]


def _misquoted(one: QuoteDifference) -> str:
    if one.closest is None:
        return f"The source has nothing like “{one.quote}”."
    return f"The source says “{one.closest}”" + (f": {one.difference}." if one.difference else ".")
