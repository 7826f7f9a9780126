"""The rendering elements of CSL 1.0.2."""

from collections.abc import Callable, Iterator

from citeloom.infrastructure.citation.csl.context import Out, Scene
from citeloom.infrastructure.citation.csl.item import NAMES
from citeloom.infrastructure.citation.csl.rendering.dates import render_date
from citeloom.infrastructure.citation.csl.rendering.formatting import affixed, decorated
from citeloom.infrastructure.citation.csl.rendering.names import render_names
from citeloom.infrastructure.citation.csl.rendering.numbers import (
    NUMBERS,
    formed,
    is_numeric,
    is_plural,
    written,
)
from citeloom.infrastructure.citation.csl.rendering.rich_text import EMPTY, Runs, field, runs
from citeloom.infrastructure.citation.csl.rendering.text_case import cased
from citeloom.infrastructure.citation.csl.style import Node

_SHORT = {"title": "title-short", "container-title": "container-title-short"}
_PLAIN = frozenset({"URL", "DOI", "ISBN", "ISSN"})


def render(scene: Scene, node: Node) -> Out:
    """An element; one that is no rendering element gives nothing."""
    known = _ELEMENTS.get(node.tag)
    return known(scene, node) if known else Out()


def render_all(scene: Scene, node: Node, delimiter: str = "") -> Out:
    """The children of ``node``, joined."""
    outs = [render(scene, child) for child in node.children]
    text = scene.join([out.text for out in outs], delimiter)
    return Out(text, any(o.asked for o in outs), any(o.found for o in outs))


def _text(scene: Scene, node: Node) -> Out:
    if name := node.get("variable"):
        text = _variable(scene, name, node.get("form"))
        if text:
            scene.touched.add(name)
        return Out(_finished(scene, node, text), name != "year-suffix", bool(text))
    if macro := scene.style.macros.get(node.get("macro")):
        out = render_all(scene, macro)
        shown = _finished(scene, node, out.text)
        return Out(shown, out.asked or bool(shown), out.found or bool(shown))
    if term := node.get("term"):
        plural = node.get("plural") == "true"
        found = scene.locale.term(term, node.get("form") or "long", plural=plural) or ""
        return Out(_finished(scene, node, runs(found)))
    return Out(_finished(scene, node, field(node.get("value"))))


def _finished(scene: Scene, node: Node, text: Runs) -> Runs:
    if not text:
        return text
    if node.get("strip-periods") == "true":
        text = tuple(run._replace(text=run.text.replace(".", "")) for run in text)
        text = tuple(run for run in text if run.text)
    if how := node.get("text-case"):
        text = cased(text, how, english=scene.is_english(of_item=bool(node.get("variable"))))
    return affixed(scene, node, decorated(node, text))


def _variable(scene: Scene, name: str, form: str) -> Runs:
    if name in scene.used:
        return EMPTY
    if name == "citation-number":
        return runs(f"{scene.number:05}" if scene.sorting else str(scene.number))
    if name == "year-suffix":
        scene.suffix_given = True
        return runs(scene.year_suffix)
    if name == "locator":
        return _locator(scene)
    value = scene.item.text(_SHORT[name]) if form == "short" and name in _SHORT else None
    value = value or scene.item.text(name)
    if value is None:
        return EMPTY
    if name in _PLAIN:
        return runs(value)
    if name in NUMBERS and not scene.sorting:
        value = written(value, name, scene.pages, scene.dash)
    return field(value)


def _locator(scene: Scene) -> Runs:
    if scene.locator is None:
        return EMPTY
    value, label = scene.locator
    shown = written(value, "page", scene.pages, scene.dash) if label == "page" else value
    return field(shown)


def _number(scene: Scene, node: Node) -> Out:
    name = node.get("variable")
    if name == "locator" and scene.locator:
        value: str | None = scene.locator[0]
    elif name == "citation-number":
        value = str(scene.number)
    else:
        value = None if name in scene.used else scene.item.text(name)
    if value is None:
        return Out(EMPTY, True, False)
    scene.touched.add(name)
    if scene.sorting and value.isdigit():
        return Out(runs(value.zfill(8)), True, True)
    if name in ("page", "locator"):
        text = field(written(value, name, scene.pages, scene.dash))
    else:
        text = field(formed(value, node.get("form"), scene.locale))
    return Out(_finished(scene, node, text), True, True)


def _label(scene: Scene, node: Node) -> Out:
    name = node.get("variable")
    if name == "locator":
        if scene.locator is None:
            return Out()
        value, term = scene.locator
    else:
        value, term = scene.item.text(name) or "", name
        if not value or name in scene.used:
            return Out()
    plural = {"always": True, "never": False}.get(node.get("plural"), is_plural(name, value))
    found = scene.locale.term(term, node.get("form") or "long", plural=plural) or ""
    return Out(_finished(scene, node, runs(found)))


def _group(scene: Scene, node: Node) -> Out:
    """Nothing, if variables were asked for and none was there."""
    out = _with_delimiter(scene, node, node.get("delimiter"))
    if out.asked and not out.found:
        return Out(EMPTY, True, False)
    text = affixed(scene, node, decorated(node, out.text))
    return Out(text, out.asked or bool(text), out.found or bool(text))


def _with_delimiter(scene: Scene, node: Node, delimiter: str) -> Out:
    """Children joined; those of a ``choose`` as if they stood there themselves."""
    outs: list[Out] = []
    for child in node.children:
        outs += _flat(scene, child)
    text = scene.join([out.text for out in outs], delimiter)
    return Out(text, any(o.asked for o in outs), any(o.found for o in outs))


def _flat(scene: Scene, node: Node) -> list[Out]:
    if node.tag != "choose":
        return [render(scene, node)]
    branch = _branch(scene, node)
    return [out for child in branch.children for out in _flat(scene, child)] if branch else []


def alternatives(scene: Scene, node: Node) -> Iterator[Node]:
    """The children of a ``substitute``, those of a ``choose`` as if they stood there
    themselves."""
    for child in node.children:
        if child.tag != "choose":
            yield child
        elif branch := _branch(scene, child):
            yield from alternatives(scene, branch)


def _choose(scene: Scene, node: Node) -> Out:
    branch = _branch(scene, node)
    return render_all(scene, branch) if branch else Out()


def _branch(scene: Scene, choose: Node) -> Node | None:
    for branch in choose.children:
        if branch.tag == "else" or _holds(scene, branch):
            return branch
    return None


def _holds(scene: Scene, node: Node) -> bool:
    tests: list[bool] = []
    for name, test in _TESTS.items():
        if value := node.attrs.get(name):
            tests += [test(scene, one) for one in value.split()]
    match node.get("match"):
        case "any":
            return any(tests)
        case "none":
            return not any(tests)
    return all(tests)


def _has(scene: Scene, name: str) -> bool:
    if name == "locator":
        return scene.locator is not None
    if name == "citation-number":
        return True
    if name == "year-suffix":
        return bool(scene.year_suffix)
    return scene.item.has(name)


def _numeric(scene: Scene, name: str) -> bool:
    if name == "locator":
        return scene.locator is not None and is_numeric(scene.locator[0])
    if name in NAMES:
        return False
    return is_numeric(scene.item.text(name) or "")


def _uncertain(scene: Scene, name: str) -> bool:
    date = scene.item.date(name)
    return date is not None and date.circa


_TESTS: dict[str, Callable[[Scene, str], bool]] = {
    "type": lambda scene, name: scene.item.type == name,
    "variable": _has,
    "is-numeric": _numeric,
    "is-uncertain-date": _uncertain,
    "locator": lambda scene, name: scene.locator is not None and scene.locator[1] == name,
    # Each citation is the first of its work: nothing is known of the text around it.
    "position": lambda _, name: name == "first",
    "disambiguate": lambda scene, name: scene.ambiguous and name == "true",
}
_ELEMENTS: dict[str, Callable[[Scene, Node], Out]] = {
    "text": _text,
    "number": _number,
    "label": _label,
    "date": render_date,
    "names": render_names,
    "group": _group,
    "choose": _choose,
}
