"""Reader of Retraction Watch's list of notices, a CSV file.

Columns as Crossref publishes them (``Record ID``, ``Title``, …, ``OriginalPaperDOI``,
``RetractionNature``, ``Reason``): their order, spaces and case are irrelevant, and only
``OriginalPaperDOI`` is required. Dates are month/day/year.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, date, datetime
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple

from citeloom.application.ports.citation import RetractionList
from citeloom.domain.errors import InvalidSource
from citeloom.domain.references.identifiers import normalise_doi, versionless
from citeloom.domain.references.work_versions import Nature, Notice

_DOI = "originalpaperdoi"
_AGAIN = "download it again from gitlab.com/crossref/retraction-watch-data"
_NO_DOI = frozenset({"", "0", "unavailable", "n/a", "na", "none"})
_MONTH_FIRST = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})\b")
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_MAX_WARNINGS = 100


class _Row(NamedTuple):
    line: int
    cells: Mapping[str, str]


def find_retractions(path: Path, dois: AbstractSet[str]) -> RetractionList:
    """Reads the file as a stream, in constant memory."""
    requested = {variant: doi for doi in dois for variant in (doi, versionless(doi))}
    notices: list[Notice] = []
    warnings: list[str] = []
    records, newest = 0, None
    try:
        dated = datetime.fromtimestamp(path.stat().st_mtime, UTC).date()
        with path.open("rb") as file:
            for row in _rows(path, file, warnings):
                records += 1
                noticed = _date(row.cells.get("retractiondate", ""))
                newest = max(filter(None, (newest, noticed)), default=None)
                matching = (
                    requested.get(doi) or requested.get(versionless(doi))
                    for doi in _dois(row, warnings)
                )
                notices += [_notice(row, doi, noticed) for doi in matching if doi]
    except OSError as error:
        reason = error.strerror or str(error)
        raise InvalidSource(
            f"{path}: cannot be read ({reason}); check the path", source=str(path)
        ) from None
    return RetractionList(
        source=path.name,
        dated=dated,
        records=records,
        newest=newest,
        notices=tuple(notices),
        warnings=tuple(warnings[:_MAX_WARNINGS]),
    )


def _rows(path: Path, file: BinaryIO, warnings: list[str]) -> Iterator[_Row]:
    lines = _decoded(file)
    header = next(lines, "")
    reader = csv.reader(chain([header], lines), delimiter=max(",;\t", key=header.count))
    next_line = 1
    try:
        names = [_name(cell) for cell in next(reader, [])]
        if _DOI not in names:
            raise InvalidSource(
                f"{path}: line 1: no column OriginalPaperDOI, so it is not Retraction Watch's "
                f"list; {_AGAIN}",
                source=str(path),
            )
        next_line = reader.line_num + 1
        for cells in reader:
            line, next_line = next_line, reader.line_num + 1
            if not any(cells):
                continue
            if len(cells) <= names.index(_DOI):
                warnings.append(f"line {line}: {len(cells)} columns of {len(names)}; left out")
                continue
            yield _Row(line, dict(zip(names, cells, strict=False)))
    except csv.Error as error:
        raise InvalidSource(
            f"{path}: line {next_line}: {error}; {_AGAIN}", source=str(path)
        ) from None


def _decoded(lines: Iterable[bytes]) -> Iterator[str]:
    """UTF-8, with Windows-1252 as fallback for single lines."""
    for number, line in enumerate(lines):
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            text = line.decode("cp1252", errors="replace")
        yield text.removeprefix("\ufeff") if number == 0 else text


def _name(text: str) -> str:
    return re.sub(r"[^a-z]", "", text.lower())


def _dois(row: _Row, warnings: list[str]) -> Iterator[str]:
    for text in row.cells[_DOI].split(";"):
        if (stripped := text.strip()).lower() in _NO_DOI:
            continue
        if doi := normalise_doi(stripped):
            yield doi
        else:
            warnings.append(f"line {row.line}: {stripped[:80]!r} is not a DOI")


def _notice(row: _Row, doi: str, noticed: date | None) -> Notice:
    cells = row.cells
    return Notice(
        doi=doi,
        nature=_nature(cells.get("retractionnature", "")),
        dated=noticed,
        reasons=tuple(_reasons(cells.get("reason", "").split(";"))),
        notice_doi=normalise_doi(cells.get("retractiondoi", "")),
        title=cells.get("title", "").strip(),
        line=row.line,
    )


def _nature(text: str) -> Nature:
    """Notices of an unknown nature count as retractions."""
    folded = _name(text)
    return next((n for n in Nature if _name(n.value) in folded), Nature.RETRACTION)


def _reasons(parts: Sequence[str]) -> Iterator[str]:
    """``+Duplication of Image;+Paper Mill;``."""
    for part in parts:
        if reason := part.strip().lstrip("+").strip():
            yield reason


def _date(text: str) -> date | None:
    """None for an invalid date."""
    if match := _ISO.search(text):
        year, month, day = map(int, match.groups())
    elif match := _MONTH_FIRST.search(text):
        month, day, year = map(int, match.groups())
    else:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None
