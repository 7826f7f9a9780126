"""Recorders of jobs in memory, and kinds of jobs for them."""

import json

from support.in_memory.server.job_record import InMemoryJobRecord

from citeloom.application.ports.jobs import JobRecord
from citeloom.infrastructure.serving.jobs.job import JobKind
from citeloom.infrastructure.serving.jobs.queue import Recorder
from citeloom.infrastructure.system.clock import SystemClock
from citeloom.infrastructure.system.locks import new_process_name


def a_recorder(record: JobRecord | None = None) -> Recorder:
    """That of a process; of several, ``record`` is what they share."""
    return Recorder(record or InMemoryJobRecord(), SystemClock(), new_process_name())


def a_kind(name: str) -> JobKind[str, str]:
    """Jobs that are asked a text and give one."""
    return JobKind(name, name, json.dumps, json.dumps, json.loads)
