"""The web page: views, their templates, and static files."""

from typing import TYPE_CHECKING

from starlette.staticfiles import StaticFiles

from citeloom.infrastructure.http.reports import STATIC
from citeloom.infrastructure.system.workspace import sample_library

from .views import problem_page, router

if TYPE_CHECKING:
    from fastapi import FastAPI


def add_to(app: "FastAPI") -> None:
    """Let ``app`` answer with the views, beside its other routes, and with HTML pages for problems
    of browsers."""
    app.include_router(router)
    app.mount("/static", StaticFiles(directory=STATIC))
    app.mount("/samples", StaticFiles(directory=sample_library()))
    app.state.problem_page = problem_page
