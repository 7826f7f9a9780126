"""Names as a style writes them: order, initials, "and", "et al.", roles."""

from collections.abc import Mapping, Sequence

from citeloom.infrastructure.citation.csl.context import Out, Scene
from citeloom.infrastructure.citation.csl.rendering.formatting import affixed, decorated
from citeloom.infrastructure.citation.csl.rendering.name_parts import Person, initials
from citeloom.infrastructure.citation.csl.rendering.rich_text import EMPTY, Runs, field, runs
from citeloom.infrastructure.citation.csl.rendering.text_case import cased
from citeloom.infrastructure.citation.csl.style import Node

# CSL 1.0.2, "Inheritable Name Options".
_INHERITED = (
    "and", "delimiter-precedes-et-al", "delimiter-precedes-last", "et-al-min",
    "et-al-use-first", "et-al-use-last", "et-al-subsequent-min", "et-al-subsequent-use-first",
    "initialize", "initialize-with", "name-as-sort-order", "sort-separator",
    "initialize-with-hyphen", "demote-non-dropping-particle",
)  # fmt: skip


def render_names(scene: Scene, names: Node) -> Out:
    """The ``names`` element, or what its ``substitute`` has for it. One without a look of its
    own within a substitute has that of the names that it stands for."""
    bare = names.child("name") is None and names.child("label") is None
    shape = scene.shapes[-1] if scene.shapes and bare else names
    parts: list[Runs] = []
    counted = 0
    for variable, label in _roles(scene, names.get("variable").split()):
        people = scene.item.people(variable)
        if not people or variable in scene.used:
            continue
        scene.touched.add(variable)
        options = name_options(scene, shape.child("name"))
        if options.get("form") == "count":
            counted += len(_shown(scene, people, options)[0])
            continue
        text = _people(scene, people, shape, options)
        parts.append(_labelled(scene, text, shape, label, plural=len(people) > 1))
    if counted:
        return Out(runs(str(counted)), True, True)
    if parts:
        if first := not scene.names:
            scene.names = scene.join(parts, "; ")
        if first and scene.names_instead:
            return Out(affixed(scene, names, runs(scene.names_instead)), True, True)
        delimiter = names.get("delimiter") or shape.get("delimiter") or _names_delimiter(scene)
        text = scene.join(parts, delimiter)
        return Out(affixed(scene, names, decorated(names, text)), True, True)
    return _substituted(scene, names, shape)


def _substituted(scene: Scene, names: Node, shape: Node) -> Out:
    """The first of the substitutes that gives something; its variables come no more."""
    from citeloom.infrastructure.citation.csl.rendering.elements import alternatives, render

    instead = names.child("substitute")
    before = set(scene.touched)
    for child in alternatives(scene, instead) if instead else ():
        scene.touched.clear()
        scene.shapes.append(shape)
        out = render(scene, child)
        scene.shapes.pop()
        if out.text:
            scene.used |= scene.touched
            scene.touched |= before
            return Out(affixed(scene, names, out.text), True, True)
    scene.touched |= before
    return Out(EMPTY, True, False)


def _roles(scene: Scene, variables: Sequence[str]) -> list[tuple[str, str]]:
    """Variables with the terms of their labels; equal editors and translators are one."""
    if set(variables) == {"editor", "translator"}:
        editors = scene.item.people("editor")
        if editors and editors == scene.item.people("translator"):
            return [("editor", "editortranslator")]
    return [(v, "editortranslator" if v == "editor-translator" else v) for v in variables]


def _names_delimiter(scene: Scene) -> str:
    return scene.area.get("names-delimiter") or scene.style.root.get("names-delimiter")


def name_options(scene: Scene, name: Node | None) -> dict[str, str]:
    """Those of the element, else of citation or bibliography, else of the style."""
    own = name.attrs if name else {}
    options: dict[str, str] = {}
    for source in (scene.style.root.attrs, scene.area.attrs):
        options |= {key: source[key] for key in _INHERITED if key in source}
        for key in ("form", "delimiter"):
            if f"name-{key}" in source:
                options[key] = source[f"name-{key}"]
    return {**options, **own, **scene.name_options}


def _shown(
    scene: Scene, people: Sequence[Person], options: Mapping[str, str]
) -> tuple[Sequence[Person], bool, bool]:
    """Who is named, whether others are left out, and whether the last one is named then."""
    least = int(options.get("et-al-min") or 0)
    first = max(int(options.get("et-al-use-first") or 1), scene.fullness.names)
    if not least or len(people) < least or len(people) <= first:
        return people, False, False
    last = options.get("et-al-use-last") == "true" and len(people) >= first + 2
    return people[:first], True, last


def _people(
    scene: Scene, people: Sequence[Person], shape: Node, options: Mapping[str, str]
) -> Runs:
    shown, cut, with_last = _shown(scene, people, options)
    name = shape.child("name")
    texts = [
        _affixed_name(scene, name, render_person(scene, person, n, name, options))
        for n, person in enumerate(shown)
    ]
    delimiter = options.get("delimiter", ", ")
    if not cut:
        if len(people) == 2 and all(person.literal for person in people):
            # Nothing is inverted between the names of two institutions.
            options = {**options, "delimiter-precedes-last": "never"}
        return _with_and(scene, texts, delimiter, options)
    if with_last:
        last = render_person(scene, people[-1], len(people) - 1, name, options)
        return scene.glue(scene.join(texts, delimiter), (*runs(f"{delimiter}… "), *last))
    return _with_et_al(scene, texts, delimiter, shape, options)


def _affixed_name(scene: Scene, name: Node | None, text: Runs) -> Runs:
    return affixed(scene, name, decorated(name, text)) if name else text


def _with_and(scene: Scene, texts: list[Runs], delimiter: str, options: Mapping[str, str]) -> Runs:
    word = {"text": scene.locale.term("and") or "and", "symbol": "&"}.get(options.get("and", ""))
    if word is None or len(texts) < 2:
        return scene.join(texts, delimiter)
    rule = options.get("delimiter-precedes-last", "contextual")
    inverted = _is_inverted(len(texts) - 2, options)
    comma = (
        rule == "always"
        or (rule == "contextual" and len(texts) > 2)
        or (rule == "after-inverted-name" and inverted)
    )
    if word.strip() in (";", ","):  # some locales have a mark for "and"
        return scene.join(texts, f"{word.strip()} ")
    between = f"{delimiter.rstrip()} {word} " if comma else f" {word} "
    head = scene.join(texts[:-1], delimiter)
    return scene.glue(scene.glue(head, runs(between)), texts[-1])


def _with_et_al(
    scene: Scene, texts: list[Runs], delimiter: str, shape: Node, options: Mapping[str, str]
) -> Runs:
    if scene.sorting:
        return scene.join(texts, delimiter)
    element = shape.child("et-al")
    term = scene.locale.term(element.get("term", "et-al") if element else "et-al") or "et al."
    words = runs(term)
    if element:
        words = affixed(scene, element, decorated(element, words))
    rule = options.get("delimiter-precedes-et-al", "contextual")
    comma = (
        rule == "always"
        or (rule == "contextual" and len(texts) > 1)
        or (rule == "after-inverted-name" and _is_inverted(len(texts) - 1, options))
    )
    head = scene.join(texts, delimiter)
    return scene.glue(scene.glue(head, runs(delimiter if comma else " ")), words)


def _is_inverted(place: int, options: Mapping[str, str]) -> bool:
    order = options.get("name-as-sort-order")
    return order == "all" or (order == "first" and place == 0)


def _labelled(scene: Scene, text: Runs, shape: Node, role: str, *, plural: bool) -> Runs:
    label = shape.child("label")
    if label is None or scene.sorting:
        return text
    wanted = {"always": True, "never": False}.get(label.get("plural"), plural)
    term = scene.locale.term(role, label.get("form") or "long", plural=wanted)
    if not term:
        return text
    shown = runs(term.replace(".", "") if label.get("strip-periods") == "true" else term)
    shown = cased(shown, label.get("text-case"), english=scene.is_english(of_item=False))
    shown = affixed(scene, label, decorated(label, shown))
    order = [child.tag for child in shape.children]
    before = "name" in order and order.index("label") < order.index("name")
    return scene.glue(shown, text) if before else scene.glue(text, shown)


def render_person(
    scene: Scene, person: Person, place: int, name: Node | None, options: Mapping[str, str]
) -> Runs:
    """One name; ``place`` counts from 0."""
    if person.literal:
        return _part(scene, name, "family", person.literal)
    if person.is_joined:
        whole = person.family if options.get("form") == "short" else person.family + person.given
        return _part(scene, name, "family", whole)
    fuller = scene.fullness.given.get(place, 0)
    given = _given(person.given, options, shorten=fuller < 2)
    if options.get("form") == "short" and not fuller:
        return _part(scene, name, "family", _spaced(person.particle, person.family))
    demote = options.get("demote-non-dropping-particle", "display-and-sort")
    if _is_inverted(place, options):
        family, after = _spaced(person.particle, person.family), person.dropping
        if demote == "display-and-sort" or (demote == "sort-only" and scene.sorting):
            family, after = person.family, _spaced(person.dropping, person.particle)
        parts = [
            _part(scene, name, "family", family),
            _part(scene, name, "given", _spaced(given, after)),
            runs(_suffix(person, options)),
        ]
        return scene.join(parts, options.get("sort-separator", ", "))
    family = _spaced(person.dropping, _spaced(person.particle, person.family))
    parts = [
        _part(scene, name, "given", given),
        _part(scene, name, "family", family),
        runs(_suffix(person, options)),
    ]
    return scene.join(parts, " ")


def _suffix(person: Person, options: Mapping[str, str]) -> str:
    """Without its full stop where initials have none."""
    mark = options.get("initialize-with")
    return person.suffix.rstrip(".") if mark is not None and "." not in mark else person.suffix


def _given(given: str, options: Mapping[str, str], *, shorten: bool = True) -> str:
    mark = options.get("initialize-with")
    if mark is None or not given:
        return given
    hyphen = options.get("initialize-with-hyphen", "true") == "true"
    wanted = shorten and options.get("initialize", "true") == "true"
    return initials(given, mark, hyphen=hyphen, shorten=wanted)


def _spaced(before: str, after: str) -> str:
    if before and before[-1] in "'’-":
        return before + after
    return " ".join(part for part in (before, after) if part)


def _part(scene: Scene, name: Node | None, which: str, text: str) -> Runs:
    shown = field(text)
    for child in name.children if name else ():
        if child.tag == "name-part" and child.get("name") == which and shown:
            shown = cased(shown, child.get("text-case"), english=True)
            shown = affixed(scene, child, decorated(child, shown))
    return shown
