"""The verbs: one package for each capability, and the ports that they need."""
