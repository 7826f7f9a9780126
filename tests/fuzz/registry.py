"""All targets."""

from fuzz.targets import configuration, documents, drafts, maps, mcp, names, references

_MODULES = (names, references, drafts, maps, documents, configuration, mcp)
TARGETS = tuple(target for module in _MODULES for target in module.TARGETS)
