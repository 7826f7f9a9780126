"""Completion of arguments."""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from mcp.server.context import ServerRequestContext
from mcp.types import (
    CompleteRequestParams,
    CompleteResult,
    Completion,
    ResourceTemplateReference,
)

from citeloom.application.documents.conversions import load_conversion
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.citation import STYLE_NAMES
from citeloom.domain.errors import CiteLoomError
from citeloom.domain.maps.address import short_id
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.resources.uris import subrealm_of
from citeloom.domain.text.normalized_text import fold
from citeloom.infrastructure.mcp.visible import visible

from .resources import Answering

if TYPE_CHECKING:
    from citeloom.infrastructure.serving.served import Served

#: The most values of an answer (specification, "Completion").
_MOST: Final = 100
# In names of projects and in headings.
_BETWEEN: Final = re.compile(r"[\s/-]+")


class Completions:
    """Completes projects, documents, sections, pages, figures and styles. Unknown names have no
    values."""

    def __init__(self, served: "Served") -> None:
        self._served = served
        self._answering = Answering(served.lanes)

    async def __call__(
        self, _context: ServerRequestContext[Any], params: CompleteRequestParams
    ) -> CompleteResult:
        values = await self._answering.run("completion/complete", lambda: self._values(params))
        shown = [visible(value) for value in values[:_MOST]]
        return CompleteResult(
            completion=Completion(
                values=shown, total=len(values), has_more=len(values) > len(shown)
            )
        )

    def _values(self, params: CompleteRequestParams) -> Sequence[str]:
        given = dict(params.context.arguments or {}) if params.context else {}
        in_uri = isinstance(params.ref, ResourceTemplateReference)
        name, begun = params.argument.name, params.argument.value
        try:
            if name == "style":
                return _beginning(begun, STYLE_NAMES)
            if name == "project":
                return _beginning(begun, self._projects(in_uri=in_uri))
            if name == "document":
                return self._documents(begun, given.get("project"), in_uri=in_uri)
            if (document := self._document(given)) is not None:
                return _beginning(begun, self._parts(name, document))
        except CiteLoomError:  # half a name of a project or document
            return ()
        return ()

    def _projects(self, *, in_uri: bool) -> list[str]:
        projects = self._served.application.stores.catalogue.projects()
        return [subrealm_of(one.id) if in_uri else one.id.value for one in projects]

    def _within(self, project: str | None) -> Iterable[StoredDocument]:
        """The documents of a project, by either of its names; of all without one."""
        catalogue = self._served.application.stores.catalogue
        for one in catalogue.projects():
            if project is None or project in (one.id.value, subrealm_of(one.id), one.id.name):
                yield from catalogue.documents(one.id)

    def _documents(self, begun: str, project: str | None, *, in_uri: bool) -> list[str]:
        """Keys, or ids for URIs, of the documents of which key, id or a word of the title begins
        so."""
        wanted, found = fold(begun), list[str]()
        for document in self._within(project):
            cited, id = document.citation, short_id(document.document_id)
            words = fold((cited.title if cited else document.title) or "").split()
            names = [fold(cited.citekey) if cited else "", id, *words]
            if any(name.startswith(wanted) for name in names):
                found.append(id if in_uri or cited is None else cited.citekey)
        return list(dict.fromkeys(found))

    def _document(self, given: dict[str, str]) -> StoredDocument | None:
        if not (name := given.get("document")):
            return None
        project = given.get("project")
        ids = [d for d in self._within(project) if short_id(d.document_id) == name]
        if ids:
            return ids[0]
        chosen = ProjectId.parse(project) if project else None
        return self._served.application.stores.documents.find(name, chosen)

    def _parts(self, name: str, document: StoredDocument) -> list[str]:
        """Values of what is in a document: headings, pages of the file, names of figures."""
        converted = load_conversion(self._served.application.stores.bundles, document)
        if name == "section":
            return [one.title for one in converted.structure.headings()]
        if name == "page":
            return [str(entry.page) for entry in converted.structure.page_map]
        if name == "name":
            return [f"figure-{n}.png" for n in range(1, len(converted.figures) + 1)]
        return []


def _beginning(begun: str, values: Iterable[str]) -> list[str]:
    """Matches from the beginning, then from the beginning of a word."""
    wanted = fold(begun)
    distinct = list(dict.fromkeys(values))
    first = [one for one in distinct if fold(one).startswith(wanted)]
    within = [
        one for one in distinct if any(w.startswith(wanted) for w in _BETWEEN.split(fold(one)))
    ]
    return list(dict.fromkeys([*first, *within]))
