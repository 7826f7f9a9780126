"""The verbs *map*, *list*, *check-map* and *adapt*, for files in no project too."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from citeloom.application.maps.map_lookup import MapLookup
from citeloom.application.ports.ingest import BundleStore, SourceFiles
from citeloom.application.ports.maps import MapAdapter, Mapper, SourceFile
from citeloom.application.ports.system import Clock
from citeloom.domain.errors import (
    CiteLoomError,
    ConversionFailed,
    DocumentNotFound,
    InvalidMap,
    InvalidRequest,
    InvalidSource,
    UnsupportedFormat,
)
from citeloom.domain.maps.resource_map import ResourceMap, ResourceType
from citeloom.domain.maps.untrusted_map import checked, read_map
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.value import Value


class ListedResource(Value):
    """A resource with a map; ``problem`` says why the map cannot be read, if so."""

    resource_id: str
    type: ResourceType | None = None
    title: str | None = None
    source_path: str | None = None
    nodes: int = 0
    problem: str | None = None


class MapCheck(Value):
    """Whether a map fits its source.

    ``current``: it does. ``stale``: the file has other content by now, or another way of
    mapping it. ``missing``: the file is gone. ``unmapped``: the file has no map. ``invalid``:
    it is no map, or its node ids are not unique.
    """

    name: str
    status: Literal["current", "stale", "missing", "unmapped", "invalid"]
    message: str
    resource_id: str | None = None
    source_path: str | None = None
    nodes: int = 0


class FileMaps:
    """Makes maps of files and keeps them, one for each content."""

    def __init__(
        self,
        *,
        structure: MapLookup,
        bundles: BundleStore,
        files: SourceFiles,
        mappers: Sequence[Mapper],
        clock: Clock,
    ) -> None:
        self._structure = structure
        self._bundles = bundles
        self._files = files
        self._mappers = mappers
        self._clock = clock

    def map(self, path: Path, password: str | None = None) -> ResourceMap:
        """The map of the file's present content: the document's where a project has it, else
        the one kept, else one made now by the first mapper that supports the name.

        Raises InvalidSource, UnsupportedFormat, and what the mapper does.
        """
        source = self._source(path, password)
        document = self._structure.holding(source.sha256)
        if document is not None:
            return self._structure.of_document(document)
        mapper = self._mapper(source.path)
        fingerprint = mapper.fingerprint(source.path)
        kept = self._kept(source)
        if kept is not None and _metadata(kept, "mapper") == fingerprint:
            if kept.source_path == str(source.path):
                return kept
            made = _moved(kept, source.path)
        else:
            made = _readable(mapper.map(source, self._clock.now()))
        self._bundles.save_map(source.resource_id, made)
        return made

    def adapt(self, path: Path, adapter: MapAdapter, *, keep: bool) -> ResourceMap:
        """The output of another tool as a map, kept under its ``resource_id`` if asked for.

        Raises InvalidSource, InvalidMap and InvalidRequest for what is no map, StorageFailed.
        """
        made = adapter.map(self._source(path, None), self._clock.now())
        checked(made)
        if keep:
            try:
                self._bundles.save_map(made.resource_id, made)
            except ValueError as error:
                raise InvalidRequest(
                    f"{made.resource_id!r}: cannot be kept under this resource id (letters, "
                    "digits, - and _ are possible); write it to a file with --output"
                ) from error
        return made

    def list(self, project_id: ProjectId | None = None) -> Sequence[ListedResource]:
        """By id. A map that cannot be read is listed with the reason."""
        return [self._listed(one, project_id) for one in self._structure.resources(project_id)]

    def check(self, name: str) -> MapCheck:
        """Of a file (is there a map of what it holds now?) or of a resource id."""
        path = Path(name)
        if self._files.exists(str(path)):
            return self._check_file(name, self._source(path, None))
        try:
            return self.check_map(name, self._structure.map(None, name))
        except DocumentNotFound as error:
            raise InvalidSource(
                f"{name}: neither a file nor a resource; `citeloom list` shows what has a map"
            ) from error

    def check_map(self, name: str, found: ResourceMap) -> MapCheck:
        """Of a map, against the file it was made of."""
        status: Literal["current", "stale", "missing", "unmapped", "invalid"] = "current"
        message = "fits its source"
        if problem := _problem(found):
            status, message = "invalid", problem
        elif not self._files.exists(found.source_path):
            status, message = "missing", f"its source is gone: {found.source_path}"
        elif (known := _metadata(found, "source_hash")) is None:
            message = "its source is there; whether it changed cannot be told (no source_hash)"
        elif self._source(Path(found.source_path), None).sha256 != known:
            status = "stale"
            message = f"its source has changed; run `citeloom map {found.source_path}`"
        return MapCheck(
            name=name,
            status=status,
            message=message,
            resource_id=found.resource_id,
            source_path=found.source_path,
            nodes=len(found.list_node_ids()),
        )

    def _check_file(self, name: str, source: SourceFile) -> MapCheck:
        path = str(source.path)
        document = self._structure.holding(source.sha256)
        kept = self._structure.of_document(document) if document else self._kept(source)
        if kept is not None:
            outdated = document is None and (
                _metadata(kept, "mapper") != self._mapper(source.path).fingerprint(source.path)
            )
            return MapCheck(
                name=name,
                status="stale" if outdated else "current",
                message=f"can be mapped otherwise by now; run `citeloom map {path}`"
                if outdated
                else "has a map of its present content",
                resource_id=kept.resource_id,
                source_path=path,
                nodes=len(kept.list_node_ids()),
            )
        earlier = [one for one in self.list() if one.source_path == path]
        if earlier:
            return MapCheck(
                name=name,
                status="stale",
                message=f"changed since it was mapped; run `citeloom map {path}`",
                resource_id=earlier[0].resource_id,
                source_path=path,
                nodes=earlier[0].nodes,
            )
        return MapCheck(
            name=name,
            status="unmapped",
            message=f"has no map; run `citeloom map {path}`",
            source_path=path,
        )

    def _source(self, path: Path, password: str | None) -> SourceFile:
        found = self._files.find([str(path)], lambda _: False)
        if found.folders or not found.files:
            raise InvalidSource(f"{path}: a folder; name a file", source=str(path))
        file = found.files[0]
        if file.stamp is None:
            raise InvalidSource(f"{file.path}: {file.problem}", source=str(file.path))
        return SourceFile(
            path=file.path,
            sha256=self._files.sha256(file.path),
            size=file.stamp.size,
            password=password,
        )

    def _mapper(self, path: Path) -> Mapper:
        for mapper in self._mappers:
            if mapper.supports(path):
                return mapper
        raise UnsupportedFormat(
            f"{path.name}: Could not infer type: {path.suffix or 'a name without suffix'} is "
            "neither a document, text, code, JSON, YAML, captions, picture nor recording that "
            "can be mapped; `citeloom adapt` takes maps that other tools made",
            suffix=path.suffix,
        )

    def _kept(self, source: SourceFile) -> ResourceMap | None:
        kept = self._bundles.load_map(source.resource_id)
        return kept if kept and _metadata(kept, "source_hash") == source.sha256 else None

    def _listed(self, resource_id: str, project_id: ProjectId | None) -> ListedResource:
        try:
            found = self._structure.map(project_id, resource_id)
        except CiteLoomError as error:
            return ListedResource(resource_id=resource_id, problem=error.message)
        return ListedResource(
            resource_id=resource_id,
            type=found.type,
            title=found.title,
            source_path=found.source_path,
            nodes=len(found.list_node_ids()),
        )


def _metadata(found: ResourceMap, key: str) -> str | int | float | None:
    return (found.metadata or {}).get(key)


def _readable(made: ResourceMap) -> ResourceMap:
    """``made`` itself, unless it is too large to be read again."""
    try:
        read_map(made.model_dump_json(exclude_none=True))
    except InvalidMap as error:
        name = Path(made.source_path).name
        raise ConversionFailed(f"{name}: has too many parts for a map ({error.message})") from error
    return made


def _moved(kept: ResourceMap, path: Path) -> ResourceMap:
    """The same content at another path; its name is the title where no other is known."""
    named = kept.title == Path(kept.source_path).name
    changes: dict[str, object] = {"source_path": str(path)}
    return kept.model_copy(update={**changes, "title": path.name} if named else changes)


def _problem(found: ResourceMap) -> str | None:
    try:
        checked(found)
    except InvalidMap as error:
        return error.message
    return None
