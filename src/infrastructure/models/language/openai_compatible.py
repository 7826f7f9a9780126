"""Any server of OpenAI's chat completions: Ollama, vLLM, LM Studio, hosted ones."""

import logging
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import httpx2
from pydantic import BaseModel

from citeloom.application.ports.models import AnswerLimits, Completion, PromptMessage
from citeloom.domain.errors import ConfigurationError, LanguageModelUnavailable
from citeloom.infrastructure.models.language.dialect import Dialect, NoAnswer, complaint_of

# Too many requests, bad gateway, not ready yet, gateway timeout, and a mishap.
PASSING: Final = frozenset({408, 429, 500, 502, 503, 504})
REFUSED: Final = frozenset({400, 422})
ATTEMPTS: Final = 4
FIRST_PAUSE: Final = 0.5
LONGEST_PAUSE: Final = 8.0
CONNECT_SECONDS: Final = 10.0
#: Bytes of an answer that are read: some hundred times what 4,096 tokens take.
LARGEST: Final = 4 * 2**20

_log = logging.getLogger(__name__)


class _Response(NamedTuple):
    status: int
    content: bytes
    retry_after: float | None


class OpenAICompatible:
    """The model ``model`` at ``url``, the address before ``/chat/completions``.

    A request that fails in passing (``PASSING``, a connection that breaks) is repeated after
    a pause that doubles, or that the server asked for (Retry-After), as long as all attempts
    stay within the limit of time. The limit is looked at whenever bytes arrive: a server
    that falls silent in the middle of its answer is given up after as long again at most.
    Redirections are not followed; nothing is sent to a proxy on the way to this machine. The
    API key is in no message.
    """

    def __init__(
        self,
        url: str,
        model: str,
        api_key: str | None = None,
        *,
        limits: AnswerLimits,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url = url
        self._model = model
        self._api_key = api_key = (api_key or "").strip()
        if not (api_key.isascii() and api_key.isprintable()):
            raise ConfigurationError(
                "llm.api_key: holds characters that no key has; set CITELOOM_LLM__API_KEY anew"
            )
        self._limits = limits
        self._sleep = sleep
        self._clock = clock
        self._dialect = Dialect(model)
        loopback = is_loopback(url)
        self._client = httpx2.Client(
            headers={"Authorization": f"Bearer {api_key}"} if api_key else {},
            trust_env=not loopback,
        )
        if api_key and not loopback and url.startswith("http:"):
            _log.warning("%s: the API key goes over plain HTTP; use https", self.place)

    @property
    def name(self) -> str:
        return self._model

    @property
    def place(self) -> str:
        parts = urlsplit(self._url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def limits(self) -> AnswerLimits:
        return self._limits

    def close(self) -> None:
        self._client.close()

    def complete(
        self,
        messages: Sequence[PromptMessage],
        *,
        schema: type[BaseModel] | None = None,
        limits: AnswerLimits | None = None,
    ) -> Completion:
        wanted = limits or self._limits
        end = self._clock() + wanted.timeout_seconds
        attempt = 0
        asked: float | None = None
        while True:
            body = self._dialect.body(messages, schema, wanted)
            try:
                response = self._post(body, end, wanted.timeout_seconds)
                if response.status == 200:
                    return self._dialect.read(response.content)
            except NoAnswer as error:
                raise self._failed(str(error)) from error
            except (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError) as error:
                reason, asked = f"the connection broke ({_said(error)}); try again", None
            except httpx2.TimeoutException as error:
                raise self._late(wanted.timeout_seconds) from error
            except httpx2.HTTPError as error:
                raise self._failed(
                    f"no connection ({_said(error)}); check that the server runs and that "
                    "llm.url names it"
                ) from error
            else:
                said = self._hidden(complaint_of(response.content))
                if response.status in REFUSED and self._dialect.learn(said, body):
                    continue
                reason, asked = _meaning(response.status, said), response.retry_after
                if response.status not in PASSING:
                    raise self._failed(reason, status=response.status)
            attempt += 1
            pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (attempt - 1))
            pause = max(pause, asked or 0.0)
            if attempt == ATTEMPTS or self._clock() + pause >= end:
                later = f" (it asks to wait {asked:.0f} s)" if asked else ""
                raise self._failed(f"{reason}{later}", retry_after=asked)
            _log.debug("%s: %s: again in %.1f s", self.place, reason, pause)
            self._sleep(pause)

    def _post(self, body: dict[str, object], end: float, whole: float) -> _Response:
        left = end - self._clock()
        if left <= 0:
            raise self._late(whole)
        patience = httpx2.Timeout(left, connect=min(CONNECT_SECONDS, left))
        target = f"{self._url}/chat/completions"
        with self._client.stream("POST", target, json=body, timeout=patience) as response:
            content = bytearray()
            for piece in response.iter_bytes():
                content += piece
                if len(content) > LARGEST:
                    raise self._failed(f"it answers more than {LARGEST // 2**20} MiB; given up")
                if self._clock() >= end:
                    raise self._late(whole)
            wait = _seconds(response.headers.get("Retry-After", ""))
            return _Response(response.status_code, bytes(content), wait)

    def _late(self, seconds: float) -> LanguageModelUnavailable:
        return self._failed(
            f"no answer within {seconds:g} s; try again, or raise llm.timeout_seconds"
        )

    def _failed(self, reason: str, **details: object) -> LanguageModelUnavailable:
        known = {name: value for name, value in details.items() if value is not None}
        return LanguageModelUnavailable(
            f"{self._model} at {self.place}: {reason}", model=self._model, url=self._url, **known
        )

    def _hidden(self, text: str) -> str:
        """Some servers repeat the key that they refuse."""
        return text.replace(self._api_key, "***") if self._api_key else text


def is_loopback(url: str) -> bool:
    """Whether ``url`` names this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__


def _meaning(status: int, said: str) -> str:
    if status in (401, 403):
        return f"the server refuses the API key ({status}: {said}); set CITELOOM_LLM__API_KEY"
    if status == 404:
        return f"not found ({said}); check llm.url and llm.model"
    if status == 429:
        return f"asked too often, or the quota is used up ({said}); try again later"
    if 300 <= status < 400:
        return f"redirects elsewhere ({status}); set llm.url to where it leads"
    if status in PASSING:
        return f"the server is not ready or has too much to do ({status}: {said}); try again later"
    return f"the server answers {status} ({said})"


def _seconds(retry_after: str) -> float | None:
    """Of the header Retry-After, which holds seconds or a date (RFC 9110, 10.2.3)."""
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        when = parsedate_to_datetime(text)
    except ValueError:
        return None
    moment = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
