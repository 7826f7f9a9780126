"""Knowledge: resources, the perspectives on them, and what is to be seen from there."""
