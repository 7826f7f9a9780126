"""Registry of all mappers, in the order in which they are tried."""

from collections.abc import Callable, Mapping, Sequence

from citeloom.application.ports.ingest import Converter
from citeloom.application.ports.maps import Mapper, TextReader
from citeloom.infrastructure.maps.mappers.code import CodeMapper
from citeloom.infrastructure.maps.mappers.documents import DocumentMapper
from citeloom.infrastructure.maps.mappers.images import ImageMapper
from citeloom.infrastructure.maps.mappers.json_yaml import KeysMapper
from citeloom.infrastructure.maps.mappers.markdown import MarkdownMapper
from citeloom.infrastructure.maps.mappers.plain_text import TextMapper
from citeloom.infrastructure.maps.mappers.python_code import PythonMapper
from citeloom.infrastructure.maps.mappers.recordings.captions import CaptionsMapper
from citeloom.infrastructure.maps.mappers.recordings.recordings import RecordingMapper


def all_mappers(
    converter: Converter, passwords: Mapping[str, str], reader: Callable[[], TextReader | None]
) -> Sequence[Mapper]:
    """Mappers of text by lines come first; ``DocumentMapper`` takes the remaining formats."""
    return (
        MarkdownMapper(),
        TextMapper(),
        PythonMapper(),
        CodeMapper(),
        KeysMapper(),
        CaptionsMapper(),
        ImageMapper(reader),
        RecordingMapper(),
        DocumentMapper(converter, passwords),
    )
