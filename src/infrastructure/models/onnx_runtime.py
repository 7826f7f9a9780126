"""onnxruntime, loaded so that threads cannot trip over each other's imports.

onnxruntime imports an inner module of numpy first. While another thread is importing numpy
itself, each of the two holds a module that the other waits for; Python then hands one of them
a module that is half there, and both imports fail. Once numpy is wholly there, or is waited
for by its own name, nobody holds what the other needs.
"""

from importlib import import_module
from types import ModuleType


def onnxruntime() -> ModuleType:
    """The module, whichever thread asks and whatever others are importing."""
    import_module("numpy")
    return import_module("onnxruntime")
