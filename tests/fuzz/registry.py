"""All targets."""

from fuzz.targets import documents, drafts, maps, mcp, names, references

_MODULES = (names, references, drafts, maps, documents, mcp)
TARGETS = tuple(target for module in _MODULES for target in module.TARGETS)
