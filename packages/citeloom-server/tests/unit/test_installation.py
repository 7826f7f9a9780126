"""What an installation for so many papers takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom_server.domain.sizing.installation import (
    Engine,
    InstallationRequest,
    Residence,
    planned,
)


@each(
    ("papers", "engine", "residence"),
    [
        (40, Engine.EMBEDDED, None),
        (5_000, Engine.EMBEDDED, None),
        (100_000, Engine.SERVER, Residence.FLOAT32),
        (300_000, Engine.SERVER, Residence.INT8),
        (1_000_000, Engine.CLUSTER, Residence.INT8),
    ],
)
def test_the_cheapest_engine_that_holds_the_papers_is_planned(
    papers: int, engine: Engine, residence: Residence | None
) -> None:
    plan = planned(InstallationRequest(papers=papers))
    assert (plan.engine, plan.residence) == (engine, residence)


def test_a_plan_agrees_with_what_was_measured() -> None:
    # 40 papers, 742 pages: 3,450 passages, 246.9 s of processor time (benchmarks/RESULTS.md).
    plan = planned(InstallationRequest(papers=40, pages=742 / 40))
    assert plan.passages == pytest.approx(3_450, rel=0.02)
    assert plan.processor_hours * 3600 == pytest.approx(246.9, rel=0.02)
    # 300,000 passages of 8 sentences: 3,381 MB on disk with the graph, 3,363 MB of memory.
    plan = planned(InstallationRequest(papers=1_000, pages=300 / 4.6, sentences=8))
    assert plan.index_gb == pytest.approx(3.381, rel=0.05)
    assert plan.memory_gb == pytest.approx(3.363, rel=0.05)
    # A server with 50,000 passages: 282 MB once it is started, 409 MB after questions; with int8
    # and the rest on its disk 175 MB.
    per_server = 300_001 / 50_000
    plan = planned(InstallationRequest(papers=1_000, pages=300.01 / 4.6))
    assert 0.282 < (plan.memory_gb - 0.112) / per_server + 0.112 < 0.409
    small = planned(InstallationRequest(papers=1_000, pages=300.01 / 4.6, node_memory_gb=1))
    assert (small.memory_gb - 0.112) / per_server + 0.112 == pytest.approx(0.175, rel=0.05)
    # 600,120 passages of two sentences with int8: 855 MB once it is started, 3,881 MB on disk, and
    # 918 s of processor time for the graph.
    plan = planned(
        InstallationRequest(papers=1_000, pages=600.12 / 4.6, sentences=2, node_memory_gb=1)
    )
    assert plan.memory_gb == pytest.approx(0.855, rel=0.1)
    assert plan.index_gb == pytest.approx(3.881, rel=0.1)
    assert plan.graph_hours * 3600 == pytest.approx(918, rel=0.03)


def test_a_budget_decides_what_is_held_in_memory_and_says_what_fits() -> None:
    rich = planned(InstallationRequest(papers=400_000, budget_gb=100))
    poor = planned(InstallationRequest(papers=400_000, budget_gb=50))
    short = planned(InstallationRequest(papers=400_000, budget_gb=10))
    assert (rich.residence, rich.fits) == (Residence.FLOAT32, True)
    assert (poor.residence, poor.fits) == (Residence.INT8, True)
    assert short.fits is False
    assert short.papers_that_fit is not None
    again = planned(InstallationRequest(papers=short.papers_that_fit, budget_gb=10))
    assert again.fits


def test_replicas_are_on_machines_of_their_own_and_multiply_the_index() -> None:
    one = planned(InstallationRequest(papers=100_000))
    two = planned(InstallationRequest(papers=100_000, replicas=2))
    assert (one.nodes, two.nodes) == (1, 2)
    assert two.index_gb == 2 * one.index_gb
    assert two.stored_gb == one.stored_gb


def test_a_plan_beyond_what_was_measured_says_so() -> None:
    assert not planned(InstallationRequest(papers=1_000)).extrapolated
    near, far, farthest = (
        planned(InstallationRequest(papers=papers)) for papers in (1_000, 100_000, 2_000_000)
    )
    assert far.extrapolated
    assert farthest.extrapolated
    assert near.uncertainty < far.uncertainty < farthest.uncertainty


@given(
    papers=st.integers(1, 10**8),
    more=st.integers(0, 10**8),
    replicas=st.integers(1, 5),
    memory=st.floats(1, 1024),
)
def test_more_papers_never_take_less(papers: int, more: int, replicas: int, memory: float) -> None:
    few, many = (
        planned(InstallationRequest(papers=count, replicas=replicas, node_memory_gb=memory))
        for count in (papers, papers + more)
    )
    assert many.passages >= few.passages
    assert many.index_gb >= few.index_gb
    assert many.shards >= 1
    assert many.ingest_hours >= few.ingest_hours


@given(papers=st.integers(60_000, 10**8), replicas=st.integers(1, 5))
def test_each_machine_holds_as_many_shards_as_the_others(papers: int, replicas: int) -> None:
    plan = planned(InstallationRequest(papers=papers, replicas=replicas))
    assert plan.shards % max(1, plan.nodes // replicas) == 0
    assert plan.passages / plan.shards <= 5_000_000
