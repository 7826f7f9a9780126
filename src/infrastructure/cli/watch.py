"""The command ``watch``."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from .shared.options import (
    ModelOption,
    PasswordOption,
    ProjectOption,
    SourcesArgument,
)
from .shared.output import in_words, print_json_lines
from .shared.run import project_to_fill
from .shared.terminal import print_line
from .zotero import ScopeOptions, SourceOptions, require_library

if TYPE_CHECKING:
    from citeloom.application.watch.request import WatchEvent
    from citeloom.infrastructure.composition.application import Application


def watch(
    opened: "Application",
    project: ProjectOption = None,
    source: SourcesArgument = None,
    references: Annotated[
        list[Path] | None,
        typer.Option(help="Reference file, beside those stored with the project. Repeatable."),
    ] = None,
    model: ModelOption = None,
    password: PasswordOption = None,
    zotero: Annotated[
        bool,
        typer.Option(
            "--zotero",
            help="Watch your Zotero library (all of it, or the scope given by --collection, --tag, "
            "--group). [default: the library that the project follows, if any]",
        ),
    ] = False,
    scope: ScopeOptions = ScopeOptions(),
    library: SourceOptions = SourceOptions(),
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document a line on stdout.")
    ] = False,
) -> None:
    """Keep a project up to date with folders, reference files and Zotero until Ctrl-C: new,
    changed, renamed and deleted files and items, one line for each change."""
    from citeloom.application.watch.request import WatchRequest
    from citeloom.infrastructure.system.validated_request import build

    with until_stopped():
        narrowed = bool(library.flags["zotero"]) or scope.named_scope is not None
        require_library(zotero=zotero, narrowed=narrowed)
        request = build(
            WatchRequest,
            project_id=project_to_fill(opened, project, source, references, zotero=zotero),
            sources=tuple(source or ()),
            references=tuple(map(str, references or ())),
            scope=scope.named_scope,
            model=model,
            password=password,
            passwords=opened.stores.passwords,
        )
        followed = opened.library.followed(request.project_id)
        tell = _tell_json if as_json else lambda happening: print_line(line(happening))
        opened.library.watch(request, (lambda: opened.library.source) if zotero else followed, tell)


@contextmanager
def until_stopped() -> Iterator[None]:
    """Ctrl-C and SIGTERM end the block regularly; a second one ends the process immediately."""

    def stop(number: int, _: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    except KeyboardInterrupt:
        print_line("stopped", stderr=True)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _tell_json(happening: "WatchEvent") -> None:
    print_json_lines([happening])


def line(happening: "WatchEvent") -> str:
    """``14:03:22 added paper.pdf → smith2020, 12 passages``; local time."""
    what, before = _short(happening.what), _short(happening.before or "")
    if what == before:
        what, before = happening.what, str(happening.before)
    key = happening.citekey or "no citation"
    outcome = happening.outcome.value
    text: str
    match outcome:
        case "moved":
            text = f"moved {before} → {what}"
        case "key changed":
            text = f"key changed {happening.before} → {key}"
        case "removed":
            text = f"removed {what}" + (f" ({key})" if happening.citekey else "")
        case "added" | "updated" | "cited again":
            is_document = happening.passages is not None or happening.citekey is not None
            text = f"{outcome} {what}" + (f" → {key}" if is_document else "")
        case "watching":
            text = f"watching {happening.what}"
        case "notice":
            text = in_words(happening.detail or what)
        case _:
            text = f"{outcome} {what}"
    if happening.passages is not None:
        text += f", {happening.passages} passage" + "s" * (happening.passages != 1)
    if happening.detail and outcome != "notice":
        text += f": {in_words(happening.detail)}"
    if happening.retry_seconds is not None:
        text += f"; trying again in {happening.retry_seconds:g} s"
    return f"{happening.time.astimezone():%H:%M:%S} {text}"


def _short(place: str) -> str:
    """The name of a file; other values unchanged."""
    path = Path(place)
    return path.name if path.is_absolute() else place
