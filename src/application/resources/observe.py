"""The verb *observe*: the observation of a knowledge URI."""

from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.documents.lookup import load_conversion
from citeloom.application.documents.page_images import PageImages
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.ingest import BundleStore
from citeloom.application.ports.maps import PictureLimit
from citeloom.application.ports.resources import LabelStore
from citeloom.application.resources.aliases import Aliases, aliases_of
from citeloom.application.resources.attributes import attributes_of, collection_attributes
from citeloom.application.resources.document_view import DocumentView
from citeloom.application.resources.locator import (
    ResourceLocator,
    ResourcePlace,
    group_uri,
    groups_of,
)
from citeloom.domain.errors import NothingThere
from citeloom.domain.library.item_documents import ITEM_TYPE, NOTE_TYPE
from citeloom.domain.resources.metadata import DESCRIPTION, ResourceAttrs, label_texts, with_labels
from citeloom.domain.resources.observations import Listed, ObsCollection, Observation, ObsFile
from citeloom.domain.resources.reading_chunks import READING_TOKENS
from citeloom.domain.resources.uris import (
    BODY,
    ObservableUri,
    ResourceUri,
    Suffix,
    SuffixKind,
    document_uri,
    parse_uri,
)
from citeloom.domain.value import Value

_COLLECTION = Suffix(kind=SuffixKind.COLLECTION)


class Observed(Value):
    """An observation, with what is known of its resource. ``uri`` is the observable's;
    ``aliases`` are external names of the resource."""

    uri: str
    resource: str
    attributes: ResourceAttrs
    aliases: tuple[str, ...] = ()
    observation: Observation


class Observe:
    """Observes stored documents; nothing is written. ``labels`` are those given by people.

    Raises InvalidUri, ProjectNotFound, NothingThere, StorageFailed.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        bundles: BundleStore,
        labels: LabelStore | None = None,
        *,
        rendering: PageImages | None = None,
        max_tokens: int = READING_TOKENS,
    ) -> None:
        self._catalogue = catalogue
        self._bundles = bundles
        self._labels = labels
        self._rendering = rendering
        self._max_tokens = max_tokens
        self._locator = ResourceLocator(catalogue)
        self._aliases = Aliases(DocumentFinder(catalogue))

    def __call__(self, text: str) -> Observed:
        """A document's default observable is its body, that of a project or collection the list
        of its members. Labels given by people replace those of the text."""
        place, suffix = self._find(text)
        seen = self._unlabelled(place, suffix)
        if self._labels is None:
            return seen
        document = place.document.document_id if place.document else None
        descriptions = label_texts(self._labels.labels(place.project.id, document))
        limit = max(self._max_tokens, READING_TOKENS)
        changes: dict[str, object] = {
            "observation": with_labels(seen.observation, descriptions, limit)
        }
        first = BODY if place.document else _COLLECTION
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
        if place.document is None or suffix.kind is not SuffixKind.MEDIA or self._rendering is None:
            raise NothingThere(f"{text}: is no picture; pictures are …/$media/figure-1.png")
        number = self._view(place, place.document).figure_number(suffix)
        return self._rendering.figure(
            place.project.id, place.document.document_id, number, password, limit
        )

    def _find(self, text: str) -> tuple[ResourcePlace, Suffix]:
        uri = parse_uri(text)
        resource = uri.resource if isinstance(uri, ObservableUri) else uri
        place = self._locator.locate(resource)
        if isinstance(uri, ObservableUri):
            return place, uri.suffix
        return place, _COLLECTION if place.document is None else BODY

    def _document(self, place: ResourcePlace, document: StoredDocument, suffix: Suffix) -> Observed:
        view = self._view(place, document)
        observation: Observation
        if suffix.kind is SuffixKind.COLLECTION:
            raise NothingThere(f"{place.uri}: is a document, no collection; read {place.uri}/$body")
        if suffix.kind is SuffixKind.FILE:
            observation = _file(place, document, suffix)
        else:
            observation = view.observe(suffix)
        seen = _observed(place.uri, suffix, attributes_of(document, view.describe()), observation)
        return seen.model_copy(update={"aliases": aliases_of(document)})

    def _view(self, place: ResourcePlace, document: StoredDocument) -> DocumentView:
        converted = load_conversion(self._bundles, document)
        whole = document_uri(place.project.id, document.document_id)

        def known(link: str) -> str | None:
            uri = self._aliases.known(link, place.project.id)
            return str(uri) if uri and uri != whole else None

        return DocumentView(whole, converted, self._max_tokens, span=place.span, known=known)

    def _collection(self, place: ResourcePlace) -> Observed:
        documents = self._locator.members(place)
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
                        uri=f"{group_uri(place.project.id, group)}/{_COLLECTION}",
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
            uri=f"{place.uri}/{_COLLECTION}",
            description=f"{name}, {len(documents)} documents",
            resources=tuple(listed),
        )
        attributes = collection_attributes(name, place.project, documents)
        return _observed(place.uri, _COLLECTION, attributes, observation)


def _observed(
    resource: ResourceUri, suffix: Suffix, attributes: ResourceAttrs, observation: Observation
) -> Observed:
    return Observed(
        uri=f"{resource}/{suffix}",
        resource=str(resource),
        attributes=attributes,
        observation=observation,
    )


def _file(place: ResourcePlace, document: StoredDocument, suffix: Suffix) -> ObsFile:
    if suffix.path or place.span is not None or not document.sources:
        raise NothingThere(f"{place.uri}/{suffix}: no such file; read that of the document, $file")
    if document.mime_type in (ITEM_TYPE, NOTE_TYPE):
        raise NothingThere(
            f"{place.uri}/{suffix}: is no file but an entry of a library; read $body"
        )
    return ObsFile(
        uri=f"{place.uri}/{suffix}", path=document.sources[0].path, mime_type=document.mime_type
    )


def _name(document: StoredDocument) -> str:
    """Its citation key and title, as far as they are known."""
    citation = document.citation
    title = citation.title if citation else document.title or document.sources[0].path
    return f"{citation.citekey}: {title}" if citation else title
