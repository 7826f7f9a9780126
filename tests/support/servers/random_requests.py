"""Random requests over the REST interface, and answers without what differs from run to run."""

import random
import re
from collections.abc import Callable
from typing import Any

import httpx2

Answer = tuple[str, int, Any]
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b")
# Times, and what was made by others or takes as long as it takes.
_PASSING = frozenset(
    {"createdAt", "updatedAt", "deletedAt", "created_at", "stored_at", "started", "total", "next",
     "duration_seconds", "seconds", "doing", "position", "correlation_id", "done", "cached"}
)  # fmt: skip
_WORDS = ("cooling", "grid", "error", "ponds", "metres", "square", "evening")


class RandomRequests:
    """A sequence that ``seed`` decides, sent to ``client``; ``prefix`` keeps its things apart from
    those of another run."""

    def __init__(self, client: httpx2.Client, seed: int, prefix: str) -> None:
        self._client = client
        self._random = random.Random(seed)
        self._prefix = prefix
        self._chats: list[str] = []
        self._jobs: list[str] = []
        self._names: dict[str, str] = {}
        self._kinds: list[Callable[[], httpx2.Response]] = [
            self._open, self._rename, self._list, self._ask, self._delete, self._restore,
            self._prefer, self._preferences, self._query, self._query, self._documents,
            self._read, self._references, self._check, self._job, self._findings, self._wrong,
        ]  # fmt: skip

    def run(self, count: int) -> list[Answer]:
        """The answers, as they are the same in every run of the seed."""
        return [self._answer(self._random.choice(self._kinds)) for _ in range(count)]

    def forget(self) -> None:
        """Leave nothing of it to the next run."""
        for chat in self._chats:
            self._client.delete(f"/chats/{chat}")
        self._client.put("/preferences", json={})

    def _answer(self, send: Callable[[], httpx2.Response]) -> Answer:
        response = send()
        told = response.json() if "json" in response.headers.get("content-type", "") else None
        return send.__name__, response.status_code, self._lasting(told)

    def _lasting(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {
                name: self._lasting(self._own(part) if name == "chats" else part)
                for name, part in value.items()
                if name not in _PASSING
            }
        if isinstance(value, list):
            return [self._lasting(one) for one in value]
        if not isinstance(value, str):
            return value
        bare = value.replace(self._prefix, "of")
        return _ID.sub(lambda m: self._names.setdefault(m[0], f"id{len(self._names)}"), bare)

    def _own(self, chats: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Of all that there are, those of this run."""
        return [one for one in chats if str(one["title"]).startswith(self._prefix)]

    def _some(self, known: list[str]) -> str:
        """One of those that were made, or one that was not."""
        return self._random.choice([*known, "00000000-0000-4000-8000-000000000000"])

    def _words(self) -> str:
        return " ".join(self._random.sample(_WORDS, 3))

    def _open(self) -> httpx2.Response:
        title = f"{self._prefix} {len(self._chats)}"
        made = self._client.post("/chats", json={"title": title})
        self._chats.append(made.json()["id"])
        return made

    def _rename(self) -> httpx2.Response:
        title = f"{self._prefix} {self._words()}"
        return self._client.patch(f"/chats/{self._some(self._chats)}", json={"title": title})

    def _list(self) -> httpx2.Response:
        deleted = self._random.choice(("true", "false"))
        return self._client.get(f"/chats?limit=100&deleted={deleted}")

    def _ask(self) -> httpx2.Response:
        body = {"content": self._words(), "queryMode": "simple", "project": "samples"}
        return self._client.post(f"/chats/{self._some(self._chats)}/messages", json=body)

    def _delete(self) -> httpx2.Response:
        return self._client.delete(f"/chats/{self._some(self._chats)}")

    def _restore(self) -> httpx2.Response:
        return self._client.post(f"/chats/{self._some(self._chats)}/restore")

    def _prefer(self) -> httpx2.Response:
        depth = self._random.choice(("light", "medium", "deepest"))
        return self._client.put("/preferences", json={"defaultResearchDepth": depth})

    def _preferences(self) -> httpx2.Response:
        return self._client.get("/preferences")

    def _query(self) -> httpx2.Response:
        asked = {"project": "samples", "text": self._words(), "top_k": self._random.randint(0, 4)}
        return self._client.post("/query", json=asked)

    def _documents(self) -> httpx2.Response:
        reverse = self._random.choice(("true", "false"))
        return self._client.get(f"/projects/local/samples/documents?sort=title&reverse={reverse}")

    def _read(self) -> httpx2.Response:
        name = self._random.choice(("ponds.md", "grids.md", "nothing.md"))
        return self._client.get("/read", params={"place": name, "project": "samples"})

    def _references(self) -> httpx2.Response:
        kind = self._random.choice(("bibtex", "ris", "none"))
        return self._client.get(f"/projects/local/samples/references?format={kind}")

    def _check(self) -> httpx2.Response:
        text = f"{self._prefix} {self._words()} [@nobody, p. {self._random.randint(1, 9)}]."
        sent = self._client.post("/projects/local/samples/verifications", json={"text": text})
        self._jobs.append(sent.json()["id"])
        self._client.get(f"/jobs/{self._jobs[-1]}/events")  # to its end
        return self._client.get(f"/jobs/{self._jobs[-1]}")

    def _job(self) -> httpx2.Response:
        return self._client.get(f"/jobs/{self._some(self._jobs)}")

    def _findings(self) -> httpx2.Response:
        return self._client.get(f"/jobs/{self._some(self._jobs)}/verification")

    def _wrong(self) -> httpx2.Response:
        method, path = self._random.choice(
            (("GET", "/nothing"), ("POST", "/chats?x=1"), ("DELETE", "/jobs/none"),
             ("GET", "/projects/local/none"), ("PUT", "/query"))
        )  # fmt: skip
        return self._client.request(method, path, json={"unknown": 1})
