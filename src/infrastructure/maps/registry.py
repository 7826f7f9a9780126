"""Registry of all mappers, in the order in which they are tried."""

from collections.abc import Callable, Mapping, Sequence

from citeloom.application.ports.ingest import Converter
from citeloom.application.ports.maps import Mapper, TextReader
from citeloom.infrastructure.maps.mappers.documents import DocumentMapper
from citeloom.infrastructure.maps.mappers.images import ImageMapper
from citeloom.infrastructure.maps.mappers.markdown import MarkdownMapper
from citeloom.infrastructure.maps.mappers.plain_text import TextMapper
from citeloom.infrastructure.plugins import plugins


def all_mappers(
    converter: Converter, passwords: Mapping[str, str], reader: Callable[[], TextReader | None]
) -> Sequence[Mapper]:
    """Mappers of text by lines come first, then those of plugins; ``DocumentMapper`` takes the
    remaining formats."""
    return (
        MarkdownMapper(),
        TextMapper(),
        *(make() for plugin in plugins() for make in plugin.mappers()),
        ImageMapper(reader),
        DocumentMapper(converter, passwords),
    )
