"""CSL types, names and variables from BibTeX and BibLaTeX entries, and the files of ``file``.

BibLaTeX manual, "Entry types" and "Entry fields".
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pybtex.bibtex.utils import split_name_list, split_tex_string
from pybtex.database import Person
from pybtex.exceptions import PybtexError

from citeloom.domain.references.dates import csl_date
from citeloom.domain.references.identifiers import find_arxiv_ids
from citeloom.infrastructure.references.fields.latex_reader import from_latex, verbatim
from citeloom.infrastructure.references.fields.names import (
    OTHERS,
    inverted_name,
    personal_name,
    without_empty,
)
from citeloom.infrastructure.references.fields.plain_text import plain

# The babel manual's list of options; dialects by region.
_NAMES = {
    "af": "afrikaans", "ar": "arabic", "eu": "basque", "be": "belarusian", "br": "breton",
    "bg": "bulgarian", "ca": "catalan", "zh": "chinese pinyin", "hr": "croatian", "cs": "czech",
    "da": "danish", "nl": "dutch", "en": "english", "en-US": "american usenglish",
    "en-GB": "british ukenglish", "en-CA": "canadian", "en-AU": "australian",
    "en-NZ": "newzealand", "eo": "esperanto", "et": "estonian", "fi": "finnish",
    "fr": "french francais frenchb", "fr-CA": "canadien acadian", "gl": "galician",
    "de": "german germanb ngerman", "de-AT": "austrian naustrian",
    "de-CH": "swissgerman nswissgerman", "el": "greek polutonikogreek", "he": "hebrew",
    "hi": "hindi", "hu": "hungarian magyar", "is": "icelandic",
    "id": "indonesian bahasai bahasa indonesia", "ia": "interlingua", "ga": "irish",
    "it": "italian", "ja": "japanese", "ko": "korean", "la": "latin", "lv": "latvian",
    "lt": "lithuanian", "mk": "macedonian", "ms": "malay bahasam", "mn": "mongolian",
    "no": "norwegian", "nb": "norsk bokmal", "nn": "nynorsk", "fa": "persian farsi", "pl": "polish",
    "pt": "portuguese portuges", "pt-BR": "brazilian brazil", "ro": "romanian",
    "ru": "russian", "sr": "serbian", "sk": "slovak", "sl": "slovene slovenian",
    "es": "spanish", "es-MX": "mexican spanishmx", "sv": "swedish", "th": "thai",
    "tr": "turkish", "uk": "ukrainian", "vi": "vietnamese", "cy": "welsh",
}  # fmt: skip
_TAGS = {name: tag for tag, names in _NAMES.items() for name in names.split()}


def language_tag(name: str) -> str:
    """``da`` for ``danish`` or ``langdanish``; any other text unchanged."""
    normalized = name.strip().lower()
    return _TAGS.get(normalized) or _TAGS.get(normalized.removeprefix("lang")) or name.strip()


def language_name(tag: str) -> str | None:
    """``danish`` for ``da`` or ``da-DK``, as in babel; None for an unknown language."""
    parts = tag.strip().replace("_", "-").split("-")
    region = f"{parts[0].lower()}-{parts[-1].upper()}"
    names = _NAMES.get(region) or _NAMES.get(parts[0].lower())
    if names is None:
        return tag.lower() if tag.lower() in _TAGS else None
    return "ngerman" if region.startswith("de") and "ngerman" in names else names.split()[0]


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


_ESCAPED = re.compile(r"\\([\\:;_&%$#{}, ])")
_KIND = re.compile(r"[A-Za-z]+(?:/[\w.+-]+)?|")
_SHARE = re.compile(r"\\\\\w")
# Mendeley leaves out the first slash.
_ROOTLESS = re.compile(r"(?:home|Users|Volumes)/")


def paths_of(field: str) -> Iterator[str]:
    """Paths of ``title:path:type;title:path:type``, or of bare paths; URLs are skipped.

    Colons and semicolons in a path are escaped by a backslash; the colon of a Windows drive need
    not be.
    """
    field = field.replace("{\\_}", "_").replace("$\\backslash$", "\\")
    for entry in _split(field, ";"):
        if not entry.strip():
            continue
        entry = entry.strip()
        path = entry if _SHARE.match(entry) else _ESCAPED.sub(r"\1", _path(entry)).strip()
        if path and ("://" not in path or path.lower().startswith("file:")):
            yield "/" + path if _ROOTLESS.match(path) else path


def _path(entry: str) -> str:
    if entry.lower().startswith("file:") or re.match(r"[A-Za-z]:[\\/]", entry):
        return entry
    parts = _split(entry, ":")
    if len(parts) == 1 or "://" in entry:
        return entry
    if len(parts) == 2:
        title_first = not _KIND.fullmatch(parts[1])
        return parts[1] if title_first else parts[0]
    *path, kind = parts[1:]
    return ":".join(path if _KIND.fullmatch(kind.strip()) else (*path, kind))


def _split(text: str, sign: str) -> list[str]:
    """The parts of ``text`` between unescaped signs."""
    parts, start, index = [], 0, 0
    while index < len(text):
        if text[index] == "\\":
            index += 2
            continue
        if text[index] == sign:
            parts.append(text[start:index])
            start = index + 1
        index += 1
    return [*parts, text[start:]]


# BibLaTeX manual, "Name lists": family=…, given=…, prefix=…, suffix=…, each maybe in quotes.
_EXTENDED = re.compile(r"\s*(family|given|prefix|suffix|useprefix)(?:-i)?\s*=\s*(.*)", re.DOTALL)

_NON_DROPPING = "non-dropping-particle"


def names_of(field: str, *, drops: bool = False) -> list[dict[str, str]]:
    """The CSL names of an ``author`` or ``editor`` field; ``others`` stands for those not listed, a
    name in braces is an institution. ``drops``: whether particles drop (``useprefix=false``)."""
    field = field.replace("\\,", "~")  # a thin space, no comma
    parts = (one.strip() for part in split_name_list(field) for one in _listed(part))
    names = (dict(OTHERS) if part == "others" else _name(part, drops) for part in parts if part)
    return [name for name in names if name]


_WITH_SUFFIX = re.compile(r"(.*\S) ([JS]r\.|II|III)")
# PubMed's and old programs' lists: a family name and initials each, with commas between.
_WITH_INITIALS = re.compile(
    r"\s*(?P<family>[^\W\d_][\w'’-]*\.?(?: [^\W\d_][\w'’-]*){0,2}) "
    r"(?P<given>(?:[A-Z]\.?-?){1,3})\s*"
)


def _listed(part: str) -> list[str]:
    """The names of ``Wilshut E, Brookhuis KA``, each inverted; otherwise the text itself."""
    names = [_WITH_INITIALS.fullmatch(piece) for piece in part.split(",")]
    if len(names) < 2 or not all(names):
        return [part]
    return [f"{name['family']}, {name['given']}" for name in names if name is not None]


def _name(text: str, drops: bool) -> dict[str, str]:
    if _is_braced(text):
        return without_empty(literal=latex_text(text))
    pieces = split_tex_string(text, ",")
    if len(pieces) > 1 and all(_EXTENDED.fullmatch(piece) for piece in pieces):
        return _extended_name(pieces, drops)
    try:
        if len(pieces) > 3:
            return inverted_name(latex_text(text))
        person = Person(text)
    except (PybtexError, RecursionError):
        return without_empty(literal=latex_text(text))
    particle, family = (
        latex_text(" ".join(person.prelast_names)),
        latex_text(" ".join(person.last_names)),
    )
    given = latex_text(" ".join((*person.first_names, *person.middle_names)))
    suffix = latex_text(" ".join(person.lineage_names))
    if not family:
        return without_empty(literal=latex_text(text))
    if not suffix and (junior := _WITH_SUFFIX.fullmatch(family)) is not None:
        family, suffix = junior.groups()
    if particle[:1].isupper():  # BibTeX's "De la" Cruz: capitalised words belong to the name
        particle, family = "", f"{particle} {family}"
    if not particle and not _is_braced(" ".join(person.last_names)):
        particle, family = _split_tied_particle(family, given)
    return without_empty(
        family=family,
        given=given,
        suffix=suffix,
        **{"dropping-particle" if drops else _NON_DROPPING: particle},
    )


def _split_tied_particle(family: str, given: str) -> tuple[str, str]:
    """Particle and rest of ``d'Ormesson`` and ``al-Rashid``."""
    name = personal_name(family, given)
    return name.get(_NON_DROPPING, ""), name.get("family", family)


def _extended_name(pieces: list[str], drops: bool) -> dict[str, str]:
    parts: dict[str, str] = {}
    for piece in pieces:
        if match := _EXTENDED.fullmatch(piece):
            value = match[2].strip()
            if len(value) > 1 and value[0] == value[-1] == '"':
                value = value[1:-1]
            parts.setdefault(match[1], latex_text(value))
    drops = parts.pop("useprefix", str(not drops).lower()) == "false"
    particle = parts.pop("prefix", "")
    return without_empty(**parts, **{"dropping-particle" if drops else _NON_DROPPING: particle})


def _is_braced(text: str) -> bool:
    """Whether one pair of braces encloses all of ``text``, other than an accented letter."""
    if not (text.startswith("{") and text.endswith("}")) or text.startswith("{\\"):
        return False
    depth = 0
    for at, char in enumerate(text):
        depth += {"{": 1, "}": -1}.get(char, 0)
        if depth == 0:
            return at == len(text) - 1
    return False


def latex_text(latex: str) -> str:
    return plain(from_latex(latex))


_ROLES = {
    "author": "author", "editor": "editor", "translator": "translator",
    "bookauthor": "container-author", "commentator": "contributor",
    "annotator": "contributor", "introduction": "contributor", "foreword": "contributor",
    "afterword": "contributor", "origauthor": "original-author", "director": "director",
    "serieseditor": "collection-editor",
}  # fmt: skip
# By ``editortype``, ``editoratype`` and so on; any other type is a contributor.
_EDITOR_TYPES = {
    "editor": "editor", "compiler": "compiler", "director": "director",
    "reviser": "editor", "producer": "producer",
    "organizer": "organizer",
    "scriptwriter": "script-writer", "composer": "composer", "recipient": "recipient",
    "interviewer": "interviewer", "narrator": "narrator", "series": "collection-editor",
}  # fmt: skip
# Texts that may hold markup.
_RICH = {
    "abstract": "abstract", "note": "note", "series": "collection-title",
    "shorttitle": "title-short", "shortjournal": "container-title-short",
}  # fmt: skip
_PLAIN = {
    "volume": "volume", "volumes": "number-of-volumes", "edition": "edition", "part": "part-number",
    "chapter": "chapter-number", "pages": "page", "pagetotal": "number-of-pages",
    "numpages": "number-of-pages", "eid": "number", "articleno": "number",
    "isbn": "ISBN", "issn": "ISSN", "pmid": "PMID", "pmcid": "PMCID", "version": "version",
    "eventtitle": "event-title", "venue": "event-place", "library": "call-number",
    "pubstate": "status", "origpublisher": "original-publisher", "annotation": "annote",
    "annote": "annote", "origtitle": "original-title", "origlocation": "original-publisher-place",
}  # fmt: skip
_DATES = {"urldate": "accessed", "eventdate": "event-date", "origdate": "original-date"}
_JOURNALS = frozenset({"article-journal", "article-magazine", "article-newspaper", "periodical"})
_IN_BOOKS = frozenset({"chapter", "paper-conference", "entry-encyclopedia"})
_ADDRESS = re.compile(r"\\(?:url|path|nolinkurl)\s*\{([^{}]*)\}|\bhttps?://\S+")


def csl_of(kind: str, key: str, fields: Mapping[str, str]) -> dict[str, Any]:
    """The CSL item of an entry with its fields as written."""
    item_type = csl_type(kind, fields)
    csl: dict[str, Any] = {"id": key, "citation-key": key} if key else {}
    csl["type"] = item_type
    for name, value in _values(kind, item_type, fields):
        if value and name not in csl:
            csl[name] = value
    drops = _drops(fields)
    for field, role in _credited(fields):
        if names := names_of(fields[field], drops=drops):
            csl.setdefault(role, []).extend(names)
    return csl


def _drops(fields: Mapping[str, str]) -> bool:
    """Whether particles drop: BibLaTeX's default, unlike BibTeX's, is ``useprefix=false``."""
    if option := re.search(r"useprefix(?:\s*=\s*(true|false))?", fields.get("options", "")):
        return option[1] == "false"
    return any(field in fields for field in ("date", "journaltitle", "langid", "location"))


def _values(kind: str, item_type: str, fields: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """Variables and values; of repeated variables the first counts."""
    yield "title", _title(fields, "title", "subtitle", "titleaddon")
    yield from _containers(item_type, fields)
    for field, variable in _RICH.items():
        if field in fields:
            yield variable, " ".join(from_latex(fields[field]).split())
    for field, variable in _PLAIN.items():
        if field in fields:
            yield variable, latex_text(fields[field])
    yield from _numbers(item_type, fields)
    for names, variable in (
        (("publisher", "institution", "school", "organization"), "publisher"),
        (("location", "address"), "publisher-place"),
    ):
        publisher = next((fields[name] for name in names if fields.get(name)), "")
        yield variable, latex_text(publisher)  # a list with "and", which is how BibLaTeX prints it
    yield "genre", genre(kind, latex_text(fields.get("type", "")))
    language = fields.get("langid") or fields.get("language") or fields.get("hyphenation") or ""
    yield "language", language_tag(latex_text(language.split(" and ")[0]))
    for field, variable in _DATES.items():
        if date := _date_text(fields.get(field, "")):
            yield variable, csl_date(date)
    if issued := _issued(fields):
        yield "issued", csl_date(issued)
    yield from _addresses(fields)
    yield "publisher", latex_text(_ADDRESS.sub("", fields.get("howpublished", "")))


def _title(fields: Mapping[str, str], main: str, sub: str, added: str = "") -> str:
    """``Title: subtitle. Addition``, with the parts that exist."""
    title, subtitle, addition = (
        " ".join(from_latex(fields.get(name, "")).split()) for name in (main, sub, added)
    )
    if title and subtitle:
        title += f"{' ' if title[-1] in '?!.:' else ': '}{subtitle}"
    title = title or subtitle
    return f"{title.rstrip('.')}. {addition}" if title and addition else title or addition


def _containers(item_type: str, fields: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Container titles; of a work in volumes the whole, with the volume's title."""
    journal = _title(
        fields, "journaltitle" if "journaltitle" in fields else "journal", "journalsubtitle"
    )
    book = _title(fields, "booktitle", "booksubtitle", "booktitleaddon")
    multi_volume = _title(fields, "maintitle", "mainsubtitle", "maintitleaddon")
    if item_type in _JOURNALS:
        yield "container-title", journal or book
    elif item_type not in _IN_BOOKS:
        yield "container-title", journal
        yield "collection-title", "" if "series" in fields else multi_volume
    elif multi_volume and book:
        yield "container-title", multi_volume
        yield "volume-title", book
    else:
        yield "container-title", book or multi_volume or journal


def _numbers(item_type: str, fields: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """``number`` is an issue, a number in a series, or the work's own; ``issue`` is a named one
    (``Spring``)."""
    number, issue = latex_text(fields.get("number", "")), latex_text(fields.get("issue", ""))
    if item_type in _JOURNALS:
        yield "issue", number or issue
    elif item_type in ("book", *_IN_BOOKS):
        yield "collection-number", number
    else:
        yield "number", number
    yield "issue", issue


def _issued(fields: Mapping[str, str]) -> str:
    if date := _date_text(fields.get("date", "")):
        return date
    year, month = _date_text(fields.get("year", "")), latex_text(fields.get("month", ""))
    day = latex_text(fields.get("day", ""))
    if not (year and month):
        return year
    if re.fullmatch(r"\d{1,2}", month) and re.fullmatch(r"\d{4}", year):
        ends = f"-{int(day):02d}" if re.fullmatch(r"\d{1,2}", day) else ""
        return f"{year}-{int(month):02d}{ends}"
    return " ".join(part for part in (day, month, year) if part)


def _date_text(date: str) -> str:
    """A date; ``~`` means "circa" in EDTF, and is a space in ``c.~1900``."""
    return date.strip() if re.fullmatch(r"[\s\d/.?~%TZX:-]+", date) else latex_text(date)


def _addresses(fields: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield "DOI", verbatim(fields.get("doi", ""))
    yield "URL", verbatim(fields.get("url", ""))
    for field in ("howpublished", "note"):
        if match := _ADDRESS.search(fields.get(field, "")):
            yield "URL", verbatim(match[1] or match.group())
    for field in ("journal", "journaltitle", "howpublished"):  # "arXiv preprint arXiv:1706.03762"
        for identifier in find_arxiv_ids(fields.get(field, ""))[:1]:
            yield "number", identifier
    eprint = verbatim(fields.get("eprint", "")).strip()
    server = latex_text(fields.get("eprinttype") or fields.get("archiveprefix") or "")
    if not eprint:
        return
    match server.lower():
        case "arxiv":
            yield "number", f"arXiv:{eprint.removeprefix('arXiv:')}"
            yield "URL", f"https://arxiv.org/abs/{eprint.removeprefix('arXiv:')}"
        case "jstor":
            yield "URL", f"https://www.jstor.org/stable/{eprint}"
        case "pubmed":
            yield "PMID", eprint
            yield "URL", f"https://pubmed.ncbi.nlm.nih.gov/{eprint}/"
        case "pmc" | "pmcid":
            yield "PMCID", eprint
        case "googlebooks":
            yield "URL", f"https://books.google.com/books?id={eprint}"
        case _:
            yield "archive", server
            yield "archive_location", eprint


def _credited(fields: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Name fields with their CSL roles."""
    for field, role in _ROLES.items():
        if field in fields:
            editor_type = (
                latex_text(fields.get(f"{field}type", "")).lower() if field == "editor" else ""
            )
            yield field, _EDITOR_TYPES.get(editor_type, "contributor") if editor_type else role
    for field in ("editora", "editorb", "editorc"):
        if field in fields:
            editor_type = latex_text(fields.get(f"{field}type", "")).lower()
            if (field, editor_type) == ("editorb", "redactor"):  # Zotero's way to say series editor
                editor_type = "series"
            yield field, _EDITOR_TYPES.get(editor_type, "contributor")
    if "holder" in fields and "author" not in fields:
        yield "holder", "author"
