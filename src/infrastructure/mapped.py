"""The composition root of maps: what the verbs about resource maps are made of."""

from typing import TYPE_CHECKING

from citeloom.application.file_maps import FileMaps
from citeloom.infrastructure.clock import SystemClock
from citeloom.infrastructure.conversion.image_text import image_text_reader
from citeloom.infrastructure.mapping.all import all_mappers
from citeloom.infrastructure.storage.files import LocalFiles

if TYPE_CHECKING:
    from citeloom.infrastructure.bootstrap import Application


def file_maps(application: "Application") -> FileMaps:
    passwords = application.settings.pdf.passwords
    return FileMaps(
        structure=application.structure,
        bundles=application.bundles,
        files=LocalFiles(),
        mappers=all_mappers(
            application.converter,
            {name: word.get_secret_value() for name, word in passwords.items()},
            lambda: image_text_reader(application.conversion_options),
        ),
        clock=SystemClock(),
    )
