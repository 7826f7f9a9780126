"""The wiring of a reader's annotations."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citeloom.application.ingest.annotate import Annotate
    from citeloom.infrastructure.composition.application import Application


def annotate(application: "Application") -> "Annotate":
    """The verb, over the application's own stores."""
    from citeloom.application.ingest.annotate import Annotate

    return Annotate(
        catalogue=application.catalogue,
        bundles=application.bundles,
        annotations=application.annotations,
        writer=application.writer,
        projects=application.projects_opener,
    )
