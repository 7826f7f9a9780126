"""The verbs *map*, *list*, *check-map* and *adapt*: maps of files, also outside projects."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from citeloom.application.ports.ingest import BundleStore, SourceFiles
from citeloom.application.ports.maps import MapAdapter, Mapper, SourceFile
from citeloom.application.ports.system import Clock
from citeloom.domain.errors import (
    CiteLoomError,
    ConversionFailed,
    InvalidMap,
    InvalidRequest,
    InvalidSource,
    UnsupportedFormat,
)
from citeloom.domain.maps.resource_map import ResourceMap, ResourceType, read_map, with_unique_ids
from citeloom.domain.messages import Action, MessageText, NextStep, UserMessage
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.value import Value

from .map_lookup import MapLookup


class ListedResource(Value):
    """A resource with a map; ``problem`` is the reason why the map cannot be read, if so."""

    resource_id: str
    type: ResourceType | None = None
    title: str | None = None
    source_path: str | None = None
    nodes: int = 0
    problem: MessageText | None = None


class MapCheck(Value):
    """Whether a map fits its source.

    ``current``: it does. ``stale``: the content or the mapper's fingerprint changed.
    ``missing``: the file is gone. ``unmapped``: the file has no map. ``invalid``: it is not a map,
    or its node ids are not unique.
    """

    name: str
    status: Literal["current", "stale", "missing", "unmapped", "invalid"]
    message: MessageText
    resource_id: str | None = None
    source_path: str | None = None
    nodes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMaps:
    """Makes and stores maps of files, one for each content. ``unmapped`` is the message for a file
    without a mapper."""

    structure: MapLookup
    bundles: BundleStore
    files: SourceFiles
    mappers: Sequence[Mapper]
    clock: Clock
    unmapped: str = ""

    def map(self, path: Path, password: str | None = None) -> ResourceMap:
        """The map of the file's current content: of the document if a project has it, else the
        stored one, else a new one by the first mapper that supports the name.

        Raises InvalidSource, UnsupportedFormat, and what the mapper raises.
        """
        source = self._source(path, password)
        document = self.structure.holding(source.sha256)
        if document is not None:
            return self.structure.of_document(document)
        mapper = self._mapper(source.path)
        fingerprint = mapper.fingerprint(source.path)
        stored = self._kept(source)
        if stored is not None and _metadata(stored, "mapper") == fingerprint:
            if stored.source_path == str(source.path):
                return stored
            new_map = _moved(stored, source.path)
        else:
            new_map = _readable(mapper.map(source, self.clock.now()))
        self.bundles.save_map(source.resource_id, new_map)
        return new_map

    def adapt(self, path: Path, adapter: MapAdapter, *, keep: bool) -> ResourceMap:
        """The output of another tool as a map; with ``keep`` stored under its ``resource_id``.
        Raises InvalidSource, InvalidMap and InvalidRequest for an invalid map, StorageFailed."""
        adapted = adapter(self._source(path, None), self.clock.now())
        with_unique_ids(adapted)
        if keep:
            try:
                self.bundles.save_map(adapted.resource_id, adapted)
            except ValueError as error:
                raise InvalidRequest(
                    f"{adapted.resource_id!r}: cannot be kept under this resource id (letters, "
                    "digits, - and _ are possible); write it to a file instead"
                ) from error
        return adapted

    def list(self, project_id: ProjectId | None = None) -> Sequence[ListedResource]:
        """All resources with a map, by id; an unreadable map is listed with its problem."""
        return [self.listed(one, project_id) for one in self.structure.resources(project_id)]

    def list_files(self) -> Sequence[ListedResource]:
        """The mapped files that are not documents of a project, by id."""
        return [self.listed(one, None) for one in self.structure.file_resources()]

    def check(self, name: str) -> MapCheck:
        """Check a file (whether its current content has a map) or a resource id."""
        path = Path(name)
        if self.files.exists(str(path)):
            return self._check_file(name, self._source(path, None))
        return self.check_map(name, self.structure.map(None, name))

    def check_map(self, name: str, resource_map: ResourceMap) -> MapCheck:
        """Check a map against its source file."""
        status: Literal["current", "stale", "missing", "unmapped", "invalid"] = "current"
        message = "fits its source"
        if problem := _problem(resource_map):
            status, message = "invalid", problem
        elif not self.files.exists(resource_map.source_path):
            status, message = "missing", f"its source is gone: {resource_map.source_path}"
        elif (recorded_hash := _metadata(resource_map, "source_hash")) is None:
            message = "its source exists; without source_hash, changes cannot be detected"
        elif self._source(Path(resource_map.source_path), None).sha256 != recorded_hash:
            status = "stale"
            message = _to_be_mapped("its source has changed", resource_map.source_path)
        return MapCheck(
            name=name,
            status=status,
            message=message,
            resource_id=resource_map.resource_id,
            source_path=resource_map.source_path,
            nodes=len(resource_map.list_node_ids()),
        )

    def _check_file(self, name: str, source: SourceFile) -> MapCheck:
        path = str(source.path)
        document = self.structure.holding(source.sha256)
        stored = self.structure.of_document(document) if document else self._kept(source)
        if stored is not None:
            outdated = document is None and (
                _metadata(stored, "mapper") != self._mapper(source.path).fingerprint(source.path)
            )
            return MapCheck(
                name=name,
                status="stale" if outdated else "current",
                message=_to_be_mapped("can be mapped better by this version", path)
                if outdated
                else "has a map of its present content",
                resource_id=stored.resource_id,
                source_path=path,
                nodes=len(stored.list_node_ids()),
            )
        earlier = [one for one in self.list() if one.source_path == path]
        if earlier:
            return MapCheck(
                name=name,
                status="stale",
                message=_to_be_mapped("changed since it was mapped", path),
                resource_id=earlier[0].resource_id,
                source_path=path,
                nodes=earlier[0].nodes,
            )
        return MapCheck(
            name=name,
            status="unmapped",
            message=_to_be_mapped("has no map", path),
            source_path=path,
        )

    def _source(self, path: Path, password: str | None) -> SourceFile:
        sources = self.files.find([str(path)], lambda _: False)
        if sources.folders or not sources.files:
            raise InvalidSource(f"{path}: a folder; name a file", source=str(path))
        file = sources.files[0]
        if file.stamp is None:
            raise InvalidSource(f"{file.path}: {file.problem}", source=str(file.path))
        return SourceFile(
            path=file.path,
            sha256=self.files.sha256(file.path),
            size=file.stamp.size,
            password=password,
        )

    def _mapper(self, path: Path) -> Mapper:
        for mapper in self.mappers:
            if mapper.supports(path):
                return mapper
        raise UnsupportedFormat(
            f"{path.name}: Could not infer type: {path.suffix or 'a name without suffix'} is "
            "neither a document, text, code, JSON, YAML, captions, picture nor recording that "
            f"can be mapped; maps that other tools made can be adapted{self.unmapped}",
            suffix=path.suffix,
        )

    def _kept(self, source: SourceFile) -> ResourceMap | None:
        stored = self.bundles.load_map(source.resource_id)
        return stored if stored and _metadata(stored, "source_hash") == source.sha256 else None

    def listed(self, resource_id: str, project_id: ProjectId | None) -> ListedResource:
        """The entry of a map in a list; an unreadable map is listed with its problem."""
        try:
            resource_map = self.structure.map(project_id, resource_id)
        except CiteLoomError as error:
            return ListedResource(resource_id=resource_id, problem=error.message)
        return ListedResource(
            resource_id=resource_id,
            type=resource_map.type,
            title=resource_map.title,
            source_path=resource_map.source_path,
            nodes=len(resource_map.list_node_ids()),
        )


def _to_be_mapped(reason: str, path: str) -> UserMessage:
    return UserMessage(reason, NextStep(Action.MAP_FILE, path=path))


def _metadata(resource_map: ResourceMap, key: str) -> str | int | float | None:
    return (resource_map.metadata or {}).get(key)


def _readable(resource_map: ResourceMap) -> ResourceMap:
    """The map unchanged. Raises ConversionFailed if it is too large to be read again."""
    try:
        read_map(resource_map.model_dump_json(exclude_none=True))
    except InvalidMap as error:
        name = Path(resource_map.source_path).name
        raise ConversionFailed(f"{name}: has too many parts for a map ({error.message})") from error
    return resource_map


def _moved(stored: ResourceMap, path: Path) -> ResourceMap:
    """The map with another source path; a title that was the file name changes with it."""
    is_file_name = stored.title == Path(stored.source_path).name
    changes: dict[str, object] = {"source_path": str(path)}
    return stored.model_copy(update={**changes, "title": path.name} if is_file_name else changes)


def _problem(resource_map: ResourceMap) -> str | None:
    try:
        with_unique_ids(resource_map)
    except InvalidMap as error:
        return error.message
    return None
