"""What an element of a style is rendered for, and what rendering gives."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from citeloom.domain.citation.page_ranges import RangeFormat
from citeloom.infrastructure.citation.csl.item import Item
from citeloom.infrastructure.citation.csl.rendering.rich_text import EMPTY, Runs, glue, joined
from citeloom.infrastructure.citation.csl.style import Locale, Node, Style


class Out(NamedTuple):
    """Text, and for groups: whether a variable was asked for, and whether one was there."""

    text: Runs = EMPTY
    asked: bool = False
    found: bool = False


@dataclass(frozen=True, slots=True)
class Fullness:
    """How much of the names is shown to tell works apart: ``names`` at least so many,
    ``given`` for each place of the list 0 (as the style has it), 1 (initials) or 2 (all)."""

    names: int = 0
    given: Mapping[int, int] = field(default_factory=dict)


@dataclass
class Scene:
    """One item in one place: ``area`` is the citation or bibliography element. ``sorting``
    renders keys, not text. ``locator`` is a value with its CSL label. ``touched`` are variables
    that were rendered, ``used`` those that a substitute took and that come no more; ``shapes``
    are the names that are being substituted, whose look those without one take over. ``names``
    are the first ones rendered, ``names_instead`` is what stands in their place."""

    style: Style
    item: Item
    area: Node
    number: int = 1
    locator: tuple[str, str] | None = None
    sorting: bool = False
    name_options: Mapping[str, str] = field(default_factory=dict)
    fullness: Fullness = field(default_factory=Fullness)
    year_suffix: str = ""
    ambiguous: bool = False
    used: set[str] = field(default_factory=set)
    touched: set[str] = field(default_factory=set)
    shapes: list[Node] = field(default_factory=list)
    suffix_given: bool = False
    names: Runs = EMPTY
    names_instead: str = ""

    @property
    def locale(self) -> Locale:
        return self.style.locale

    @property
    def in_bibliography(self) -> bool:
        return self.area.tag == "bibliography"

    @property
    def pages(self) -> RangeFormat:
        return RangeFormat(self.style.root.get("page-range-format"))

    @property
    def dash(self) -> str:
        return self.locale.term("page-range-delimiter") or "–"

    def is_english(self, *, of_item: bool) -> bool:
        """Whether titles are in English: by the item's language where it states one."""
        language = self.item.language if of_item else ""
        return (language or self.locale.lang.casefold()).startswith("en")

    def glue(self, left: Runs, right: Runs) -> Runs:
        return glue(left, right, inside=self.locale.inside)

    def join(self, parts: "list[Runs]", delimiter: str) -> Runs:
        return joined(parts, delimiter, inside=self.locale.inside)
