"""Resolution of typed citations and of fields to citation keys of a project."""

from citeloom.application.verification.cited_documents import CitedDocuments
from citeloom.domain.references.named_work import NamedWork
from citeloom.domain.verification.drafts.draft import Draft


def with_resolved_citations(draft: Draft, sources: CitedDocuments) -> Draft:
    """The draft and its parts with the key of the cited work in each item, where one work fits;
    else with the reason and the candidates."""
    if not draft.works and not draft.parts:
        return draft
    resolved = {key: _resolved(key, work, sources) for key, work in draft.works.items()}
    citations = tuple(
        citation.model_copy(
            update={
                "items": tuple(
                    item.model_copy(update=resolved.get(item.key, {})) for item in citation.items
                )
            }
        )
        for citation in draft.citations
    )
    parts = tuple(with_resolved_citations(part, sources) for part in draft.parts)
    return draft.model_copy(update={"citations": citations, "parts": parts})


def _resolved(written: str, work: NamedWork, sources: CitedDocuments) -> dict[str, object]:
    """The changed fields of an item."""
    for key in work.keys:
        if document := sources.document(key):
            return _named(written, document.citation.citekey if document.citation else key)
        if sources.is_listed(key):
            return _named(written, key)
    match = sources.matcher.match(written, work)
    if match.key is not None:
        return _named(written, match.key)
    return {
        "written": written,
        "unresolved": match.reason,
        "candidates": match.candidates,
    }


def _named(written: str, key: str) -> dict[str, object]:
    return {"key": key, "written": written if written != key else None}
