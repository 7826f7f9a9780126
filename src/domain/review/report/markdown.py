"""The text of a report, in Markdown, and where its statements stand in it.

Nothing in it comes from a clock or from chance: of the same evidence it is the same text.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple
from uuid import UUID

from citeloom.domain.research.session import (
    WARNED_ABOVE,
    ClaimVerdict,
    Correction,
    SourceSpan,
    VerificationSummary,
)
from citeloom.domain.review.report.model import (
    Checked,
    Gap,
    GatheredEvidence,
    Plan,
    Stance,
    Statement,
)
from citeloom.domain.text.phrasing import counted, on_one_line

_MARKS: Final = {
    ClaimVerdict.PARTIAL: " *(borne out in part)*",
    ClaimVerdict.UNSUPPORTED: " *(not borne out by what it cites)*",
    ClaimVerdict.CONTRADICTED: " *(what it cites says otherwise)*",
}
_STANCES: Final = {
    None: "On the same: ",
    Stance.AGREES: "In agreement: ",
    Stance.DISAGREES: "**At odds with it:** ",
}
_EXTRACTIVE: Final = "extractive"


class PlacedStatement(NamedTuple):
    """A checked statement, and where its text stands in the report."""

    checked: Checked
    statement: Statement
    start: int
    end: int


class Report(NamedTuple):
    """``text[p.start:p.end] == p.statement.text`` for each of ``placed``."""

    text: str
    placed: tuple[PlacedStatement, ...]
    summary: VerificationSummary


class Material(NamedTuple):
    """What a report is made of. ``done`` are the steps that were searched, ``documents`` how many
    the project holds, ``bibliography`` has the entries of all works by their keys."""

    project: str
    documents: int
    writer: str
    plan: Plan
    done: tuple[int, ...]
    gathered: GatheredEvidence
    checked: tuple[Checked, ...]
    bibliography: Mapping[str, str]
    gaps: tuple[Gap, ...] = ()
    warnings: tuple[str, ...] = ()


def composed(material: Material) -> Report:
    """The report: question, statements by sub-question, works cited, how it was checked."""
    text = _Text()
    kept = [one for one in material.checked if one.statement is not None]
    summary = summarized(material.checked)
    text.add(f"# {on_one_line(material.plan.question)}\n\n{_introduction(material, kept)}\n")
    if summary.warning:
        text.add(f"\n> **Warning:** {_warning(material.checked, material.writer)}\n")
    for warning in (
        *material.plan.failures,
        *material.plan.warnings,
        *material.warnings,
    ):
        text.add(f"\n> **Note:** {on_one_line(warning)}\n")
    empty = _sections(text, material, kept)
    _left_over(text, material, empty)
    _works(text, material, kept)
    _verification(text, material, summary)
    return Report(text.whole, tuple(text.placed), summary)


def summarized(checked: Sequence[Checked]) -> VerificationSummary:
    """Verdicts of all statements as they were written; those left out are abstained from. The
    warning looks at all of them, and at those by themselves that are no quotations: what a model
    made up does not become less by quotations that stand in for it."""
    found = [one.as_written or one.verdict for one in checked]
    counts = {verdict: found.count(verdict) for verdict in ClaimVerdict}
    unsupported = counts[ClaimVerdict.UNSUPPORTED]
    return VerificationSummary(
        total_claims=len(found),
        supported=counts[ClaimVerdict.SUPPORTED],
        partial=counts[ClaimVerdict.PARTIAL],
        unsupported=unsupported,
        contradicted=counts[ClaimVerdict.CONTRADICTED],
        abstained_count=sum(one.statement is None for one in checked),
        citation_corrections=sum(one.correction is not Correction.KEEP for one in checked),
        warning=any(_share(group) > WARNED_ABOVE for group in _groups(checked)),
    )


def _groups(checked: Sequence[Checked]) -> tuple[Sequence[Checked], Sequence[Checked]]:
    """All statements, and those that were written rather than quoted."""
    return checked, [one for one in checked if not one.written.quoted]


def _unsupported(checked: Sequence[Checked]) -> int:
    return sum((one.as_written or one.verdict) is ClaimVerdict.UNSUPPORTED for one in checked)


def _share(checked: Sequence[Checked]) -> float:
    return _unsupported(checked) / len(checked) if checked else 0.0


def _warning(checked: Sequence[Checked], writer: str) -> str:
    every, written = _groups(checked)
    worst, what = every, "statements"
    if _share(written) > _share(every):
        worst, what = written, f"statements that {writer} wrote"
    count = _unsupported(worst)
    told = (
        "is not borne out by what it cites, as it was written; it was left out, or gives way"
        if count == 1
        else "are not borne out by what they cite, as they were written; they were left out, or "
        "give way"
    )
    return f"{count} of {len(worst)} {what} ({_share(worst):.0%}) {told} to quotations."


def citation_of(spans: Sequence[SourceSpan], titles: Mapping[UUID, str]) -> str:
    """One citation of several spans, ready to paste; a document that the library does not have
    is named by its title."""
    keyed = dict.fromkeys(span.citation[1:-1] for span in spans if span.citation)
    named = dict.fromkeys(
        f"({on_one_line(titles[span.source_id])}{_page(span)})"
        for span in spans
        if not span.citation
    )
    return " ".join([f"[{'; '.join(keyed)}]"] * bool(keyed) + list(named))


class _Text:
    def __init__(self) -> None:
        self.whole = ""
        self.placed: list[PlacedStatement] = []

    def add(self, text: str) -> None:
        self.whole += text

    def state(self, checked: Checked, statement: Statement) -> None:
        start = len(self.whole)
        self.whole += statement.text
        self.placed.append(PlacedStatement(checked, statement, start, len(self.whole)))


def _introduction(material: Material, kept: Sequence[Checked]) -> str:
    works = {material.gathered.source_of(s).id for s in _spans(material.gathered, kept)}
    documents = counted(material.documents, "document")
    if not kept:
        return f"Nothing was found in the {documents} of project {material.project}."
    if material.writer == _EXTRACTIVE:
        made = counted(len(kept), "quotation")
        how = "Every statement is a quotation, letter by letter."
    else:
        made = counted(len(kept), "statement")
        how = f"Written by {material.writer} from passages of these documents, and checked."
    if not kept:
        return f"Nothing was found on this in the {documents} of project {material.project}."
    cited = f"{len(works)} of the {documents} of project {material.project}"
    return f"{made} from {cited}. {how}"


def _sections(text: _Text, material: Material, kept: Sequence[Checked]) -> list[int]:
    """The sections of the steps; the facets of which nothing was kept are returned."""
    empty: list[int] = []
    for step in material.done:
        own = [one for one in kept if _statement(one).step_index == step]
        sub = material.plan.steps[step]
        if not own and not sub.asked:
            empty.append(step)
            continue
        if len(material.plan.steps) > 1 or sub.title != material.plan.question:
            text.add(f"\n## {on_one_line(sub.title)}\n")
        gap = next((one for one in material.gaps if one.step == step), None)
        if not own or gap:
            text.add(f"\n{_missing(gap, nothing=not own)}\n")
        _statements(text, material, own)
    return empty


def _missing(gap: Gap | None, *, nothing: bool) -> str:
    """What was not found, and why."""
    found = nothing and gap is not None and gap.elsewhere
    if found:
        told = ["What was found on this is quoted above."]
    else:
        told = ["Nothing was found on this in the project."] if nothing else []
    if gap is None:
        return " ".join(told)
    if gap.absent:
        of = "of it" if nothing and not found else "of the project"
        told.append(f"No passage {of} has {_listed(gap.absent, 'or')}.")
    if gap.nearest:
        has = (
            f"has only {_listed(gap.shared, 'and')} of it"
            if gap.shared
            else "has none of its words"
        )
        told.append(f"What comes nearest {has}: {'; '.join(gap.nearest)}.")
    line = " ".join(told)
    return line if nothing else f"> **Note:** {line}"


def _listed(words: Sequence[str], joint: str) -> str:
    *firsts, last = (f"*{word}*" for word in words)
    return f"{', '.join(firsts)} {joint} {last}" if firsts else last


def _statements(text: _Text, material: Material, own: Sequence[Checked]) -> None:
    titles = {source.id: source.title for source in material.gathered.sources}
    spans = {span.id: span for span in material.gathered.spans}
    for quoted, run in groupby(own, key=lambda one: _statement(one).quoted):
        led: set[int] = set()
        for number, checked in enumerate(run):
            statement = _statement(checked)
            cited = citation_of([spans[id] for id in statement.spans if id in spans], titles)
            after = f" {cited}{_MARKS.get(checked.verdict, '')}"
            if not quoted:
                text.add("\n" if not number else " ")
                text.state(checked, statement)
                text.add(after)
                continue
            # A member of a group whose leading statement was left out leads it itself.
            member = statement.group is not None and statement.group in led
            if statement.group is not None:
                led.add(statement.group)
            text.add("  - " if member else "\n- ")
            if member:
                text.add(_STANCES[statement.stance])
            text.add("“")
            text.state(checked, statement)
            text.add(f"”{after}\n")
        if not quoted:
            text.add("\n")


def _left_over(text: _Text, material: Material, empty: Sequence[int]) -> None:
    steps = material.plan.steps
    new = "new was found any more" if material.gathered.spans else "was found at all"
    told = [f"Nothing besides was found {_lower(steps[n].title)}." for n in empty]
    told += [
        f"Not looked at, since nothing {new}: {on_one_line(steps[n].title)}."
        for n in range(len(steps))
        if n not in material.done
    ]
    if told:
        text.add("\n## What was not found\n\n" + "".join(f"- {one}\n" for one in told))


def _works(text: _Text, material: Material, kept: Sequence[Checked]) -> None:
    sources = {
        source.id: source
        for span in _spans(material.gathered, kept)
        for source in [material.gathered.source_of(span)]
    }
    keys = {source.citekey for source in sources.values() if source.citekey}
    entries = [entry for key, entry in material.bibliography.items() if key in keys]
    unlisted = sorted(
        f"{on_one_line(source.title)} (not in the reference library)"
        for source in sources.values()
        if source.citekey not in material.bibliography
    )
    if entries or unlisted:
        text.add("\n## Works cited\n\n")
        text.add("".join(f"- {on_one_line(entry)}\n" for entry in (*entries, *unlisted)))


def _verification(text: _Text, material: Material, summary: VerificationSummary) -> None:
    counts = [
        f"{count} {name}"
        for name, count in (
            ("supported", summary.supported),
            ("in part", summary.partial),
            ("unsupported", summary.unsupported),
            ("contradicted", summary.contradicted),
        )
        if count
    ]
    told = f"{counted(summary.total_claims, 'statement')}: {', '.join(counts) or 'none'}."
    if softened := sum(one.correction is Correction.SOFTEN for one in material.checked):
        told += f" In place of {softened} that went beyond the evidence, it is quoted."
    if left := summary.abstained_count:
        were, them = ("was", "it") if left == 1 else ("were", "them")
        told += (
            f" {left} {were} left out, since no source bears {them} out or the report says so "
            "already."
        )
    if any(_statement(one).quoted for one in material.checked if one.statement is not None):
        told += (
            " Each quotation was held against its document and its page, letter by letter; "
            "whether quotations agree is a judgement, to be read with them."
        )
    text.add(f"\n## Verification\n\n{told}\n")


def _spans(gathered: GatheredEvidence, kept: Sequence[Checked]) -> list[SourceSpan]:
    cited = {id for one in kept for id in _statement(one).spans}
    return [span for span in gathered.spans if span.id in cited]


def _statement(checked: Checked) -> Statement:
    assert checked.statement is not None
    return checked.statement


def _page(span: SourceSpan) -> str:
    if span.page_label:
        return f", p. {span.page_label}"
    return f", PDF p. {span.page}" if span.page else ""


def _lower(title: str) -> str:
    line = on_one_line(title)
    return line[:1].lower() + line[1:]
