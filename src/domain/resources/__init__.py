"""Resources (Nandam): knowledge URIs, observations, affordances, relations."""
