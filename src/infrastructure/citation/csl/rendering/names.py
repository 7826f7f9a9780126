"""The CSL ``names`` element: order, initials, "and", "et al.", labels."""

from collections.abc import Mapping, Sequence

from citeloom.infrastructure.citation.csl.item import Rendered, RenderingContext
from citeloom.infrastructure.citation.csl.style import StyleNode

from .formatting import affixed, decorated
from .rich_text import EMPTY, Runs, cased, field, runs
from .variables import Person, initials

# CSL 1.0.2, "Inheritable Name Options".
_INHERITED = (
    "and", "delimiter-precedes-et-al", "delimiter-precedes-last", "et-al-min",
    "et-al-use-first", "et-al-use-last", "et-al-subsequent-min", "et-al-subsequent-use-first",
    "initialize", "initialize-with", "name-as-sort-order", "sort-separator",
    "initialize-with-hyphen", "demote-non-dropping-particle",
)  # fmt: skip


def formatting_element(context: RenderingContext, names: StyleNode) -> StyleNode:
    """A bare ``names`` within a substitute is formatted as the element it stands for."""
    bare = names.child("name") is None and names.child("label") is None
    return context.names_elements[-1] if context.names_elements and bare else names


def render_names(context: RenderingContext, names: StyleNode) -> Rendered:
    """The ``names`` element, without its ``substitute``."""
    format_node = formatting_element(context, names)
    parts: list[Runs] = []
    counted = 0
    for variable, label in _roles(context, names.get("variable").split()):
        people = context.item.people(variable)
        if not people or variable in context.substituted:
            continue
        context.rendered.add(variable)
        options = name_options(context, format_node.child("name"))
        if options.get("form") == "count":
            counted += len(_truncated(context, people, options)[0])
            continue
        text = _render_people(context, people, format_node, options)
        parts.append(_labelled(context, text, format_node, label, plural=len(people) > 1))
    if counted:
        return Rendered(runs(str(counted)), True, True)
    if parts:
        if first := not context.first_names:
            context.first_names = context.join(parts, "; ")
        if first and context.author_substitute:
            return Rendered(affixed(context, names, runs(context.author_substitute)), True, True)
        delimiter = (
            names.get("delimiter")
            or format_node.get("delimiter")
            or context.area.get("names-delimiter")
            or context.style.root.get("names-delimiter")
        )
        text = context.join(parts, delimiter)
        return Rendered(affixed(context, names, decorated(names, text)), True, True)
    return Rendered(EMPTY, True, False)


def _roles(context: RenderingContext, variables: Sequence[str]) -> list[tuple[str, str]]:
    """Variables with the terms of their labels; equal editors and translators are merged."""
    if set(variables) == {"editor", "translator"}:
        editors = context.item.people("editor")
        if editors and editors == context.item.people("translator"):
            return [("editor", "editortranslator")]
    return [(v, "editortranslator" if v == "editor-translator" else v) for v in variables]


def name_options(context: RenderingContext, name: StyleNode | None) -> dict[str, str]:
    """Name options of the element, else of citation or bibliography, else of the style."""
    attributes = name.attrs if name else {}
    options: dict[str, str] = {}
    for source in (context.style.root.attrs, context.area.attrs):
        options |= {key: source[key] for key in _INHERITED if key in source}
        for key in ("form", "delimiter"):
            if f"name-{key}" in source:
                options[key] = source[f"name-{key}"]
    return {**options, **attributes, **context.name_options}


def _truncated(
    context: RenderingContext, people: Sequence[Person], options: Mapping[str, str]
) -> tuple[Sequence[Person], bool, bool]:
    """The people to render, whether the list is cut by "et al.", and whether its last name follows
    then."""
    more = len(people) > 1 and people[-1].stands_for_others
    least = int(options.get("et-al-min") or 0)
    first = max(int(options.get("et-al-use-first") or 1), context.disambiguation.min_names)
    if not least or len(people) < least or len(people) <= first:
        return (people[:-1], True, False) if more else (people, False, False)
    if more:
        return people[: min(first, len(people) - 1)], True, False
    last = options.get("et-al-use-last") == "true" and len(people) >= first + 2
    return people[:first], True, last


def _render_people(
    context: RenderingContext,
    people: Sequence[Person],
    format_node: StyleNode,
    options: Mapping[str, str],
) -> Runs:
    rendered_people, cut, with_last = _truncated(context, people, options)
    name = format_node.child("name")
    texts = [
        _affixed_name(context, name, render_person(context, person, n, name, options))
        for n, person in enumerate(rendered_people)
    ]
    delimiter = options.get("delimiter", ", ")
    if not cut:
        if len(people) == 2 and all(person.literal for person in people):
            # Nothing is inverted between the names of two institutions.
            options = {**options, "delimiter-precedes-last": "never"}
        return _with_and(context, texts, delimiter, options)
    if with_last:
        last = render_person(context, people[-1], len(people) - 1, name, options)
        return context.glue(context.join(texts, delimiter), (*runs(f"{delimiter}… "), *last))
    return _with_et_al(context, texts, delimiter, format_node, options)


def _affixed_name(context: RenderingContext, name: StyleNode | None, text: Runs) -> Runs:
    return affixed(context, name, decorated(name, text)) if name else text


def _with_and(
    context: RenderingContext, texts: list[Runs], delimiter: str, options: Mapping[str, str]
) -> Runs:
    word = {"text": context.locale.term("and") or "and", "symbol": "&"}.get(options.get("and", ""))
    if word is None or len(texts) < 2:
        return context.join(texts, delimiter)
    rule = options.get("delimiter-precedes-last", "contextual")
    inverted = _is_inverted(len(texts) - 2, options)
    comma = (
        rule == "always"
        or (rule == "contextual" and len(texts) > 2)
        or (rule == "after-inverted-name" and inverted)
    )
    if word.strip() in (";", ","):  # some locales have a mark for "and"
        return context.join(texts, f"{word.strip()} ")
    between = f"{delimiter.rstrip()} {word} " if comma else f" {word} "
    head = context.join(texts[:-1], delimiter)
    return context.glue(context.glue(head, runs(between)), texts[-1])


def _with_et_al(
    context: RenderingContext,
    texts: list[Runs],
    delimiter: str,
    format_node: StyleNode,
    options: Mapping[str, str],
) -> Runs:
    if context.sorting:
        return context.join(texts, delimiter)
    element = format_node.child("et-al")
    term = context.locale.term(element.get("term", "et-al") if element else "et-al") or "et al."
    words = runs(term)
    if element:
        words = affixed(context, element, decorated(element, words))
    rule = options.get("delimiter-precedes-et-al", "contextual")
    comma = (
        rule == "always"
        or (rule == "contextual" and len(texts) > 1)
        or (rule == "after-inverted-name" and _is_inverted(len(texts) - 1, options))
    )
    head = context.join(texts, delimiter)
    return context.glue(context.glue(head, runs(delimiter if comma else " ")), words)


def _is_inverted(place: int, options: Mapping[str, str]) -> bool:
    order = options.get("name-as-sort-order")
    return order == "all" or (order == "first" and place == 0)


def _labelled(
    context: RenderingContext, text: Runs, format_node: StyleNode, role: str, *, plural: bool
) -> Runs:
    label = format_node.child("label")
    if label is None or context.sorting:
        return text
    use_plural = {"always": True, "never": False}.get(label.get("plural"), plural)
    term = context.locale.term(role, label.get("form") or "long", plural=use_plural)
    if not term:
        return text
    label_text = runs(term.replace(".", "") if label.get("strip-periods") == "true" else term)
    label_text = cased(
        label_text, label.get("text-case"), english=context.is_english(of_item=False)
    )
    label_text = affixed(context, label, decorated(label, label_text))
    order = [child.tag for child in format_node.children]
    before = "name" in order and order.index("label") < order.index("name")
    return context.glue(label_text, text) if before else context.glue(text, label_text)


def render_person(
    context: RenderingContext,
    person: Person,
    place: int,
    name: StyleNode | None,
    options: Mapping[str, str],
) -> Runs:
    """One name; ``place`` counts from 0."""
    if person.literal:
        return _part(context, name, "family", person.literal)
    if person.is_joined:
        full_name = (
            person.family if options.get("form") == "short" else person.family + person.given
        )
        return _part(context, name, "family", full_name)
    expansion = context.disambiguation.given_names.get(place, 0)
    given = _format_given(person.given, options, shorten=expansion < 2)
    if options.get("form") == "short" and not expansion:
        return _part(context, name, "family", _spaced(person.particle, person.family))
    demote = options.get("demote-non-dropping-particle", "display-and-sort")
    if _is_inverted(place, options):
        family, after = _spaced(person.particle, person.family), person.dropping
        if demote == "display-and-sort" or (demote == "sort-only" and context.sorting):
            family, after = person.family, _spaced(person.dropping, person.particle)
        parts = [
            _part(context, name, "family", family),
            _part(context, name, "given", _spaced(given, after)),
            runs(_suffix(person, options)),
        ]
        return context.join(parts, options.get("sort-separator", ", "))
    family = _spaced(person.dropping, _spaced(person.particle, person.family))
    parts = [
        _part(context, name, "given", given),
        _part(context, name, "family", family),
        runs(_suffix(person, options)),
    ]
    return context.join(parts, " ")


def _suffix(person: Person, options: Mapping[str, str]) -> str:
    """The suffix, without its full stop if initials have none."""
    mark = options.get("initialize-with")
    return person.suffix.rstrip(".") if mark is not None and "." not in mark else person.suffix


def _format_given(given: str, options: Mapping[str, str], *, shorten: bool = True) -> str:
    mark = options.get("initialize-with")
    if mark is None or not given:
        return given
    hyphen = options.get("initialize-with-hyphen", "true") == "true"
    use_initials = shorten and options.get("initialize", "true") == "true"
    return initials(given, mark, hyphen=hyphen, shorten=use_initials)


def _spaced(before: str, after: str) -> str:
    if before and before[-1] in "'’-":
        return before + after
    return " ".join(part for part in (before, after) if part)


def _part(context: RenderingContext, name: StyleNode | None, which: str, text: str) -> Runs:
    text_runs = field(text)
    for child in name.children if name else ():
        if child.tag == "name-part" and child.get("name") == which and text_runs:
            text_runs = cased(text_runs, child.get("text-case"), english=True)
            text_runs = affixed(context, child, decorated(child, text_runs))
    return text_runs
