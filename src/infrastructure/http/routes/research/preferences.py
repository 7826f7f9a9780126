"""Preferences of the user."""

from fastapi import APIRouter

from citeloom.infrastructure.http.access import Verbs
from citeloom.infrastructure.http.research import PreferencesBody, PreferencesResponse

router = APIRouter(tags=["preferences"])


@router.get("/preferences")
async def show_preferences(verbs: Verbs) -> PreferencesResponse:
    """What holds for questions and reviews that say nothing else."""
    users = verbs.application.research.users
    found = await verbs.run("show preferences", users.preferences)
    return PreferencesResponse.of(found) if found else PreferencesResponse()


@router.put("/preferences")
async def replace_preferences(verbs: Verbs, body: PreferencesBody) -> PreferencesResponse:
    """Replace all of them."""
    users = verbs.application.research.users

    def replace() -> PreferencesResponse:
        replaced = users.replace(
            body.system_instructions, body.default_query_mode, body.default_research_depth
        )
        return PreferencesResponse.of(replaced)

    return await verbs.run("replace preferences", replace)
