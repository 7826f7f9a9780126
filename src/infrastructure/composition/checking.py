"""The wiring of *validate*."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citeloom.application.validation.validate import Validate
    from citeloom.infrastructure.composition.application import Application


def validate(application: "Application") -> "Validate":
    """The verb, over the application's own stores."""
    from citeloom.application.validation.validate import Validate
    from citeloom.infrastructure.references.reader import FileReferenceReader
    from citeloom.infrastructure.references.retraction_watch import RetractionWatchReader

    return Validate(
        catalogue=application.catalogue,
        index=application.index,
        bundles=application.bundles,
        references=FileReferenceReader(),
        retractions=RetractionWatchReader(),
        files=application.files,
        embedder=application.embedder,
        writer=application.writer,
        wait_seconds=application.wait_seconds,
    )
