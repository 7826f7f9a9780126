"""The composition root of *resolve*; what cuts is imported when it is needed."""

from typing import TYPE_CHECKING

from citeloom.application.maps.passage_place import ChunkPlaces
from citeloom.application.maps.resolve import Resolve
from citeloom.application.maps.target import Targets
from citeloom.infrastructure.ingest.file_digests import SettledFiles
from citeloom.infrastructure.maps.evidence.cutters import cutters
from citeloom.infrastructure.maps.evidence.store import FileEvidenceStore

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application


def resolve(application: "Application") -> Resolve:
    secrets = application.settings.pdf.passwords
    return Resolve(
        targets=Targets(structure=application.structure, maps=application.workspace.maps),
        structure=application.structure,
        catalogue=application.catalogue,
        bundles=application.bundles,
        files=SettledFiles(),
        evidence=FileEvidenceStore(
            application.workspace.evidence,
            max_bytes=application.settings.evidence.max_megabytes * 2**20,
        ),
        cutters=cutters(),
        converter=lambda: application.converter,
        chunks=ChunkPlaces(
            catalogue=application.catalogue,
            index=lambda: application.index,
            wait_seconds=application.wait_seconds,
        ),
        passwords={name: secret.get_secret_value() for name, secret in secrets.items()},
    )
