"""Findings of a verification where they stand in a text that is being edited."""

from collections.abc import Iterable
from typing import NamedTuple, Self

from pydantic import Field

from citeloom.domain.value import Value
from citeloom.domain.verification.drafts.draft import CitedItem, Draft
from citeloom.domain.verification.drafts.findings import Finding
from citeloom.domain.verification.verdict import Verdict
from citeloom.domain.writing.corrections import DraftCorrection, Span, corrections, quotation_span


class Edit(NamedTuple):
    """``text`` in place of ``start`` to ``end``."""

    start: int
    end: int
    text: str


class PlacedFinding(Value):
    """A finding in a text: ``start`` to ``end`` is its claim with the citation, ``shown`` what
    it is about (the citation for a wrong page or key, the words of a misquotation), ``cited``
    the citation of the work (None where the place is not known), ``item`` what it was parsed to
    (its offsets are those of the time)."""

    finding: Finding
    item: CitedItem | None = None
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    shown: tuple[int, int]
    cited: tuple[int, int] | None = None
    corrections: tuple[DraftCorrection, ...] = ()

    def after(self, edit: Edit) -> Self | None:
        """Where it stands after an edit elsewhere; None where that touched the claim."""
        if self.end < edit.start:
            return self
        if self.start <= edit.end:
            return None
        return self.moved(len(edit.text) - (edit.end - edit.start))

    def moved(self, by: int) -> Self:
        """The same, ``by`` characters later."""
        return self.model_copy(
            update={
                "start": self.start + by,
                "end": self.end + by,
                "shown": _moved(self.shown, by),
                "cited": self.cited and _moved(self.cited, by),
                "corrections": tuple(
                    one.model_copy(update={"start": one.start + by, "end": one.end + by})
                    for one in self.corrections
                ),
            }
        )

    def covers(self, start: int, end: int) -> bool:
        return self.start <= end and start <= self.end


def placed(draft: Draft, findings: Iterable[Finding]) -> tuple[PlacedFinding, ...]:
    """The findings on claims of this text; those of included files have texts of their own."""
    return tuple(_placed(draft, one) for one in findings if one.claim.file is None)


def _placed(draft: Draft, finding: Finding) -> PlacedFinding:
    claim = finding.claim
    item = _item(finding)
    cited = _citation_span(draft, item) if item else None
    return PlacedFinding(
        finding=finding,
        item=item,
        start=min(claim.start, cited[0]) if cited else claim.start,
        end=max(claim.end, cited[1]) if cited else claim.end,
        shown=_shown(draft, finding, cited),
        cited=cited,
        corrections=tuple(corrections(draft, finding, item)),
    )


def _item(finding: Finding) -> CitedItem | None:
    """The cited item of a finding."""
    return next(
        (
            item
            for item in finding.claim.cited
            if item.key == finding.key
            and (item.locator.text if item.locator else None) == finding.locator
        ),
        None,
    )


def _citation_span(draft: Draft, item: CitedItem) -> Span:
    """An item with its notes; the whole citation where it is the only one."""
    for citation in draft.citations:
        if item in citation.items:
            return (citation.start, citation.end) if len(citation.items) == 1 else _own(item)
    return _own(item)


def _own(item: CitedItem) -> Span:
    return item.start, item.end


def _shown(draft: Draft, finding: Finding, cited: Span | None) -> Span:
    claim = finding.claim.start, finding.claim.end
    if cited and finding.verdict in (Verdict.WRONG_PAGE, Verdict.UNKNOWN_KEY, Verdict.NO_TEXT):
        return cited
    if finding.verdict is Verdict.MISQUOTED and finding.misquoted:
        return quotation_span(draft, claim, finding.misquoted[0].quote) or claim
    return claim


def _moved(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by
