"""Works that are known to be retracted."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from citeloom.application.ports.citation import RetractionReader
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.references.identifiers import normalise_doi
from citeloom.domain.references.retractions import Nature, Notice, current_notice

#: What publishers put before the title of a retracted work.
_MARKED: Final = re.compile(r"\W*retracted(?:\s+(?:article|paper|chapter))?\W*:", re.IGNORECASE)
_TOLD: Final = {
    Nature.RETRACTION: "retracted",
    Nature.CONCERN: "expression of concern",
    Nature.REINSTATEMENT: "retracted once and reinstated",
}


class RetractedWorks:
    """``list_path`` is the retraction list of the settings; None: titles alone say it."""

    def __init__(self, *, reader: RetractionReader, list_path: Path | None) -> None:
        self._reader = reader
        self._path = list_path

    def __call__(self, works: Sequence[CitationMeta]) -> Mapping[str, str]:
        """By citation key what is to be said of a work; works of which nothing is known are left
        out. Raises InvalidSource for a list that cannot be read."""
        told = {
            work.citekey: "retracted, as its title says"
            for work in works
            if _MARKED.match(work.title)
        }
        if self._path is None or not works:
            return told
        keys: dict[str, list[str]] = defaultdict(list)
        for work in works:
            if doi := normalise_doi(work.doi or ""):
                keys[doi].append(work.citekey)
        notices: dict[str, list[Notice]] = defaultdict(list)
        for notice in self._reader.find(self._path, keys.keys()).notices:
            notices[notice.doi].append(notice)
        for doi, of_work in notices.items():
            notice = current_notice(of_work)
            if notice.nature in _TOLD:
                told |= {key: _said(notice) for key in keys[doi]}
        return told


def _said(notice: Notice) -> str:
    """``retracted 2019-03-01, doi:10.1/notice``."""
    dated = f" {notice.dated.isoformat()}" if notice.dated else ""
    where = f", doi:{notice.notice_doi}" if notice.notice_doi else ""
    return f"{_TOLD[notice.nature]}{dated}{where}"
