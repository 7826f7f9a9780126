"""Common frame of all commands: the application, its errors, the exit code."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from citeloom.domain.errors import CiteLoomError, InvalidRequest
from citeloom.infrastructure.system.workspace import WORKSPACE_VARIABLE, has_home, no_home

from .output import in_words, print_json
from .terminal import print_line, quoted

if TYPE_CHECKING:
    from citeloom.domain.projects.project import ProjectId
    from citeloom.infrastructure.composition.application import Application
    from citeloom.infrastructure.settings.sections import LogSettings

#: Exit codes and what they mean, for docs/commands.md; errors have theirs in domain/errors.py.
EXIT_CODES: Final = {
    0: "done",
    1: "done, but something failed: a paper, a check, a verdict of `--fail-on`",
    2: "the request is wrong: an option, a path, a setting, a file that cannot be read",
    3: "refused: no such project, paper or session, or a rule forbids it",
    4: "something is not available now: a model, the index, the disk, Zotero, a service",
    130: "stopped by Ctrl-C, or cancelled; what was finished is kept",
    141: "the reader of the output closed it",
}
_COMMAND: Final = re.compile("`citeloom (?!--workspace )")
# A server answers commands of several processes at once, each with options of its own.
_root_workspace: Final[ContextVar[Path | None]] = ContextVar("root workspace", default=None)
_named_workspace: Final[ContextVar[Path | None]] = ContextVar("named workspace", default=None)
_served: Final[ContextVar["Application | None"]] = ContextVar("served application", default=None)
_over: list[bool] = []


def set_workspace(path: Path | None) -> None:
    """Remember ``citeloom --workspace PATH command``."""
    _root_workspace.set(path)


@contextmanager
def serving(opened: "Application") -> Iterator[None]:
    """In this context ``application`` gives ``opened``, which stays open."""
    token = _served.set(opened)
    try:
        yield
    finally:
        _served.reset(token)


def chosen_workspace(own: Path | None) -> Path | None:
    """The workspace of ``--workspace``, before or after the command; else that of the environment.
    Raises InvalidRequest for two names."""
    named = [path for path in (_root_workspace.get(), own) if path]
    if len({Path(os.path.abspath(path.expanduser())) for path in named}) > 1:
        raise InvalidRequest(
            f"--workspace names {named[0]} before the command and {named[1]} after it; name one",
            parameter="workspace",
        )
    _named_workspace.set(named[-1] if named else None)
    if named:
        return named[-1]
    variable = os.environ.get(WORKSPACE_VARIABLE)
    return Path(variable) if variable else None


def in_this_shell(text: str) -> str:
    """The commands of a text, with the --workspace that this command was given."""
    if path := _named_workspace.get():
        named = f"`citeloom --workspace {quoted(str(path))} "
        text = named.join(_COMMAND.split(text))
    return text


def end_at_once() -> None:
    """Called when everything is closed and printed: ``main`` then ends the process without the
    cleanup of the interpreter, which takes a tenth of the time of a query."""
    if _served.get() is None:
        _over.append(True)


def ends_at_once() -> bool:
    return bool(_over)


@contextmanager
def application(
    workspace: Path | None,
    flags: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    as_json: bool = False,
    owner: str = "citeloom",
    otherwise: Path | None = None,
) -> Iterator["Application"]:
    """The application for one command; errors are printed and set the exit code. ``otherwise`` is
    the workspace if none is named."""
    from citeloom.infrastructure.composition.application import open_application
    from citeloom.infrastructure.system.files import create_privately, is_readable_by_all

    opened: Application | None = None
    served = _served.get()
    try:
        chosen = chosen_workspace(workspace) or otherwise
        opened = served or open_application(chosen, flags, owner=owner)
        create_privately(opened.workspace.home)
        warn(
            f"{path}: holds {name}, and every user of this machine can read it; `chmod 600 {path}`"
            for name, path in opened.configuration.secrets_in_files()
            if is_readable_by_all(path)
        )
        yield opened
    except CiteLoomError as error:
        fail(error, as_json=as_json)
    except KeyboardInterrupt:
        note("stopped; what was finished is kept, run it again to continue")
        raise typer.Exit(130) from None
    except RuntimeError:  # of a path that begins with ~, from Path.expanduser
        if has_home():
            raise
        fail(no_home(), as_json=as_json)
    except OSError as error:
        from citeloom.infrastructure.system.files import system_failed

        fail(system_failed(error), as_json=as_json)
    finally:
        if opened is not None and served is None:
            opened.close()


def fail(error: CiteLoomError, *, as_json: bool) -> None:
    """Print an error (with JSON output also on stdout) and exit with its code."""
    told = in_words(error.message)
    note(f"citeloom: {told}")
    if as_json:
        print_json({"error": {"code": error.code, "message": told, "details": error.details}})
    raise typer.Exit(error.exit_code)


def note(text: str) -> None:
    """A line on stderr, apart from the result."""
    print_line(in_this_shell(text), stderr=True)


def warn(warnings: Iterable[str]) -> None:
    for warning in warnings:
        note(f"warning: {in_words(warning)}")


def project_to_fill(
    opened: "Application",
    named: str | None,
    sources: Sequence[str] | None,
    references: Sequence[Path] | None,
    *,
    zotero: bool,
) -> "ProjectId":
    """The project named, the default, or the only one; the first one is named after the folder of
    the files, with a note. Raises InvalidRequest, ProjectNotChosen."""
    from citeloom.infrastructure.system.files import folder_name

    title = "zotero" if zotero else folder_name(sources or list(references or ()))
    project_id, made_up = opened.projects.choice.to_fill(named, title)
    if made_up:
        note(f"the first project here will be {project_id.name}; use --project for another name")
    return project_id


def server_log(settings: "LogSettings") -> Callable[[str], None]:
    """Start the log, and return the function that prints the command's own lines."""
    from citeloom.infrastructure.observability import ALWAYS, start_log

    start_log(settings.format, settings.level)
    if settings.format == "json":
        return lambda told: ALWAYS.info("%s", told)
    return note
