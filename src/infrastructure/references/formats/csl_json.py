"""Items of JSON files: CSL-JSON and Better BibTeX's export."""

import json
import math
from collections.abc import Mapping
from typing import Any

from citeloom.application.ports.citation import ReadItems
from citeloom.infrastructure.references.fields.plain_text import without_surrogates
from citeloom.infrastructure.references.formats.source_item import (
    NoReferences,
    UnreadableFile,
)


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
        return "a single value: no reference library"
    else:
        inner = parsed.get("items", parsed.get("references"))
        if isinstance(inner, list):
            items = inner
        elif isinstance(inner, Mapping):
            items = list(inner.values())
        elif {"title", "type", "itemType"} & parsed.keys() and "references" not in parsed:
            items = [dict(parsed)]
        else:
            return "an object without items: no reference library"
    if items and not any(isinstance(item, Mapping) for item in items):
        return "a list without a single item"
    collections = parsed.get("collections") if isinstance(parsed, Mapping) else None
    return ReadItems(items, collections)
