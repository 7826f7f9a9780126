"""Public services of bibliographic records over HTTP, politely and with a cache.

A DOI is asked for at doi.org (content negotiation, https://citation.doi.org/docs.html), which
redirects to its registration agency; an arXiv id is the DOI ``10.48550/arXiv.ID``. A PMID is asked
for at PubMed's citation exporter, an ISBN at OpenLibrary, a title at Crossref, then at OpenAlex.
What DataCite has of versions is asked for at its REST API: its CSL-JSON leaves them out.
"""

import hashlib
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlencode, urljoin, urlsplit

import httpx2
import orjson

from citeloom.application.ports.citation import PUBLISHED, OpenPdf
from citeloom.domain.errors import LookupFailed
from citeloom.domain.references.identifiers import normalise_arxiv, normalise_doi
from citeloom.domain.references.lookup import FoundWork, numbered
from citeloom.infrastructure.system.files import write_atomic
from citeloom.infrastructure.system.http_client import (
    ClientClock,
    NotAnswered,
    RateLimitedClient,
    RetryPolicy,
)
from citeloom.infrastructure.system.workspace import make_folder

from .records import (
    csl_record,
    datacite_versions,
    open_pdfs,
    openalex_record,
    openlibrary_record,
)

_CSL: Final = "application/vnd.citationstyles.csl+json"
_JSON: Final = "application/json"
_JSON_API: Final = "application/vnd.api+json"
# Registration agencies that answer in CSL-JSON (https://citation.doi.org/docs.html). A DOI of
# another one leads to a publisher's page, which is not asked for.
_AGENCIES: Final = ("doi.org", "crossref.org", "datacite.org", "crosscite.org", "medra.org")
_NAMES: Final = {
    "crossref.org": "Crossref",
    "datacite.org": "DataCite",
    "crosscite.org": "DataCite",
    "medra.org": "mEDRA",
}
_MOST_REDIRECTS: Final = 4
_MOST_BYTES: Final = 8 * 2**20
_CANDIDATES: Final = 3
_LONGEST_TITLE: Final = 300
# A second: three requests, the fewest of those that the services allow (NCBI, "Usage Guidelines").
_INTERVAL: Final = 0.34
# Failures in a row after which a host is not asked again.
_PATIENCE: Final = 2
_DAYS_KEPT: Final = 30


class _Answer(NamedTuple):
    """``body`` is None for 404; ``host`` answered. ``url`` and ``path`` are those that the cache
    knows it by."""

    host: str
    body: Any
    url: str
    path: Path


class WorkServices:
    """``WorkLookup`` over HTTP. ``contact`` is an e-mail address that goes with each request, as
    Crossref and OpenAlex ask for; answers are kept for 30 days in ``cache``. Each request takes
    ``timeout`` seconds at most, three times, and a host that failed twice is not asked again.

    The hosts are those above; redirects are followed to ``_AGENCIES`` alone, over https."""

    def __init__(
        self,
        cache: Path,
        *,
        version: str,
        contact: str = "",
        timeout: float = 20.0,
        clock: ClientClock | None = None,
        transport: httpx2.BaseTransport | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._cache = cache
        self._contact = contact
        about = f"; mailto:{contact}" if contact else ""
        self._agent = f"CiteLoom/{version} (local literature search{about})"
        self._pace = RetryPolicy(timeout=timeout, longest=10.0, interval=_INTERVAL)
        self._clock = clock or ClientClock()
        self._transport = transport
        self._now = now
        self._clients: dict[str, RateLimitedClient] = {}
        self._failures: dict[str, int] = {}

    def close(self) -> None:
        for client in self._clients.values():
            client.close()

    def by_identifier(self, identifier: str) -> FoundWork | None:
        other = numbered(identifier)
        if other and other[0] == "pmid":
            return self._of_pmid(other[1])
        if other:
            return self._of_isbn(other[1])
        arxiv = normalise_arxiv(identifier)
        doi = f"10.48550/arXiv.{arxiv[len('arXiv:') :]}" if arxiv else normalise_doi(identifier)
        if doi is None:
            raise ValueError(f"{identifier!r} is not an identifier that is looked up")
        answer = self._get(f"https://doi.org/{quote(doi, safe='/:;()')}", _CSL)
        service = next(
            (name for end, name in _NAMES.items() if answer.host.endswith(end)), answer.host
        )
        found = self._read(answer, answer.body, lambda one: csl_record(one, service))
        return self._with_versions(found, doi) if found and service == "DataCite" else found

    @property
    def catalogues(self) -> Sequence[str]:
        return ("Crossref", "OpenAlex")

    def by_title(self, catalogue: str, title: str, author: str) -> Sequence[FoundWork]:
        if catalogue == "Crossref":
            return self._at_crossref(title[:_LONGEST_TITLE], author)
        return self._at_openalex(" ".join(re.findall(r"\w+", title))[:_LONGEST_TITLE])

    def open_pdfs(self, item: Mapping[str, Any]) -> Sequence[OpenPdf]:
        """At arXiv for its own papers, else the locations of OpenAlex, and of Unpaywall, which asks
        for a contact address. Raises LookupFailed where none could be asked."""
        doi = normalise_doi(str(item.get("DOI", ""))) or ""
        if arxiv := normalise_arxiv(doi) or normalise_arxiv(str(item.get("number", ""))):
            address = f"https://arxiv.org/pdf/{arxiv.removeprefix('arXiv:')}"
            return [OpenPdf(address, PUBLISHED)]
        name = quote(doi, safe="/:;()")
        asked = [self._polite(f"https://api.openalex.org/works/doi:{name}", {})]
        if self._contact:
            mail = urlencode({"email": self._contact})
            asked.append(f"https://api.unpaywall.org/v2/{name}?{mail}")
        found: dict[str, OpenPdf] = {}
        failures = []
        for url in asked if doi else ():
            try:
                answer = self._get(url, _JSON)
                found |= {one.url: one for one in open_pdfs(answer.body) if one.url not in found}
                self._keep(answer)
            except LookupFailed as error:
                failures.append(error)
        if failures and len(failures) == len(asked):
            raise failures[0]
        return sorted(found.values(), key=lambda one: one.version != PUBLISHED)

    def _with_versions(self, found: FoundWork, doi: str) -> FoundWork:
        """Without an answer the record stays as it is: of versions nothing is known then."""
        url = f"https://api.datacite.org/dois/{quote(doi, safe='/:;()')}"
        try:
            answer = self._get(url, _JSON_API)
        except LookupFailed:
            return found
        self._keep(answer)
        versions = datacite_versions(answer.body)
        if not versions:
            return found
        custom = {**found.item["custom"], "versions": versions}
        return found.model_copy(update={"item": {**found.item, "custom": custom}})

    def _of_pmid(self, pmid: str) -> FoundWork | None:
        query = urlencode({"format": "csl", "id": pmid})
        answer = self._get(f"https://api.ncbi.nlm.nih.gov/lit/ctxp/v1/pubmed/?{query}", _JSON)
        return self._read(answer, answer.body, lambda one: csl_record(one, "PubMed"))

    def _of_isbn(self, isbn: str) -> FoundWork | None:
        key = f"ISBN:{isbn}"
        query = urlencode({"bibkeys": key, "jscmd": "data", "format": "json"})
        answer = self._get(f"https://openlibrary.org/api/books?{query}", _JSON)
        books = answer.body if isinstance(answer.body, dict) else {}
        return self._read(answer, books.get(key), lambda one: openlibrary_record(one, isbn))

    def _at_crossref(self, title: str, author: str) -> list[FoundWork]:
        query = {"query.bibliographic": title, "query.author": author, "rows": str(_CANDIDATES)}
        answer = self._get(self._polite("https://api.crossref.org/works", query), _JSON)
        works = self._within(answer, "message", "items")
        return self._all(answer, works, lambda body: csl_record(body, "Crossref"))

    def _at_openalex(self, words: str) -> list[FoundWork]:
        query = {"filter": f"title.search:{words}", "per-page": str(_CANDIDATES)}
        answer = self._get(self._polite("https://api.openalex.org/works", query), _JSON)
        return self._all(answer, self._within(answer, "results"), openalex_record)

    def _polite(self, url: str, query: dict[str, str]) -> str:
        mail = {"mailto": self._contact} if self._contact else {}
        stated = {name: value for name, value in (query | mail).items() if value}
        return f"{url}?{urlencode(stated)}" if stated else url

    def _within(self, answer: _Answer, *path: str) -> list[Any]:
        found = answer.body
        for name in path:
            found = found.get(name) if isinstance(found, dict) else None
        if answer.body is not None and not isinstance(found, list):
            raise LookupFailed(f"{answer.host}: its answer is not of the known form")
        return found or []

    def _read(
        self, answer: _Answer, record: Any, read: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> FoundWork | None:
        return next(iter(self._all(answer, [record] if record else [], read)), None)

    def _all(
        self,
        answer: _Answer,
        records: Sequence[Any],
        read: Callable[[dict[str, Any]], dict[str, Any]],
    ) -> list[FoundWork]:
        """Records as works; of several, those that cannot be read are left out. The answer is
        kept."""
        found = []
        for record in records:
            try:
                if not isinstance(record, dict):
                    raise ValueError("not a record")
                item = read(record)
            except ValueError as error:
                if len(records) == 1:
                    raise LookupFailed(f"{answer.host}: its answer is {error}") from error
                continue
            found.append(FoundWork(item=item, service=item["custom"]["source"]))
        self._keep(answer)
        return found

    def _get(self, url: str, accept: str) -> _Answer:
        """Raises LookupFailed."""
        name = hashlib.sha256(f"{accept} {url}".encode()).hexdigest()
        path = self._cache / f"{name}.json"
        return self._kept(url, path) or _Answer(*self._ask(url, accept), url, path)

    def _keep(self, answer: _Answer) -> None:
        if self._kept(answer.url, answer.path) is None:
            make_folder(answer.path.parent)
            stored = {"url": answer.url, "host": answer.host, "body": answer.body}
            write_atomic(answer.path, orjson.dumps(stored))

    def _kept(self, url: str, path: Path) -> _Answer | None:
        try:
            if self._now() - path.stat().st_mtime > _DAYS_KEPT * 86_400:
                return None
            content = orjson.loads(path.read_bytes())
            return _Answer(str(content["host"]), content["body"], url, path)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _ask(self, url: str, accept: str) -> tuple[str, Any]:
        """The host that answered, and the JSON."""
        for _ in range(_MOST_REDIRECTS):
            host = urlsplit(url).hostname or ""
            if self._failures.get(host, 0) >= _PATIENCE:
                raise LookupFailed(f"{host}: failed {_PATIENCE} times, and is not asked again")
            try:
                with closing(self._response(url, host, accept)) as response:
                    if response.is_redirect:
                        url = _allowed(url, response.headers.get("location", ""), host)
                        continue
                    body = self._body(response, host)
            except NotAnswered as error:
                self._failures[host] = self._failures.get(host, 0) + 1
                raise LookupFailed(f"{host}: {error}") from error
            except httpx2.DecodingError as error:
                raise LookupFailed(f"{host}: its answer cannot be unpacked") from error
            self._failures[host] = 0
            return host, body
        raise LookupFailed(f"{host}: redirects {_MOST_REDIRECTS} times")

    def _response(self, url: str, host: str, accept: str) -> httpx2.Response:
        client = self._clients.get(host)
        if client is None:
            client = self._clients[host] = RateLimitedClient(
                self._pace, self._clock, trust_env=True, transport=self._transport
            )
        headers = {"Accept": accept, "User-Agent": self._agent}
        return client.send(client.build_request("GET", url, headers=headers), stream=True)

    def _body(self, response: httpx2.Response, host: str) -> Any:
        """The JSON of a response; None for 404."""
        if response.status_code in (httpx2.codes.NOT_FOUND, httpx2.codes.GONE):
            return None
        if not response.is_success:
            raise LookupFailed(f"{host}: answers {response.status_code} {response.reason_phrase}")
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind and "json" not in kind:
            raise LookupFailed(f"{host}: answers {kind} in place of JSON")
        content = self._content(response, host)
        try:
            return orjson.loads(_utf8(content, response.charset_encoding))
        except ValueError as error:
            raise LookupFailed(f"{host}: its answer is not JSON") from error

    def _content(self, response: httpx2.Response, host: str) -> bytes:
        content = bytearray()
        until = self._clock.monotonic() + self._pace.timeout
        try:
            for piece in response.iter_bytes():
                content += piece
                if len(content) > _MOST_BYTES:
                    raise LookupFailed(f"{host}: answers more than {_MOST_BYTES // 2**20} MiB")
                if self._clock.monotonic() > until:
                    raise NotAnswered(f"no complete answer within {self._pace.timeout:g} s")
        except httpx2.TransportError as error:
            raise NotAnswered("its answer ended in the middle") from error
        return bytes(content)


def _allowed(url: str, location: str, host: str) -> str:
    """Where ``host`` redirects to, if that is a service. Raises LookupFailed."""
    try:
        url = str(httpx2.URL(urljoin(url, location)))
        parts = urlsplit(url)
        target = (parts.hostname or "").lower()
    except (ValueError, httpx2.InvalidURL) as error:
        raise LookupFailed(f"{host}: redirects to {location[:80]!r}, no address") from error
    is_service = any(target == one or target.endswith(f".{one}") for one in _AGENCIES)
    if parts.scheme != "https" or parts.port not in (None, 443) or not is_service:
        where = target or url[:80]
        raise LookupFailed(f"{host}: redirects to {where}, which is not a service of records")
    return url


def _utf8(content: bytes, charset: str | None) -> bytes:
    """JSON is UTF-8 (RFC 8259, 8.1), whatever the header says; bytes that are not are read by the
    declared charset. Raises ValueError."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        try:
            return content.decode(charset or "utf-8").encode()
        except LookupError as error:
            raise ValueError(f"unknown charset {charset}") from error
    return content.removeprefix(b"\xef\xbb\xbf")
