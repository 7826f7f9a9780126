"""Dates as a style or its locale writes them."""

from citeloom.infrastructure.citation.csl.context import Out, Scene
from citeloom.infrastructure.citation.csl.rendering.date_parts import DateValue, Moment
from citeloom.infrastructure.citation.csl.rendering.formatting import affixed, decorated
from citeloom.infrastructure.citation.csl.rendering.numbers import ordinal
from citeloom.infrastructure.citation.csl.rendering.rich_text import EMPTY, Runs, field, runs
from citeloom.infrastructure.citation.csl.rendering.text_case import cased
from citeloom.infrastructure.citation.csl.style import Node

_SIZE = {"year": 0, "month": 1, "day": 2}
_SHOWN = {"year-month-day": "year month day", "year-month": "year month", "year": "year"}


def render_date(scene: Scene, node: Node) -> Out:
    variable = node.get("variable")
    value = scene.item.date(variable)
    if value is None or variable in scene.used:
        return Out(EMPTY, True, False)
    scene.touched.add(variable)
    if scene.sorting:
        return Out(runs(sort_key(value, node)), True, True)
    if value.literal:
        text = _suffixed(scene, field(value.literal), variable)
    else:
        text = _dated(scene, node, value, variable)
    if not text:
        return Out(EMPTY, True, False)
    return Out(affixed(scene, node, decorated(node, text)), True, True)


def sort_key(value: DateValue, node: Node | None = None) -> str:
    """Year, month and day as digits that sort; a literal date sorts by its text."""
    if value.start is None:
        return value.literal or ""
    shown = _SHOWN.get(node.get("date-parts"), "") if node and node.get("form") else ""
    if node and not node.get("form"):
        shown = " ".join(child.get("name") for child in node.children)
    parts = (shown or "year month day").split()
    return "/".join(_sortable(moment, parts) for moment in (value.start, value.end) if moment)


def _sortable(moment: Moment, parts: list[str]) -> str:
    known = {
        "year": f"{moment.year + 10000:05}",
        "month": f"{moment.month or (moment.season or 0) * 3:02}",
        "day": f"{moment.day or 0:02}",
    }
    shown = [known[name] for name in known if name in parts]
    while shown[1:] and shown[-1] == "00":
        shown.pop()
    return "-".join(shown)


def _dated(scene: Scene, node: Node, value: DateValue, variable: str) -> Runs:
    parts, delimiter, trimmed = _parts(scene, node)
    assert value.start is not None
    texts = [_part(scene, part, value.start, value) for part in parts]
    if value.end is None:
        text = _joined(scene, [t for t in texts if t], delimiter, trimmed)
        if value.open and text:
            text = scene.glue(text, runs("–"))
        return _suffixed(scene, text, variable)
    return _suffixed(scene, _ranged(scene, parts, value, delimiter, trimmed), variable)


def _parts(scene: Scene, node: Node) -> tuple[list[Node], str, bool]:
    """The date parts to show, in order, their delimiter, and whether affixes at the ends are
    dropped (as they are of a locale's form that is shown in part)."""
    form = node.get("form")
    if not form:
        return [c for c in node.children if c.tag == "date-part"], node.get("delimiter"), False
    shown = (_SHOWN.get(node.get("date-parts")) or "year month day").split()
    localized = scene.locale.dates.get(form)
    if localized is None:
        return [], "", False
    own = {child.get("name"): child.attrs for child in node.children}
    parts = []
    for part in localized.children:
        name = part.get("name")
        if part.tag == "date-part" and name in shown:
            more = {k: v for k, v in own.get(name, {}).items() if k not in ("prefix", "suffix")}
            parts.append(Node(part.tag, {**part.attrs, **more}))
    return parts, localized.get("delimiter"), True


def _joined(scene: Scene, texts: list[tuple[Node, Runs]], delimiter: str, trimmed: bool) -> Runs:
    done = []
    for n, (part, text) in enumerate(texts):
        prefix = "" if trimmed and n == 0 else part.get("prefix")
        suffix = "" if trimmed and n == len(texts) - 1 else part.get("suffix")
        with_prefix = scene.glue(runs(prefix), text)
        done.append(scene.glue(with_prefix, runs(suffix)))
    return scene.join(done, delimiter)


def _ranged(
    scene: Scene, parts: list[Node], value: DateValue, delimiter: str, trimmed: bool
) -> Runs:
    """``May 3–June 9, 2014``: what differs twice, what is the same once."""
    start, end = value.start, value.end
    assert start is not None
    assert end is not None
    differing = [
        _SIZE[name]
        for name in ("year", "month", "day")
        if any(part.get("name") == name for part in parts)
        and (getattr(start, name), start.season if name == "month" else 0)
        != (getattr(end, name), end.season if name == "month" else 0)
    ]
    if not differing:
        texts = [t for part in parts if (t := _part(scene, part, start, value))]
        return _joined(scene, texts, delimiter, trimmed)
    largest = min(differing)
    twice = [part for part in parts if _SIZE[part.get("name")] >= largest]
    first = [t for part in twice if (t := _part(scene, part, start, value))]
    dash = next((p.get("range-delimiter") for p in twice if p.get("range-delimiter")), "–")
    result: list[tuple[Node, Runs]] = []
    both = False
    for part in parts:
        if part not in twice:
            if text := _part(scene, part, start, value):
                result.append(text)
        elif not both:
            both = True
            second = [t for p in twice if (t := _part(scene, p, end, value))]
            left = _joined(scene, first, delimiter, True)
            right = _joined(scene, second, delimiter, True)
            last = second[-1][0] if second else part
            outer = Node(
                "date-part",
                {
                    "prefix": first[0][0].get("prefix") if first else "",
                    "suffix": last.get("suffix"),
                },
            )
            result.append((outer, left + runs(dash) + right))
    return _joined(scene, result, delimiter, trimmed)


def _part(scene: Scene, part: Node, moment: Moment, value: DateValue) -> tuple[Node, Runs] | None:
    name, form = part.get("name"), part.get("form")
    if name == "year":
        text: str | None = _year(scene, moment.year, form)
    elif name == "month":
        text = _month(scene, moment, value, form)
    else:
        text = _day(scene, moment.day, form)
    if not text:
        return None
    if part.get("strip-periods") == "true":
        text = text.replace(".", "")
    return part, decorated(part, cased(runs(text), part.get("text-case"), english=True))


def _year(scene: Scene, year: int, form: str) -> str:
    if form == "short":
        return f"{abs(year) % 100:02}"
    if year < 0:
        return f"{-year}{scene.locale.term('bc') or ''}"
    return f"{year}{scene.locale.term('ad') or ''}" if year < 500 else str(year)


def _month(scene: Scene, moment: Moment, value: DateValue, form: str) -> str | None:
    if moment.month is None:
        if value.season:
            return value.season
        if moment.season is None or form.startswith("numeric"):
            return None
        return scene.locale.term(f"season-{moment.season:02}")
    if form == "numeric":
        return str(moment.month)
    if form == "numeric-leading-zeros":
        return f"{moment.month:02}"
    return scene.locale.term(f"month-{moment.month:02}", form or "long")


def _day(scene: Scene, day: int | None, form: str) -> str | None:
    if day is None:
        return None
    if form == "numeric-leading-zeros":
        return f"{day:02}"
    only_first = scene.locale.options.get("limit-day-ordinals-to-day-1") == "true"
    if form == "ordinal" and (day == 1 or not only_first):
        return ordinal(day, scene.locale)
    return str(day)


def _suffixed(scene: Scene, text: Runs, variable: str) -> Runs:
    """With the letter that tells works of one year apart, where the style gives it no place
    of its own."""
    if (
        not text
        or not scene.year_suffix
        or variable != "issued"
        or scene.suffix_given
        or scene.style.places_year_suffix
    ):
        return text
    scene.suffix_given = True
    return text + runs(scene.year_suffix)
