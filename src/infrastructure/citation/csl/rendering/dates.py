"""Rendering of CSL dates, in the form of the style or of the locale."""

from citeloom.infrastructure.citation.csl.context import Rendered, RenderingContext
from citeloom.infrastructure.citation.csl.rendering.date_parts import DateValue, Moment
from citeloom.infrastructure.citation.csl.rendering.formatting import affixed, decorated
from citeloom.infrastructure.citation.csl.rendering.numbers import ordinal
from citeloom.infrastructure.citation.csl.rendering.rich_text import EMPTY, Runs, field, runs
from citeloom.infrastructure.citation.csl.rendering.text_case import cased
from citeloom.infrastructure.citation.csl.style import StyleNode

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
    """With the year suffix, where the style does not render it elsewhere."""
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
