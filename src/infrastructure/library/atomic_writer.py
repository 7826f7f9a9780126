"""How adapters write files that are there whole or not at all."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

Whole = Callable[[Path], AbstractContextManager[Path]]
"""A path to write to, which takes the place of the given one where the block ends well; its
folder is made if need be."""
