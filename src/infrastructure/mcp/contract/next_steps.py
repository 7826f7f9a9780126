"""Next steps as calls of tools, and where no tool does it, as what the user can do."""

from collections.abc import Mapping

from citeloom.domain import messages
from citeloom.domain.messages import Action, NextStep

NEXT_STEPS: Mapping[Action, str] = {
    Action.ADD_DOCUMENTS: "add documents with ingest_from_source",
    Action.ADD_REFERENCES: "call ingest_from_source with options.references",
    Action.ALLOW_STALE: "call ingest_from_source for the file as it is",
    Action.CANCEL_SESSION: "wait, or call review with job_id {session} and cancel",
    Action.CONVERT_MAP: "the user can convert the map of another tool",
    Action.CREATE_PROJECT: "create one with ingest_from_source",
    Action.DELETE_PROJECT: "the user can delete {project}",
    Action.DROP_COPIES: "the user can move {project} again and drop the old copies",
    Action.DROP_MODEL: "the user can drop {model} from {project}",
    Action.FETCH_MODEL: "the user can fetch {model}",
    Action.GIVE_PASSWORD: "the user can set pdf.passwords in citeloom.toml",
    Action.INGEST_AGAIN: "call ingest_from_source with options.force_rebuild",
    Action.LIST_MAPS: "listResources names those there are, ingest_from_source adds documents",
    Action.LIST_MODELS: "list_projects names the models in use",
    Action.LIST_SESSIONS: "call review with a question, or a session_id that it gave as job_id",
    Action.LOCATE_ONLY: "call resolve with virtual",
    Action.MAP_FILE: "the user can map {path} again",
    Action.MIGRATE_MODEL: "the user can migrate {project} to {model}",
    Action.OPTIMIZE: "the user can optimize {project}",
    Action.REPAIR: "the user can validate and repair {project}",
    Action.REPLACE: "the user can have them replaced",
    Action.RESTORE_SESSION: "the user can restore {session}",
    Action.RESUME_SESSION: "call review with job_id {session} to go on",
    Action.SEARCH_BY_MEANING: "use the tool query",
    Action.SHOW_PROJECT: "list_projects shows how it is now; try again",
    Action.SHOW_SESSION: "call review with job_id {session} for its report",
    Action.USE_MODEL: "the user can put {model} of {project} in use",
}
_PLACEHOLDERS: Mapping[str, str] = {
    "project": "the project",
    "path": "the file",
    "model": "another model",
    "session": "its id",
}


def in_words(sentence: str) -> str:
    """A sentence, and the tool to go on with where there is one."""
    return messages.in_words(sentence, _call)


def _call(step: NextStep) -> str:
    return NEXT_STEPS[step.action].format_map({**_PLACEHOLDERS, **step.arguments})
