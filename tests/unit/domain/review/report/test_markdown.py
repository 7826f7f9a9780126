"""The text of a report, and where its statements stand in it."""

from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.research.records import NOW

from citeloom.domain.research.session import ClaimVerdict, Correction, Depth, Source, SourceSpan
from citeloom.domain.review.evidence.answering import UNCONFIRMED
from citeloom.domain.review.report.markdown import Report, ReportContent, citation_of, render_report
from citeloom.domain.review.report.report import (
    Checked,
    Gap,
    GatheredEvidence,
    Plan,
    Statement,
    SubQuestion,
)

BASE = UUID("00000000-0000-4000-8000-000000000000")
VERDICTS = list(ClaimVerdict)


def a_source(number: int, citekey: str | None) -> Source:
    return Source(
        id=uuid5(BASE, f"source {number}"),
        research_session_id=BASE,
        url=f"ndk://file/x/{number}",
        title=f"Paper {number}",
        snippet="…",
        document_id=str(number),
        citekey=citekey,
        created_at=NOW,
    )


def a_span(number: int, source: Source, quote: str) -> SourceSpan:
    return SourceSpan(
        id=uuid5(BASE, f"span {number}"),
        source_id=source.id,
        quote=quote,
        page=number + 1,
        citation=f"[@{source.citekey}, p. {number}]" if source.citekey else None,
        relevance_score=0.9,
        step_index=0,
        created_at=NOW,
    )


def a_check(
    span: SourceSpan, verdict: ClaimVerdict = ClaimVerdict.SUPPORTED, **fields: object
) -> Checked:
    values: dict[str, object] = {"text": span.quote, "spans": (span.id,), "step_index": 0}
    statement = Statement.model_validate({**values, "quoted": True, **fields})
    return Checked(
        written=statement, statement=statement, verdict=verdict, confidence=1, reasoning="so"
    )


def a_report(
    checked: list[Checked], spans: list[SourceSpan], sources: list[Source], **more: object
) -> Report:
    plan = Plan(
        question="What\n# of it?",
        depth=Depth.LIGHT,
        steps=(
            SubQuestion(title="What of it?", queries=("x",)),
            SubQuestion(title="With regard to wind", queries=("x",), asked=False),
            SubQuestion(title="With regard to rain", queries=("x",), asked=False),
        ),
    )
    values: dict[str, object] = {
        "project": "local/x",
        "documents": 5,
        "writer": "extractive",
        "plan": plan,
        "searched_steps": (0, 1),
        "gathered": GatheredEvidence(sources=tuple(sources), spans=tuple(spans)),
        "checked": tuple(checked),
        "bibliography": {"a": "A, B. (2020). *C*.", "other": "Other."},
    }
    return render_report(ReportContent(**{**values, **more}))  # type: ignore[arg-type]


@given(
    st.lists(
        st.tuples(
            st.text(alphabet=st.characters(codec="utf-8"), min_size=1, max_size=40),
            st.sampled_from(VERDICTS),
            st.booleans(),
            st.booleans(),
            st.integers(0, 1),
        ),
        max_size=8,
    )
)
def test_every_statement_stands_where_it_is_said_to_stand(rows: list[tuple[object, ...]]):
    sources = [a_source(0, "a"), a_source(1, None)]
    spans, checked = [], []
    for number, (text, verdict, quoted, kept, step) in enumerate(rows):
        span = a_span(number, sources[number % 2], str(text))
        spans.append(span)
        one = a_check(
            span,
            verdict,  # type: ignore[arg-type]
            quoted=quoted,
            step_index=step,
        )
        checked.append(one if kept else one.model_copy(update={"statement": None}))
    report = a_report(checked, spans, sources)
    told = [one for one in checked if one.statement is not None]
    assert len(report.placed) == len(told)
    end = 0
    for placed in report.placed:
        assert placed.start >= end
        end = placed.end
        assert report.text[placed.start : placed.end] == placed.statement.text
    assert sorted(map(id, told)) == sorted(id(placed.checked) for placed in report.placed)
    assert report.summary.abstained_count == len(checked) - len(told)


def one_source(*quotes: str) -> tuple[list[SourceSpan], list[Source]]:
    source = a_source(0, "a")
    return [a_span(n, source, quote) for n, quote in enumerate(quotes)], [source]


def test_what_its_source_does_not_bear_out_is_marked():
    spans, sources = one_source("One.", "Two.", "Three.", "Four.")
    checked = [a_check(s, v, quoted=False) for s, v in zip(spans, VERDICTS, strict=True)]
    text = a_report(checked, spans, sources).text
    assert "One. [@a, p. 0] Two." in text
    assert "Two. [@a, p. 1] *(supported in part)*" in text
    assert "Three. [@a, p. 2] *(not supported by what it cites)*" in text
    assert "Four. [@a, p. 3] *(what it cites says otherwise)*" in text


def test_a_report_that_states_nothing_says_so():
    text = a_report([], [], []).text
    assert text.endswith("The report states nothing, so nothing was checked.\n")


def test_the_warning_stands_above_a_fifth_of_unsupported_statements():
    quotes = [f"Sentence {n}." for n in range(10)]
    spans, sources = one_source(*quotes)
    for wrong, warned in ((2, False), (3, True)):
        verdicts = [ClaimVerdict.UNSUPPORTED] * wrong + [ClaimVerdict.SUPPORTED] * (10 - wrong)
        checked = [a_check(s, v) for s, v in zip(spans, verdicts, strict=True)]
        report = a_report(checked, spans, sources)
        assert ("> **Warning:** 3 of 10 statements (30%)" in report.text) is warned
        assert report.summary.warning is warned


def test_quotations_do_not_thin_out_what_was_made_up():
    quotes = [f"Sentence {n}." for n in range(12)]
    spans, sources = one_source(*quotes)
    checked = [a_check(s) for s in spans[2:]]
    checked += [a_check(s, ClaimVerdict.UNSUPPORTED, quoted=False) for s in spans[:2]]
    report = a_report(checked, spans, sources)
    assert report.summary.warning
    assert "> **Warning:** 2 of 2 statements that extractive wrote (100%) are" in report.text


def test_drafts_of_versions_that_judged_agreement_can_be_read():
    old = {"text": "Ponds cool.", "step_index": 0, "group": 1, "stance": "disagrees"}
    assert Statement.model_validate(old) == Statement(text="Ponds cool.", step_index=0)


def test_steps_without_anything_are_told_apart_from_those_not_looked_at():
    text = a_report([], [], []).text
    assert "## What of it?\n\nNothing was found on this in the project.\n" in text
    assert "- Nothing else was found with regard to wind.\n" in text
    assert "- Not looked at, because nothing was found at all: With regard to rain.\n" in text
    assert text.startswith("# What # of it?\n\nNothing was found. 0 of the 5 documents of project")
    assert "## Works cited" not in text


def test_why_nothing_was_found_and_what_comes_nearest_is_told():
    gaps = (
        Gap(step=0, absent=("caffeine", "rats"), nearest=("[@a, p. 2]",), shared=("sleep",)),
        Gap(step=1, absent=("wind",), elsewhere=True),
    )
    text = a_report([], [], [], gaps=gaps).text
    assert (
        "Nothing was found on this in the project. No passage of it has *caffeine* or *rats*. "
        "The closest passages have only *sleep*: [@a, p. 2].\n"
    ) in text
    spans, sources = one_source("One.")
    told = a_report(
        [a_check(one) for one in spans],
        spans,
        sources,
        gaps=(Gap(step=0, absent=("caffeine", "rats")),),
    ).text
    assert "> **Note:** No passage of the project has *caffeine* or *rats*.\n" in told
    elsewhere = (Gap(step=0, elsewhere=True),)
    above = a_report([], spans, sources, gaps=elsewhere).text
    assert "What was found on this is quoted above.\n" in above
    checked = [a_check(one) for one in spans]
    assert "**Note:**" not in a_report(checked, spans, sources, gaps=elsewhere).text


def test_the_nearest_sentences_of_a_step_without_quotations_are_shown_as_not_judged():
    spans, sources = one_source("One.", "Two.")
    gathered = GatheredEvidence(sources=tuple(sources)).extended(nearest=spans)
    text = a_report([], [], [], gathered=gathered, gaps=(Gap(step=0, absent=("rats",)),)).text
    assert "No sentence of the 5 documents of project local/x was recognised as an answer." in text
    shown = "- “One.” [@a, p. 0]\n- “Two.” [@a, p. 1]\n"
    assert f"No passage of the project has *rats*. Nearest, not judged:\n\n{shown}" in text
    assert "Nothing was found" not in text
    assert "Looked at, but not quoted" not in text
    assert "- A, B. (2020). *C*.\n" in text.partition("## Works cited")[2]
    assert text.endswith("Whether they answer was not judged.\n")
    written = a_check(spans[0], quoted=False)
    assert "Two." not in a_report([written], [], [], gathered=gathered).text


def test_quotations_that_are_not_of_the_documents_own_results_are_marked():
    others = "Previous studies found that ponds cool the town."
    spans, sources = one_source("We expected ponds to cool the town.", others, "Ponds cool.")
    text = a_report([a_check(one) for one in spans], spans, sources).text
    assert "town.” [@a, p. 0] *(an expectation, not a result)*" in text
    assert f"{others}” [@a, p. 1] *(on other work)*" in text
    assert "Ponds cool.” [@a, p. 2]\n" in text


def test_a_quotation_that_may_not_answer_is_marked():
    spans, sources = one_source("Ponds cool.")
    weak = [one.model_copy(update={"relevance_score": 0.3}) for one in spans]
    text = a_report([a_check(one) for one in weak], weak, sources).text
    assert "“Ponds cool.” [@a, p. 0] *(may not answer)*\n" in text


def test_a_quotation_that_says_the_opposite_of_its_question_is_marked():
    spans, sources = one_source("Ponds are easier to dig than lakes.")
    step = SubQuestion(title="Why are ponds harder to dig than lakes?", queries=("x",))
    plan = Plan(question=step.title, depth=Depth.LIGHT, steps=(step,))
    checks = [a_check(one) for one in spans]
    report = a_report(checks, spans, sources, plan=plan, searched_steps=(0,))
    assert "lakes.” [@a, p. 0] *(says the opposite)*\n" in report.text


def test_what_another_reading_does_not_confirm_is_not_said_to_be_missing():
    spans, sources = one_source("One.")
    why = {"included": False, "exclusion_reason": UNCONFIRMED}
    left = [one.model_copy(update=why) for one in (*sources, a_source(1, None))]
    gaps = (Gap(step=0, unconfirmed=True, absent=("rats",)),)
    text = a_report([], [], left, gaps=gaps).text
    assert (
        "Nothing could be quoted. 2 of the 5 documents of project local/x were searched.\n" in text
    )
    said = "Sentences were found on this, but another reading of their pages does not confirm them."
    assert f"{said} No passage of the project has *rats*.\n" in text
    assert "another reading of the pages does not confirm what they say: [@a]; Paper 1.\n" in text
    gathered = GatheredEvidence(sources=tuple(left)).extended(nearest=spans)
    near = a_report([], [], [], gathered=gathered, gaps=gaps).text
    assert f"{said} No passage of the project has *rats*. Nearest, not judged:\n" in near
    assert "recognised as an answer" not in near


def test_a_nearest_sentence_becomes_an_answer_where_it_is_recognised_as_one():
    spans, _ = one_source("One.", "Two.")
    near = GatheredEvidence().extended(nearest=spans)
    assert near.answers == ()
    assert near.nearest_of(0) == tuple(spans)
    assert near.extended(spans=spans[:1]).answers == (spans[0],)
    assert GatheredEvidence().extended(spans=spans).extended(nearest=spans).answers == tuple(spans)


@pytest.mark.parametrize(
    ("count", "said"),
    [(1, "1 quotation, exact."), (2, "2 quotations, both exact."), (3, "3 quotations, all exact.")],
)
def test_quotations_are_counted_as_exact(count: int, said: str) -> None:
    spans, sources = one_source(*(f"Sentence {n}." for n in range(count)))
    text = a_report([a_check(one) for one in spans], spans, sources).text
    assert f"## Verification\n\n{said} " in text


def test_only_works_that_are_cited_are_listed():
    spans, sources = one_source("One.")
    sources.append(a_source(1, None))
    spans.append(a_span(1, sources[1], "Two."))
    works = a_report([a_check(one) for one in spans], spans, sources).text.partition("## Works")[2]
    assert "- A, B. (2020). *C*.\n" in works
    assert "- Paper 1 (not in the reference library)\n" in works
    assert "Other." not in works


def test_a_statement_that_was_removed_counts_as_abstained():
    spans, sources = one_source("One.")
    removed = a_check(spans[0], ClaimVerdict.UNSUPPORTED).model_copy(
        update={"statement": None, "correction": Correction.REMOVE}
    )
    report = a_report([removed], spans, sources)
    assert "One." not in report.text
    assert report.summary.abstained_count == 1


def test_citations_of_one_statement_are_one():
    sources = [a_source(0, "a"), a_source(1, "b"), a_source(2, None)]
    spans = [a_span(n, source, "x") for n, source in enumerate(sources)]
    titles = {source.id: source.title for source in sources}
    assert citation_of(spans, titles) == "[@a, p. 0; @b, p. 1] (Paper 2, PDF p. 3)"
    assert citation_of(spans[:1], titles) == "[@a, p. 0]"
    assert citation_of([], titles) == ""


@pytest.mark.parametrize(
    ("quoted", "introduction"),
    [
        (
            (False, False),
            "2 statements from 1 of the 5 documents of project local/x. Written ",
        ),
        ((False, True), ". 1 of them written by m from passages of these documents, and checked"),
        ((True, True), "2 quotations from 1 of the 5 documents of project local/x. m wrote "),
    ],
)
def test_a_report_says_what_a_model_wrote_and_what_not(
    quoted: tuple[bool, ...], introduction: str
) -> None:
    source = a_source(1, "key1")
    spans = [a_span(number, source, f"Quote {number}.") for number in range(len(quoted))]
    checked = [a_check(span, quoted=is_quote) for span, is_quote in zip(spans, quoted, strict=True)]
    text = a_report(checked, spans, [source], writer="m").text
    assert introduction in text
    assert ("Written by m" in text) == (quoted == (False, False))
