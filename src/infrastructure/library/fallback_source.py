"""Several sources of the same library, of which the first that answers is used."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from citeloom.application.ports.library import LibrarySource, LibraryStatus
from citeloom.domain.errors import LibraryUnavailable
from citeloom.domain.library.snapshot import LibraryAttachment, LibraryScope, LibrarySnapshot

Answer = TypeVar("Answer", LibraryStatus, LibrarySnapshot)


class FirstThatAnswers:
    """``sources`` are asked in their order. One that answers in part stands back behind a
    later one that answers whole. A file that one does not have is looked for in the others.

    What a source said before it was passed over is told in ``warnings`` or ``notices``, and
    before it ``absent``: why others are not among them. A request that is itself wrong
    (InvalidRequest) is wrong with each and ends it.
    """

    def __init__(self, sources: Sequence[LibrarySource], absent: Sequence[str] = ()) -> None:
        if not sources:
            raise ValueError("at least one source is needed")
        self._sources, self._absent = tuple(sources), tuple(absent)

    @property
    def name(self) -> str:
        return ", else ".join(source.name for source in self._sources)

    @property
    def asks_network(self) -> bool:
        return any(source.asks_network for source in self._sources)

    def status(self) -> LibraryStatus:
        found, passed = self._first(lambda source: source.status(), lambda _: True)
        return found.model_copy(update={"notices": (*passed, *found.notices)})

    def snapshot(self, scope: LibraryScope) -> LibrarySnapshot:
        found, passed = self._first(
            lambda source: source.snapshot(scope), lambda snapshot: snapshot.complete
        )
        return found.model_copy(update={"warnings": (*passed, *found.warnings)})

    def file(self, attachment: LibraryAttachment) -> Path | None:
        """Raises LibraryUnavailable if none has it and one that may have it did not answer."""
        failed: LibraryUnavailable | None = None
        for source in self._sources:
            try:
                if path := source.file(attachment):
                    return path
            except LibraryUnavailable as error:
                failed = failed or error
        if failed is not None:
            raise failed
        return None

    def close(self) -> None:
        for source in self._sources:
            source.close()

    def _first(
        self, ask: Callable[[LibrarySource], Answer], whole: Callable[[Answer], bool]
    ) -> tuple[Answer, list[str]]:
        """The answer, and why sources before it were passed over."""
        passed = list(self._absent)
        partial: tuple[Answer, list[str]] | None = None
        for source in self._sources:
            try:
                answer = ask(source)
            except LibraryUnavailable as error:
                passed.append(error.message)
                continue
            if whole(answer):
                return answer, passed
            partial = partial or (answer, list(passed))
            passed.append(f"{source.name}: not the whole library; another source is used")
        if partial is not None:
            return partial
        raise LibraryUnavailable("; ".join(passed), sources=[one.name for one in self._sources])
