"""Lines of a server's log: what is in them, and what is not."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from citeloom.infrastructure.observability import ACCESS, logged_with, start_log

SECRET = "the question of somebody"
_log = logging.getLogger("citeloom.of_a_test")


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    names = ("", "citeloom", "citeloom.server", "citeloom.access")
    loggers = [logging.getLogger(name or None) for name in names]
    before = [(list(one.handlers), one.level) for one in loggers]
    yield
    for logger, (handlers, level) in zip(loggers, before, strict=True):
        logger.handlers[:] = handlers
        logger.setLevel(level)


def fail() -> None:
    try:
        raise ValueError(SECRET)
    except ValueError:
        _log.exception("query")


def lines(capsys: pytest.CaptureFixture[str]) -> list[Any]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_a_line_of_json_has_time_level_logger_message_and_fields(
    capsys: pytest.CaptureFixture[str],
) -> None:
    start_log("json", "info")
    with logged_with(request="r1", principal=""), logged_with(job="j1"):
        _log.info("found %d\nof them", 3)
    _log.debug("nobody hears")
    (line,) = lines(capsys)
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "info",
        "logger": "citeloom.of_a_test",
        "message": "found 3\nof them",
        "request": "r1",
        "job": "j1",
    }


def test_errors_are_told_by_kind_and_place_without_their_values(
    capsys: pytest.CaptureFixture[str],
) -> None:
    start_log("json", "warning")
    fail()
    (line,) = lines(capsys)
    assert line["error"] == "ValueError"
    assert line["trace"][-1].endswith("in fail")
    assert SECRET not in json.dumps(line)
    start_log("text", "warning")
    fail()
    text = capsys.readouterr().err
    assert "in fail\nValueError\n" in text
    assert SECRET not in text


def test_errors_have_their_values_for_who_looks_for_a_fault(
    capsys: pytest.CaptureFixture[str],
) -> None:
    start_log("json", "debug")
    fail()
    (line,) = lines(capsys)
    assert line["error"] == f"ValueError: {SECRET}"


def test_what_libraries_tell_below_warnings_is_not_logged(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """At the level of debug HTTP clients log headers, with tokens."""
    start_log("json", "debug")
    logging.getLogger("httpcore").debug("Authorization: Bearer x")
    logging.getLogger("httpcore").info("Authorization: Bearer x")
    logging.getLogger("httpcore").warning("pool is full")
    assert [one["message"] for one in lines(capsys)] == ["pool is full"]


def test_lines_that_were_asked_for_are_told_at_any_level(
    capsys: pytest.CaptureFixture[str],
) -> None:
    start_log("text", "error")
    ACCESS.info("GET /ask 200", extra={"fields": {"status": 200}})
    _log.warning("nobody hears")
    assert capsys.readouterr().err == "GET /ask 200 [status=200]\n"
