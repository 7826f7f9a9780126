"""The verb *observe*: what a knowledge URI names, shows and relates to; labels of resources."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from pydantic import ValidationError

from citeloom.application.documents.conversions import load_conversion
from citeloom.application.documents.finder import DocumentFinder, projects_named
from citeloom.application.documents.page_images import PageImages
from citeloom.application.places.document_view import DocumentView
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.ingest import BundleStore
from citeloom.application.ports.maps import LabelStore, PictureLimit
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import CiteLoomError, InvalidRequest, InvalidUri, NothingThere
from citeloom.domain.library import ITEM_TYPE, NOTE_TYPE, item_address
from citeloom.domain.maps.address import short_id
from citeloom.domain.naming import ELSEWHERE
from citeloom.domain.projects.project import Project, ProjectId
from citeloom.domain.references.identifiers import normalise_arxiv
from citeloom.domain.resources.metadata import (
    DESCRIPTION,
    PLACEHOLDER,
    TAGS,
    ResourceAttrs,
    ResourceLabel,
    label_texts,
    merge_labels,
    parse_web_url,
    snake_name,
    with_labels,
)
from citeloom.domain.resources.observations import (
    Listed,
    ObsBody,
    ObsChunk,
    ObsCollection,
    Observation,
    ObsFile,
    ObsMedia,
)
from citeloom.domain.resources.reading_chunks import READING_TOKENS
from citeloom.domain.resources.uris import (
    BODY,
    FILE,
    WHOLE,
    KnowledgeUri,
    ObservableUri,
    ResourceUri,
    Suffix,
    SuffixKind,
    document_uri,
    is_child_or_self,
    normalize_name,
    parse_uri,
    span_of,
    subrealm_of,
)
from citeloom.domain.value import Value

COLLECTION, TAG = "collection", "tag"
_GROUPS = (COLLECTION, TAG)
_LISTING = Suffix(kind=SuffixKind.COLLECTION)
_REVISION_TAG = 16
"""Hex digits of a revision's tag."""


class ResourcePlace(Value):
    """What a resource URI names: a project; a collection or tag of it (``group``); a document;
    or a passage of a document (``span``)."""

    uri: ResourceUri
    project: Project
    group: tuple[str, str] | None = None
    document: StoredDocument | None = None
    span: CharSpan | None = None

    @property
    def document_id(self) -> str | None:
        return self.document.document_id if self.document else None


def located(catalogue: Catalogue, text: str) -> tuple[ResourcePlace, KnowledgeUri]:
    """The resource of a URI, and the canonical form of that URI. Raises what ``locate`` raises."""
    uri = parse_uri(text)
    if isinstance(uri, ObservableUri):
        place = locate(catalogue, uri.resource)
        return place, place.uri.observable(uri.suffix)
    place = locate(catalogue, uri)
    return place, place.uri


def locate(catalogue: Catalogue, uri: ResourceUri) -> ResourcePlace:
    """The resource of a URI, with its canonical URI. Raises NothingThere, ProjectNotFound,
    and InvalidUri for a path of another shape."""
    if uri.realm != FILE and uri.realm not in ELSEWHERE:
        raise NothingThere(f"{uri}: nothing here handles the realm {uri.realm}")
    project = projects_named(catalogue, uri.subrealm)[0]
    if uri.realm != FILE:
        return _elsewhere(catalogue, uri, project)
    uri = uri.model_copy(update={"subrealm": subrealm_of(project.id)})
    first, *rest = uri.path
    if first == WHOLE and not rest:
        return ResourcePlace(uri=uri, project=project)
    if first in _GROUPS and len(rest) == 1:
        return ResourcePlace(uri=uri, project=project, group=(first, rest[0]))
    span = span_of(rest[0]) if len(rest) == 1 else None
    if rest and span is None:
        raise InvalidUri(
            str(uri), "its path is a document's id, - for the project, or collection/NAME"
        )
    matches = [
        document
        for document in catalogue.documents_beginning(project.id, first)
        if short_id(document.document_id) == first
    ]
    if len(matches) != 1:
        raise NothingThere(
            f"{uri}: {project.id} has no document {first}; "
            f"see ndk://{uri.realm}/{uri.subrealm}/{WHOLE}/$collection",
            uri=str(uri),
        )
    return ResourcePlace(uri=uri, project=project, document=matches[0], span=span)


def members(catalogue: Catalogue, place: ResourcePlace) -> Sequence[StoredDocument]:
    """The documents of a project, or of a collection or tag. Raises NothingThere for an
    unknown group."""
    documents = catalogue.documents(place.project.id)
    if place.group is None:
        return documents
    members = [d for d in documents if place.group in groups_of(d)]
    if not members:
        kind, name = place.group
        raise NothingThere(f"{place.uri}: no document has the {kind} {name}")
    return members


def _elsewhere(catalogue: Catalogue, uri: ResourceUri, project: Project) -> ResourcePlace:
    """The document with this external name, under its canonical URI."""
    document = DocumentFinder(catalogue).known(str(uri), project.id)
    if document is None:
        raise NothingThere(f"{uri}: no document of {project.id} has this name")
    canonical = document_uri(project.id, document.document_id)
    return ResourcePlace(uri=canonical, project=project, document=document)


def groups_of(document: StoredDocument) -> dict[tuple[str, str], str]:
    """The collections and tags of its citation: names by their normalised form in paths."""
    if document.citation is None:
        return {}
    groups: dict[tuple[str, str], str] = {}
    for kind, names in (
        (COLLECTION, document.citation.collections),
        (TAG, document.citation.tags),
    ):
        for name in names:
            try:
                groups.setdefault((kind, normalize_name(name)), name)
            except ValueError:
                continue
    return groups


def group_uri(project_id: ProjectId, group: tuple[str, str]) -> ResourceUri:
    return ResourceUri(realm=FILE, subrealm=subrealm_of(project_id), path=group)


class Observed(Value):
    """An observation, with what is known of its resource. ``uri`` is the observable's;
    ``aliases`` are external names of the resource."""

    uri: str
    resource: str
    attributes: ResourceAttrs
    aliases: tuple[str, ...] = ()
    observation: Observation


@dataclass(frozen=True, slots=True)
class Observe:
    """Observes stored documents; nothing is written. ``labels`` are those given by people.

    Raises InvalidUri, ProjectNotFound, NothingThere, StorageFailed.
    """

    catalogue: Catalogue
    bundles: BundleStore
    labels: LabelStore | None = None
    rendering: PageImages | None = None
    max_tokens: int = READING_TOKENS

    def __call__(self, text: str) -> Observed:
        """A document's default observable is its body, that of a project or collection the list
        of its members. Labels given by people replace those of the text."""
        place, suffix = self._find(text)
        seen = self._unlabelled(place, suffix)
        if self.labels is None:
            return seen
        descriptions = label_texts(self.labels.labels(place.project.id, place.document_id))
        limit = max(self.max_tokens, READING_TOKENS)
        changes: dict[str, object] = {
            "observation": with_labels(seen.observation, descriptions, limit)
        }
        first = BODY if place.document else _LISTING
        if given := descriptions.get((f"{place.uri}/{first}", DESCRIPTION)):
            changes["attributes"] = seen.attributes.model_copy(update={"description": given})
        return seen.model_copy(update=changes)

    def _unlabelled(self, place: ResourcePlace, suffix: Suffix) -> Observed:
        if place.document is None:
            if suffix.kind is not SuffixKind.COLLECTION:
                raise NothingThere(f"{place.uri}: is a collection; read {place.uri}/$collection")
            return self._collection(place)
        return self._document(place, place.document, suffix)

    def picture(
        self, text: str, password: str | None = None, limit: PictureLimit | None = None
    ) -> bytes:
        """The PNG of ``$media/figure-N.png``. Raises what ``PageImages`` raises too."""
        place, suffix = self._find(text)
        if place.document is None or suffix.kind is not SuffixKind.MEDIA or self.rendering is None:
            raise NothingThere(f"{text}: is not a picture; pictures are …/$media/figure-1.png")
        number = self._view(place, place.document).figure_number(suffix)
        return self.rendering.figure(
            place.project.id, place.document.document_id, number, password, limit
        )

    def _find(self, text: str) -> tuple[ResourcePlace, Suffix]:
        place, uri = located(self.catalogue, text)
        if isinstance(uri, ObservableUri):
            return place, uri.suffix
        return place, _LISTING if place.document is None else BODY

    def _document(self, place: ResourcePlace, document: StoredDocument, suffix: Suffix) -> Observed:
        view = self._view(place, document)
        observation: Observation
        if suffix.kind is SuffixKind.COLLECTION:
            raise NothingThere(f"{place.uri}: is a document, no collection; read {place.uri}/$body")
        if suffix.kind is SuffixKind.FILE:
            observation = _file(place, document, suffix)
        else:
            observation = view.observe(suffix)
        return Observed(
            uri=f"{place.uri}/{suffix}",
            resource=str(place.uri),
            attributes=attributes_of(document, view.describe()),
            aliases=aliases_of(document),
            observation=observation,
        )

    def _view(self, place: ResourcePlace, document: StoredDocument) -> DocumentView:
        converted = load_conversion(self.bundles, document)
        whole = document_uri(place.project.id, document.document_id)

        def known(link: str) -> str | None:
            try:
                named = DocumentFinder(self.catalogue).known(link, place.project.id)
            except CiteLoomError:  # the link names several, or is not a name
                return None
            uri = document_uri(place.project.id, named.document_id) if named else whole
            return str(uri) if uri != whole else None

        return DocumentView(whole, converted, self.max_tokens, span=place.span, known=known)

    def _collection(self, place: ResourcePlace) -> Observed:
        documents = members(self.catalogue, place)
        listed = [
            Listed(
                uri=str(document_uri(place.project.id, document.document_id)),
                description=_name(document),
            )
            for document in documents
        ]
        if place.group is None:
            names = {g: n for document in documents for g, n in groups_of(document).items()}
            listed = [
                *(
                    Listed(
                        uri=f"{group_uri(place.project.id, group)}/{_LISTING}",
                        description=f"{group[0]}: {name}",
                    )
                    for group, name in sorted(names.items())
                ),
                *listed,
            ]
        name = place.project.id.value
        if place.group is not None:
            names_of_group = (groups_of(document).get(place.group) for document in documents)
            name = f"{place.group[0]}: {next(one for one in names_of_group if one)}"
        observation = ObsCollection(
            uri=f"{place.uri}/{_LISTING}",
            description=f"{name}, {len(documents)} documents",
            resources=tuple(listed),
        )
        return Observed(
            uri=observation.uri,
            resource=str(place.uri),
            attributes=collection_attributes(name, place.project, documents),
            observation=observation,
        )


def _file(place: ResourcePlace, document: StoredDocument, suffix: Suffix) -> ObsFile:
    if suffix.path or place.span is not None or not document.sources:
        raise NothingThere(f"{place.uri}/{suffix}: no such file; read that of the document, $file")
    if document.mime_type in (ITEM_TYPE, NOTE_TYPE):
        raise NothingThere(
            f"{place.uri}/{suffix}: is not a file but an entry of a library; read $body"
        )
    return ObsFile(
        uri=f"{place.uri}/{suffix}", path=document.sources[0].path, mime_type=document.mime_type
    )


def _name(document: StoredDocument) -> str:
    """Its citation key and title, if known."""
    citation = document.citation
    title = citation.title if citation else document.title or document.sources[0].path
    return f"{citation.citekey}: {title}" if citation else title


def attributes_of(document: StoredDocument, description: str | None) -> ResourceAttrs:
    """Attributes of a document. The data revision is of content and conversion, the metadata
    revision of title and citation; the creation time is unknown."""
    citation = document.citation
    source = document.path or document.document_id
    title = citation.title if citation else document.title
    cited = citation.model_dump_json() if citation else ""
    return ResourceAttrs(
        name=title or PurePath(source.replace("\\", "/")).name,
        mime_type=document.mime_type,
        description=description,
        citation_url=citation_url(document),
        updated_at=document.stored_at,
        revision_data=_tag(document.document_id, document.conversion),
        revision_meta=_tag(document.title or "", cited),
    )


def collection_attributes(
    name: str, project: Project, documents: Sequence[StoredDocument]
) -> ResourceAttrs:
    """Attributes of a collection; its data revision is of the ids of its documents."""
    updated = max((document.stored_at for document in documents), default=project.created_at)
    return ResourceAttrs(
        name=name,
        description=f"{len(documents)} documents",
        created_at=project.created_at,
        updated_at=updated,
        revision_data=_tag(*(document.document_id for document in documents)),
    )


def citation_url(document: StoredDocument) -> str | None:
    """The URL of the DOI, else the web URL of the citation; None without any."""
    citation = document.citation
    if citation is None:
        return None
    for url in (f"https://doi.org/{citation.doi}" if citation.doi else None, citation.url):
        try:
            if url:
                return parse_web_url(url)
        except InvalidUri:
            continue
    return None


def _tag(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:_REVISION_TAG]


def aliases_of(document: StoredDocument) -> tuple[str, ...]:
    """External names of a document; each resolves to it."""
    citation = document.citation
    identifiers = [citation.doi] if citation and citation.doi else list(document.identifiers[:1])
    names = [_web_address(one) for one in identifiers if one and one[:5] not in ("pmid:", "isbn:")]
    if citation and citation.url:
        names.append(citation.url)
    if citation and citation.item_key:
        names.append(item_address("library", citation.item_key))
    names += [source.path for source in document.sources]
    return tuple(dict.fromkeys(names))


def _web_address(identifier: str) -> str:
    arxiv = normalise_arxiv(identifier)
    if arxiv:
        return f"https://arxiv.org/abs/{arxiv.removeprefix('arXiv:')}"
    return f"https://doi.org/{identifier}"


class ResourceLabels:
    """Reads, puts and removes labels.

    Raises InvalidUri, InvalidRequest, ProjectNotFound, NothingThere, StorageFailed.
    """

    def __init__(self, *, catalogue: Catalogue, labels: LabelStore, observe: Observe) -> None:
        self._labels = labels
        self._observe = observe
        self._catalogue = catalogue

    def __call__(self, uri: str) -> Sequence[ResourceLabel]:
        """All labels of the resource at ``uri`` and of its parts. A label taken from the text
        yields to one of the same name given by people."""
        place, parsed = located(self._catalogue, uri)
        given = [
            label
            for label in self._labels.labels(place.project.id, place.document_id)
            if is_child_or_self(parse_uri(label.target), parsed)
        ]
        return merge_labels(given, self._of_the_text(str(parsed), place))

    def put(self, uri: str, name: str, value: str | Sequence[str]) -> ResourceLabel:
        """Label the observable at ``uri``; a label of the same name is replaced."""
        place, target = self._target(uri)
        try:
            label = ResourceLabel(
                name=name, target=target, value=value if isinstance(value, str) else tuple(value)
            )
        except ValidationError as error:
            reason = str(error.errors()[0]["msg"]).removeprefix("Value error, ")
            raise InvalidRequest(f"label {name}: {reason}", parameter="name") from None
        self._observe(target)
        self._labels.put(place.project.id, place.document_id, label)
        return label

    def remove(self, uri: str, name: str) -> None:
        """Raises NothingThere if there is no such label given by people."""
        place, target = self._target(uri)
        try:
            known = snake_name(name)
        except ValueError as error:
            raise InvalidRequest(f"label {name}: {error}", parameter="name") from None
        if not self._labels.remove(place.project.id, target, known):
            raise NothingThere(f"{target}: nobody gave it a label {known}")

    def _target(self, uri: str) -> tuple[ResourcePlace, str]:
        """The resource, and the URI that is labelled: of a resource its default observable."""
        place, canonical = located(self._catalogue, uri)
        if isinstance(canonical, ObservableUri):
            return place, str(canonical)
        return place, self._observe(str(canonical)).uri

    def _of_the_text(self, uri: str, place: ResourcePlace) -> Iterator[ResourceLabel]:
        seen = self._observe(uri).observation
        if isinstance(seen, ObsMedia):
            yield ResourceLabel(name=PLACEHOLDER, target=seen.uri, value=seen.placeholder)
            return
        description = getattr(seen, DESCRIPTION, None)
        if description:
            yield ResourceLabel(name=DESCRIPTION, target=seen.uri, value=description)
        if not isinstance(seen, ObsBody | ObsChunk):
            return
        for one in seen.contents:
            if isinstance(one, Listed) and one.description:
                yield ResourceLabel(name=DESCRIPTION, target=one.uri, value=one.description)
        if isinstance(seen, ObsChunk):
            return
        if seen.chunk and seen.chunk.description:
            chunk = seen.chunk
            yield ResourceLabel(name=DESCRIPTION, target=chunk.uri, value=chunk.description or "")
        for picture in seen.media:
            yield ResourceLabel(
                name=PLACEHOLDER, target=picture.uri, value=picture.description or ""
            )
        citation = place.document.citation if place.document else None
        if citation and citation.tags and place.span is None:
            yield ResourceLabel(name=TAGS, target=seen.uri, value=citation.tags)
