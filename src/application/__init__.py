"""The verbs: a package a capability, and the ports that they need."""
