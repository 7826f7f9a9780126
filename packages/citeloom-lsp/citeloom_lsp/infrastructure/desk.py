"""The workspace and project that a server answers from."""

import logging
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from citeloom.application.places.cut import OpenRequest
from citeloom.application.ports.verification import DraftMarkup, DraftText
from citeloom.application.verification.verify import CheckProgress, VerifyRequest
from citeloom.domain.errors import CiteLoomError
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.verification.drafts.draft import CitedItem, Draft, Verification
from citeloom_lsp.application.citation_cards import CitationCard, CitationCards
from citeloom_lsp.application.suggestions import SuggestedPage, Suggestions
from citeloom_lsp.domain.citations import DraftParagraph, paragraph_at

from .buffers import Buffer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from citeloom.application.writing import LibraryView
    from citeloom.domain.writing import CitableWork, PlacedFinding
    from citeloom.infrastructure.composition.application import Application

#: Opens the workspace named, or the one found from a folder.
OpenWorkspace = Callable[[Path | None, Path | None], "Application"]

_REMEMBERED: Final = 256
_log: Final = logging.getLogger(__name__)


class Desk:
    """One project of one workspace. Its methods block; they may be called from several threads
    once ``open`` has returned."""

    def __init__(self, application: "Application", project_id: ProjectId) -> None:
        self.application = application
        self.project_id = project_id
        self._suggestions = suggestions = Suggestions(application.writing.views)
        cards = CitationCards(application.writing.views)
        self._seen: LibraryView | None = None

        # A view is another object when the library has changed.
        @lru_cache(maxsize=_REMEMBERED)
        def pages(_view: "LibraryView", key: str, sentence: str) -> "Sequence[SuggestedPage]":
            return suggestions.pages(project_id, key, sentence)

        @lru_cache(maxsize=_REMEMBERED)
        def card(_view: "LibraryView", item: CitedItem, claim: str) -> "CitationCard":
            return cards.card(project_id, item, claim)

        self._pages = pages
        self._card = card

    def warm_up(self) -> None:
        """Load what the first answers need: models, the index, the readers of drafts."""
        try:
            self.application.search.load_ahead(self.project_id)
            for markup in (DraftMarkup.MARKDOWN, DraftMarkup.LATEX, DraftMarkup.TYPST):
                self.application.verification.drafts.parse(DraftText(text="x", markup=markup))
            self._suggestions.citations(self.project_id, "warm")
        except CiteLoomError as error:
            _log.warning("citeloom lsp: %s", error)

    def refresh(self) -> None:
        """Load the library's current state."""
        views, before = self.application.writing.views, self._seen
        self._seen = views.refresh(self.project_id)
        if self._seen is not before:  # the former view is large
            self._pages.cache_clear()
            self._card.cache_clear()

    def works(self, typed: str) -> "Sequence[CitableWork]":
        return self._suggestions.works(self.project_id, typed)[0]

    def pages(self, key: str, sentence: str) -> "Sequence[SuggestedPage]":
        return self._pages(self._view, key, sentence)

    def citations(self, sentence: str) -> "Sequence[SuggestedPage]":
        return self._suggestions.citations(self.project_id, sentence)

    def card(self, item: CitedItem, claim: str) -> "CitationCard":
        # Its place in the draft makes no difference.
        return self._card(self._view, item.model_copy(update={"start": 0, "end": 0}), claim)

    def opened(self, card: "CitationCard") -> tuple[Path, int | None] | None:
        """The file of a card, and its page: a copy with the words marked, or the file itself if no
        copy can be made; None without a file."""
        if card.target is None:
            return None
        quote = card.quote.text if card.quote else None
        request = OpenRequest(project_id=self.project_id, name=card.target, quote=quote)
        try:
            shown = self.application.maps.cut.open(request)
        except CiteLoomError as error:
            _log.warning("citeloom lsp: %s", error)
        else:
            return shown.path, shown.page
        path = Path(card.source) if card.source else None
        return (path, card.file_page) if path is not None and path.is_file() else None

    def draft(self, text: str, markup: DraftMarkup) -> Draft:
        return self.application.verification.drafts.parse(DraftText(text=text, markup=markup))

    def findings(self, text: str, markup: DraftMarkup) -> "tuple[PlacedFinding, ...]":
        """The stored findings that hold for a text."""
        written = DraftText(text=text, markup=markup)
        return self.application.writing.findings.of(self.project_id, written)

    def model_notice(self) -> str | None:
        """What a check sends to a language model, if one is configured. Raises
        ConfigurationError."""
        return self.application.verification.model_notice()

    def verify(self, buffer: Buffer, report: CheckProgress) -> Verification:
        """Check a saved draft: the file with its included files."""
        path = Path(buffer.path) if buffer.path else None
        draft: Path | DraftText
        if path is not None and path.is_file():
            draft = path
        else:
            draft = DraftText(text=buffer.text, markup=buffer.markup)
        request = VerifyRequest(project_id=self.project_id, draft=draft)
        return self.application.verification.verify(request, report)

    @property
    def _view(self) -> "LibraryView":
        return self.application.writing.views.view(self.project_id)


def open_desk(
    open_workspace: OpenWorkspace, workspace: str | None, folder: Path | None, project: str | None
) -> Desk:
    """Raises ConfigurationError, InvalidRequest, ProjectNotFound, StorageFailed."""
    application = open_workspace(Path(workspace) if workspace else None, folder)
    try:
        desk = Desk(application, application.projects.choice(project))
        desk.refresh()
        return desk
    except BaseException:
        application.close()
        raise


def paragraph_of(buffer: Buffer, offset: int) -> DraftParagraph:
    return paragraph_at(buffer.text, offset, buffer.markup.value)
