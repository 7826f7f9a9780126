"""Waiting times after wrong tokens."""

import pytest

from citeloom.infrastructure.serving.http import MOST_ADDRESSES, MOST_WAITING, Failures


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def failures(clock: Clock) -> Failures:
    return Failures(clock)


def fail(failures: Failures, clock: Clock, address: str) -> float:
    wait = failures.begin(address)
    clock.now += wait
    failures.end(address)
    return wait


def test_the_wait_doubles_up_to_a_limit(failures: Failures, clock: Clock) -> None:
    waits = [fail(failures, clock, "192.0.2.1") for _ in range(8)]
    assert waits == pytest.approx([0.25, 0.5, 1, 2, 4, 8, 8, 8])
    assert fail(failures, clock, "192.0.2.2") == 0.25


def test_failures_at_once_are_answered_one_after_the_other(failures: Failures) -> None:
    waits = [failures.begin("192.0.2.1") for _ in range(MOST_WAITING)]
    assert waits[:4] == pytest.approx([0.25, 0.75, 1.75, 3.75])
    assert failures.is_full("192.0.2.1")
    assert not failures.is_full("192.0.2.2")
    failures.end("192.0.2.1")
    assert not failures.is_full("192.0.2.1")


def test_a_network_of_ipv6_counts_as_one_address(failures: Failures, clock: Clock) -> None:
    fail(failures, clock, "2001:db8::1")
    assert fail(failures, clock, "2001:db8::ffff:1%eth0") == 0.5
    assert fail(failures, clock, "2001:db8:0:1::1") == 0.25


def test_failures_are_forgotten_after_a_while(failures: Failures, clock: Clock) -> None:
    fail(failures, clock, "192.0.2.1")
    clock.now += 1000
    assert fail(failures, clock, "192.0.2.1") == 0.25


def test_only_so_many_addresses_are_kept(failures: Failures, clock: Clock) -> None:
    for number in range(MOST_ADDRESSES + 1):
        fail(failures, clock, f"198.51.{number // 256}.{number % 256}")
    assert fail(failures, clock, "198.51.0.0") == 0.25
    assert fail(failures, clock, "198.51.0.5") == 0.5
