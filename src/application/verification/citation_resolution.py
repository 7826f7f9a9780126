"""Resolution of typed citations and of fields to citation keys of a project."""

from citeloom.application.verification.cited_documents import CitedDocuments
from citeloom.domain.references.named_work import NamedWork
from citeloom.domain.verification.drafts.draft import CitedItem, Draft, InTextCitation


def with_resolved_citations(draft: Draft, sources: CitedDocuments) -> Draft:
    """The draft and its parts with the key of the cited work in each item, where one work fits;
    else with the reason and the candidates. A tentative citation of no known work is prose."""
    if not draft.works and not draft.parts:
        return draft
    resolved = {key: _resolved(key, work, sources) for key, work in draft.works.items()}
    prose, citations = draft.prose, list[InTextCitation]()
    for citation in draft.citations:
        items = [item.model_copy(update=resolved.get(item.key, {})) for item in citation.items]
        known = tuple(item for item in items if not _is_chance(draft, item))
        if known:
            citations.append(citation.model_copy(update={"items": known}))
        else:
            span = slice(citation.start, citation.end)
            prose = prose[: span.start] + draft.text[span] + prose[span.stop :]
    parts = tuple(with_resolved_citations(part, sources) for part in draft.parts)
    changed = {"prose": prose, "citations": tuple(citations), "parts": parts}
    return draft.model_copy(update=changed)


def _is_chance(draft: Draft, item: CitedItem) -> bool:
    work = draft.works.get(item.key) if item.unresolved else None
    return work is not None and work.tentative


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
    return {"written": written, "unresolved": match.reason, "candidates": match.candidates}


def _named(written: str, key: str) -> dict[str, object]:
    return {"key": key, "written": written if written != key else None}
