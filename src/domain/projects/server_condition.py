"""Condition of a collection on an index server."""

from citeloom.domain.value import Value


class ServerCondition(Value):
    """``state`` is the server's own word: green, yellow (it optimizes), grey (it will after the
    next write), red (it cannot). ``copies`` are those that each of ``shards`` should have.
    ``faults`` need somebody: nothing can be written, or optimized; ``warnings`` are copies that
    are missing while others answer; ``notes`` pass by themselves."""

    state: str
    shards: int
    copies: int
    faults: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
