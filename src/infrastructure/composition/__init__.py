"""The composition root: factories, one a capability, and the facade ``Application``."""
