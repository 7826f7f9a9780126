"""Handlers of the tools, by capability: parameters to a request, one verb, an answer."""
