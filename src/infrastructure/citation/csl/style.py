"""CSL styles and locales, parsed."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from citeloom.infrastructure.citation.csl.rendering.rich_text import QuoteMarks

_CSL = "{http://purl.org/net/xbiblio/csl}"
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
# CSL 1.0.2, "Terms": a form that a locale lacks is looked for in the next.
_FALLBACK = {"verb-short": "verb", "verb": "long", "symbol": "short", "short": "long"}


@dataclass(frozen=True, slots=True, eq=False)
class StyleNode:
    """An element of a style: name, attributes, children in order, text."""

    tag: str
    attrs: dict[str, str]
    children: "tuple[StyleNode, ...]" = ()
    text: str = ""

    def get(self, name: str, default: str = "") -> str:
        return self.attrs.get(name, default)

    def child(self, tag: str) -> "StyleNode | None":
        return next((child for child in self.children if child.tag == tag), None)


def node_of(element: Any) -> StyleNode:
    """An lxml element as a node; comments and elements of other names are left out."""
    return StyleNode(
        tag=str(element.tag).removeprefix(_CSL),
        attrs={str(name).replace(_LANG, "lang"): str(value) for name, value in element.items()},
        children=tuple(node_of(child) for child in element if isinstance(child.tag, str)),
        text=element.text or "",
    )


@dataclass(frozen=True)
class LocaleTerm:
    single: str
    multiple: str


@dataclass
class Locale:
    """Terms, date forms and options: the style's own first, then those of the locale files."""

    lang: str
    terms: dict[tuple[str, str], LocaleTerm] = field(default_factory=dict)
    dates: dict[str, StyleNode] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)

    def add(self, locale: StyleNode) -> None:
        """Add what is missing from a ``locale`` element."""
        for child in locale.children:
            if child.tag == "terms":
                self._add_terms(child)
            elif child.tag == "date":
                self.dates.setdefault(child.get("form"), child)
            elif child.tag == "style-options":
                for name, value in child.attrs.items():
                    self.options.setdefault(name, value)

    def _add_terms(self, terms: StyleNode) -> None:
        # Ordinals make sense as a set only (CSL 1.0.2, "Ordinals"): "2nd" is no German one.
        has_ordinals = any(name.startswith("ordinal") for name, _ in self.terms)
        for term in terms.children:
            if term.get("gender-form"):
                continue
            if has_ordinals and term.get("name").startswith("ordinal"):
                continue
            single, multiple = term.child("single"), term.child("multiple")
            text = LocaleTerm(
                single.text if single else term.text, multiple.text if multiple else term.text
            )
            self.terms.setdefault((term.get("name"), term.get("form") or "long"), text)

    def term(self, name: str, form: str = "long", *, plural: bool = False) -> str | None:
        """None for a term that is missing in this form and all its fallbacks."""
        lookup_form: str | None = form or "long"
        while lookup_form:
            if term := self.terms.get((name, lookup_form)):
                return term.multiple if plural else term.single
            lookup_form = _FALLBACK.get(lookup_form)
        return None

    @cached_property
    def punctuation_in_quote(self) -> bool:
        """Whether full stops and commas go before a closing quotation mark."""
        return self.options.get("punctuation-in-quote", "false") == "true"

    @cached_property
    def quotes(self) -> QuoteMarks:
        def mark(name: str, default: str) -> str:
            return self.term(name) or default

        return QuoteMarks(
            (mark("open-quote", "“"), mark("close-quote", "”")),
            (mark("open-inner-quote", "‘"), mark("close-inner-quote", "’")),
        )


@dataclass(frozen=True)
class StyleDefinition:
    """A style with its locale."""

    title: str
    root: StyleNode
    locale: Locale

    @cached_property
    def macros(self) -> dict[str, StyleNode]:
        return {child.get("name"): child for child in self.root.children if child.tag == "macro"}

    @property
    def citation(self) -> StyleNode | None:
        return self.root.child("citation")

    @property
    def bibliography(self) -> StyleNode | None:
        return self.root.child("bibliography")

    @cached_property
    def places_year_suffix(self) -> bool:
        """Whether the style renders the year suffix itself."""

        def renders_suffix(node: StyleNode) -> bool:
            return node.get("variable") == "year-suffix" or any(map(renders_suffix, node.children))

        return renders_suffix(self.root)
