"""Rendering context of a CSL element, and what rendering it gives."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from citeloom.domain.citation.page_ranges import RangeFormat
from citeloom.infrastructure.citation.csl.item import Item
from citeloom.infrastructure.citation.csl.rendering.rich_text import EMPTY, Runs, glue, joined
from citeloom.infrastructure.citation.csl.style import Locale, StyleDefinition, StyleNode


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
