"""CiteLoom: quotable evidence from your own library."""

__all__ = ["__version__"]


def __getattr__(name: str) -> str:
    """``__version__`` of the installed package, looked up only when asked for."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("citeloom")
    except PackageNotFoundError:  # a source tree that was never installed
        return "0.0.0"
