"""CSL-JSON items with typed variables, and the context in which an element is rendered."""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from citeloom.domain.citation.locators import RangeFormat
from citeloom.domain.references.fields import DATES, NAMES, TEXTS

from .rendering.rich_text import EMPTY, Runs, glue, joined
from .rendering.variables import DateValue, Person, read_date, read_people
from .style import Locale, StyleDefinition, StyleNode

_BY_LOWER = {name.casefold(): name for name in DATES | NAMES | TEXTS}
# Names that exports use for variables of the standard.
_ALIASES = {
    "shortTitle": "title-short", "journalAbbreviation": "container-title-short",
    "archive-location": "archive_location", "event": "event-title",
}  # fmt: skip
_NOTE_LINE = re.compile(r"\s*(?:\{:)?([A-Za-z][A-Za-z _-]{1,29}?)\s*:\s*(\S.*?)\}?\s*")
_ENTITY = re.compile(r"&(?:amp;)*(?!(?:lt|gt|#0*6[02]|#x0*3[ce]);)(#?\w{2,31});", re.I)
_DOI_PREFIX = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)


@dataclass(frozen=True)
class Item:
    """A work as a style reads it. ``type`` is CSL's item type; ``raw`` are the variables as
    given."""

    id: str
    type: str
    raw: Mapping[str, Any] = field(default_factory=dict)

    def text(self, name: str) -> str | None:
        """A variable of text or a number; None where it is empty."""
        value = self.raw.get(name)
        if name == "page-first" and value is None:
            page = self.text("page")
            match = re.match(r"\s*([^\s,&–-]+)", page or "")
            return match.group(1) if match else None
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return None
        text = str(value).strip()
        return _DOI_PREFIX.sub("", text) if name == "DOI" else text or None

    @cached_property
    def _people(self) -> dict[str, tuple[Person, ...]]:
        return {name: read_people(self.raw[name]) for name in NAMES if name in self.raw}

    def people(self, name: str) -> tuple[Person, ...]:
        if name == "editor-translator" and name not in self._people:
            editors, translators = self.people("editor"), self.people("translator")
            return editors if editors == translators else ()
        return self._people.get(name, ())

    @cached_property
    def _dates(self) -> dict[str, DateValue | None]:
        return {name: read_date(self.raw[name]) for name in DATES if name in self.raw}

    def date(self, name: str) -> DateValue | None:
        return self._dates.get(name)

    def has(self, name: str) -> bool:
        if name in NAMES:
            return bool(self.people(name))
        if name in DATES:
            return self.date(name) is not None
        return self.text(name) is not None

    @property
    def language(self) -> str:
        return (self.text("language") or "").casefold()


def read_item(csl: Mapping[str, Any], id: str) -> Item:
    """The item of CSL-JSON. Variable names used by exporters become those of the standard.
    Variables stated in the note (``Original Date: 1950``, as in Zotero's Extra field) are added
    where the item has none."""
    raw: dict[str, Any] = {}
    for name, value in csl.items():
        raw.setdefault(_ALIASES.get(name, name), _without_entities(value))
    raw.setdefault("event", raw.get("event-title"))
    kind = str(csl.get("type") or "document")
    for name, value in _note_variables(csl.get("note")):
        if name == "type":
            kind = value
        elif raw.get(name) in (None, "", [], {}):
            raw[name] = _as_variable(name, value)
        elif name in NAMES and name not in csl:
            raw[name] += _as_variable(name, value)
    return Item(id=id, type=kind, raw=raw)


def _without_entities(value: Any) -> Any:
    """A variable with the characters that entities of HTML name, as publishers deposit them
    (``’t&amp;nbsp;Hart``). Angle brackets stay entities: they would be markup."""
    if isinstance(value, str):
        return _ENTITY.sub(lambda found: html.unescape(f"&{found[1]};"), value)
    if isinstance(value, Mapping):
        return {name: _without_entities(part) for name, part in value.items()}
    return [_without_entities(part) for part in value] if isinstance(value, list) else value


def _note_variables(note: Any) -> list[tuple[str, str]]:
    """Variables stated in the lines of a note."""
    variables = []
    for line in note.splitlines() if isinstance(note, str) else ():
        if match := _NOTE_LINE.fullmatch(line):
            label = match.group(1).casefold()
            names = (label, label.replace(" ", "-"), label.replace("-", "_"))
            name = next((_BY_LOWER[n] for n in names if n in _BY_LOWER), None)
            if label == "type" or name not in (None, "note", "citation-key", "abstract"):
                variables.append((name or "type", match.group(2)))
    return variables


def _as_variable(name: str, value: str) -> Any:
    if name in NAMES:
        family, _, given = value.partition("||")
        if not given:
            return [{"literal": value}]
        return [{"family": family.strip(), "given": given.strip()}]
    return {"raw": value} if name in DATES else value


class Rendered(NamedTuple):
    """Rendered text, and for the rule that suppresses groups (CSL 1.0.2, ``cs:group``): whether a
    variable was called, and whether one had a value."""

    text: Runs = EMPTY
    calls_variable: bool = False
    has_variable: bool = False


@dataclass(frozen=True, slots=True)
class Disambiguation:
    """What sets a work apart from others: at least ``min_names`` of its names; ``given_names`` by
    position (0 as the style has it, 1 initials, 2 in full); whether the style's condition
    ``disambiguate`` is true; a year suffix."""

    min_names: int = 0
    given_names: Mapping[int, int] = field(default_factory=dict)
    condition: bool = False
    year_suffix: str = ""


@dataclass
class RenderingContext:
    """One item, rendered once. ``area`` is the citation or bibliography element. ``sorting``
    renders sort keys instead of text. ``locator`` is a value with its CSL label.

    ``rendered`` are the variables rendered so far; ``substituted`` are those that a ``substitute``
    rendered, which are suppressed in the rest of the output. ``names_elements`` is the stack of
    ``names`` elements being substituted: a bare ``names`` within a substitute takes over their
    formatting. ``first_names`` is the output of the first ``names`` element; ``author_substitute``
    replaces it, ``without_first_names`` leaves it out.
    """

    style: StyleDefinition
    item: Item
    area: StyleNode
    number: int = 1
    locator: tuple[str, str] | None = None
    disambiguation: Disambiguation = field(default_factory=Disambiguation)
    sorting: bool = field(default=False, init=False)
    name_options: Mapping[str, str] = field(default_factory=dict, init=False)
    substituted: set[str] = field(default_factory=set, init=False)
    rendered: set[str] = field(default_factory=set, init=False)
    names_elements: list[StyleNode] = field(default_factory=list, init=False)
    year_suffix_rendered: bool = field(default=False, init=False)
    first_names: Runs = field(default=EMPTY, init=False)
    author_substitute: str = field(default="", init=False)
    without_first_names: bool = field(default=False, init=False)

    @property
    def locale(self) -> Locale:
        return self.style.locale

    @property
    def page_range_format(self) -> RangeFormat:
        return RangeFormat(self.style.root.get("page-range-format"))

    @property
    def dash(self) -> str:
        return self.locale.term("page-range-delimiter") or "–"

    def is_english(self, *, of_item: bool) -> bool:
        """Whether titles are in English: by the item's language where it states one."""
        language = self.item.language if of_item else ""
        return (language or self.locale.lang.casefold()).startswith("en")

    def glue(self, left: Runs, right: Runs) -> Runs:
        return glue(left, right, punctuation_in_quote=self.locale.punctuation_in_quote)

    def join(self, parts: "list[Runs]", delimiter: str) -> Runs:
        return joined(parts, delimiter, punctuation_in_quote=self.locale.punctuation_in_quote)
