"""The composition root of maps: what the verbs about resource maps are made of."""

from typing import TYPE_CHECKING

from citeloom.application.file_maps import FileMaps
from citeloom.application.node_words import NodeWords
from citeloom.infrastructure.clock import SystemClock
from citeloom.infrastructure.conversion.image_text import image_text_reader
from citeloom.infrastructure.mapping.all import all_mappers
from citeloom.infrastructure.mapping.reading import read_lines
from citeloom.infrastructure.storage.files import LocalFiles

if TYPE_CHECKING:
    from citeloom.infrastructure.bootstrap import Application


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
