"""The plugin of this package."""

from collections.abc import Mapping

from citeloom.infrastructure.plugins import CommandEntry, Plugin


class LspPlugin(Plugin):
    """CiteLoom in an editor, over the Language Server Protocol."""

    def commands(self) -> Mapping[str, Mapping[str, CommandEntry]]:
        sentence = "Serve the library to an editor (Language Server Protocol)."
        return {"Server": {"lsp": CommandEntry("citeloom_lsp.command:lsp", sentence)}}
