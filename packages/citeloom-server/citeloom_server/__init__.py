"""A group's server for CiteLoom: principals, operation, index and catalogue servers, clusters."""
