"""Rendering of a report as Markdown, with the offsets of its statements.

Deterministic: the same evidence gives the same text.
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
from citeloom.domain.review.evidence.answering import MIN_RELEVANCE, UNCONFIRMED, says_the_opposite
from citeloom.domain.review.evidence.statement_kinds import StatementKind, statement_kind
from citeloom.domain.text.phrasing import counted, inert_markdown, on_one_line

from .report import Checked, Gap, GatheredEvidence, Plan, Statement

_VERDICT_MARKS: Final = {
    ClaimVerdict.PARTIAL: " *(supported in part)*",
    ClaimVerdict.UNSUPPORTED: " *(not supported by what it cites)*",
    ClaimVerdict.CONTRADICTED: " *(what it cites says otherwise)*",
}
_KIND_MARKS: Final = {
    StatementKind.EXPECTED: " *(an expectation, not a result)*",
    StatementKind.OTHERS: " *(on other work)*",
}
_FOUND_NOTHING: Final = "Nothing was found on this in the project."
_FOUND_UNCONFIRMED: Final = (
    "Sentences were found on this, but another reading of their pages does not confirm them."
)
_WEAK_MARK: Final = " *(may not answer)*"
_OPPOSITE_MARK: Final = " *(says the opposite)*"
# Documents without an answer that are named.
_MOST_NAMED: Final = 20
_EXTRACTIVE: Final = "extractive"


class PlacedStatement(NamedTuple):
    """A checked statement and the offsets of its text in the report."""

    checked: Checked
    statement: Statement
    start: int
    end: int


class Report(NamedTuple):
    """``text[p.start:p.end] == p.statement.text`` for each of ``placed``."""

    text: str
    placed: tuple[PlacedStatement, ...]
    summary: VerificationSummary


class ReportContent(NamedTuple):
    """Input of a report. ``searched_steps`` are indices of steps, ``documents`` the number of
    documents of the project, ``bibliography`` the entries of all works by citation key."""

    project: str
    documents: int
    writer: str
    plan: Plan
    searched_steps: tuple[int, ...]
    gathered: GatheredEvidence
    checked: tuple[Checked, ...]
    bibliography: Mapping[str, str]
    gaps: tuple[Gap, ...] = ()
    warnings: tuple[str, ...] = ()


def render_report(content: ReportContent) -> Report:
    """The report: question, statements by sub-question, works cited, verification."""
    report = _ReportBuilder()
    kept = [one for one in content.checked if one.statement is not None]
    summary = summarize(content.checked)
    report.add(f"# {_shown(content.plan.question)}\n\n{_introduction(content, kept)}\n")
    if summary.warning:
        report.add(f"\n> **Warning:** {_warning(content.checked, content.writer)}\n")
    for warning in (
        *content.plan.failures,
        *content.plan.warnings,
        *content.warnings,
    ):
        report.add(f"\n> **Note:** {_shown(warning)}\n")
    empty = _sections(report, content, kept)
    _not_found(report, content, kept, empty)
    _works_cited(report, content, kept)
    _verification(report, content, summary)
    return Report(report.whole, tuple(report.placed), summary)


def summarize(checked: Sequence[Checked]) -> VerificationSummary:
    """Verdicts of all statements as written; removed ones are abstentions. The warning considers
    all statements, and the generated ones alone, so that quotations do not dilute what a model
    made up."""
    verdicts = [one.as_written or one.verdict for one in checked]
    counts = {verdict: verdicts.count(verdict) for verdict in ClaimVerdict}
    unsupported = counts[ClaimVerdict.UNSUPPORTED]
    return VerificationSummary(
        total_claims=len(verdicts),
        supported=counts[ClaimVerdict.SUPPORTED],
        partial=counts[ClaimVerdict.PARTIAL],
        unsupported=unsupported,
        contradicted=counts[ClaimVerdict.CONTRADICTED],
        abstained_count=sum(one.statement is None for one in checked),
        citation_corrections=sum(one.correction is not Correction.KEEP for one in checked),
        warning=any(_unsupported_share(group) > WARNED_ABOVE for group in _warning_groups(checked)),
    )


def _warning_groups(checked: Sequence[Checked]) -> tuple[Sequence[Checked], Sequence[Checked]]:
    """All statements, and the generated (not quoted) ones."""
    return checked, [one for one in checked if not one.written.quoted]


def _unsupported(checked: Sequence[Checked]) -> int:
    return sum((one.as_written or one.verdict) is ClaimVerdict.UNSUPPORTED for one in checked)


def _unsupported_share(checked: Sequence[Checked]) -> float:
    return _unsupported(checked) / len(checked) if checked else 0.0


def _warning(checked: Sequence[Checked], writer: str) -> str:
    every, written = _warning_groups(checked)
    worst, what = every, "statements"
    if _unsupported_share(written) > _unsupported_share(every):
        worst, what = written, f"statements that {writer} wrote"
    count = _unsupported(worst)
    predicate = (
        "is not supported by what it cites; it was left out, or replaced"
        if count == 1
        else "are not supported by what they cite; they were left out, or replaced"
    )
    share = f"{_unsupported_share(worst):.0%}"
    return f"{count} of {len(worst)} {what} ({share}) {predicate} to quotations."


def citation_of(spans: Sequence[SourceSpan], titles: Mapping[UUID, str]) -> str:
    """One pandoc citation of several spans; documents without a citation by title."""
    keyed = dict.fromkeys(span.citation[1:-1] for span in spans if span.citation)
    titled = dict.fromkeys(
        f"({_shown(titles[span.source_id])}{_page(span)})" for span in spans if not span.citation
    )
    return " ".join([f"[{'; '.join(keyed)}]"] * bool(keyed) + list(titled))


class _ReportBuilder:
    def __init__(self) -> None:
        self.whole = ""
        self.placed: list[PlacedStatement] = []

    def add(self, text: str) -> None:
        self.whole += text

    def state(self, checked: Checked, statement: Statement) -> None:
        start = len(self.whole)
        self.whole += statement.text
        self.placed.append(PlacedStatement(checked, statement, start, len(self.whole)))


def _introduction(content: ReportContent, kept: Sequence[Checked]) -> str:
    works = {content.gathered.source_of(s).id for s in _spans(content.gathered, kept)}
    documents = counted(content.documents, "document")
    is_unconfirmed = any(gap.unconfirmed for gap in content.gaps)
    if not kept and content.gathered.nearest:
        nearest = "The nearest sentences are quoted; whether they answer was not judged."
        if is_unconfirmed:
            return f"Nothing could be quoted as an answer. {nearest}"
        those = f"the {documents} of project {content.project}"
        return f"No sentence of {those} was recognised as an answer. {nearest}"
    if not kept:
        looked_at = len(content.gathered.sources)
        searched = (
            f"{looked_at} of the {documents} of project {content.project} "
            f"{_was_were(looked_at)} searched"
        )
        if is_unconfirmed:
            return f"Nothing could be quoted. {searched}."
        enough = "no sentence answers the question well enough to be quoted"
        return f"Nothing was found. {searched}; {enough}."
    quoted = sum(_statement(one).quoted for one in kept)
    made = counted(len(kept), "quotation" if quoted == len(kept) else "statement")
    how = _how_written(content.writer, len(kept), quoted)
    cited = f"{len(works)} of the {documents} of project {content.project}"
    return f"{made} from {cited}. {how}"


def _how_written(writer: str, statements: int, quoted: int) -> str:
    """The writer of the statements: a model only if some are not quotations."""
    if writer == _EXTRACTIVE:
        return "Every statement is a quotation, word for word."
    if quoted == statements:
        return (
            f"{writer} wrote none of it: it gave no sentence that could be used. Every statement "
            "is a quotation, word for word."
        )
    written = f"ritten by {writer} from passages of these documents, and checked"
    if not quoted:
        return f"W{written}."
    return f"{statements - quoted} of them w{written}; the others are quotations, word for word."


def _sections(report: _ReportBuilder, content: ReportContent, kept: Sequence[Checked]) -> list[int]:
    """Write the sections of the steps; return the facet steps without statements."""
    empty: list[int] = []
    for step in content.searched_steps:
        section_statements = [one for one in kept if _statement(one).step_index == step]
        sub = content.plan.steps[step]
        if not section_statements and not sub.asked:
            empty.append(step)
            continue
        if len(content.plan.steps) > 1 or sub.title != content.plan.question:
            report.add(f"\n## {_shown(sub.title)}\n")
        gap = next((one for one in content.gaps if one.step == step), Gap(step=step))
        nearest = () if section_statements else content.gathered.nearest_of(step)
        if nearest:
            report.add(f"\n{_nearest_note(gap)}\n\n")
            report.add(
                "".join(
                    f"- “{one.quote}” {_cited([one], content)}{_kind_mark(one)}\n"
                    for one in nearest
                )
            )
        elif not section_statements or gap != Gap(step=step):
            found = [] if section_statements else [_found_note(gap)]
            report.add(f"\n{_gap_note(gap, found)}\n")
        _statements(report, content, section_statements)
    return empty


def _found_note(gap: Gap) -> str:
    """What became of the search of a step without statements."""
    if gap.elsewhere:
        return "What was found on this is quoted above."
    return _FOUND_UNCONFIRMED if gap.unconfirmed else _FOUND_NOTHING


def _gap_note(gap: Gap, found: Sequence[str]) -> str:
    """What a step did not find, and why, after what it ``found`` if it has no statement."""
    sentences = [*found]
    if gap.absent:
        of = "of it" if found == [_FOUND_NOTHING] else "of the project"
        sentences.append(f"No passage {of} has {_enumerated(gap.absent, 'or')}.")
    if gap.compared:
        names = _enumerated(gap.compared, "and")
        sentences.append(f"No sentence was found that compares {names}.")
    if gap.nearest:
        have = f"only {_enumerated(gap.shared, 'and')}" if gap.shared else "none of its words"
        sentences.append(f"The closest passages have {have}: {'; '.join(gap.nearest)}.")
    line = " ".join(sentences)
    return line if found or not line else f"> **Note:** {line}"


def _nearest_note(gap: Gap) -> str:
    """What stands before the sentences that come nearest."""
    notes = [_FOUND_UNCONFIRMED] if gap.unconfirmed else []
    if gap.absent:
        notes.append(f"No passage of the project has {_enumerated(gap.absent, 'or')}.")
    return " ".join([*notes, "Nearest, not judged:"])


def _enumerated(words: Sequence[str], joint: str) -> str:
    *firsts, last = (f"*{_shown(word)}*" for word in words)
    return f"{', '.join(firsts)} {joint} {last}" if firsts else last


def _statements(
    report: _ReportBuilder, content: ReportContent, section_statements: Sequence[Checked]
) -> None:
    spans = {span.id: span for span in content.gathered.spans}
    for quoted, run in groupby(section_statements, key=lambda one: _statement(one).quoted):
        for number, checked in enumerate(run):
            statement = _statement(checked)
            cited = _cited([spans[id] for id in statement.spans if id in spans], content)
            after = f" {cited}{_VERDICT_MARKS.get(checked.verdict, '')}"
            if not quoted:
                report.add("\n" if not number else " ")
                report.state(checked, statement)
                report.add(after)
                continue
            report.add("\n- “")
            report.state(checked, statement)
            span = spans.get(statement.spans[0])
            weak = _WEAK_MARK if span and span.relevance_score < MIN_RELEVANCE else ""
            asked = content.plan.steps[statement.step_index].title
            opposite = _OPPOSITE_MARK if says_the_opposite(asked, statement.text) else ""
            report.add(f"”{after}{_kind_mark(span)}{opposite}{weak}\n")
        if not quoted:
            report.add("\n")


def _kind_mark(span: SourceSpan | None) -> str:
    """What a quotation is, if it is not the document's own statement."""
    headings = (span.section_heading,) if span and span.section_heading else ()
    return _KIND_MARKS.get(statement_kind(span.quote, headings), "") if span else ""


def _cited(spans: Sequence[SourceSpan], content: ReportContent) -> str:
    return citation_of(spans, {source.id: source.title for source in content.gathered.sources})


def _not_found(
    report: _ReportBuilder, content: ReportContent, kept: Sequence[Checked], empty: Sequence[int]
) -> None:
    steps = content.plan.steps
    new = "new was found any more" if content.gathered.answers else "was found at all"
    lines = [f"Nothing else was found {_lower(steps[n].title)}." for n in empty]
    lines += [
        f"Not looked at, because nothing {new}: {_shown(steps[n].title)}."
        for n in range(len(steps))
        if n not in content.searched_steps
    ]
    lines += _without_answer(content, kept)
    if lines:
        report.add("\n## What was not found\n\n" + "".join(f"- {one}\n" for one in lines))


def _without_answer(content: ReportContent, kept: Sequence[Checked]) -> list[str]:
    """Which documents were looked at without an answer, and how many not at all."""
    sources = content.gathered.sources
    quoted = {span.source_id for span in _quoted_spans(content, kept)}
    left = [one for one in sources if not one.included and one.id not in quoted]
    lines = []
    unconfirmed = "Not quoted, since another reading of the pages does not confirm what they say"
    for what, is_unconfirmed in (("Looked at, but not quoted", False), (unconfirmed, True)):
        names = [
            f"[@{one.citekey}]" if one.citekey else _shown(one.title)
            for one in left
            if (one.exclusion_reason == UNCONFIRMED) is is_unconfirmed
        ]
        if names:
            more = f"; and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
            lines.append(f"{what}: {'; '.join(names[:_MOST_NAMED])}{more}.")
    if others := content.documents - len(sources):
        lines.append(f"Not looked at: {counted(others, 'document')} without a close passage.")
    return lines


def _works_cited(report: _ReportBuilder, content: ReportContent, kept: Sequence[Checked]) -> None:
    sources = {
        source.id: source
        for span in _quoted_spans(content, kept)
        for source in [content.gathered.source_of(span)]
    }
    keys = {source.citekey for source in sources.values() if source.citekey}
    entries = [entry for key, entry in content.bibliography.items() if key in keys]
    unlisted = sorted(
        f"{_shown(source.title)} (not in the reference library)"
        for source in sources.values()
        if source.citekey not in content.bibliography
    )
    if entries or unlisted:
        report.add("\n## Works cited\n\n")
        report.add("".join(f"- {on_one_line(entry)}\n" for entry in (*entries, *unlisted)))


def _verification(
    report: _ReportBuilder, content: ReportContent, summary: VerificationSummary
) -> None:
    kept = [_statement(one).quoted for one in content.checked if one.statement is not None]
    if summary.total_claims and sum(kept) == summary.total_claims:
        which = {1: "", 2: "both "}.get(len(kept), "all ")
        text = f"{counted(len(kept), 'quotation')}, {which}exact."
    elif summary.total_claims:
        text = f"{counted(summary.total_claims, 'statement')}: {_verdict_counts(summary)}."
    elif content.gathered.nearest:
        text = "The nearest sentences are exact quotations. Whether they answer was not judged."
    else:
        text = "The report states nothing, so nothing was checked."
    if softened := sum(one.correction is Correction.SOFTEN for one in content.checked):
        text += f" In place of {softened} that went beyond the evidence, it is quoted."
    if removed := summary.abstained_count:
        were, them = ("was", "it") if removed == 1 else ("were", "them")
        text += (
            f" {removed} {were} left out, since no source bears {them} out or the report says so "
            "already."
        )
    if any(kept):
        text += (
            " Each quotation was compared with its document and its page, word for word"
            f"{_second_readings(content.checked)}. Whether the quotations agree with each other, "
            "or answer the question, was not judged."
        )
    report.add(f"\n## Verification\n\n{text}\n")


def _verdict_counts(summary: VerificationSummary) -> str:
    counts = (
        (summary.supported, "supported"),
        (summary.partial, "in part"),
        (summary.unsupported, "unsupported"),
        (summary.contradicted, "contradicted"),
    )
    return ", ".join(f"{count} {name}" for count, name in counts if count)


def _second_readings(checked: Sequence[Checked]) -> str:
    """How many quotations were compared with a second reading of their page."""
    quoted = [one for one in checked if one.written.quoted]
    same = sum(one.second_reading is True for one in quoted)
    left = sum(one.second_reading is False for one in quoted)
    also = f"; a second reading of the page confirms {same} of {len(quoted)}" if same else ""
    return also + (f"; {left} {_was_were(left)} not confirmed and left out" if left else "")


def _was_were(count: int) -> str:
    return "was" if count == 1 else "were"


def _spans(gathered: GatheredEvidence, kept: Sequence[Checked]) -> list[SourceSpan]:
    cited = {id for one in kept for id in _statement(one).spans}
    return [span for span in gathered.spans if span.id in cited]


def _quoted_spans(content: ReportContent, kept: Sequence[Checked]) -> list[SourceSpan]:
    """The spans that the report cites: those of its statements, and the nearest sentences of steps
    without statements."""
    answered = {_statement(one).step_index for one in kept}
    nearest = [
        span
        for step in content.searched_steps
        if step not in answered
        for span in content.gathered.nearest_of(step)
    ]
    return [*_spans(content.gathered, kept), *nearest]


def _statement(checked: Checked) -> Statement:
    assert checked.statement is not None
    return checked.statement


def _page(span: SourceSpan) -> str:
    if span.page_label:
        return f", p. {span.page_label}"
    return f", PDF p. {span.page}" if span.page else ""


def _shown(text: str) -> str:
    """A text of a document or of a question, on one line."""
    return inert_markdown(on_one_line(text))


def _lower(title: str) -> str:
    line = _shown(title)
    return line[:1].lower() + line[1:]
