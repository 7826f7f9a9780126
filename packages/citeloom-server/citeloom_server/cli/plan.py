"""The command ``plan``."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final

import typer

from citeloom.infrastructure.cli.shared.options import JsonOption
from citeloom.infrastructure.cli.shared.output import print_json, print_table
from citeloom.infrastructure.cli.shared.terminal import print_line

if TYPE_CHECKING:
    from citeloom_server.domain.sizing.installation import InstallationPlan

_ENGINES: Final = {
    "embedded": "in the process, on one machine (the default)",
    "server": "a Qdrant server on one machine",
    "cluster": "a Qdrant cluster of {nodes} machines",
}


def plan(
    papers: Annotated[int, typer.Option(min=1, max=10**9, help="Number of papers.")],
    pages: Annotated[
        float, typer.Option(min=1, max=10_000, help="Pages of an average paper.")
    ] = 12,
    workers: Annotated[
        int, typer.Option(min=1, max=100_000, help="Processors that ingest at once.")
    ] = 2,
    replicas: Annotated[
        int, typer.Option(min=1, max=10, help="Copies of the index, on a server.")
    ] = 1,
    node_memory: Annotated[
        float, typer.Option(min=1, max=100_000, help="Memory of one machine, in GB.")
    ] = 64,
    budget: Annotated[
        float | None,
        typer.Option(min=1, help="Memory of all machines of the index together, in GB."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Estimate what N papers need: passages, memory, disk, machines, shards and hours.

    The estimate scales measurements (benchmarks/RESULTS.md), and says where it exceeds them. The
    command reads and changes nothing.
    """
    from citeloom_server.domain.sizing.installation import InstallationRequest, planned

    request = InstallationRequest(
        papers=papers,
        pages=pages,
        workers=workers,
        replicas=replicas,
        node_memory_gb=node_memory,
        budget_gb=budget,
    )
    result = planned(request)
    if as_json:
        print_json(result)
        return
    print_table(None, ("", ""), _rows(result))
    for line in _remarks(result):
        print_line(line)


def _rows(plan: "InstallationPlan") -> Iterator[tuple[str, str]]:
    asked = plan.request
    copies = (
        f", {asked.replicas} copies" if plan.engine != "embedded" and asked.replicas > 1 else ""
    )
    yield "passages", f"{_rounded(plan.passages)}, of {_rounded(plan.pages)} pages"
    yield "vectors", f"{_rounded(plan.vectors)}, those of sentences included"
    yield "index", _ENGINES[plan.engine].format(nodes=plan.nodes)
    yield "shards", f"{plan.shards}{copies}"
    held = f": vectors ({plan.residence}), ids, payload and terms" if plan.residence else ""
    yield "memory", f"{_gigabytes(plan.memory_gb)}{held}"
    yield "disk, index", f"{_gigabytes(plan.index_gb)} (SSD; searches read it)"
    yield (
        "disk, rest",
        f"{_gigabytes(plan.stored_gb)}: conversions, maps, catalogue; the files apart",
    )
    yield (
        "ingest",
        f"{_hours(plan.ingest_hours)} with {asked.workers} processors "
        f"({_hours(plan.processor_hours)} of processor time)",
    )
    yield "graph", f"{_hours(plan.graph_hours)} of processor time, on the index's machines"
    for one in plan.drivers:
        yield f"drives {one.resource}", f"{one.driver}: {100 * one.share:.0f} %"


def _remarks(plan: "InstallationPlan") -> Iterator[str]:
    if plan.fits is False:
        budget, papers = plan.request.budget_gb or 0, plan.papers_that_fit or 0
        yield f"over the budget: {_gigabytes(budget)} hold {_rounded(papers)} papers"
    reach = "beyond what was measured (300,000 passages)" if plan.extrapolated else "measured"
    yield f"each figure may be {plan.uncertainty:g} times as large, or as small: {reach}"


def _rounded(count: int) -> str:
    """A count in three significant digits."""
    digits = len(str(count)) - 3
    return f"{round(count, -digits) if digits > 0 else count:,}"


def _gigabytes(size: float) -> str:
    if size < 1:
        return f"{1000 * size:.0f} MB"
    return f"{size:.1f} GB" if size < 100 else f"{size:,.0f} GB"


def _hours(hours: float) -> str:
    if hours < 1:
        return f"{60 * hours:.0f} minutes" if hours >= 1 / 60 else "less than a minute"
    return f"{hours:.1f} hours" if hours < 100 else f"{hours:,.0f} hours"
