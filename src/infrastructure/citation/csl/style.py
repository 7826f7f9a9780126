"""CSL styles and locales, parsed, and their places."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from graphlib import CycleError, TopologicalSorter
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

from citeloom.application.ports.citation import STYLE_NAMES
from citeloom.domain.errors import InvalidRequest
from citeloom.infrastructure.system.files import ordinary_file

from .rendering.rich_text import QuoteMarks

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


_FILES = (
    "apa.csl",
    "chicago-author-date.csl",
    "ieee.csl",
    "nature.csl",
    "nlm-citation-sequence.csl",
)
# The styles that come with the product, by the name that is asked for, and others' names.
BUNDLED = dict(zip(STYLE_NAMES, _FILES, strict=True))
_ALIASES = {
    "chicago-author-date": "chicago",
    "nlm": "vancouver",
    "nlm-citation-sequence": "vancouver",
}
_MAX_BYTES = 4 * 1024 * 1024
_DEFAULT_LOCALE = "en-US"


@cache
def bundled(name: str) -> StyleDefinition | None:
    canonical = _ALIASES.get(name.casefold(), name.casefold())
    if canonical not in BUNDLED:
        return None
    source = files("citeloom.infrastructure.citation.csl") / "data" / BUNDLED[canonical]
    return _style(source.read_bytes(), name)


def load_style(name: str) -> StyleDefinition:
    """A bundled style by name, or the ``.csl`` file at this path.

    Raises InvalidRequest, naming the bundled ones, for anything else, for files that are no
    independent CSL style, and for those over 4 MiB.
    """
    if style := bundled(name):
        return style
    path = Path(name).expanduser()
    if path.suffix.lower() not in (".csl", ".xml") and not path.is_file():
        raise InvalidRequest(
            f"{name}: no such style; there are {', '.join(BUNDLED)}, or name a .csl file",
            parameter="style",
        )
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise InvalidRequest(f"{name}: too large for a CSL style", parameter="style")
        with ordinary_file(path) as file:
            content = file.read()
    except OSError as error:
        raise InvalidRequest(
            f"{name}: cannot be read ({error.strerror or error}); check the path",
            parameter="style",
        ) from None
    return _style(content, name)


def _style(content: bytes, name: str) -> StyleDefinition:
    root = _parsed(content, name)
    if root.tag != "style":
        raise InvalidRequest(
            f"{name}: its root is <{root.tag}>, not <style>: no CSL style", parameter="style"
        )
    info = root.child("info")
    links = info.children if info else ()
    if root.child("citation") is None:
        parent = next(
            (link.get("href") for link in links if link.get("rel") == "independent-parent"), None
        )
        raise InvalidRequest(
            f"{name}: only names another style ({parent}); get that one's .csl file"
            if parent
            else f"{name}: has no <citation>: no CSL style",
            parameter="style",
        )
    title = info.child("title") if info else None
    style = StyleDefinition(
        title=title.text if title else name,
        root=root,
        locale=locale_of(root, root.get("default-locale") or _DEFAULT_LOCALE),
    )
    try:
        TopologicalSorter({one: set(_used(at)) for one, at in style.macros.items()}).prepare()
    except CycleError as error:
        raise InvalidRequest(
            f"{name}: its macro {error.args[1][0]} uses itself; download the style again",
            parameter="style",
        ) from None
    return style


def _used(node: StyleNode) -> Iterator[str]:
    """Names of the macros that an element uses."""
    for child in node.children:
        if used := child.get("macro"):
            yield used
        yield from _used(child)


def _parsed(content: bytes, name: str) -> StyleNode:
    from lxml import etree

    parser: Any = etree.XMLParser(
        remove_comments=True, remove_pis=True, resolve_entities=False, no_network=True
    )
    try:
        return node_of(etree.parse(BytesIO(content), parser).getroot())
    except etree.XMLSyntaxError as error:
        raise InvalidRequest(
            f"{name}: not well-formed XML ({error.msg}); download the style again",
            parameter="style",
        ) from None


def locale_of(style: StyleNode, lang: str) -> Locale:
    """CSL 1.0.2, "Locale fallback": first the style (dialect, language, any), then the locale files
    (dialect, main dialect of the language, American English)."""
    style_locales = [child for child in style.children if child.tag == "locale"]
    language = lang.split("-")[0]
    locale = Locale(lang)
    for lookup_lang in (lang, language, ""):
        for element in style_locales:
            if element.get("lang") == lookup_lang:
                locale.add(element)
    for name in dict.fromkeys((lang, _main_dialect(language), _DEFAULT_LOCALE)):
        if name and (file_locale := _locale_file(name)):
            locale.add(file_locale)
    return locale


def _main_dialect(language: str) -> str | None:
    from citeproc import PRIMARY_DIALECTS

    dialect: str | None = PRIMARY_DIALECTS.get(language)
    return dialect


@cache
def _locale_file(lang: str) -> StyleNode | None:
    from citeproc import LOCALES_PATH

    path = Path(LOCALES_PATH) / f"locales-{lang}.xml"
    return _parsed(path.read_bytes(), path.name) if path.is_file() else None
