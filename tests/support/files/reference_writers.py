"""CSL items in the other formats, as plainly as their manuals allow; nothing of the product.

Each takes items with names in ``family`` and ``given`` (or ``literal``), and a date in parts.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import yaml

Item = Mapping[str, Any]
_BIB_TYPES = {"article-journal": "article", "book": "book", "chapter": "incollection",
              "paper-conference": "inproceedings", "report": "techreport"}  # fmt: skip
_RIS_TYPES = {"article-journal": "JOUR", "book": "BOOK", "chapter": "CHAP",
              "paper-conference": "CONF", "report": "RPRT"}  # fmt: skip
_ZOTERO_TYPES = {"article-journal": "journalArticle", "book": "book", "chapter": "bookSection",
                 "paper-conference": "conferencePaper", "report": "report"}  # fmt: skip
_ACCENTS = {"é": "{\\'e}", "ö": '{\\"o}', "ü": '{\\"u}', "ñ": "{\\~n}", "ç": "{\\c c}",
            "á": "{\\'a}", "ø": "{\\o}", "&": "\\&", "%": "\\%", "_": "\\_"}  # fmt: skip


def csl_json(items: Iterable[Item]) -> str:
    return json.dumps(list(items))


def csl_yaml(items: Iterable[Item]) -> str:
    return yaml.safe_dump({"references": [dict(item) for item in items]}, allow_unicode=True)


def bibtex(items: Iterable[Item]) -> str:
    """Classic BibTeX in ASCII where there is a command for a letter."""

    def escaped(text: str) -> str:
        return "".join(_ACCENTS.get(char, char) for char in text)

    return "\n".join(
        _entry(item, escaped, {
            "journal": escaped(str(item.get("container-title", ""))),
            "year": str(_date(item)[0]),
            "month": str(_date(item)[1]) if len(_date(item)) > 1 else "",
        })
        for item in items
    )  # fmt: skip


def biblatex(items: Iterable[Item]) -> str:
    """As Better BibTeX writes it: Unicode, every capitalised word in braces."""

    def protected(text: str) -> str:
        text = re.sub(r"([&%_])", r"\\\1", text)
        return re.sub(r"(?<!^)\b([A-Z]\w*)", r"{{\1}}", text)

    return "\n".join(
        _entry(item, protected, {
            "journaltitle": str(item.get("container-title", "")),
            "date": "-".join(f"{part:02d}" for part in _date(item)),
        })
        for item in items
    )  # fmt: skip


def _entry(item: Item, escaped: Callable[[str], str], more: Mapping[str, str]) -> str:
    names = " and ".join(
        "{" + name["literal"] + "}" if "literal" in name
        else ", ".join(part for key in ("family", "given") if (part := name.get(key)))
        for name in item.get("author", ())
    )  # fmt: skip
    fields = {
        "title": escaped(item["title"]), "author": names, "doi": item.get("DOI"),
        "url": item.get("URL"), "volume": item.get("volume"), "number": item.get("issue"),
        "pages": str(item.get("page", "")).replace("-", "--"), **more,
    }  # fmt: skip
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    kind = _BIB_TYPES.get(item["type"], "misc")
    return f"@{kind}{{{item['id']},\n" + ",\n".join(lines) + "\n}\n"


def ris(items: Iterable[Item]) -> str:
    lines: list[str] = []
    for item in items:
        first, _, last = str(item.get("page", "")).partition("-")
        tags = [
            ("TY", _RIS_TYPES.get(item["type"], "GEN")), ("ID", item["id"]),
            ("TI", item["title"]), ("T2", item.get("container-title")),
            *(("AU", name.get("literal") or ", ".join(
                part for key in ("family", "given") if (part := name.get(key))))
              for name in item.get("author", ())),
            ("PY", str(_date(item)[0])),
            ("DA", "/".join(f"{part:02d}" for part in _date(item)) + "/"),
            ("VL", item.get("volume")), ("IS", item.get("issue")), ("SP", first), ("EP", last),
            ("DO", item.get("DOI")), ("UR", item.get("URL")),
        ]  # fmt: skip
        lines += [f"{tag}  - {value}" for tag, value in tags if value] + ["ER  - ", ""]
    return "\r\n".join(lines)


def better_bibtex_json(items: Iterable[Item]) -> str:
    def zotero(number: int, item: Item) -> dict[str, Any]:
        fields = {
            "itemID": number, "itemType": _ZOTERO_TYPES.get(item["type"], "document"),
            "citationKey": item["id"], "title": item["title"], "DOI": item.get("DOI"),
            "url": item.get("URL"), "volume": item.get("volume"), "issue": item.get("issue"),
            "pages": item.get("page"), "publicationTitle": item.get("container-title"),
            "date": "-".join(f"{part:02d}" for part in _date(item)),
            "creators": [
                {"creatorType": "author", "name": name["literal"]} if "literal" in name
                else {"creatorType": "author", "lastName": name.get("family", ""),
                      "firstName": name.get("given", "")}
                for name in item.get("author", ())
            ],
        }  # fmt: skip
        return {name: value for name, value in fields.items() if value}

    exported = [zotero(number, item) for number, item in enumerate(items, start=1)]
    return json.dumps({"config": {"label": "BetterBibTeX JSON"}, "items": exported})


def _date(item: Item) -> list[int]:
    parts: list[int] = item["issued"]["date-parts"][0]
    return parts


WRITERS: Mapping[str, Callable[[Iterable[Item]], str]] = {
    "CSL-JSON": csl_json, "CSL-YAML": csl_yaml, "BibTeX": bibtex, "BibLaTeX": biblatex,
    "RIS": ris, "Better BibTeX JSON": better_bibtex_json,
}  # fmt: skip
