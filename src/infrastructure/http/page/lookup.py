"""What the library shows of a look-up that has ended: records to accept or leave, and the rest."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from citeloom.domain.projects.project import ProjectId
from citeloom.domain.references.lookup import (
    IdentifiedDocument,
    IdentifyOutcome,
    IdentifyResult,
    entry_line,
)
from citeloom.infrastructure.http.problems import in_words

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application


class LookedUp(NamedTuple):
    """A looked-up document: ``own`` is its own data, ``found`` the record as one line, ``how`` the
    source, the search and how well it agrees."""

    document: str
    name: str
    url: str
    own: str
    found: str
    how: str
    why: str
    notices: Sequence[str]


class LookupView(NamedTuple):
    """``proposed`` are those that still have a provisional citation; ``rest`` are outcomes with
    their documents."""

    summary: str
    proposed: Sequence[LookedUp]
    rest: Sequence[tuple[str, Sequence[LookedUp]]]


_NAMES = {
    IdentifyOutcome.TAKEN: "taken",
    IdentifyOutcome.PROPOSED: "to accept or leave",
    IdentifyOutcome.NOTHING: "not found",
    IdentifyOutcome.FAILED: "not answered",
    IdentifyOutcome.KEPT: "with an entry of their own",
}


def looked_up(application: "Application", result: IdentifyResult) -> LookupView:
    """Raises ProjectNotFound."""
    groups: dict[IdentifyOutcome, list[LookedUp]] = {one: [] for one in _NAMES}
    for one in result.documents:
        stored = application.stores.catalogue.document(
            ProjectId.parse(result.project), one.document_id
        )
        if stored is None:  # it was removed since
            continue
        outcome = one.outcome
        if outcome is IdentifyOutcome.PROPOSED and stored.is_cited:
            outcome = IdentifyOutcome.TAKEN
        base = stored.without_own.citation
        own = [stored.title or "no title", ", ".join(stored.authors), str(stored.year or "")]
        if base is not None and base.doi:
            own.append(f"doi:{base.doi}")
        groups[outcome].append(_shown(one, result.project, ". ".join(filter(None, own))))
    counts = [f"{len(found)} {_NAMES[one]}" for one, found in groups.items() if found]
    return LookupView(
        summary=", ".join(counts) or "no paper",
        proposed=groups.pop(IdentifyOutcome.PROPOSED),
        rest=[(_NAMES[one], found) for one, found in groups.items() if found],
    )


def _shown(one: IdentifiedDocument, project: str, own: str) -> LookedUp:
    how = f"{one.service}, by {one.by}: {one.agreement}" if one.found else ""
    return LookedUp(
        document=one.document_id,
        name=one.name,
        url="/paper?" + urlencode({"project": project, "document": one.document_id}),
        own=own,
        found=entry_line(one.found) if one.found else "",
        how=how,
        why=in_words(one.why),
        notices=one.notices,
    )
