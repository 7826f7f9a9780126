"""CiteLoom: quotable evidence from your own library."""

import os

__all__ = ["__version__"]

# onnxruntime (1.31) sends events to its maker and writes an identifier of the machine into the
# home folder. It reads the variable once, when it is first loaded, which fastembed and RapidOCR do
# by themselves too: so it is set before all else. Processes that are started inherit it.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"


def __getattr__(name: str) -> str:
    """``__version__`` of the installed package, looked up only when asked for."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("citeloom")
    except PackageNotFoundError:  # a source tree that was never installed
        return "0.0.0"
