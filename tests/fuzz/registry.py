"""All targets."""

from fuzz.targets import drafts, maps, mcp, names, references

TARGETS = tuple(
    target for module in (names, references, drafts, maps, mcp) for target in module.TARGETS
)
