"""The command ``mcp token``."""

from citeloom.infrastructure.cli.shared.run import note
from citeloom.infrastructure.cli.shared.terminal import print_line


def make_token() -> None:
    """Print a new token for `citeloom mcp --http`. It is stored nowhere."""
    from citeloom.infrastructure.serving.http.token import new_token

    print_line(new_token())
    note(
        "for the server: CITELOOM_MCP__TOKEN in its environment (or token under [mcp] of a "
        "citeloom.toml that only you can read); for clients: the header "
        "`Authorization: Bearer TOKEN`"
    )
