"""Images for ``citeloom map``: a page with its blocks, and figures."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.infrastructure.cli.shared.terminal import print_line

if TYPE_CHECKING:
    from citeloom.application.documents.page_images import RenderedFigure
    from citeloom.domain.projects import ProjectId
    from citeloom.infrastructure.composition.application import Application

FIGURES = "figures.json"


def render_page(
    opened: "Application",
    project: "ProjectId",
    document: str,
    page: str,
    output: Path | None,
    password: str | None,
    *,
    as_json: bool,
) -> None:
    from citeloom.infrastructure.cli.shared.output import print_json

    drawn = opened.resources.pages.page(project, document, page, password)
    path = output or Path(f"{_file_name(drawn.document)}-page-{drawn.page}.png")
    opened.save(path, drawn.png)
    if as_json:
        print_json(
            {
                "file": str(path),
                "page": drawn.page,
                "page_label": drawn.page_label,
                "page_label_source": drawn.page_label_source,
            }
        )
    else:
        print_line(str(path))


def render_figures(
    opened: "Application",
    project: "ProjectId",
    document: str,
    folder: Path,
    password: str | None,
    *,
    as_json: bool,
) -> None:
    """Each figure as ``page-3-figure-1.png``, with a JSON file of their metadata."""
    from citeloom.infrastructure.cli.shared.output import json_bytes, print_json

    entries: list[dict[str, object]] = []
    for figure in opened.resources.pages.figures(project, document, password):
        folder.mkdir(parents=True, exist_ok=True)
        name = f"page-{figure.page}-figure-{figure.number}.png"
        opened.save(folder / name, figure.png)
        entries.append(_entry(name, figure))
    if entries:
        opened.save(folder / FIGURES, json_bytes(entries))
    if as_json:
        print_json({"folder": str(folder), "figures": entries})
    else:
        print_line(f"{folder}: {len(entries)} figures" if entries else "no figures were found")


def _entry(name: str, figure: "RenderedFigure") -> dict[str, object]:
    return {
        "file": name,
        "page": figure.page,
        "page_label": figure.page_label,
        "bbox": list(figure.region.bbox),
        "caption": figure.caption,
    }


def _file_name(document: str) -> str:
    """A citation key without characters that are invalid in file names."""
    return re.sub(r"[^\w.+-]", "_", document)
