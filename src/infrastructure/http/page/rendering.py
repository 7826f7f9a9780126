"""Templates to answers."""

from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

import citeloom

_HERE: Final = Path(__file__).parent
STATIC: Final = _HERE / "static"
# What papers say is data: every value is escaped.
_TEMPLATES: Final = Environment(
    loader=FileSystemLoader(_HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.globals["version"] = citeloom.__version__


def page(template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A view as HTML; never kept by caches, as it tells what is in the library now."""
    text = _TEMPLATES.get_template(f"{template}.html").render(values)
    return HTMLResponse(text, status, {"Cache-Control": "no-store"})
