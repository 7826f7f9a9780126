"""Pictures that are kept in memory."""

import pytest

from citeloom.infrastructure.http.access import PictureCache


class Painter:
    def __init__(self) -> None:
        self.made: list[str] = []

    def __call__(self, name: str) -> bytes:
        self.made.append(name)
        return name.encode() * 10


def test_a_picture_is_made_once() -> None:
    cache, paint = PictureCache(), Painter()
    first = cache.picture("a", lambda: paint("a"))
    assert cache.picture("a", lambda: paint("a")) == first
    assert paint.made == ["a"]


def test_the_one_that_was_not_used_for_longest_is_forgotten_first() -> None:
    cache, paint = PictureCache(most=20), Painter()
    for name in ("a", "b", "a", "c", "a", "b"):
        cache.picture(name, lambda name=name: paint(name))  # type: ignore[misc]
    assert paint.made == ["a", "b", "c", "b"]


def test_one_that_is_too_large_is_given_and_not_kept() -> None:
    cache, paint = PictureCache(most=5), Painter()
    assert cache.picture("a", lambda: paint("a")) == b"a" * 10
    assert cache.picture("a", lambda: paint("a")) == b"a" * 10
    assert paint.made == ["a", "a"]


def test_a_picture_that_cannot_be_made_is_not_kept() -> None:
    cache = PictureCache()

    def fail() -> bytes:
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        cache.picture("a", fail)
    assert cache.picture("a", lambda: b"x") == b"x"
