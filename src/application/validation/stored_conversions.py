"""Checks of stored conversions and maps: whether they are there and whole."""

from collections.abc import Iterator, Mapping, Sequence

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.ingest import BundleStore
from citeloom.application.validation.checks import Check, failed, named, passed
from citeloom.domain.cancellation import checkpoint
from citeloom.domain.errors import StorageFailed
from citeloom.domain.messages import Action, NextStep, UserMessage
from citeloom.domain.projects.project import Project
from citeloom.domain.text.phrasing import counted, listed


def damaged_bundles(
    documents: Sequence[StoredDocument], bundles: BundleStore, *, deep: bool = False
) -> Mapping[str, str]:
    """Why the conversion of a document cannot be used, by document id. Each is read and compared
    with its checksum; ``deep`` interprets it too."""
    found = {}
    for document in documents:
        checkpoint()
        try:
            if deep:
                whole = bundles.load(document.document_id) is not None
            else:
                whole = bundles.verify(document.document_id)
        except StorageFailed as error:
            found[document.document_id] = str(error.message)
            continue
        if not whole:
            found[document.document_id] = "it is gone"
    return found


def damaged_maps(documents: Sequence[StoredDocument], bundles: BundleStore) -> Mapping[str, str]:
    """Why the map of a document cannot be used, by document id."""
    found = {}
    for document in documents:
        checkpoint()
        try:
            if bundles.load_map(document.document_id) is None:
                found[document.document_id] = "it is gone"
        except StorageFailed as error:
            found[document.document_id] = str(error.message)
    return found


def stored_conversions(
    project: Project, documents: Sequence[StoredDocument], bundles: BundleStore, *, deep: bool
) -> Iterator[Check]:
    bad = damaged_bundles(documents, bundles, deep=deep)
    yield _check(project, documents, "bundles", "without a stored conversion that is whole", bad)
    bad = damaged_maps(documents, bundles)
    yield _check(project, documents, "maps", "without a map that is whole", bad)


def _check(
    project: Project,
    documents: Sequence[StoredDocument],
    name: str,
    lacking: str,
    reasons: Mapping[str, str],
) -> Check:
    if not reasons:
        return passed(project, name, counted(len(documents), "document"))
    bad = [document for document in documents if document.document_id in reasons]
    shown = listed([f"{named(one)} ({reasons[one.document_id]})" for one in bad])
    message = f"{counted(len(bad), 'document')} {lacking}: {shown}"
    repair = UserMessage("", NextStep(Action.REPAIR, project=project.id.value))
    return failed(project, name, message, repair, items=tuple(map(named, bad)))
