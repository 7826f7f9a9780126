"""Next steps as command lines and options."""

import shlex
from collections.abc import Mapping

from citeloom.domain import messages
from citeloom.domain.messages import Action, NextStep

NEXT_STEPS: Mapping[Action, str] = {
    Action.ADD_AGAIN: "for the same person add --again",
    Action.ADD_DOCUMENTS: "add documents with `citeloom ingest {path} --project {project}`",
    Action.ADD_REFERENCES: "run `citeloom ingest --references FILE --project {project}`",
    Action.ALLOW_STALE: "or pass --allow-stale to cut from the file as it is",
    Action.CANCEL_SESSION: "wait, or run `citeloom session cancel {session}`",
    Action.CHOOSE_PROJECT: "name one with --project, or make one the default with "
    "`citeloom project use NAME`",
    Action.CREATE_PROJECT: "make one with `citeloom ingest {path}`",
    Action.CUT_EXACTLY: "try it with --exact",
    Action.DELETE_PROJECT: "or delete it with `citeloom project delete {project}`",
    Action.DROP_COPIES: "delete them: `citeloom project move {project} --to PLACE --drop-old`",
    Action.DROP_MODEL: "run `citeloom models drop {model} --project {project}`",
    Action.FETCH_MODEL: "fetch it with `citeloom models fetch {model}`",
    Action.FREE_SPACE: "free some space and run the same command again; what was stored is kept",
    Action.GIVE_PASSWORD: "pass it with --password or CITELOOM_PASSWORD, or set pdf.passwords in "
    "citeloom.toml",
    Action.INGEST_AGAIN: "run `citeloom ingest` again with --force",
    Action.LIST_MAPS: "`citeloom list` shows those there are, `citeloom map {path}` makes one",
    Action.LIST_MODELS: "`citeloom models list` has their names",
    Action.LIST_SESSIONS: "`citeloom session list` shows those that there are",
    Action.LIST_TAGS: "see `citeloom zotero tags`",
    Action.LIST_UNCITED: "add --uncited to list facts without a citation",
    Action.LOCATE_LIBRARY: "set zotero.data_dir (CITELOOM_ZOTERO__DATA_DIR) or pass --data-dir: in "
    "Zotero's settings, Advanced, Files and Folders, it is shown as Data Directory Location",
    Action.LOCATE_ONLY: "use --virtual",
    Action.MAKE_WRITABLE: "make it writable, or choose another folder with `--workspace` or "
    "CITELOOM_WORKSPACE",
    Action.MAP_FILE: "run `citeloom map {path}`",
    Action.MIGRATE_MODEL: "to change the model, run "
    "`citeloom project migrate {project} --model {model}`",
    Action.OPTIMIZE: "run `citeloom project optimize {project}`",
    Action.REPAIR: "run `citeloom validate --project {project} --repair`",
    Action.REPLACE: "if not, add --replace to remove them",
    Action.RESTORE: "run `citeloom restore {path}`",
    Action.RESTORE_SESSION: "`citeloom session restore {session}` brings it back",
    Action.RESUME_SESSION: "go on with it by `citeloom session resume {session}`",
    Action.SEARCH_BY_MEANING: "use `--mode dense`",
    Action.SHOW_SESSION: "`citeloom session show {session}` shows its report",
    Action.USE_MODEL: "run `citeloom models use {model} --project {project}`",
}
_REPAIR_ALL = "run `citeloom validate --repair`"
_PLACEHOLDERS: Mapping[str, str] = {
    "project": "NAME",
    "path": "PATH",
    "model": "MODEL",
    "session": "ID",
}


def in_words(sentence: str) -> str:
    """A sentence, and the command to go on with where there is one."""
    return messages.in_words(sentence, _command)


def _command(step: NextStep) -> str:
    if step.action is Action.REPAIR and step.project is None:
        return _REPAIR_ALL
    values = {name: shlex.quote(value) for name, value in step.arguments.items()}
    return NEXT_STEPS[step.action].format_map({**_PLACEHOLDERS, **values})
