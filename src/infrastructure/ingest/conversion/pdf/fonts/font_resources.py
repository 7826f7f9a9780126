"""The fonts of a PDF: those in the resources of pages, forms and Type 3 fonts, each once."""

from collections.abc import Iterator

from pikepdf import Dictionary, Object, Pdf, Stream

_DEEPEST = 20  # forms within forms


def fonts_of(pdf: Pdf) -> Iterator[Dictionary]:
    """The font dictionaries, each once; resources that are no dictionaries are passed over."""
    seen: set[tuple[int, int]] = set()
    for page in pdf.pages:
        yield from _fonts(_inherited_resources(page.obj), seen, 0)


def _inherited_resources(node: Object) -> Object | None:
    for _ in range(_DEEPEST):
        resources = node.get("/Resources")
        parent = node.get("/Parent")
        if resources is not None or not isinstance(parent, Dictionary):
            return resources
        node = parent
    return None


def _fonts(
    resources: Object | None, seen: set[tuple[int, int]], depth: int
) -> Iterator[Dictionary]:
    if not isinstance(resources, Dictionary) or depth > _DEEPEST or _is_known(resources, seen):
        return
    for font in _values(resources.get("/Font")):
        if isinstance(font, Dictionary) and not _is_known(font, seen):
            yield font
            yield from _fonts(font.get("/Resources"), seen, depth + 1)
    for form in _values(resources.get("/XObject")):
        if (
            isinstance(form, Stream)
            and form.get("/Subtype") == "/Form"
            and not _is_known(form, seen)
        ):
            yield from _fonts(form.get("/Resources"), seen, depth + 1)


def _values(dictionary: Object | None) -> list[Object]:
    if not isinstance(dictionary, Dictionary):
        return []
    return [value for value in dictionary.as_dict().values() if isinstance(value, Object)]


def _is_known(value: Object, seen: set[tuple[int, int]]) -> bool:
    """Whether an indirect object was met before; from now on it was."""
    if not value.is_indirect:
        return False
    known = value.objgen in seen
    seen.add(value.objgen)
    return known
