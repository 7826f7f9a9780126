"""Suffixes and the formats that they promise."""

from pathlib import Path

from citeloom.infrastructure.ingest.conversion import format_table


def test_every_suffix_belongs_to_a_format_and_is_lower_case() -> None:
    for format_ in format_table.FORMATS:
        for suffix in format_.suffixes:
            assert suffix == suffix.lower()
            assert format_table.promised_format(Path(f"X{suffix.upper()}")) is not None
    assert not any(
        format_table.promised_format(Path(f"X{each}")) for each in format_table.ALTERNATIVES
    )


def test_shared_suffixes_promise_the_common_format() -> None:
    assert format_table.promised_format(Path("a.xml")) is format_table.JATS
    assert format_table.promised_format(Path("a.txt")) is format_table.TEXT
