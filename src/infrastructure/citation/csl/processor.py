"""A citation processor for CSL styles: works in, citations and bibliography out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from citeloom.infrastructure.citation.csl.context import Fullness, Out, Scene
from citeloom.infrastructure.citation.csl.disambiguation import Told, told_apart
from citeloom.infrastructure.citation.csl.item import Item, read_item
from citeloom.infrastructure.citation.csl.rendering.elements import render, render_all
from citeloom.infrastructure.citation.csl.rendering.formatting import affixed, decorated
from citeloom.infrastructure.citation.csl.rendering.rich_text import EMPTY, Runs, runs, settled
from citeloom.infrastructure.citation.csl.sorting import ordered
from citeloom.infrastructure.citation.csl.style import Node, Style


@dataclass(frozen=True, slots=True)
class Reference:
    """A work in a citation, with a place in it: a value and its CSL label (``page``, …)."""

    id: str
    locator: tuple[str, str] | None = None


class Processor:
    """One style over one set of works. Works are numbered as the bibliography has them."""

    def __init__(self, style: Style, items: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        self._style = style
        self._items: dict[str, Item] = {id: read_item(csl, id) for id, csl in items}
        self._told: Mapping[str, Told] = {}
        self._numbers = {id: n for n, id in enumerate(self._items, start=1)}
        self.order = self._sorted()
        self._numbers = {id: n for n, id in enumerate(self.order, start=1)}
        self._told = told_apart(style, [self._items[id] for id in self.order], self._scene)

    def _sorted(self) -> list[str]:
        area = self._style.bibliography
        sort = area.child("sort") if area else None
        return ordered(list(self._items), sort, lambda id: self._scene(id, area))

    def _scene(self, id: str, area: Node | None, locator: tuple[str, str] | None = None) -> Scene:
        told = self._told.get(id, Told())
        assert area is not None or self._style.citation is not None
        return Scene(
            style=self._style,
            item=self._items[id],
            area=area or self._style.citation or Node("citation", {}),
            number=self._numbers[id],
            locator=locator,
            year_suffix=told.year_suffix,
            fullness=Fullness() if area and area.tag == "bibliography" else told.fullness,
            ambiguous=told.ambiguous,
        )

    def bibliography(self) -> list[tuple[str, Runs]]:
        """Each work's id and entry, in the style's order; nothing in a style without one."""
        area = self._style.bibliography
        layout = area.child("layout") if area else None
        if area is None or layout is None:
            return []
        entries: list[tuple[str, Runs]] = []
        before: Runs = EMPTY
        instead = area.get("subsequent-author-substitute")
        for id in self.order:
            scene = self._scene(id, area)
            entry = self._entry(scene, area, layout)
            if instead and scene.names and scene.names == before:
                repeated = self._scene(id, area)
                repeated.names_instead = instead
                entry = self._entry(repeated, area, layout)
            before = scene.names
            entries.append((id, entry))
        return entries

    def _entry(self, scene: Scene, area: Node, layout: Node) -> Runs:
        text = self._fields(scene, area, layout)
        text = affixed(scene, layout, decorated(layout, trimmed(text)))
        return settled(trimmed(text), self._style.locale.quotes)

    def _fields(self, scene: Scene, area: Node, layout: Node) -> Runs:
        """The layout; where its first field stands in a margin, a blank follows that."""
        first, *rest = layout.children
        if not area.get("second-field-align") or not rest:
            return render_all(scene, layout).text
        margin = render(scene, first).text
        body = render_all(scene, Node("layout", {}, tuple(rest))).text
        if not margin or not body:
            return margin + body
        return scene.glue(scene.glue(margin, runs(" ")), _unspaced(body))

    def cite(self, references: Sequence[Reference]) -> Runs:
        """One citation of one or more works."""
        area = self._style.citation
        layout = area.child("layout") if area else None
        if area is None or layout is None or not references:
            return EMPTY
        scenes = ordered(
            references,
            area.child("sort"),
            lambda one: self._scene(one.id, area, one.locator),
        )
        texts = [
            (one, render_all(self._scene(one.id, area, one.locator), layout)) for one in scenes
        ]
        first = self._scene(scenes[0].id, area)
        text = self._joined(first, area, layout, texts)
        text = _unspaced(affixed(first, layout, decorated(layout, text)))
        return settled(text, self._style.locale.quotes)

    def _joined(
        self, scene: Scene, area: Node, layout: Node, texts: list[tuple[Reference, Out]]
    ) -> Runs:
        delimiter = layout.get("delimiter")
        if area.get("collapse") != "citation-number":
            return scene.join([out.text for _, out in texts], delimiter)
        parts: list[Runs] = []
        numbered = [
            (self._numbers[one.id] - n, one, out.text) for n, (one, out) in enumerate(texts)
        ]
        for _, together in groupby(numbered, key=lambda entry: entry[0]):
            for plain_run, group in groupby(together, key=lambda entry: entry[1].locator is None):
                found = [text for _, _, text in group]
                if plain_run and len(found) > 2:
                    parts.append(found[0] + runs("–") + found[-1])
                else:
                    parts += found
        return scene.join(parts, area.get("after-collapse-delimiter") or delimiter)


def _unspaced(text: Runs) -> Runs:
    if not text:
        return text
    first = text[0].text.lstrip(" ")
    return (text[0]._replace(text=first), *text[1:]) if first else text[1:]


def trimmed(text: Runs) -> Runs:
    """Without blanks at its end."""
    while text and not text[-1].text.rstrip(" "):
        text = text[:-1]
    if not text:
        return text
    return (*text[:-1], text[-1]._replace(text=text[-1].text.rstrip(" ")))
