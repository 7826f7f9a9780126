"""CSL types of BibTeX and BibLaTeX entry types."""

from collections.abc import Mapping

# BibLaTeX manual, "Entry types", with BibTeX's own; CSL 1.0.2, appendix III.
_TYPES = {
    "article": "article-journal", "suppperiodical": "article-journal", "review": "review",
    "periodical": "periodical", "magazine": "article-magazine", "newspaper": "article-newspaper",
    **dict.fromkeys(
        ("book", "mvbook", "collection", "mvcollection", "reference", "mvreference",
         "proceedings", "mvproceedings"),
        "book",
    ),
    **dict.fromkeys(
        ("inbook", "bookinbook", "suppbook", "incollection", "suppcollection"), "chapter"
    ),
    **dict.fromkeys(("inproceedings", "conference"), "paper-conference"),
    "inreference": "entry-encyclopedia", "booklet": "pamphlet", "manual": "report",
    **dict.fromkeys(("online", "electronic", "www", "webpage"), "webpage"),
    **dict.fromkeys(("report", "techreport"), "report"),
    **dict.fromkeys(("thesis", "phdthesis", "mastersthesis"), "thesis"),
    "patent": "patent", "dataset": "dataset", "data": "dataset", "software": "software",
    "unpublished": "manuscript", "artwork": "graphic", "image": "graphic", "audio": "song",
    "music": "song", "movie": "motion_picture", "video": "motion_picture",
    "performance": "performance", "letter": "personal_communication", "standard": "standard",
    "jurisdiction": "legal_case", "legislation": "legislation", "legal": "treaty",
    "commentary": "book", "misc": "document",
}  # fmt: skip
# BibLaTeX manual, "Localization keys".
_GENRES = {
    "phdthesis": "PhD thesis", "mastersthesis": "Master’s thesis", "mathesis": "Master’s thesis",
    "bathesis": "Bachelor’s thesis", "candthesis": "Candidate thesis",
    "techreport": "Technical report", "resreport": "Research report",
    "patent": "Patent", "patentde": "German patent", "patenteu": "European patent",
    "patentfr": "French patent", "patentuk": "British patent", "patentus": "U.S. patent",
    "patreq": "Patent request", "patreqde": "German patent request",
    "patreqeu": "European patent request", "patreqfr": "French patent request",
    "patrequk": "British patent request", "patrequs": "U.S. patent request",
    "software": "Computer software", "datacd": "Data CD", "audiocd": "Audio CD",
}  # fmt: skip
_PREPRINT_SERVERS = ("arxiv", "biorxiv", "medrxiv", "ssrn", "psyarxiv", "osf", "chemrxiv")
NOT_WORKS = frozenset({"xdata", "set"})


def csl_type(kind: str, fields: Mapping[str, str]) -> str:
    """The CSL type of an entry; ``document`` for types unknown to BibLaTeX."""
    subtype = fields.get("entrysubtype", "").strip().lower()
    server = (fields.get("eprinttype") or fields.get("archiveprefix") or "").lower()
    is_published = any(name in fields for name in ("journal", "journaltitle", "booktitle"))
    if kind in ("article", "misc", "online", "unpublished") and not is_published:
        if fields.get("pubstate", "").lower() in ("prepublished", "submitted"):
            return "article"
        if (server or fields.get("publisher", "").lower()).startswith(_PREPRINT_SERVERS):
            return "article"
    if kind == "article" and subtype in ("magazine", "newspaper"):
        return f"article-{subtype}"
    if kind == "unpublished" and "eventtitle" in fields:
        return "speech"
    return _TYPES.get(kind, "document")


def genre(kind: str, written: str) -> str:
    """The ``type`` field of an entry, or the genre implied by its entry type."""
    return _GENRES.get(written, written) or (_GENRES.get(kind, "") if "thesis" in kind else "")
