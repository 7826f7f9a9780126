"""Records of public services, and whether one is of the work that a document is.

A wrong record is worse than none: every citation of the document would be wrong. A record is taken
only if the document supports it; else it is proposed, with the reason.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

from rapidfuzz import fuzz

from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.messages import MessageText
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.value import Value

from .first_page import VARIANT, DocumentEvidence, FirstPage, people_of
from .identifiers import (
    distinctive_words,
    is_distinctive,
    letters_and_digits,
    normalise_arxiv,
    normalise_doi,
    same_title,
    versionless,
)
from .work_versions import is_of_preprint, is_preprint

#: Who is asked, for people.
SERVICES: Final = "doi.org, DataCite, PubMed, OpenLibrary, Crossref or OpenAlex"

#: Identifiers of a document that are looked up, most trustworthy first.
_MOST_IDENTIFIERS = 3
# Least word coverage of a title where the authors agree and an identifier names the work.
_HALF = 0.5
_PREFIXES = re.compile(r"(pmid|isbn):\s*([\dXx -]+)", re.IGNORECASE)


class FoundWork(Value):
    """A record of ``service`` as a CSL-JSON item.

    What the service says besides of the work is in CSL's ``custom``: ``source``, ``updates``
    (``{"type": "retraction", "DOI": …, "date": …}``) and ``versions``
    (``{"relation": "is-preprint-of", "id": …}``)."""

    item: Mapping[str, Any]
    service: str


class Agreement(Value):
    """How well a record agrees with a document: likeness of the titles (0 to 1), share of its
    first five authors on the first page (0 to 1; None where the record has none), and the
    difference in years (None where either has none)."""

    title: float
    authors: float | None = None
    years: int | None = None

    def __str__(self) -> str:
        authors = "unknown" if self.authors is None else f"{100 * self.authors:.0f} %"
        years = {None: "unknown", 0: "the same"}.get(self.years, f"{self.years} apart")
        return f"title {100 * self.title:.0f} %, authors {authors}, year {years}"


class RecordVerdict(StrEnum):
    TAKEN = "taken"
    PROPOSED = "proposed"


class RecordJudgement(Value):
    """``why`` is the reason of a verdict against the record; empty for one that is taken."""

    verdict: RecordVerdict
    agreement: Agreement
    why: str = ""


class IdentifyRequest(Value):
    """``names`` are documents, by any name; ``all``: those with a provisional citation.
    ``accept``: a record of a named document is taken though it does not agree."""

    project_id: ProjectId
    names: tuple[str, ...] = ()
    all: bool = False
    accept: bool = False


class IdentifyOutcome(StrEnum):
    """``KEPT``: an item of a reference file or library is its citation, and stays so."""

    TAKEN = "taken"
    PROPOSED = "proposed"
    NOTHING = "nothing"
    FAILED = "failed"
    KEPT = "kept"


class IdentifiedDocument(Value):
    """The result for a document, which ``name`` identifies by key or title. ``found`` is the record
    as CSL-JSON, from ``service``, by the identifier ``by`` or ``title``; ``why`` is the reason if
    it was not taken; ``notices`` are its retractions and versions."""

    document_id: str
    name: str
    outcome: IdentifyOutcome
    by: str | None = None
    service: str | None = None
    agreement: Agreement | None = None
    found: dict[str, Any] | None = None
    why: MessageText = ""
    notices: tuple[str, ...] = ()


class IdentifyResult(Value):
    """``warnings`` are about reference files and index; ``cancelled``: not all were looked up."""

    project: str
    documents: tuple[IdentifiedDocument, ...]
    warnings: tuple[MessageText, ...] = ()
    cancelled: bool = False

    @property
    def failed(self) -> int:
        return self.counts.get(IdentifyOutcome.FAILED.value, 0)

    @property
    def counts(self) -> dict[str, int]:
        """The number of documents by outcome."""
        return dict(Counter(one.outcome.value for one in self.documents))


def own_identifiers(document: DocumentEvidence) -> tuple[str, ...]:
    """At most three identifiers of the document's own, not of works that it cites: DOIs, arXiv
    ids, ``pmid:`` and ``isbn:``."""
    page = FirstPage(document)
    known = [one for one in document.identifiers if is_identifier(one)]
    return tuple(one for one in known if page.is_own(_bare(one)))[:_MOST_IDENTIFIERS]


def is_identifier(text: str) -> bool:
    return bool(normalise_arxiv(text) or normalise_doi(text) or numbered(text))


def numbered(text: str) -> tuple[str, str] | None:
    """``("pmid", "123")`` or ``("isbn", "9780262035613")``; None for other identifiers."""
    match = _PREFIXES.fullmatch(text.strip())
    if match is None:
        return None
    kind, number = match.group(1).lower(), re.sub(r"[ -]", "", match.group(2)).upper()
    pattern = r"\d{1,8}" if kind == "pmid" else r"\d{9}[\dX]|97[89]\d{10}"
    return (kind, number) if re.fullmatch(pattern, number) else None


def _bare(identifier: str) -> str:
    found = numbered(identifier)
    return found[1] if found else identifier


class RecordJudge:
    """Judges records by the evidence of one document."""

    def __init__(self, document: DocumentEvidence) -> None:
        self._document = document
        self._page = FirstPage(document)
        self._title = document.title or ""
        self._is_preprint = any(map(is_of_preprint, own_identifiers(document)))

    def by_identifier(self, work: CitationMeta) -> RecordJudgement:
        """The record of an identifier in the document, which papers have of other works too: the
        title must agree, or the authors and half of the title."""
        agreement = self._agreement(work)
        names_author = bool(agreement.authors) and not self._page.lacks_part(work.title)
        named = self._page.shared(distinctive_words(work.title))
        if self._has_title(work) or (names_author and named >= VARIANT):
            return RecordJudgement(verdict=RecordVerdict.TAKEN, agreement=agreement)
        if names_author and (named >= _HALF or not self._title):
            return RecordJudgement(verdict=RecordVerdict.TAKEN, agreement=agreement)
        why = "the title differs" if agreement.authors else "neither title nor authors agree"
        return RecordJudgement(verdict=RecordVerdict.PROPOSED, agreement=agreement, why=why)

    def by_title(self, work: CitationMeta, standing: Collection[str] = ()) -> RecordJudgement:
        """The record that a search for the title gave: title, an author and the year must agree,
        and the DOI with those of the document that are ``standing``: no record says that they are
        another work's. A preprint's file is not taken for the publication, which has other
        pages."""
        agreement = self._agreement(work)
        dois = {versionless(doi) for one in standing if (doi := normalise_doi(one))}
        against = next(self._objections(work, agreement), "")
        if not against and work.doi and dois and versionless(work.doi) not in dois:
            against = f"the document has another DOI: {', '.join(sorted(dois))}"
        verdict = RecordVerdict.PROPOSED if against else RecordVerdict.TAKEN
        return RecordJudgement(verdict=verdict, agreement=agreement, why=against)

    def _objections(self, work: CitationMeta, agreement: Agreement) -> Iterator[str]:
        if not is_distinctive(work.title):
            yield "the title is too short to tell works apart"
        if not self._has_title(work):
            yield "the title differs"
        if not agreement.authors:
            yield "no author of it is on the first page"
        if not self._has_year(work):
            yield "the year differs" if self._document.year else "the document states no year"
        if self._is_preprint != is_preprint(work):
            kinds = ("a preprint", "the publication")
            found, own = kinds if is_preprint(work) else reversed(kinds)
            yield f"it is {found}, the document {own}"

    def _has_title(self, work: CitationMeta) -> bool:
        return (
            same_title(work.title, self._title)
            or (is_distinctive(work.title) and self._page.shows(work.title))
            or self._page.shows_title_variant(work.title)
        )

    def _has_year(self, work: CitationMeta) -> bool:
        if work.year is None:
            return False
        if self._document.year is not None:
            return abs(work.year - self._document.year) <= 1
        return bool(re.search(rf"(?<!\d){work.year}(?!\d)", self._page.text))

    def _agreement(self, work: CitationMeta) -> Agreement:
        titles = letters_and_digits(work.title), letters_and_digits(self._title)
        likeness = fuzz.ratio(*titles) / 100 if all(titles) else 0.0
        is_dated = work.year is not None and self._document.year is not None
        return Agreement(
            title=1.0 if self._has_title(work) else min(likeness, 0.99),
            authors=self._page.authors(work) if people_of(work) else None,
            years=abs((work.year or 0) - (self._document.year or 0)) if is_dated else None,
        )


def one_taken(
    judged: Iterable[tuple[FoundWork, RecordJudgement]],
) -> tuple[FoundWork, RecordJudgement] | None:
    """The record to take or to propose: the first that is taken, else the likest. Where records of
    two works are taken, the first is proposed."""
    ordered = sorted(judged, key=lambda one: _rank(one[1]))
    if not ordered:
        return None
    found, judgement = ordered[0]
    taken = {_identity(one) for one, how in ordered if how.verdict is RecordVerdict.TAKEN}
    if len(taken) > 1:
        why = f"several works fit: {', '.join(sorted(taken))}"
        judgement = judgement.model_copy(update={"verdict": RecordVerdict.PROPOSED, "why": why})
    return found, judgement


def _rank(judgement: RecordJudgement) -> tuple[bool, float, float]:
    agreement = judgement.agreement
    is_proposed = judgement.verdict is RecordVerdict.PROPOSED
    return is_proposed, -agreement.title, -(agreement.authors or 0.0)


def _identity(found: FoundWork) -> str:
    item = found.item
    return str(item.get("DOI") or item.get("URL") or item.get("title")).lower()


def notices_of(item: Mapping[str, Any]) -> tuple[str, ...]:
    """The retractions and versions that a looked-up item names, one sentence each."""
    custom = item.get("custom")
    if not isinstance(custom, Mapping):
        return ()
    source = custom.get("source") or "the service"
    updates = [
        f"{one['type'].replace('_', ' ')}{_dated(one)}, as {source} says" for one in _all(custom)
    ]
    versions = [
        f"{relation.replace('-', ' ')} {id}, as {source} says" for relation, id in versions_of(item)
    ]
    return (*updates, *versions)


def versions_of(item: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    """The versions of the work that a looked-up item names: relation (``is-preprint-of``), id."""
    custom = item.get("custom")
    versions = custom.get("versions") if isinstance(custom, Mapping) else None
    return [
        (str(one["relation"]), str(one["id"]))
        for one in _mappings(versions)
        if one.get("relation") and one.get("id")
    ]


def retraction_of(item: Mapping[str, Any]) -> str | None:
    """The notice by which a looked-up item is retracted, or an expression of concern."""
    weights = ("retraction", "withdrawal", "removal", "expression_of_concern")
    updates = [one for one in _all(item.get("custom")) if one["type"] in weights]
    updates.sort(key=lambda one: weights.index(one["type"]))
    if not updates:
        return None
    said = "expression of concern" if updates[0]["type"] == weights[-1] else "retracted"
    return f"{said}{_dated(updates[0])}"


def _all(custom: object) -> list[Mapping[str, Any]]:
    updates = custom.get("updates") if isinstance(custom, Mapping) else None
    return [one for one in _mappings(updates) if isinstance(one.get("type"), str)]


def _mappings(value: object) -> Sequence[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _dated(update: Mapping[str, Any]) -> str:
    date = f" {update['date']}" if update.get("date") else ""
    return f"{date}, doi:{update['DOI']}" if update.get("DOI") else date


def entry_line(item: Mapping[str, Any]) -> str:
    """``Title. Family, Family. Journal 12 (3), 1-20, 2020. doi:10…`` on one line."""
    people = [p.get("family") or p.get("literal", "") for p in item.get("author", ())]
    names = ", ".join(people[:3]) + (" et al." if len(people) > 3 else "")
    year = item.get("issued", {}).get("date-parts", [[""]])[0][0]
    volume = f"{item.get('volume', '')}{' (' + item['issue'] + ')' if 'issue' in item else ''}"
    venue = " ".join(filter(None, (item.get("container-title"), volume)))
    where = ", ".join(filter(None, (venue, item.get("page"), str(year))))
    doi = f"doi:{item['DOI']}" if "DOI" in item else item.get("URL", "")
    return ". ".join(filter(None, (item["title"], names, where, doi)))
