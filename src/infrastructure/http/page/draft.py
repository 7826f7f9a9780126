"""What the view *Check a draft* shows: the draft with its verdicts, and the source of one."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from citeloom.application.ports.verification import DraftText
from citeloom.application.verification.verify import VerifyRequest
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.verification.drafts.findings import EvidenceQuote, Finding, Verification
from citeloom.domain.verification.verdict import MEANINGS
from citeloom.domain.writing.corrections import DraftCorrection
from citeloom.domain.writing.placed_findings import PlacedFinding
from citeloom.infrastructure.http.next_steps import in_words
from citeloom.infrastructure.http.page.source import CitedPassage, SourcePage, source_page
from citeloom.infrastructure.serving.jobs.view import JobView

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application


class DraftAddress(NamedTuple):
    """What the URL of the view says; ``finding`` counts from 1, ``page`` is one of the file."""

    project: str
    job: str = ""
    finding: int = 1
    page: int | None = None

    def url(self, finding: int, page: int | None = None) -> str:
        named = {"project": self.project, "job": self.job, "finding": finding}
        return "/draft?" + urlencode(named | ({"page": page} if page else {}))


class Verdicted(NamedTuple):
    """A verdict in the margin. ``text`` is the name of the verdict, ``level`` its severity."""

    number: int
    finding: Finding
    text: str
    level: str
    meaning: str
    url: str
    chosen: bool
    corrections: Sequence[DraftCorrection]


class DraftPiece(NamedTuple):
    """A stretch of the draft; a claim is followed by its ``verdicts``."""

    text: str
    is_chosen: bool = False
    verdicts: Sequence[Verdicted] = ()


class CheckedDraft(NamedTuple):
    """``elsewhere`` are verdicts whose place in the text is not known."""

    text: str
    pieces: Sequence[DraftPiece]
    elsewhere: Sequence[Verdicted]
    counts: Sequence[tuple[str, int]]
    chosen: Verdicted | None
    quote: EvidenceQuote | None
    source: SourcePage | None
    note: str | None
    warnings: Sequence[str]


def draft_text(job: JobView[Verification]) -> str:
    """Empty for a draft that is a file."""
    return _text(VerifyRequest.model_validate_json(job.asked_json()))


def _text(request: VerifyRequest) -> str:
    return request.draft.text if isinstance(request.draft, DraftText) else ""


def checked(
    application: "Application", asked: DraftAddress, job: JobView[Verification]
) -> CheckedDraft:
    """A verification that has ended. Raises what ended it."""
    result = job.result()
    request = VerifyRequest.model_validate_json(job.asked_json())
    draft, project = request.draft, request.project_id
    text = _text(request)
    places: dict[Finding, PlacedFinding] = {}
    if isinstance(draft, DraftText):
        found = application.writing.findings.place(project, draft, result.findings)
        places = {one.finding: one for one in found}
    verdicts = [
        _verdict(number, finding, places.get(finding), asked)
        for number, finding in enumerate(result.findings, start=1)
    ]
    chosen = next((one for one in verdicts if one.chosen), None)
    quote = next(iter(chosen.finding.evidence), None) if chosen else None
    source, note = _source(application, asked, project, quote)
    return CheckedDraft(
        text=text,
        pieces=list(_pieces(text, verdicts, places)),
        elsewhere=[one for one in verdicts if one.finding not in places],
        counts=[(_name(verdict), count) for verdict, count in result.counts.items() if count],
        chosen=chosen,
        quote=quote,
        source=source,
        note=note,
        warnings=[in_words(one) for one in result.warnings],
    )


def _verdict(
    number: int, finding: Finding, place: PlacedFinding | None, asked: DraftAddress
) -> Verdicted:
    severity, meaning = MEANINGS[finding.verdict]
    return Verdicted(
        number=number,
        finding=finding,
        text=_name(finding.verdict),
        level=severity.value,
        meaning=meaning,
        url=asked.url(number),
        chosen=number == asked.finding,
        corrections=place.corrections if place else (),
    )


def _name(verdict: str) -> str:
    return verdict.replace("_", " ").lower()


def _pieces(
    text: str, verdicts: Sequence[Verdicted], places: dict[Finding, PlacedFinding]
) -> Iterator[DraftPiece]:
    """The draft in order; claims of one place, or that overlap, are one piece."""
    located = [(places[one.finding], one) for one in verdicts if one.finding in places]
    located.sort(key=lambda pair: (pair[0].start, pair[1].number))
    at = 0
    while located:
        first, own = located[0], [located.pop(0)[1]]
        start, end = first[0].start, first[0].end
        while located and located[0][0].start < end:
            place, verdict = located.pop(0)
            own.append(verdict)
            end = max(end, place.end)
        if at < start:
            yield DraftPiece(text[at:start])
        yield DraftPiece(text[start:end], any(one.chosen for one in own), own)
        at = end
    if at < len(text):
        yield DraftPiece(text[at:])


def _source(
    application: "Application",
    asked: DraftAddress,
    project: ProjectId,
    quote: EvidenceQuote | None,
) -> tuple[SourcePage | None, str | None]:
    if quote is None:
        return None, None
    span = CharSpan(start=quote.start, end=quote.end)
    passage = CitedPassage(project, quote.document_id, asked.page or quote.page, span)
    return source_page(application, passage, lambda page: asked.url(asked.finding, page))
