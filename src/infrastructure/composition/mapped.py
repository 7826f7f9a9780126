"""The composition root of maps: what the verbs about resource maps are made of."""

from typing import TYPE_CHECKING

from citeloom.application.maps.file_maps import FileMaps
from citeloom.application.maps.node_text import NodeWords
from citeloom.infrastructure.ingest.conversion.formats.image_text import image_text_reader
from citeloom.infrastructure.ingest.source_files import LocalFiles
from citeloom.infrastructure.maps.mappers.text_lines import read_lines
from citeloom.infrastructure.maps.registry import all_mappers
from citeloom.infrastructure.system.clock import SystemClock

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application


def node_words(application: "Application") -> NodeWords:
    return NodeWords(
        structure=application.structure,
        bundles=application.bundles,
        files=LocalFiles(),
        converter=lambda: application.converter,
        lines=read_lines,
        passwords=_passwords(application),
    )


def file_maps(application: "Application") -> FileMaps:
    return FileMaps(
        structure=application.structure,
        bundles=application.bundles,
        files=LocalFiles(),
        mappers=all_mappers(
            application.converter,
            _passwords(application),
            lambda: image_text_reader(application.conversion_options),
        ),
        clock=SystemClock(),
    )


def _passwords(application: "Application") -> dict[str, str]:
    words = application.settings.pdf.passwords
    return {name: word.get_secret_value() for name, word in words.items()}
