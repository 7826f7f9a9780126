"""A server of a group: several projects that share papers and words, and what each may see."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
from support.http_client import client_at
from support.http_server import serving_application
from support.world import World, an_item

from citeloom.domain.ingest import IngestRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.composition.application import Application
from citeloom.infrastructure.storage.catalogue import SqlCatalogue
from citeloom.infrastructure.system.workspace import Workspace, make_folder
from citeloom_server.domain.access import Role
from citeloom_server.infrastructure.principals.store import access_control

#: By project: a word that its name, keys and files have, and that requests may name. What its
#: papers, titles and authors say in ``secret_of`` is never asked for.
PROJECTS: Mapping[str, str] = {
    "ada/alderquin": "alderquin",
    "bob/birchvoss": "birchvoss",
    "local/cedarmux": "cedarmux",
    "local/dogwyrm": "dogwyrm",
}
GRANTS: Mapping[str, Mapping[str, Role]] = {
    "ada": {"ada/alderquin": Role.OWNER, "local/cedarmux": Role.READER},
    "bob": {"bob/birchvoss": Role.OWNER, "local/cedarmux": Role.OWNER},
    "carol": {},
    "dora": {"local/dogwyrm": Role.READER},
}
#: Words of all papers, and of those that several projects have.
WORDS = ("cooling", "ponds", "grid", "error", "evening", "temperature", "sample", "distance")
_SHARED = "commonpaper"


class GroupServer(NamedTuple):
    """``names`` name things of each project: its documents in many ways."""

    address: str
    tokens: Mapping[str, str]
    application: Application
    names: Mapping[str, Sequence[str]]

    def client(self, principal: str) -> httpx2.Client:
        bearer = {"Authorization": f"Bearer {self.tokens[principal]}"}
        return client_at(self.address, headers=bearer)

    def hidden(self, principal: str) -> frozenset[str]:
        """Words of the projects that a principal may not read."""
        seen = GRANTS.get(principal)
        if seen is None:
            return frozenset()
        words = [word for project, word in PROJECTS.items() if project not in seen]
        return frozenset([*words, *map(secret_of, words)])


def secret_of(word: str) -> str:
    return f"{word[::-1]}ia"


@contextmanager
def group_server(folder: Path, **settings: Any) -> Iterator[GroupServer]:
    workspace = Workspace(folder / "space")
    make_folder(workspace.home)
    world = World(
        workspace.root,
        catalogue=SqlCatalogue(workspace.catalogue_url),
        settings={"mcp": {"stateless": True}, **settings},
    )
    application = world.application
    names = {project: _filled(world, application, project) for project in PROJECTS}
    tokens = {name: access_control(application).add(name).token for name in GRANTS}
    tokens["root"] = access_control(application).add("root", administrator=True).token
    for name, roles in GRANTS.items():
        for project, role in roles.items():
            access_control(application).grant(name, ProjectId(value=project), role)
    with serving_application(application) as address:
        yield GroupServer(address, tokens, application, names)
    application.close()


def _filled(world: World, application: Application, project: str) -> Sequence[str]:
    word = PROJECTS[project]
    texts = {
        f"{word}-{number}.md": (f"10.5555/{word}.{number}", _text(word, number))
        for number in range(3)
    }
    for number in range(2):
        texts[f"{_SHARED}-{number}.md"] = (f"10.5555/{_SHARED}.{number}", _text(_SHARED, number))
    paths = [world.write(f"files-{word}/{name}", text) for name, (_, text) in texts.items()]
    items = [
        an_item(f"{word}Key{number}", doi, title=f"On {secret_of(word)} and {WORDS[number]}")
        for number, (doi, _) in enumerate(texts.values())
    ]
    references = world.cite(*items, path=Path(f"/{word}.json"))
    project_id = ProjectId(value=project)
    request = IngestRequest(
        project_id=project_id, sources=tuple(map(str, paths)), references=references
    )
    result = application.ingest.files(request)
    assert result.documents_processed == len(texts), result
    documents = application.stores.catalogue.documents(project_id)
    keys = [one.citation.citekey for one in documents if one.citation]
    ids = [one.document_id for one in documents]
    return [*keys, *ids, *(id[:16] for id in ids), *(path.name for path in paths), word]


def _text(word: str, number: int) -> str:
    first, second = WORDS[number % len(WORDS)], WORDS[(number + 3) % len(WORDS)]
    mark = hashlib.sha256(f"{word}{number}".encode()).hexdigest()[:8]
    secret = secret_of(word)
    return (
        f"# The {secret} study of {first}\n\nOriana {secret.title()}, "
        f"doi:10.5555/{word}.{number}\n\n"
        f"## Methods {secret}\n\nWe measured the {first} of {secret} with the {second}.\n\n"
        f"## Results\n\nThe {secret} {second} falls with {first} and is gone at {mark} metres, as "
        f"the {secret} ponds show for every temperature and distance.\n"
    )
