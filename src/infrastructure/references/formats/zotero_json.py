"""CSL-JSON items from items of Zotero and Better BibTeX."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from citeloom.domain.references.dates import csl_date
from citeloom.infrastructure.references.fields.names import personal_name
from citeloom.infrastructure.references.fields.plain_text import plain

# CSL 1.0.2, appendix IV, without those that Zotero has fields for in most types.
_DATE_VARIABLES = frozenset(
    {"issued", "original-date", "event-date", "submitted", "available-date"}
)
_TEXTS = frozenset(
    """
        archive-place archive_collection authority chapter-number citation-number collection-number
        container-title dimensions division event-place event-title genre medium
        number-of-volumes original-publisher original-publisher-place original-title part-number
        part-title PMCID PMID publisher-place references reviewed-genre reviewed-title scale
        source status title-short version volume-title DOI
    """.split()
)
_NAMES = {name.lower(): name for name in (*_DATE_VARIABLES, *_TEXTS)}
_LINE = re.compile(r"^[ \t]*(?:\{:)?([A-Za-z][A-Za-z _-]{2,30})[ \t]*:[ \t]*(\S.*?)\}?[ \t]*$",
                   re.MULTILINE)  # fmt: skip


def extra_variables(extra: Any) -> dict[str, Any]:
    """The CSL variables of an Extra field (``Original Date: 1900``, ``{:original-date: 1900}``);
    the first line of a name counts."""
    if not isinstance(extra, str) or ":" not in extra:
        return {}
    variables: dict[str, Any] = {}
    for label, value in _LINE.findall(extra):
        name = _NAMES.get(re.sub(r"[ _]", "-", label.strip().lower()))
        if name and name not in variables:
            variables[name] = csl_date(value) if name in _DATE_VARIABLES else value
    return variables


# Zotero's schema (schema.json, "csl"): its item types and fields in CSL 1.0.2's words.
_TYPES = {
    "artwork": "graphic", "audioRecording": "song", "bill": "bill", "blogPost": "post-weblog",
    "book": "book", "bookSection": "chapter", "case": "legal_case",
    "computerProgram": "software", "conferencePaper": "paper-conference", "dataset": "dataset",
    "dictionaryEntry": "entry-dictionary", "document": "document",
    "email": "personal_communication", "encyclopediaArticle": "entry-encyclopedia",
    "film": "motion_picture", "forumPost": "post",
    "hearing": "hearing", "interview": "interview", "journalArticle": "article-journal",
    "letter": "personal_communication", "magazineArticle": "article-magazine",
    "manuscript": "manuscript", "map": "map", "newspaperArticle": "article-newspaper",
    "patent": "patent", "podcast": "broadcast", "preprint": "article", "presentation": "speech",
    "radioBroadcast": "broadcast", "report": "report", "standard": "standard",
    "statute": "legislation", "thesis": "thesis", "tvBroadcast": "broadcast",
    "videoRecording": "motion_picture", "webpage": "webpage",
}  # fmt: skip
_FIELDS = {
    "title": "title", "shortTitle": "title-short", "caseName": "title", "subject": "title",
    "nameOfAct": "title", "abstractNote": "abstract", "DOI": "DOI", "ISBN": "ISBN",
    "ISSN": "ISSN", "url": "URL", "volume": "volume", "issue": "issue", "pages": "page",
    "edition": "edition", "language": "language", "extra": "note", "number": "number",
    "reportNumber": "number", "patentNumber": "number", "archiveID": "number",
    "publicationTitle": "container-title", "bookTitle": "container-title",
    "proceedingsTitle": "container-title", "encyclopediaTitle": "container-title",
    "dictionaryTitle": "container-title", "websiteTitle": "container-title",
    "blogTitle": "container-title", "forumTitle": "container-title",
    "programTitle": "container-title", "journalAbbreviation": "container-title-short",
    "publisher": "publisher", "university": "publisher", "institution": "publisher",
    "repository": "publisher", "company": "publisher", "studio": "publisher",
    "place": "publisher-place", "numPages": "number-of-pages", "series": "collection-title",
    "seriesTitle": "collection-title", "seriesNumber": "collection-number",
    "conferenceName": "event-title", "meetingName": "event-title", "archive": "archive",
    "archiveLocation": "archive_location", "callNumber": "call-number",
    "libraryCatalog": "source", "section": "section", "thesisType": "genre",
    "reportType": "genre", "type": "genre", "genre": "genre", "versionNumber": "version",
    "PMID": "PMID", "PMCID": "PMCID",
}  # fmt: skip
# Fields whose base field is the date (schema.json, "baseField").
_DATES = {
    "date": "issued", "dateDecided": "issued", "dateEnacted": "issued", "issueDate": "issued",
    "filingDate": "submitted", "accessDate": "accessed",
}  # fmt: skip
_ROLES = {
    "author": "author", "editor": "editor", "seriesEditor": "collection-editor",
    "translator": "translator", "bookAuthor": "container-author", "contributor": "contributor",
    "director": "director", "interviewer": "interviewer", "recipient": "recipient",
    "reviewedAuthor": "reviewed-author", "composer": "composer", "producer": "producer",
    "scriptwriter": "script-writer", "guest": "guest",
}  # fmt: skip
# Creators in the author's place for other types (artist, inventor, cartographer …).
_AS_AUTHOR = frozenset(
    {"artist", "cartographer", "inventor", "interviewee", "performer", "podcaster", "presenter",
     "programmer", "sponsor", "commenter", "wordsBy", "castMember"}
)  # fmt: skip
_NOT_WORKS = frozenset({"attachment", "note", "annotation"})


def is_zotero(item: Mapping[str, Any]) -> bool:
    return isinstance(item.get("itemType"), str)


def is_work(item: Mapping[str, Any]) -> bool:
    """False for notes, annotations and standalone files, which exports list among the items."""
    return plain(item.get("itemType")) not in _NOT_WORKS


def to_csl(item: Mapping[str, Any]) -> dict[str, Any]:
    """The CSL-JSON item of a Zotero item, without notes and files."""
    kind = plain(item.get("itemType"))
    csl: dict[str, Any] = {"type": _TYPES.get(kind, "document")}
    extra = item.get("extra")
    if isinstance(extra, list):  # some of Better BibTeX's exports have it by lines
        item = {**item, "extra": "\n".join(map(plain, extra))}
    for field, variable in _FIELDS.items():
        value = item.get(field)
        if isinstance(value, str):
            value = value.strip()
        if value not in (None, "") and variable not in csl:
            csl[variable] = value if isinstance(value, str) else plain(value)
    for field, variable in _DATES.items():
        if variable not in csl and (date := plain(item.get(field))):
            csl[variable] = csl_date(date)
    creators = item.get("creators")
    for creator in creators if isinstance(creators, list) else ():
        if isinstance(creator, Mapping) and (name := _name(creator)):
            csl.setdefault(_role(creator), []).append(name)
    for variable, extra_value in extra_variables(item.get("extra")).items():
        if variable == "issued" or variable not in csl:
            csl[variable] = extra_value
    key = item.get("citationKey") or item.get("citekey")
    if isinstance(key, str):
        csl["citation-key"] = key
    return csl


def _role(creator: Mapping[str, Any]) -> str:
    kind = plain(creator.get("creatorType"))
    return "author" if kind in _AS_AUTHOR else _ROLES.get(kind, "contributor")


def _name(creator: Mapping[str, Any]) -> dict[str, str]:
    if name := plain(creator.get("name")):
        return {"literal": name}
    family, given = plain(creator.get("lastName")), plain(creator.get("firstName"))
    return personal_name(family, given) if family else {"literal": given} if given else {}


def file_paths(item: Mapping[str, Any]) -> Iterator[str]:
    """Paths of an item's files, as written."""
    attachments = item.get("attachments")
    for attachment in attachments if isinstance(attachments, list) else ():
        if isinstance(attachment, str):
            yield attachment
        elif isinstance(attachment, Mapping):
            for key in ("path", "localPath", "defaultPath"):
                if isinstance(path := attachment.get(key), str) and path.strip():
                    yield path
                    break
    files = item.get("file")
    for path in files if isinstance(files, list) else (files,):
        if isinstance(path, str) and path.strip():
            yield path


class CollectionTree:
    """Better BibTeX's ``collections``: paths of the collections of an item."""

    def __init__(self, tree: Any) -> None:
        self._tree: dict[str, Mapping[str, Any]] = {
            str(key): node
            for key, node in (tree.items() if isinstance(tree, Mapping) else ())
            if isinstance(node, Mapping)
        }
        self._members: dict[str, list[str]] = {}
        for key, node in self._tree.items():
            items = node.get("items")
            for item in items if isinstance(items, list) else ():
                self._members.setdefault(plain(item), []).append(key)

    def of(self, item: Mapping[str, Any]) -> tuple[str, ...]:
        """``Thesis``, ``Thesis/Chapter 2``: the collections of ``item`` and their ancestors."""
        keys = [
            key
            for name in ("itemID", "itemKey", "key")
            for key in self._members.get(plain(item.get(name)) or "-", ())
        ]
        collections = item.get("collections")
        paths: dict[str, None] = {}
        for entry in collections if isinstance(collections, list) else ():
            if isinstance(entry, str) and entry in self._tree:
                keys.append(entry)
            elif name := plain(entry):
                paths.setdefault(name)
        for key in keys:
            names = self._path(key)
            for depth in range(1, len(names) + 1):
                paths.setdefault("/".join(names[:depth]))
        return tuple(paths)

    def _path(self, key: str) -> list[str]:
        names: list[str] = []
        seen: set[str] = set()
        while key in self._tree and key not in seen:
            seen.add(key)
            node = self._tree[key]
            names.insert(0, plain(node.get("name")) or key)
            key = plain(node.get("parent"))
        return names
