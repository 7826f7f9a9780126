"""CSL 1.0.2 rendering elements: text, number, label, date, group, choose."""

from collections.abc import Callable, Iterable, Iterator

from citeloom.domain.references.fields import NAMES
from citeloom.infrastructure.citation.csl.item import Rendered, RenderingContext
from citeloom.infrastructure.citation.csl.style import StyleNode

from .formatting import affixed, decorated
from .names import formatting_element, render_names
from .rich_text import EMPTY, Runs, cased, field, runs
from .variables import (
    NUMBERS,
    DateValue,
    Moment,
    format_number,
    is_numeric,
    is_plural,
    number_in_form,
    ordinal,
)

_RANK = {"year": 0, "month": 1, "day": 2}
_DATE_PARTS = {"year-month-day": "year month day", "year-month": "year month", "year": "year"}


def render_date(context: RenderingContext, node: StyleNode) -> Rendered:
    variable = node.get("variable")
    value = context.item.date(variable)
    if value is None or variable in context.substituted:
        return Rendered(EMPTY, True, False)
    context.rendered.add(variable)
    if context.sorting:
        return Rendered(runs(sort_key(value, node)), True, True)
    if value.literal:
        text = _with_year_suffix(context, field(value.literal), variable)
    else:
        text = _render_parts(context, node, value, variable)
    if not text:
        return Rendered(EMPTY, True, False)
    return Rendered(affixed(context, node, decorated(node, text)), True, True)


def sort_key(value: DateValue, node: StyleNode | None = None) -> str:
    """Year, month and day as digits that sort; a literal date sorts by its text."""
    if value.start is None:
        return value.literal or ""
    part_names = _DATE_PARTS.get(node.get("date-parts"), "") if node and node.get("form") else ""
    if node and not node.get("form"):
        part_names = " ".join(child.get("name") for child in node.children)
    sorted_parts = (part_names or "year month day").split()
    return "/".join(
        _sortable(moment, sorted_parts) for moment in (value.start, value.end) if moment
    )


def _sortable(moment: Moment, parts: list[str]) -> str:
    values = {
        "year": f"{moment.year + 10000:05}",
        "month": f"{moment.month or (moment.season or 0) * 3:02}",
        "day": f"{moment.day or 0:02}",
    }
    digits = [values[name] for name in values if name in parts]
    while digits[1:] and digits[-1] == "00":
        digits.pop()
    return "-".join(digits)


def _render_parts(
    context: RenderingContext, node: StyleNode, value: DateValue, variable: str
) -> Runs:
    parts, delimiter, trimmed = _parts(context, node)
    assert value.start is not None
    texts = [_part(context, part, value.start, value) for part in parts]
    if value.end is None:
        text = _joined(context, [t for t in texts if t], delimiter, trimmed)
        if value.open and text:
            text = context.glue(text, runs("–"))
        return _with_year_suffix(context, text, variable)
    return _with_year_suffix(
        context, _render_range(context, parts, value, delimiter, trimmed), variable
    )


def _parts(context: RenderingContext, node: StyleNode) -> tuple[list[StyleNode], str, bool]:
    """The date parts to render, in order, their delimiter, and whether affixes at the ends are
    dropped (they are where a locale's form is rendered in part)."""
    form = node.get("form")
    if not form:
        return [c for c in node.children if c.tag == "date-part"], node.get("delimiter"), False
    part_names = (_DATE_PARTS.get(node.get("date-parts")) or "year month day").split()
    localized = context.locale.dates.get(form)
    if localized is None:
        return [], "", False
    overrides = {child.get("name"): child.attrs for child in node.children}
    parts = []
    for part in localized.children:
        name = part.get("name")
        if part.tag == "date-part" and name in part_names:
            attributes = {
                k: v for k, v in overrides.get(name, {}).items() if k not in ("prefix", "suffix")
            }
            parts.append(StyleNode(part.tag, {**part.attrs, **attributes}))
    return parts, localized.get("delimiter"), True


def _joined(
    context: RenderingContext, texts: list[tuple[StyleNode, Runs]], delimiter: str, trimmed: bool
) -> Runs:
    done = []
    for n, (part, text) in enumerate(texts):
        prefix = "" if trimmed and n == 0 else part.get("prefix")
        suffix = "" if trimmed and n == len(texts) - 1 else part.get("suffix")
        with_prefix = context.glue(runs(prefix), text)
        done.append(context.glue(with_prefix, runs(suffix)))
    return context.join(done, delimiter)


def _render_range(
    context: RenderingContext,
    parts: list[StyleNode],
    value: DateValue,
    delimiter: str,
    trimmed: bool,
) -> Runs:
    """``May 3–June 9, 2014``: differing parts twice, equal parts once."""
    start, end = value.start, value.end
    assert start is not None
    assert end is not None
    differing = [
        _RANK[name]
        for name in ("year", "month", "day")
        if any(part.get("name") == name for part in parts)
        and (getattr(start, name), start.season if name == "month" else 0)
        != (getattr(end, name), end.season if name == "month" else 0)
    ]
    if not differing:
        texts = [t for part in parts if (t := _part(context, part, start, value))]
        return _joined(context, texts, delimiter, trimmed)
    largest = min(differing)
    repeated_parts = [part for part in parts if _RANK[part.get("name")] >= largest]
    first = [t for part in repeated_parts if (t := _part(context, part, start, value))]
    dash = next((p.get("range-delimiter") for p in repeated_parts if p.get("range-delimiter")), "–")
    result: list[tuple[StyleNode, Runs]] = []
    range_rendered = False
    for part in parts:
        if part not in repeated_parts:
            if text := _part(context, part, start, value):
                result.append(text)
        elif not range_rendered:
            range_rendered = True
            second = [t for p in repeated_parts if (t := _part(context, p, end, value))]
            left = _joined(context, first, delimiter, True)
            right = _joined(context, second, delimiter, True)
            last = second[-1][0] if second else part
            outer = StyleNode(
                "date-part",
                {
                    "prefix": first[0][0].get("prefix") if first else "",
                    "suffix": last.get("suffix"),
                },
            )
            result.append((outer, left + runs(dash) + right))
    return _joined(context, result, delimiter, trimmed)


def _part(
    context: RenderingContext, part: StyleNode, moment: Moment, value: DateValue
) -> tuple[StyleNode, Runs] | None:
    name, form = part.get("name"), part.get("form")
    if name == "year":
        text: str | None = _year(context, moment.year, form)
    elif name == "month":
        text = _month(context, moment, value, form)
    else:
        text = _day(context, moment.day, form)
    if not text:
        return None
    if part.get("strip-periods") == "true":
        text = text.replace(".", "")
    return part, decorated(part, cased(runs(text), part.get("text-case"), english=True))


def _year(context: RenderingContext, year: int, form: str) -> str:
    if form == "short":
        return f"{abs(year) % 100:02}"
    if year < 0:
        return f"{-year}{context.locale.term('bc') or ''}"
    return f"{year}{context.locale.term('ad') or ''}" if year < 500 else str(year)


def _month(context: RenderingContext, moment: Moment, value: DateValue, form: str) -> str | None:
    if moment.month is None:
        if value.season:
            return value.season
        if moment.season is None or form.startswith("numeric"):
            return None
        return context.locale.term(f"season-{moment.season:02}")
    if form == "numeric":
        return str(moment.month)
    if form == "numeric-leading-zeros":
        return f"{moment.month:02}"
    return context.locale.term(f"month-{moment.month:02}", form or "long")


def _day(context: RenderingContext, day: int | None, form: str) -> str | None:
    if day is None:
        return None
    if form == "numeric-leading-zeros":
        return f"{day:02}"
    only_first = context.locale.options.get("limit-day-ordinals-to-day-1") == "true"
    if form == "ordinal" and (day == 1 or not only_first):
        return ordinal(day, context.locale)
    return str(day)


def _with_year_suffix(context: RenderingContext, text: Runs, variable: str) -> Runs:
    """The text with the year suffix, unless the style renders it elsewhere."""
    if (
        not text
        or not context.disambiguation.year_suffix
        or variable != "issued"
        or context.year_suffix_rendered
        or context.style.places_year_suffix
    ):
        return text
    context.year_suffix_rendered = True
    return text + runs(context.disambiguation.year_suffix)


_SHORT_FORMS = {"title": "title-short", "container-title": "container-title-short"}
_VERBATIM = frozenset({"URL", "DOI", "ISBN", "ISSN"})


def render(context: RenderingContext, node: StyleNode) -> Rendered:
    """A rendering element; any other element gives nothing."""
    renderer = _ELEMENTS.get(node.tag)
    return renderer(context, node) if renderer else Rendered()


def render_all(context: RenderingContext, node: StyleNode) -> Rendered:
    """The children of ``node``, joined."""
    return _joined_all(context, node.children, "")


def _joined_all(context: RenderingContext, nodes: Iterable[StyleNode], delimiter: str) -> Rendered:
    outs = [render(context, one) for one in nodes]
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
    """Nothing, if variables were called and none has a value. The children of a ``choose`` count as
    children of the group."""
    out = _joined_all(context, _alternatives(context, node), node.get("delimiter"))
    if out.calls_variable and not out.has_variable:
        return Rendered(EMPTY, True, False)
    text = affixed(context, node, decorated(node, out.text))
    return Rendered(text, out.calls_variable or bool(text), out.has_variable or bool(text))


def _names(context: RenderingContext, node: StyleNode) -> Rendered:
    """The names, unless they are the first of a cite without names."""
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
    """The children of an element; those of a ``choose`` in its place."""
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
