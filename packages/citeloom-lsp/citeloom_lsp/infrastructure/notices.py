"""Messages to the person at the editor: each once, the rest goes to the log."""

import logging
from collections.abc import Callable
from typing import Final

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from citeloom.domain.errors import CiteLoomError

#: A sentence with its next step in words of the driving adapter.
Words = Callable[[str], str]

_log: Final = logging.getLogger(__name__)


class Notices:
    """To be used on the loop."""

    def __init__(self, server: LanguageServer, words: Words) -> None:
        self._server = server
        self._words = words
        self._told: set[str] = set()

    def warn(self, problem: Exception | str) -> None:
        self._tell(problem, types.MessageType.Warning)

    def inform(self, text: str) -> None:
        self._tell(text, types.MessageType.Info)

    def log(self, problem: Exception | str) -> None:
        _log.warning("citeloom lsp: %s", self._text(problem))

    def _tell(self, problem: Exception | str, type: types.MessageType) -> None:
        text = self._text(problem)
        if text not in self._told:
            self._told.add(text)
            self.log(problem)
            self._server.window_show_message(types.ShowMessageParams(type, f"citeloom: {text}"))

    def _text(self, problem: Exception | str) -> str:
        sentence = problem.message if isinstance(problem, CiteLoomError) else str(problem)
        return self._words(sentence)
