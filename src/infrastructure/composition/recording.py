"""The wiring of the record of research."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citeloom.application.ports.research import ResearchRecord, UserRecord
    from citeloom.application.research.lifecycle import Lifecycle
    from citeloom.application.research.preferences import Users
    from citeloom.application.research.sessions import Sessions
    from citeloom.infrastructure.composition.resources import Resources


def research_record(application: "Resources") -> "ResearchRecord":
    from citeloom.infrastructure.storage.research.record import SqlResearchRecord

    return SqlResearchRecord(application.catalogue_url)


def user_record(application: "Resources") -> "UserRecord":
    from citeloom.infrastructure.storage.research.preferences import SqlUserRecord

    return SqlUserRecord(application.catalogue_url)


def research_lifecycle(application: "Resources") -> "Lifecycle":
    from citeloom.application.research.lifecycle import Lifecycle
    from citeloom.infrastructure.system.clock import SystemClock
    from citeloom.infrastructure.system.heartbeat import ThreadHeartbeat

    return Lifecycle(application.research_record, SystemClock(), ThreadHeartbeat())


def sessions(application: "Resources") -> "Sessions":
    from citeloom.application.research.sessions import Sessions
    from citeloom.infrastructure.system.clock import SystemClock

    return Sessions(application.research_record, SystemClock())


def users(application: "Resources") -> "Users":
    from citeloom.application.research.preferences import Users
    from citeloom.infrastructure.system.clock import SystemClock

    return Users(application.user_record, SystemClock())
