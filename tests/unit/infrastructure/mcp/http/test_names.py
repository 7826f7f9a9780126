"""Host names and origins of requests."""

import socket

from support.cases import each

from citeloom.infrastructure.serving.http import ServerNames, addresses, names_of

NAMES = ServerNames(["papers.example.org"], ["https://notes.example.org", "http://localhost:3000"])


def test_the_address_that_a_connection_came_to_is_a_name_of_the_server() -> None:
    assert NAMES.has_host("192.0.2.7:8365", "192.0.2.7")
    assert NAMES.has_host("[2001:DB8:0::7]:8365", "2001:db8::7")
    assert not NAMES.has_host("192.0.2.8:8365", "192.0.2.7")


@each(
    "host",
    ["", ":80", "localhost:", "localhost:99x", "localhost:123456", "localhost 1", "[::1", "a, b"],
)
def test_what_is_no_host_names_nothing(host: str) -> None:
    assert not NAMES.has_host(host, "127.0.0.1")


def test_origins_are_compared_whole() -> None:
    assert NAMES.has_origin("https://Notes.example.org", "127.0.0.1")
    assert not NAMES.has_origin("https://notes.example.org.evil.example", "127.0.0.1")
    assert not NAMES.has_origin("https://notes.example.org:444", "127.0.0.1")


def test_the_addresses_that_are_told_can_be_used() -> None:
    assert addresses("127.0.0.1", 80, "/mcp") == ["http://127.0.0.1:80/mcp"]
    assert addresses("::1", 80, "/mcp") == ["http://[::1]:80/mcp"]
    for host in ("0.0.0.0", "::"):
        told = " ".join(addresses(host, 80, "/mcp"))
        assert host + ":80" not in told
        assert "127.0.0.1" in told or "[::1]" in told


def test_on_a_network_the_machine_is_asked_for_by_its_name_too() -> None:
    assert names_of("0.0.0.0") == ["0.0.0.0", socket.gethostname()]
    assert names_of("localhost") == ["localhost"]
