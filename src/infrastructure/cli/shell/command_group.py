"""Command groups whose help has the whole first sentence of each command."""

from typing import Any

from typer.core import TyperGroup


class CommandGroup(TyperGroup):
    """Typer's group cuts the sentences to the width of the terminal; here they are wrapped."""

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            rows = [(name, _first_sentence(one.help or "")) for name, one in self.commands.items()]
            formatter.write_dl(rows)


def _first_sentence(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].split())
