"""All mappers, in the order in which they are asked."""

from collections.abc import Callable, Mapping, Sequence

from citeloom.application.ports.converter import Converter
from citeloom.application.ports.mapper import Mapper
from citeloom.application.ports.text_reader import TextReader
from citeloom.infrastructure.mapping.captions import CaptionsMapper
from citeloom.infrastructure.mapping.code import CodeMapper
from citeloom.infrastructure.mapping.documents import DocumentMapper
from citeloom.infrastructure.mapping.images import ImageMapper
from citeloom.infrastructure.mapping.keys import KeysMapper
from citeloom.infrastructure.mapping.markdown import MarkdownMapper
from citeloom.infrastructure.mapping.plain_text import TextMapper
from citeloom.infrastructure.mapping.python_code import PythonMapper
from citeloom.infrastructure.mapping.recordings import RecordingMapper


def all_mappers(
    converter: Converter, passwords: Mapping[str, str], reader: Callable[[], TextReader | None]
) -> Sequence[Mapper]:
    """Text has lines, so it is mapped by them; documents are what is left."""
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
