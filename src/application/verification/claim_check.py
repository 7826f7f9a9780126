"""Check of one claim against one work that it cites."""

from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple, Self

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.verification import Judge
from citeloom.domain.citation.locators import pages_of
from citeloom.domain.citation.metadata import locator
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.library import ITEM_TYPE
from citeloom.domain.review.evidence.quotable_sentences import UNREADABLE
from citeloom.domain.text.phrasing import numbered_pages
from citeloom.domain.text.words import STOP_WORDS, words
from citeloom.domain.verification.claims.contradictions import absent
from citeloom.domain.verification.claims.judgement import Judgement, SourceSentence
from citeloom.domain.verification.claims.quotations import QuoteMatch
from citeloom.domain.verification.claims.reasons import found_in_another
from citeloom.domain.verification.drafts.draft import (
    CitedItem,
    Claim,
    EvidenceQuote,
    Finding,
    QuoteDifference,
)
from citeloom.domain.verification.drafts.typed_citations import without_authors
from citeloom.domain.verification.verdict import SUPPORT, Basis, Verdict

from .cited_documents import CitedDocuments, EvidenceSearch, Sentence, adding, page_at
from .cited_pages import FILE_PAGE, CitedPages, difference, quotations
from .judges import LEANS_TO_SUPPORT

_SHOWN, _OTHERS = 3, 3
_ABSENT_SHOWN = 4
_REASONS = 3
_CREDIBLE = 0.5
_UNREAD = "Signs of this sentence could not be read (▯ and the like): compare it with its page."
# Characters of a claim: no sentence that a person writes is as long, and the rules would take long.
_LONGEST = 3_000
# Words of a sentence that only points to a work: "See also [@key]."
_POINTERS = STOP_WORDS["en"] | frozenset(
    "see cf compare e.g eg i.e ie viz e g siehe vgl voir véase".split()
)
# Minimum relevance of a sentence that is shown although it is not known to support the claim.
_NEAR = 0.6
_UNLIKELY = {Verdict.PARTIAL: Basis.JUDGED}  # by a model, which establishes nothing thereby
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


class _CitedClaim(NamedTuple):
    """A claim with one of its cited works: ``said`` is its text without the names of the authors,
    ``pages`` are the cited ones of the file, None if none is cited or known."""

    claim: Claim
    item: CitedItem
    document: StoredDocument
    said: str
    pages: AbstractSet[int] | None

    @property
    def locator(self) -> str | None:
        return self.item.locator.text if self.item.locator else None


class _Assessment(NamedTuple):
    """The verdict so far: its judgement, the judged sentences, and the effect of their pages."""

    judged: Judgement
    sentences: Sequence[Sentence]
    verdict: Verdict
    basis: Basis | None
    reasons: tuple[str, ...]
    right_pages: tuple[str, ...] = ()

    @classmethod
    def of(cls, judged: Judgement, sentences: Sequence[Sentence]) -> Self:
        return cls(judged, sentences, judged.verdict, judged.basis, judged.reasons)

    @property
    def leaves_the_page_open(self) -> bool:
        """Whether nothing is established, or a part and on other pages."""
        is_moved = self.verdict is Verdict.PARTIAL and bool(self.right_pages)
        return is_moved or self.basis is None

    def because(self, reason: str, *, first: bool = False) -> Self:
        return self._replace(reasons=(reason, *self.reasons) if first else (*self.reasons, reason))


class ClaimCheck:
    """Checks claims of one draft: citation key, quotations, pages, support."""

    def __init__(self, sources: CitedDocuments, evidence: EvidenceSearch, judge: Judge) -> None:
        self._sources = sources
        self._evidence = evidence
        self._judge = judge
        self._pages = CitedPages(sources, evidence)

    def finding(self, claim: Claim, item: CitedItem) -> Finding:
        document = self._sources.document(item.key)
        if document is None:
            finding = self._unknown(claim, item)
        elif not document.chunks:
            finding = self._without_text(claim, item, document.document_id)
        elif reason := _unjudged(claim.text):
            finding = Finding(
                claim=claim,
                key=item.key,
                locator=item.locator.text if item.locator else None,
                verdict=Verdict.NOT_ESTABLISHED,
                reasons=(reason,),
            )
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
            reason = f"The project has no work with the key {item.key}{hint}."
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
            reasons=("The project has the item, but not its text; ingest its file.",),
            document_id=document_id,
        )

    def _checked(self, claim: Claim, item: CitedItem, document: StoredDocument) -> Finding:
        id, citation = document.document_id, document.citation
        said = without_authors(claim.text, citation.authors) if citation else claim.text
        cited = _CitedClaim(claim, item, document, said, self._pages.of(claim, item, id))
        quoted, wrong, unchecked, altered = self._quotes(cited)
        around = [self._evidence.around(id, place) for place in quoted]
        sentences = _distinct([*around, *self._evidence.of_document(said, id)])
        found = _Assessment.of(self._judged(said, sentences), sentences)
        unread: list[str] = []
        if item.locator and item.locator.pages and cited.pages is None:
            unread = [f"Its printed pages are not known: {item.locator.text} was not checked."]
        elif cited.pages is not None and not self._any_on(around, cited.pages):
            found = self._by_pages(found, cited, cited.pages, is_quoted=bool(quoted))
        if unchecked and found.verdict is Verdict.SUPPORTED:
            found = found._replace(verdict=Verdict.PARTIAL)
        if (
            found.basis is None or (found.basis is Basis.JUDGED and found.verdict in _SUPPORTING)
        ) and (nowhere := absent(said, self._sources.conversion(id).plain_text)):
            shown = ", ".join(f"“{one}”" for one in nowhere[:_ABSENT_SHOWN])
            reason = f"The source does not contain {shown} anywhere."
            found = found._replace(
                verdict=Verdict.UNSUPPORTED, basis=Basis.EXACT, reasons=(reason,)
            )
        if cited.pages is not None and not unchecked and found.leaves_the_page_open:
            found = self._elsewhere(found, cited, cited.pages)
        if altered:
            found = self._altered(found, cited, [self._evidence.around(id, one) for one in altered])
        is_judged = found.basis is Basis.JUDGED and not wrong
        is_open = found.verdict is Verdict.NOT_ESTABLISHED and not wrong
        evidence, reasons = self._shown(found, cited, is_open), found.reasons
        if is_open:  # with the words that the sentences shown below the nearest one have
            below = evidence[1 : 2 + bool(item.locator)]
            reasons = found_in_another(reasons, [one.text for one in below])
        first = (
            *self._exact(around),
            *self._together(found),
            *map(_misquoted, wrong),
            *unchecked,
        )
        return Finding(
            claim=claim,
            key=item.key,
            locator=cited.locator,
            verdict=Verdict.MISQUOTED if wrong else found.verdict,
            basis=Basis.EXACT if wrong else found.basis or _UNLIKELY.get(found.verdict),
            confidence=found.judged.confidence if is_judged else None,
            reasons=(*first, *reasons[: max(1, _REASONS - len(first) - len(unread))], *unread),
            document_id=id,
            evidence=tuple(map(self._evidence.quote, evidence)),
            right_pages=found.right_pages,
            misquoted=tuple(wrong),
            provisional=found.judged.provisional and not wrong,
        )

    def _altered(
        self, found: _Assessment, cited: _CitedClaim, places: Sequence[Sentence]
    ) -> _Assessment:
        """The result where a quotation was altered: the sentences that have its own words are shown
        first, with their pages if others are cited."""
        shown = _distinct([*places, *found.sentences])
        judged = found.judged.model_copy(update={"best": 0, "also": ()})
        found = found._replace(judged=judged, sentences=shown, reasons=(), right_pages=())
        if cited.pages is None or self._any_on(places, cited.pages):
            return found
        right = self._pages.labels(places[0])
        reason = f"The source has it on {_pages(right)}, not on {cited.locator}."
        return found._replace(right_pages=right).because(reason)

    def _exact(self, around: Sequence[Sentence]) -> Iterator[str]:
        """The positions of a claim's exact quotations."""
        if around:
            labels = [label for one in around for label in self._pages.labels(one)]
            what = "Quotation" if len(around) == 1 else f"{len(around)} quotations"
            yield f"{what} exact, {_pages(list(dict.fromkeys(labels)))}."

    def _together(self, found: _Assessment) -> Iterator[str]:
        """The sentences that together support a claim."""
        if found.judged.also and found.verdict is found.judged.verdict:
            deciding = [found.sentences[n] for n in (found.judged.best or 0, *found.judged.also)]
            pages = [_pages(self._pages.labels(one)) for one in deciding]
            yield f"{len(deciding)} sentences together say so: {' and '.join(pages)}."

    def _by_pages(
        self, found: _Assessment, cited: _CitedClaim, pages: AbstractSet[int], *, is_quoted: bool
    ) -> _Assessment:
        """The reading of the cited pages if it may replace that of the whole work; else, for a
        claim that other pages support, the result of ``_moved``."""
        id = cited.document.document_id
        sentences = self._evidence.on_pages(cited.said, id, pages) if pages else []
        may_say_so = False
        if sentences and not is_quoted:
            judged = self._judged(cited.said, sentences)
            if judged.basis is found.basis is None:
                return self._nearest(found, cited, pages, sentences[judged.best or 0])
            if _may_stand_for(judged, found.judged):
                return _Assessment.of(judged, sentences)
            may_say_so = found.basis is Basis.JUDGED and (
                LEANS_TO_SUPPORT in judged.reasons
                or self._pages.have_numbers(cited.said, id, pages)
            )
        if found.verdict not in _SUPPORTING or found.basis is None:
            return found
        deciding = found.sentences[found.judged.best or 0]
        if self._pages.have(deciding, pages):
            return found
        return self._moved(found, cited, deciding, is_open=may_say_so)

    def _nearest(
        self, found: _Assessment, cited: _CitedClaim, pages: AbstractSet[int], on_pages: Sentence
    ) -> _Assessment:
        """Undecided: the nearest sentence of the work, then that of the cited pages."""
        best = found.sentences[found.judged.best or 0]
        in_order = list({(s.start, s.end): s for s in (best, on_pages, *found.sentences)}.values())
        judged = found.judged.model_copy(update={"best": 0})
        found = found._replace(sentences=in_order, judged=judged)
        if self._pages.have(best, pages):
            return found
        labels = _pages(self._pages.labels(best))
        return found.because(
            f"The nearest sentence is on {labels}, not on {cited.locator}.", first=True
        )

    def _moved(
        self, found: _Assessment, cited: _CitedClaim, deciding: Sentence, *, is_open: bool = False
    ) -> _Assessment:
        """WRONG_PAGE for a supported claim, PARTIAL if the cited pages may say so in other
        words (``is_open``); a partial verdict stays, with the page as reason."""
        right = self._pages.labels(deciding)
        is_supported = found.verdict is Verdict.SUPPORTED
        verdict, cited_page = Verdict.WRONG_PAGE, f", not on {cited.locator}."
        if is_open:
            verdict, cited_page = Verdict.PARTIAL, f"; {cited.locator} may say so in other words."
        reason = f"The source says so on {_pages(right)}{cited_page}"
        moved = found._replace(right_pages=right).because(reason, first=is_supported)
        return moved._replace(verdict=verdict) if is_supported else moved

    def _elsewhere(
        self, found: _Assessment, cited: _CitedClaim, pages: AbstractSet[int]
    ) -> _Assessment:
        """WRONG_PAGE for a claim that is not wholly supported, if what it takes from the work is
        on another page, and the sentence there does not say otherwise."""
        elsewhere = self._pages.elsewhere(cited.claim.text, cited.said, cited.document, pages)
        if elsewhere is None:
            return found
        sentence = elsewhere.sentences[0]
        judged = self._judged(cited.said, [sentence])
        if judged.verdict is Verdict.CONTRADICTED:
            return found
        moved = _Assessment.of(judged, _distinct([sentence, *found.sentences]))
        if judged.verdict is Verdict.SUPPORTED:
            return self._moved(moved, cited, sentence)
        moved = moved._replace(
            verdict=Verdict.WRONG_PAGE,
            basis=Basis.EXACT,
            right_pages=self._pages.labels(sentence),
        )
        in_order = sorted(elsewhere.sentences, key=lambda one: one.start)
        labels = (label for one in in_order for label in self._pages.labels(one))
        on = list(dict.fromkeys(labels))
        taken = [f"“{one}”" for one in dict.fromkeys(elsewhere.taken)]
        what = f"{' and '.join(taken)} {'is' if len(taken) == 1 else 'are'}"
        return moved.because(
            f"{what} on {_pages(on)}, not on {cited.locator}; please check whether the source "
            "supports the claim.",
            first=True,
        )

    def _quotes(
        self, cited: _CitedClaim
    ) -> tuple[list[CharSpan], list[QuoteDifference], list[str], list[CharSpan]]:
        """Spans of exact quotations in the document, on the cited pages if possible; differences of
        those that no cited work contains; reasons why others cannot be checked; and the spans
        of what the document has instead of the differing ones, where it is near."""
        spans, wrong, unchecked, altered = [], [], [], []
        id = cited.document.document_id
        for quote in quotations(cited.claim.text):
            if exact := self._pages.place_of(quote, id, cited.pages):
                spans.append(exact)
                continue
            if any(self._quoted_by(item, quote) for item in cited.claim.cited):
                continue
            place = self._sources.quoted_from(id).locate(quote)
            if pages := self._uncertain_pages(cited.document, cited.item, place):
                where = numbered_pages(pages)
                unchecked.append(f"“{quote}” cannot be checked: the text of {where} is uncertain.")
            else:
                wrong.append(difference(quote, place, self._sources.conversion(id).plain_text))
                altered += [CharSpan(start=place.start, end=place.end)] if place.end else []
        return spans, wrong, unchecked, altered

    def _uncertain_pages(
        self, document: StoredDocument, cited: CitedItem, place: QuoteMatch
    ) -> list[int]:
        """The pages (of the file) with uncertain text on which a missing quotation may be: those of
        the most similar place, else of the locator, else all."""
        if document.fidelity is None:
            return []
        conversion = self._sources.conversion(document.document_id)
        pages: Collection[int] | None = None
        if place.end:
            pages = page_at(conversion, place.start, place.end)
        elif cited.locator is not None:
            pages = pages_of(conversion, cited.locator)
        uncertain = [page for page in document.fidelity.uncertain if not pages or page in pages]
        disputed = place.end and document.fidelity.disputed_in(
            CharSpan(start=place.start, end=place.end)
        )
        return uncertain or (sorted(pages) if disputed and pages else [])

    def _quoted_by(self, item: CitedItem, quote: str) -> bool:
        document = self._sources.document(item.key)
        if document is None or not document.chunks:
            return False
        return self._sources.quoted_from(document.document_id).locate(quote).exact

    def _judged(self, claim: str, sentences: Sequence[Sentence]) -> Judgement:
        title = self._sources.title
        read = [
            SourceSentence(s.text, s.closeness, s.place, title(s.document_id)) for s in sentences
        ]
        judged = self._judge.judge(claim, read)
        deciding = (sentences[n].text for n in (judged.best or 0, *judged.also))
        if judged.verdict not in _SUPPORTING or not any(map(UNREADABLE.search, deciding)):
            return judged
        unread = {"verdict": Verdict.NOT_ESTABLISHED, "basis": None, "confidence": None, "also": ()}
        return judged.model_copy(update=unread | {"reasons": (_UNREAD,)})

    def _any_on(self, sentences: Sequence[Sentence], pages: AbstractSet[int]) -> bool:
        return any(self._pages.have(one, pages) for one in sentences)

    def _shown(self, found: _Assessment, cited: _CitedClaim, is_open: bool) -> list[Sentence]:
        """The deciding sentence, then the most relevant others; if the verdict ``is_open``, that of
        the cited pages and the one that adds most to the first come before them."""
        sentences, judged = found.sentences, found.judged
        first = [sentences[judged.best]] if judged.best is not None else []
        first += [sentences[n] for n in judged.also]
        others = [one for one in sentences if one not in first]
        if len(first) == 1 and is_open:
            if cited.pages is not None and others:
                first.append(others.pop(0))
            if added := adding(cited.said, first[0], others):
                others.remove(added)
                first.append(added)
        return [*first, *others][:_SHOWN]

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
        if _unjudged(claim):
            return []
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
    if judged_on_pages.verdict is Verdict.PARTIAL and judged_on_pages.basis is None:
        return False
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
    """Each where it first occurs."""
    found: dict[tuple[int, int], Sentence] = {}
    for one in sentences:
        found.setdefault((one.start, one.end), one)
    return list(found.values())


def _misquoted(one: QuoteDifference) -> str:
    if one.closest is None:
        return f"The source has nothing like “{one.quote}”."
    return f"The source says “{one.closest}”" + (f": {one.difference}." if one.difference else ".")


def _unjudged(claim: str) -> str | None:
    """Why a sentence is not compared with its source; None if it is."""
    if len(claim) > _LONGEST:
        return (
            f"The sentence has {len(claim):,} characters; one of more than {_LONGEST:,} is "
            "not checked. Look for a missing full stop, or split it."
        )
    if all(one.text.casefold() in _POINTERS for one in words(claim)):
        return "The sentence makes no claim; only the citation key was checked."
    return None


def _pages(labels: Sequence[str]) -> str:
    if not labels:
        return "no page"
    return ", ".join(labels) if labels[0].startswith(FILE_PAGE) else locator(labels) or ""
