"""The state of a server: running calls, their listeners, and the verbs of each caller."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeVar

import anyio
from mcp.server.context import ServerRequestContext

from .http import BrowserSessions, Caller, TokenCheck
from .jobs.background import Background
from .jobs.pending import WarmModels
from .lanes import Lanes, lanes
from .next_steps import Interrupted

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

T = TypeVar("T")

# Seconds between two looks at whether calls are under way.
_PULSE: Final = 0.02


class CallsUnderWay:
    """The calls of one server; all methods are for the thread of its loop."""

    def __init__(self) -> None:
        self._scopes: set[anyio.CancelScope] = set()
        self.is_ending = False

    async def run(self, call: Callable[[], Awaitable[T]]) -> T:
        """The result of ``call``. Raises Interrupted once the server ends."""
        if not self.is_ending:
            with anyio.CancelScope() as scope:
                self._scopes.add(scope)
                try:
                    return await call()
                finally:
                    self._scopes.discard(scope)
        raise Interrupted

    def end(self) -> None:
        """The server ends: calls under way are interrupted, as are later ones."""
        self.is_ending = True
        for scope in list(self._scopes):
            scope.cancel()

    async def ended(self) -> None:
        """Returns when no call is under way."""
        while self._scopes:
            await anyio.sleep(_PULSE)


class AnsweredCall(NamedTuple):
    """A call of ``tool``, which is empty for an unknown name. ``outcome`` is ``done``, or the code
    of the error."""

    tool: str
    outcome: str
    seconds: float


class CallListeners:
    """Of one server; for the thread of its loop."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[AnsweredCall], None]] = []

    def add(self, listener: Callable[[AnsweredCall], None]) -> None:
        self._listeners.append(listener)

    def tell(self, call: AnsweredCall) -> None:
        for listener in self._listeners:
            listener(call)


JOB_SECONDS: Final = 15.0
#: Seconds that a call waits for a job: less than its deadline, so that the answer with the job id
#: is within it.
PATIENCE: Final = JOB_SECONDS - 1.0


class CallRecord(Protocol):
    """The record of one tool call; safe for threads."""

    def begin(self, tool: Any, parameters: Any) -> None:
        """Raises StorageFailed: what cannot be recorded is not done."""

    @property
    def has_begun(self) -> bool: ...

    def end(self, outcome: str) -> None: ...


CallAudit = Callable[[str], CallRecord]
"""Makes the record of a call with this correlation id."""


@dataclass(frozen=True, slots=True)
class Served:
    """A workspace as the tools see it; used by several threads at once.

    ``patience`` is how many seconds a call waits for a job before it returns the id. Calls run in
    threads of ``lanes``.
    """

    application: "Application"
    jobs: Background
    models: WarmModels
    patience: float
    lanes: Lanes = field(default_factory=lanes)
    under_way: CallsUnderWay = field(default_factory=CallsUnderWay)
    listeners: CallListeners = field(default_factory=CallListeners)
    audit: CallAudit | None = None


class ServedParts:
    """What each caller of a server is served: ``whole``, everybody. A package that knows
    principals overrides this."""

    def __init__(self, whole: Served) -> None:
        self.whole = whole

    def of(self, _context: ServerRequestContext[Any]) -> Served:
        """The verbs for the caller of an MCP request."""
        return self.whole

    def of_caller(self, _caller: Caller) -> Served:
        """Raises PermissionError for an unknown caller if there are principals."""
        return self.whole

    def name_of(self, _context: ServerRequestContext[Any]) -> str:
        """The principal of a request of MCP; empty where there are none."""
        return ""


class Principals(Protocol):
    """The principals of a workspace: owners of tokens, and their verbs."""

    @property
    def tokens(self) -> TokenCheck: ...

    @property
    def sessions(self) -> BrowserSessions: ...

    def parts(self, whole: Served) -> ServedParts: ...
