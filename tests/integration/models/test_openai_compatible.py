"""The adapter against a server on the loopback: what it asks, what it takes, what it tells."""

import logging
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from pydantic import BaseModel
from support.models.llm_double import (
    Answer,
    LlmDouble,
    a_language_model,
    huge,
    refuses,
    says,
    streams,
    tokens,
)

from citeloom.application.ports.models import (
    AnswerLimits,
    Completion,
    LanguageModel,
    PromptMessage,
)
from citeloom.domain.errors import ConfigurationError, LanguageModelUnavailable
from citeloom.infrastructure.models.language import OpenAICompatible
from citeloom.infrastructure.models.model_server import ATTEMPTS, ServerClock, is_loopback

QUESTION = [PromptMessage(role="system", text="Be brief."), PromptMessage(role="user", text="Why?")]


class Shape(BaseModel):
    words: list[str]


def model_at(double: LlmDouble, pauses: list[float] | None = None, **more: Any) -> OpenAICompatible:
    limits = AnswerLimits(max_tokens=50, timeout_seconds=more.pop("timeout_seconds", 20.0))
    clock = ServerClock(sleep=(pauses if pauses is not None else []).append)
    return OpenAICompatible(double.url, "small", limits=limits, clock=clock, **more)


def asked(*script: Answer | str, **more: Any) -> tuple[Completion, LlmDouble, list[float]]:
    pauses: list[float] = []
    with a_language_model(*script) as double:
        model: LanguageModel = model_at(double, pauses, **more)
        return model.complete(QUESTION, schema=Shape), double, pauses


def failure(*script: Answer, **more: Any) -> tuple[LanguageModelUnavailable, LlmDouble]:
    with a_language_model(*script, always=script[-1]) as double:
        model = model_at(double, **more)
        with pytest.raises(LanguageModelUnavailable) as caught:
            model.complete(QUESTION)
    return caught.value, double


def test_a_request_has_key_model_and_messages() -> None:
    found, double, _ = asked(says("Because.", model="small:8b"), api_key="sk-1")
    assert found == Completion(text="Because.", model="small:8b")
    (request,) = double.asked
    shape = request.pop("response_format")
    assert request == {
        "model": "small",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Why?"},
        ],
        "stream": False,
        "max_tokens": 50,
        "temperature": 0,
        "seed": 0,
    }
    assert shape["type"] == "json_schema"
    assert shape["json_schema"]["schema"] == Shape.model_json_schema()
    assert double.keys == ["Bearer sk-1"]


def test_without_a_shape_none_is_asked_for_and_without_a_key_none_is_sent() -> None:
    with a_language_model("Yes.") as double:
        model_at(double).complete(QUESTION, limits=AnswerLimits(max_tokens=9, seed=4))
    (request,) = double.asked
    assert "response_format" not in request
    assert (request["max_tokens"], request["seed"], double.keys) == (9, 4, [None])


def test_a_server_is_asked_as_it_can_be() -> None:
    """Each complaint is met once, and remembered for the next question."""
    complaints = [
        refuses(400, "'response_format.type' must be 'text' or 'json_object'"),
        refuses(422, "json_object is not supported"),
        refuses(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'."),
        refuses(400, "Unsupported value: 'temperature' does not support 0."),
    ]
    with a_language_model(*complaints, always="Yes.") as double:
        model = model_at(double)
        first, second = (model.complete(QUESTION, schema=Shape) for _ in "12")
    assert first == second
    assert first.warnings == ("the server ignores the temperature, so its answers may vary",)
    assert len(double.asked) == 6
    kinds = [one.get("response_format", {}).get("type") for one in double.asked]
    assert kinds == ["json_schema", "json_object", None, None, None, None]
    assert double.asked[-1].keys() == {
        "model", "messages", "stream", "max_completion_tokens", "seed",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("body", "text", "ended"),
    [
        (says("<think>Hm. {}</think>\n\nYes."), "Yes.", True),
        (says("Yes, and", finish="length"), "Yes, and", False),
        (says("", choices=[{"message": {"content": [{"text": "Y"}, {"text": "es."}, 3]}}]),
         "Yes.", True),
        (says("Yes.", usage=None, model=7), "Yes.", True),
    ],
)  # fmt: skip
def test_answers_of_many_shapes(body: Answer, text: str, ended: bool) -> None:
    found, _, _ = asked(body)
    assert (found.text, found.ended) == (text, ended)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ([refuses(401, "Incorrect key: sk-secret")], "refuses the API key (401: Incorrect key: "
         "***); set CITELOOM_LLM__API_KEY"),
        ([refuses(404, "model 'small' not found")], "not found (model 'small' not found); check "
         "llm.url and llm.model"),
        ([refuses(400, "context length exceeded")], "the server answers 400 (context length"),
        ([Answer(status=307, headers={"Location": "http://example.org"})], "redirects elsewhere"),
        ([Answer(b"<html>"), ], "not a chat completion; check llm.url"),
        ([Answer(b"[" * 100_000)], "not a chat completion"),
        ([Answer(b'{"choices": []}')], "not a chat completion"),
        ([Answer(b'{"choices": [{"message": 3}]}')], "not a chat completion"),
        ([says("  ")], "no answer: empty"),
        ([says("", choices=[{"message": {"content": None, "refusal": "I will not."}}])],
         "it refuses (I will not.)"),
        ([huge(5)], "more than 4 MiB"),
    ],
)  # fmt: skip
def test_what_repeating_would_not_help_is_told_at_once(script: list[Answer], message: str) -> None:
    error, double = failure(*script, api_key="sk-secret")
    assert message in str(error)
    assert str(error).startswith(f"small at http://127.0.0.1:{double.port}: ")
    assert "sk-secret" not in str(error) + str(error.details)
    assert len(double.asked) == 1
    assert (error.code, error.exit_code) == ("LANGUAGE_MODEL_UNAVAILABLE", 4)


@pytest.mark.parametrize(
    "fault", [refuses(503, "loading the model"), refuses(429), Answer(b"{}" * 99, cut=True)]
)
def test_what_passes_is_tried_again(fault: Answer) -> None:
    found, double, pauses = asked(fault, fault, says("Yes."))
    assert (found.text, len(double.asked), pauses) == ("Yes.", 3, [0.5, 1.0])


def test_what_does_not_pass_is_given_up() -> None:
    error, double = failure(refuses(503, "loading"))
    assert "not ready or is overloaded (503: loading)" in str(error)
    assert len(double.asked) == ATTEMPTS


def test_the_server_says_how_long_to_wait() -> None:
    assert asked(refuses(429, retry_after="7"), says("Yes."))[2] == [7.0]
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=9), usegmt=True)
    (pause,) = asked(refuses(429, retry_after=soon), says("Yes."))[2]
    assert 6 < pause <= 9
    assert asked(refuses(429, retry_after="soon"), says("Yes."))[2] == [0.5]
    error, double = failure(refuses(429, "slow down", retry_after="3600"))
    assert "(slow down); try again later (it asks to wait 3600 s)" in str(error)
    assert error.details["retry_after"] == 3600
    assert len(double.asked) == 1


@pytest.mark.parametrize("late", [Answer(seconds=1.5), Answer(b"x" * 99, drip=0.1)])
def test_late_answers_are_not_waited_for(late: Answer) -> None:
    error, double = failure(late, timeout_seconds=0.4)
    assert "no answer within 0.4 s; try again, or raise llm.timeout_seconds" in str(error)
    assert len(double.asked) == 1


def test_a_server_that_is_not_there_is_named() -> None:
    with a_language_model() as double:
        pass
    with pytest.raises(LanguageModelUnavailable, match="check that the server runs and that llm"):
        model_at(double).complete(QUESTION)


def test_nothing_for_this_machine_goes_to_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert asked("Yes.")[0].text == "Yes."


def test_keys_that_are_none_and_keys_in_the_open(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ConfigurationError, match=r"llm\.api_key"):
        OpenAICompatible("http://localhost/v1", "m", "sk–1", limits=AnswerLimits())
    with caplog.at_level(logging.WARNING):
        OpenAICompatible("http://localhost/v1", "m", "k", limits=AnswerLimits())
        assert not caplog.records
        OpenAICompatible("http://llm.example.org/v1", "m", "k", limits=AnswerLimits())
    assert "over plain HTTP" in caplog.text


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://localhost:11434/v1", True),
        ("http://127.0.0.9/v1", True),
        ("http://[::1]:1234/v1", True),
        ("http://localhost.example.org/v1", False),
        ("http://10.0.0.1/v1", False),
    ],
)
def test_this_machine_is_known(url: str, here: bool) -> None:
    assert is_loopback(url) is here


def streamed(*script: Answer | str, **more: Any) -> tuple[str, LanguageModelUnavailable | None]:
    """The text of a streamed answer, and what broke it off."""
    with a_language_model(*script, always=script[-1]) as double:
        text = ""
        try:
            for piece in model_at(double, **more).stream(QUESTION):
                text += piece
        except LanguageModelUnavailable as error:
            return text, error
    assert double.asked[-1]["stream"] is True
    return text, None


@pytest.mark.parametrize(
    "answer",
    [
        streams(*tokens("Ponds cool the air.")),
        streams(*tokens("Ponds cool the air."), finish="done"),
        says("Ponds cool the air."),
    ],
    ids=["tokens", "another reason", "a server that does not stream"],
)
def test_an_answer_is_read_while_it_is_written(answer: Answer) -> None:
    text, error = streamed(answer)
    assert (text.strip(), error) == ("Ponds cool the air.", None)


@pytest.mark.parametrize(
    ("answer", "kept", "reason"),
    [
        (streams("Ponds cool", finish=None), "Ponds cool", "broke in the middle"),
        (streams("Ponds cool", finish="length"), "Ponds cool", "raise llm.max_tokens"),
        (streams("Ponds ", pause=0.3), "Ponds ", "no answer within 0.5 s"),
        (Answer(events=[b"data: {\n\n"]), "", "not a chat completion; check llm.url"),
        (
            Answer(events=[b'data: {"error": {"message": "out of memory"}}\n\n']),
            "",
            "out of memory",
        ),
        (Answer(b"<html>llama.cpp</html>"), "", "not a chat completion; check llm.url"),
        (streams(), "", "no answer: empty"),
        (huge(5), "", "answers more than 4 MiB"),
        (refuses(404, "page not found"), "", "not found (page not found)"),
    ],
)
def test_what_came_before_a_failure_is_kept(answer: Answer, kept: str, reason: str) -> None:
    limit = 0.5 if answer.pause else 20.0
    text, error = streamed(answer, timeout_seconds=limit)
    assert text == kept
    assert error is not None
    assert reason in error.message


def test_a_busy_server_is_asked_again_and_a_parameter_it_does_not_take_left_out() -> None:
    script = [refuses(503, "Loading model"), refuses(400, "seed is not supported")]
    text, error = streamed(*script, streams("Yes, it is."))
    assert (text, error) == ("Yes, it is.", None)


def test_a_context_that_is_too_short_is_told_with_the_way_to_a_longer_one() -> None:
    said = "the request exceeds the available context size (2048 tokens), try increasing it"
    _, error = streamed(refuses(400, said))
    assert error is not None
    assert "llama-server -c 8192, OLLAMA_CONTEXT_LENGTH=8192" in error.message


def test_a_url_without_v1_is_told() -> None:
    with a_language_model(refuses(404)) as double:
        model = OpenAICompatible(
            double.url.removesuffix("/v1"), "small", limits=AnswerLimits(), clock=ServerClock()
        )
        with pytest.raises(LanguageModelUnavailable, match=r"most servers are at http://\S+/v1"):
            model.complete(QUESTION)
