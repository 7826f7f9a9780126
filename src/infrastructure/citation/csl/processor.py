"""CSL citation processor: citations and a bibliography of a set of works."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from citeloom.infrastructure.citation.csl.cite_groups import GroupedCite, groups_cites, join_groups
from citeloom.infrastructure.citation.csl.context import Disambiguation, RenderingContext
from citeloom.infrastructure.citation.csl.disambiguation import disambiguate
from citeloom.infrastructure.citation.csl.item import Item, read_item
from citeloom.infrastructure.citation.csl.rendering.elements import render, render_all
from citeloom.infrastructure.citation.csl.rendering.formatting import affixed, decorated
from citeloom.infrastructure.citation.csl.rendering.rich_text import (
    EMPTY,
    Runs,
    plain,
    resolve_quotes,
    runs,
)
from citeloom.infrastructure.citation.csl.sorting import sort_entries
from citeloom.infrastructure.citation.csl.style import StyleDefinition, StyleNode


@dataclass(frozen=True, slots=True)
class Reference:
    """A work in a citation, with a locator: a value and its CSL label (``page``, …)."""

    id: str
    locator: tuple[str, str] | None = None


class Processor:
    """One style over one set of works. Works are numbered in the order of the bibliography."""

    def __init__(
        self, style: StyleDefinition, items: Sequence[tuple[str, Mapping[str, Any]]]
    ) -> None:
        self._style = style
        self._items: dict[str, Item] = {id: read_item(csl, id) for id, csl in items}
        self._disambiguations: Mapping[str, Disambiguation] = {}
        self._numbers = {id: n for n, id in enumerate(self._items, start=1)}
        self.order = self._bibliography_order()
        self._numbers = {id: n for n, id in enumerate(self.order, start=1)}
        self._disambiguations = disambiguate(
            style, [self._items[id] for id in self.order], self._context
        )

    def _bibliography_order(self) -> list[str]:
        area = self._style.bibliography
        sort = area.child("sort") if area else None
        return sort_entries(list(self._items), sort, lambda id: self._context(id, area))

    def _context(
        self, id: str, area: StyleNode | None, locator: tuple[str, str] | None = None
    ) -> RenderingContext:
        disambiguation = self._disambiguations.get(id, Disambiguation())
        if area and area.tag == "bibliography":
            disambiguation = Disambiguation(year_suffix=disambiguation.year_suffix)
        assert area is not None or self._style.citation is not None
        return RenderingContext(
            style=self._style,
            item=self._items[id],
            area=area or self._style.citation or StyleNode("citation", {}),
            number=self._numbers[id],
            locator=locator,
            disambiguation=disambiguation,
        )

    def bibliography(self) -> list[tuple[str, Runs]]:
        """Each work's id and entry, in the style's order; empty for a style without a
        bibliography."""
        area = self._style.bibliography
        layout = area.child("layout") if area else None
        if area is None or layout is None:
            return []
        entries: list[tuple[str, Runs]] = []
        previous_names: Runs = EMPTY
        author_substitute = area.get("subsequent-author-substitute")
        for id in self.order:
            context = self._context(id, area)
            entry = self._entry(context, area, layout)
            if author_substitute and context.first_names and context.first_names == previous_names:
                repeated = self._context(id, area)
                repeated.author_substitute = author_substitute
                entry = self._entry(repeated, area, layout)
            previous_names = context.first_names
            entries.append((id, entry))
        return entries

    def _entry(self, context: RenderingContext, area: StyleNode, layout: StyleNode) -> Runs:
        text = self._fields(context, area, layout)
        text = affixed(context, layout, decorated(layout, trimmed(text)))
        return resolve_quotes(trimmed(text), self._style.locale.quotes)

    def _fields(self, context: RenderingContext, area: StyleNode, layout: StyleNode) -> Runs:
        """The layout; a space follows the first field where the style aligns it in the margin
        (``second-field-align``)."""
        first, *rest = layout.children
        if not area.get("second-field-align") or not rest:
            return render_all(context, layout).text
        margin = render(context, first).text
        body = render_all(context, StyleNode("layout", {}, tuple(rest))).text
        if not margin or not body:
            return margin + body
        return context.glue(context.glue(margin, runs(" ")), _unspaced(body))

    def cite(self, references: Sequence[Reference]) -> Runs:
        """One citation of one or more works."""
        area = self._style.citation
        layout = area.child("layout") if area else None
        if area is None or layout is None or not references:
            return EMPTY
        sorted_references = sort_entries(
            references,
            area.child("sort"),
            lambda reference: self._context(reference.id, area, reference.locator),
        )
        first = self._context(sorted_references[0].id, area)
        if groups_cites(area):
            cites = [self._grouped(reference, area, layout) for reference in sorted_references]
            text = join_groups(cites, area, layout, first.glue)
        else:
            text = self._joined(first, area, layout, sorted_references)
        text = _unspaced(affixed(first, layout, decorated(layout, text)))
        return resolve_quotes(text, self._style.locale.quotes)

    def _grouped(self, reference: Reference, area: StyleNode, layout: StyleNode) -> GroupedCite:
        whole, bare, year = (self._context(reference.id, area, reference.locator) for _ in range(3))
        suffix = whole.disambiguation.year_suffix
        bare.without_first_names = year.without_first_names = True
        year.disambiguation = replace(year.disambiguation, year_suffix="")
        text = render_all(whole, layout).text
        return GroupedCite(
            text=text,
            names=plain(whole.first_names),
            bare=render_all(bare, layout).text,
            year=plain(render_all(year, layout).text),
            suffix=suffix,
            has_locator=reference.locator is not None,
        )

    def _joined(
        self,
        context: RenderingContext,
        area: StyleNode,
        layout: StyleNode,
        references: Sequence[Reference],
    ) -> Runs:
        texts = [
            (reference, render_all(self._context(reference.id, area, reference.locator), layout))
            for reference in references
        ]
        delimiter = layout.get("delimiter")
        if area.get("collapse") != "citation-number":
            return context.join([out.text for _, out in texts], delimiter)
        parts: list[Runs] = []
        numbered = [
            (self._numbers[reference.id] - n, reference, out.text)
            for n, (reference, out) in enumerate(texts)
        ]
        for _, together in groupby(numbered, key=lambda entry: entry[0]):
            for plain_run, group in groupby(together, key=lambda entry: entry[1].locator is None):
                texts_of_group = [text for _, _, text in group]
                if plain_run and len(texts_of_group) > 2:
                    parts.append(texts_of_group[0] + runs("–") + texts_of_group[-1])
                else:
                    parts += texts_of_group
        return context.join(parts, area.get("after-collapse-delimiter") or delimiter)


def _unspaced(text: Runs) -> Runs:
    if not text:
        return text
    first = text[0].text.lstrip(" ")
    return (text[0]._replace(text=first), *text[1:]) if first else text[1:]


def trimmed(text: Runs) -> Runs:
    """Without trailing spaces."""
    while text and not text[-1].text.rstrip(" "):
        text = text[:-1]
    if not text:
        return text
    return (*text[:-1], text[-1]._replace(text=text[-1].text.rstrip(" ")))
