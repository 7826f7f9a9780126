"""Search record of a review as Markdown with a flow diagram (Mermaid)."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from citeloom.domain.research.search_record import Flow, Screened, Search, SearchRecord
from citeloom.domain.text.phrasing import counted, shortened
from citeloom.infrastructure.research.provenance import database
from citeloom.infrastructure.research.safe_text import line, plain, sanitized, utc_text

_UNKNOWN = "not known"
_LONGEST_LABEL = 60
# Mermaid, "Entity codes to escape characters".
_LABEL = re.compile(r"[^\w .,:()\-–—/]")


def prisma(record: SearchRecord) -> str:
    """Sections after the items of PRISMA-S that apply to a search of a local library."""
    parts = [
        f"# Search record: {plain(record.question)}",
        "\n".join(_about(record)),
        *(f"> {plain(warning)}" for warning in record.warnings),
        "## Flow",
        _diagram(record.flow, len(record.searches)),
        "\n".join(_counts(record.flow)),
        "## Searches",
        *(_search(search) for search in record.searches),
        "" if record.searches else "None was recorded.",
        "## Documents",
        "\n".join(_documents(record.documents)),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _about(record: SearchRecord) -> Iterator[str]:
    rows = {
        "Database": database(record.database),
        "Embedding model": record.database.model or _UNKNOWN,
        "Counted": utc_text(record.database.counted_at),
        "Depth": record.depth.value,
        "Steps": "; ".join(record.steps),
        "Searched from": utc_text(record.started_at),
        "Searched until": utc_text(record.completed_at),
        "Resumed": counted(record.resumed, "time") if record.resumed else "",
        "Ended": record.status.value,
        "Session": record.session_id,
    }
    yield "| | |"
    yield "|---|---|"
    for name, text in rows.items():
        if text:
            yield f"| {name} | {plain(text)} |"


def _diagram(flow: Flow, queries: int) -> str:
    excluded = "".join(f"<br>{_label(one.reason)}: {one.documents}" for one in flow.excluded)
    nodes = [
        f'identified["Identified by {counted(queries, "query", "queries")}'
        f'<br>{_passages(flow.identified)}"]',
        f'duplicates["Duplicates removed<br>{_passages(flow.duplicates)}"]',
        f'screened["Screened<br>{counted(flow.screened, "document")}"]',
        f'missing["Not retrieved<br>{counted(flow.not_retrieved, "document")}"]',
        f'excluded["Excluded<br>{counted(_excluded(flow), "document")}{excluded}"]',
        f'included["Included<br>{counted(flow.included, "document")}, {flow.cited} cited"]',
    ]
    arrows = [
        "identified --> screened",
        "identified --> duplicates",
        "screened --> included",
        "screened --> missing",
        "screened --> excluded",
    ]
    body = "\n".join(f"    {text}" for text in (*nodes, *arrows))
    return f"```mermaid\nflowchart TD\n{body}\n```"


def _counts(flow: Flow) -> Iterator[str]:
    yield "| | |"
    yield "|---|---:|"
    yield f"| Records identified (passages) | {_number(flow.identified)} |"
    yield f"| Duplicates removed (further passages of a document) | {_number(flow.duplicates)} |"
    yield f"| Documents screened | {flow.screened} |"
    yield f"| Documents not retrieved | {flow.not_retrieved} |"
    yield f"| Documents excluded | {_excluded(flow)} |"
    for one in flow.excluded:
        yield f"| – {plain(one.reason)} | {one.documents} |"
    yield f"| Documents included | {flow.included} |"
    yield f"| – cited in the report | {flow.cited} |"


def _search(search: Search) -> str:
    title = f" {plain(search.step_title)}" if search.step_title else ""
    query = sanitized(search.query)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", query)), default=0))
    hits = counted(search.hits, "hit") if search.hits is not None else "no answer recorded"
    facts = [hits, _limits(search.limits), utc_text(search.searched_at)]
    return "\n".join(
        [
            f"### {search.number}. Step {search.step}:{title}",
            "",
            f"{fence}text",
            query,
            fence,
            "",
            "; ".join(filter(None, facts)),
        ]
    )


def _limits(limits: Mapping[str, Any]) -> str:
    given_limits = [
        (name, value) for name, value in limits.items() if value not in (None, "", [], {})
    ]
    return "; ".join(f"{plain(name)}: {plain(_value(value))}" for name, value in given_limits)


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_value, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {_value(one)}" for name, one in value.items())
    return str(value)


def _documents(documents: tuple[Screened, ...]) -> Iterator[str]:
    yield "| Document | Key | Found in step | Included | Why not |"
    yield "|---|---|---|---|---|"
    for one in documents:
        included = ("cited" if one.cited else "yes") if one.included else "no"
        cells = (one.title, one.citekey or "", str(one.step or ""), included, one.reason or "")
        yield f"| {' | '.join(map(plain, cells))} |"


def _excluded(flow: Flow) -> int:
    return sum(one.documents for one in flow.excluded)


def _passages(number: int | None) -> str:
    return _UNKNOWN if number is None else counted(number, "passage")


def _number(number: int | None) -> str:
    return _UNKNOWN if number is None else str(number)


def _label(text: str) -> str:
    short = shortened(line(text), _LONGEST_LABEL)
    return _LABEL.sub(lambda match: f"#{ord(match[0])};", short)
