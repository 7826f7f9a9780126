"""What the shell is offered for the beginning of a word: projects, citation keys, styles."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from citeloom.infrastructure.cli.shared.run import WORKSPACE_VARIABLE
from citeloom.infrastructure.cli.shared.terminal import printable_line

if TYPE_CHECKING:
    from citeloom.application.ports.catalogue import StoredDocument
    from citeloom.domain.projects.project_id import ProjectId
    from citeloom.infrastructure.composition.application import Application

Offer = tuple[str, str]
_LONGEST: Final = 60


def offer_projects(context: typer.Context, incomplete: str) -> list[Offer]:
    """Projects, without the namespace ``local/``."""
    with _opened(context) as opened:
        if opened is None:
            return []
        from citeloom.domain.projects.project_id import DEFAULT_NAMESPACE

        ids = [project.id.value for project in opened.stores.catalogue.projects()]
        names = {id.removeprefix(f"{DEFAULT_NAMESPACE}/"): id for id in ids}
        return [(name, id) for name, id in names.items() if name.startswith(incomplete)]


def offer_keys(context: typer.Context, incomplete: str) -> list[Offer]:
    """Citation keys of the project on the line, else of the default, else of all; with author,
    year and title."""
    with _opened(context) as opened:
        if opened is None:
            return []
        found = {
            citation.citekey: _words(document)
            for project_id in _projects(opened, context)
            for document in opened.stores.catalogue.documents(project_id)
            if (citation := document.citation) and citation.citekey.startswith(incomplete)
        }
        return sorted(found.items())


def offer_styles(incomplete: str) -> list[str]:
    """The styles that come with CiteLoom."""
    from citeloom.application.ports.citation import STYLE_NAMES

    return [name for name in STYLE_NAMES if name.startswith(incomplete)]


@contextmanager
def _opened(context: typer.Context) -> "Iterator[Application | None]":
    """The application of the line that is written; None where there is none yet: what is wrong is
    told when the command runs, not in the middle of a line."""
    from citeloom.domain.errors import CiteLoomError
    from citeloom.infrastructure.composition.application import open_application

    named = context.params.get("workspace") or context.find_root().params.get("workspace")
    path = named or os.environ.get(WORKSPACE_VARIABLE)
    try:
        opened = open_application(Path(path) if path else None)
    except (CiteLoomError, OSError):
        yield None
        return
    try:
        yield opened
    finally:
        opened.close()


def _projects(opened: "Application", context: typer.Context) -> "list[ProjectId]":
    from citeloom.domain.errors import CiteLoomError

    named = context.params.get("project")
    names = named if isinstance(named, list) else [named] if named else []
    try:
        if names:
            return [opened.projects.choice(name) for name in names]
        if (default := opened.projects.choice.default()) is not None:
            return [default]
    except CiteLoomError:
        return []
    return [project.id for project in opened.stores.catalogue.projects()]


def _words(document: "StoredDocument") -> str:
    assert document.citation is not None
    citation = document.citation
    first = citation.authors[0] if citation.authors else ""
    words = " ".join(str(part) for part in (first, citation.year or "", citation.title) if part)
    return printable_line(words)[:_LONGEST]
