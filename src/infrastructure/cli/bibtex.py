"""BibTeX entries of CSL-JSON items: the fields that BibLaTeX and BibTeX share."""

from collections.abc import Mapping, Sequence
from typing import Any

_TYPES = {
    "article-journal": "article",
    "article-magazine": "article",
    "article-newspaper": "article",
    "book": "book",
    "chapter": "incollection",
    "paper-conference": "inproceedings",
    "report": "techreport",
    "thesis": "phdthesis",
}
_CONTAINER = {"incollection": "booktitle", "inproceedings": "booktitle"}
_FIELDS = (
    ("title", "title"),
    ("publisher", "publisher"),
    ("volume", "volume"),
    ("issue", "number"),
    ("DOI", "doi"),
    ("URL", "url"),
    ("ISBN", "isbn"),
    ("ISSN", "issn"),
)
_SPECIAL = str.maketrans({c: f"\\{c}" for c in "&%$#_"} | {"{": "", "}": "", "\\": ""})
_VERBATIM = frozenset({"doi", "url"})


def to_bibtex(item: Mapping[str, Any]) -> str:
    kind = _TYPES.get(str(item.get("type")), "misc")
    fields: dict[str, str] = {}
    for role in ("author", "editor"):
        if names := _names(item.get(role) or ()):
            fields[role] = names
    for source, target in _FIELDS:
        if value := item.get(source):
            text = str(value)
            fields[target] = text if target in _VERBATIM else text.translate(_SPECIAL)
    if container := item.get("container-title"):
        fields[_CONTAINER.get(kind, "journal")] = str(container).translate(_SPECIAL)
    if pages := item.get("page"):
        fields["pages"] = str(pages).replace("–", "-").replace("-", "--")
    if year := _year(item):
        fields["year"] = year
    body = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@{kind}{{{item['id']},\n{body}}}"


def _names(people: Sequence[Mapping[str, Any]]) -> str:
    names = []
    for person in people:
        if literal := person.get("literal"):
            names.append("{" + str(literal).translate(_SPECIAL) + "}")
            continue
        particle = person.get("non-dropping-particle") or person.get("dropping-particle")
        family = " ".join(str(p) for p in (particle, person.get("family")) if p)
        parts = [family, person.get("suffix"), person.get("given")]
        names.append(", ".join(str(part).translate(_SPECIAL) for part in parts if part))
    return " and ".join(names)


def _year(item: Mapping[str, Any]) -> str | None:
    issued = item.get("issued")
    parts = issued.get("date-parts") if isinstance(issued, Mapping) else None
    if parts and parts[0] and parts[0][0]:
        return str(parts[0][0])
    return None
