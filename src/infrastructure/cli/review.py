"""The commands ``review`` and ``session resume``."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.choices import Depth
from citeloom.domain.errors import InvalidRequest

from . import sessions
from .citation import StyleOption
from .sessions import SessionArgument
from .shared.frame import group
from .shared.options import FiltersOption, JsonOption, ProjectOption, format_of
from .shared.output import print_json, print_json_lines, print_text
from .shared.run import note, warn
from .shell import joined

if TYPE_CHECKING:
    from citeloom.application.research.sessions import Listener
    from citeloom.application.review.requests import ReviewResult
    from citeloom.infrastructure.composition.application import Application

_CANCELLED = 130


class WriterOption(StrEnum):
    """The application's; loading that takes longer than ``--help`` should."""

    EXTRACTIVE = "extractive"
    MODEL = "model"


EventsOption = Annotated[
    bool,
    typer.Option("--events", help="Stream events as JSON lines on stdout, without the report."),
]
QuestionArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="QUESTION…", help="The review question, in full sentences; words are joined."
    ),
]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", help="Write the report to a .md, .html, .docx, .json or .csv file."
    ),
]


def review(
    opened: "Application",
    question: QuestionArgument,
    project: ProjectOption = None,
    depth: Annotated[
        Depth | None,
        typer.Option(
            help="light: 1 or 2 steps, medium: 3 or 4, extended: up to 8, auto: by the question. "
            "[default: your preference, else medium]"
        ),
    ] = None,
    filters: FiltersOption = None,
    chat: Annotated[
        str | None,
        typer.Option(help="Continue the chat with this id (or a unique beginning of it)."),
    ] = None,
    writer: Annotated[
        WriterOption | None,
        typer.Option(
            help="extractive: quotations only; nothing is sent anywhere. model: the language model "
            "of [llm] plans and writes from the question and the quotes, and each of its "
            "sentences is checked. [default: review.writer of the configuration]"
        ),
    ] = None,
    style: StyleOption = None,
    events: EventsOption = False,
    as_json: JsonOption = False,
    file: OutputOption = None,
) -> None:
    """Review a question from the documents of a project: sub-questions, quotations with pages,
    works cited."""
    from citeloom.application.review.requests import ReviewRequest
    from citeloom.domain.search.filters import Filter, parse_clause
    from citeloom.infrastructure.system.validated_request import build

    _check(events=events, as_json=as_json, file=file)
    request = build(
        ReviewRequest,
        project_id=opened.projects.choice(project),
        question=joined(question),
        depth=depth,
        filter=Filter(clauses=tuple(parse_clause(one) for one in filters or ())),
        chat=chat,
        writer=writer.value if writer else opened.settings.review.writer,
        style=style,
    )
    _announce(opened, request.writer)
    with _stopping() as stopping:
        result = opened.research.review(request, _listener(events=events), stopping)
    _print(opened, result, events=events, as_json=as_json, file=file)


def resume(
    opened: "Application",
    session: SessionArgument,
    events: EventsOption = False,
    as_json: JsonOption = False,
    file: OutputOption = None,
) -> None:
    """Resume a review that was cancelled, failed or killed. The report is the one that an
    uninterrupted review would have given."""
    _check(events=events, as_json=as_json, file=file)
    id = opened.research.sessions.find(session)
    classification = opened.stores.research_record.session(id).classification
    _announce(opened, str(classification.get("writer", "")))
    with _stopping() as stopping:
        result = opened.research.review.resume(id, _listener(events=events), stopping)
    _print(opened, result, events=events, as_json=as_json, file=file)


def _check(*, events: bool, as_json: bool, file: Path | None) -> None:
    format_of(None, file, *sessions.REPORTS)
    if events and as_json:
        raise InvalidRequest("ask for --events or for --json, not for both", parameter="events")


def _announce(opened: "Application", writer: str) -> None:
    if notice := opened.research.model_notice(writer):
        note(f"citeloom: {notice}")


def _listener(*, events: bool) -> "Listener":
    if not events:
        from citeloom.infrastructure.cli.views.review import ProgressLines

        return ProgressLines()
    from citeloom.domain.research.events import to_wire

    return lambda event: print_json_lines([to_wire(event)])


@contextmanager
def _stopping() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C or SIGTERM requested a stop; a second one stops immediately."""
    signals: list[int] = []

    def stop(number: int, _: FrameType | None) -> None:
        signals.append(number)
        signal.signal(number, signal.SIG_DFL)
        note("stopping after the current step; press Ctrl-C again to end at once")

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(signals)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _print(
    opened: "Application", result: "ReviewResult", *, events: bool, as_json: bool, file: Path | None
) -> None:
    from citeloom.application.research.export import with_escaped_claims

    warn(result.warnings)
    report = with_escaped_claims(result.report or "", result.claims)
    if as_json:
        print_json(result)
    elif result.report is not None and file is None and not events:
        print_text(report.removesuffix("\n"))
    if result.report is None:
        note(f"cancelled; continue with `citeloom session resume {result.session_id}`")
        raise typer.Exit(_CANCELLED)
    if file is not None:
        chosen = format_of(None, file, *sessions.REPORTS) or sessions.ExportAs.MARKDOWN
        is_shown, id = chosen is sessions.ExportAs.MARKDOWN, result.session_id
        content = report if is_shown else sessions.content(opened, id, chosen, None, False)[0]
        opened.save(file, content)
        note(f"{file}: {len(result.claims)} statements")
    note(f"session {result.session_id}")


app = group(
    "List, show, replay, resume, export, compare, cancel, delete and restore research sessions.",
    list=sessions.list_sessions,
    show=sessions.show,
    events=sessions.events,
    resume=resume,
    export=sessions.export,
    compare=sessions.compare,
    cancel=sessions.cancel,
    delete=sessions.delete,
    restore=sessions.restore,
)
