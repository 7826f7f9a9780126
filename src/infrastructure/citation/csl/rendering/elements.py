"""CSL 1.0.2 rendering elements: text, number, label, group, choose."""

from collections.abc import Callable, Iterator

from citeloom.infrastructure.citation.csl.context import Rendered, RenderingContext
from citeloom.infrastructure.citation.csl.item import NAMES
from citeloom.infrastructure.citation.csl.rendering.dates import render_date
from citeloom.infrastructure.citation.csl.rendering.formatting import affixed, decorated
from citeloom.infrastructure.citation.csl.rendering.names import formatting_element, render_names
from citeloom.infrastructure.citation.csl.rendering.numbers import (
    NUMBERS,
    format_number,
    is_numeric,
    is_plural,
    number_in_form,
)
from citeloom.infrastructure.citation.csl.rendering.rich_text import EMPTY, Runs, field, runs
from citeloom.infrastructure.citation.csl.rendering.text_case import cased
from citeloom.infrastructure.citation.csl.style import StyleNode

_SHORT_FORMS = {"title": "title-short", "container-title": "container-title-short"}
_VERBATIM = frozenset({"URL", "DOI", "ISBN", "ISSN"})


def render(context: RenderingContext, node: StyleNode) -> Rendered:
    """A rendering element; any other element gives nothing."""
    renderer = _ELEMENTS.get(node.tag)
    return renderer(context, node) if renderer else Rendered()


def render_all(context: RenderingContext, node: StyleNode, delimiter: str = "") -> Rendered:
    """The children of ``node``, joined."""
    outs = [render(context, child) for child in node.children]
    text = context.join([out.text for out in outs], delimiter)
    return Rendered(text, any(o.calls_variable for o in outs), any(o.has_variable for o in outs))


def _text(context: RenderingContext, node: StyleNode) -> Rendered:
    if name := node.get("variable"):
        text = _variable(context, name, node.get("form"))
        if text:
            context.rendered.add(name)
        return Rendered(_formatted(context, node, text), name != "year-suffix", bool(text))
    if macro := context.style.macros.get(node.get("macro")):
        out = render_all(context, macro)
        formatted = _formatted(context, node, out.text)
        return Rendered(
            formatted, out.calls_variable or bool(formatted), out.has_variable or bool(formatted)
        )
    if term := node.get("term"):
        plural = node.get("plural") == "true"
        term_text = context.locale.term(term, node.get("form") or "long", plural=plural) or ""
        return Rendered(_formatted(context, node, runs(term_text)))
    return Rendered(_formatted(context, node, field(node.get("value"))))


def _formatted(context: RenderingContext, node: StyleNode, text: Runs) -> Runs:
    if not text:
        return text
    if node.get("strip-periods") == "true":
        text = tuple(run._replace(text=run.text.replace(".", "")) for run in text)
        text = tuple(run for run in text if run.text)
    if text_case := node.get("text-case"):
        text = cased(
            text, text_case, english=context.is_english(of_item=bool(node.get("variable")))
        )
    return affixed(context, node, decorated(node, text))


def _variable(context: RenderingContext, name: str, form: str) -> Runs:
    if name in context.substituted:
        return EMPTY
    if name == "citation-number":
        return runs(f"{context.number:05}" if context.sorting else str(context.number))
    if name == "year-suffix":
        context.year_suffix_rendered = True
        return runs(context.disambiguation.year_suffix)
    if name == "locator":
        return _locator(context)
    value = (
        context.item.text(_SHORT_FORMS[name]) if form == "short" and name in _SHORT_FORMS else None
    )
    value = value or context.item.text(name)
    if value is None:
        return EMPTY
    if name in _VERBATIM:
        return runs(value)
    if name in NUMBERS and not context.sorting:
        value = format_number(value, name, context.page_range_format, context.dash)
    return field(value)


def _locator(context: RenderingContext) -> Runs:
    if context.locator is None:
        return EMPTY
    value, label = context.locator
    text = (
        format_number(value, "page", context.page_range_format, context.dash)
        if label == "page"
        else value
    )
    return field(text)


def _number(context: RenderingContext, node: StyleNode) -> Rendered:
    name = node.get("variable")
    if name == "locator" and context.locator:
        value: str | None = context.locator[0]
    elif name == "citation-number":
        value = str(context.number)
    else:
        value = None if name in context.substituted else context.item.text(name)
    if value is None:
        return Rendered(EMPTY, True, False)
    context.rendered.add(name)
    if context.sorting and value.isdigit():
        return Rendered(runs(value.zfill(8)), True, True)
    if name in ("page", "locator"):
        text = field(format_number(value, name, context.page_range_format, context.dash))
    else:
        text = field(number_in_form(value, node.get("form"), context.locale))
    return Rendered(_formatted(context, node, text), True, True)


def _label(context: RenderingContext, node: StyleNode) -> Rendered:
    name = node.get("variable")
    if name == "locator":
        if context.locator is None:
            return Rendered()
        value, term = context.locator
    else:
        value, term = context.item.text(name) or "", name
        if not value or name in context.substituted:
            return Rendered()
    plural = {"always": True, "never": False}.get(node.get("plural"), is_plural(name, value))
    term_text = context.locale.term(term, node.get("form") or "long", plural=plural) or ""
    return Rendered(_formatted(context, node, runs(term_text)))


def _group(context: RenderingContext, node: StyleNode) -> Rendered:
    """Nothing, if variables were called and none has a value."""
    out = _with_delimiter(context, node, node.get("delimiter"))
    if out.calls_variable and not out.has_variable:
        return Rendered(EMPTY, True, False)
    text = affixed(context, node, decorated(node, out.text))
    return Rendered(text, out.calls_variable or bool(text), out.has_variable or bool(text))


def _with_delimiter(context: RenderingContext, node: StyleNode, delimiter: str) -> Rendered:
    """Children joined; the children of a ``choose`` count as children of the group."""
    outs: list[Rendered] = []
    for child in node.children:
        outs += _flattened(context, child)
    text = context.join([out.text for out in outs], delimiter)
    return Rendered(text, any(o.calls_variable for o in outs), any(o.has_variable for o in outs))


def _flattened(context: RenderingContext, node: StyleNode) -> list[Rendered]:
    if node.tag != "choose":
        return [render(context, node)]
    branch = _branch(context, node)
    return (
        [out for child in branch.children for out in _flattened(context, child)] if branch else []
    )


def _names(context: RenderingContext, node: StyleNode) -> Rendered:
    """The names, unless they are the first of a cite that goes without them."""
    first = not context.first_names and not context.names_elements
    out = _names_or_substitute(context, node)
    if not (first and out.has_variable):
        return out
    context.first_names = context.first_names or out.text
    return Rendered(EMPTY, True, True) if context.without_first_names else out


def _names_or_substitute(context: RenderingContext, node: StyleNode) -> Rendered:
    """Names, else the first non-empty element of their ``substitute``, whose variables are
    suppressed in the rest of the output."""
    out = render_names(context, node)
    if out.has_variable:
        return out
    substitute = node.child("substitute")
    rendered_before = set(context.rendered)
    for child in _alternatives(context, substitute) if substitute else ():
        context.rendered.clear()
        context.names_elements.append(formatting_element(context, node))
        out = render(context, child)
        context.names_elements.pop()
        if out.text:
            context.substituted |= context.rendered
            context.rendered |= rendered_before
            return Rendered(affixed(context, node, out.text), True, True)
    context.rendered |= rendered_before
    return Rendered(EMPTY, True, False)


def _alternatives(context: RenderingContext, node: StyleNode) -> Iterator[StyleNode]:
    """The children of a ``substitute``; those of a ``choose`` in its place."""
    for child in node.children:
        if child.tag != "choose":
            yield child
        elif branch := _branch(context, child):
            yield from _alternatives(context, branch)


def _choose(context: RenderingContext, node: StyleNode) -> Rendered:
    branch = _branch(context, node)
    return render_all(context, branch) if branch else Rendered()


def _branch(context: RenderingContext, choose: StyleNode) -> StyleNode | None:
    for branch in choose.children:
        if branch.tag == "else" or _matches(context, branch):
            return branch
    return None


def _matches(context: RenderingContext, node: StyleNode) -> bool:
    tests: list[bool] = []
    for name, test in _TESTS.items():
        if value := node.attrs.get(name):
            tests += [test(context, one) for one in value.split()]
    match node.get("match"):
        case "any":
            return any(tests)
        case "none":
            return not any(tests)
    return all(tests)


def _has(context: RenderingContext, name: str) -> bool:
    if name == "locator":
        return context.locator is not None
    if name == "citation-number":
        return True
    if name == "year-suffix":
        return bool(context.disambiguation.year_suffix)
    return context.item.has(name)


def _numeric(context: RenderingContext, name: str) -> bool:
    if name == "locator":
        return context.locator is not None and is_numeric(context.locator[0])
    if name in NAMES:
        return False
    return is_numeric(context.item.text(name) or "")


def _uncertain(context: RenderingContext, name: str) -> bool:
    date = context.item.date(name)
    return date is not None and date.circa


_TESTS: dict[str, Callable[[RenderingContext, str], bool]] = {
    "type": lambda context, name: context.item.type == name,
    "variable": _has,
    "is-numeric": _numeric,
    "is-uncertain-date": _uncertain,
    "locator": lambda context, name: context.locator is not None and context.locator[1] == name,
    # Each citation is the first of its work: nothing is known of the text around it.
    "position": lambda _, name: name == "first",
    "disambiguate": lambda context, _name: context.disambiguation.condition,
}
_ELEMENTS: dict[str, Callable[[RenderingContext, StyleNode], Rendered]] = {
    "text": _text,
    "number": _number,
    "label": _label,
    "date": render_date,
    "names": _names,
    "group": _group,
    "choose": _choose,
}
