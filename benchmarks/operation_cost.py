"""What health, figures, request ids and the audit trail add to a request, and what a scrape takes.

usage: python benchmarks/operation_cost.py [--requests 20000]

The same request, which does nothing but five stages, is answered bare and through all that stands
around it in a server; the best of seven rounds counts. Prints microseconds of processor.
"""

import argparse
import time
from typing import Any

import anyio
from prometheus_client import generate_latest

from citeloom.domain.progress import stage
from citeloom_server.application.audit.recorder import AuditRecorder
from citeloom_server.infrastructure.operation.audit import AuditedLogins, AuditedRequests, Refusals
from citeloom_server.infrastructure.operation.figures import Meters, Metrics
from citeloom_server.infrastructure.operation.health import Health
from citeloom_server.infrastructure.operation.requests import IdentifiedRequests, ObservedRequests

ROUNDS = 7
STAGES = ("query", "embed", "retrieve", "rank", "select")


class Route:
    path = "/query"


async def answered(scope: Any, _receive: Any, send: Any) -> None:
    scope["route"] = Route
    for name in STAGES:
        with stage(name):
            pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def discard(_message: Any) -> None: ...


async def timed(app: Any, requests: int) -> float:
    began = time.process_time()
    for _ in range(requests):
        scope = {"type": "http", "path": "/api/v1/query", "method": "POST", "headers": []}
        await app(scope, None, discard)
    return (time.process_time() - began) / requests * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=20_000)
    requests = parser.parse_args().requests
    meters, nobody = Meters(), AuditRecorder(None, None, days=0)  # type: ignore[arg-type]
    known: Any = Metrics(IdentifiedRequests(AuditedRequests(answered, nobody)), lambda: b"")
    logins = AuditedLogins(known, nobody, Refusals(nobody, time.monotonic))
    whole = ObservedRequests(Health(logins, None), meters, access=False)  # type: ignore[arg-type]

    async def rounds() -> list[tuple[float, float]]:
        return [
            (await timed(answered, requests), await timed(whole, requests)) for _ in range(ROUNDS)
        ]

    found = anyio.run(rounds)
    bare, all_of_it = min(one for one, _ in found), min(one for _, one in found)
    print(f"bare {bare:.1f} µs, with all {all_of_it:.1f} µs: {all_of_it - bare:.1f} µs more")
    began = time.process_time()
    generate_latest(meters.registry)
    print(f"a scrape of these figures: {(time.process_time() - began) * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
