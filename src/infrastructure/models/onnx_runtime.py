"""Thread-safe import of onnxruntime.

onnxruntime first imports a submodule of numpy. If another thread is importing numpy meanwhile, each
thread holds the import lock of a module that the other waits for; Python then returns a partially
initialized module to one of them, and both imports fail. Importing numpy by its own name first
avoids the deadlock.
"""

from importlib import import_module
from types import ModuleType


def onnxruntime() -> ModuleType:
    """The module; safe to call from any thread during other imports."""
    import_module("numpy")
    return import_module("onnxruntime")
