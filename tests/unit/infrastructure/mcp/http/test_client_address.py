"""The address of who asks."""

from starlette.types import Scope
from support.cases import each

from citeloom.infrastructure.serving.http import client_address


def scope(peer: str | None, *told: str) -> Scope:
    headers = [(b"x-forwarded-for", value.encode()) for value in told]
    return {"type": "http", "client": peer and (peer, 1), "headers": headers}


@each("peer", ["127.0.0.1", "::1"])
@each(
    ("told", "address"),
    [
        (["192.0.2.7"], "192.0.2.7"),
        (["203.0.113.1, 192.0.2.7"], "192.0.2.7"),
        (["203.0.113.1", "192.0.2.7"], "192.0.2.7"),
        (["[2001:DB8::1]"], "2001:db8::1"),
    ],
)
def test_a_proxy_on_this_machine_tells_it(peer: str, told: list[str], address: str) -> None:
    assert client_address(scope(peer, *told)) == address


@each("told", [[], ["unknown"], [""], ["192.0.2.7, "]])
def test_without_an_address_it_is_that_of_the_connection(told: list[str]) -> None:
    assert client_address(scope("127.0.0.1", *told)) == "127.0.0.1"


def test_nobody_else_is_believed_it() -> None:
    assert client_address(scope("198.51.100.2", "192.0.2.7")) == "198.51.100.2"
    assert client_address(scope(None, "192.0.2.7")) == ""
