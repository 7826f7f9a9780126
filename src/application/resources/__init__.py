"""Knowledge URIs: observation, labels, aliases, attributes, relations."""
