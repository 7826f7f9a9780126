"""The plugin of this package."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from citeloom.infrastructure.plugins import CommandEntry, Plugin

if TYPE_CHECKING:
    from citeloom.application.ports.maps import Cutter, Mapper, Refiner
    from citeloom.domain.maps.resource_map import ResourceType
    from citeloom.infrastructure.composition.application import Application


class MapsPlugin(Plugin):
    """Maps of code, data and recordings, and of the output of other tools."""

    def commands(self) -> Mapping[str, Mapping[str, CommandEntry]]:
        sentence = "Make a map from the output of another tool."
        adapt = CommandEntry("citeloom_maps.command:adapt", sentence)
        return {"Maps": {"adapt": adapt}}

    def mappers(self) -> "Sequence[Callable[[], Mapper]]":
        from citeloom_maps.infrastructure.mappers.code import CodeMapper
        from citeloom_maps.infrastructure.mappers.json_yaml import KeysMapper
        from citeloom_maps.infrastructure.mappers.python_code import PythonMapper
        from citeloom_maps.infrastructure.recordings.captions import CaptionsMapper
        from citeloom_maps.infrastructure.recordings.recordings import RecordingMapper

        return (PythonMapper, CodeMapper, KeysMapper, CaptionsMapper, RecordingMapper)

    def cutters(self) -> "Mapping[ResourceType, Cutter]":
        from citeloom_maps.infrastructure.recordings.recording_cut import media_cutter

        media = media_cutter()
        return {"audio": media, "video": media}

    def refiners(self) -> "Sequence[Callable[[Application], Refiner]]":
        return (refiner,)


def refiner(application: "Application") -> "Refiner":
    from citeloom.infrastructure.maps.mappers.node_building import read_lines
    from citeloom_maps.application.node_text import NodeTexts
    from citeloom_maps.application.refine import Refine

    stores = application.stores
    words = NodeTexts(
        structure=application.maps.structure,
        bundles=stores.bundles,
        state=application.resources.sources,
        converter=lambda: application.ingest.file_converter,
        lines=read_lines,
        passwords=stores.passwords,
    )
    return Refine(
        model=lambda: application.models.language_model,
        words=words,
        bundles=stores.bundles,
        clock=stores.clock,
    )
