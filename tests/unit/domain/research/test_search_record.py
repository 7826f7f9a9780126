"""How a review searched, read off its events and sources."""

import pytest
from support.research.finished_review import a_session, a_source, events, recorded, review

from citeloom.domain.research.search_record import UNSTATED, Searched, search_record
from citeloom.domain.research.session import CrawlStatus
from citeloom.infrastructure.research.text_files import prisma

HERE = Searched(project="local/reading")


def test_each_query_is_there_verbatim_with_its_hits() -> None:
    record = review().search
    assert [(s.number, s.step, s.hits) for s in record.searches] == [(1, 1, 5), (2, 2, 4)]
    first = record.searches[0]
    assert first.query == "cooling ``` of ponds | K"
    assert first.limits == {"limit": 10, "filter": ["year>=2015"]}
    assert first.step_title == "How large is the effect?"
    assert record.writer == "extractive"
    assert record.steps == ("How large is the effect?", "How far does it reach?")


def test_counts_of_the_prisma_flow_add_up() -> None:
    flow = review().search.flow
    assert flow.identified == 9
    assert flow.duplicates == 5
    assert flow.screened == flow.not_retrieved + flow.included + 1 == 4
    assert [(one.reason, one.documents) for one in flow.excluded] == [
        ("says nothing on the question", 1)
    ]


def test_what_was_not_read_is_not_counted_as_excluded() -> None:
    sources = (
        a_source("a", crawl_status=CrawlStatus.TIMEOUT, included=False),
        a_source("b", included=False),
    )
    flow = search_record(a_session(), sources, events(), HERE).flow
    assert flow.not_retrieved == 1
    assert [(one.reason, one.documents) for one in flow.excluded] == [(UNSTATED, 1)]
    assert flow.included == 0


def test_a_query_without_an_answer_is_told_of() -> None:
    cut = tuple(event for event in events() if event.sequence != 8)
    record = search_record(a_session(), recorded().sources, cut, HERE)
    assert [search.hits for search in record.searches] == [5, None]
    assert record.warnings == ("1 queries have no recorded answer",)


@pytest.mark.parametrize("answered", [True, False])
def test_what_an_interruption_had_searched_again_is_counted_once(answered: bool) -> None:
    """The second step was begun, cut off before or behind the answer, and done again."""
    told = list(events())
    cut = told[5:8] if answered else told[5:7]
    again = [*told[:5], *cut, *told[5:]]
    record = search_record(a_session(), recorded().sources, again, HERE)
    assert [(s.number, s.step, s.hits) for s in record.searches] == [(1, 1, 5), (2, 2, 4)]
    assert record.flow.identified == 9
    assert record.warnings == ("searches repeated after an interruption, and counted once: 1",)


def test_numbers_that_cannot_be_are_not_given() -> None:
    record = search_record(a_session(), recorded().sources, (), HERE)
    assert record.flow.identified is None
    assert record.flow.duplicates is None
    assert "so the number identified is not known" in record.warnings[0]
    told = prisma(record)
    assert "| Records identified (passages) | not known |" in told
    assert "None was recorded." in told


def test_the_diagram_holds_whatever_a_reason_says() -> None:
    reason = 'no "numbers"]; <b>x</b> --> y\n```'
    sources = (a_source("a", included=False, exclusion_reason=reason),)
    text = prisma(search_record(a_session(), sources, events(), HERE))
    diagram = text.split("```mermaid\n")[1].split("\n```")[0]
    (node,) = [line for line in diagram.splitlines() if line.lstrip().startswith("excluded[")]
    assert node.count('"') == 2
    assert "<b>" not in node
    assert "#34;numbers#34;" in node
