"""The web page: views, their templates, and static files."""

from typing import TYPE_CHECKING

from starlette.staticfiles import StaticFiles

from .views import STATIC, router

if TYPE_CHECKING:
    from fastapi import FastAPI


def add_to(app: "FastAPI") -> None:
    """Let ``app`` answer with the views, beside its other routes."""
    app.include_router(router)
    app.mount("/static", StaticFiles(directory=STATIC))
