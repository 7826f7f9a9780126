"""Suggestions for a sentence being written: works for a key, pages of a work, works to cite."""

from collections.abc import Iterable, Sequence
from typing import Final

from citeloom.application.verification.cited_documents import EvidenceSearch, Sentence
from citeloom.application.writing import LibraryView, LibraryViews
from citeloom.domain.citation.in_text import Mention
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.value import Value
from citeloom.domain.verification.drafts.draft import EvidenceQuote
from citeloom.domain.writing import CitableWork, matching_works

#: Works listed for what is typed of a key.
MOST_WORKS: Final = 200
MOST_PAGES: Final = 6
MOST_CITATIONS: Final = 5
# Sentences of less relevance to a sentence are not a source for it.
_RELEVANT: Final = 0.4


class SuggestedPage(Value):
    """A page of a work: its locator in ``mention``, and the sentence on it that fits best."""

    mention: Mention
    quote: EvidenceQuote


class Suggestions:
    """Answers from the index, without a judge: best first, and none that do not fit."""

    def __init__(self, views: LibraryViews) -> None:
        self._views = views

    def works(self, project_id: ProjectId, typed: str) -> tuple[Sequence[CitableWork], bool]:
        """Works for a partly typed key, and whether there are more. Raises ProjectNotFound."""
        return matching_works(self._views.view(project_id).works, typed, MOST_WORKS)

    def pages(self, project_id: ProjectId, key: str, sentence: str) -> Sequence[SuggestedPage]:
        """The pages of a work whose sentences are the most relevant to ``sentence``, best first;
        none for an unknown work or one without text. Raises what a search raises."""
        view = self._views.view(project_id)
        document = view.sources.document(key)
        if document is None or not document.chunks or not sentence:
            return ()
        sentences = view.evidence.of_document(sentence, document.document_id)
        return _by_place(view, key, _most_relevant(sentences), MOST_PAGES)

    def citations(self, project_id: ProjectId, sentence: str) -> Sequence[SuggestedPage]:
        """For each of the works most relevant to ``sentence`` the page with the best of its
        sentences, best first. Raises what a search raises."""
        view = self._views.view(project_id)
        best: dict[str, Sentence] = {}
        for found in _most_relevant(view.evidence.of_others(sentence, frozenset())):
            if found.relevance >= _RELEVANT:
                best.setdefault(found.document_id, found)
        suggested: list[SuggestedPage] = []
        for document_id, found in best.items():
            document = view.sources.stored(document_id)
            if document is not None and document.citation is not None:
                suggested += _by_place(view, document.citation.citekey, [found], 1)
        return suggested[:MOST_CITATIONS]


def _most_relevant(sentences: Iterable[Sentence]) -> list[Sentence]:
    return sorted(sentences, key=lambda one: -one.relevance)


def _by_place(
    view: LibraryView, key: str, sentences: Iterable[Sentence], most: int
) -> list[SuggestedPage]:
    found: dict[Mention, SuggestedPage] = {}
    for sentence in sentences:
        mention = mentioned(view.evidence, key, sentence)
        if mention not in found:
            found[mention] = SuggestedPage(mention=mention, quote=view.evidence.quote(sentence))
        if len(found) == most:
            break
    return list(found.values())


def mentioned(evidence: EvidenceSearch, key: str, sentence: Sentence) -> Mention:
    """The work with the pages of a sentence: the printed ones where all are known, else those of
    the file."""
    pages = evidence.pages(sentence)
    labels = tuple(evidence.label(sentence.document_id, page) or "" for page in pages)
    if labels and all(labels):
        return Mention(citekey=key, labels=labels)
    return Mention(citekey=key, place=f"PDF p. {pages[0]}" if pages else None)
