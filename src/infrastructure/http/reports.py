"""Templates of the page, and reports as HTML files that need neither network nor script."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from os.path import isfile  # false, too, for a path that cannot be looked at
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

import citeloom
from citeloom.application.ports.research import ReviewFormat
from citeloom.application.research.export import ExportedReview, work_link
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.research.session import ResearchSession
from citeloom.domain.text.phrasing import counted
from citeloom.domain.text.tables import cells_of
from citeloom.domain.verification.drafts.draft import EvidenceQuote, Finding, Verification
from citeloom.domain.verification.report import (
    MarkedPiece,
    basis,
    by_verdict,
    cited,
    compared,
    file_name,
    report_warnings,
    shown_evidence,
)
from citeloom.domain.verification.verdict import MEANINGS

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

_PAGE: Final = Path(__file__).parent / "page"
STATIC: Final = _PAGE / "static"
# What papers say is data: every value is escaped.
TEMPLATES: Final = Environment(
    loader=FileSystemLoader(_PAGE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.globals["version"] = citeloom.__version__
TEMPLATES.filters["cells"] = cells_of
# Reports may be written by a language model: no HTML of theirs, and nothing loaded.
_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
_OPENED: Final = ("http://", "https://", "zotero://")
_PLACE: Final = re.compile(r"(?:doc|virtual)://([0-9a-f]{16,64})(?:#pages=(\d+))?")

#: From the address of a place (``doc://ID#pages=3``) to a link that opens it in a browser.
Link = Callable[[str], str | None]


class Sides(NamedTuple):
    """A claim beside its evidence, in pieces that the other has or not."""

    claim: Sequence[MarkedPiece]
    quotes: Sequence[tuple[EvidenceQuote, Sequence[MarkedPiece]]]


def sides(finding: Finding) -> Sides:
    quotes = shown_evidence(finding)
    return Sides(
        compared(finding, finding.claim.text, quotes),
        [(one, compared(finding, one.text, ())) for one in quotes],
    )


def verdict_name(verdict: str) -> str:
    return verdict.replace("_", " ").lower()


def as_html(text: str, lower_by: int = 0, link: Link | None = None) -> Markup:
    """Markdown as HTML. Headings are ``lower_by`` levels lower, addresses of places links, or text
    where nothing can be opened."""
    tokens = _MARKDOWN.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + lower_by)}"
        links = (one for one in token.children or () if link and one.type.startswith("link_"))
        for opens, closes in zip(links, links, strict=True):  # links have no links in them
            address = str(opens.attrs["href"])
            if (url := link and link(address)) or not _PLACE.match(address):
                opens.attrs["href"] = url or address
            else:
                opens.tag = closes.tag = "span"
                opens.attrs.clear()
    return Markup(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))


def page_link(server: str, project: str) -> Link:
    """Links to a page in the view of a paper."""

    def link(address: str) -> str | None:
        if not (found := _PLACE.match(address)):
            return None
        named = {"project": project, "document": found[1]}
        return f"{server}paper?{urlencode(named | ({'page': found[2]} if found[2] else {}))}"

    return link


def file_link(application: "Application", project: ProjectId) -> Link:
    """Links to a page in Zotero, else in the file on this machine, else to the work."""
    documents = application.stores.catalogue.documents(project)

    def link(address: str) -> str | None:
        found = _PLACE.match(address)
        named = (one for one in documents if found and one.document_id.startswith(found[1]))
        if found is None or (document := next(named, None)) is None:
            return None
        page = int(found[2]) if found[2] else None
        url, path = work_link(document, page) or "", Path(document.path or "")
        if not url.startswith("zotero://") and path.is_absolute() and isfile(path):  # noqa: PTH113
            return path.as_uri() + (f"#page={page}" if page else "")
        return url if url.startswith(_OPENED) else None

    return link


def verification_file(found: Verification, link: Link, in_words: Callable[[str], str]) -> str:
    """Each claim beside its source, problems first."""
    groups = [
        (verdict_name(verdict), *MEANINGS[verdict], [(one, sides(one)) for one in findings])
        for verdict, findings in by_verdict(found)
    ]
    return _file(
        "verification", found=found, name=partial(file_name, found), groups=groups, link=link,
        basis=basis, cited=cited, counted=counted, warnings=report_warnings(found, in_words),
    )  # fmt: skip


def review_file(
    application: "Application", session: ResearchSession, style: str | None, link: Link
) -> ExportedReview:
    """The report of a review that has ended; raises what its export raises."""
    made = application.research.export.file(session.id, ReviewFormat.MARKDOWN, style)
    report = as_html(made.content.decode(), link=link)
    text = _file("report", title=session.question, report=report)
    return ExportedReview(content=text.encode(), warnings=made.warnings)


def _file(template: str, **values: Any) -> str:
    style = Markup((STATIC / "site.css").read_text("utf-8"))
    return TEMPLATES.get_template(f"{template}.html").render(style=style, **values)
