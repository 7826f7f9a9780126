"""The verb *read* for people: a document, its pages or a section as Markdown."""

from citeloom.application.resources.observe import Observe
from citeloom.application.resources.places import PlaceFinder
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.resources.observations import plain_text
from citeloom.domain.resources.reading import as_read, pages_as_read, whole
from citeloom.domain.resources.uris import SCHEME, page_of


class DocumentReading:
    """Renders stored text for people; nothing is escaped."""

    def __init__(self, *, places: PlaceFinder, observe: Observe) -> None:
        self._places = places
        self._observe = observe

    def __call__(
        self,
        name: str,
        project_id: ProjectId | None = None,
        *,
        page: str | None = None,
        section: str | None = None,
    ) -> str:
        """The whole document; or ``page``, by its printed number (several: ``440-442``), or the
        ``section`` with this heading; or what a citation, an address or a knowledge URI names.

        Raises what ``PlaceFinder.find`` and ``Observe`` raise.
        """
        if name.startswith(SCHEME) and page is None and section is None and not _is_page(name):
            seen = self._observe(name).observation
            if (text := plain_text(seen)) is not None:
                return text
        place = self._places.find(name, project_id, page=page, section=section)
        if place.pages:
            return pages_as_read(place.document, place.pages).text
        return as_read(place.document, place.span or whole(place.document)).text


def _is_page(uri: str) -> bool:
    return page_of(uri.removeprefix(SCHEME).split("/")[2:]) is not None
