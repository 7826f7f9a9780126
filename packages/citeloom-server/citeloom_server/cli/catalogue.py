"""The command ``catalogue move``."""

from typing import Annotated

import typer

from citeloom.infrastructure.cli.shared.options import JsonOption, WorkspaceOption
from citeloom.infrastructure.cli.shared.output import print_json
from citeloom.infrastructure.cli.shared.run import application, note
from citeloom.infrastructure.cli.shared.terminal import print_line
from citeloom.infrastructure.cli.shell import CommandGroup

app = typer.Typer(
    cls=CommandGroup, help="Move the catalogue between databases.", no_args_is_help=True
)


@app.callback()
def _group() -> None:
    """A group, also of one command."""


@app.command()
def move(
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="URL|sqlite",
            help="postgresql://USER@HOST/DATABASE (the password in PGPASSWORD or ~/.pgpass), or "
            "sqlite: the file in the workspace.",
        ),
    ],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace another catalogue at the target.")
    ] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Copy catalogue and record of research into another database, verified row by row.

    Others can read meanwhile, and write to neither. The old database stays as it is; then set
    catalogue.url. After an interruption run the same command again.
    """
    with application(workspace, as_json=as_json, owner="citeloom catalogue move") as opened:
        from citeloom_server.infrastructure.database.transfer import CatalogueMover

        stores = opened.stores
        mover = CatalogueMover(
            stores.catalogue_url,
            opened.workspace.catalogue,
            stores.locks,
            wait_seconds=stores.settings.index.wait_seconds,
        )
        moved = mover(to, replace=replace)
        if as_json:
            print_json(moved)
        else:
            did = "copied and verified" if moved.copied else "there already, verified"
            rows = f"{moved.rows:,} rows of {len(moved.tables)} tables"
            print_line(f"{moved.source} → {moved.target}: {rows}, {did}")
        if moved.kept:
            note(f"the previous content is in {moved.kept}")
        note(_setting(moved.target))


def _setting(target: str) -> str:
    restart = "then start servers and watches again; until then the old one is in use"
    if target.startswith("postgresql"):
        where = "under [catalogue] in citeloom.toml, or CITELOOM_CATALOGUE__URL"
        return f'set url = "{target}", with its password, {where}; {restart}'
    return f"remove url under [catalogue] in citeloom.toml, and CITELOOM_CATALOGUE__URL; {restart}"
