"""Language models behind OpenAI's chat completions API: Ollama, vLLM, LM Studio, hosted ones."""

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

# Request timeout, too many requests, server error, bad gateway, unavailable, gateway timeout.
TRANSIENT: Final = frozenset({408, 429, 500, 502, 503, 504})
REFUSED: Final = frozenset({400, 422})
ATTEMPTS: Final = 4
FIRST_PAUSE: Final = 0.5
LONGEST_PAUSE: Final = 8.0
CONNECT_SECONDS: Final = 10.0
#: Limit of an answer: about a hundred times the size of 4,096 tokens.
MAX_BYTES: Final = 4 * 2**20

_log = logging.getLogger(__name__)


class _Response(NamedTuple):
    status: int
    content: bytes
    retry_after: float | None


class OpenAICompatible:
    """The model ``model`` at ``url``, the base URL of ``/chat/completions``.

    A transient failure (``TRANSIENT`` status, a broken connection) is retried after a pause that
    doubles, or that the server requested (Retry-After), while all attempts stay within the time
    limit. The limit is checked whenever bytes arrive: a server that stalls within its answer is
    abandoned after twice the limit at most. Redirects are not followed; requests to the loopback
    bypass proxies. No message contains the API key.
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
        effective_limits = limits or self._limits
        end = self._clock() + effective_limits.timeout_seconds
        attempt = 0
        retry_after: float | None = None
        while True:
            body = self._dialect.body(messages, schema, effective_limits)
            try:
                response = self._post(body, end, effective_limits.timeout_seconds)
                if response.status == 200:
                    return self._dialect.read(response.content)
            except NoAnswer as error:
                raise self._failed(str(error)) from error
            except (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError) as error:
                reason, retry_after = (
                    f"the connection broke ({_error_text(error)}); try again",
                    None,
                )
            except httpx2.TimeoutException as error:
                raise self._late(effective_limits.timeout_seconds) from error
            except httpx2.HTTPError as error:
                raise self._failed(
                    f"no connection ({_error_text(error)}); check that the server runs and that "
                    "llm.url names it"
                ) from error
            else:
                said = self._masked(complaint_of(response.content))
                if response.status in REFUSED and self._dialect.learn(said, body):
                    continue
                reason, retry_after = _meaning(response.status, said), response.retry_after
                if response.status not in TRANSIENT:
                    raise self._failed(reason, status=response.status)
            attempt += 1
            pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (attempt - 1))
            pause = max(pause, retry_after or 0.0)
            if attempt == ATTEMPTS or self._clock() + pause >= end:
                later = f" (it asks to wait {retry_after:.0f} s)" if retry_after else ""
                raise self._failed(f"{reason}{later}", retry_after=retry_after)
            _log.debug("%s: %s: again in %.1f s", self.place, reason, pause)
            self._sleep(pause)

    def _post(self, body: dict[str, object], end: float, limit_seconds: float) -> _Response:
        left = end - self._clock()
        if left <= 0:
            raise self._late(limit_seconds)
        patience = httpx2.Timeout(left, connect=min(CONNECT_SECONDS, left))
        target = f"{self._url}/chat/completions"
        with self._client.stream("POST", target, json=body, timeout=patience) as response:
            content = bytearray()
            for piece in response.iter_bytes():
                content += piece
                if len(content) > MAX_BYTES:
                    raise self._failed(f"it answers more than {MAX_BYTES // 2**20} MiB; given up")
                if self._clock() >= end:
                    raise self._late(limit_seconds)
            wait = _seconds(response.headers.get("Retry-After", ""))
            return _Response(response.status_code, bytes(content), wait)

    def _late(self, seconds: float) -> LanguageModelUnavailable:
        return self._failed(
            f"no answer within {seconds:g} s; try again, or raise llm.timeout_seconds"
        )

    def _failed(self, reason: str, **details: object) -> LanguageModelUnavailable:
        stated_details = {name: value for name, value in details.items() if value is not None}
        return LanguageModelUnavailable(
            f"{self._model} at {self.place}: {reason}",
            model=self._model,
            url=self._url,
            **stated_details,
        )

    def _masked(self, text: str) -> str:
        """With the API key masked: some servers repeat the key they refuse."""
        return text.replace(self._api_key, "***") if self._api_key else text


def is_loopback(url: str) -> bool:
    """Whether ``url`` is on this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _error_text(error: Exception) -> str:
    return str(error) or type(error).__name__


def _meaning(status: int, message: str) -> str:
    if status in (401, 403):
        return f"the server refuses the API key ({status}: {message}); set CITELOOM_LLM__API_KEY"
    if status == 404:
        return f"not found ({message}); check llm.url and llm.model"
    if status == 429:
        return f"asked too often, or the quota is used up ({message}); try again later"
    if 300 <= status < 400:
        return f"redirects elsewhere ({status}); set llm.url to where it leads"
    if status in TRANSIENT:
        return (
            f"the server is not ready or has too much to do ({status}: {message}); try again later"
        )
    return f"the server answers {status} ({message})"


def _seconds(retry_after: str) -> float | None:
    """Value of Retry-After, which is a number of seconds or a date (RFC 9110, 10.2.3)."""
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    utc_date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (utc_date - datetime.now(UTC)).total_seconds())
