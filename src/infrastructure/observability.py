"""What a server says of its own work: lines of the log, figures, traces.

The log on standard error has lines of text, or one JSON object a line. What was asked and found is
in no line. Unexpected errors are logged by their kind and place: their messages quote values, and
appear at the level ``debug`` alone.
"""

import logging
import traceback
from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType, TracebackType
from typing import Any, Final, Literal, NamedTuple

import orjson

from citeloom.domain.progress import within


class Asker(NamedTuple):
    """``principal`` is empty where the server knows none, ``request_id`` where no request was
    numbered."""

    principal: str = ""
    request_id: str = ""


_NOBODY: Final = Asker()
_asker: ContextVar[Asker] = ContextVar("asker", default=_NOBODY)


def asker() -> Asker:
    """The asker of the current block."""
    return _asker.get()


def asked_by(someone: Asker) -> AbstractContextManager[None]:
    """What is done in this block, and in threads that have its context, is done for ``someone``."""
    return within(_asker, someone)


_fields: ContextVar[Mapping[str, str]] = ContextVar("log fields", default=MappingProxyType({}))


def logged_with(**fields: str) -> AbstractContextManager[None]:
    """Lines that are logged in this block, and in threads that have its context, have these
    ``fields`` too; empty ones are left out."""
    return within(_fields, {**_fields.get(), **{k: v for k, v in fields.items() if v}})


LogFormat = Literal["text", "json"]
LogLevel = Literal["debug", "info", "warning", "error"]
#: Of what a server says once, or was asked to log: told at any level.
ALWAYS: Final = logging.getLogger("citeloom.server")
ACCESS: Final = logging.getLogger("citeloom.access")
_OWN: Final = "citeloom"
_Raised = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class TextLines(logging.Formatter):
    """The message, and the fields of its block in brackets."""

    def __init__(self, *, with_values: bool) -> None:
        super().__init__("%(message)s")
        self._with_values = with_values

    def format(self, record: logging.LogRecord) -> str:
        fields = " ".join(f"{name}={value}" for name, value in _fields_of(record).items())
        first, *more = super().format(record).split("\n")
        return "\n".join([f"{first} [{fields}]" if fields else first, *more])

    def formatException(self, ei: _Raised) -> str:  # noqa: N802 (the name of the base class)
        return "\n".join(_raised(ei, with_values=self._with_values))


class JsonLines(logging.Formatter):
    """``time``, ``level``, ``logger``, ``message``, the fields of the block and of the line, and
    of an error ``error`` and ``trace``."""

    def __init__(self, *, with_values: bool) -> None:
        super().__init__()
        self._with_values = with_values

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_fields_of(record),
        }
        if record.exc_info and record.exc_info[0]:
            *trace, error = _raised(record.exc_info, with_values=self._with_values)
            line |= {"error": error, "trace": trace}
        return orjson.dumps(line, default=str, option=orjson.OPT_NON_STR_KEYS).decode()


def start_log(form: LogFormat, level: LogLevel) -> None:
    """Log to standard error from now on: our own lines from ``level`` on, those of libraries from
    warnings on (below, they may log a header with a token)."""
    with_values = level == "debug"
    handler = logging.StreamHandler()
    handler.setFormatter((JsonLines if form == "json" else TextLines)(with_values=with_values))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger(_OWN).setLevel(level.upper())
    for always in (ALWAYS, ACCESS):
        always.setLevel(logging.INFO)


def _fields_of(record: logging.LogRecord) -> Mapping[str, Any]:
    asked = {"request": asker().request_id, "principal": asker().principal}
    named = {name: value for name, value in asked.items() if value}
    return {**named, **_fields.get(), **getattr(record, "fields", {})}


def _raised(raised: _Raised, *, with_values: bool) -> list[str]:
    """The calls that led to an error, the last one last, then its kind; ``with_values`` also its
    message."""
    kind, error, trace = raised
    if kind is None or error is None:
        return []
    places = [
        f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in traceback.extract_tb(trace)
    ]
    return [*places, f"{kind.__name__}: {error}" if with_values else kind.__name__]
