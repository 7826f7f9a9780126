"""Items of CSL-JSON, Better BibTeX's JSON, and CSL-YAML files."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import yaml

from citeloom.application.ports.citation import ReadItems
from citeloom.domain.references.dates import csl_date
from citeloom.infrastructure.references.fields.plain_text import without_surrogates

from .source_item import EXPORT_AGAIN, NoReferences, UnreadableFile


def read_csl_json(text: str) -> ReadItems:
    """The items of a JSON file. Raises UnreadableFile."""
    return library_of(read_json(text), "JSON")


def library_of(parsed: Any, language: str) -> ReadItems:
    """The items of a parsed file. Raises NoReferences."""
    items = items_of(parsed)
    if isinstance(items, str):
        raise NoReferences(f"valid {language}, but {items}")
    return items


def read_json(text: str) -> Any:
    """The parsed text; raises UnreadableFile."""
    try:
        # NaN and Infinity are not JSON: such a field counts as absent, as does 1e999.
        parsed = json.loads(text, parse_constant=lambda _: None, parse_float=_finite)
    except json.JSONDecodeError as error:
        place = f"not valid JSON at line {error.lineno}, column {error.colno}: {error.msg}"
        raise UnreadableFile(place, error.lineno, error.colno) from None
    except (RecursionError, ValueError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise UnreadableFile(f"not usable JSON: {reason}") from None
    return without_surrogates(parsed) if "\\ud" in text.lower() else parsed


def _finite(number: str) -> float | None:
    value = float(number)
    return value if math.isfinite(value) else None


def items_of(parsed: Any) -> ReadItems | str:
    """The items of a parsed file, or a description of what it is instead.

    Takes a list, ``{"items": …}`` and ``{"references": …}`` with a list or with items by name, and
    a single item.
    """
    if isinstance(parsed, list):
        items = parsed
    elif not isinstance(parsed, Mapping):
        return "a single value, not a reference library"
    else:
        inner = parsed.get("items", parsed.get("references"))
        if isinstance(inner, list):
            items = inner
        elif isinstance(inner, Mapping):
            items = list(inner.values())
        elif {"title", "type", "itemType"} & parsed.keys() and "references" not in parsed:
            items = [dict(parsed)]
        else:
            return "an object without items, not a reference library"
    if items and not any(isinstance(item, Mapping) for item in items):
        return "a list of single values, not a reference library"
    collections = parsed.get("collections") if isinstance(parsed, Mapping) else None
    return ReadItems(items, collections)


# Limits of a document with its aliases expanded.
_MAX_NODES, _MAX_DEPTH = 5_000_000, 100
_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,15})$")
_DATES = ("issued", "accessed", "event-date", "original-date", "submitted", "available-date")
_MARKDOWN = (
    (re.compile(r"\[([^\[\]]*)\]\{\.nocase\}"), r'<span class="nocase">\1</span>'),
    (re.compile(r"\[([^\[\]]*)\]\{\.smallcaps\}"), r"\1"),
    (re.compile(r"(?<![\\*\w])\*\*(\S(?:[^*\n]*[^\s*])?)\*\*(?![*\w])"), r"<b>\1</b>"),
    (re.compile(r"(?<![\\*\w])\*(\S(?:[^*\n]*[^\s*])?)\*(?![*\w])"), r"<i>\1</i>"),
    (re.compile(r"(?<!\\)\^([^\^\s]+)\^"), r"<sup>\1</sup>"),
    (re.compile(r"(?<![\\~])~([^~\s]+)~(?!~)"), r"<sub>\1</sub>"),
    (re.compile(r"\\([\\`*_{}\[\]()#+.!~^<>@$'\"|-])"), r"\1"),
)
_MARKED_UP = ("title", "title-short", "container-title", "collection-title", "volume-title",
              "original-title", "reviewed-title", "abstract", "note")  # fmt: skip


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Safe loader that resolves only integers, ``true``, ``false`` and ``null`` (as YAML 1.2 does:
    ``no`` is Norwegian, ``2020-05`` a date of CSL)."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012


_Loader.add_implicit_resolver("tag:yaml.org,2002:int", _INTEGER, list("-0123456789"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"(?:true|True|false|False)$"), list("tTfF")
)
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:null", re.compile(r"(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""]
)


def read_csl_yaml(text: str) -> ReadItems:
    """The items of a YAML file. Raises UnreadableFile."""
    try:
        parsed = read_yaml(text)
    except UnreadableFile as error:
        where = f" at line {error.line}, column {error.column}" if error.line else ""
        reason = f"not usable YAML{where}: {error.reason}"
        step = f"correct it, or {EXPORT_AGAIN}"
        raise UnreadableFile(reason, error.line, error.column, step) from None
    items = library_of(parsed, "YAML").items
    return ReadItems([csl_item(item) if isinstance(item, Mapping) else item for item in items])


def read_yaml(text: str) -> Any:
    """The content of a YAML file; of pandoc's Markdown the metadata block.

    Raises UnreadableFile, also if expanded aliases make the file too large.
    """
    if head := re.match(r"---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)", text, re.DOTALL):
        text = "\n" + head[1]
    try:
        _check_depth(text)
        parsed = yaml.load(text, Loader=_Loader)
        size = _size(parsed, {})
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark else ()
        raise UnreadableFile(str(error.problem or error.context), *place) from None
    except UnreadableFile:
        raise
    except (yaml.YAMLError, ValueError, TypeError, IndexError) as error:
        raise UnreadableFile(str(error).partition("\n")[0]) from None
    if size > _MAX_NODES:
        raise UnreadableFile("its aliases (*name) make it too large")
    return parsed


def _check_depth(text: str) -> None:
    """Raises UnreadableFile before the recursion of the C loader exhausts its stack."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _MAX_DEPTH:
            mark = event.start_mark
            raise UnreadableFile("nested too deeply", mark.line + 1, mark.column + 1)


def _size(value: Any, sizes: dict[int, int]) -> int:
    """Number of values with each alias expanded."""
    if not isinstance(value, dict | list):
        return 1
    if id(value) in sizes:
        size = sizes[id(value)]
        if not size:
            raise UnreadableFile("an alias (*name) that holds itself")
        return size
    sizes[id(value)] = 0
    inner = value.values() if isinstance(value, dict) else value
    sizes[id(value)] = size = 1 + sum(_size(child, sizes) for child in inner)
    return size


def csl_item(item: Mapping[Any, Any]) -> dict[str, Any]:
    """A pandoc item as CSL-JSON: dates in parts, Markdown as CSL markup."""
    csl = {str(name): value for name, value in item.items() if value is not None}
    for name in _DATES:
        if name in csl:
            csl[name] = _date(csl[name])
    for name in _MARKED_UP:
        if isinstance(csl.get(name), str) and re.search(r"[\\*^~\[]", csl[name]):
            for pattern, markup in _MARKDOWN:
                csl[name] = pattern.sub(markup, csl[name])
    return csl


def _date(value: Any) -> Any:
    """EDTF, a year, or pandoc's list of ``year``, ``month``, ``day``."""
    if isinstance(value, str | int) and not isinstance(value, bool):
        return csl_date(str(value))
    if isinstance(value, Mapping) and "date-parts" in value:
        return dict(value)
    dates = value if isinstance(value, list) else [value]
    if not all(isinstance(date, Mapping) for date in dates):
        return value
    if literal := next((date["literal"] for date in dates if "literal" in date), None):
        return {"literal": str(literal)}
    parts = [
        [date[name] for name in ("year", "month", "day") if date.get(name) is not None]
        for date in dates
    ]
    csl: dict[str, Any] = {"date-parts": [part for part in parts if part]}
    for name in ("season", "circa"):
        if value := next((date[name] for date in dates if date.get(name)), None):
            csl[name] = value
    return csl
