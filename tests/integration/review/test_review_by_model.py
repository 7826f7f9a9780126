"""A whole review by a model on the loopback that helps, lies, breaks, is late or is not there."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from support.models.evil_models import LIES, POISON, USELESS, Evil, faithful
from support.models.llm_double import (
    Answer,
    Asked,
    LlmDouble,
    a_language_model,
    huge,
    refuses,
    says,
)
from support.research.reviews import Desk
from support.world import World

from citeloom.application.ports.models import AnswerLimits
from citeloom.application.review.extractive import extractive_roles
from citeloom.application.review.llm.roles import model_roles
from citeloom.application.review.requests import ReviewResult
from citeloom.application.review.roles import EXTRACTIVE, MODEL, RolesFactory
from citeloom.domain.errors import ConfigurationError
from citeloom.domain.research.events import ErrorEvent, ResearchEvent
from citeloom.domain.research.session import Correction, SessionStatus
from citeloom.infrastructure.composition.application import open_application
from citeloom.infrastructure.models.language import OpenAICompatible
from citeloom.infrastructure.models.model_server import ATTEMPTS, ServerClock


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    folder = tmp_path_factory.mktemp("library")
    return Desk(World(folder))


@pytest.fixture
def double() -> Iterator[LlmDouble]:
    with a_language_model() as made:
        yield made


def staff_of(double: LlmDouble, seconds: float = 20.0, wishes: str | None = None) -> RolesFactory:
    limits = AnswerLimits(max_tokens=500, timeout_seconds=seconds)
    model = OpenAICompatible(
        double.url, "small", limits=limits, clock=ServerClock(sleep=lambda _: None)
    )
    return lambda desk, writer: model_roles(desk, model, extractive_roles(desk), wishes)


def reviewed(
    desk: Desk, double: LlmDouble, answer: Evil | Answer, seconds: float = 20.0
) -> tuple[ReviewResult, list[ResearchEvent]]:
    """Plans are left to the rules, so that sections are what is asked for."""

    def answered(asked: Asked) -> Answer | str:
        if "evidence" not in asked["messages"][-1]["content"]:
            return says({"sub_questions": []})
        return answer if isinstance(answer, Answer) else answer(asked)

    double.always = answered
    told: list[ResearchEvent] = []
    review = desk.review(roles_for=staff_of(double, seconds))
    return review(desk.request(writer=MODEL), told.append), told


def failures(told: list[ResearchEvent]) -> list[str]:
    assert all(one.recoverable for one in told if isinstance(one, ErrorEvent))
    return [one.error_message for one in told if isinstance(one, ErrorEvent)]


def holds(found: ReviewResult) -> bool:
    """Each claim of the report is a sentence of a passage that it cites, at its place; what a
    model made up is nowhere but in notes that say so."""
    assert found.report is not None
    quotes = {span.id: one_line(span.quote) for span in found.spans}
    cited = {one.claim_id: one.evidence_span_id for one in found.citations if one.is_primary}
    body = "\n".join(line for line in found.report.splitlines() if not line.startswith("> "))
    return bool(found.claims) and not POISON.search(body) and all(
        one_line(one.claim_text) in quotes[cited[one.id]]
        and found.report[one.position_start : one.position_end] == one.claim_text
        for one in found.claims
    )  # fmt: skip


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_a_model_that_keeps_to_the_evidence_writes_the_report(
    desk: Desk, double: LlmDouble
) -> None:
    found, told = reviewed(desk, double, faithful)
    assert holds(found)
    assert found.report is not None
    assert "ritten by small" in found.report
    assert any(one.correction is Correction.KEEP for one in found.claims)
    assert len(failures(told)) == 1  # the plan


@pytest.mark.parametrize(
    "evil",
    [
        LIES["invents facts"],
        LIES["cites what there is not"],
        LIES["sets markup"],
        LIES["writes text"],
        USELESS["truncated JSON"],
        USELESS["a megabyte"],
    ],
    ids=["facts", "keys", "markup", "text", "truncated", "megabyte"],
)
def test_nothing_false_is_told(desk: Desk, double: LlmDouble, evil: Evil) -> None:
    found, told = reviewed(desk, double, evil)
    assert found.status is SessionStatus.COMPLETED
    assert holds(found)
    assert failures(told)


@pytest.mark.parametrize(
    ("answer", "why", "tries"),
    [
        (refuses(429, "slow down", retry_after="1"), "asked too often", ATTEMPTS),
        (refuses(500, "a mishap"), "not ready or is overloaded", ATTEMPTS),
        (refuses(401, "bad key"), "refuses the API key", 1),
        (says(""), "empty", 1),
        (Answer(b"<html>Login</html>"), "not a chat completion", 1),
        (huge(5), "answers more than", 1),
    ],
    ids=["429", "500", "401", "empty", "html", "huge"],
)
def test_without_an_answer_the_report_is_quotations(
    desk: Desk, double: LlmDouble, answer: Answer, why: str, tries: int
) -> None:
    found, told = reviewed(desk, double, answer)
    assert holds(found)
    assert any(why in one for one in failures(told))
    assert found.report is not None
    assert why in found.report
    assert "small wrote none of it" in found.report
    # Once for the plan, then for each step that found something, two at most.
    found_for = {span.step_index for span in found.spans}
    assert len(double.asked) == 1 + min(2, len(found_for)) * tries
    assert all(one.correction is Correction.KEEP for one in found.claims)


def test_an_answer_that_does_not_come_in_time(desk: Desk, double: LlmDouble) -> None:
    found, told = reviewed(desk, double, Answer(seconds=0.6), seconds=0.2)
    assert holds(found)
    assert any("no answer within 0.2 s" in one for one in failures(told))


def test_a_model_that_is_not_there_at_all(desk: Desk, double: LlmDouble) -> None:
    nowhere = LlmDouble(port=9)
    found = desk.review(roles_for=staff_of(nowhere))(desk.request(writer=MODEL))
    assert holds(found)
    assert any("no connection" in one for one in found.warnings)


def test_what_leaves_the_machine(desk: Desk, double: LlmDouble) -> None:
    found, _ = reviewed(desk, double, faithful)
    sent = " ".join(double.prompts)
    assert found.question in sent
    assert not any(
        word in sent
        for source in found.sources
        for word in (source.title, source.citekey or "?", source.document_id or "?", source.url)
    )


def test_cancelled_between_two_sections_it_goes_on_and_ends(desk: Desk, double: LlmDouble) -> None:
    double.always = lambda asked: (
        faithful(asked)
        if "evidence" in asked["messages"][-1]["content"]
        else says({"sub_questions": []})
    )
    review = desk.review(roles_for=staff_of(double))
    first = review(desk.request(writer=MODEL), stopping=lambda: len(double.asked) > 1)
    assert first.status is SessionStatus.CANCELLED
    asked = len(double.asked)
    assert asked == 2
    found = review.resume(first.session_id)
    assert found.status is SessionStatus.COMPLETED
    assert holds(found)
    # The section that had an answer is not asked for again.
    written_for = [one.step_index for one in found.spans]
    assert len(double.asked) == 1 + len(set(written_for))
    assert len(set(double.prompts)) == len(double.prompts)


def test_a_model_is_asked_only_where_it_is_wanted_and_told_of_first(
    tmp_path: Path, double: LlmDouble
) -> None:
    with closing(
        open_application(tmp_path, {"llm": {"url": double.url, "model": "small"}})
    ) as opened:
        assert opened.settings.review.writer == EXTRACTIVE
        assert opened.research.model_notice(EXTRACTIVE) is None
        assert opened.research.model_notice(MODEL) == (
            "sending the question and the quotes of the evidence to small at "
            f"{double.url.removesuffix('/v1')}"
        )
    assert double.asked == []


def test_without_a_model_none_can_be_wanted(tmp_path: Path) -> None:
    with (
        closing(open_application(tmp_path, {"review": {"writer": "model"}})) as opened,
        pytest.raises(ConfigurationError, match="Nothing was sent"),
    ):
        opened.research.model_notice(opened.settings.review.writer)
