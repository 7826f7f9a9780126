"""*review* over a library in memory: what it says, and that nothing stops it for good."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.cases import each
from support.even_reader import EvenReader
from support.in_memory.reranker import OverlapReranker
from support.research.reviews import CutOff, Desk, Killed
from support.world import HERE, World

from citeloom.application.documents.stores import SecondReading
from citeloom.application.ports.research import SessionFilter
from citeloom.application.review.requests import ReviewResult
from citeloom.application.review.roles import VectorCloseness, speaks_of_both
from citeloom.domain.documents.fidelity import DocumentFidelity
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import (
    DocumentNotFound,
    InvalidRequest,
    NoDocuments,
    ProjectNotFound,
    SessionBusy,
    SessionEnded,
    SessionNotFound,
    StorageFailed,
)
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.research.events import ResearchEvent
from citeloom.domain.research.session import Depth, Recorded, SessionStatus, UserPreferences
from citeloom.domain.review.evidence.answering import UNCONFIRMED, asked_question
from citeloom.domain.review.planning.plan import question_terms
from citeloom.domain.search.filters import Filter, parse_clause


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(World(tmp_path / "library"))


@pytest.fixture
def reader(tmp_path: Path) -> Desk:
    """One whose reviews read question and sentence together."""
    return Desk(World(tmp_path / "library", settings={"query": {"rerank": True}}))


def kept(desk: Desk, done: ReviewResult) -> Recorded:
    return desk.record.recorded(done.session_id)


def test_every_statement_is_verbatim_at_its_offsets_and_its_place_in_the_report(reader: Desk):
    done = reader.review()(reader.request())
    assert done.report is not None
    assert len(done.claims) >= 2
    documents = {source.id: source.document_id for source in done.sources}
    spans = {span.id: span for span in done.spans}
    primary = {one.claim_id: spans[one.evidence_span_id] for one in done.citations}
    for claim in done.claims:
        assert done.report[claim.position_start : claim.position_end] == claim.claim_text
        span = primary[claim.id]
        text = reader.world.conversion(documents[span.source_id] or "").plain_text
        assert text[span.start_offset : span.end_offset] == span.quote == claim.claim_text
        assert f"”{' '}{span.citation}" in done.report[claim.position_end :]


def test_whether_sources_agree_is_not_said(desk: Desk):
    done = desk.review()(
        desk.request("How does the cooling beside small ponds fall with distance?")
    )
    report = done.report or ""
    assert "falls with distance and is gone" in report
    assert "does not fall with distance" in report
    assert "At odds" not in report
    assert "In agreement" not in report


def test_what_was_kept_is_what_was_given(desk: Desk):
    heard: list[ResearchEvent] = []
    done = desk.review()(desk.request(), heard.append)
    there = kept(desk, done)
    assert there.session.status is SessionStatus.COMPLETED
    assert there.report.content == done.report
    assert there.question.content == done.question
    assert there.claims == done.claims
    assert {source.id for source in there.sources} == {source.id for source in done.sources}
    assert list(desk.record.events(done.session_id)) == heard
    assert [event.sequence for event in heard] == list(range(1, len(heard) + 1))
    assert heard[0].event_type == "research_started"
    assert heard[-1].event_type == "research_completed"


def test_every_document_that_was_found_is_included_or_it_is_told_why_not(desk: Desk):
    done = desk.review()(desk.request())
    by_key = {source.citekey: source for source in done.sources}
    assert by_key["ponds2020"].included
    assert by_key["ponds2020"].is_cited
    for source in done.sources:
        assert source.included == (source.exclusion_reason is None)


def test_the_report_lists_the_works_cited_and_no_others(desk: Desk):
    done = desk.review()(desk.request("Which error has the square grid?", depth=Depth.LIGHT))
    works = (done.report or "").partition("## Works cited")[2]
    cited = {claim.citation_key for claim in done.claims}
    for key in ("ponds2020", "lakes2021", "grids2019"):
        assert (f"The paper {key}" in works) == (key in cited)
    assert "grids2019" in cited


def test_what_nothing_was_found_on_is_said(reader: Desk):
    done = reader.review()(
        reader.request("Who invented the zeppelin of Quillenbrook?", depth=Depth.LIGHT)
    )
    assert "Nothing was found on this in the project." in (done.report or "")
    assert done.claims == ()
    assert done.verification_summary is not None
    assert done.verification_summary.total_claims == 0


def test_words_that_no_passage_has_and_the_nearest_passages_are_the_reason(reader: Desk):
    done = reader.review()(reader.request("Who invented the zeppelin of Quillenbrook?"))
    assert done.claims == ()
    report = done.report or ""
    assert "No passage of it has *zeppelin* or *invented*." in report.replace(
        "*invented* or *zeppelin*", "*zeppelin* or *invented*"
    )
    assert "The closest passages have" in report
    assert "[@" in report


def test_sentences_near_a_question_without_a_recognised_answer_are_shown_as_not_judged(
    reader: Desk,
):
    done = reader.review()(reader.request("Who repaired the sensors?"))
    report = done.report or ""
    sentence = "The sensors of\nall stations were compared in a shelter before the season."
    assert done.claims == ()
    cited = f'- “{sentence}” [@ponds2020, sec. "Methods"]'
    assert cited in report.partition("Nearest, not judged:")[2]
    assert "Nothing was found" not in report
    span = next(one for one in done.spans if one.quote == sentence)
    text = reader.world.conversion(
        next(one.document_id or "" for one in done.sources if one.id == span.source_id)
    ).plain_text
    assert text[span.start_offset : span.end_offset] == sentence
    assert kept(reader, done).report.content == report


@each(("odds", "is_quoted"), [(4.0, True), (-4.0, False)])
def test_a_sentence_that_is_not_relevant_enough_is_quoted_where_the_reader_finds_an_answer(
    reader: Desk, odds: float, is_quoted: bool
):
    reader.world.answer_reader = EvenReader(odds)
    done = reader.review()(reader.request("Who repaired the sensors?"))
    assert bool(done.claims) == is_quoted


def test_a_side_of_a_comparison_may_be_one_letter(reader: Desk):
    reader.world.write("languages.md", "# Languages\n\nR is better than Python for this course.\n")
    reader.world.ingest()
    done = reader.review()(reader.request("Is R better than Python for this course?"))
    assert any(one.claim_text.startswith("R is better than Python") for one in done.claims)


@each(
    ("sentence", "is_of_both"),
    [
        ("The square grid took 41 minutes, the random grid 23.", True),
        ("The square one took 41 minutes, the random one 23.", True),
        ("The grid took 41 minutes.", False),
        ("The square grid took 41 minutes.", False),
        ("The grids differ by a half.", True),
    ],
)
def test_a_word_of_both_sides_names_neither(sentence: str, is_of_both: bool) -> None:
    sides = ("square grid", "random grid")
    question = f"How does the {sides[0]} compare with the {sides[1]}?"
    asked = asked_question(question, question_terms(question))
    said: Any = SimpleNamespace(sentence=sentence, context=f"Grids\n{sentence}")
    assert speaks_of_both(asked, said, sides) is is_of_both
    assert speaks_of_both(asked, said, ())


def test_sentences_with_the_only_word_of_a_question_are_quoted(reader: Desk):
    done = reader.review()(reader.request("Sensors"))
    assert any("The sensors of" in claim.claim_text for claim in done.claims)


def test_a_quotation_does_not_begin_with_a_sentence_whose_start_is_lost(reader: Desk):
    lost = "which leads to reeds of the pond. They slow wet sensors down in winter by a half."
    reader.world.write("sensors.md", f"# Sensors\n\nA bank\n\n{lost}\n")
    reader.world.write("named.md", f"# reedsim: reeds\n\nreedsim {lost[6:]}\n")
    reader.world.ingest()
    done = reader.review()(reader.request("How slow are wet sensors in winter?"))
    quoted = [one.quote for one in done.spans if "They slow" in one.quote]
    assert quoted == [f"reedsim {lost[6:]}"]


def test_an_entry_of_a_list_of_references_is_not_quoted(reader: Desk):
    said = "Wet sensors are twice as slow as dry sensors are in winter."
    reader.world.write("a.md", f"# Sensors\n\n{said}\n\n[HT91] L. Smith. {said} Proc. X, 1991.\n")
    reader.world.write("b.md", f"# Works\n\n[HT91] L. Smith. {said[:-1]} and hot. Proc. X, 1991.\n")
    reader.world.ingest()
    done = reader.review()(reader.request("How slow are wet sensors in winter?"))
    quoted = [one.quote for one in done.spans if "Wet sensors" in one.quote]
    assert quoted == [said]


def test_nothing_is_read_again_where_the_settings_forbid_it(tmp_path: Path):
    class Unasked(OverlapReranker):
        def rerank(self, query: str, passages: Sequence[str], *_: object) -> list[float]:
            raise AssertionError(query)

    desk = Desk(World(tmp_path / "library", reranker=Unasked()))
    assert desk.review()(desk.request("Which error has the square grid?")).claims


def test_words_are_counted_by_passages(desk: Desk):
    project = desk.world.catalogue.project(HERE)
    spread = desk.world.searcher.document_frequencies(project, ("ponds", "zeppelin"), Filter())
    assert spread is not None
    assert spread.counts["ponds"] >= 2
    assert spread.counts["zeppelin"] == 0
    assert spread.passages >= spread.counts["ponds"]


def test_what_points_back_is_not_answered_with_others(desk: Desk):
    done = desk.review()(
        desk.request("What is the error of Halvard's square grid, and how cool is it?")
    )
    own = [one for one in done.spans if one.step_index == 1]
    ids = {source.id: source.citekey for source in done.sources}
    assert all(ids[span.source_id] == "grids2019" for span in own)


def test_a_filter_holds_for_all_steps(desk: Desk):
    only = Filter(clauses=(parse_clause("citekey=lakes2021"),))
    done = desk.review()(desk.request(filter=only))
    assert {source.citekey for source in done.sources} == {"lakes2021"}


def test_the_depth_is_the_one_asked_for_or_preferred_or_medium(desk: Desk):
    at = desk.world.clock.now()
    asked = desk.review()(desk.request(depth=Depth.LIGHT))
    assert (asked.research_depth, asked.plan and asked.plan.depth) == (Depth.LIGHT, Depth.LIGHT)
    assert desk.review()(desk.request()).research_depth is Depth.MEDIUM
    desk.users.prefer(
        UserPreferences(
            id=desk.new_id(),
            user_id="local",
            default_research_depth=Depth.EXTENDED,
            created_at=at,
            updated_at=at,
        )
    )
    assert desk.review()(desk.request()).research_depth is Depth.EXTENDED


def test_a_second_question_joins_the_chat_of_the_first(desk: Desk):
    first = desk.review()(desk.request(depth=Depth.LIGHT))
    second = desk.review()(desk.request(depth=Depth.LIGHT, chat=str(first.chat_id)[:9]))
    assert second.chat_id == first.chat_id
    assert second.session_id != first.session_id
    with pytest.raises(SessionNotFound):
        desk.review()(desk.request(chat="ffffffff"))


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        ({"project_id": ProjectId.parse("nowhere")}, ProjectNotFound),
        ({"project_id": ProjectId.parse("empty")}, NoDocuments),
        ({"filter": Filter(clauses=(parse_clause("doc=nothing"),))}, DocumentNotFound),
        ({"filter": Filter(clauses=(parse_clause("year=1700"),))}, InvalidRequest),
        ({"style": "no-such-style"}, InvalidRequest),
    ],
)
def test_what_cannot_be_answered_begins_no_session(
    desk: Desk, request_: dict[str, Any], error: type[Exception]
):
    desk.world.projects.opener.create(ProjectId.parse("empty"))
    with pytest.raises(error):
        desk.review()(desk.request().model_copy(update=request_))
    assert not desk.record.sessions(SessionFilter())


@each("text", ["", "  \n ", "?!", "…"])
def test_an_empty_question_is_refused(text: str):
    with pytest.raises(ValueError, match="empty"):
        Desk.request(None, text)  # type: ignore[arg-type]


def whole(desk: Desk) -> tuple[str, Recorded]:
    done = desk.review()(desk.request())
    assert done.report is not None
    return done.report, kept(desk, done)


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("broken", ["record", "searcher"])
def test_killed_at_any_call_it_resumes_and_ends_in_the_same_report(
    desk: Desk, broken: str, after: bool
):
    report, there = whole(desk)
    inner = desk.record if broken == "record" else desk.world.searcher
    counting = CutOff(inner, None, Killed())
    desk.review(**{broken: counting})(desk.request())
    resumed = 0
    for number in range(counting.calls):
        desk.wait()
        cut = CutOff(inner, number, Killed(), after=after)
        before = set(desk.record.find(""))
        with pytest.raises(Killed):
            desk.review(**{broken: cut})(desk.request())
        begun = set(desk.record.find("")) - before
        if not begun:  # it was cut off before there was anything to go on with
            continue
        (id,) = begun
        if desk.record.session(id).status is SessionStatus.COMPLETED:
            assert desk.record.recorded(id).report.content == report
            continue
        with pytest.raises(SessionBusy):
            desk.review().resume(id)
        desk.wait()
        done = desk.review().resume(id)
        assert done.report == report
        again = desk.record.recorded(id)
        assert again.report.content == report
        assert [one.claim_text for one in again.claims] == [one.claim_text for one in there.claims]
        assert len(again.sources) == len(there.sources)
        assert len(again.spans) == len(there.spans)
        numbers = [event.sequence for event in desk.record.events(id)]
        assert numbers == list(range(1, len(numbers) + 1))
        resumed += 1
    assert resumed >= 5


def test_cancelled_at_any_moment_it_resumes_and_ends_in_the_same_report(desk: Desk):
    report, _ = whole(desk)
    asked = 0

    def counting() -> bool:
        nonlocal asked
        asked += 1
        return False

    desk.review()(desk.request(), stopping=counting)
    for moment in range(0, asked, 3):
        left = iter([False] * moment)
        done = desk.review()(desk.request(), stopping=lambda left=left: next(left, True))
        assert done.status is SessionStatus.CANCELLED
        assert done.report is None
        assert kept(desk, done).session.status is SessionStatus.CANCELLED
        assert desk.review().resume(done.session_id).report == report


def test_what_goes_wrong_is_recorded_and_can_be_resumed(desk: Desk):
    report, _ = whole(desk)
    broken = CutOff(desk.world.searcher, 2, StorageFailed("the disk is gone"))
    with pytest.raises(StorageFailed):
        desk.review(searcher=broken)(desk.request())
    (failed,) = [
        one
        for one in map(desk.record.session, desk.record.find(""))
        if one.status is SessionStatus.FAILED
    ]
    assert failed.error_message == "the disk is gone"
    last = desk.record.events(failed.id)[-1]
    assert last.event_type == "error"
    assert last.recoverable
    assert desk.review().resume(failed.id).report == report


def test_somebody_asks_a_running_review_to_stop(desk: Desk):
    heard: list[ResearchEvent] = []

    def cancel(event: ResearchEvent) -> None:
        heard.append(event)
        if event.event_type == "tool_call":
            desk.record.cancel(event.session_id, event.timestamp)

    review = desk.review()
    # What the pulse would have noticed by its next beat.
    done = review(
        desk.request(),
        cancel,
        lambda: bool(heard) and desk.record.session(heard[0].session_id).cancelling,
    )
    assert done.status is SessionStatus.CANCELLED


def test_one_whose_session_was_taken_over_writes_nothing_more(desk: Desk):
    taken = []

    def take_over(event: ResearchEvent) -> None:
        if event.event_type == "plan_created" and not taken:
            desk.wait()
            taken.append(desk.review().resume(event.session_id).report)

    with pytest.raises(SessionBusy):
        desk.review()(desk.request(), take_over)
    (id,) = desk.record.find("")
    there = desk.record.recorded(id)
    assert there.session.status is SessionStatus.COMPLETED
    assert there.report.content == taken[0]


def test_a_review_that_is_completed_is_not_resumed(desk: Desk):
    done = desk.review()(desk.request())
    with pytest.raises(SessionEnded):
        desk.review().resume(done.session_id)
    with pytest.raises(SessionNotFound):
        desk.review().resume(desk.new_id())


def test_a_review_is_kept_in_few_transactions(desk: Desk):
    counting = CutOff(desk.record, None, Killed())
    done = desk.review(record=counting)(desk.request(depth=Depth.LIGHT))
    assert done.plan is not None
    rounds = sum(e.event_type == "step_started" for e in desk.record.events(done.session_id))
    # bury, begin, plan, each round, draft, check, end
    assert counting.calls == 6 + rounds


def test_the_project_is_named_in_the_report(desk: Desk):
    report, _ = whole(desk)
    assert f"of the 3 documents of project {HERE}" in report


def test_a_review_that_waits_is_recorded_and_lives(desk: Desk) -> None:
    begun = desk.review().begin(desk.request())
    session = desk.record.session(begun.session.id)
    assert (session.status, session.sequence) == (SessionStatus.IN_PROGRESS, 0)
    with pytest.raises(SessionBusy):
        desk.review().resume(begun.session.id)
    result = desk.review().run(begun)
    assert (result.session_id, result.status) == (session.id, SessionStatus.COMPLETED)
    assert [one.sequence for one in desk.record.events(session.id)][:2] == [1, 2]
    begun.abandon()
    assert desk.record.session(session.id).status is SessionStatus.COMPLETED


def test_a_review_that_is_abandoned_is_cancelled_once_and_can_be_resumed(desk: Desk) -> None:
    begun = desk.review().begin(desk.request())
    begun.abandon()
    begun.abandon()
    session = desk.record.session(begun.session.id)
    assert (session.status, session.sequence) == (SessionStatus.CANCELLED, 1)
    with pytest.raises(SessionBusy, match="cancelled"):
        desk.review().run(begun)
    assert desk.review().resume(session.id).status is SessionStatus.COMPLETED


def test_of_quotations_that_another_reading_of_the_page_lacks_the_place_is_left(
    reader: Desk, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(SecondReading, "has", lambda *_: False)
    done = reader.review()(reader.request(depth=Depth.LIGHT))
    report = done.report or ""
    assert done.claims == ()
    assert "The closest passages have" in report
    assert "Nothing was found" not in report
    assert "not supported by what it cites" not in report
    assert not any(one.included for one in done.sources)
    reasons = {one.exclusion_reason for one in done.sources}
    assert "another reading of its pages does not confirm its quotations" in reasons


@each(("words", "is_quoted"), [("Larger ponds cool the air", True), ("gone at one hundred", False)])
def test_of_a_paragraph_only_the_disputed_sentence_is_left_out(
    reader: Desk, words: str, is_quoted: bool
):
    for stored in reader.world.stored():
        start = reader.world.conversion(stored.document_id).plain_text.find(words)
        spans = (CharSpan(start=start, end=start + len(words)),) if start >= 0 else ()
        fidelity = DocumentFidelity(pages=1, disputed=spans)
        reader.world.catalogue.put_document(stored.model_copy(update={"fidelity": fidelity}))
    ponds = reader.request("How does the cooling beside small ponds depend on distance?")
    quotes = [one.quote for one in reader.review()(ponds).spans]
    assert any(one.startswith("The cooling beside small") for one in quotes) is is_quoted


def test_only_what_is_quoted_is_said_to_be_quoted_above(
    reader: Desk, monkeypatch: pytest.MonkeyPatch
):
    ponds = "How does the cooling beside small ponds depend on distance?"
    grids = "How large is the error of the square grid?"
    monkeypatch.setattr(SecondReading, "has", lambda _, __, quote, ___: "cooling" in quote)
    report = reader.review()(reader.request(f"{ponds} {grids}")).report or ""
    assert "“The cooling beside small ponds falls" in report
    assert "quoted above" not in report
    assert "The closest passages have only *error*, *square* and *grid*" in report
    fall = "Does the cooling beside small ponds fall with distance?"
    report = reader.review()(reader.request(f"{fall} How far does the cooling fall?")).report or ""
    assert "found on this is quoted above. No passage of the project has *far*." in report
    assert "Nearest" not in report
    monkeypatch.setattr(SecondReading, "has", lambda *_: False)
    done = reader.review()(reader.request(f"{ponds} {grids}"))
    assert (done.report or "").count("Sentences were found on this, but another reading") == 2
    assert {one.exclusion_reason for one in done.sources} == {UNCONFIRMED}


class Apart:
    """Has other vectors for questions than for sentences."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return [(1.0, 0.0) for _ in texts]

    def embed_query(self, _text: str, _is_claim: bool = False) -> Sequence[float]:
        return (0.6, 0.8)


def test_sentences_are_as_close_to_a_question_as_in_a_search():
    apart: Any = Apart()
    closeness = VectorCloseness(apart)
    assert closeness("How cool?", ["Cool.", "How cool?"]) == [0.6, 0.6]
    assert closeness("Cool.", ["How cool?"]) == [0.6]
