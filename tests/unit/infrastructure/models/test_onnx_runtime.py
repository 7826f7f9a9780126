"""onnxruntime is loaded in a thread while others import what they need, and sends nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Another thread loads the model while numpy is being imported: it has come as far as it can
# when numpy goes on.
MEANWHILE = """
import sys, time
from importlib.machinery import PathFinder
from citeloom.infrastructure.models.embedding.bundled_embedder import BundledEmbedder

embedder = BundledEmbedder()

class Late:
    def __init__(self, loader):
        self.loader = loader
    def create_module(self, spec):
        return self.loader.create_module(spec)
    def exec_module(self, module):
        embedder.load_ahead()
        end = time.monotonic() + 1.5
        while "numpy._core" not in sys.modules and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(0.1)
        self.loader.exec_module(module)

class First:
    def find_spec(self, name, path=None, target=None):
        if name != "numpy._distributor_init":
            return None
        spec = PathFinder.find_spec(name, path)
        spec.loader = Late(spec.loader)
        return spec

sys.meta_path.insert(0, First())
import numpy
assert numpy._distributor_init.__spec__.loader.__class__ is Late
print(len(embedder.embed_query("ponds")))
"""


def test_a_model_is_loaded_while_another_thread_imports_numpy() -> None:
    done = subprocess.run(
        [sys.executable, "-c", MEANWHILE], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "384"
    assert not done.stderr


# By its own name: what fastembed and RapidOCR do.
QUIET = """
import citeloom
import onnxruntime
from citeloom.infrastructure.models.embedding.bundled_embedder import BundledEmbedder

BundledEmbedder().embed_query("ponds")
"""


@pytest.mark.parametrize("given", [{}, {"ORT_DISABLE_TELEMETRY": "0"}])
def test_the_engine_of_models_leaves_no_identifier_or_events_in_the_home_folder(
    tmp_path: Path, given: dict[str, str]
) -> None:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    inherited.pop("ORT_DISABLE_TELEMETRY", None)
    homes = dict.fromkeys(("HOME", "USERPROFILE", "LOCALAPPDATA", "APPDATA"), str(tmp_path))
    subprocess.run(
        [sys.executable, "-B", "-c", QUIET], check=True, env={**inherited, **homes, **given}
    )
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
