"""Good inputs, which are then changed."""

from pathlib import Path

_FOLDER = Path(__file__).with_name("seed_files")


def seed(name: str) -> str:
    return (_FOLDER / name).read_text("utf-8")
