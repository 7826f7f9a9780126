"""Bibliographic identity: identifiers, matching, versions of works, retractions."""
