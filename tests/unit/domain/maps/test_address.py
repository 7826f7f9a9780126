"""Addresses: all rows of CiteKit's grammar, the canonical form, and what is refused."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from support.builders import DOC_ID
from support.cases import each
from support.paths import cases

from citeloom.domain.errors import InvalidAddress, InvalidRequest
from citeloom.domain.maps.address import (
    MAX_PAGES,
    Address,
    chunk_address,
    document_address,
    format_address,
    format_pages,
    format_time,
    parse_address,
    parse_time,
    short_id,
)
from citeloom.domain.maps.resource_map import Location

CASES = cases("citekit_addresses")

# Where ours reads more than the original.
EXTENDED: dict[str, dict[str, Any]] = {
    "doc://book#pages=1-3,7": {"modality": "document", "pages": [1, 2, 3, 7]},
    "text://code#lines=10": {"modality": "text", "lines": [10, 10]},
}
# What was open: namespaced ids are read; schemes keep their case; no prefix before a scheme.
DECIDED = {
    "doc://a/b/c#pages=1": True,
    "DOC://book#pages=1": False,
    "virtual:video://lecture#t=60-90": False,
}
# Where the one form that ours writes is not the original's (None: no address says that).
CANONICAL: dict[str, str | None] = {
    "doc://book#pages=5-5": "doc://book#pages=5",
    "doc://book#pages=1,1,2": "doc://book#pages=1-2",
    "video://lecture#t=03:12-03:50": "video://lecture#t=192-230",
    "audio://podcast#t=01:00-02:00": "audio://podcast#t=60-120",
    "video://lecture_01#t=145.5-04:45": "video://lecture_01#t=145.5-285",
    "video://lecture_01#t=0-01:00": "video://lecture_01#t=0-60",
    "video://l#t=01:00:00-01:01:01": "video://l#t=3600-3661",
    "video://l#t=3600.25-02:02:02": "video://l#t=3600.25-7322",
    "video://l#t=59.999-01:00": "video://l#t=59.999-60",
    "video://l": None,
    "image://d#bbox=0.123457,0.1,0.9,0.9": "image://d#bbox=0.123456789,0.1,0.9,0.9",
}


def accepted(row: dict[str, Any]) -> bool:
    if row["adopt"] == "decide":
        return DECIDED[row["address"]]
    return row["adopt"] == "extend" or (row["adopt"] == "adopt" and row["ok"])


ACCEPTED = [row for row in CASES["parse"] if accepted(row)]
REFUSED = [row["address"] for row in CASES["parse"] if not accepted(row)]


@each("row", ACCEPTED, ids=lambda row: row["address"])
def test_citekits_addresses_are_read(row: dict[str, Any]) -> None:
    expected = EXTENDED.get(row["address"]) or row["location"]
    read = parse_address(row["address"])
    assert read.resource_id == row["address"].partition("://")[2].partition("#")[0]
    assert read.location == Location.model_validate(expected)


@each("address", REFUSED)
def test_what_is_no_address_is_refused_with_a_reason(address: str) -> None:
    with pytest.raises(InvalidAddress) as refused:
        parse_address(address)
    assert isinstance(refused.value, InvalidRequest)
    assert str(refused.value).startswith(f"{address}: no address: ")


@each(
    ("address", "reason"),
    [
        ("doc://book#pages=3-1", "3-1 is reversed"),
        ("doc://book#pages=0", "from 1"),
        ("doc://book#foo=bar", "pages=…"),
        ("doc://book#pages=2&pages=3", "alone"),
        ("video://l#t=10", "START-END"),
        ("video://l#t=30-10", "invalid time range"),
        ("image://img#bbox=0.1,0.2,0.3", "bbox must have 4 values, got 3"),
        ("unknown://r#foo=bar", "Unknown scheme 'unknown'. Expected one of: ['doc', 'video',"),
        ("text://code#lines=20-10", "invalid line range"),
    ],
)
def test_the_reason_names_what_is_wrong(address: str, reason: str) -> None:
    with pytest.raises(InvalidAddress, match="no address") as refused:
        parse_address(address)
    assert reason in str(refused.value)


@each("row", CASES["build"], ids=lambda row: str(row["location"]))
def test_addresses_are_written_in_one_form(row: dict[str, Any]) -> None:
    if not row["ok"]:
        with pytest.raises(ValidationError):
            Location.model_validate(row["location"])
        return
    address = Address.model_validate(
        {"resource_id": row["resource_id"], "location": row["location"]}
    )
    expected = CANONICAL.get(row["address"], row["address"])
    if expected is None:
        with pytest.raises(InvalidAddress, match="both its start and its end"):
            format_address(address)
    else:
        assert format_address(address) == str(address) == expected


@each("row", CASES["format_time"], ids=lambda row: row["text"])
def test_times_are_written_in_plain_seconds(row: dict[str, Any]) -> None:
    written = format_time(row["seconds"])
    assert ":" not in written
    assert float(written) == parse_time(written) == parse_time(row["text"]) == row["seconds"]


@each("row", CASES["parse_time"], ids=lambda row: repr(row["text"]))
def test_times_are_read_in_seconds_and_by_the_clock(row: dict[str, Any]) -> None:
    if row["ok"] and row["adopt"] == "adopt":
        assert parse_time(row["text"]) == row["seconds"]
    else:
        with pytest.raises(ValueError, match="time"):
            parse_time(row["text"])


@each("text", ["1:75:00", "1:60", "1e3", "nan", "inf", "٣", "1:-2", "5."])
def test_malformed_times_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="time"):
        parse_time(text)


@each(
    "id", ["..", "a/../b", "/etc/passwd", "a//b", "a/", ".", "C:/x", "a\\b", "a\x00b", "a\nb",
           "a\u202eb", " a", "a ", "a\x7f", "a\u2028b", "a?b", "a*"],
)  # fmt: skip
@each("scheme", ["doc", "virtual"])
def test_ids_that_could_leave_a_folder_are_refused(scheme: str, id: str) -> None:
    with pytest.raises(InvalidAddress) as refused:
        parse_address(f"{scheme}://{id}")
    assert str(refused.value).isprintable()
    with pytest.raises(ValidationError):
        Address(resource_id=id, location=Location(modality="document"))


@each(
    "address",
    [
        f"doc://b#pages=1-{MAX_PAGES + 1}",
        "doc://b#pages=1-999999999",
        f"doc://b#pages=1-{MAX_PAGES},1",
        "doc://b#pages=" + ",".join(["1"] * 5000),
        "image://i#bbox=nan,0,1,1",
        "image://i#bbox=0,0,1e0,1",
        "video://v#t=" + "9" * 400 + "-inf",
    ],
    ids=lambda text: text[:40],
)
def test_addresses_that_would_fill_the_memory_are_refused(address: str) -> None:
    with pytest.raises(InvalidAddress) as refused:
        parse_address(address)
    assert len(str(refused.value)) < 600


ids = st.from_regex(r"[A-Za-z0-9_. -]{1,12}(/[a-z0-9]{1,5})?", fullmatch=True).filter(
    lambda id: id == id.strip() and not any(p in (".", "..") for p in id.split("/"))
)
seconds = st.floats(0, 1e6, allow_nan=False)
units = st.floats(0, 1, allow_nan=False)
locations = st.one_of(
    st.lists(st.integers(1, MAX_PAGES), min_size=1, max_size=30).map(
        lambda pages: Location(modality="document", pages=tuple(pages))
    ),
    st.tuples(st.sampled_from(["video", "audio"]), st.lists(seconds, min_size=2, max_size=2)).map(
        lambda t: Location.model_validate(
            {"modality": t[0], "start": min(t[1]), "end": max(t[1]) + 1}
        )
    ),
    st.tuples(st.integers(1, 10**9), st.integers(0, 10**9)).map(
        lambda t: Location(modality="text", lines=(t[0], t[0] + t[1]))
    ),
    st.tuples(
        st.lists(units, min_size=2, max_size=2, unique=True).map(sorted),
        st.lists(units, min_size=2, max_size=2, unique=True).map(sorted),
    ).map(lambda t: Location(modality="image", bbox=(t[0][0], t[1][0], t[0][1], t[1][1]))),
    st.sampled_from(["document", "video", "audio", "image", "text"]).map(
        lambda modality: Location.model_validate({"modality": modality})
    ),
)


@given(ids, locations)
def test_what_is_written_reads_back_as_the_same_place(id: str, location: Location) -> None:
    read = parse_address(format_address(Address(resource_id=id, location=location)))
    assert read.resource_id == id
    pages = tuple(sorted(set(location.pages))) if location.pages else None
    assert read.location == location.model_copy(update={"pages": pages})
    assert format_address(read) == format_address(Address(resource_id=id, location=location))


@each("row", ACCEPTED, ids=lambda row: row["address"])
def test_the_canonical_form_is_its_own(row: dict[str, Any]) -> None:
    once = format_address(parse_address(row["address"]))
    assert format_address(parse_address(once)) == once


@given(st.text(max_size=60) | st.from_regex(r"(doc|text|video|image|virtual)://[^#]*#\w*=.*"))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(InvalidAddress):
        assert parse_address(str(parse_address(text))).resource_id in text


def read(fragment: str) -> list[int]:
    pages: list[int] = []
    for part in fragment.split(","):
        first, _, last = part.partition("-")
        pages += range(int(first), int(last or first) + 1)
    return pages


@given(st.lists(st.integers(1, 60), min_size=1))
def test_a_fragment_names_exactly_the_pages_it_was_made_of(pages: list[int]) -> None:
    assert read(format_pages(pages)) == sorted(set(pages))


@given(st.lists(st.integers(1, 60), min_size=1))
def test_the_same_pages_have_one_fragment(pages: list[int]) -> None:
    fragment = format_pages(pages)
    assert fragment == format_pages(read(fragment)) == format_pages(reversed(pages))


@each(
    ("pages", "fragment"),
    [([3, 4, 5], "3-5"), ([5], "5"), ([1, 3, 4], "1,3-4"), ([4, 3, 3], "3-4"), ([2, 4], "2,4")],
)
def test_runs_of_pages_are_collapsed(pages: list[int], fragment: str) -> None:
    assert format_pages(pages) == fragment


def test_no_pages_have_no_fragment() -> None:
    with pytest.raises(ValueError, match="cannot be empty"):
        format_pages([])


def test_a_chunk_is_addressed_by_its_pages_or_else_by_its_number() -> None:
    assert chunk_address(DOC_ID, range(3, 6), 7) == f"doc://{DOC_ID[:16]}#pages=3-5"
    assert chunk_address(DOC_ID, None, 7) == f"virtual://{DOC_ID[:16]}#chunk=7"
    assert document_address(DOC_ID, [2]) == f"doc://{short_id(DOC_ID)}#pages=2"
