"""What is pure of writing with a library: citations being typed, findings in an edited text."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Self

from pydantic import Field
from rapidfuzz.distance import Indel

from .citation.in_text import latex_text, markdown_text, typst_text
from .citation.locators import EN_DASH, is_one_page, page_ranges, page_term
from .citation.metadata import CitationMeta
from .text.phrasing import on_one_line, shortened
from .value import Value
from .verification.drafts.draft import (
    JOINER,
    PLACEHOLDER,
    CitedItem,
    Draft,
    Finding,
    InTextCitation,
)
from .verification.verdict import Verdict

Span = tuple[int, int]
_FILE_PAGE: Final = re.compile(r"PDF p\. (\d+)")
_SHOWN: Final = 60
# Between the cells of a row: words that go over it stand in no order that can be quoted.
_CELL: Final = " | "
# Words; the work grows with their square.
_LONGEST: Final = 150
_ESCAPED: Final = {"latex": latex_text, "typst": typst_text, "markdown": markdown_text}


class DraftCorrection(Value):
    """``text`` instead of ``start`` to ``end`` of a draft; ``title`` says what that does."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    text: str
    title: str


def corrections(
    draft: Draft, finding: Finding, cited: CitedItem | None
) -> Iterator[DraftCorrection]:
    """What can be corrected without a doubt about the place in the draft; ``cited`` is the item
    of the finding."""
    if cited is not None and finding.verdict is Verdict.WRONG_PAGE and finding.right_pages:
        yield from _page(draft, finding, cited)
    for one in finding.misquoted:
        span = quotation_span(draft, (finding.claim.start, finding.claim.end), one.quote)
        if one.closest and span and _CELL not in one.closest:
            exact = closest_words(one.quote, one.closest)
            text = _ESCAPED.get(draft.format, str)(exact)
            title = f"Quote the source exactly: “{shortened(exact, _SHOWN)}”"
            yield DraftCorrection(start=span[0], end=span[1], text=text, title=title)
    if cited is not None and finding.verdict is Verdict.UNKNOWN_KEY and finding.written is None:
        for key in finding.close_keys:
            if span := _within(draft.text, cited.start, cited.end, cited.key, last=False):
                title = f"Cite {key} instead of {cited.key}"
                yield DraftCorrection(start=span[0], end=span[1], text=key, title=title)


def _page(draft: Draft, finding: Finding, cited: CitedItem) -> Iterator[DraftCorrection]:
    citation = next((one for one in draft.citations if cited in one.items), None)
    span = locator_span(draft, citation, cited) if citation else None
    if span is None:
        return
    text = relocated(draft.text[slice(*span)], finding.right_pages, draft.format)
    yield DraftCorrection(start=span[0], end=span[1], text=text, title=f"Cite {on_one_line(text)}")


def locator_span(draft: Draft, citation: InTextCitation, item: CitedItem) -> Span | None:
    """Where the locator of an item stands; in LaTeX that is before its key."""
    if item.locator is None:
        return None
    if draft.format == "latex":
        text = draft.text.replace("~", " ")
        return _within(text, citation.start, item.start, item.locator.text, last=True)
    return _within(draft.text, item.start, item.end, item.locator.text, last=True)


def relocated(written: str, pages: Sequence[str], format: str) -> str:
    """A locator with other pages: printed labels, or ``PDF p. 5`` for those of the file. The
    term stays as it is written, in the number that the pages need."""
    numbers = [match[1] for page in pages if (match := _FILE_PAGE.fullmatch(page))]
    if numbers:
        term = "PDF p. " if is_one_page(numbers) else "PDF pp. "
        return term + page_ranges(numbers)
    term = page_term(written)
    if term.rstrip(" ~\xa0").lower() in ("p.", "pp."):
        space = term[len(term.rstrip(" ~\xa0")) :]
        term = ("p." if is_one_page(pages) else "pp.") + space
    return term + page_ranges(pages, dash="--" if format == "latex" else EN_DASH)


def closest_words(quote: str, source: str) -> str:
    """The fewest consecutive words of ``source`` that have as many words of a quotation as all
    of it, in their order; with as many at both ends as the quotation has others there."""
    mine, theirs, words = _folded(quote), _folded(source), source.split()
    most = _common(mine, theirs)
    if not most or len(theirs) > _LONGEST:
        return source
    spans = (
        (first, last)
        for first in range(len(theirs))
        for last in range(first + most, len(theirs) + 1)
    )
    first, last = min(
        (span for span in spans if _common(mine, theirs[slice(*span)]) == most),
        key=lambda span: span[1] - span[0],
    )
    equal = [edit for edit in Indel.opcodes(mine, theirs[first:last]) if edit.tag == "equal"]
    before, after = equal[0].src_start, len(mine) - equal[-1].src_end
    return " ".join(words[max(0, first - before) : last + after])


def _common(mine: Sequence[str], theirs: Sequence[str]) -> int:
    """The words that both have, in their order."""
    return (len(mine) + len(theirs) - Indel.distance(mine, theirs)) // 2


def _folded(text: str) -> list[str]:
    """The words as compared: without case and the signs around them."""
    return [word.strip("“”‘’\"'.,;:!?()[]").casefold() or word for word in text.split()]


def quotation_span(draft: Draft, claim: Span, quote: str) -> Span | None:
    """The position of a claim's quotation in the draft; None if it is uncertain, or contains markup
    or a citation."""
    chars = [
        (at, draft.prose[at])
        for at in range(*claim)
        if draft.prose[at] not in (JOINER, PLACEHOLDER)
    ]
    pattern = r"\s+".join(map(re.escape, quote.split()))
    found = list(re.finditer(pattern, "".join(char for _, char in chars)))
    if len(found) != 1:
        return None
    start, end = chars[found[0].start()][0], chars[found[0].end() - 1][0] + 1
    return (start, end) if draft.text[start:end].split() == quote.split() else None


def _within(text: str, start: int, end: int, wanted: str, *, last: bool) -> Span | None:
    """The first or last place between two offsets that has ``wanted`` as whole words."""
    pattern = rf"(?<!\w){re.escape(wanted)}(?!\w)"
    found = [match.span() for match in re.compile(pattern).finditer(text, start, end)]
    return (found[-1] if last else found[0]) if found else None


class Edit(NamedTuple):
    """``text`` in place of ``start`` to ``end``."""

    start: int
    end: int
    text: str


class PlacedFinding(Value):
    """A finding in a text: ``start`` to ``end`` is its claim with the citation, ``shown`` its
    subject (the citation for a wrong page or key, the words of a misquotation), ``cited`` the
    citation of the work (None if not located), ``item`` the parsed citation (with the offsets of
    that time)."""

    finding: Finding
    item: CitedItem | None = None
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    shown: tuple[int, int]
    cited: tuple[int, int] | None = None
    corrections: tuple[DraftCorrection, ...] = ()

    def after(self, edit: Edit) -> Self | None:
        """The position after an edit elsewhere; None if the edit touched the claim."""
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
        if item in citation.items and citation.start < citation.end:
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


_NOT_IN_WORDS: Final = re.compile(r"[\W_]+")


class CitableWork(NamedTuple):
    """A work that can be cited by its ``key``; ``has_text``: its pages can be searched.
    ``authors`` are short (*Szélkuti and Brand*); ``names`` and ``title_words`` are what typed
    text is compared with."""

    key: str
    title: str
    authors: str
    year: int | None
    container: str | None
    has_text: bool
    names: tuple[str, ...]
    title_words: str


def citable(work: CitationMeta, *, has_text: bool) -> CitableWork:
    people = work.csl.get("author")
    families = [_family(one) for one in people] if isinstance(people, list) else []
    names = [name for name in families if name] or list(work.authors)
    return CitableWork(
        key=work.citekey,
        title=work.title,
        authors=f"{names[0]} et al." if len(names) > 2 else " and ".join(names),
        year=work.year,
        container=work.container_title,
        has_text=has_text,
        names=tuple(name.casefold() for name in names),
        title_words=f" {_NOT_IN_WORDS.sub(' ', work.title).casefold()}",
    )


def matching_works(
    works: Iterable[CitableWork], typed: str, most: int
) -> tuple[list[CitableWork], bool]:
    """At most ``limit`` works that fit the typed text, best first, and whether there are more: keys
    that begin with it, then names, then the year and words of titles, then keys that contain it."""
    wanted = typed.casefold()
    ranked = [
        (rank, not work.has_text, work.key.casefold(), work)
        for work in works
        if (rank := _rank(work, wanted)) is not None
    ]
    ranked.sort(key=lambda row: row[:3])
    return [row[-1] for row in ranked[:most]], len(ranked) > most


def _rank(work: CitableWork, wanted: str) -> int | None:
    key = work.key.casefold()
    if key.startswith(wanted):
        return 0
    if any(name.startswith(wanted) for name in work.names):
        return 1
    if wanted == str(work.year) or f" {wanted}" in work.title_words:
        return 2
    return 3 if wanted in key else None


def _family(person: Any) -> str:
    if not isinstance(person, Mapping):
        return ""
    return str(person.get("family") or person.get("literal") or person.get("name") or "")
